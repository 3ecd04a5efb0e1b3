"""Another server at the ports of NATS, as a route, a gateway and a leaf node; and the servers of a deployment among themselves."""

import contextlib
import functools
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from manifests import chart, pod_of, title
from nats_servers import CERTIFICATES, Client, Cluster, Deployed, Server, address, running
from running import until
from test_compose import stack

SUBJECT = "tarsy.work.session"
# The numbers of the addresses beside those of a cluster.
SINGLE, INTRUDER = 101, 150
AT_ONCE = 3
# What an intruder knows: the names of everything, and no secret.
USERS = "accounts { SYS: {users: [{user: s, password: s}]}, TARSY: {users: [{user: spy, password: spy}]} }\nsystem_account: SYS\n"


def of_compose(files: list[str], names: tuple[str, ...]) -> list[Deployed]:
    services = stack(files)["services"]
    return [Deployed(name, services[name]["command"], services[name]["environment"]) for name in names]


def of_chart() -> list[Deployed]:
    """The pods of the StatefulSet, with an invented value for each key of a secret."""
    item = next(item for item in chart("everything") if title(item) == "StatefulSet/nats")
    (container,) = (pod_of(item) or {})["containers"]
    pods: list[Deployed] = []
    for number in range(item["spec"]["replicas"]):
        values: dict[str, str] = {}
        for one in container["env"]:
            given = one.get("value", f"a-{one['name'].lower()}" if one["name"] != "POD_NAME" else f"nats-{number}")
            values[one["name"]] = expanded(given, values)
        arguments = [expanded(argument, values) for argument in container["args"]]
        pods.append(Deployed(f"nats-{number}.nats", arguments, values))
    return pods


def expanded(text: str, values: dict[str, str]) -> str:
    """Replaces $(NAME), as Kubernetes does."""
    for name, value in values.items():
        text = text.replace(f"$({name})", value)
    return text


THREE = {
    "compose": lambda: of_compose(["compose.yaml", "production.yaml"], ("nats", "nats-2", "nats-3")),
    "chart": of_chart,
}


@pytest.fixture(scope="module", params=THREE)
def three(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Server]]:
    made = Cluster(tmp_path_factory.mktemp("cluster"), THREE[str(request.param)]())
    with made.start() as servers:
        until("every server has a route to each other", lambda: all(len(one.peers()) == 2 for one in servers))
        yield servers


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    alone = of_compose(["compose.yaml"], ("nats",))
    with Cluster(tmp_path_factory.mktemp("single"), alone, SINGLE).start() as (server,):
        yield server


@contextlib.contextmanager
def intruder(folder: Path, configuration: str, own: str = "") -> Iterator[Server]:
    """A server of somebody else beside those of the deployment."""
    own = own or address(INTRUDER)
    configuration = configuration.replace(address(INTRUDER), own)
    head = f"server_name: intruder\nhost: {own}\nport: 4222\nhttp: {own}:8222\n"
    folder.mkdir(exist_ok=True)
    (folder / "nats.conf").write_text(head + USERS + configuration)
    with running(Server(own, folder), ["-c", "nats.conf", "-D"], {}) as server:
        yield server


def tls(certificates: Path, authority: Path) -> str:
    files = f'cert_file: "{certificates}/tls.crt"\nkey_file: "{certificates}/tls.key"\nca_file: "{authority}/ca.crt"'
    return f"tls {{\n{files}\nverify: true\n}}"


def route(at: str, credentials: str = "", secured: str = "") -> str:
    own = address(INTRUDER)
    return f'cluster {{\nname: tarsy\nhost: {own}\nport: 6222\n{secured}\nroutes: ["nats://{credentials}{at}"]\n}}'


def gateway(at: str, credentials: str = "") -> str:
    own = address(INTRUDER)
    remote = f'{{name: tarsy, urls: ["nats://{credentials}{at}"]}}'
    return f"gateway {{\nname: intruder\nhost: {own}\nport: 7222\ngateways: [{remote}]\n}}"


def leaf(at: str, credentials: str = "") -> str:
    return f'leafnodes {{\nremotes: [{{urls: ["nats-leaf://{credentials}{at}"], account: TARSY}}]\n}}'


STOLEN = "routes:a-nats_routes_password@"
USER = "api-gateway:a-nats_api_gateway_password@"


def attempts(target: Server, own: Path) -> dict[str, str]:
    """What an intruder may try at each port, by what it has stolen."""
    stolen = target.folder.parent / "routes"
    ports = sorted(target.ports() - {8222})
    tried: dict[str, str] = {}
    for at in (f"{target.address}:{port}" for port in ports):
        tried |= {
            f"a route without anything, {at}": route(at),
            f"a route with the password, {at}": route(at, STOLEN),
            f"a route with the password and a certificate of its own, {at}": route(at, STOLEN, tls(own, stolen)),
            f"a route with the certificate, {at}": route(at, "", tls(stolen, stolen)),
            f"a route with the certificate and another password, {at}": route(at, "routes:guess@", tls(stolen, stolen)),
            f"a gateway without anything, {at}": gateway(at),
            f"a gateway with the password, {at}": gateway(at, STOLEN),
            f"a leaf node without anything, {at}": leaf(at),
            f"a leaf node with the user of a service, {at}": leaf(at, USER),
        }
    return tried


def joins_nothing(servers: list[Server], folder: Path) -> None:
    own = folder / "own"
    subprocess.run([str(CERTIFICATES), str(own), address(INTRUDER)], check=True, timeout=30)

    def is_tried(number: int, what: str, configuration: str) -> None:
        with intruder(folder / str(number), configuration, address(INTRUDER + number)) as spy:
            until(f"{what}: an answer", functools.partial(was_tried, spy, what.rpartition(", ")[2]))
            is_alone(servers, spy, what)

    # Few at once: each tries again and again, and handshakes cost both sides much.
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for done in [
            pool.submit(is_tried, number, *one) for number, one in enumerate(attempts(servers[0], own).items())
        ]:
            done.result()


def was_tried(spy: Server, at: str) -> bool:
    """Whether a connection to this address has ended."""
    ends = ("connection closed", "tls", "error", "violation", "closed")
    return any(at in line and any(end in line.lower() for end in ends) for line in spy.log().splitlines())


def is_alone(servers: list[Server], spy: Server, what: str) -> None:
    """It has no connection to a server of the deployment, and gets nothing of what is published there."""
    listening = Client(spy.address, "spy", "spy")
    listening.subscribe(SUBJECT)
    for one in servers:
        assert not one.ask("leafz")["leafnodes"], what
        assert not one.ask("gatewayz").get("inbound_gateways"), what
        assert "intruder" not in one.peers(), what
        Client(one.address, "api-gateway", "a-nats_api_gateway_password").publish(SUBJECT, "work")
    assert not listening.flush(), what


def test_a_server_that_joins_a_cluster_without_certificate_and_password_reads_nothing(
    three: list[Server], tmp_path: Path
) -> None:
    joins_nothing(three, tmp_path)


def test_with_certificate_and_password_it_would_have_read_everything(three: list[Server], tmp_path: Path) -> None:
    stolen = three[0].folder.parent / "routes"
    with intruder(tmp_path, route(f"{three[0].address}:6222", STOLEN, tls(stolen, stolen))) as spy:
        until("it has joined", lambda: "intruder" in three[0].peers())
        listening = Client(spy.address, "spy", "spy")
        listening.subscribe(SUBJECT)
        sender = Client(three[0].address, "api-gateway", "a-nats_api_gateway_password")
        until("it reads", lambda: sender.publish(SUBJECT, "work") or listening.flush())
    until("it has gone", lambda: "intruder" not in three[0].peers())


def test_a_server_that_joins_a_single_server_reads_nothing(single: Server, tmp_path: Path) -> None:
    assert single.ports() == {4222, 8222}
    joins_nothing([single], tmp_path)


def test_a_cluster_of_three_forms_and_carries_messages(three: list[Server]) -> None:
    for one in three:
        assert len(one.peers()) == 2
        assert one.ports() == {4222, 6222, 8222}
    first, *others = (Client(one.address, "sys", "a-nats_sys_password") for one in three)
    for other in others:
        other.subscribe("a.subject")

    def is_carried() -> bool:
        first.publish("a.subject", "x")
        return all(other.flush() for other in others)

    until("the interest has spread", is_carried)

"""What chart and overlays make runs: the pods of the API server's objects are started with the programs, and investigate alerts.

`make images-test` starts them from the images (TARSY_TEST_IMAGES); here each has the files of this machine and the programs that
were built. NATS is another build than that of its image, and PostgreSQL stands outside of the cluster.
"""

import dataclasses
import json
import os
import re
import shutil
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

import installation
import pytest
import yaml
from control_plane import NODES, ControlPlane
from documents import commands
from installation import namespace
from link import linked
from manifests import CHART, HELM, KUBECTL, NEEDED, OVERLAYS, ROOT, VALUES, Object, read, run
from pods import HOST, KUBERNETES, STARTS, Cluster, Image, Node, Pod, node
from postgres_server import Database, database
from programs import built
from reader import KUBERNETES as PAGE
from reader import found
from running import DEADLINE_SECONDS, STEP_SECONDS, until

NAME = "running"
# Where the host inspectors are, and what the watcher watches.
HOSTS, SHOP = "running-hosts", "running-shop"
PASSWORD = token_hex(24)
SUPERUSER = {"POSTGRES_USER": "postgres", "POSTGRES_PASSWORD": PASSWORD, "POSTGRES_DB": "tarsy"}
SERVICES = {
    *("api-gateway", "orchestrator", "mcp-gateway", "stream-relay", "summarizer", "notifier", "llm-service"),
    *("provisioner", "nats"),
}
# What the overlays add, by their folders, and the name of their pods.
OPTIONAL = {"kubernetes-watcher": "kubernetes-watcher", "tool-server/kubernetes": "tool-server", "backup": "backup"}
# The programs of the images of Rust.
PROGRAMS = (
    *("tarsy", "tarsy-host-inspector"),
    *(f"tarsy-{one}" for one in SERVICES - {"llm-service", "provisioner", "nats"}),
    "tarsy-kubernetes-watcher",
)
# What pods refer to.
KINDS = {"ConfigMap": "api/v1/{}/configmaps", "Secret": "api/v1/{}/secrets", "Service": "api/v1/{}/services"}


# The configuration of the installation, beside that of the values.
CONFIGURATION = {
    "intake": {
        "sources": {
            "kubernetes": {
                "kind": "kubernetes",
                "verification": "bearer",
                "secret_env": "KUBERNETES_EVENTS_TOKEN",
                "alert_type": "kubernetes",
                "events": {"cluster": "here", "namespaces": [SHOP]},
            }
        }
    }
}


def images(folder: Path) -> dict[str, Image]:
    """By their names in the registry."""
    if given := os.environ.get("TARSY_TEST_IMAGES"):
        return {name: _image(one) for name, one in json.loads(Path(given).read_text()).items()}
    nats = next((ROOT / ".tarsy/venv").rglob("nats-server"))
    path = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp"}  # noqa: S108 - of the image
    dashboard = ROOT / "dashboard/dist"
    addresses = {
        "TARSY_HTTP_ADDR": "0.0.0.0:8080",
        "TARSY_ADMIN_ADDR": "0.0.0.0:9090",
        "TARSY_CONFIG_DIR": "/etc/tarsy",
        "TARSY_DASHBOARD_DIR": str(dashboard),
    }
    programs = {f"/usr/local/bin/{name}": built(name) for name in PROGRAMS}
    rust = Image(Path("/"), variables=path | addresses, added=programs | {str(dashboard): dashboard})
    python = path | {
        "PATH": f"{ROOT}/.tarsy/venv-llm/bin:{path['PATH']}",
        "PYTHONPATH": f"{ROOT}/llm-service/src",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TARSY_CONFIG_DIR": "/etc/tarsy",
    }
    # npx takes a package of the folder that it is started in, and no registry is asked.
    npx = Path(shutil.which("node") or "node").resolve().parents[1]
    settings = folder / "npmrc"
    settings.write_text("offline=true\nupdate-notifier=false\ncache=/tmp/npm\n")
    packages = {"/opt/mcp-servers": ROOT / ".tarsy/mcp-servers", f"{npx}/etc/npmrc": settings}
    # The files of a container of CI do not have it.
    packages |= {} if npx.is_relative_to("/usr") else {str(npx): npx}
    gateway = dataclasses.replace(
        rust,
        variables=rust.variables | {"PATH": f"{path['PATH']}:{npx}/bin"},
        working_folder="/opt/mcp-servers",
        added=packages | rust.added,
    )
    # In their places, which the environment of Python knows.
    venv = ROOT / ".tarsy/venv-llm"
    base = (venv / "bin/python").resolve().parents[1]
    service = {str(one): one for one in (venv, ROOT / "llm-service", base)}
    command = ("python", "-m", "llm_service.main")
    return {
        "tarsy": rust,
        "tarsy-mcp-gateway": gateway,
        "tarsy-llm-service": Image(Path("/"), command=command, variables=python, added=service),
        "nats": Image(Path("/"), ("nats-server",), variables=path, added={"/usr/local/bin/nats-server": nats}),
    }


def _image(one: Object) -> Image:
    variables = dict(text.split("=", 1) for text in one["Env"] or [])
    return Image(
        Path(one["root"]),
        tuple(one["Entrypoint"] or ()),
        tuple(one["Cmd"] or ()),
        variables,
        one["WorkingDir"] or "/",
    )


def secret(port: int) -> Object:
    """The template of the secrets, filled in; vendors and chats have no keys."""
    text = installation.secrets(NAME).replace("CHANGE-ME", PASSWORD)
    text = text.replace("postgres.example.com:5432", f"postgres.example.com:{port}").replace(
        "sslmode=require", "sslmode=disable"
    )
    return next(one for one in read(text) if one["metadata"]["name"] == "tarsy-secrets")


def more_secrets() -> list[Object]:
    """Those of the watcher, the tool server and the host inspectors, each with its other end."""
    keys = {
        ("tarsy-gateway-secrets", NAME): "KUBERNETES_EVENTS_TOKEN",
        ("tarsy-kubernetes-watcher", NAME): "KUBERNETES_EVENTS_TOKEN",
        ("tarsy-tool-server-tokens", NAME): "kubernetes-server",
        ("host-inspector-token", HOSTS): "token",
    }
    return [
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": name, "namespace": where},
            "stringData": {key: PASSWORD},
        }
        for (name, where), key in keys.items()
    ]


def optional() -> list[Object]:
    """The objects of the optional folders, in this namespace, and the host inspectors of the chart."""
    made = [one for name in OPTIONAL for one in read(run(KUBECTL, "kustomize", OVERLAYS.parent / name))]
    for one in made:
        for part in (one["metadata"], *one.get("subjects", [])):
            if "namespace" in part:
                part["namespace"] = NAME
    chosen = f"hostInspector.enabled=true,hostInspector.namespace={HOSTS}"
    template = ["template", "tarsy", CHART, "--namespace", NAME, "--values", NEEDED, "--set", chosen]
    return [*made, *read(run(HELM, *template, "--show-only", "templates/host-inspector.yaml"))]


class Recorder:
    """Every pod that namespaces ever had: those of hooks are soon gone."""

    def __init__(self, cluster: ControlPlane, *namespaces: str) -> None:
        self._seen: dict[str, Object] = {}
        for one in namespaces:
            lines = cluster.lines(f"/api/v1/namespaces/{one}/pods?watch=true&timeoutSeconds=600")
            threading.Thread(target=self._read, args=(lines,), daemon=True).start()

    def _read(self, lines: Iterator[bytes]) -> None:
        for line in lines:
            pod = json.loads(line)["object"]
            self._seen[pod["metadata"]["name"]] = pod

    def of(self, name: str) -> Object:
        """One pod of what has this name: the others have the same specification."""

        def find() -> Object | None:
            label = "app.kubernetes.io/name"
            return next(
                (one for one in list(self._seen.values()) if one["metadata"]["labels"].get(label) == name), None
            )

        until(f"{name} has a pod", find)
        found = find()
        assert found is not None
        return found


@dataclass
class Installed:
    """The chart on the control plane, and a node that runs its pods."""

    cluster: ControlPlane
    recorder: Recorder
    node: Node
    postgres: Database

    def pod(self, name: str) -> Pod:
        known = [one for one in self.node.pods if one.item["metadata"]["labels"]["app.kubernetes.io/name"] == name]
        return known[0] if known else self.node.add(self.recorder.of(name))

    def migrate(self, image: Image | None = None) -> int:
        return self.pod("migrate").run(self.node.hosts, image)


@pytest.fixture(scope="module")
def installed(cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    folder = tmp_path_factory.mktemp("pods")
    # Other users than root go through it.
    for one in (folder, *folder.parents[:2]):
        one.chmod(0o755)
    privileged = installation.PRIVILEGED | {"pod-security.kubernetes.io/warn": "privileged"}
    spaces = {NAME: installation.RESTRICTED, HOSTS: privileged, SHOP: {}}
    for name, labels in spaces.items():
        cluster.create("/api/v1/namespaces", namespace(name, labels))
    beside = yaml.safe_dump_all(optional())
    made = Cluster({}, images(folder), lambda account: cluster.account_token(NAME, account))
    with (
        database(SUPERUSER) as postgres,
        node(made, folder / "pods") as here,
        linked(postgres.port, HOST) as link,
        linked(cluster.port, KUBERNETES, 443),
    ):
        for one in (secret(link.port), *more_secrets()):
            cluster.create(f"/api/v1/namespaces/{one['metadata']['namespace']}/secrets", one)
        recorder = Recorder(cluster, NAME, HOSTS)
        cluster.kubectl("apply", "-f", "-", text=beside)
        _install(cluster)
        cluster.kubectl("-n", NAME, "create", "job", "backup", "--from=cronjob/backup")
        for name in (NAME, HOSTS):
            for kind, path in KINDS.items():
                for one in cluster.get("/" + path.format(f"namespaces/{name}"))["items"]:
                    made.objects[kind, one["metadata"]["name"]] = one
        here.name_services(NAME, {"postgres.example.com": HOST})
        postgres.psql(["-f", str(ROOT / "deploy/postgres/logins.sql")], _logins())
        yield Installed(cluster, recorder, here, postgres)
    cluster.helm("uninstall", "tarsy", "--namespace", NAME)
    cluster.kubectl("delete", "-f", "-", "--ignore-not-found", "--wait=false", text=beside)
    cluster.abandon(*spaces)


def _install(cluster: ControlPlane) -> None:
    own = ["--set", "images.registry=localhost,images.tag=dev,nats.image=localhost/nats:dev"]
    own += ["--set-json", f"config.tarsy={json.dumps(CONFIGURATION)}"]
    values = ["--values", NEEDED, "--values", VALUES / "plain.yaml", *own]
    wait = ["--namespace", NAME, "--timeout", f"{STEP_SECONDS}s"]
    cluster.helm("upgrade", "--install", "tarsy", CHART, *values, *wait, "--wait")
    cluster.helm("test", "tarsy", *wait)


def _logins() -> dict[str, str]:
    roles = ("OWNER", "API_GATEWAY", "ORCHESTRATOR", "SUMMARIZER", "STREAM_RELAY", "NOTIFIER", "MCP_GATEWAY", "CLI")
    return {f"POSTGRES_{role}_PASSWORD": PASSWORD for role in roles} | superuser()


def asked(gateway: Pod, path: str, body: Object | None = None) -> Object:
    """By somebody whom the proxy of the pod has signed in."""
    headers = {"X-Forwarded-User": "rosa", "X-Forwarded-Groups": "on-call", "Content-Type": "application/json"}
    text = json.dumps(body) if body else ""
    return json.loads(gateway.fetch(f"http://127.0.0.1:8080/api/v1/{path}", headers, text))


def superuser() -> dict[str, str]:
    return {"PGUSER": "postgres", "PGPASSWORD": PASSWORD, "PGDATABASE": "tarsy"}


def finding(gateway: Pod, session: str) -> str:
    """What an investigation found, once it is over: by its tools, which all answered."""

    def is_terminal() -> bool:
        status = asked(gateway, f"sessions/{session}")["status"]
        assert status not in ("failed", "timed_out", "cancelled"), status
        return status == "completed"

    until("the session is over", is_terminal, DEADLINE_SECONDS)
    text = asked(gateway, f"sessions/{session}/summary")["final_analysis"]
    assert "was not called" not in text, text
    return text


@pytest.fixture(scope="module")
def gateway(installed: Installed) -> Pod:
    """The pod of api-gateway, while every service runs."""
    assert installed.migrate() == 0, installed.pod("migrate").log()
    pods = {name: installed.pod(name) for name in sorted(SERVICES)}
    installed.node.name_services(NAME, {"postgres.example.com": HOST})
    installed.node.start(*pods.values())
    return pods["api-gateway"]


def test_the_pods_of_the_chart_run_and_investigate(installed: Installed, gateway: Pod) -> None:
    alert = {"alert_type": "host", "data": "disk almost full on /var"}
    text = finding(gateway, asked(gateway, "alerts", alert)["session_id"])
    assert re.search(r"file system .* \[call \d+\]", text), text
    doctor = installed.pod("doctor")
    assert doctor.run(installed.node.hosts) == 0, doctor.log()


def test_the_command_of_the_page_finds_nothing_wrong_in_the_pod_that_it_names(
    installed: Installed, gateway: Pod
) -> None:
    (line,) = (one for one in commands(found(PAGE, "policies --rm").text) if "exec" in one)
    assert line[line.index("-c") + 1] == gateway.containers[0]["name"]
    assert gateway.run(installed.node.hosts, command=line[line.index("--") + 1 :]) == 0, gateway.log()


def test_a_pod_writes_nowhere_but_into_its_volumes(installed: Installed, gateway: Pod) -> None:
    hosts = installed.node.hosts
    assert gateway.run(hosts, command=["true"]) == 0
    assert gateway.run(hosts, command=["touch", "/tmp/written"]) != 0  # noqa: S108 - it must fail


def test_the_pods_find_why_a_pod_of_their_cluster_fails(installed: Installed, gateway: Pod) -> None:
    """The watcher and the tool server that mcp-gateway starts ask the API server, each with the account of its pod."""
    installed.node.start(installed.pod("kubernetes-watcher"))
    container = {"name": "web", "image": "registry.example.com/web:1", "resources": {}}
    metadata = {"name": "web", "labels": {"fault": "crash-loop"}}
    item = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}
    installed.cluster.create(f"/api/v1/namespaces/{SHOP}/pods", item)
    query = urllib.parse.urlencode({"fingerprint": f"here/{SHOP}/Pod/web/BackOff"})
    until("the pod has a session", lambda: asked(gateway, f"sessions?{query}")["sessions"], DEADLINE_SECONDS)
    session = asked(gateway, f"sessions?{query}")["sessions"][0]["id"]
    text, verdict = finding(gateway, session), asked(gateway, f"sessions/{session}")["verdict"]
    assert verdict["outcome"] == "cause_found", text
    assert (verdict["object"]["namespace"], verdict["object"]["name"]) == (SHOP, "web"), text


@pytest.mark.usefixtures("gateway")
def test_tool_servers_of_their_own_pods_answer_mcp_gateway_by_their_tokens(installed: Installed) -> None:
    """That of the cluster with the account of its pod, and the inspector of a node with the files of that."""
    servers = {
        "tool-server": (8080, "pods_list_in_namespace", {"namespace": NAME}, "orchestrator"),
        "host-inspector": (18080, "list_logs", {}, "/var/log/"),
    }
    for name in servers:
        installed.node.start(installed.pod(name))
    for name, (port, tool, arguments, expected) in servers.items():
        url = f"http://{installed.pod(name).address}:{port}/mcp"
        call = [ROOT / "deploy/tests/mcp_call.py", url]
        done = installed.pod("mcp-gateway").python(*call, PASSWORD, tool, json.dumps(arguments))
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}\n{installed.pod(name).log()}"
        assert expected in done.stdout, done.stdout
        done = installed.pod("mcp-gateway").python(*call, "another", tool, json.dumps(arguments))
        assert "401" in done.stderr, done


@pytest.mark.usefixtures("gateway")
def test_the_backup_of_the_overlay_writes_into_its_volume(installed: Installed) -> None:
    pod = installed.pod("backup")
    assert pod.run(installed.node.hosts) == 0, pod.log()
    assert list(pod.folder.glob("volumes/backup/tarsy-*.tar.gz"))


def test_an_inspector_is_on_each_node(installed: Installed) -> None:
    pods = installed.cluster.get(f"/api/v1/namespaces/{HOSTS}/pods")["items"]
    assert sorted(one["spec"]["nodeName"] for one in pods) == sorted(NODES)


def test_an_image_that_is_broken_is_noticed_by_the_migration(installed: Installed, tmp_path: Path) -> None:
    """As one whose build left out a program."""
    assert installed.migrate() == 0, installed.pod("migrate").log()
    (tmp_path / "nothing").write_text("")
    image = installed.node.cluster.images["tarsy"].with_file("/usr/local/bin/tarsy", tmp_path / "nothing")
    assert installed.migrate(image) != 0


def without(place: str) -> Callable[[Image, Path], Image]:
    return lambda image, nothing: image.with_file(place, nothing)


# By the service: its image, and what is broken of that.
BROKEN: dict[str, tuple[str, Callable[[Image, Path], Image]]] = {
    "orchestrator": ("tarsy", without("/usr/local/bin/tarsy-orchestrator")),
    "mcp-gateway": ("tarsy-mcp-gateway", without("/usr/local/bin/tarsy-mcp-gateway")),
    "llm-service": (
        "tarsy-llm-service",
        lambda image, _: dataclasses.replace(image, command=("python", "-m", "llm_service.nothing")),
    ),
    "nats": ("nats", without("/usr/local/bin/nats-server")),
}


@pytest.mark.parametrize("service", BROKEN)
def test_an_image_that_is_broken_is_noticed_by_its_service(installed: Installed, tmp_path: Path, service: str) -> None:
    (tmp_path / "nothing").write_text("")
    name, broken = BROKEN[service]
    pod = installed.node.add(installed.recorder.of(service))
    pod.image = broken(installed.node.cluster.images[name], tmp_path / "nothing")
    # It is started once more, not as often as one whose servers may come.
    pod.starts = STARTS - 2
    with pytest.raises(AssertionError, match="ended with"):
        installed.node.start(pod)


@pytest.mark.usefixtures("gateway")
def test_helm_test_notices_a_service_that_is_gone(installed: Installed) -> None:
    installed.pod("llm-service").stop()
    assert installed.pod("doctor").run(installed.node.hosts) != 0


def test_a_migration_that_is_broken_is_noticed(installed: Installed) -> None:
    """As one that was edited after its release. The last test: no service fits this database."""
    assert installed.migrate() == 0, installed.pod("migrate").log()
    own = superuser()
    installed.postgres.query("update _sqlx_migrations set checksum = sha384('') where version = 1", own)
    assert installed.migrate() != 0

"""What the chart makes runs: the pods of the API server's objects are started with the programs, and investigate an alert.

`make images-test` starts them from the images (TARSY_TEST_IMAGES); here each has the files of this machine and the programs that
were built. NATS is another build than that of its image, and PostgreSQL stands outside of the cluster.
"""

import json
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

import installation
import pytest
from control_plane import ControlPlane
from installation import namespace
from link import linked
from manifests import CHART, NEEDED, ROOT, VALUES, Object, read
from pods import HOST, Cluster, Image, Node, Pod, node
from postgres_server import Database, database
from programs import built
from running import DEADLINE_SECONDS, STEP_SECONDS, until

NAME = "running"
PASSWORD = token_hex(24)
SUPERUSER = {"POSTGRES_USER": "postgres", "POSTGRES_PASSWORD": PASSWORD, "POSTGRES_DB": "tarsy"}
SERVICES = {
    *("api-gateway", "orchestrator", "mcp-gateway", "stream-relay", "summarizer", "notifier", "llm-service"),
    *("provisioner", "nats"),
}
# The programs of the images of Rust.
PROGRAMS = (
    *("tarsy", "tarsy-host-inspector"),
    *(f"tarsy-{one}" for one in SERVICES - {"llm-service", "provisioner", "nats"}),
)
# What they refer to.
KINDS = {"ConfigMap": "api/v1/{}/configmaps", "Secret": "api/v1/{}/secrets", "Service": "api/v1/{}/services"}


def images() -> dict[str, Image]:
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
    # In their places, which the environment of Python knows.
    venv = ROOT / ".tarsy/venv-llm"
    base = (venv / "bin/python").resolve().parents[1]
    service = {str(one): one for one in (venv, ROOT / "llm-service", base)}
    command = ("python", "-m", "llm_service.main")
    return {
        "tarsy": rust,
        "tarsy-mcp-gateway": rust,
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


class Recorder:
    """Every pod that a namespace ever had: those of hooks are soon gone."""

    def __init__(self, cluster: ControlPlane) -> None:
        self._seen: dict[str, Object] = {}
        path = f"/api/v1/namespaces/{NAME}/pods?watch=true&timeoutSeconds=600"
        self._lines = cluster.lines(path)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._lines:
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
    with database(SUPERUSER) as postgres:
        cluster.create("/api/v1/namespaces", namespace(NAME, installation.RESTRICTED))
        made = Cluster({}, images(), lambda account: cluster.account_token(NAME, account))
        with node(made, folder / "pods") as here, linked(postgres.port, HOST) as link:
            cluster.create(f"/api/v1/namespaces/{NAME}/secrets", secret(link.port))
            recorder = Recorder(cluster)
            own = ["--set", "images.registry=localhost,images.tag=dev,nats.image=localhost/nats:dev"]
            values = ["--values", NEEDED, "--values", VALUES / "plain.yaml", *own]
            wait = ["--namespace", NAME, "--timeout", f"{STEP_SECONDS}s"]
            cluster.helm("upgrade", "--install", "tarsy", CHART, *values, *wait, "--wait")
            cluster.helm("test", "tarsy", *wait)
            for kind, path in KINDS.items():
                for one in cluster.get("/" + path.format(f"namespaces/{NAME}"))["items"]:
                    made.objects[kind, one["metadata"]["name"]] = one
            here.name_services(NAME, {"postgres.example.com": HOST})
            postgres.psql(["-f", str(ROOT / "deploy/postgres/logins.sql")], _logins())
            yield Installed(recorder, here, postgres)
    cluster.helm("uninstall", "tarsy", "--namespace", NAME)
    cluster.kubectl("delete", "namespace", NAME, "--timeout=90s")


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


def test_the_pods_of_the_chart_run_and_investigate(installed: Installed) -> None:
    assert installed.migrate() == 0, installed.pod("migrate").log()

    pods = {name: installed.pod(name) for name in sorted(SERVICES)}
    installed.node.name_services(NAME, {"postgres.example.com": HOST})
    installed.node.start(*pods.values())

    gateway = pods["api-gateway"]
    hosts = installed.node.hosts
    alert = {"alert_type": "host", "data": "disk almost full on /var"}
    session = asked(gateway, "alerts", alert)["session_id"]
    until(
        "the session is over", lambda: asked(gateway, f"sessions/{session}")["status"] == "completed", DEADLINE_SECONDS
    )
    doctor = installed.pod("doctor")
    assert doctor.run(hosts) == 0, doctor.log()

    # What a service may not write to.
    assert gateway.run(hosts, command=["touch", "/tmp/written"]) != 0  # noqa: S108 - it must fail


def test_a_migration_that_is_broken_is_noticed(installed: Installed) -> None:
    """As one that was edited after its release."""
    assert installed.migrate() == 0, installed.pod("migrate").log()
    own = superuser()
    installed.postgres.query("update _sqlx_migrations set checksum = sha384('') where version = 1", own)
    assert installed.migrate() != 0


def test_an_image_that_is_broken_is_noticed(installed: Installed, tmp_path: Path) -> None:
    """As one whose build left out a program."""
    (tmp_path / "nothing").write_text("")
    image = installed.node.cluster.images["tarsy"].with_file("/usr/local/bin/tarsy", tmp_path / "nothing")
    assert installed.migrate(image) != 0

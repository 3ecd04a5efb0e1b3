"""TARSy, and the watchers of clusters that report to it."""

import contextlib
import json
import os
import subprocess
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml
from cluster_access import GATEWAY, WATCHER, kubeconfig, tool_server
from control_plane import ControlPlane
from link import Link
from manifests import Object
from programs import built
from running import free_port, get, started, until, wait_until_ready

# By the name of the source: the cluster, and the variable with the secret of its watcher.
HERE, ABROAD = "kubernetes", "kubernetes-abroad"
_SECRETS = {HERE: "KUBERNETES_EVENTS_TOKEN", ABROAD: "KUBERNETES_ABROAD_TOKEN"}
_EXCLUDED = ["tarsy", "kube-system", "default"]
# The namespace that both clusters have.
BOTH = "abroad"
# The alert type of the first cluster, and its agent.
QUICK = "quick"
# What a token is bound to, in the namespace `tarsy`: with it the token ends.
BINDING = "first-binding"


def _configuration(folder: Path, access: Path) -> Path:
    common = {"kind": "kubernetes", "verification": "bearer"}
    here = {
        "secret_env": _SECRETS[HERE],
        "alert_type": QUICK,
        "events": {"cluster": "eu-1", "exclude_namespaces": _EXCLUDED},
        "changes": {"exclude_namespaces": _EXCLUDED},
    }
    abroad = {
        "secret_env": _SECRETS[ABROAD],
        "alert_type": "kubernetes",
        "events": {"cluster": "us-1", "namespaces": [BOTH]},
        "changes": {"kinds": ["deployments"], "namespaces": [BOTH]},
    }
    # Most tests ask whether there is a session: an agent without tools ends it at once.
    chain = {"alert_types": [QUICK], "stages": [{"name": "look", "agents": [{"name": QUICK}]}]}
    config = {
        "agents": {QUICK: {"mcp_servers": []}},
        "agent_chains": {QUICK: chain},
        "mcp_servers": {"kubernetes-server": tool_server(access)},
        "intake": {"sources": {HERE: common | here, ABROAD: common | abroad}},
    }
    folder.mkdir()
    (folder / "tarsy.yaml").write_text(yaml.safe_dump(config))
    return folder


@dataclass
class Watched:
    """Two clusters, `eu-1` and `us-1`, each with a watcher, and the TARSy that these report to.

    That of `us-1` sees one namespace, over a link that can be lost. Names of objects are the same in both.
    """

    cluster: ControlPlane
    there: ControlPlane
    url: str
    tarsy: subprocess.Popen[bytes]
    watcher: subprocess.Popen[bytes]
    folder: Path
    abroad: Link

    def create(self, item: Object, namespace: str = "shop") -> None:
        self.cluster.create(f"/api/v1/namespaces/{namespace}/pods", item)

    def create_there(self, item: Object) -> None:
        """In the other cluster."""
        self.there.create(f"/api/v1/namespaces/{BOTH}/pods", item)

    def sessions(self, fingerprint: str) -> list[Object]:
        query = urllib.parse.urlencode({"fingerprint": fingerprint})
        return json.loads(get(f"{self.url}/api/v1/sessions?{query}"))["sessions"]

    def changes(self, near: str) -> list[Object]:
        query = urllib.parse.urlencode({"near": near})
        return json.loads(get(f"{self.url}/api/v1/changes?{query}"))["changes"]

    def texts(self, near: str) -> list[str]:
        return [change["text"] for change in self.changes(near)]

    def wait_for(self, *fingerprints: str) -> None:
        for one in fingerprints:
            until(f"{one} has a session", lambda one=one: self.sessions(one))

    def log(self) -> str:
        return (self.folder / f"{HERE}.log").read_text(errors="replace")

    def most_memory(self) -> int:
        """The most memory that the watcher had, in MiB."""
        status = Path(f"/proc/{self.watcher.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) // 1024

    def bound_token(self, binding: str) -> tuple[str, str]:
        """A token of the watcher of the other cluster, and the path of the secret that it is bound to."""
        secrets = "/api/v1/namespaces/tarsy/secrets"
        item = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": binding}}
        made = self.there.create(secrets, item)
        return self.there.account_token("tarsy", WATCHER, made), f"{secrets}/{binding}"

    def token_file(self) -> Path:
        return self.folder / "token"


@contextlib.contextmanager
def watching(cluster: ControlPlane, there: ControlPlane, abroad: Link, folder: Path) -> Iterator[Watched]:
    config = _configuration(folder / "config", kubeconfig(there, GATEWAY, folder))
    url = f"http://127.0.0.1:{free_port()}"
    general = {"PATH": os.environ["PATH"], "HOME": str(folder), "TARSY_CONFIG_DIR": str(config)}
    general |= {variable: f"a-token-of-{source}" for source, variable in _SECRETS.items()}
    up = [str(built("tarsy")), "--home", str(folder / "home"), "up", "--port", url.rpartition(":")[2]]
    with started(up, general, folder / "tarsy.log") as tarsy, contextlib.ExitStack() as watchers:
        wait_until_ready(tarsy, url, folder / "tarsy.log")

        def watch(source: str, access: Path) -> subprocess.Popen[bytes]:
            own = {
                "TARSY_URL": url,
                "TARSY_INTAKE_SOURCE": source,
                "KUBECONFIG": str(access),
                "TARSY_ADMIN_ADDR": f"127.0.0.1:{free_port()}",
            }
            program = [str(built("tarsy-kubernetes-watcher"))]
            return watchers.enter_context(started(program, general | own, folder / f"{source}.log"))

        here = watch(HERE, kubeconfig(cluster, WATCHER, folder))
        watched = Watched(cluster, there, url, tarsy, here, folder, abroad)
        watched.token_file().write_text(watched.bound_token(BINDING)[0])
        (folder / "there").mkdir()
        watch(ABROAD, _over(abroad, kubeconfig(there, WATCHER, folder / "there"), watched.token_file()))
        yield watched


def _over(link: Link, access: Path, token_file: Path) -> Path:
    """Access by a link and the token of a file."""
    config = yaml.safe_load(access.read_text())
    config["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{link.port}"
    config["users"][0]["user"] = {"tokenFile": str(token_file)}
    path = access.with_name("abroad.yaml")
    path.write_text(yaml.safe_dump(config))
    return path

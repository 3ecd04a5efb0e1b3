"""A cluster in which things fail becomes sessions: the events of real controllers, and of kubelets that kwok plays."""

import itertools
import json
import os
import signal
import subprocess
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from cluster_access import GATEWAY, WATCHER, kubeconfig, rights, tool_server
from control_plane import NODES, ControlPlane
from manifests import KUBECTL, ROOT, Object
from programs import built
from running import DEADLINE_SECONDS, free_port, get, started, until, wait_until_ready

TOKEN = "a-token-of-the-source"  # noqa: S105 - of this test alone
# By the label of the pod, which stages.yaml plays: the reason of its event.
FAULTS = {"crash-loop": "BackOff", "out-of-memory": "BackOff", "image-pull-error": "Failed", "probe-fails": "Unhealthy"}


# What the watcher needs beside events.
CHANGES = ROOT / "deploy/kubernetes/kubernetes-watcher/changes.yaml"
SECRET = "hunter2-hunter2"  # noqa: S105 - a value that must not be seen


def pod(name: str, labels: dict[str, str] | None = None, cpu: str = "10m", node: str = "") -> Object:
    container = {"name": "web", "image": "registry.example.com/web:1", "resources": {"requests": {"cpu": cpu}}}
    selector = {"kubernetes.io/hostname": node} if node else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels or {}},
        "spec": {"containers": [container], "nodeSelector": selector},
    }


def configuration(folder: Path, access: Path) -> Path:
    source = {
        "kind": "kubernetes",
        "verification": "bearer",
        "secret_env": "KUBERNETES_EVENTS_TOKEN",
        "alert_type": "kubernetes",
        "events": {"cluster": "eu-1", "exclude_namespaces": ["tarsy", "kube-system", "default"]},
        "changes": {"exclude_namespaces": ["tarsy", "kube-system", "default"]},
    }
    config = {
        "mcp_servers": {"kubernetes-server": tool_server(access)},
        "intake": {"sources": {"kubernetes": source}},
    }
    folder.mkdir()
    (folder / "tarsy.yaml").write_text(yaml.safe_dump(config))
    return folder


@dataclass
class Watched:
    """A cluster, and the TARSy that its watcher reports to."""

    cluster: ControlPlane
    url: str
    watcher: subprocess.Popen[bytes]
    folder: Path

    def create(self, item: Object, namespace: str = "shop") -> None:
        self.cluster.create(f"/api/v1/namespaces/{namespace}/pods", item)

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
        return (self.folder / "watcher.log").read_text(errors="replace")


@pytest.fixture(scope="module")
def watched(cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    folder = tmp_path_factory.mktemp("watched")
    accounts = yaml.safe_dump_all([*rights(), *yaml.safe_load_all(CHANGES.read_text())])
    for name in ("tarsy", "shop", "strict"):
        cluster.kubectl("create", "namespace", name)
    cluster.kubectl("apply", "-f", "-", text=accounts)
    cluster.kubectl("label", "namespace", "strict", "pod-security.kubernetes.io/enforce=restricted")
    config = configuration(folder / "config", kubeconfig(cluster, GATEWAY, folder))
    url = f"http://127.0.0.1:{free_port()}"
    general = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "KUBERNETES_EVENTS_TOKEN": TOKEN,
        "TARSY_CONFIG_DIR": str(config),
    }
    up = [str(built("tarsy")), "--home", str(folder / "home"), "up", "--port", url.rpartition(":")[2]]
    own = {
        "TARSY_URL": url,
        "KUBECONFIG": str(kubeconfig(cluster, WATCHER, folder)),
        "TARSY_ADMIN_ADDR": f"127.0.0.1:{free_port()}",
    }
    with started(up, general, folder / "tarsy.log") as tarsy:
        wait_until_ready(tarsy, url, folder / "tarsy.log")
        with started([str(built("tarsy-kubernetes-watcher"))], general | own, folder / "watcher.log") as watcher:
            yield Watched(cluster, url, watcher, folder)
    cluster.kubectl("delete", "namespace", "tarsy", "shop", "strict", "--timeout=90s")
    cluster.kubectl("delete", "--ignore-not-found", "-f", "-", text=accounts)


def test_what_fails_in_a_cluster_has_sessions(watched: Watched) -> None:
    watched.create(pod("healthy"))
    for fault in FAULTS:
        watched.create(pod(fault, {"fault": fault}))
    watched.create(pod("too-large", cpu="1000"))
    watched.wait_for(*(f"eu-1/shop/Pod/{fault}/{reason}" for fault, reason in FAULTS.items()))
    watched.wait_for("eu-1/shop/Pod/too-large/FailedScheduling")
    assert not watched.sessions("eu-1/shop/Pod/healthy/BackOff")


def test_what_changes_of_objects_is_recorded_without_their_values(watched: Watched) -> None:
    template = {"metadata": {"labels": {"app": "ledger"}}, "spec": pod("ledger")["spec"]}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "ledger"}}, "template": template}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "ledger"}, "spec": spec}
    watched.cluster.create("/apis/apps/v1/namespaces/shop/deployments", deployment)
    versions = itertools.count(2)

    def is_recorded() -> bool:
        """Each time another image: the first may come before the first list, or in the second of the creation.

        Then it has the writer of that. Pod Security warns of the template.
        """
        image = ("deployment/ledger", f"web=registry.example.com/web:{next(versions)}")
        assert watched.cluster.run(KUBECTL, "set", "image", "--namespace", "shop", *image).returncode == 0
        newest = watched.changes("Deployment/ledger")[:1]
        return any((change["author"] or "").startswith("kubectl") for change in newest)

    until("a rollout is recorded", is_recorded)
    newest = watched.changes("Deployment/ledger")[0]
    assert (newest["kind"], newest["namespace"], newest["cluster"]) == ("deployment", "shop", "eu-1")
    assert newest["text"].startswith("image of web registry.example.com/web:")

    for kind, option in (("configmap", ()), ("secret", ("generic",))):
        watched.cluster.kubectl(
            "create", kind, *option, "prices", "--namespace", "shop", f"--from-literal=key={SECRET}"
        )
    names = {"ConfigMap/prices": "configuration", "Secret/prices": "secret"}
    for name in names:
        until(f"{name} is seen", lambda name=name: watched.changes(name))
        patch = json.dumps({"metadata": {"annotations": {"written": "again"}}})
        watched.cluster.kubectl("patch", name.lower(), "--namespace", "shop", "--patch", patch)
        until(
            "its next version is recorded",
            lambda name=name: any("another version" in text for text in watched.texts(name)),
        )
    for name, kind in names.items():
        assert {change["kind"] for change in watched.changes(name)} == {kind}
    assert SECRET not in get(f"{watched.url}/api/v1/changes").decode()


def test_pods_that_are_not_admitted_have_a_session(watched: Watched) -> None:
    """The controller of replica sets says that Pod Security refuses its pods."""
    template = {"metadata": {"labels": {"app": "root"}}, "spec": pod("root")["spec"]}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "root"}}, "template": template}
    item = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "root"}, "spec": spec}
    watched.cluster.create("/apis/apps/v1/namespaces/strict/replicasets", item)
    watched.wait_for("eu-1/strict/ReplicaSet/root/FailedCreate")


def test_pods_of_a_lost_node_have_sessions(watched: Watched) -> None:
    watched.create(pod("on-the-lost-node", node=NODES[1]))
    path = "/api/v1/namespaces/shop/pods/on-the-lost-node"
    until("the pod runs", lambda: watched.cluster.get(path)["status"].get("phase") == "Running")
    with watched.cluster.lost(NODES[1]):
        watched.wait_for("eu-1/shop/Pod/on-the-lost-node/NodeNotReady")


def test_restarts_of_the_api_server_lose_no_event(watched: Watched) -> None:
    watched.cluster.stop("kube-apiserver")
    watched.cluster.start_api_server()
    watched.create(pod("after-the-restart", {"fault": "crash-loop"}))
    watched.wait_for("eu-1/shop/Pod/after-the-restart/BackOff")


def test_a_version_that_is_gone_is_followed_by_a_new_list(watched: Watched) -> None:
    watched.watcher.send_signal(signal.SIGSTOP)
    watched.create(pod("while-stopped", {"fault": "crash-loop"}))
    events = "/api/v1/namespaces/shop/events?fieldSelector=involvedObject.name=while-stopped,type=Warning"
    until("the event is there", lambda: watched.cluster.get(events)["items"])
    # Its connection is gone, and so is the version that it would go on from: others were written after the last event.
    for number in range(20):
        item = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"later-{number}"}}
        watched.cluster.create("/api/v1/namespaces/shop/configmaps", item)
    watched.cluster.stop("kube-apiserver")
    watched.cluster.compact()
    watched.cluster.start_api_server()
    watched.watcher.send_signal(signal.SIGCONT)
    watched.wait_for("eu-1/shop/Pod/while-stopped/BackOff")
    until(
        "the watcher was answered 410",
        lambda: "410" in watched.log() or "Gone" in watched.log() or "too old" in watched.log(),
    )


def test_sessions_read_the_cluster_by_the_unmodified_server(watched: Watched) -> None:
    """The offline analyst finds the cause with the built-in configuration and the rights of mcp-gateway's account."""
    watched.create(pod("looked-at", {"fault": "crash-loop"}))
    fingerprint = "eu-1/shop/Pod/looked-at/BackOff"
    watched.wait_for(fingerprint)
    until("the session is over", lambda: watched.sessions(fingerprint)[0]["status"] == "completed", DEADLINE_SECONDS)
    session = watched.sessions(fingerprint)[0]["id"]
    found = json.loads(get(f"{watched.url}/api/v1/sessions/{session}/summary"))["final_analysis"]
    assert "looked-at" in found, found
    assert "was not called" not in found, found
    assert "No cause found" not in found, found

"""A cluster in which things fail becomes sessions: the events of real controllers, and of kubelets that kwok plays."""

import contextlib
import itertools
import json
import signal
from collections.abc import Iterator

import control_plane
import pytest
import yaml
from cluster_access import rights
from control_plane import NODES, ControlPlane
from faults import now
from link import linked
from manifests import ROOT, Object
from running import DEADLINE_SECONDS, get, until
from watched import BINDING, BOTH, Watched, watching

# By the label of the pod, which stages.yaml plays: the reason of its event.
FAULTS = {
    "crash-loop": "BackOff",
    "out-of-memory": "BackOff",
    "image-pull-error": "Failed",
    "probe-fails": "Unhealthy",
    "evicted": "Evicted",
}


# What the watcher needs beside events.
CHANGES = ROOT / "deploy/kubernetes/kubernetes-watcher/changes.yaml"
SECRET = "hunter2-hunter2"  # noqa: S105 - a value that must not be seen
# What each piece of a slow watch takes.
PIECE_SECONDS = 0.5
NAMESPACES = ("tarsy", "shop", "strict", BOTH)
# Of a burst: versions of events, the events that have several, and the pods that these are about.
VERSIONS, COUNTED, PODS = 10_000, 98, 3
# By how much a burst may raise the most memory of the watcher, in MiB: its versions alone have twice as much when they are read.
MEMORY = 48


def pod(name: str, labels: dict[str, str] | None = None, cpu: str = "10m", node: str = "") -> Object:
    container = {"name": "web", "image": "registry.example.com/web:1", "resources": {"requests": {"cpu": cpu}}}
    selector = {"kubernetes.io/hostname": node} if node else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels or {}},
        "spec": {"containers": [container], "nodeSelector": selector},
    }


def deployment(name: str) -> Object:
    template = {"metadata": {"labels": {"app": name}}, "spec": pod(name)["spec"]}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def back_off(name: str, about: str, count: int) -> Object:
    """A version of an event, as a kubelet has it."""
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": name, "namespace": "shop", "uid": f"uid-{name}", "creationTimestamp": now(60)},
        "involvedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": "shop", "name": about, "uid": about},
        "reason": "BackOff",
        "message": "Back-off restarting failed container",
        "source": {"component": "kubelet", "host": NODES[0]},
        "type": "Warning",
        "count": count,
        "firstTimestamp": now(60),
        "lastTimestamp": now(1),
    }


@pytest.fixture(scope="module")
def watched(cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    accounts = yaml.safe_dump_all([*rights(), *yaml.safe_load_all(CHANGES.read_text())])
    folder = tmp_path_factory.mktemp("watched")
    with contextlib.ExitStack() as stack:
        there = stack.enter_context(control_plane.running(folder / "other-cluster", {}))
        for plane, names in ((cluster, NAMESPACES), (there, ("tarsy", BOTH))):
            for name in names:
                plane.enter(name, {"pod-security.kubernetes.io/enforce": "restricted"} if name == "strict" else {})
            plane.kubectl("apply", "-f", "-", text=accounts)
        abroad = stack.enter_context(linked(there.port))
        yield stack.enter_context(watching(cluster, there, abroad, folder))
    cluster.abandon(*NAMESPACES)
    cluster.kubectl("delete", "--ignore-not-found", "-f", "-", text=accounts)


def test_sessions_read_the_cluster_by_the_unmodified_server(watched: Watched) -> None:
    """The offline analyst finds the cause with the built-in configuration and the rights of mcp-gateway's account."""
    watched.create_there(pod("looked-at", {"fault": "crash-loop"}))
    fingerprint = f"us-1/{BOTH}/Pod/looked-at/BackOff"
    watched.wait_for(fingerprint)
    until("the session is over", lambda: watched.sessions(fingerprint)[0]["status"] == "completed", DEADLINE_SECONDS)
    session = watched.sessions(fingerprint)[0]["id"]
    found = json.loads(get(f"{watched.url}/api/v1/sessions/{session}/summary"))["final_analysis"]
    assert "looked-at" in found, found
    assert "was not called" not in found, found
    assert "No cause found" not in found, found


def test_each_of_two_clusters_has_sessions_and_changes_of_its_own(watched: Watched) -> None:
    """Of the namespace and the names that both have: what is in one of them is nothing of the other."""
    watched.create(pod("in-both", {"fault": "crash-loop"}), BOTH)
    watched.create_there(pod("in-both", {"fault": "crash-loop"}))
    watched.create(pod("here-alone", {"fault": "crash-loop"}), BOTH)
    watched.create_there(pod("there-alone", {"fault": "crash-loop"}))
    watched.wait_for(*(f"{cluster}/{BOTH}/Pod/in-both/BackOff" for cluster in ("eu-1", "us-1")))
    watched.wait_for(f"eu-1/{BOTH}/Pod/here-alone/BackOff", f"us-1/{BOTH}/Pod/there-alone/BackOff")
    deployments = f"/apis/apps/v1/namespaces/{BOTH}/deployments"
    for cluster in (watched.cluster, watched.there):
        cluster.create(deployments, deployment("exchange"))
    versions = itertools.count(2)

    def recorded(cluster: str) -> list[str]:
        found = watched.changes("Deployment/exchange")
        return [one["text"] for one in found if one["cluster"] == cluster and one["text"].startswith("image")]

    def is_recorded_here() -> bool:
        """The first image may come before a first list."""
        roll_out(watched.cluster, f"{deployments}/exchange", next(versions))
        return bool(recorded("eu-1"))

    until("a rollout is recorded", is_recorded_here)
    assert not recorded("us-1"), "nothing was rolled out there"

    def is_recorded_there() -> bool:
        roll_out(watched.there, f"{deployments}/exchange", next(versions))
        return bool(recorded("us-1"))

    until("a rollout of the other cluster is recorded", is_recorded_there)
    assert not watched.sessions(f"us-1/{BOTH}/Pod/here-alone/BackOff")
    assert not watched.sessions(f"eu-1/{BOTH}/Pod/there-alone/BackOff")


def test_a_slow_watch_loses_no_event(watched: Watched) -> None:
    """Over a link on which each piece of it takes its time."""
    with watched.abroad.slow(PIECE_SECONDS):
        watched.create_there(pod("far-away", {"fault": "crash-loop"}))
        watched.wait_for(f"us-1/{BOTH}/Pod/far-away/BackOff")


def test_a_cluster_that_is_lost_does_not_affect_the_other(watched: Watched) -> None:
    """The last test of this file sees it come back: meanwhile others run."""
    first = watched.token_file().read_text()
    second, _ = watched.bound_token("second-binding")
    watched.token_file().write_text(second)
    watched.there.delete(f"/api/v1/namespaces/tarsy/secrets/{BINDING}")
    events = f"/api/v1/namespaces/{BOTH}/events"
    until("the first token has expired", lambda: watched.there.ask("GET", events, token=first).status == 401)
    watched.abroad.lose()
    watched.create_there(pod("while-lost", {"fault": "crash-loop"}))
    watched.create(pod("while-lost", {"fault": "crash-loop"}), BOTH)
    watched.wait_for(f"eu-1/{BOTH}/Pod/while-lost/BackOff")


def test_what_fails_in_a_cluster_has_sessions(watched: Watched) -> None:
    watched.create(pod("healthy"))
    for fault in FAULTS:
        watched.create(pod(fault, {"fault": fault}))
    watched.create(pod("too-large", cpu="1000"))
    watched.wait_for(*(f"eu-1/shop/Pod/{fault}/{reason}" for fault, reason in FAULTS.items()))
    watched.wait_for("eu-1/shop/Pod/too-large/FailedScheduling")
    assert not watched.sessions("eu-1/shop/Pod/healthy/BackOff")


def roll_out(cluster: ControlPlane, path: str, version: int) -> None:
    """As `kubectl set image` does it."""
    container = {"name": "web", "image": f"registry.example.com/web:{version}"}
    body = {"spec": {"template": {"spec": {"containers": [container]}}}}
    cluster.patch(f"{path}?fieldManager=kubectl-set", body)


def test_what_changes_of_objects_is_recorded_without_their_values(watched: Watched) -> None:
    deployments = "/apis/apps/v1/namespaces/shop/deployments"
    watched.cluster.create(deployments, deployment("ledger"))
    versions = itertools.count(2)

    def is_recorded() -> bool:
        """Each time another image: the first may come before the first list, or in the second of the creation.

        Then it has the writer of that.
        """
        roll_out(watched.cluster, f"{deployments}/ledger", next(versions))
        newest = watched.changes("Deployment/ledger")[:1]
        return any((change["author"] or "").startswith("kubectl") for change in newest)

    until("a rollout is recorded", is_recorded)
    newest = watched.changes("Deployment/ledger")[0]
    assert (newest["kind"], newest["namespace"], newest["cluster"]) == ("deployment", "shop", "eu-1")
    assert newest["text"].startswith("image of web registry.example.com/web:")

    names = {"ConfigMap": ("configmaps", "configuration"), "Secret": ("secrets", "secret")}
    for kind, (plural, _) in names.items():
        text = {"stringData" if kind == "Secret" else "data": {"key": SECRET}}
        item = {"apiVersion": "v1", "kind": kind, "metadata": {"name": "prices"}, **text}
        watched.cluster.create(f"/api/v1/namespaces/shop/{plural}", item)
    for kind, (plural, of_change) in names.items():
        name = f"{kind}/prices"
        until(f"{name} is seen", lambda name=name: watched.changes(name))
        body = {"metadata": {"annotations": {"written": "again"}}}
        watched.cluster.patch(f"/api/v1/namespaces/shop/{plural}/prices", body)
        until(
            "its next version is recorded",
            lambda name=name: any("another version" in text for text in watched.texts(name)),
        )
        assert {change["kind"] for change in watched.changes(name)} == {of_change}
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
    before = len(watched.log())
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

    def began_again() -> bool:
        """The watch of the events; others of the same process do, too."""
        lines = watched.log()[before:].splitlines()
        return any("the watch ended, and begins again" in line and "too old" in line for line in lines)

    until("the watch was answered that its version is gone (410)", began_again)


def test_a_burst_of_events_costs_no_memory_and_makes_no_session_twice(watched: Watched) -> None:
    """Most versions are of events that are counted, some are events of their own; three are about pods of which there is one event."""
    pods = [f"storm-{number}" for number in range(PODS)]
    needles = {VERSIONS // 4: "first-needle", VERSIONS // 2: "second-needle", VERSIONS - 1: "last-needle"}

    def version(number: int) -> Object:
        if number in needles:
            return back_off(f"{needles[number]}.1", needles[number], 1)
        place, count = number % 100, number // 100 + 1
        return back_off(f"event-{place}" if place < COUNTED else f"event-{place}-{count}", pods[place % PODS], count)

    before = watched.most_memory()
    # Nothing is taken meanwhile.
    watched.tarsy.send_signal(signal.SIGSTOP)
    try:
        watched.cluster.write_events([version(number) for number in range(VERSIONS)])
    finally:
        watched.tarsy.send_signal(signal.SIGCONT)
    reasons = [f"eu-1/shop/Pod/{name}/BackOff" for name in (*pods, *needles.values())]
    # The last version is sent last.
    for reason in reversed(reasons):
        watched.wait_for(reason)
    assert {len(watched.sessions(reason)) for reason in reasons} == {1}
    assert watched.most_memory() - before < MEMORY


def test_a_connection_that_was_lost_without_a_word_and_a_token_that_was_replaced_lose_no_event(
    watched: Watched,
) -> None:
    fingerprint = f"us-1/{BOTH}/Pod/while-lost/BackOff"
    until(
        "the watcher connects again, with the token of the file",
        lambda: watched.sessions(fingerprint),
        DEADLINE_SECONDS,
    )

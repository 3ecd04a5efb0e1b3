"""An installation of TARSy on the control plane: what stands in its namespace before, and when it is complete."""

from pathlib import Path

import yaml
from control_plane import STEP_SECONDS, ControlPlane
from inventory import everything, still_there
from manifests import NEEDED, ROOT, VALUES, Object, read
from running import until

SECRETS = ROOT / "deploy/kubernetes/secret.example.yaml"
RESTRICTED = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn", "audit")}
PRIVILEGED = {"pod-security.kubernetes.io/enforce": "privileged"}
# What docs/install says of an installation that was removed: the storage of NATS.
LEFT = "/persistentvolumeclaims/{namespace}/data-nats-"


def namespace(name: str, labels: dict[str, str]) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def quota() -> Object:
    """What many clusters demand of a namespace: each container says what it needs, and how much memory it may use."""
    hard = {
        "requests.cpu": "100",
        "requests.memory": "200Gi",
        "limits.memory": "400Gi",
        "requests.ephemeral-storage": "200Gi",
        "pods": "200",
        "persistentvolumeclaims": "20",
    }
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "of-the-cluster"}, "spec": {"hard": hard}}


def secrets(name: str) -> str:
    """The template of the secrets, for a namespace."""
    found = [one for one in read(SECRETS.read_text()) if one["metadata"]["namespace"] == "tarsy"]
    for one in found:
        one["metadata"]["namespace"] = name
    return yaml.safe_dump_all(found)


def workloads(cluster: ControlPlane, name: str) -> list[Object]:
    return [
        one
        for kind in ("deployments", "statefulsets", "daemonsets")
        for one in cluster.get(f"/apis/apps/v1/namespaces/{name}/{kind}")["items"]
    ]


def is_complete(item: Object) -> bool:
    """Whether every pod that an object wants is of its newest template, and ready."""
    status = item.get("status", {})
    if "desiredNumberScheduled" in status:
        wanted, ready = status["desiredNumberScheduled"], status.get("numberReady", 0)
        updated = status.get("updatedNumberScheduled", 0)
    else:
        wanted, ready = item["spec"]["replicas"], status.get("readyReplicas", 0)
        updated = status.get("updatedReplicas", 0)
    observed = status.get("observedGeneration") == item["metadata"]["generation"]
    return observed and wanted == ready == updated > 0


def wait_for_workloads(cluster: ControlPlane, name: str, least: int = 8) -> None:
    def unready() -> list[str]:
        return [one["metadata"]["name"] for one in workloads(cluster, name) if not is_complete(one)]

    try:
        until("the workloads are complete", lambda: not unready(), every=0.2)
    except AssertionError as error:
        error.add_note(f"{unready()} are not; {complaints(cluster, name)}")
        raise
    assert len(workloads(cluster, name)) >= least


def complaints(cluster: ControlPlane, name: str) -> list[str]:
    """Which pods of a namespace its controllers could not make, and why."""
    events = cluster.get(f"/api/v1/namespaces/{name}/events")["items"]
    # Two pods that were made at once took of the quota: the controller tries again, and nobody has to do anything.
    conflict = "please apply your changes to the latest version and try again"
    warnings = [one for one in events if one["reason"] == "FailedCreate" and conflict not in one["message"]]
    return [f"{one['involvedObject']['name']}: {one['message']}" for one in warnings]


def wait_until_gone(cluster: ControlPlane, before: set[str], documented: str = "") -> None:
    """Waits until nothing is there but what was before, and what the documentation says."""

    def left() -> set[str]:
        return {one for one in everything(cluster) - before if not documented or not one.startswith(documented)}

    waiting = left()

    def are_gone() -> bool:
        nonlocal waiting
        waiting = still_there(cluster, waiting)
        return not waiting

    while waiting:
        until(f"{sorted(waiting)} are gone", are_gone, every=0.3)
        waiting = left()


def make_secrets(cluster: ControlPlane, name: str) -> None:
    for one in read(secrets(name)):
        cluster.create(f"/api/v1/namespaces/{name}/secrets", one)


def is_complete_job(cluster: ControlPlane, name: str, job: str) -> bool:
    conditions = cluster.get(f"/apis/batch/v1/namespaces/{name}/jobs/{job}").get("status", {}).get("conditions") or []
    return any(one["type"] == "Complete" and one["status"] == "True" for one in conditions)


def prepare(cluster: ControlPlane, name: str) -> set[str]:
    """Makes a namespace with what docs/install says, and answers with all that is there before an installation."""
    cluster.create("/api/v1/namespaces", namespace(name, RESTRICTED))
    make_secrets(cluster, name)
    cluster.create(f"/api/v1/namespaces/{name}/resourcequotas", quota())
    root = f"/api/v1/namespaces/{name}/configmaps/kube-root-ca.crt"
    until("the namespace has the authority of the cluster", lambda: cluster.ask("GET", root).status == 200)
    path = f"/api/v1/namespaces/{name}/resourcequotas/of-the-cluster"
    until("the quota is known", lambda: cluster.get(path).get("status", {}).get("used"))
    return everything(cluster)


def install(chart: Path, name: str, values: str) -> list[str | Path]:
    """The arguments of helm for a set of values."""
    options = ["--namespace", name, "--values", NEEDED, "--values", VALUES / f"{values}.yaml"]
    return ["upgrade", "--install", "tarsy", chart, *options, "--wait", "--timeout", f"{STEP_SECONDS}s"]


def uninstall(cluster: ControlPlane, name: str, before: set[str]) -> None:
    cluster.helm("uninstall", "tarsy", "--namespace", name, "--wait", "--timeout", f"{STEP_SECONDS}s")
    wait_until_gone(cluster, before, LEFT.format(namespace=name))


def make_hosts(cluster: ControlPlane) -> None:
    """The namespace of the host inspectors, as the documentation makes it."""
    answer = cluster.ask("POST", "/api/v1/namespaces", namespace("tarsy-hosts", PRIVILEGED))
    assert answer.status in (201, 409), answer

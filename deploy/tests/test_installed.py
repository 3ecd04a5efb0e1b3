"""The chart and the overlays on a real API server: what it admits and defaults, what an upgrade changes, and what is left.

kwok says that pods are ready and jobs complete: that the programs in them run is not tested here.
"""

import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from control_plane import STEP_SECONDS, ControlPlane
from inventory import everything, generations
from manifests import CHART, KUBECTL, NEEDED, OVERLAYS, ROOT, VALUES, Object, read

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

    end = time.monotonic() + STEP_SECONDS
    while waiting := unready():
        assert time.monotonic() < end, (waiting, complaints(cluster, name))
        time.sleep(0.2)
    assert len(workloads(cluster, name)) >= least


def complaints(cluster: ControlPlane, name: str) -> list[str]:
    """Which pods of a namespace its controllers could not make, and why."""
    events = cluster.get(f"/api/v1/namespaces/{name}/events")["items"]
    warnings = [one for one in events if one["reason"] == "FailedCreate"]
    return [f"{one['involvedObject']['name']}: {one['message']}" for one in warnings]


def wait_until_gone(cluster: ControlPlane, before: set[str], documented: str = "") -> None:
    """Waits until nothing is there but what was before, and what the documentation says."""
    end = time.monotonic() + STEP_SECONDS
    while left := [one for one in everything(cluster) - before if not documented or not one.startswith(documented)]:
        assert time.monotonic() < end, sorted(left)
        time.sleep(0.3)


@pytest.fixture(scope="module")
def hosts(cluster: ControlPlane) -> None:
    """The namespace of the host inspectors, as the documentation makes it."""
    cluster.kubectl("apply", "-f", "-", text=yaml.safe_dump(namespace("tarsy-hosts", PRIVILEGED)))


@pytest.fixture
def tarsy(cluster: ControlPlane) -> Iterator[str]:
    """The namespace of the overlays, gone after the test."""
    yield "tarsy"
    cluster.kubectl("delete", "namespace", "tarsy", "--ignore-not-found", "--timeout=90s")


@pytest.mark.parametrize("values", sorted(path.stem for path in VALUES.glob("*.yaml")))
@pytest.mark.usefixtures("hosts")
def test_the_chart_is_installed_upgraded_and_removed(cluster: ControlPlane, values: str) -> None:
    name = f"chart-{values}"
    cluster.kubectl("apply", "-f", "-", text=yaml.safe_dump(namespace(name, RESTRICTED)))
    cluster.kubectl("apply", "-f", "-", text=secrets(name))
    cluster.kubectl("apply", "--namespace", name, "-f", "-", text=yaml.safe_dump(quota()))
    cluster.get(f"/api/v1/namespaces/{name}/configmaps/kube-root-ca.crt")
    before = everything(cluster)
    options = ["--namespace", name, "--values", NEEDED, "--values", VALUES / f"{values}.yaml"]
    install = ["upgrade", "--install", "tarsy", CHART, *options, "--wait", "--timeout", f"{STEP_SECONDS}s"]

    cluster.helm(*install)
    wait_for_workloads(cluster, name)
    first = generations(cluster, name)
    assert len(first) > 40
    used = cluster.get(f"/api/v1/namespaces/{name}/resourcequotas/of-the-cluster")["status"]["used"]
    assert int(used["pods"]) >= 8, used

    # That the doctor finds nothing is tested elsewhere: no pod runs here.
    cluster.helm("test", "tarsy", "--namespace", name, "--timeout", f"{STEP_SECONDS}s")

    # What did not change is not touched: no pod starts again.
    cluster.helm(*install)
    again = generations(cluster, name)
    changed = {one for one in again if again[one] != first.get(one) and not one.startswith(("jobs/", "pods/"))}
    assert not changed - {one for one in changed if one.startswith("secrets/sh.helm.release")}

    # What did change is rolled out.
    if values == "plain":
        cluster.helm(*install, "--set", "config.tarsy.system.dashboard_url=https://other.example.com")
        wait_for_workloads(cluster, name)
        assert generations(cluster, name)["deployments/orchestrator"] > first["deployments/orchestrator"]
    assert not complaints(cluster, name)

    cluster.helm("uninstall", "tarsy", "--namespace", name, "--wait", "--timeout", f"{STEP_SECONDS}s")
    wait_until_gone(cluster, before, LEFT.format(namespace=name))


@pytest.mark.parametrize("overlay", sorted(path.name for path in OVERLAYS.iterdir()))
def test_an_overlay_is_applied_and_removed(cluster: ControlPlane, overlay: str, tarsy: str) -> None:
    apply_and_remove(cluster, OVERLAYS / overlay, tarsy)


def test_the_optional_folders_are_applied_and_removed(cluster: ControlPlane, tarsy: str, tmp_path: Path) -> None:
    """The Kubernetes server as a pod, the watcher and the backup, uncommented in the overlay as its comments say."""
    for name in ("kubernetes", "nats"):
        shutil.copytree(ROOT / "deploy" / name, tmp_path / name)
    file = tmp_path / "kubernetes/overlays/plain/kustomization.yaml"
    text = re.sub(r"^( *)# ((?: *)- \.\./\.\./|components:)", r"\1\2", file.read_text(), flags=re.MULTILINE)
    file.write_text(text.replace("resources:\n", "resources:\n  - ../../backup\n", 1))
    apply_and_remove(cluster, file.parent, tarsy, least=11)


def apply_and_remove(cluster: ControlPlane, folder: Path, tarsy: str, least: int = 8) -> None:
    before = everything(cluster)
    cluster.kubectl("apply", "--server-side", "-f", "-", text=yaml.safe_dump(namespace(tarsy, RESTRICTED)))
    # The overlay for one machine makes its own.
    if folder.name != "development":
        cluster.kubectl("apply", "-f", "-", text=secrets(tarsy))
    cluster.kubectl("apply", "-k", folder)
    cluster.kubectl("-n", tarsy, "wait", "--for=condition=complete", "job/migrate", f"--timeout={STEP_SECONDS}s")
    wait_for_workloads(cluster, tarsy, least)
    assert not complaints(cluster, tarsy)

    # The API server keeps what was applied, so that the next apply changes nothing.
    done = cluster.run(KUBECTL, "diff", "-k", folder)
    assert done.returncode == 0, done.stdout + done.stderr

    # A namespace that has pods and claims looks after them every eight seconds.
    cluster.kubectl("-n", tarsy, "delete", "deployments,statefulsets,jobs,pvc", "--all", "--cascade=foreground")
    cluster.kubectl("delete", "-k", folder, "--ignore-not-found", "--wait=false")
    wait_until_gone(cluster, before)

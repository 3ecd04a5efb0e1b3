"""The chart and the overlays on a real API server: what it admits and defaults, what an upgrade changes, and what is left.

kwok says that pods are ready and jobs complete: that the programs in them run is not tested here.
"""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from control_plane import STEP_SECONDS, ControlPlane
from installation import (
    RESTRICTED,
    complaints,
    install,
    is_complete_job,
    make_hosts,
    make_secrets,
    prepare,
    uninstall,
    wait_for_workloads,
    wait_until_gone,
)
from inventory import everything, generations
from manifests import CHART, KUBECTL, OVERLAYS, ROOT, VALUES
from reader import KUBERNETES, OPENSHIFT, Reader
from running import until


@pytest.fixture(scope="module")
def hosts(cluster: ControlPlane) -> None:
    make_hosts(cluster)


@pytest.fixture
def reader(cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return Reader(cluster, tmp_path_factory.mktemp("reader"))


@pytest.fixture
def tarsy(cluster: ControlPlane) -> Iterator[str]:
    """The namespace of the overlays, which is not there before and after the test."""

    def is_gone() -> bool:
        return cluster.ask("GET", "/api/v1/namespaces/tarsy").status == 404

    until("no test before has the namespace", is_gone)
    yield "tarsy"
    # The test may have failed before it removed it.
    cluster.ask("DELETE", "/api/v1/namespaces/tarsy")
    until("the namespace is gone", is_gone)


def unmatched(cluster: ControlPlane, name: str) -> list[str]:
    """Budgets that no pod falls under, or under which none may be moved, and autoscalers whose target is not there."""
    budgets = cluster.get(f"/apis/policy/v1/namespaces/{name}/poddisruptionbudgets")["items"]
    scalers = cluster.get(f"/apis/autoscaling/v2/namespaces/{name}/horizontalpodautoscalers")["items"]
    assert budgets
    wrong = [one for one in budgets if not one["status"].get("expectedPods") or not one["status"]["disruptionsAllowed"]]
    for one in scalers:
        conditions = {item["type"]: item["status"] for item in one.get("status", {}).get("conditions") or []}
        if conditions.get("AbleToScale") != "True":
            wrong.append(one)
    return [f"{one['metadata']['name']}: {one.get('status')}" for one in wrong]


@pytest.mark.parametrize("values", sorted(path.stem for path in VALUES.glob("*.yaml")))
@pytest.mark.usefixtures("hosts")
def test_the_chart_is_installed_upgraded_and_removed(cluster: ControlPlane, values: str) -> None:
    name = f"chart-{values}"
    before = prepare(cluster, name)
    command = install(CHART, name, values)
    cluster.helm(*command)
    wait_for_workloads(cluster, name)
    used = cluster.get(f"/api/v1/namespaces/{name}/resourcequotas/of-the-cluster")["status"]["used"]
    assert int(used["pods"]) >= 8, used

    until("budgets and autoscalers have found their pods", lambda: not unmatched(cluster, name))
    # An autoscaler brings a workload to its least number of pods.
    wait_for_workloads(cluster, name)
    first = generations(cluster, name)
    assert len(first) > 40
    # That the doctor finds nothing is tested elsewhere: no pod runs here.
    cluster.helm("test", "tarsy", "--namespace", name, "--timeout", f"{STEP_SECONDS}s")

    # What did not change is not touched: no pod starts again.
    cluster.helm(*command)
    again = generations(cluster, name)
    changed = {one for one in again if again[one] != first.get(one) and not one.startswith(("jobs/", "pods/"))}
    assert not changed - {one for one in changed if one.startswith("secrets/sh.helm.release")}

    # What did change is rolled out.
    if values == "plain":
        cluster.helm(*command, "--set", "config.tarsy.system.dashboard_url=https://other.example.com")
        wait_for_workloads(cluster, name)
        assert generations(cluster, name)["deployments/orchestrator"] > first["deployments/orchestrator"]
    assert not complaints(cluster, name)

    uninstall(cluster, name, before)


# The steps of pages that apply an overlay.
PAGES = {
    "plain": ("overlays/plain\n", KUBERNETES),
    "development": ("overlays/development", KUBERNETES),
    "openshift": ("overlays/openshift", OPENSHIFT),
}


@pytest.mark.parametrize("overlay", sorted(path.name for path in OVERLAYS.iterdir()))
def test_an_overlay_is_applied_and_removed(reader: Reader, overlay: str, tarsy: str) -> None:
    apply_and_remove(reader, OVERLAYS / overlay, tarsy)


def test_the_optional_folders_are_applied_and_removed(reader: Reader, tarsy: str, tmp_path: Path) -> None:
    """The Kubernetes server as a pod, the watcher and the backup, uncommented in the overlay as its comments say."""
    for name in ("kubernetes", "nats"):
        shutil.copytree(ROOT / "deploy" / name, tmp_path / name)
    folder = tmp_path / "kubernetes/overlays/optional"
    (tmp_path / "kubernetes/overlays/plain").rename(folder)
    file = folder / "kustomization.yaml"
    text = re.sub(r"^( *)# ((?: *)- \.\./\.\./|components:)", r"\1\2", file.read_text(), flags=re.MULTILINE)
    file.write_text(text.replace("resources:\n", "resources:\n  - ../../backup\n", 1))
    # The server as a pod has the rights that mcp-gateway had.
    apply_and_remove(reader, folder, tarsy, 11, {"kubernetes-server": True, "mcp-gateway": False})


def apply_and_remove(
    reader: Reader, folder: Path, tarsy: str, least: int = 8, readers: dict[str, bool] | None = None
) -> None:
    """Tries whether accounts may list pods of the whole cluster, too."""
    cluster = reader.cluster
    before = everything(cluster)
    cluster.enter(tarsy, RESTRICTED)
    # The overlay for one machine makes its own.
    if folder.name != "development":
        make_secrets(cluster, tarsy)
    # As its page says, if one does.
    if folder.name in PAGES:
        reader.enter(tarsy)
        reader.follow(*PAGES[folder.name])
    else:
        cluster.kubectl("apply", "-k", folder)
    until("the database is migrated", lambda: is_complete_job(cluster, tarsy, "migrate"))
    wait_for_workloads(cluster, tarsy, least)
    assert not complaints(cluster, tarsy)
    for account, may in (readers or {}).items():
        token = cluster.account_token(tarsy, account)
        assert cluster.ask("GET", "/api/v1/pods?limit=1", token=token).status == (200 if may else 403), account

    # The API server keeps what was applied, so that the next apply changes nothing.
    done = cluster.run(KUBECTL, "diff", "-k", folder)
    assert done.returncode == 0, done.stdout + done.stderr

    # A namespace that has pods and claims looks after them every eight seconds.
    cluster.kubectl("-n", tarsy, "delete", "deployments,statefulsets,jobs,pvc", "--all", "--cascade=foreground")
    cluster.kubectl("delete", "-k", folder, "--ignore-not-found", "--wait=false")
    wait_until_gone(cluster, before)

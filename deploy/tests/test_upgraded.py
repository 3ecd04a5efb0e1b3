"""An installation of the chart before becomes one of this chart by `helm upgrade`: what is kept, replaced and left."""

from pathlib import Path
from typing import Any

import pytest
from control_plane import ControlPlane
from installation import complaints, install, make_hosts, prepare, uninstall, wait_for_workloads
from inventory import installed
from manifests import CHART, ROOT, Object, read, title
from running import until

# As `helm package` made it, by its version; `make release-schema` adds that of a release. That of 2026-11-26 has what came before
# the first release: no certificates between NATS servers, no doctor, a migration job that stays.
CHARTS = list((ROOT / "deploy/tests/charts").glob("tarsy-*.tgz"))


def version(chart: Path) -> tuple[list[int], bool]:
    numbers, _, before = chart.stem.removeprefix("tarsy-").partition("-")
    return [int(one) for one in numbers.split(".")], not before


PREVIOUS = max(CHARTS, key=version)
# What an object keeps for its life, or what its pods are found by.
FIXED = ("selector", "serviceName", "volumeClaimTemplates", "podManagementPolicy", "clusterIP", "roleRef")
COLLECTIONS = (
    *(f"apis/apps/v1/{{}}/{kind}" for kind in ("deployments", "statefulsets", "daemonsets")),
    *(f"api/v1/{{}}/{kind}" for kind in ("services", "persistentvolumeclaims", "secrets", "serviceaccounts")),
    "apis/policy/v1/{}/poddisruptionbudgets",
)


def kept(cluster: ControlPlane, name: str) -> dict[str, Any]:
    """By collection and name: the identity of each object, what of it is fixed, and what a person wrote into it."""
    found: dict[str, Any] = {}
    for collection in COLLECTIONS:
        for one in cluster.get("/" + collection.format(f"namespaces/{name}"))["items"]:
            metadata, spec = one["metadata"], one.get("spec", {})
            # The records of Helm.
            if one.get("type") != "helm.sh/release.v1":
                fixed = {key: spec[key] for key in FIXED if key in spec}
                found[f"{collection}/{metadata['name']}"] = (metadata["uid"], fixed, one.get("data"))
    return found


def expected(cluster: ControlPlane, name: str) -> set[str]:
    """What this chart makes, but for hooks."""
    return {title(one) for one in read(cluster.helm("get", "manifest", "tarsy", "--namespace", name))}


def events(cluster: ControlPlane, name: str, about: str, reason: str) -> list[Object]:
    found = cluster.get(f"/api/v1/namespaces/{name}/events")["items"]
    return [one for one in found if one["involvedObject"]["name"] == about and one["reason"] == reason]


def newest_replica_set(cluster: ControlPlane, name: str, deployment: str) -> str:
    """When the pods of this version of a deployment began."""
    path = f"/apis/apps/v1/namespaces/{name}/replicasets?labelSelector=app.kubernetes.io/name%3D{deployment}"
    return max(one["metadata"]["creationTimestamp"] for one in cluster.get(path)["items"])


@pytest.mark.parametrize("values", ["everything", "plain"])
def test_an_installation_of_the_chart_before_is_upgraded(cluster: ControlPlane, values: str) -> None:
    make_hosts(cluster)
    name = f"before-{values}"
    before = prepare(cluster, name)
    cluster.helm(*install(PREVIOUS, name, values))
    wait_for_workloads(cluster, name)
    old = kept(cluster, name)
    assert len(old) > 20
    assert any(one.startswith("api/v1/{}/persistentvolumeclaims/data-nats-0") for one in old)

    cluster.helm(*install(CHART, name, values))
    wait_for_workloads(cluster, name)
    assert not complaints(cluster, name)
    new = kept(cluster, name)
    assert {one: new.get(one) for one in old} == old
    assert installed(cluster) == expected(cluster, name)

    # The hook ran once for each, before the pods of its version, and none is left; outside of a hook the old job is replaced.
    hooked = values == "plain"

    def runs() -> dict[str, str]:
        """When each job of the hook was complete; events are written a little later than what they are about."""
        found = events(cluster, name, "migrate", "Completed")
        return {one["involvedObject"]["uid"]: one["lastTimestamp"] for one in found}

    until("the hook ran for each version", lambda: len(runs()) == (2 if hooked else 0))
    jobs = [one["metadata"]["name"] for one in cluster.get(f"/apis/batch/v1/namespaces/{name}/jobs")["items"]]
    assert len(jobs) == (0 if hooked else 1), jobs
    if hooked:
        assert max(runs().values()) <= newest_replica_set(cluster, name, "orchestrator")

    uninstall(cluster, name, before)

"""kube-score finds nothing in the objects of the chart and the overlays but what is left out here, with its reason."""

import functools
import json
import subprocess

import pytest
from manifests import ROOT, SOURCES, objects, written

KUBE_SCORE = ROOT / ".tarsy/tools/bin/kube-score"
# The newest version whose rules kube-score has.
VERSION = "v1.34"
LEFT_OUT = {
    "container-image-pull-policy": "images have versions, and nodes need not ask the registry at each start",
    "container-security-context-user-group-id": "the platform chooses the user, as OpenShift does; runAsNonRoot is set",
    "deployment-has-host-podantiaffinity": "topologySpreadConstraints say the same",
    "statefulset-has-host-podantiaffinity": "topologySpreadConstraints say the same",
}
# By object and check: what is true of one object alone.
EXPECTED = {
    ("NetworkPolicy/postgresql", "networkpolicy-targets-pod"): "the operator makes the pods of PostgreSQL",
    ("Deployment/stream-relay", "deployment-replicas"): "the autoscaler decides",
}

# Of the overlay for one machine, which has one process of each service.
OF_DEVELOPMENT = {
    ("Deployment/api-gateway", "deployment-replicas"),
    ("Deployment/llm-service", "deployment-replicas"),
}


@functools.cache
def findings(source: tuple[str, str]) -> set[tuple[str, str]]:
    """What is not good: the object and the check."""
    ignored = [part for name in LEFT_OUT for part in ("--ignore-test", name)]
    done = subprocess.run(
        [
            *(
                str(KUBE_SCORE),
                "score",
                "--kubernetes-version",
                VERSION,
                "--output-format",
                "json",
                "--output-version",
                "v2",
            ),
            # A limit of processors slows a process down that is alone on its node.
            "--ignore-container-cpu-limit",
            *ignored,
            "-",
        ],
        input=written(objects(source)),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    # It ends with 1 if it finds something.
    assert done.returncode in (0, 1), done.stderr
    scored = json.loads(done.stdout)
    assert len(scored) > 10
    return {
        (f"{item['type_meta']['kind']}/{item['object_meta']['name']}", check["check"]["id"])
        for item in scored
        for check in item["checks"]
        if not check["skipped"] and check["grade"] < 10
    }


@pytest.mark.parametrize("source", SOURCES, ids="-".join)
def test_kube_score_finds_nothing_that_is_not_meant(source: tuple[str, str]) -> None:
    expected = set(EXPECTED) | (OF_DEVELOPMENT if source == ("overlay", "development") else set())
    assert findings(source) - expected == set()


def test_nothing_is_excused_that_is_not_there() -> None:
    found = {finding for source in SOURCES for finding in findings(source)}
    assert set(EXPECTED) <= found

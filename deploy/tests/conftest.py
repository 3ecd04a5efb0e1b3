"""The control plane of Kubernetes that tests share, with the custom resource definitions of the operators that the chart names."""

import re
from collections.abc import Iterator

import control_plane
import pytest
from control_plane import ControlPlane
from faults import faults, healthy
from manifests import definitions
from running import until

# What was installed where a test passed, by its name.
INSTALLED = {
    "test_the_chart_is_installed_upgraded_and_removed": "helm, values",
    "test_an_installation_of_the_chart_before_is_upgraded": "helm, from the chart before, values",
    "test_an_overlay_is_applied_and_removed": "kustomize, overlays",
}
# The versions of the control planes that ran.
VERSIONS: list[str] = []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Names what was installed on the control plane."""
    found: dict[str, list[str]] = {}
    for report in terminalreporter.getreports("passed"):
        test = re.search(r"::(\w+)\[(.+)\]$", report.nodeid)
        if report.when == "call" and test and test[1] in INSTALLED:
            found.setdefault(INSTALLED[test[1]], []).append(test[2])
    for how, names in found.items():
        terminalreporter.write_line(f"installed on Kubernetes {', '.join(VERSIONS)} by {how}: {', '.join(names)}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what runs on the control plane, and lets it run last: the control plane costs something even when nobody asks it."""
    for item in items:
        if isinstance(item, pytest.Function) and "cluster" in item.fixturenames:
            item.add_marker(pytest.mark.cluster)
    items.sort(key=lambda item: item.get_closest_marker("cluster") is not None)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    # The server of logs reads where they are when it starts.
    logs = {one.name: one.log for one in (*faults(), *healthy()) if one.log}
    with control_plane.running(tmp_path_factory.mktemp("control-plane"), logs) as plane:
        if control_plane.VERSION:
            assert plane.get("/version")["gitVersion"] == f"v{control_plane.VERSION}"
        VERSIONS.append(plane.get("/version")["gitVersion"])
        _define(plane)
        yield plane


def _define(plane: ControlPlane) -> None:
    published = definitions()
    for one in published:
        # Without a conversion by a server of the operator, which does not run.
        one["spec"].pop("conversion", None)
        plane.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", one)
    for one in published:
        name = one["metadata"]["name"]
        path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}"

        def is_established(path: str = path) -> bool:
            conditions = plane.get(path).get("status", {}).get("conditions") or []
            return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)

        until(f"{name} is established", is_established)

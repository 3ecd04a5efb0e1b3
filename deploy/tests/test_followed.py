"""The pages about Kubernetes and OpenShift are followed: their commands run on the control plane, in the order of a reader.

Those that apply an overlay run in test_installed.py.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from control_plane import ControlPlane
from installation import wait_for_workloads, wait_until_gone
from inventory import everything
from reader import BLOCKS, OPENSHIFT, STEPS, Reader, found
from running import until


@pytest.fixture
def reader(cluster: ControlPlane, tmp_path: Path) -> Iterator[Reader]:
    until("no test before has it", lambda: cluster.ask("GET", "/api/v1/namespaces/tarsy").status == 404)
    yield Reader(cluster, tmp_path)
    cluster.kubectl("delete", "namespace", "tarsy", "tarsy-hosts", "--ignore-not-found", "--timeout=90s")


# What Helm leaves in a namespace, as the page says, and what each namespace has.
LEFT = frozenset(("secrets", "configmaps", "serviceaccounts"))


def kinds(titles: set[str], namespace: str) -> set[str]:
    parts = [one.split("/") for one in titles]
    return {part[1] for part in parts if part[2] == namespace}


def remove(cluster: ControlPlane, before: set[str], *namespaces: str) -> None:
    for name in namespaces:
        cluster.delete(f"/api/v1/namespaces/{name}")
    wait_until_gone(cluster, before)


def test_every_command_that_needs_a_cluster_has_a_step() -> None:
    steps = [found(page, step) for page, steps in STEPS.items() for step in steps]
    assert sorted(map(str, steps)) == sorted(map(str, BLOCKS))


def test_the_page_about_kubernetes_is_followed_with_helm(reader: Reader) -> None:
    cluster = reader.cluster
    cluster.kubectl("delete", "namespace", "tarsy-hosts", "--ignore-not-found", "--timeout=90s")
    before = everything(cluster)
    # The template of the secrets has one for that namespace.
    for step in ("create namespace tarsy-hosts", "secret.example.yaml", "nats-certificates"):
        reader.follow(step)
    reader.write_values()
    reader.follow("helm upgrade")
    wait_for_workloads(cluster, "tarsy")
    assert cluster.get("/apis/networking.k8s.io/v1/namespaces/tarsy/ingresses/tarsy")
    assert "api-gateway" in reader.follow("policies --rm")
    reader.follow("helm uninstall")
    until("the page says what is left", lambda: kinds(everything(cluster) - before, "tarsy") <= LEFT)
    remove(cluster, before, "tarsy", "tarsy-hosts")


def test_the_page_about_openshift_is_followed_with_helm(reader: Reader) -> None:
    cluster = reader.cluster
    before = everything(cluster)
    reader.write_secrets()
    reader.follow("new-project", OPENSHIFT)
    # A Route stands in the place of the Ingress.
    reader.write_values("ingress")
    reader.follow("helm upgrade", OPENSHIFT)
    wait_for_workloads(cluster, "tarsy")
    assert cluster.get("/apis/route.openshift.io/v1/namespaces/tarsy/routes/tarsy")
    reader.follow("clusterrolebinding", OPENSHIFT)
    cluster.delete("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/alertmanager-tarsy")
    reader.follow("helm uninstall")
    remove(cluster, before, "tarsy")

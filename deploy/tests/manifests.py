"""Renders the chart and the overlays, and reads what they make."""

import functools
import json
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
HELM = ROOT / ".tarsy/kube/helm"
KUBECTL = ROOT / ".tarsy/kube/kubectl"
CHART = ROOT / "deploy/helm/tarsy"
VALUES = ROOT / "deploy/helm/values"
NEEDED = ROOT / "deploy/tests/values.yaml"
OVERLAYS = ROOT / "deploy/kubernetes/overlays"
# Custom resource definitions out of the operators' own modules, by the set-up.
DEFINITIONS = ROOT / ".tarsy/tools/crds"

Object = dict[str, Any]


def run(*command: str | Path) -> str:
    """The output of a program that must succeed."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"{command[0]}: {done.stderr}"
    return done.stdout


def load(text: str) -> Any:
    """The value of a document, by the parser in C, which takes a tenth of the time."""
    return yaml.load(text, yaml.CSafeLoader)


def read(text: str) -> list[Object]:
    return [one for one in yaml.load_all(text, yaml.CSafeLoader) if one]


def written(objects: Iterable[Object]) -> str:
    return yaml.dump_all(objects, Dumper=yaml.CSafeDumper)


def template(values: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [
        HELM,
        "template",
        "tarsy",
        CHART,
        "--namespace",
        "tarsy",
        "--kube-version",
        "1.37.0",
        "--values",
        NEEDED,
        "--values",
        VALUES / f"{values}.yaml",
        *arguments,
    ]
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120, check=False)


@functools.cache
def chart(values: str) -> tuple[Object, ...]:
    """The objects of the chart with one of the files of deploy/helm/values."""
    done = template(values)
    assert done.returncode == 0, done.stderr
    return tuple(read(done.stdout))


@functools.cache
def overlay(name: str) -> tuple[Object, ...]:
    return tuple(read(run(KUBECTL, "kustomize", OVERLAYS / name)))


SOURCES = [
    *[("chart", path.stem) for path in sorted(VALUES.glob("*.yaml"))],
    *[("overlay", path.name) for path in sorted(OVERLAYS.iterdir())],
]


def objects(source: tuple[str, str]) -> tuple[Object, ...]:
    kind, name = source
    return chart(name) if kind == "chart" else overlay(name)


def is_of_kubernetes(item: Object) -> bool:
    """Whether the API server knows an object without the definition of an operator."""
    group = item["apiVersion"].rpartition("/")[0]
    return "." not in group or group.endswith(".k8s.io")


def definitions() -> list[Object]:
    """What operators and OpenShift publish of their kinds."""
    found = [load(path.read_text()) for path in sorted(DEFINITIONS.glob("*.yaml"))]
    assert found, f"{DEFINITIONS} is empty: deploy/scripts/setup.sh deploy"
    return found


def title(item: Object) -> str:
    return f"{item['kind']}/{item['metadata']['name']}"


def pod_of(item: Object) -> Object | None:
    """The pod that an object makes."""
    if item["kind"] in ("Deployment", "StatefulSet", "DaemonSet", "Job"):
        return item["spec"]["template"]["spec"]
    return None


# What Helm and kustomize add by themselves, and the labels by which releases differ.
_LABELS = ("app.kubernetes.io/instance", "app.kubernetes.io/version", "app.kubernetes.io/managed-by", "helm.sh/chart")
# The hash that kustomize adds to the names of generated objects.
_HASHED = re.compile(r"^(nats-config|oauth2-proxy)-[a-z0-9]{10}$")
# Lists whose order means nothing; that of variables does.
_SETS = ("containers", "volumes", "volumeMounts", "ports")


def normal(item: Object) -> Object:
    """An object without what the two tools do differently on purpose."""
    return _normal_object(_normal(item))


def _normal(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        # A service's own name is its label; kustomize sets it on pods only.
        pairs = {
            name: _normal(one, name)
            for name, one in value.items()
            if name not in _LABELS and not name.startswith("checksum/")
        }
        return {name: one for name, one in pairs.items() if one != {} or name in ("podSelector", "emptyDir")}
    if isinstance(value, list):
        items = [_normal(one) for one in value]
        return sorted(items, key=_sorted) if key in _SETS else items
    if key == "name" and isinstance(value, str):
        return _HASHED.sub(r"\1", value)
    if key in ("tarsy.yaml", "llm-providers.yaml"):
        return load(value)
    return value


def _sorted(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _normal_object(item: Object) -> Object:
    metadata = item["metadata"]
    labels = metadata.get("labels", {})
    labels.pop("app.kubernetes.io/name", None)
    annotations = {
        name: one for name, one in metadata.get("annotations", {}).items() if not name.startswith("helm.sh/hook")
    }
    metadata.pop("annotations", None)
    if annotations:
        metadata["annotations"] = annotations
    for container in (pod_of(item) or {}).get("containers", []):
        # The default of Kubernetes for a tag that is not `latest`.
        container.setdefault("imagePullPolicy", "IfNotPresent")
    for rule in item.get("spec", {}).get("volumeClaimTemplates", []):
        rule["metadata"].pop("labels", None)
    return item

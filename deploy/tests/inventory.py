"""What a cluster has: every object of every kind, by the API server's own list of kinds."""

from collections.abc import Iterator
from dataclasses import dataclass

from control_plane import ControlPlane

# What comes and goes by itself.
PASSING = frozenset(("events", "leases", "endpointslices", "endpoints", "componentstatuses"))


@dataclass(frozen=True, order=True)
class Resource:
    """A kind, by the name that it has in URLs."""

    group: str
    version: str
    name: str
    namespaced: bool

    def path(self, namespace: str = "") -> str:
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        return f"{root}/namespaces/{namespace}/{self.name}" if namespace and self.namespaced else f"{root}/{self.name}"


def resources(plane: ControlPlane) -> Iterator[Resource]:
    groups = [("", "v1", "/api/v1")]
    for group in plane.get("/apis")["groups"]:
        version = group["preferredVersion"]["version"]
        groups.append((group["name"], version, f"/apis/{group['name']}/{version}"))
    for group, version, path in groups:
        for one in plane.get(path)["resources"]:
            if "list" in one["verbs"] and "/" not in one["name"]:
                yield Resource(group, version, one["name"], one["namespaced"])


def everything(plane: ControlPlane) -> set[str]:
    """The names of all objects, such as `apps/deployments/NAMESPACE/NAME`."""
    found: set[str] = set()
    for resource in resources(plane):
        if resource.name in PASSING:
            continue
        for one in plane.get(resource.path())["items"]:
            metadata = one["metadata"]
            found.add("/".join((resource.group, resource.name, metadata.get("namespace", ""), metadata["name"])))
    return found


def generations(plane: ControlPlane, namespace: str) -> dict[str, int]:
    """How often the specification of each object of a namespace was changed."""
    found: dict[str, int] = {}
    for resource in resources(plane):
        if resource.namespaced and resource.name not in PASSING:
            for one in plane.get(resource.path(namespace))["items"]:
                metadata = one["metadata"]
                found[f"{resource.name}/{metadata['name']}"] = metadata.get("generation", 0)
    return found

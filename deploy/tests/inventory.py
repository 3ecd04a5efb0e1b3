"""What a cluster has: every object of every kind, by the API server's own list of kinds."""

from collections.abc import Iterable
from dataclasses import dataclass

from control_plane import ControlPlane
from manifests import Object

# What comes and goes by itself.
PASSING = frozenset(("events", "leases", "endpointslices", "endpoints", "componentstatuses"))


@dataclass(frozen=True, order=True)
class Resource:
    """A kind, by the name that it has in URLs."""

    group: str
    version: str
    name: str
    kind: str
    namespaced: bool

    def path(self, namespace: str = "") -> str:
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        return f"{root}/namespaces/{namespace}/{self.name}" if namespace and self.namespaced else f"{root}/{self.name}"

    def title(self, metadata: Object) -> str:
        """The name of one of its objects, such as `apps/deployments/NAMESPACE/NAME`."""
        return "/".join((self.group, self.name, metadata.get("namespace", ""), metadata["name"]))


# By the address of the control plane: kinds are defined once, before the tests.
_known: dict[str, tuple[Resource, ...]] = {}


def resources(plane: ControlPlane) -> tuple[Resource, ...]:
    if plane.url not in _known:
        _known[plane.url] = tuple(_discovered(plane))
    return _known[plane.url]


def _discovered(plane: ControlPlane) -> Iterable[Resource]:
    groups = [("", "v1", "/api/v1")]
    for group in plane.get("/apis")["groups"]:
        version = group["preferredVersion"]["version"]
        groups.append((group["name"], version, f"/apis/{group['name']}/{version}"))
    for group, version, path in groups:
        for one in plane.get(path)["resources"]:
            if "list" in one["verbs"] and "/" not in one["name"] and one["name"] not in PASSING:
                yield Resource(group, version, one["name"], one["kind"], one["namespaced"])


def everything(plane: ControlPlane) -> set[str]:
    """The names of all objects."""
    return _titles(plane, resources(plane))


def still_there(plane: ControlPlane, titles: set[str]) -> set[str]:
    """Those of these objects that are there: only their kinds are listed."""
    kinds = {tuple(one.split("/")[:2]) for one in titles}
    return titles & _titles(plane, [one for one in resources(plane) if (one.group, one.name) in kinds])


def _titles(plane: ControlPlane, kinds: Iterable[Resource]) -> set[str]:
    return {kind.title(metadata) for kind in kinds for metadata in plane.listed(kind.path())}


def installed(plane: ControlPlane) -> set[str]:
    """The objects that Helm made, each as `KIND/NAME`, without what others made of them."""
    selector = "labelSelector=app.kubernetes.io/managed-by%3DHelm"
    return {
        f"{kind.kind}/{metadata['name']}"
        for kind in resources(plane)
        for metadata in plane.listed(f"{kind.path()}?{selector}")
        if not metadata.get("ownerReferences")
    }


def generations(plane: ControlPlane, namespace: str) -> dict[str, int]:
    """How often the specification of each object of a namespace was changed."""
    return {
        f"{kind.name}/{metadata['name']}": metadata.get("generation", 0)
        for kind in resources(plane)
        if kind.namespaced
        for metadata in plane.listed(kind.path(namespace))
    }

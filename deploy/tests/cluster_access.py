"""What TARSy needs on a cluster: the rights of its accounts, and a tool server that uses them."""

from pathlib import Path

import yaml
from control_plane import ControlPlane
from manifests import KUBECTL, OVERLAYS, ROOT, Object, read, run

SERVER = ROOT / ".tarsy/mcp-servers/node_modules/.bin/kubernetes-mcp-server"
BUILT_IN = ROOT / "libs/catalog/src/builtin/tarsy.yaml"
# The accounts whose rights the watcher and the tool server have here.
WATCHER, GATEWAY = "kubernetes-watcher", "mcp-gateway"


def rights() -> list[Object]:
    """The accounts of the overlay `plain` and of the watcher, with what they may do in the cluster."""
    folders = (OVERLAYS / "plain", OVERLAYS.parent / WATCHER)
    made = [item for folder in folders for item in read(run(KUBECTL, "kustomize", folder))]
    return [one for one in made if one["kind"] in ("ServiceAccount", "ClusterRole", "ClusterRoleBinding")]


def kubeconfig(cluster: ControlPlane, account: str, folder: Path) -> Path:
    """The file of somebody who has the token of a service account."""
    config = yaml.safe_load(cluster.kubeconfig.read_text())
    config["users"][0]["user"] = {"token": cluster.account_token("tarsy", account)}
    path = folder / f"{account}.yaml"
    path.write_text(yaml.safe_dump(config))
    return path


def tool_server(access: Path) -> Object:
    """The built-in server, from the packages that are installed here instead of by npx."""
    server = yaml.safe_load(BUILT_IN.read_text())["mcp_servers"]["kubernetes-server"]
    server["transport"] |= {"command": str(SERVER), "args": ["--read-only", "--kubeconfig", str(access)]}
    return server

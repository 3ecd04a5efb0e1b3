"""Somebody who follows the pages about Kubernetes and OpenShift: the blocks of their commands, run on the control plane."""

import os
import shutil
import subprocess
from pathlib import Path

import yaml
from control_plane import ControlPlane
from documents import Block, blocks
from installation import secrets
from manifests import HELM, KUBECTL, ROOT
from running import DEADLINE_SECONDS
from test_installing import blocks as code

BLOCKS = [block for block in blocks() if block.how == "cluster"]
KUBERNETES, OPENSHIFT = (ROOT / f"docs/install/{name}.md" for name in ("kubernetes", "openshift"))
# What a block is found by, in its page.
STEPS = {
    KUBERNETES: (
        "policies --rm",
        "secret.example.yaml",
        "helm upgrade",
        "overlays/plain\n",
        "overlays/development",
        "nats-certificates",
        "create namespace tarsy-hosts",
        "helm uninstall",
    ),
    OPENSHIFT: ("new-project", "helm upgrade", "overlays/openshift", "clusterrolebinding"),
}
# What needs a kubelet, an image or a person is left out.
_PROGRAMS = {
    "kubectl": f"""case " $* " in *" exec "* | *" run "* | *" port-forward "*) exit 0 ;; esac
exec {KUBECTL} --warnings-as-errors "$@"
""",
    # What it has beside the commands of kubectl.
    "oc": """[ "$1" = new-project ] || exec kubectl "$@"
kubectl create namespace "$2" && kubectl config set-context --current --namespace "$2"
""",
    "docker": "",
    "kind": "",
}


def found(page: Path, step: str) -> Block:
    (block,) = (block for block in BLOCKS if block.page == page and step in block.text)
    return block


class Reader:
    """A shell in a checkout, with access to the cluster."""

    def __init__(self, cluster: ControlPlane, folder: Path) -> None:
        self.cluster, self.folder = cluster, folder
        self._access, programs = folder / "kubeconfig", folder / "programs"
        shutil.copy(cluster.kubeconfig, self._access)
        for name in ("deploy", "docs"):
            (folder / name).symlink_to(ROOT / name)
        programs.mkdir()
        (programs / "helm").symlink_to(HELM)
        for name, text in _PROGRAMS.items():
            (programs / name).write_text(f"#!/bin/bash\n{text}")
            (programs / name).chmod(0o755)

    def follow(self, step: str, page: Path = KUBERNETES) -> str:
        """Runs the block of a step, and answers with its output."""
        block = found(page, step)
        own = {
            "KUBECONFIG": str(self._access),
            "PATH": f"{self.folder / 'programs'}:{os.environ['PATH']}",
            "EDITOR": "true",
        }
        done = subprocess.run(
            ["/bin/bash", "-euo", "pipefail", "-c", block.text],
            cwd=self.folder,
            env=self.cluster.environment() | own,
            capture_output=True,
            text=True,
            timeout=DEADLINE_SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{block}: {done.stdout}\n{done.stderr}"
        return done.stdout

    def enter(self, project: str) -> None:
        """As `oc project` does."""
        config = yaml.safe_load(self._access.read_text())
        config["contexts"][0]["context"]["namespace"] = project
        self._access.write_text(yaml.safe_dump(config))

    def write_values(self, *without: str) -> None:
        """The values of the page, but for some."""
        text = next(text for text in code(KUBERNETES, "yaml") if text.startswith("# values.yaml"))
        values = {key: value for key, value in yaml.safe_load(text).items() if key not in without}
        (self.folder / "values.yaml").write_text(yaml.safe_dump(values))

    def write_secrets(self) -> None:
        (self.folder / "secret.yaml").write_text(secrets("tarsy"))

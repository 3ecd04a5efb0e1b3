"""Runs pods on this machine as a kubelet would: what the API server has of them, in namespaces of the kernel, as root.

Each pod has an address on a bridge, names of the Services in `/etc/hosts`, and the Service of the API server; each container the
files of its image, read-only if it says so, its volumes, variables, user and command. There is no seccomp profile, no limit of
resources and no network policy.
"""

import base64
import contextlib
import dataclasses
import functools
import http.client
import itertools
import json
import operator
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from control_plane import SERVICES
from manifests import ROOT, Object
from running import STEP_SECONDS, until

# For tests of networks, another one of each process: no route leads there.
_NETWORK = f"198.18.{os.getpid() % 256}"
HOST = f"{_NETWORK}.1"
# The address of the Service `kubernetes`, which the certificate of the API server names.
KUBERNETES = f"{SERVICES}.1"
# What pods know it by.
_KUBERNETES_NAMES = "kubernetes.default.svc kubernetes.default kubernetes"
_NAME = f"tarsy{os.getpid()}"
_IP = shutil.which("ip") or "ip"
# Around the network: the container ends with the process of the test, whatever ends that.
_CONTAINER = [
    "/usr/bin/setpriv",
    "--pdeathsig",
    "KILL",
    "unshare",
    "--mount",
    "--pid",
    "--fork",
    "--kill-child",
    "bash",
]
# How often a container that ends is started again before the test fails.
STARTS = 20
_FETCH = "import json, sys, urllib.request as r; _, url, headers, body = sys.argv; print(r.urlopen(r.Request(url, body.encode() or None, json.loads(headers)), timeout=30).read().decode())"
# What of a pod would be left out here without a word.
_UNKNOWN = frozenset(("initContainers", "hostNetwork", "hostIPC", "hostAliases", "shareProcessNamespace"))
# What a container whose user is root has, if it drops all capabilities; any other user has none.
_WITHOUT_RIGHTS = "setpriv --bounding-set=-all "
_GRPC = "import grpc, sys; from grpc_health.v1 import health_pb2 as m, health_pb2_grpc as s; c = grpc.insecure_channel(sys.argv[1]); sys.exit(s.HealthStub(c).Check(m.HealthCheckRequest(service=sys.argv[2]), timeout=5).status != 1)"


@dataclass(frozen=True)
class Image:
    """The files of an image, and what it says of its containers."""

    root: Path
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)
    working_folder: str = "/"
    # Files and folders of this machine, by their places in the image.
    added: dict[str, Path] = field(default_factory=dict)

    def with_file(self, place: str, file: Path) -> "Image":
        """The same image, but for a file."""
        return dataclasses.replace(self, added=self.added | {place: file})


@dataclass
class Cluster:
    """What pods refer to, by kind and name."""

    objects: dict[tuple[str, str], Object]
    images: dict[str, Image]
    token: Callable[[str], str]

    def values(self, kind: str, name: str) -> dict[str, bytes] | None:
        item = self.objects.get((kind, name))
        if item is None:
            return None
        read = base64.b64decode if kind == "Secret" else str.encode
        return {key: read(text) for key, text in (item.get("data") or {}).items()}

    def image(self, name: str) -> Image:
        return self.images[name.rpartition("/")[2].split("@")[0].split(":")[0]]


class Pod:
    """One that runs: its address, and the processes of its containers."""

    def __init__(self, item: Object, cluster: Cluster, folder: Path, number: int) -> None:
        self.item, self.cluster, self.folder = item, cluster, folder
        self.name = item["metadata"]["name"]
        self.address = f"{_NETWORK}.{number}"
        self.space = f"{_NAME}-{number}"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.starts = 0
        # Instead of the one that the pod names.
        self.image: Image | None = None
        folder.mkdir(parents=True)
        assert not _UNKNOWN & item["spec"].keys(), f"{self.name}: {_UNKNOWN & item['spec'].keys()}"

    @property
    def containers(self) -> list[Object]:
        return self.item["spec"]["containers"]

    def log(self) -> str:
        return "\n".join(path.read_text(errors="replace")[-3000:] for path in sorted(self.folder.glob("*.log")))

    def connect(self) -> None:
        link = f"{self.space}"[-15:]
        _ip("netns", "add", self.space)
        _ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", self.space)
        _ip("link", "set", link, "master", _NAME, "up")
        _ip("-n", self.space, "address", "add", f"{self.address}/24", "dev", "eth0")
        for one in ("lo", "eth0"):
            _ip("-n", self.space, "link", "set", one, "up")
        _ip("-n", self.space, "route", "add", KUBERNETES, "via", HOST)

    def start(self, hosts: Path) -> None:
        for container in self.containers:
            self.processes[container["name"]] = self.launch(container, hosts)

    def launch(self, container: Object, hosts: Path, image: Image | None = None) -> subprocess.Popen[bytes]:
        script = self.folder / f"{container['name']}.sh"
        script.write_text(_Script(self, container, hosts, image or self.image).text())
        with (self.folder / f"{container['name']}.log").open("ab") as log:
            return subprocess.Popen(
                [*_CONTAINER[:3], *(_IP, "netns", "exec", self.space), *_CONTAINER[3:], str(script)],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
            )

    def run(self, hosts: Path, image: Image | None = None, command: list[str] | None = None) -> int:
        """The exit code of a container that ends by itself."""
        container = self.containers[0] | ({"command": command, "args": []} if command else {})
        process = self.launch(container, hosts, image)
        try:
            return process.wait(timeout=2 * STEP_SECONDS)
        finally:
            process.kill()

    def is_ready(self, hosts: Path) -> bool:
        for container in self.containers:
            code = self.processes[container["name"]].poll()
            if code is not None:
                # As the kubelet does, for services whose servers are not there yet.
                self.starts += 1
                assert self.starts < STARTS, f"{self.name} ended with {code}: {self.log()}"
                self.processes[container["name"]] = self.launch(container, hosts)
                return False
        return all(self._answers(container) for container in self.containers)

    def _answers(self, container: Object) -> bool:
        ports = {one.get("name"): one["containerPort"] for one in container.get("ports", [])}
        probes = [container[kind] for kind in ("startupProbe", "readinessProbe", "livenessProbe") if kind in container]
        assert probes, f"{container['name']} has no probe"
        return all(_probe(self.address, probe, ports) for probe in probes)

    def fetch(self, url: str, headers: dict[str, str], body: str = "") -> str:
        """The answer to a request of a neighbour: it comes from this pod itself."""
        done = self.python("-c", _FETCH, url, json.dumps(headers), body)
        assert done.returncode == 0, f"{done.stderr}\n{self.log()}"
        return done.stdout

    def python(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """A program of the test, in the network of this pod."""
        command = [_IP, "netns", "exec", self.space, sys.executable, *map(str, arguments)]
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=2 * STEP_SECONDS)

    def stop(self) -> None:
        for process in self.processes.values():
            process.send_signal(signal.SIGKILL)
            process.wait(timeout=STEP_SECONDS)
        subprocess.run([_IP, "netns", "delete", self.space], check=False, capture_output=True, timeout=30)


def _ip(*arguments: str) -> None:
    subprocess.run([_IP, *arguments], check=True, capture_output=True, timeout=30)


def _probe(address: str, probe: Object, ports: dict[str, int]) -> bool:
    def at(one: Object) -> int:
        return ports.get(one["port"], one["port"])

    if "httpGet" in probe:
        url = f"http://{address}:{at(probe['httpGet'])}{probe['httpGet']['path']}"
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return answer.status == 200
        except (OSError, http.client.HTTPException, urllib.error.HTTPError):
            return False
    if "tcpSocket" in probe:
        with contextlib.suppress(OSError), socket.create_connection((address, at(probe["tcpSocket"])), timeout=5):
            return True
        return False
    if "grpc" in probe:
        python = ROOT / ".tarsy/venv-llm/bin/python"
        where = f"{address}:{probe['grpc']['port']}"
        command = [str(python), "-c", _GRPC, where, probe["grpc"].get("service", "")]
        return subprocess.run(command, check=False, capture_output=True, timeout=30).returncode == 0
    # A command in an image of others, which is another one here.
    return True


class _Script:
    """What a container runs in its namespaces: mounts, then the user, then the command."""

    def __init__(self, pod: Pod, container: Object, hosts: Path, image: Image | None) -> None:
        self.pod, self.container, self.hosts = pod, container, hosts
        self.spec = pod.item["spec"]
        self.image = image or pod.cluster.image(container["image"])
        self.security = self.spec.get("securityContext", {}) | container.get("securityContext", {})

    def text(self) -> str:
        scratch = self.pod.folder / f"{self.container['name']}.scratch"
        scratch.mkdir(exist_ok=True)
        root = scratch / "root"
        lines = [
            "set -eu",
            "mount --make-rprivate /",
            f"mount -t tmpfs tmpfs {scratch}",
            f"mkdir {scratch}/upper {scratch}/work {root}",
            f"mount -t overlay overlay -o lowerdir={self.image.root},upperdir={scratch}/upper,workdir={scratch}/work {root}",
            f"mkdir -p {root}/proc {root}/dev {root}/etc",
            f"mount --rbind /proc {root}/proc" if self.spec.get("hostPID") else f"mount -t proc proc {root}/proc",
            f"mount --rbind /dev {root}/dev",
            *self._bind(self.hosts, "/etc/hosts", root),
            *(line for place, file in self.image.added.items() for line in self._bind(file, place, root)),
        ]
        for mount in self.container.get("volumeMounts", []):
            source = self._volume(mount["name"]) / mount.get("subPath", "")
            lines += self._bind(source, mount["mountPath"], root, read_only=mount.get("readOnly", False))
        if self.security.get("readOnlyRootFilesystem"):
            lines.append(f"mount -o remount,bind,ro {root}")
        user, group = self.security.get("runAsUser", 1000), self.security.get("runAsGroup", 0)
        groups = ",".join(str(one) for one in [group, *filter(None, [self.security.get("fsGroup")])])
        chroot = f"chroot --userspec={user}:{group} --groups={groups} {root}"
        folder = self.container.get("workingDir") or self.image.working_folder
        drops = user == 0 and "ALL" in self.security.get("capabilities", {}).get("drop", [])
        words = [f"{name}={value}" for name, value in self._variables().items()] + self._command()
        # Not by `exec`: what ends with its parent is forgotten by a process that becomes another user.
        return "\n".join(
            [
                *lines,
                f"setpriv --no-new-privs {chroot} {_WITHOUT_RIGHTS if drops else ''}env -C {folder} -i "
                + " ".join(map(shlex.quote, words)),
                "",
            ]
        )

    def _bind(self, source: Path, at: str, root: Path, *, read_only: bool = True) -> list[str]:
        at = str(_within(self.image.root, Path(at)))
        target = f"{root}{at}"
        parents = " ".join(f"{root}{one}" for one in Path(at).parents)
        made = f"mkdir -p {target}" if source.is_dir() else f"mkdir -p {Path(target).parent} && touch {target}"
        # The user comes to it, whatever folders of the machine are above it.
        lines = [made, f"chmod a+x {parents}", f"mount --bind {source} {target}"]
        return [*lines, f"mount -o remount,bind,ro {target}"] if read_only else lines

    def _command(self) -> list[str]:
        variables = self._variables()
        command, arguments = self.container.get("command"), self.container.get("args")
        if command is None:
            command = list(self.image.entrypoint)
            arguments = list(self.image.command) if arguments is None else arguments
        return [_expanded(one, variables) for one in [*command, *(arguments or [])]]

    def _variables(self) -> dict[str, str]:
        # What a kubelet adds without links to services.
        api = {"KUBERNETES_SERVICE_HOST": KUBERNETES, "KUBERNETES_SERVICE_PORT": "443"}
        found = api | self.image.variables
        for source in self.container.get("envFrom", []):
            kind, reference = (
                ("ConfigMap", source["configMapRef"]) if "configMapRef" in source else ("Secret", source["secretRef"])
            )
            values = self.pod.cluster.values(kind, reference["name"])
            assert values is not None or reference.get("optional"), f"{kind} {reference['name']} is missing"
            found |= {key: text.decode() for key, text in (values or {}).items()}
        for one in self.container.get("env", []):
            value = self._value(one)
            if value is not None:
                found[one["name"]] = _expanded(value, found)
        return found

    def _value(self, variable: Object) -> str | None:
        source = variable.get("valueFrom")
        if source is None:
            return variable.get("value", "")
        if "fieldRef" in source:
            return str(self._field(source["fieldRef"]["fieldPath"]))
        kind, reference = (
            ("Secret", source["secretKeyRef"]) if "secretKeyRef" in source else ("ConfigMap", source["configMapKeyRef"])
        )
        value = (self.pod.cluster.values(kind, reference["name"]) or {}).get(reference["key"])
        assert value is not None or reference.get("optional"), f"{reference['name']} has no {reference['key']}"
        return value.decode() if value is not None else None

    def _field(self, path: str) -> object:
        own = {"status.podIP": self.pod.address, "status.hostIP": HOST}
        if path in own:
            return own[path]
        return functools.reduce(operator.getitem, path.split("."), self.pod.item)

    def _volume(self, name: str) -> Path:
        """The files of a volume; one that is written to belongs to the group of the pod."""
        folder = self.pod.folder / "volumes" / name
        volume = next(one for one in self.spec["volumes"] if one["name"] == name)
        if "hostPath" in volume:
            return Path(volume["hostPath"]["path"])
        if folder.exists():
            return folder
        folder.mkdir(parents=True)
        if "emptyDir" in volume or "persistentVolumeClaim" in volume:
            os.chown(folder, 0, self.security.get("fsGroup", 0))
            folder.chmod(0o2777 if "emptyDir" in volume else 0o2770)
            return folder
        for source in volume["projected"]["sources"] if "projected" in volume else [volume]:
            for path, content in self._files(source).items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(content)
        return folder

    def _files(self, source: Object) -> dict[str, bytes]:
        if "serviceAccountToken" in source:
            return {
                source["serviceAccountToken"]["path"]: self.pod.cluster.token(self.spec["serviceAccountName"]).encode()
            }
        if "downwardAPI" in source:
            items = source["downwardAPI"]["items"]
            return {one["path"]: str(self._field(one["fieldRef"]["fieldPath"])).encode() for one in items}
        kind, of = ("ConfigMap", source["configMap"]) if "configMap" in source else ("Secret", source["secret"])
        values = self.pod.cluster.values(kind, of.get("name") or of["secretName"])
        assert values is not None or of.get("optional"), f"{kind} of {of} is missing"
        paths = (
            {one["key"]: one["path"] for one in of["items"]} if "items" in of else {key: key for key in values or {}}
        )
        return {path: (values or {})[key] for key, path in paths.items()}


def _within(root: Path, path: Path) -> Path:
    """A path of an image without links, which lead to files of the image and not of this machine."""
    found = Path("/")
    for place, part in enumerate(path.parts[1:], 2):
        link = root / (found / part).relative_to("/")
        if link.is_symlink():
            return _within(root, Path(os.path.normpath(found / link.readlink() / Path(*path.parts[place:]))))
        found /= part
    return found


def _expanded(text: str, variables: dict[str, str]) -> str:
    """`$(NAME)` is the value of a variable that is there."""
    for name, value in variables.items():
        text = text.replace(f"$({name})", value)
    return text


class Node:
    """A node of a cluster: the machine that the test runs on."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self.cluster, self.folder = cluster, folder
        folder.mkdir()
        self.pods: list[Pod] = []
        self.hosts = folder / "hosts"
        self._numbers = itertools.count(10)

    def add(self, item: Object) -> Pod:
        number = next(self._numbers)
        pod = Pod(item, self.cluster, self.folder / f"{number}-{item['metadata']['name']}", number)
        self.pods.append(pod)
        pod.connect()
        return pod

    def name_services(self, namespace: str, others: dict[str, str]) -> None:
        """What pods know by name: Services, as the addresses of their pods, and servers outside of the cluster."""
        lines = ["127.0.0.1 localhost", f"{KUBERNETES} {_KUBERNETES_NAMES}"]
        lines += (f"{address} {name}" for name, address in others.items())
        for (kind, name), item in self.cluster.objects.items():
            selector = item["spec"].get("selector") if kind == "Service" else None
            for pod in self.pods if selector else []:
                labels = pod.item["metadata"].get("labels", {})
                if (selector or {}).items() <= labels.items():
                    names = [f"{name}{end}" for end in ("", f".{namespace}", f".{namespace}.svc")]
                    lines.append(f"{pod.address} {' '.join(names)}")
        self.hosts.write_text("\n".join(lines) + "\n")

    def start(self, *pods: Pod) -> None:
        for pod in pods:
            pod.start(self.hosts)
        for pod in pods:
            until(f"{pod.name} is ready", lambda pod=pod: pod.is_ready(self.hosts), 2 * STEP_SECONDS)


@contextlib.contextmanager
def node(cluster: Cluster, folder: Path) -> Iterator[Node]:
    _ip("link", "add", _NAME, "type", "bridge")
    made = Node(cluster, folder)
    try:
        _ip("address", "add", f"{HOST}/24", "dev", _NAME)
        _ip("address", "add", KUBERNETES, "dev", _NAME)
        _ip("link", "set", _NAME, "up")
        yield made
    finally:
        for pod in made.pods:
            pod.stop()
        _ip("link", "delete", _NAME)

"""A control plane of Kubernetes on this machine: the real API server with etcd, controllers and scheduler, and kwok.

There is no kubelet and no network: kwok plays nodes and sets the state of pods (stages.yaml), and no container runs.
"""

import base64
import contextlib
import functools
import http.client
import json
import os
import secrets
import signal
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from manifests import HELM, KUBECTL, ROOT, Object
from running import STEP_SECONDS, free_port, until

STAGES = Path(__file__).parent / "stages.yaml"
# The version of Kubernetes that is tried instead of the locked one; `make test-kubernetes` builds it.
VERSION = os.environ.get("TARSY_TEST_KUBERNETES", "")
PROGRAM = ROOT / ".tarsy/tools/bin" / ("control-plane" + (f"-{VERSION}" if VERSION else ""))
# How long the slowest step may take on a busy machine: the first start of the API server.
START_SECONDS = 120
# The network of Services, another one of each process: for tests of networks, no route leads there.
SERVICES = f"198.19.{os.getpid() % 256}"
# Connections are kept for less time than the API server keeps them.
IDLE_SECONDS = 30
# One large node is enough for every set of values; a second one is there to lose.
PLAYED = "played-by"
# Of a claim each: nothing takes one over from a claim that is gone.
VOLUMES = 32
NODES = ("node-0", "node-1")


@dataclass
class Answer:
    """What the API server answers to a request."""

    status: int
    body: Any


@dataclass
class ControlPlane:
    """Its processes, and clients of it."""

    folder: Path
    port: int = field(default_factory=free_port)
    etcd: str = ""
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    # Kept over requests: a handshake costs more than most of them.
    connection: http.client.HTTPSConnection | None = None
    used_at: float = 0.0
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    # What containers have written, by namespace.
    logs: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "kubeconfig"

    @functools.cached_property
    def tls(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.folder / "certificates/apiserver.crt"))

    def environment(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), "KUBECONFIG": str(self.kubeconfig)}

    def ask(
        self, method: str, path: str, body: Object | None = None, token: str | None = None, accept: str = "*/*"
    ) -> Answer:
        """A request, by the administrator unless there is another token; again while the API server asks for that."""
        kind = "application/strategic-merge-patch+json" if method == "PATCH" else "application/json"
        headers = {"Authorization": f"Bearer {token or self.token}", "Content-Type": kind, "Accept": accept}
        end = time.monotonic() + STEP_SECONDS
        while (answer := self._ask_once(method, path, body, headers)).status == 429 and time.monotonic() < end:
            time.sleep(0.2)
        return answer

    def _ask_once(self, method: str, path: str, body: Object | None, headers: dict[str, str]) -> Answer:
        # The API server closes a connection that is idle for long.
        if self.connection is not None and time.monotonic() - self.used_at > IDLE_SECONDS:
            self.connection.close()
            self.connection = None
        self.used_at = time.monotonic()
        if self.connection is None:
            self.connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30, context=self.tls)
        try:
            self.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            answer = self.connection.getresponse()
            read = answer.read()
        except (OSError, http.client.HTTPException) as error:
            # The API server was stopped.
            self.connection.close()
            self.connection = None
            raise OSError(f"{method} {path}: {error!r}") from error
        try:
            return Answer(answer.status, json.loads(read))
        except ValueError:
            return Answer(answer.status, read.decode(errors="replace"))

    def listed(self, path: str) -> list[Object]:
        """The metadata of what a list has: the rest of large objects costs both sides much."""
        answer = self.ask("GET", path, accept="application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
        assert answer.status == 200, answer
        return [one["metadata"] for one in answer.body["items"] or []]

    def get(self, path: str) -> Object:
        """What must be there."""
        answer = self.ask("GET", path)
        assert answer.status == 200, answer
        return answer.body

    def lines(self, path: str) -> Iterator[bytes]:
        """The lines of a watch, over a connection of its own."""
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"Bearer {self.token}"})  # noqa: S310 - our own
        return iter(urllib.request.urlopen(request, context=self.tls, timeout=None))  # noqa: S310 - as above

    def create(self, path: str, body: Object) -> Object:
        answer = self.ask("POST", path, body)
        assert answer.status == 201, answer
        return answer.body

    def patch(self, path: str, body: Object) -> Object:
        answer = self.ask("PATCH", path, body)
        assert answer.status == 200, answer
        return answer.body

    def delete(self, path: str) -> None:
        answer = self.ask("DELETE", path)
        assert answer.status in (200, 202), answer

    def abandon(self, *namespaces: str) -> None:
        """Deletes namespaces without waiting: their controller begins after five seconds, and looks at pods every eight."""
        self.kubectl("delete", "namespace", *namespaces, "--wait=false")

    def enter(self, name: str, labels: dict[str, str] | None = None) -> None:
        """Makes a namespace, once one of this name that was left is gone."""
        item = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels or {}}}
        until(f"{name} is made", lambda: self.ask("POST", "/api/v1/namespaces", item).status == 201)

    def run(self, *command: str | Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(part) for part in command],
            input=text,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def kubectl(self, *arguments: str | Path, text: str | None = None) -> str:
        """The output of kubectl, which must succeed; a warning of the API server is an error."""
        done = self.run(KUBECTL, "--warnings-as-errors", *arguments, text=text)
        assert done.returncode == 0, f"kubectl {arguments}: {done.stderr}"
        return done.stdout

    def helm(self, *arguments: str | Path) -> str:
        """The output of helm, which must succeed without a warning."""
        done = self.run(HELM, *arguments)
        assert done.returncode == 0, f"helm {arguments}: {done.stderr}"
        assert "warning" not in done.stderr.lower(), done.stderr
        return done.stdout

    def account_token(self, namespace: str, account: str, bound_to: Object | None = None) -> str:
        """A token as a pod of the service account has it; one that is bound to an object ends with that."""
        spec: Object = {"expirationSeconds": 600}
        if bound_to is not None:
            metadata = {name: bound_to["metadata"][name] for name in ("name", "uid")}
            spec["boundObjectRef"] = {"apiVersion": "v1", "kind": "Secret", **metadata}
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}
        made = self.create(f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token", body)
        return made["status"]["token"]

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def launch(self, name: str, *arguments: str) -> None:
        """Starts one of the programs. It ends with this process, whatever ends this process."""
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                ["/usr/bin/setpriv", "--pdeathsig", "KILL", str(PROGRAM), name, *arguments],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=self.environment(),
            )

    def stop(self, name: str, how: signal.Signals = signal.SIGKILL) -> None:
        process = self.processes.pop(name)
        process.send_signal(how)
        process.wait(timeout=STEP_SECONDS)

    def alive(self) -> bool:
        for name, process in self.processes.items():
            assert process.poll() is None, f"{name} ended: {self.log(name)[-3000:]}"
        return True

    def is_ready(self) -> bool:
        return self.alive() and (self.folder / "certificates/apiserver.crt").exists() and self._answers()

    def _answers(self) -> bool:
        return self.ask("GET", "/readyz").status == 200

    def prepare(self) -> None:
        """Keys and files: who may do everything, and what namespaces warn of."""
        # Who the API server signs tokens of service accounts for.
        key = self.folder / "accounts.key"
        command = ["openssl", "ecparam", "-genkey", "-noout", "-name", "prime256v1", "-out", str(key)]
        subprocess.run(command, check=True, timeout=30, capture_output=True)
        (self.folder / "tokens.csv").write_text(f"{self.token},admin,admin,system:masters\n")
        (self.folder / "admission.yaml").write_text(yaml.safe_dump(_ADMISSION))
        cluster = {"server": self.url, "certificate-authority": str(self.folder / "certificates/apiserver.crt")}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "here", "cluster": cluster}],
            "users": [{"name": "admin", "user": {"token": self.token}}],
            "contexts": [{"name": "here", "context": {"cluster": "here", "user": "admin"}}],
            "current-context": "here",
        }
        self.kubeconfig.write_text(yaml.safe_dump(config))

    def start(self) -> None:
        self.prepare()
        clients, peers = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
        self.launch(
            "etcd",
            *("--data-dir", str(self.folder / "etcd"), "--unsafe-no-fsync", "--log-level", "warn"),
            *("--listen-client-urls", clients, "--advertise-client-urls", clients, "--listen-peer-urls", peers),
            *("--initial-advertise-peer-urls", peers, "--initial-cluster", f"default={peers}"),
        )
        self.etcd = clients
        self.start_api_server()
        # It exits when leadership is lost; there is one.
        common = ("--kubeconfig", str(self.kubeconfig), "--leader-elect=false", "--secure-port=0")
        key, certificate = self.folder / "accounts.key", self.folder / "certificates/apiserver.crt"
        self.launch(
            "kube-controller-manager",
            *common,
            *("--service-account-private-key-file", str(key), "--root-ca-file", str(certificate)),
            # A node is lost within seconds.
            *("--node-monitor-period=1s", "--node-monitor-grace-period=8s"),
        )
        self.launch("kube-scheduler", *common)
        self.start_kwok()
        for node in NODES:
            self.create("/api/v1/nodes", _node(node))
        for number in range(VOLUMES):
            self.create("/api/v1/persistentvolumes", _volume(number))
        until("the nodes are ready", lambda: self.alive() and all(self.node_is_ready(one) for one in NODES))

    def start_api_server(self) -> None:
        key = str(self.folder / "accounts.key")
        self.launch(
            "kube-apiserver",
            *("--etcd-servers", self.etcd, "--bind-address", "127.0.0.1", "--secure-port", str(self.port)),
            *("--cert-dir", str(self.folder / "certificates"), "--token-auth-file", str(self.folder / "tokens.csv")),
            *("--service-account-issuer", "https://kubernetes.default.svc", "--service-account-key-file", key),
            *("--service-account-signing-key-file", key, "--authorization-mode", "Node,RBAC"),
            *("--service-cluster-ip-range", f"{SERVICES}.0/24", "--allow-privileged=true"),
            *("--admission-control-config-file", str(self.folder / "admission.yaml")),
        )
        until("the API server is ready", self.is_ready, START_SECONDS)

    def start_kwok(self) -> None:
        port, certificate = str(free_port()), self.folder / "certificates/apiserver"
        # What kubelets have to say beside the API: the logs of their pods.
        self.launch(
            "kwok",
            *("--kubeconfig", str(self.kubeconfig), "--config", str(STAGES), "--config", str(self._logs())),
            *("--server-address", f"127.0.0.1:{port}", "--node-ip", "127.0.0.1", "--node-port", port),
            *("--tls-cert-file", f"{certificate}.crt", "--tls-private-key-file", f"{certificate}.key"),
            *("--manage-nodes-with-label-selector", f"{PLAYED}=kwok", "--node-lease-duration-seconds=6"),
        )

    def _logs(self) -> Path:
        """Of all containers of a namespace, one text."""
        items = [
            {
                "apiVersion": "kwok.x-k8s.io/v1alpha1",
                "kind": "ClusterLogs",
                "metadata": {"name": namespace},
                "spec": {
                    "selector": {"matchNamespaces": [namespace]},
                    "logs": [{"logsFile": str(path), "previousLogsFile": str(path)}],
                },
            }
            for namespace, lines in self.logs.items()
            for path in [self._log_file(namespace, lines)]
        ]
        path = self.folder / "logs.yaml"
        path.write_text(yaml.safe_dump_all(items))
        return path

    def _log_file(self, namespace: str, lines: tuple[str, ...]) -> Path:
        path = self.folder / f"{namespace}.pod.log"
        # As the interface of container runtimes has them.
        path.write_text("".join(f"2026-11-02T08:00:00.000000000Z stdout F {line}\n" for line in lines))
        return path

    @contextlib.contextmanager
    def lost(self, node: str) -> Iterator[None]:
        """A node that nothing is heard of: kwok plays those with the label."""
        self.kubectl("label", "node", node, f"{PLAYED}-")
        try:
            yield
        finally:
            self.kubectl("label", "node", node, f"{PLAYED}=kwok")
            until(f"{node} is ready again", lambda: self.node_is_ready(node))

    def compact(self) -> None:
        """Makes etcd forget every version but the newest."""
        newest = self._etcd("kv/range", {"key": "AA=="})["header"]["revision"]
        self._etcd("kv/compaction", {"revision": newest, "physical": True})

    def write_events(self, events: list[Object]) -> None:
        """Writes versions of events as fast as etcd takes them: the API server has no part in it but to report them."""
        for start in range(0, len(events), _OPERATIONS):
            puts = [
                {"requestPut": {"key": _base64(_key(one)), "value": _base64(json.dumps(one))}}
                for one in events[start : start + _OPERATIONS]
            ]
            self._etcd("kv/txn", {"success": puts})

    def _etcd(self, path: str, body: Object) -> Object:
        request = urllib.request.Request(f"{self.etcd}/v3/{path}", json.dumps(body).encode())  # noqa: S310 - our own
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - as above
            return json.load(answer)

    def node_is_ready(self, name: str) -> bool:
        conditions = self.get(f"/api/v1/nodes/{name}").get("status", {}).get("conditions") or []
        return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


# Of one transaction of etcd, which takes no key twice.
_OPERATIONS = 100


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _key(event: Object) -> str:
    metadata = event["metadata"]
    return f"/registry/events/{metadata['namespace']}/{metadata['name']}"


# Every namespace warns of what *restricted* forbids. The pods of the host inspector read files of the node.
_ADMISSION: Object = {
    "apiVersion": "apiserver.config.k8s.io/v1",
    "kind": "AdmissionConfiguration",
    "plugins": [
        {
            "name": "PodSecurity",
            "configuration": {
                "apiVersion": "pod-security.admission.config.k8s.io/v1",
                "kind": "PodSecurityConfiguration",
                "defaults": {"warn": "restricted", "warn-version": "latest"},
                "exemptions": {"namespaces": ["tarsy-hosts", "kube-system"]},
            },
        }
    ],
}


def _node(name: str) -> Object:
    size = {"cpu": "64", "memory": "256Gi", "ephemeral-storage": "1Ti", "pods": "250"}
    labels = {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        PLAYED: "kwok",
        # The values `external` ask for it.
        "pool": "internet",
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"allocatable": size, "capacity": size},
    }


def _volume(number: int) -> Object:
    """What a storage class would make: a claim is bound to it."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"volume-{number}"},
        "spec": {
            "capacity": {"storage": "100Gi"},
            "accessModes": ["ReadWriteOnce"],
            "persistentVolumeReclaimPolicy": "Retain",
            "hostPath": {"path": f"/nowhere/{number}"},
        },
    }


@contextlib.contextmanager
def running(folder: Path, logs: dict[str, tuple[str, ...]]) -> Iterator[ControlPlane]:
    folder.mkdir(parents=True, exist_ok=True)
    plane = ControlPlane(folder, logs=logs)
    try:
        plane.start()
        yield plane
    finally:
        for name in reversed(list(plane.processes)):
            plane.stop(name)

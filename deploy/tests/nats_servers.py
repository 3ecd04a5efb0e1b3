"""Real nats-servers on addresses of this machine that only these tests use, with the files and variables of a deployment."""

import contextlib
import json
import random
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from manifests import ROOT, Object
from running import until

SERVER = ROOT / ".tarsy/venv/bin/nats-server"
CERTIFICATES = ROOT / "deploy/scripts/nats-certificates.sh"
CONFIGURATION = ROOT / "deploy/nats"
# Every address of 127.0.0.0/8 is this machine: each server has the ports of its configuration.
_NETWORK = f"127.{random.SystemRandom().randint(2, 250)}.{random.SystemRandom().randint(2, 250)}"


def address(number: int) -> str:
    return f"{_NETWORK}.{number}"


@dataclass
class Server:
    """A nats-server that runs until the block is left."""

    address: str
    folder: Path
    process: subprocess.Popen[bytes] | None = None

    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace") if (self.folder / "log").exists() else ""

    def ask(self, path: str) -> Object:
        with urllib.request.urlopen(f"http://{self.address}:8222/{path}", timeout=5) as answer:
            return json.load(answer)

    def peers(self) -> set[str]:
        """The names of the servers that it has routes to."""
        return {one["remote_name"] for one in self.ask("routez")["routes"]}

    def ports(self) -> set[int]:
        """The ports of its address at which it listens, whether or not the configuration names them."""
        assert self.process
        found = set[int]()
        inodes = {str(one.readlink()) for one in Path(f"/proc/{self.process.pid}/fd").iterdir() if one.is_symlink()}
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            columns = line.split()
            if columns[3] == "0A" and f"socket:[{columns[9]}]" in inodes:
                found.add(int(columns[1].rpartition(":")[2], 16))
        return found


@contextlib.contextmanager
def running(server: Server, arguments: list[str], environment: dict[str, str]) -> Iterator[Server]:
    server.folder.mkdir(parents=True, exist_ok=True)
    with (server.folder / "log").open("ab") as log:
        process = subprocess.Popen(
            [str(SERVER), *arguments], stdout=log, stderr=log, env=environment, cwd=server.folder
        )
    server.process = process
    try:
        until("nats-server is ready", lambda: "Server is ready" in server.log() or process.poll() is not None)
        assert process.poll() is None, server.log()
        yield server
    finally:
        process.kill()
        process.wait()


@dataclass
class Deployed:
    """A server as a deployment starts it: its name in the network, its arguments and variables, by the deployment's own paths."""

    name: str
    arguments: list[str]
    environment: dict[str, str]


@dataclass
class Cluster:
    """Servers of a deployment, each at an address of its own in place of its name."""

    folder: Path
    deployed: list[Deployed]
    # The number of the first address.
    first: int = 1
    addresses: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.addresses = {one.name: address(number) for number, one in enumerate(self.deployed, self.first)}
        names = [*self.addresses, *self.addresses.values()]
        subprocess.run([str(CERTIFICATES), str(self.folder / "routes"), *names], check=True, timeout=30)

    def here(self, text: str, own: str) -> str:
        """A text of the deployment with the addresses and folders of this machine."""
        for name in sorted(self.addresses, key=len, reverse=True):
            text = text.replace(f"@{name}:", f"@{self.addresses[name]}:")
        folder = self.folder / own
        text = text.replace(".".join("0000"), self.addresses[own]).replace("127.0.0.1", self.addresses[own])
        return (
            text.replace('"/data"', f'"{folder}/data"')
            .replace("/run/routes", str(self.folder / "routes"))
            .replace("/etc/nats", str(folder))
        )

    @contextlib.contextmanager
    def start(self) -> Iterator[list[Server]]:
        with contextlib.ExitStack() as stack:
            servers: list[Server] = []
            for one in self.deployed:
                folder = self.folder / one.name
                folder.mkdir()
                for file in CONFIGURATION.glob("*.conf"):
                    (folder / file.name).write_text(self.here(file.read_text(), one.name))
                arguments = [self.here(argument, one.name) for argument in one.arguments]
                environment = {name: self.here(value, one.name) for name, value in one.environment.items()}
                server = Server(self.addresses[one.name], folder)
                servers.append(stack.enter_context(running(server, arguments, environment)))
            yield servers


class Client:
    """As much of the protocol as these tests need."""

    def __init__(self, host: str, user: str, password: str) -> None:
        self.socket = socket.create_connection((host, 4222), timeout=10)
        self.lines = self.socket.makefile("rb")
        self.lines.readline()
        self.send("CONNECT " + json.dumps({"verbose": False, "user": user, "pass": password}))
        self.flush()

    def send(self, line: str) -> None:
        self.socket.sendall(line.encode() + b"\r\n")

    def flush(self) -> list[str]:
        """Waits until the server has read everything; what it sent until then."""
        self.send("PING")
        seen: list[str] = []
        while (line := self.lines.readline().decode().strip()) != "PONG":
            assert line, "the connection was closed"
            assert not line.startswith("-ERR"), line
            seen.append(line)
        return seen

    def subscribe(self, subject: str) -> None:
        self.send(f"SUB {subject} 1")
        self.flush()

    def publish(self, subject: str, text: str) -> None:
        self.send(f"PUB {subject} {len(text)}\r\n{text}")
        self.flush()

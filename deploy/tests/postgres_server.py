"""A real PostgreSQL with the superuser and the database that a container of `postgres` makes."""

import contextlib
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manifests import ROOT

_NOBODY = 65534


@dataclass
class Database:
    """A running server."""

    programs: Path
    port: int

    def psql(self, arguments: list[str], environment: dict[str, str]) -> str:
        """What psql prints; fails with what it reports."""
        where = {"PGHOST": "127.0.0.1", "PGPORT": str(self.port), "PGCONNECT_TIMEOUT": "10"}
        command = [str(self.programs / "psql"), *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60, check=False, env={**environment, **where}
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def query(self, statement: str, environment: dict[str, str]) -> str:
        return self.psql(["-XqAt", "-v", "ON_ERROR_STOP=1", "-c", statement], environment)


@contextlib.contextmanager
def database(container: dict[str, str]) -> Iterator[Database]:
    """The server of a container with these variables, until the block is left."""
    programs = next((ROOT / ".tarsy/venv").rglob("pginstall/bin"))
    # PostgreSQL refuses to be root.
    other: dict[str, Any] = {"user": _NOBODY, "group": _NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    superuser, password = container["POSTGRES_USER"], container["POSTGRES_PASSWORD"]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "password").write_text(password)
        if other:
            os.chown(folder, _NOBODY, _NOBODY)
            os.chown(f"{folder}/password", _NOBODY, _NOBODY)
        kind = ["-E", "UTF8", "--locale=C", "--auth-host=scram-sha-256", "--auth-local=trust", "--no-sync"]
        initdb = [
            str(programs / "initdb"),
            "-D",
            f"{folder}/data",
            "-U",
            superuser,
            f"--pwfile={folder}/password",
            *kind,
        ]
        subprocess.run(initdb, check=True, capture_output=True, timeout=120, env={}, cwd=folder, **other)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        # What the chart gives to a cluster of its own: each service has a pool of connections.
        where = ["-h", "127.0.0.1", "-p", str(port), "-k", folder, "-c", "max_connections=300"]
        server = [str(programs / "postgres"), "-D", f"{folder}/data", *where]
        with tempfile.TemporaryFile() as log:
            process = subprocess.Popen(server, stdout=log, stderr=log, env={}, cwd=folder, **other)
        try:
            made = Database(programs, port)
            own = {"PGUSER": superuser, "PGPASSWORD": password, "PGDATABASE": "postgres"}
            _wait(made, own)
            made.query(f"create database {container['POSTGRES_DB']}", own)
            yield made
        finally:
            process.terminate()
            process.wait()


def _wait(made: Database, own: dict[str, str]) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            made.query("select 1", own)
        except AssertionError:
            assert time.monotonic() < end, "PostgreSQL does not answer"
            time.sleep(0.1)
        else:
            return

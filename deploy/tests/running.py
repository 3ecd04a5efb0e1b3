"""A TARSy that a test starts: its port, and when it is ready."""

import contextlib
import signal
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from manifests import ROOT

# How long TARSy may take to start, and an investigation by the offline analyst.
DEADLINE_SECONDS = 180
# How long a step may take that takes seconds, on a busy machine.
STEP_SECONDS = 90


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def until(what: str, probe: Callable[[], object], seconds: float = STEP_SECONDS, every: float = 0.1) -> None:
    """Asks every so many seconds until the answer is yes; fails after a time."""
    end = time.monotonic() + seconds
    seen: object = None
    while time.monotonic() < end:
        try:
            if seen := probe():
                return
        except OSError as error:
            seen = error
        time.sleep(every)
    raise AssertionError(f"{what}: not within {seconds} s: {seen!r}")


def get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310 - our own address
        return answer.read()


def wait_until_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            get(f"{url}/readyz")
        except OSError:
            threading.Event().wait(0.2)
        else:
            return
    pytest.fail(f"TARSy does not start: {log.read_text()[-3000:]}")


@contextlib.contextmanager
def started(command: list[str], variables: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("ab") as output:
        process = subprocess.Popen(command, env=variables, cwd=ROOT, stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait(timeout=DEADLINE_SECONDS)

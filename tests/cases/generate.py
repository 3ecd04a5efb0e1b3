#!/usr/bin/env python3
"""Makes the cases of this folder: causes each fault for real, and records what the host inspector sees of it.

    sudo unshare --pid --mount --fork --mount-proc tests/cases/generate.py target/debug/tarsy [NAME …]

It needs root and namespaces of its own, so that mounts end with it and no other process is recorded. Each case is one
session of the offline analyst, and the calls of `CALLS`, which other models may ask for. `expected.json` is written here.
"""

import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

FOLDER = Path(__file__).parent
PORT = 18700
LOGS = Path("/var/log/cases")
DATA = Path("/srv/cases")
# What every case records besides the calls of the session.
CALLS: list[tuple[str, dict]] = [
    ("system_overview", {}),
    ("uptime", {}),
    ("load_average", {}),
    ("memory_usage", {}),
    ("disk_usage", {}),
    ("top_processes", {}),
    ("top_processes", {"sort_by": "cpu"}),
    ("top_processes", {"sort_by": "memory"}),
    ("listening_ports", {}),
    ("network_counters", {}),
    ("list_logs", {}),
    ("list_logs", {"contains": "cases"}),
    ("failed_services", {}),
]


class Case:
    """A fault, the alert about it, and the accepted answers."""

    def __init__(self, name: str, alert: str, expected: dict, fault: Callable, calls: list[tuple[str, dict]]):
        self.name, self.alert, self.expected, self.fault, self.calls = name, alert, expected, fault, calls


def mount(path: Path, options: str) -> None:
    path.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], check=True)


def log(name: str, *lines: str) -> None:
    LOGS.mkdir(parents=True, exist_ok=True)
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    (LOGS / name).write_text("".join(f"{now} {line}\n" for line in lines))


def append_output(name: str, command: list[str]) -> None:
    """Runs a program that is to fail, with its output in a log."""
    LOGS.mkdir(parents=True, exist_ok=True)
    with (LOGS / name).open("w") as output:
        subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, timeout=30, check=False)


@contextmanager
def running(command: list[str], **options) -> Iterator[subprocess.Popen]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    try:
        time.sleep(2)
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def disk_full() -> Iterator[None]:
    mount(DATA / "orders", "size=24m")
    script = "f = open('/srv/cases/orders/journal.dat', 'ab')\nwhile True: f.write(b'x' * 65536); f.flush()"
    append_output("orders.log", [sys.executable, "-c", script])
    yield
    subprocess.run(["umount", str(DATA / "orders")], check=True)


@contextmanager
def inodes_exhausted() -> Iterator[None]:
    mount(DATA / "spool", "size=64m,nr_inodes=400")
    script = "i = 0\nwhile True:\n  open(f'/srv/cases/spool/job-{i:06}', 'w').close()\n  i += 1"
    append_output("spool.log", [sys.executable, "-c", script])
    yield
    subprocess.run(["umount", str(DATA / "spool")], check=True)


@contextmanager
def read_only() -> Iterator[None]:
    mount(DATA / "archive", "size=16m")
    subprocess.run(["mount", "-o", "remount,ro", str(DATA / "archive")], check=True)
    append_output("archive.log", [sys.executable, "-c", "open('/srv/cases/archive/today.tar', 'w')"])
    yield
    subprocess.run(["umount", str(DATA / "archive")], check=True)


@contextmanager
def port_conflict() -> Iterator[None]:
    server = ["-m", "http.server", "18990", "--bind", "127.0.0.1"]
    with running([sys.executable, *server], cwd="/srv"):
        append_output("billing.log", [sys.executable, *server])
        yield


@contextmanager
def failed_process() -> Iterator[None]:
    script = "import json\nconfig = json.loads('{\"workers\": 4,}')"
    append_output("worker.log", [sys.executable, "-c", script])
    yield


@contextmanager
def wrong_dns() -> Iterator[None]:
    script = "import socket\nsocket.create_connection(('orders-db.cases.invalid', 5432), timeout=5)"
    append_output("checkout.log", [sys.executable, "-c", script])
    yield


@contextmanager
def runaway() -> Iterator[None]:
    with running(["bash", "-c", "exec -a report-indexer bash -c 'while :; do :; done'"]):
        time.sleep(4)
        yield


@contextmanager
def memory_hog() -> Iterator[None]:
    script = "import time\nkept = bytearray(b'x') * (3 << 30)\ntime.sleep(600)"
    with running([sys.executable, "-c", script]):
        time.sleep(4)
        yield


@contextmanager
def unavailable() -> Iterator[None]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # noqa: N802
            self.send_response(503)
            self.end_headers()
            self.wfile.write(b"database connection pool exhausted")

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 18991), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def nobody_listens() -> Iterator[None]:
    yield


CASES = [
    Case(
        "disk-full",
        "DiskWritesFail: the orders service cannot write to /srv/cases/orders",
        {
            "cause": ["srv cases orders is full", "no space left on device", "100% used", "used_percent 100"],
            "object": ["/srv/cases/orders"],
            "category": ["disk", "storage", "file system", "no space"],
            "required_evidence": [["100", "No space left on device"]],
            "forbidden_evidence": ["out of memory"],
        },
        disk_full,
        [("disk_usage", {"path": "/srv/cases/orders"}), ("tail_log", {"path": "/var/log/cases/orders.log"})],
    ),
    Case(
        "inodes-exhausted",
        "SpoolWritesFail: new jobs cannot be created in /srv/cases/spool, and there is free space",
        {
            "cause": ["inodes", "inodes_used_percent"],
            "object": ["/srv/cases/spool"],
            "category": ["disk", "storage", "file system", "inodes"],
            "required_evidence": [["inodes"]],
            "forbidden_evidence": [],
        },
        inodes_exhausted,
        [("disk_usage", {"path": "/srv/cases/spool"}), ("tail_log", {"path": "/var/log/cases/spool.log"})],
    ),
    Case(
        "read-only-file-system",
        "ArchiveFails: the nightly archive was not written to /srv/cases/archive",
        {
            "cause": ["read only file system", "mounted read only", "read_only"],
            "object": ["/srv/cases/archive"],
            "category": ["disk", "storage", "file system", "read only"],
            "required_evidence": [["read-only", "read_only"]],
            "forbidden_evidence": [],
        },
        read_only,
        [("disk_usage", {"path": "/srv/cases/archive"}), ("tail_log", {"path": "/var/log/cases/archive.log"})],
    ),
    Case(
        "port-conflict",
        "ServiceDown: billing does not start, its port is 18990",
        {
            "cause": ["address already in use", "port is already in use", "port conflict"],
            "object": ["18990", "billing"],
            "category": ["port", "network", "address already in use"],
            "required_evidence": [["Address already in use"]],
            "forbidden_evidence": [],
        },
        port_conflict,
        [("tail_log", {"path": "/var/log/cases/billing.log"})],
    ),
    Case(
        "invalid-configuration",
        "ProcessExited: the worker ended right after its start",
        {
            "cause": ["JSONDecodeError", "invalid JSON", "Expecting property name", "Illegal trailing comma"],
            "object": ["worker"],
            "category": ["configuration", "application error", "JSONDecodeError"],
            "required_evidence": [["JSONDecodeError", "trailing comma"]],
            "forbidden_evidence": [],
        },
        failed_process,
        [("tail_log", {"path": "/var/log/cases/worker.log"})],
    ),
    Case(
        "wrong-dns-name",
        "CheckoutErrors: checkout cannot reach its database orders-db.cases.invalid",
        {
            "cause": ["Name or service not known", "does not resolve", "NXDOMAIN", "gaierror", "could not be resolved"],
            "object": ["orders-db.cases.invalid"],
            "category": ["dns", "name resolution", "name or service not known", "resolve"],
            "required_evidence": [["orders-db.cases.invalid"]],
            "forbidden_evidence": [],
        },
        wrong_dns,
        [
            ("dns_lookup", {"name": "orders-db.cases.invalid"}),
            ("tail_log", {"path": "/var/log/cases/checkout.log"}),
        ],
    ),
    Case(
        "runaway-process",
        "HostCpuHigh: the CPU of this host is busy for minutes",
        {
            "cause": ["report-indexer"],
            "object": ["report-indexer"],
            "category": ["cpu"],
            "required_evidence": [["report-indexer"]],
            "forbidden_evidence": [],
        },
        runaway,
        [],
    ),
    Case(
        "memory-hog",
        "HostMemoryHigh: the memory of this host is used by one process",
        {
            "cause": ["kept bytearray", "python"],
            "object": ["python", "python3"],
            "category": ["memory"],
            "required_evidence": [["python"]],
            "forbidden_evidence": ["disk is full"],
        },
        memory_hog,
        [],
    ),
    Case(
        "service-answers-503",
        "EndpointDown: http://127.0.0.1:18991/ fails its health check",
        {
            "cause": ["503", "connection pool exhausted"],
            "object": ["127.0.0.1:18991"],
            "category": ["http", "application error", "503"],
            "required_evidence": [["503"]],
            "forbidden_evidence": [],
        },
        unavailable,
        [("http_probe", {"url": "http://127.0.0.1:18991/"})],
    ),
    Case(
        "nothing-listens",
        "EndpointDown: http://127.0.0.1:18992/ fails its health check",
        {
            "cause": ["connection refused", "nothing listens", "not listening"],
            "object": ["127.0.0.1:18992", "18992"],
            "category": ["network", "connection refused", "port"],
            "required_evidence": [["refused"]],
            "forbidden_evidence": [],
        },
        nobody_listens,
        [("http_probe", {"url": "http://127.0.0.1:18992/"})],
    ),
]


def cleaned(text: str) -> str:
    """The text without the place where this checkout lies."""
    text = text.replace(str(FOLDER.resolve().parents[1]), "/opt/tarsy").replace("/tmp/tarsy-cases", "/var/lib/tarsy")
    return re.sub(r"/tmp/[A-Za-z0-9_.-]+/tarsy\b", "/opt/tarsy/bin/tarsy", text)


class Tarsy:
    """A TARSy of its own."""

    def __init__(self, program: str):
        self.program, self.home = str(Path(program).resolve()), Path("/tmp/tarsy-cases")
        shutil.rmtree(self.home, ignore_errors=True)
        self.process = subprocess.Popen([self.program, "--home", str(self.home), "up", "--port", str(PORT)])
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{PORT}/readyz", timeout=2).close()
                return
            except OSError:
                time.sleep(0.5)
        raise SystemExit("TARSy did not start")

    def run(self, *arguments: str, check: bool = True) -> str:
        command = [self.program, "--home", str(self.home), *arguments]
        return subprocess.run(command, check=check, capture_output=True, text=True).stdout

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)


def record(tarsy: Tarsy, case: Case) -> None:
    folder = FOLDER / case.name
    with case.fault():
        session = tarsy.run("submit", "--type", "host", "--data", alert_file(case)).strip()
        tarsy.run("watch", session)
        tarsy.run("case", "save", session, str(folder))
        calls = [json.loads(line) for line in (folder / "calls.jsonl").read_text().splitlines()]
        for tool, arguments in [*CALLS, *case.calls]:
            if any((call["tool"], call["arguments"]) == (tool, arguments) for call in calls):
                continue
            pairs = [f"{name}={value}" for name, value in arguments.items()]
            result = json.loads(tarsy.run("--json", "mcp", "call", f"host.{tool}", *pairs, check=False))
            status = "failed" if result["is_error"] else "completed"
            calls.append({"number": len(calls) + 1, "server": "host", "tool": tool, "arguments": arguments,
                          "status": status, "result": result["content"]})
    (folder / "calls.jsonl").write_text("".join(cleaned(json.dumps(call, ensure_ascii=False)) + "\n" for call in calls))
    (folder / "expected.json").write_text(json.dumps(case.expected, indent=2) + "\n")
    (folder / "report.json").unlink()
    print(f"{case.name}: {len(calls)} calls", flush=True)


def alert_file(case: Case) -> str:
    path = Path("/tmp/tarsy-cases/alert.txt")
    path.write_text(case.alert)
    return str(path)


def main() -> None:
    if os.getpid() > 100:
        raise SystemExit("run it in namespaces of its own; the head of this file says how")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    mount(LOGS, "size=16m")
    mount(DATA, "size=16m")
    tarsy = Tarsy(sys.argv[1])
    try:
        for case in CASES:
            if not sys.argv[2:] or case.name in sys.argv[2:]:
                record(tarsy, case)
    finally:
        tarsy.stop()


main()

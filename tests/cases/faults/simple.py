"""Faults of one program or one file system, with nothing beside them."""

import http.server
import subprocess
import sys
import threading
import time

from faults.scene import DATA, Case, Scene, python, run


def running(scene: Scene, command: list[str], **options) -> None:
    """Starts a program without a log, and gives it two seconds."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    scene.callback(process.wait)
    scene.callback(process.kill)
    time.sleep(2)


def disk_full(scene: Scene) -> None:
    scene.mount(DATA / "orders", "size=24m")
    run("orders", python("f = open('/srv/cases/orders/journal.dat', 'ab')\nwhile True: f.write(b'x' * 65536); f.flush()"))


def inodes_exhausted(scene: Scene) -> None:
    scene.mount(DATA / "spool", "size=64m,nr_inodes=400")
    run("spool", python("i = 0\nwhile True:\n  open(f'/srv/cases/spool/job-{i:06}', 'w').close()\n  i += 1"))


def read_only(scene: Scene) -> None:
    scene.mount(DATA / "archive", "size=16m")
    subprocess.run(["mount", "-o", "remount,ro", str(DATA / "archive")], check=True)
    run("archive", python("open('/srv/cases/archive/today.tar', 'w')"))


def port_conflict(scene: Scene) -> None:
    server = [sys.executable, "-m", "http.server", "18990", "--bind", "127.0.0.1"]
    running(scene, server, cwd="/srv")
    run("billing", server)


def failed_process(scene: Scene) -> None:
    run("worker", python("import json\nconfig = json.loads('{\"workers\": 4,}')"))


def wrong_dns(scene: Scene) -> None:
    run("checkout", python("import socket\nsocket.create_connection(('orders-db.cases.invalid', 5432), timeout=5)"))


def runaway(scene: Scene) -> None:
    running(scene, ["bash", "-c", "exec -a report-indexer bash -c 'while :; do :; done'"])
    time.sleep(4)


def memory_hog(scene: Scene) -> None:
    running(scene, python("import time\nkept = bytearray(b'x') * (3 << 30)\ntime.sleep(600)"))
    time.sleep(4)


def unavailable(scene: Scene) -> None:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # noqa: N802
            self.send_response(503)
            self.end_headers()
            self.wfile.write(b"database connection pool exhausted")

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 18991), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    scene.callback(server.server_close)
    scene.callback(server.shutdown)


def nobody_listens(scene: Scene) -> None:
    pass


CASES = [
    Case(
        "disk-full",
        "DiskWritesFail: the orders service cannot write to /srv/cases/orders",
        {
            "cause": ["srv cases orders is full", "no space left on device", "100% used", "used_percent 100", "disk is full"],
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
            "cause": ["address already in use", "port is already in use", "port conflict", "port that a service needs is taken"],
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


#!/usr/bin/env python3
"""Makes the cases of this folder: causes each fault for real, and records what the host inspector sees of it.

    sudo unshare --pid --mount --net --uts --fork --mount-proc tests/cases/generate.py target/debug/tarsy [NAME …]
    sudo unshare --pid --mount --net --uts --fork --mount-proc tests/cases/generate.py - [NAME …]

It needs root and namespaces of its own, so that mounts and links end with it and no other process is recorded. Each case is
one session of the offline analyst, and the calls of `CALLS`, which other models may ask for. `expected.json` is written here.
The second form causes the faults and prints the logs, without a TARSy. The programs that fail are in `programs`, the faults in
`faults`. The servers are those of `make setup`, libfaketime is that of `make setup-test`.
"""

import dataclasses
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.dont_write_bytecode = True

from faults import CASES  # noqa: E402
from faults.scene import BIN, CGROUPS, DATA, LOGS, Case, Scene  # noqa: E402

FOLDER = Path(__file__).parent
PORT = 18700
HOME = Path("/tmp/tarsy-cases")
# The hosts of the cases are named, because calls of this program have no alert whose hosts they may ask.
CONFIGURATION = """
mcp_servers:
  host:
    transport: {type: stdio, command: tarsy-host-inspector}
    policy:
      mode: enforce
      require_read_only: true
      hosts: ["127.0.0.1", "10.77.0.2", "*.cases.test", "*.cases.invalid"]
    instructions: |
      Looks at the machine that TARSy runs on: load, memory, disks, processes, network, logs. It cannot change
      anything. Numbers are of the moment of the call: call again to see a trend.
"""
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


def cleaned(text: str) -> str:
    """The text without the place where this checkout lies."""
    text = text.replace(str(FOLDER.resolve().parents[1]), "/opt/tarsy").replace(str(HOME), "/var/lib/tarsy")
    return re.sub(r"/[A-Za-z0-9_./-]*/\.tarsy/", "/opt/tarsy/.tarsy/", re.sub(r"/tmp/[A-Za-z0-9_.-]+/tarsy\b", "/opt/tarsy/bin/tarsy", text))


class Tarsy:
    """A TARSy of its own."""

    def __init__(self, program: str):
        self.program = str(Path(program).resolve())
        shutil.rmtree(HOME, ignore_errors=True)
        configuration = HOME.with_name("tarsy-cases-config")
        configuration.mkdir(exist_ok=True)
        (configuration / "tarsy.yaml").write_text(CONFIGURATION)
        environment = {**os.environ, "TARSY_CONFIG_DIR": str(configuration)}
        command = [self.program, "--home", str(HOME), "up", "--port", str(PORT)]
        self.process = subprocess.Popen(command, env=environment)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{PORT}/readyz", timeout=2).close()
                return
            except OSError:
                time.sleep(0.5)
        raise SystemExit("TARSy did not start")

    def run(self, *arguments: str, check: bool = True) -> str:
        command = [self.program, "--home", str(HOME), *arguments]
        return subprocess.run(command, check=check, capture_output=True, text=True).stdout

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)


def report_changes(case: Case) -> None:
    """Reports what changed, as a pipeline does."""
    for change in case.changes:
        fields = dataclasses.asdict(change)
        time_of_change = datetime.now(UTC) - timedelta(minutes=fields.pop("minutes"))
        fields["time"] = time_of_change.strftime("%Y-%m-%dT%H:%M:%SZ")
        fields["environment"] = "production"
        request = urllib.request.Request(f"http://127.0.0.1:{PORT}/api/v1/changes", json.dumps(fields).encode(), {"Content-Type": "application/json"})
        urllib.request.urlopen(request, timeout=10).close()


def record(tarsy: Tarsy, case: Case) -> None:
    folder = FOLDER / case.name
    with Scene() as scene:
        case.fault(scene)
        report_changes(case)
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


def show(case: Case) -> None:
    """Causes a fault and prints the logs."""
    with Scene() as scene:
        case.fault(scene)
        for path in sorted(LOGS.glob("*.log")):
            lines = path.read_text(errors="replace").splitlines()
            print(f"--- {case.name} {path.name}, {len(lines)} lines", *lines[-8:], sep="\n", flush=True)


def alert_file(case: Case) -> str:
    path = HOME / "alert.txt"
    path.write_text(case.alert if isinstance(case.alert, str) else json.dumps(case.alert))
    return str(path)


def prepare() -> None:
    """Mounts of this namespace, and a loopback."""
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    for path, options in [(LOGS, "size=16m"), (DATA, "size=64m"), (BIN.parent, "size=256m")]:
        path.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], check=True)
    # A sysfs of this network namespace, with the control groups of the machine in it.
    groups = DATA / "cgroups"
    groups.mkdir()
    for command in (["--rbind", CGROUPS, groups], ["-t", "sysfs", "sysfs", "/sys"], ["--rbind", groups, CGROUPS]):
        subprocess.run(["mount", *command], check=True)
    subprocess.run(["umount", "--recursive", "--lazy", groups], check=True)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subprocess.run(["hostname", "app-01"], check=True)


def main() -> None:
    if os.getpid() > 100:
        raise SystemExit("run it in namespaces of its own; the head of this file says how")
    names = sys.argv[2:]
    unknown = set(names) - {case.name for case in CASES}
    if unknown:
        raise SystemExit(f"unknown cases: {', '.join(sorted(unknown))}")
    prepare()
    tarsy = Tarsy(sys.argv[1]) if sys.argv[1] != "-" else None
    try:
        for case in CASES:
            if names and case.name not in names:
                continue
            for path in LOGS.iterdir():
                path.unlink()
            record(tarsy, case) if tarsy else show(case)
    finally:
        if tarsy:
            tarsy.stop()


main()

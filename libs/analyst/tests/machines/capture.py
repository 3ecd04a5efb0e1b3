#!/usr/bin/env python3
"""Makes the captures of this folder: what the host inspector answers about a machine in one state.

    sudo unshare --pid --mount --uts --fork --mount-proc libs/analyst/tests/machines/capture.py STATE PATH/tarsy-host-inspector

States: `idle` (nothing of its own runs), `busy` (one process works for two thirds of its time), `loaded` (it works all the
time, on a machine that others load). It needs namespaces of its own, so that no other process and no name of the machine is
recorded. Nothing is edited afterwards.
"""

import json
import subprocess
import sys
from pathlib import Path

CALLS = [
    ("system_overview", {}), ("load_average", {}), ("memory_usage", {}), ("disk_usage", {}),
    ("top_processes", {"sort_by": "cpu"}), ("top_processes", {"sort_by": "memory"}), ("network_counters", {}),
    ("failed_services", {}), ("uptime", {}),
]
WORK = {"idle": None, "busy": "0.01", "loaded": "0"}
PROGRAM = "import time\npause = float('{}')\nwhile True:\n    end = time.monotonic() + 0.02\n    while time.monotonic() < end: pass\n    time.sleep(pause)\n"


def inspect(program: str) -> list[str]:
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "capture", "version": "1"}}
    send(process, {"id": 0, "method": "initialize", "params": start})
    send(process, {"method": "notifications/initialized"})
    answers = [json.loads(process.stdout.readline())]
    for number, (tool, arguments) in enumerate(CALLS, 1):
        send(process, {"id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
        answers.append(json.loads(process.stdout.readline()))
    process.kill()
    return ["".join(part["text"] for part in answer["result"]["content"]) for answer in answers[1:]]


def send(process: subprocess.Popen, message: dict) -> None:
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    process.stdin.flush()


def main() -> None:
    state, inspector = sys.argv[1:3]
    subprocess.run(["hostname", "vm"], check=True)
    work = WORK[state]
    if work is not None:
        subprocess.Popen(["bash", "-c", 'exec -a compile "$0" -c "$1"', sys.executable, PROGRAM.format(work)])
    texts = inspect(inspector)
    parts = [f"$ {tool} {json.dumps(arguments)}\n{text}\n" for (tool, arguments), text in zip(CALLS, texts, strict=True)]
    Path(__file__).with_name(f"{state}.txt").write_text("".join(parts))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Makes the captures of this folder: output of real programs on a machine where nothing is wrong.

    sudo unshare --pid --mount --uts --fork --mount-proc tests/cases/healthy/capture.py PATH/tarsy-host-inspector PATH/nats-server

It needs namespaces of its own, so that no other process and no name of the machine is recorded. Each file begins with the
command that made it. Nothing is edited afterwards.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(os.environ.get("CAPTURES", Path(__file__).parent))
DATA = Path("/tmp/healthy")

COMMANDS = {
    "ps-aux": "ps aux", "ps-full": "ps -ef", "ps-threads": "ps -eo pid,ppid,stat,pcpu,pmem,comm,args", "df": "df -h /",
    "df-inodes": "df -i /", "free": "free -m", "vmstat": "vmstat 1 3", "vmstat-totals": "vmstat -s", "ss-listen": "ss -tlnp",
    "ss-summary": "ss -s", "uptime": "uptime", "top": "top -b -n 1", "meminfo": "cat /proc/meminfo", "loadavg": "cat /proc/loadavg",
    "pressure": "cat /proc/pressure/cpu /proc/pressure/memory /proc/pressure/io", "limits": "cat /proc/self/limits",
    "sysctl": "sysctl net.ipv4.tcp_retries2 net.ipv4.tcp_syn_retries net.core.somaxconn vm.panic_on_oom kernel.panic",
    "mounts": "cat /proc/self/mounts", "resolver": "cat /etc/resolv.conf", "date": "date -u", "uname": "uname -sr",
    "openssl": "openssl x509 -in /tmp/healthy/tls.pem -noout -dates -subject", "curl": "curl -sv http://127.0.0.1:18222/healthz",
    "nats-varz": "curl -s http://127.0.0.1:18222/varz", "nats-connz": "curl -s http://127.0.0.1:18222/connz",
    "nats-jsz": "curl -s http://127.0.0.1:18222/jsz", "nats-log": "cat /tmp/healthy/nats.log",
    "postgres-log": "cat /tmp/healthy/postgres.log", "web-log": "cat /tmp/healthy/web.log",
    "pg-settings": "psql -h 127.0.0.1 -p 18432 -U postgres -c \"select name, setting, unit from pg_settings where name ~ 'timeout|max|error|fail'\"",
    "pg-activity": "psql -h 127.0.0.1 -p 18432 -U postgres -c 'select pid, state, wait_event_type, query from pg_stat_activity'",
    "pg-database": "psql -h 127.0.0.1 -p 18432 -U postgres -x -c \"select * from pg_stat_database where datname = 'postgres'\"",
    "interrupts": "head -n 12 /proc/softirqs", "cgroup": "cat /sys/fs/cgroup/cpu.stat", "netstat": "cat /proc/net/snmp",
    "pg-locks": "psql -h 127.0.0.1 -p 18432 -U postgres -c 'select locktype, mode, granted from pg_locks'",
}
INSPECTIONS = {
    "inspect-overview": ("system_overview", {}), "inspect-load": ("load_average", {}), "inspect-memory": ("memory_usage", {}),
    "inspect-disk": ("disk_usage", {}), "inspect-processes": ("top_processes", {"sort_by": "cpu"}),
    "inspect-processes-memory": ("top_processes", {"sort_by": "memory"}), "inspect-ports": ("listening_ports", {}),
    "inspect-network": ("network_counters", {}), "inspect-logs": ("list_logs", {}), "inspect-services": ("failed_services", {}),
    "inspect-uptime": ("uptime", {}),
}


def start(nats: str) -> None:
    shutil.rmtree(DATA, ignore_errors=True)
    DATA.mkdir()
    DATA.chmod(0o777)
    for name in ["deploy-worker --fail-fast --startup-timeout 60 --on-error retry", "watcher --critical-path --panic-timeout 30"]:
        subprocess.Popen(["bash", "-c", f"exec -a '{name}' sleep 600"])
    run(f"openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=web.example.com -keyout {DATA}/key.pem -out {DATA}/tls.pem")
    config = DATA / "nats.conf"
    config.write_text(f'listen: 127.0.0.1:18422\nhttp: 127.0.0.1:18222\njetstream {{ store_dir: "{DATA}/js" }}\n')
    subprocess.Popen([nats, "-c", config, "-l", DATA / "nats.log"])
    pg = "setpriv --reuid=65534 --clear-groups env HOME=/tmp"
    run(f"{pg} initdb -D {DATA}/pg -U postgres -A trust")
    run(f"{pg} pg_ctl -D {DATA}/pg -w -o '-p 18432 -k /tmp -h 127.0.0.1 -c log_checkpoints=on -c log_connections=on' -l {DATA}/postgres.log start")
    web = (DATA / "web.log").open("w")
    (DATA / "site").mkdir()
    (DATA / "site" / "error.html").write_text("error page\n")
    subprocess.Popen([sys.executable, "-m", "http.server", "18080", "--bind", "127.0.0.1", "-d", DATA / "site"], stdout=web, stderr=web)
    run("curl -s --retry 30 --retry-connrefused http://127.0.0.1:18222/healthz")
    run("for i in 1 2 3; do curl -s --retry 30 --retry-connrefused http://127.0.0.1:18080/error.html; curl -s http://127.0.0.1:18080/; done")
    run("psql -h 127.0.0.1 -p 18432 -U postgres -c 'create table a (id int)' -c checkpoint")


def run(command: str) -> str:
    done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout


def inspect(program: str, calls: dict) -> dict:
    messages = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "capture", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    found = {}
    for message in messages:
        process.stdin.write(json.dumps(message) + "\n")
    for at, (name, (tool, arguments)) in enumerate(calls.items(), 1):
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": at, "method": "tools/call",
                                        "params": {"name": tool, "arguments": arguments}}) + "\n")
    process.stdin.flush()
    names = list(calls)
    while len(found) < len(calls):
        line = process.stdout.readline()
        if not line:
            break
        answer = json.loads(line)
        if answer.get("id"):
            found[names[answer["id"] - 1]] = "".join(part.get("text", "") for part in answer.get("result", {"content": [answer]})["content"])
    process.kill()
    return found


def main() -> None:
    inspector, nats = sys.argv[1:3]
    run("hostname vm")
    start(nats)
    for name, command in COMMANDS.items():
        (FOLDER / f"{name}.txt").write_text(f"$ {command}\n{run(command)}")
    for name, text in inspect(inspector, INSPECTIONS).items():
        tool, arguments = INSPECTIONS[name]
        (FOLDER / f"{name}.txt").write_text(f"$ host.{tool} {json.dumps(arguments)}\n{text}")
    run(f"setpriv --reuid=65534 --clear-groups pg_ctl -D {DATA}/pg -m immediate stop")


if __name__ == "__main__":
    main()

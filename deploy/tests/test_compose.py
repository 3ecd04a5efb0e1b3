"""The Compose files, as Docker Compose itself reads them."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from manifests import ROOT, Object, run
from test_observability import program
from test_settings import OTHERS, documented

COMPOSE = ROOT / ".tarsy/compose/docker-compose"
STACKS = [["compose.yaml"], ["compose.yaml", "certificates.yaml"], ["compose.yaml", "production.yaml"]]
stacks = pytest.mark.parametrize("files", STACKS, ids="+".join)
OURS = (
    "migrate",
    "provisioner",
    "llm-service",
    "api-gateway",
    "orchestrator",
    "summarizer",
    "mcp-gateway",
    "notifier",
    "stream-relay",
)


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
    done = load(files, variables())
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@stacks
def test_compose_accepts_the_files_without_a_warning(files: list[str]) -> None:
    done = load(files, variables())
    assert done.returncode == 0, done.stderr
    assert "level=warning" not in done.stderr


def test_a_variable_that_is_not_set_is_named() -> None:
    done = load(["compose.yaml"], {name: value for name, value in variables().items() if name != "TARSY_RELAY_TOKEN"})
    assert done.returncode != 0
    assert "TARSY_RELAY_TOKEN" in done.stderr


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
    beside = {"postgres", "nats", "nats-2", "nats-3", "oauth2-proxy", "otel-collector", "prometheus", "grafana"}
    assert set(services) == set(OURS) | beside
    for name in set(OURS) - {"migrate", "provisioner"}:
        assert "OTEL_EXPORTER_OTLP_ENDPOINT" in services[name]["environment"], name
    for name in set(OURS) - {"migrate"} | {"prometheus", "otel-collector"}:
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
    assert all(read["networks"][name].get("internal") for name in ("data", "models", "relay"))
    assert networks["postgres"] == {"data"}
    assert networks["nats"] == {"data"}
    assert "data" not in networks["llm-service"]
    assert {name for name in networks if "models" in networks[name]} == {
        "llm-service",
        "api-gateway",
        "orchestrator",
        "summarizer",
    }
    assert {name for name in networks if "relay" in networks[name]} == {"stream-relay", "api-gateway"}


@stacks
def test_every_variable_is_a_setting(files: list[str]) -> None:
    settings = documented()
    # Keys of vendors and tokens, under the names that the configuration gives them.
    keys = re.compile(r"^(GOOGLE|OPENAI|ANTHROPIC|XAI)_API_KEY$|^SLACK_BOT_TOKEN$")
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
    assert "TARSY_INSECURE" not in gateway["environment"]
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


def test_nats_accepts_the_arguments_of_each_server(tmp_path: Path) -> None:
    services = stack(["compose.yaml", "production.yaml"])["services"]
    server = next((ROOT / ".tarsy/venv").rglob("nats-server"), None)
    assert server, "deploy/scripts/setup.sh deploy"
    configuration = (ROOT / "deploy/nats/nats.conf").read_text().replace("/data", str(tmp_path))
    (tmp_path / "nats.conf").write_text(configuration)
    (tmp_path / "accounts.conf").write_text((ROOT / "deploy/nats/accounts.conf").read_text())
    for name in ("nats", "nats-2", "nats-3"):
        command = [part.replace("/etc/nats", str(tmp_path)) for part in services[name]["command"]]
        done = subprocess.run(
            [str(server), *command, "-t"],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
            env=services[name]["environment"],
        )
        assert done.returncode == 0, done.stderr


def test_prometheus_accepts_its_configuration_and_scrapes_every_service(tmp_path: Path) -> None:
    text = (ROOT / "compose/observability/prometheus.yaml").read_text()
    (tmp_path / "prometheus.yml").write_text(text)
    (tmp_path / "rules.yaml").write_text((ROOT / "deploy/observability/rules.yaml").read_text())
    run(program("promtool"), "check", "config", tmp_path / "prometheus.yml")
    jobs = {job["job_name"] for job in yaml.safe_load(text)["scrape_configs"]}
    assert jobs == set(OURS) - {"migrate"}

"""Deployments name settings that exist, and secrets with the keys that the example has."""

import re

import pytest
import yaml
from manifests import ROOT, SOURCES, Object, objects, pod_of, title

# Set by the platform for other variables of the same pod, or read by programs that are not ours.
OTHERS = re.compile(
    r"^(NATS_PASSWORD|DATABASE_PASSWORD|SLACK_SIGNING_SECRET|HTTPS_PROXY|(OAUTH2_PROXY|POSTGRES|NATS)_[A-Z_]+|POD_NAME|PGDATA)$"
)


def documented() -> set[str]:
    """The variables of the table *Settings of a process*."""
    text = (ROOT / "docs/operating.md").read_text()
    table = text.split("## Settings of a process", 1)[1].split("\n## ", 1)[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`([A-Z][A-Z0-9_]+)`", row)}


@pytest.mark.parametrize("source", SOURCES, ids="-".join)
def test_every_variable_is_a_setting(source: tuple[str, str]) -> None:
    settings = documented()
    assert len(settings) > 30
    named = set[str]()
    for item in objects(source):
        for container in (pod_of(item) or {}).get("containers", []):
            named |= {one["name"] for one in container.get("env", [])}
        if title(item) == "ConfigMap/tarsy-settings":
            named |= set(item["data"])
    unknown = {name for name in named if name not in settings and not OTHERS.match(name)}
    assert not unknown


def keys(value: object) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        found = [(value["secretKeyRef"]["name"], value["secretKeyRef"]["key"])] if "secretKeyRef" in value else []
        return found + [pair for one in value.values() for pair in keys(one)]
    if isinstance(value, list):
        return [pair for one in value for pair in keys(one)]
    return []


@pytest.mark.parametrize("source", SOURCES, ids="-".join)
def test_every_key_of_the_secrets_is_in_the_example(source: tuple[str, str]) -> None:
    text = (ROOT / "deploy/kubernetes/secret.example.yaml").read_text()
    example: dict[str, Object] = {one["metadata"]["name"]: one["stringData"] for one in yaml.safe_load_all(text)}
    own = {item["metadata"]["name"] for item in objects(source) if item["kind"] == "Secret"}
    for secret, key in keys(list(objects(source))):
        assert secret in own or key in example.get(secret, {}), f"{secret}: {key}"


def test_the_chart_has_the_version_of_the_workspace() -> None:
    version = re.search(r'^version = "(.+)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)
    text = yaml.safe_load((ROOT / "deploy/helm/tarsy/Chart.yaml").read_text())
    assert version
    assert text["version"] == text["appVersion"] == version.group(1)

"""The commands of the pages of docs/install."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from manifests import CHART, HELM, ROOT, read, run, title
from test_compose import load

PAGES = sorted((ROOT / "docs/install").glob("*.md"))
pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def blocks(page: Path, language: str) -> list[str]:
    """The code of a page in a language, without the indentation of lists."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```", page.read_text(), re.DOTALL | re.MULTILINE)
    return ["\n".join(line.removeprefix(indent) for line in text.splitlines()) for indent, text in found]


@pages
def test_files_that_a_page_names_are_there(page: Path) -> None:
    named = set(re.findall(r"\b(?:deploy|compose)/[\w./-]*\w", page.read_text()))
    made = {
        "compose/.env",
        "compose/tls",
        "compose/tls/tls.key",
        *(f"compose/certificates/nats-routes{end}" for end in ("", "-ca.key")),
    }
    assert named
    assert not [name for name in named - made if not (ROOT / name).exists()]


@pages
def test_links_of_a_page_lead_to_files(page: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
        assert (page.parent / link).exists(), link


@pages
def test_commands_of_a_page_are_shell(page: Path) -> None:
    for text in blocks(page, "sh"):
        subprocess.run(["/bin/bash", "-n"], input=text, text=True, check=True, timeout=10)


@pages
def test_configuration_of_a_page_is_yaml(page: Path) -> None:
    for text in blocks(page, "yaml"):
        assert isinstance(yaml.safe_load(text), dict)


def test_the_values_of_the_page_are_those_of_the_chart(tmp_path: Path) -> None:
    values = tmp_path / "values.yaml"
    values.write_text(
        next(text for text in blocks(ROOT / "docs/install/kubernetes.md", "yaml") if text.startswith("# values.yaml"))
    )
    made = {
        title(item) for item in read(run(HELM, "template", "tarsy", CHART, "--namespace", "tarsy", "--values", values))
    }
    assert {"Ingress/tarsy", "Service/tarsy-web", "Deployment/orchestrator"} <= made


def test_the_commands_that_make_passwords_make_all_of_them(tmp_path: Path) -> None:
    (tmp_path / "compose").mkdir()
    shutil.copy(ROOT / "compose/.env.example", tmp_path / "compose/.env.example")
    text = next(text for text in blocks(ROOT / "docs/install/host.md", "sh") if "openssl rand" in text)
    commands = "\n".join(line for line in text.splitlines() if not line.startswith("docker "))
    subprocess.run(["/bin/bash", "-euc", commands], cwd=tmp_path, check=True, timeout=30)
    lines = (
        line.partition("=")
        for line in (tmp_path / "compose/.env").read_text().splitlines()
        if "=" in line and not line.startswith("#")
    )
    made = {key: value for key, _, value in lines}
    # What the identity provider gives is written by hand.
    by_hand = {f"OAUTH2_{key}": "given" for key in ("ISSUER_URL", "CLIENT_ID", "CLIENT_SECRET")}
    done = load(["compose.yaml", "production.yaml"], {**made, **by_hand})
    assert done.returncode == 0, done.stderr
    passwords = [value for value in made.values() if value]
    assert len(passwords) == len(set(passwords)) > 10

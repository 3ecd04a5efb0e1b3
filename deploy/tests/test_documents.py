"""The commands of the documentation: each block runs here, or says why it cannot and is checked."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from documents import Block, blocks, commands, has_valid_syntax
from manifests import ROOT
from programs import built, problem
from running import DEADLINE_SECONDS, free_port, get, wait_until_ready

BLOCKS = blocks()
every_block = pytest.mark.parametrize("block", BLOCKS, ids=str)
# Names of the documentation that stand for an installation.
ADDRESSES = ("https://tarsy.example.com", "http://localhost:8080")
# What earlier steps make: it is in no checkout.
MADE = (
    "compose/.env",
    "compose/tls",
    "compose/certificates",
    "deploy/config/tarsy.yaml",
    "deploy/config/llm-providers.yaml",
)


@every_block
def test_a_block_has_its_kind_of_test(block: Block) -> None:
    assert block.how, f"{block}: write <!-- commands: run -->, cluster or <!-- commands: checked, REASON --> above it"
    assert (block.how == "checked") == bool(block.reason), f"{block}: a block that is not run says why"


@every_block
def test_a_block_is_a_script_whose_programs_know_its_words(block: Block) -> None:
    assert not has_valid_syntax(block.text)
    found = commands(block.text)
    assert found, block.text
    problems = [outcome for command in found if (outcome := problem(command))]
    assert not problems


@every_block
def test_the_files_of_a_block_are_there(block: Block) -> None:
    named = {
        word
        for command in commands(block.text)
        for word in command
        if word.startswith(("deploy/", "compose/", "tests/"))
    }
    missing = [name for name in named if not name.startswith(MADE) and not (ROOT / name).exists()]
    assert not missing


def test_most_pages_have_commands_that_run() -> None:
    assert len([block for block in BLOCKS if block.how == "run"]) >= 8


@dataclass(frozen=True)
class Installation:
    """A running TARSy, and a session that is over."""

    url: str
    home: Path
    session: str


def environment(**more: str) -> dict[str, str]:
    """A small environment, in which `tarsy` is the one that was built here."""
    path = f"{ROOT / 'target/debug'}:{os.environ['PATH']}"
    return {"PATH": path, "HOME": os.environ.get("HOME", "/root"), "LANG": "C.UTF-8", **more}


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """The all-in-one, with a session that the offline analyst has finished."""
    folder = tmp_path_factory.mktemp("installation")
    home, log, url = folder / "home", folder / "log", f"http://127.0.0.1:{free_port()}"
    port = url.rpartition(":")[2]
    command = [str(built("tarsy")), "--home", str(home), "up", "--port", port]
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=output, stderr=output)
        try:
            wait_until_ready(process, url, log)
            submit = [str(built("tarsy")), "--url", url, "submit", "--example", "host", "--follow"]
            done = subprocess.run(
                submit, env=environment(), capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False
            )
            assert done.returncode == 0, done.stderr
            sessions = json.loads(get(f"{url}/api/v1/sessions"))["sessions"]
            yield Installation(url, home, sessions[0]["id"])
        finally:
            process.terminate()
            process.wait(timeout=DEADLINE_SECONDS)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose files are those of the repository, but for the folders that commands write to."""
    for entry in ROOT.iterdir():
        if entry.name not in ("compose", ".git"):
            (tmp_path / entry.name).symlink_to(entry)
    shutil.copytree(ROOT / "compose", tmp_path / "compose", ignore=shutil.ignore_patterns(".env", "tls"))
    return tmp_path


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.how == "run"], ids=str)
def test_a_block_runs(block: Block, installation: Installation, checkout: Path) -> None:
    text = block.text
    for address in ADDRESSES:
        text = text.replace(address, installation.url)
    text = re.sub(r"(?<![$\w])SESSION\b", installation.session, text)
    # The address and the session as variables, as somebody at a shell would have them.
    variables = environment(TARSY_URL=installation.url, TARSY_HOME=str(installation.home), SESSION=installation.session)
    # An answer that is an error is a failure.
    text = 'curl() { command curl --fail-with-body --silent --show-error "$@"; }\n' + text
    done = subprocess.run(
        ["/bin/bash", "-euo", "pipefail", "-c", text],
        cwd=checkout,
        env=variables,
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"

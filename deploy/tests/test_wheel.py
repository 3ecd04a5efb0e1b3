"""The wheel in an empty Python environment, for a user who has no compiler: installed, started, upgraded and removed."""

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from manifests import ROOT
from programs import built
from running import DEADLINE_SECONDS, free_port, get, wait_until_ready

sys.path.insert(0, str(ROOT / "deploy/scripts"))
import wheel

OLD, NEW = "0.0.9", "0.1.0"
TOOLCHAINS = ("cargo", "rustc", "node", "npm", "cc", "gcc")


@dataclass(frozen=True)
class User:
    """Somebody with an empty home, whose PATH has a Python environment and nothing else."""

    folder: Path

    @property
    def programs(self) -> Path:
        return self.folder / "venv/bin"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def variables(self) -> dict[str, str]:
        """How this machine reaches the package registry is no part of the user's set-up."""
        registry = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        return {**registry, "PATH": str(self.programs), "HOME": str(self.home), "LANG": "C.UTF-8"}

    def run(self, program: str, *arguments: str | Path, folder: Path | None = None) -> str:
        done = subprocess.run(
            [self.programs / program, *arguments],
            cwd=folder or self.home,
            env=self.variables(),
            capture_output=True,
            text=True,
            timeout=DEADLINE_SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{program} {arguments}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    @contextmanager
    def started(self) -> Iterator[str]:
        """TARSy with its embedded servers: its address."""
        log, url = self.folder / "log", f"http://127.0.0.1:{free_port()}"
        command = [self.programs / "tarsy", "up", "--port", url.rpartition(":")[2]]
        with log.open("wb") as output:
            process = subprocess.Popen(command, cwd=self.home, env=self.variables(), stdout=output, stderr=output)
            try:
                wait_until_ready(process, url, log)
                yield url
            finally:
                process.terminate()
                process.wait(timeout=DEADLINE_SECONDS)


def made(folder: Path, version: str) -> Path:
    """The file of requirements of a wheel, which lies beside it."""
    script = [sys.executable, ROOT / "deploy/scripts/wheel.py", built("tarsy")]
    subprocess.run([*script, "--folder", folder, "--version", version, "--level", "0"], check=True, capture_output=True)
    return folder / f"tarsy-{version}-{platform.machine()}-requirements.txt"


@pytest.fixture
def user() -> Iterator[User]:
    # In a folder that others may enter: PostgreSQL does not run as root.
    folder = Path(tempfile.mkdtemp(prefix="tarsy-wheel-"))
    folder.chmod(0o755)
    (folder / "home").mkdir()
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    yield User(folder)
    shutil.rmtree(folder)


def sessions(url: str) -> list[dict[str, str]]:
    return json.loads(get(f"{url}/api/v1/sessions"))["sessions"]


def test_a_wheel_is_installed_started_upgraded_and_removed(user: User) -> None:
    assert not [name for name in TOOLCHAINS if shutil.which(name, path=str(user.programs))]
    old, new = (made(user.folder / version, version) for version in (OLD, NEW))

    # By hash, each of them, as the file says.
    user.run("pip", "install", "--quiet", "--no-deps", "--require-hashes", "-r", old, folder=old.parent)
    user.run("pip", "check")
    with user.started() as url:
        assert "<title>TARSy</title>" in get(url).decode()
        shown = user.run("tarsy", "demo")
        assert "completed" in shown, shown
        before = sessions(url)
        assert before

    # What was investigated before the upgrade is there after it. The names of the wheel alone decide on the rest.
    (wheel,) = new.parent.glob("*.whl")
    user.run("pip", "install", "--quiet", "--upgrade", wheel)
    assert user.run("pip", "show", "tarsy").splitlines()[1] == f"Version: {NEW}"
    with user.started() as url:
        assert sessions(url) == before
    assert list(user.home.iterdir()) == [user.home / ".local"], "the home has more than the data of TARSy"

    user.run("pip", "uninstall", "--quiet", "--yes", "tarsy")
    venv = user.folder / "venv"
    files = [path.relative_to(venv) for path in venv.rglob("*") if path.is_file()]
    left = [path for path in files if {"tarsy", "llm_service"} & set(path.parts) or "tarsy-" in str(path)]
    assert not left, left


def test_the_same_program_makes_the_same_wheel(tmp_path: Path) -> None:
    first, second = (made(tmp_path / name, NEW).read_text() for name in ("one", "two"))
    assert first == second
    assert first.count("--hash=sha256:") > first.count("==") > 1


def test_a_wheel_that_is_too_large_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = shutil.which("true")
    assert program
    monkeypatch.setattr(wheel, "MOST_BYTES", 1000)
    monkeypatch.setattr(sys, "argv", ["wheel.py", program, "--folder", str(tmp_path), "--level", "1"])
    with pytest.raises(SystemExit, match="has more than 0 MB"):
        wheel.main()

"""What a fault is made with: programs in the background, logs, mounts, control groups. All of it ends with the scene."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

PROGRAMS = Path(__file__).parent.parent / "programs"
TOOLS = Path(__file__).parents[3] / ".tarsy/venv"
LOGS = Path("/var/log/cases")
DATA = Path("/srv/cases")
BIN = Path("/opt/cases/bin")
CGROUPS = Path("/sys/fs/cgroup")
# How long a program may take to write what a fault waits for.
WAIT_SECONDS = 60


@dataclass
class Change:
    """A change that is reported some minutes before the alert."""

    minutes: int
    kind: str
    text: str
    object: str
    author: str
    service: str | None = None


@dataclass
class Case:
    """A fault, the alert about it, and the accepted answers, which are written before any report is read."""

    name: str
    alert: str | dict
    expected: dict
    fault: Callable[["Scene"], None]
    # Calls that are recorded besides those of the session: the tool and its arguments.
    calls: list[tuple[str, dict]] = field(default_factory=list)
    # What was reported as changed before the alert.
    changes: list[Change] = field(default_factory=list)


class Scene(ExitStack):
    """The programs, files and mounts of one fault."""

    def mount(self, path: Path, options: str) -> None:
        path.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], check=True)
        self.callback(subprocess.run, ["umount", "--lazy", str(path)], check=True)

    def start(self, name: str, command: Sequence[str | Path], log: str | None = None, **options) -> subprocess.Popen:
        """Starts a program whose output goes to a log; it is killed at the end."""
        with log_file(log or name).open("a") as output:
            process = subprocess.Popen(
                [str(part) for part in command], stdout=output, stderr=subprocess.STDOUT, start_new_session=True, **options
            )
        self.callback(end, process)
        return process

    def service(self, name: str, *arguments: str, before: Sequence[str] = (), env: dict | None = None) -> subprocess.Popen:
        """Starts `programs/NAME.py` in the background as a process of this name."""
        return self.start(name, [*before, *program(name), *arguments], env=environment(env))

    def control_group(self, controller: str, name: str, limits: dict[str, int]) -> list[str]:
        """Makes a control group (version 1); returns what is put before a command to run it there."""
        group = CGROUPS / controller / f"cases-{name}"
        group.mkdir(exist_ok=True)
        for setting, value in limits.items():
            (group / setting).write_text(str(value))
        self.callback(remove_group, group)
        return ["sh", "-c", f'echo $$ > {group}/cgroup.procs; exec "$0" "$@"']


def environment(more: dict | None = None) -> dict:
    return {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1", **(more or {})}


def program(name: str) -> list[str]:
    """The command of `programs/NAME.py`; the process has the name of its file."""
    BIN.mkdir(parents=True, exist_ok=True)
    python, script = BIN / name, BIN / f"{name}.py"
    if not python.exists():
        python.symlink_to(os.path.realpath("/usr/bin/python3"))
    shutil.copy(PROGRAMS / f"{name.replace('-', '_')}.py", script)
    return [str(python), str(script)]


def log_file(name: str) -> Path:
    LOGS.mkdir(parents=True, exist_ok=True)
    return LOGS / f"{name}.log"


def run(name: str, command: Sequence[str | Path], **options) -> int:
    """Runs a program to its end, with its output in a log."""
    with log_file(name).open("a") as output:
        arguments = [str(part) for part in command]
        return subprocess.run(arguments, stdout=output, stderr=subprocess.STDOUT, timeout=WAIT_SECONDS, check=False, **options).returncode


def python(script: str) -> list[str]:
    return [sys.executable, "-c", script]


def wait_for(name: str, text: str, count: int = 1) -> None:
    """Waits until a log has a text so often."""
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        if log_file(name).exists() and log_file(name).read_text(errors="replace").count(text) >= count:
            return
        time.sleep(0.1)
    found = log_file(name).read_text(errors="replace") if log_file(name).exists() else "no log"
    raise SystemExit(f"{name}.log has no {text!r}: {found[-2000:]}")


def end(process: subprocess.Popen) -> None:
    try:
        os.killpg(process.pid, 9)
    except ProcessLookupError:
        pass
    process.wait()


def remove_group(group: Path) -> None:
    for pid in (group / "cgroup.procs").read_text().split():
        os.kill(int(pid), 9)
    deadline = time.monotonic() + WAIT_SECONDS
    while (group / "cgroup.procs").read_text() and time.monotonic() < deadline:
        time.sleep(0.1)
    group.rmdir()


def healthy(scene: Scene) -> None:
    """Services without a fault: a catalog, and a client of it whose first request comes before the catalog listens."""
    scene.service("catalog-client", "http://127.0.0.1:18901/")
    wait_for("catalog-client", "refused")
    scene.service("catalog", "18901")
    wait_for("catalog-client", "answered 200", 2)
    (DATA / "backup").mkdir(parents=True, exist_ok=True)
    run("backup", ["tar", "--create", "--verbose", "--file", DATA / "backup/etc.tar", "/etc/hostname", "/etc/hosts"])

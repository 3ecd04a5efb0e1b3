"""Whether a program knows the subcommands and options that the documentation gives it: by its own help."""

import functools
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from manifests import HELM, KUBECTL, ROOT

COMPOSE = ROOT / ".tarsy/compose/docker-compose"
# Programs of others that no registry of ours has, and the tools of every system.
OTHERS = frozenset(
    """$EDITOR ../.tarsy/venv-test/bin/python .venv/bin/pyright .venv/bin/pytest .venv/bin/python .venv/bin/ruff aws
    cat cd chmod chown claude cp curl cut date docker echo export git grep kind mkdir nk oauth2-proxy openssl pipx printf
    psql python3 rm scripts/gen.sh sed sudo tarsy-kubernetes-watcher tr uv ~/tarsy/bin/pip ~/tarsy/bin/tarsy""".split()
)
# What `oc` has and kubectl has not; for the rest they have the same commands.
OPENSHIFT = frozenset(("new-project",))


@functools.cache
def built(name: str) -> Path:
    """A program of ours, which the documentation may call by its path."""
    program = ROOT / "target/debug" / name
    assert program.exists(), f"{program} is missing: build the workspace first (cargo build --workspace)"
    return program


@functools.cache
def help_of(program: Path, *subcommands: str) -> str:
    command = [str(program), *subcommands, "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
    return done.stdout


def _subcommands(text: str) -> set[str]:
    """The subcommands that a help lists: indented words, each followed by two spaces or more."""
    return set(re.findall(r"^ {2,}([a-z][a-z-]*)\*? {2,}\S", text, re.MULTILINE))


def check(program: Path, words: list[str], with_value: frozenset[str] = frozenset(), general: str = "") -> str:
    """What is wrong with the words after a program's name; `general` is help about options that every command has."""
    chain: list[str] = []
    options: list[str] = []
    skip = False
    for position, word in enumerate(words):
        if skip:
            skip = False
        elif word == "--":
            break
        elif word.startswith("-") and word != "-":
            name = word.split("=", 1)[0]
            options.append(name)
            skip = name in with_value and "=" not in word
        elif len(chain) == len([one for one in words[:position] if one in chain]):
            if word in _subcommands(help_of(program, *chain)):
                chain.append(word)
            elif not chain:
                return f"{program.name} has no command {word}"
    known = "".join(help_of(program, *chain[:length]) for length in range(len(chain) + 1)) + general
    unknown = [one for one in options if not re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", known)]
    return f"{program.name} {' '.join(chain)} has no {', '.join(unknown)}" if unknown else ""


def _tarsy(words: list[str]) -> str:
    return check(built("tarsy"), words, frozenset(("--url", "--home", "--token")))


def _kubectl(words: list[str]) -> str:
    return check(KUBECTL, words, frozenset(("-n", "--namespace")), _options_of_kubectl())


@functools.cache
def _options_of_kubectl() -> str:
    return subprocess.run([str(KUBECTL), "options"], capture_output=True, text=True, timeout=60, check=True).stdout


def _oc(words: list[str]) -> str:
    return "" if words[0] in OPENSHIFT else _kubectl(words)


def _helm(words: list[str]) -> str:
    return check(HELM, words, frozenset(("-n", "--namespace")))


def _docker(words: list[str]) -> str:
    return check(COMPOSE, words[1:], frozenset(("-f", "--file"))) if words[:1] == ["compose"] else ""


def _start(words: list[str]) -> str:
    return check(COMPOSE, words) if words else ""


def _make(words: list[str]) -> str:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))
    variables = set(re.findall(r"\$\(or \$\(([A-Z]+)\)|\$\(([A-Z]+)\)", makefile))
    names = {name for pair in variables for name in pair} | {"BASES", "PROFILE"}
    for word in words:
        name, sign, _ = word.partition("=")
        if name not in (names if sign else targets):
            return f"make knows no {word}"
    return ""


def _cargo(words: list[str]) -> str:
    packages = set(re.findall(r'^name = "([^"]+)"', (ROOT / "Cargo.lock").read_text(), re.MULTILINE))
    named = [words[place + 1] for place, word in enumerate(words) if word == "-p"]
    return next((f"there is no package {name}" for name in named if name not in packages), "")


def _npm(words: list[str]) -> str:
    scripts = json.loads((ROOT / "dashboard/package.json").read_text())["scripts"]
    name = words[1] if words[0] == "run" else words[0]
    return "" if name in scripts else f"npm run {name} is no script of the dashboard"


def _gateway(words: list[str]) -> str:
    # `serve` has the name of a server after it, and no options.
    return "" if words[:1] == ["serve"] and len(words) == 2 else f"tarsy-mcp-gateway {' '.join(words)}"


def _certificates(words: list[str]) -> str:
    return "" if len(words) > 1 and not words[0].startswith("-") else "nats-certificates.sh needs a folder and names"


CHECKS: dict[str, Callable[[list[str]], str]] = {
    "tarsy": _tarsy,
    "target/debug/tarsy": _tarsy,
    "tarsy-mcp-gateway": _gateway,
    "kubectl": _kubectl,
    "compose/start.sh": _start,
    "oc": _oc,
    "helm": _helm,
    "docker": _docker,
    "make": _make,
    "cargo": _cargo,
    "npm": _npm,
    "deploy/scripts/nats-certificates.sh": _certificates,
}


def problem(command: list[str]) -> str:
    """What is wrong with a command; nothing if its program knows it, or is one of others."""
    program, words = command[0], command[1:]
    if check_words := CHECKS.get(program):
        return check_words(words)
    return "" if program in OTHERS else f"nothing is known about {program}"

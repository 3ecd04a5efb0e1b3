"""Looks for known vulnerabilities in the lock files, and says what could not be checked.

A database that cannot be reached is not a pass. Exit codes: 0 nothing is known, 1 a vulnerability is known,
2 nothing is known, but not everything could be checked.
"""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NPM = ("dashboard", "deploy/mcp-servers", "tests/servers/npm", "tests/vendor")
PYTHON = (
    "llm-service/requirements.txt",
    "llm-service/requirements-dev.txt",
    "deploy/embedded/requirements.txt",
    "deploy/audit/requirements.txt",
    "tests/schemathesis/requirements.txt",
    "tests/servers/requirements.txt",
    "tests/servers/requirements-sqlite.txt",
    "tests/models/requirements.txt",
)
TIMEOUT_S = 300


@dataclass
class Result:
    """What is known of one lock file."""

    subject: str
    found: list[str] = field(default_factory=list)
    unchecked: str = ""

    def line(self) -> str:
        if self.found:
            return f"VULNERABLE   {self.subject}: {'; '.join(self.found)}"
        if self.unchecked:
            return f"NOT CHECKED  {self.subject}: {self.unchecked}"
        return f"ok           {self.subject}"


def run(command: list[str], folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """The command's output; a missing program or a timeout is an error of the command."""
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 127, "", str(error))


def last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no explanation"


def parsed(text: str) -> dict:
    try:
        document = json.loads(text)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def crates(cargo_deny: str) -> Result:
    result = Result("Cargo.lock (RustSec)")
    fetched = run([cargo_deny, "--log-level", "error", "fetch", "db"])
    if fetched.returncode != 0:
        result.unchecked = last_line(fetched.stderr)
        return result
    checked = run([cargo_deny, "--format", "json", "--log-level", "error", "check", "--disable-fetch", "advisories"])
    for line in checked.stderr.splitlines():
        fields = parsed(line).get("fields", {})
        if fields.get("severity") == "error":
            result.found.append(str(fields.get("message", "an advisory")))
    if checked.returncode != 0 and not result.found:
        result.unchecked = last_line(checked.stderr)
    return result


def npm(folder: str) -> Result:
    result = Result(f"{folder}/package-lock.json (npm)")
    checked = run(["npm", "audit", "--package-lock-only", "--json", "--loglevel=silent"], ROOT / folder)
    report = parsed(checked.stdout)
    if "metadata" not in report:
        result.unchecked = str(report.get("message") or last_line(checked.stderr))
        return result
    for name, entry in report.get("vulnerabilities", {}).items():
        result.found.append(f"{name} {entry.get('range', '')} ({entry.get('severity', 'unknown')})")
    return result


def python(pip_audit: str, file: str) -> Result:
    result = Result(f"{file} (PyPI)")
    checked = run([pip_audit, "--requirement", file, "--disable-pip", "--no-deps", "--format", "json"])
    dependencies = parsed(checked.stdout).get("dependencies")
    if dependencies is None:
        result.unchecked = last_line(checked.stderr)
        return result
    skipped = [entry for entry in dependencies if "skip_reason" in entry]
    for entry in dependencies:
        ids = ", ".join(one["id"] for one in entry.get("vulns", []))
        if ids:
            result.found.append(f"{entry['name']} {entry['version']}: {ids}")
    if skipped:
        result.unchecked = f"{len(skipped)} of {len(dependencies)} packages: {skipped[0]['skip_reason']}"
    return result


def main() -> int:
    arguments = argparse.ArgumentParser(description="Looks for known vulnerabilities in the lock files")
    arguments.add_argument("--cargo-deny", default=str(ROOT / ".tarsy/tools/bin/cargo-deny"))
    arguments.add_argument("--pip-audit", default=str(ROOT / ".tarsy/venv-audit/bin/pip-audit"))
    options = arguments.parse_args()
    os.environ["NO_COLOR"] = "1"
    results = [crates(options.cargo_deny)]
    results += [npm(folder) for folder in NPM]
    results += [python(options.pip_audit, file) for file in PYTHON]
    for result in results:
        print(result.line())
    vulnerable = sum(bool(result.found) for result in results)
    unchecked = sum(bool(result.unchecked) for result in results)
    print(f"{len(results)} lock files: {vulnerable} vulnerable, {unchecked} not checked, or not completely")
    return 1 if vulnerable else 2 if unchecked else 0


if __name__ == "__main__":
    sys.exit(main())

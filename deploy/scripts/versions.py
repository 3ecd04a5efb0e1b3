"""The version of this checkout, in every file that has it.

versions.py            prints each place with its version, and fails if two differ
versions.py set 1.2.3  writes it into every place, and as the heading of what the changelog has under "Unreleased"
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
NUMBER = r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?"


@dataclass(frozen=True)
class Place:
    """A file, and what stands before and after the version in it."""

    file: str
    before: str
    after: str = ""

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(f"({self.before})({NUMBER})({self.after})", re.MULTILINE)

    def found(self, root: Path) -> list[str]:
        return [version for _, version, _ in self.pattern.findall((root / self.file).read_text())]

    def set(self, root: Path, version: str) -> None:
        path = root / self.file
        path.write_text(self.pattern.sub(rf"\g<1>{version}\g<3>", path.read_text()))


PLACES = (
    Place("Cargo.toml", r'^\[workspace\.package\]\nversion = "', '"'),
    # The crates of the workspace: those of a registry have a source.
    Place("Cargo.lock", r'^name = "[^"]+"\nversion = "', r'"\n(?!source)'),
    Place("llm-service/pyproject.toml", r'^version = "', '"'),
    Place("dashboard/package.json", r'^  "version": "', '"'),
    Place("dashboard/package-lock.json", r'\A\{\n  "name": "[^"]+",\n  "version": "', '"'),
    Place("dashboard/package-lock.json", r'^    "": \{\n      "name": "[^"]+",\n      "version": "', '"'),
    Place("services/api-gateway/openapi.json", r'^    "version": "', '"'),
    Place("deploy/helm/tarsy/Chart.yaml", r"^version: ", "$"),
    Place("deploy/helm/tarsy/Chart.yaml", r'^appVersion: "', '"'),
    Place("deploy/kubernetes/overlays/plain/kustomization.yaml", r'^    newTag: "', '"'),
    Place("docs/install/laptop.md", r"\btarsy-", r"-(?:\*\.whl|x86_64-requirements\.txt)"),
)


def released(changelog: str, version: str) -> str:
    """The changelog with its unreleased entries under the heading of a version, unless it has that heading."""
    if re.search(rf"^## {re.escape(version)}$", changelog, re.MULTILINE):
        return changelog
    return re.sub(r"^## Unreleased$", f"## {version}", changelog, count=1, flags=re.MULTILINE)


def differing(root: Path, version: str) -> list[str]:
    """The places that have another version, or none."""
    wrong = []
    for place in PLACES:
        found = place.found(root)
        if not found:
            wrong.append(f"{place.file} has no version where one is expected")
        wrong += [f"{place.file} has {other}" for other in sorted({*found} - {version})]
    return wrong


def main() -> None:
    arguments = argparse.ArgumentParser(description="Prints the version of this checkout in every file that has it, or sets it.")
    arguments.add_argument("command", nargs="?", choices=["set"])
    arguments.add_argument("version", nargs="?")
    given = arguments.parse_args()
    if given.command:
        if not re.fullmatch(NUMBER, given.version or ""):
            sys.exit(f"versions: {given.version!r} is no version such as 1.2.3 or 1.2.3-rc.1")
        for place in PLACES:
            place.set(ROOT, given.version)
        changelog = ROOT / "CHANGELOG.md"
        changelog.write_text(released(changelog.read_text(), given.version))
    for place in PLACES:
        print(f"{', '.join(sorted({*place.found(ROOT)})) or 'no version'}\t{place.file}")
    (version, *_) = PLACES[0].found(ROOT)
    if wrong := differing(ROOT, version):
        sys.exit("\n".join(f"versions: {line}" for line in wrong))


if __name__ == "__main__":
    main()

"""Makes everything of a release into a folder, and prints the commands that tag and publish it.

`make release VERSION=1.2.3`. Nothing is signed, pushed or uploaded here.
"""

import argparse
import gzip
import hashlib
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from versions import NUMBER, ROOT, differing

HELM = ROOT / ".tarsy/kube/helm"
SCHEMAS = ROOT / "libs/store/tests/schemas"
CHANGES = ROOT / "CHANGELOG.md"
IMAGES = (
    ("tarsy", "tarsy.Dockerfile", "tarsy"),
    ("tarsy-mcp-gateway", "tarsy.Dockerfile", "mcp-gateway"),
    ("tarsy-llm-service", "llm-service.Dockerfile", ""),
)
SUMS = "SHA256SUMS"


def step(text: str) -> None:
    print(f"── {text}", flush=True)


def run(*command: str | Path) -> None:
    done = subprocess.run(command, cwd=ROOT, check=False)
    if done.returncode != 0:
        sys.exit(f"release: {' '.join(map(str, command))} failed")


def output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def notes(changelog: str, version: str) -> str:
    """What the changelog says about a version; empty if it has no such heading."""
    section = re.search(rf"^## {re.escape(version)}(?: .*)?\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    return section.group(1).strip() if section else ""


def unreleased(changelog: str) -> str:
    return notes(changelog, "Unreleased")


def newest_migration(folder: Path) -> int:
    return max(int(path.name[:4]) for path in folder.glob("[0-9][0-9][0-9][0-9]*.sql"))


def recorded_migration(dump: Path) -> int:
    """The newest migration of a recorded schema; 0 if there is none."""
    if not dump.exists():
        return 0
    applied = re.findall(r"^INSERT INTO public\._sqlx_migrations VALUES \((\d+),", dump.read_text(), re.MULTILINE)
    return max(map(int, applied), default=0)


def obstacles(root: Path, version: str, changed: str) -> Iterator[str]:
    """What stands in the way of a release, each with what to do."""
    if changed:
        yield f"the tree has changes that are not committed: git status\n{changed.rstrip()}"
    for place in differing(root, version):
        yield f"{place} instead of {version}: make version VERSION={version}"
    changelog = (root / CHANGES.relative_to(ROOT)).read_text()
    if not notes(changelog, version):
        yield f"CHANGELOG.md says nothing under the heading `## {version}`"
    if unreleased(changelog):
        yield f"CHANGELOG.md has entries under `## Unreleased`: they belong to `## {version}`"
    newest = newest_migration(root / "migrations")
    if recorded_migration(root / SCHEMAS.relative_to(ROOT) / f"{version}.sql") != newest:
        yield (
            f"the schema of migration {newest:04} is not recorded: make release-schema NAME={version}, then commit "
            f"{SCHEMAS.relative_to(ROOT)}/{version}.*"
        )


def write_context(path: Path) -> None:
    """The files of the commit: the context that the images are built from."""
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    # No time of day: the same commit makes the same file.
    path.write_bytes(gzip.compress(archive.stdout, mtime=0))


def write_sums(folder: Path) -> None:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != SUMS)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}" for path in files]
    (folder / SUMS).write_text("\n".join(lines) + "\n")


def make(version: str, folder: Path, architectures: list[str]) -> None:
    folder.mkdir(parents=True)
    step("the notes, from the changelog")
    (folder / f"tarsy-{version}-notes.md").write_text(notes(CHANGES.read_text(), version) + "\n")
    step("the context of the images")
    write_context(folder / f"tarsy-{version}-context.tar.gz")
    step("the chart")
    run(HELM, "package", "deploy/helm/tarsy", "--version", version, "--app-version", version, "--destination", folder)
    step("the bills of materials")
    run("deploy/scripts/sbom.sh", folder / "sbom")
    for architecture in architectures:
        step(f"the wheel for {architecture}")
        run("make", "--no-print-directory", "wheel", f"ARCH={architecture}", f"WHEEL_FOLDER={folder}")
    step("the checksums")
    write_sums(folder)


def publication(version: str, folder: Path, commit: str) -> str:
    """The commands of a person who publishes."""
    context = f"{folder}/tarsy-{version}-context.tar.gz"
    builds = []
    for image, file, target in IMAGES:
        chosen = f" --target {target}" if target else ""
        builds += [
            f"docker buildx build --push -f deploy/images/{file}{chosen} --build-arg TARSY_COMMIT={commit} "
            f"-t $REGISTRY/{image}:{version} - < {context}",
            f"cosign sign --yes $REGISTRY/{image}:{version}",
        ]
    return "\n".join(
        [
            f"git tag --sign --message 'TARSY {version}' v{version} {commit}",
            f"git push origin v{version}",
            # Before they are uploaded: the signature is one of the files.
            f"cosign sign-blob --yes --bundle {folder}/{SUMS}.sigstore.json {folder}/{SUMS}",
            f"gh release create v{version} --verify-tag --notes-file {folder}/tarsy-{version}-notes.md "
            f"$(find {folder} -type f ! -name '*-notes.md')",
            *builds,
            f"helm push {folder}/tarsy-{version}.tgz oci://$REGISTRY/charts",
            f"cosign sign --yes $REGISTRY/charts/tarsy:{version}",
        ]
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description="Makes everything of a release, and prints how to publish it.")
    arguments.add_argument("version")
    arguments.add_argument("--folder", type=Path, default=Path("dist"))
    arguments.add_argument("--architectures", nargs="+", default=[platform.machine()], choices=["x86_64", "aarch64"])
    given = arguments.parse_args()
    version, folder = given.version, given.folder
    if not re.fullmatch(NUMBER, version):
        sys.exit(f"release: {version!r} is no version such as 1.2.3 or 1.2.3-rc.1: make release VERSION=1.2.3")
    step(f"what TARSy {version} needs before it is made")
    if found := list(obstacles(ROOT, version, output("git", "status", "--porcelain"))):
        sys.exit("\n".join(f"release: {line}" for line in found))
    target = folder / version
    if (ROOT / target).exists():
        sys.exit(f"release: {target} is there already: rm -r {target}")
    make(version, ROOT / target, given.architectures)
    for path in sorted((ROOT / target).rglob("*")):
        if path.is_file():
            print(f"{path.relative_to(ROOT)}\t{path.stat().st_size / 1e6:.1f} MB")
    step("to tag and publish it, or push the tag alone: the workflow `release` does the rest")
    print(publication(version, target, output("git", "rev-parse", "--short", "HEAD").strip()))


if __name__ == "__main__":
    main()

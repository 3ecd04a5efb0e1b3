"""Writes a wheel of TARSy, and the hashes of what it depends on: `pipx install` then needs no compiler.

The wheel has the program, the dashboard and llm-service; PostgreSQL and NATS come with their own wheels. It is written here and
not by maturin, which would compile the program anew with other features than those that the tests ran with (ADR 0086).
"""

import argparse
import base64
import hashlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOCK_FILES = ("llm-service/requirements.txt", "deploy/embedded/requirements.txt", "deploy/wheel/requirements.txt")
# The oldest moment that a ZIP file can name: the same files make the same wheel.
MOMENT = (1980, 1, 1, 0, 0, 0)
REGULAR_FILE = 0o100000
# Of a wheel that is compressed: what PyPI takes of one is 100 MB, and what somebody waits for is less.
MOST_BYTES = 60_000_000
# pip applies hashes of a file of constraints to nothing that a package requires: this is one of requirements.
HEAD_OF_REQUIREMENTS = "# TARSy and all that it needs, in the folder of the wheel: pip install --no-deps --require-hashes -r THIS-FILE"


def pins() -> dict[str, str]:
    """The packages of all lock files as `name==version`, each with its hashes as pip reads them."""
    found = {}
    for lock_file in LOCK_FILES:
        text = (ROOT / lock_file).read_text().replace("\\\n", " ")
        for line in text.splitlines():
            if line and not line.lstrip().startswith("#"):
                pin, _, hashes = line.partition("--hash")
                found[pin.strip()] = f"--hash{hashes}"
    return found


def needed_glibc(program: Path) -> tuple[int, int]:
    """The newest glibc whose symbols the program uses."""
    listed = subprocess.run(["readelf", "--version-info", "--wide", program], check=True, stdout=subprocess.PIPE, text=True)
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)", listed.stdout)
    return max((int(major), int(minor)) for major, minor in versions)


def architecture(program: Path) -> str:
    """The machine that the program runs on, as wheels name it: it may have been compiled on another one."""
    listed = subprocess.run(["readelf", "--file-header", "--wide", program], check=True, stdout=subprocess.PIPE, text=True)
    return "aarch64" if "AArch64" in listed.stdout else "x86_64"


class Wheel:
    def __init__(self, path: Path, metadata_folder: str, level: int) -> None:
        self.archive = zipfile.ZipFile(path, "w")
        self.level = level
        self.metadata_folder = metadata_folder
        self.record: list[str] = []

    def add(self, name: str, content: bytes, mode: int = 0o644) -> None:
        entry = zipfile.ZipInfo(name, MOMENT)
        entry.external_attr = (REGULAR_FILE | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.archive.writestr(entry, content, compresslevel=self.level)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}")

    def add_folder(self, folder: Path, target: str) -> None:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                self.add(f"{target}/{path.relative_to(folder)}", path.read_bytes())

    def close(self) -> None:
        name = f"{self.metadata_folder}/RECORD"
        self.record.append(f"{name},,")
        entry = zipfile.ZipInfo(name, MOMENT)
        entry.external_attr = (REGULAR_FILE | 0o644) << 16
        self.archive.writestr(entry, "\n".join(self.record) + "\n")
        self.archive.close()


def metadata(version: str) -> str:
    lines = [
        "Metadata-Version: 2.1",
        "Name: tarsy",
        f"Version: {version}",
        "Summary: An AI SRE: takes an alert, investigates it with tools, and shows every step",
        "License: Apache-2.0",
        "Requires-Python: >=3.11",
        "Classifier: Operating System :: POSIX :: Linux",
        *(f"Requires-Dist: {pin}" for pin in pins()),
        "Description-Content-Type: text/markdown",
    ]
    description = "`tarsy up` starts TARSy with an embedded PostgreSQL and NATS; `tarsy demo` shows an investigation."
    return "\n".join(lines) + f"\n\n{description}\n"


def stripped(program: Path) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / program.name
        shutil.copyfile(program, copy)
        if architecture(program) == platform.machine():
            # A release has no symbols, whatever machine it is for.
            subprocess.run(["strip", copy], check=True)
        return copy.read_bytes()


def write(program: Path, version: str, folder: Path, level: int) -> list[Path]:
    major, minor = needed_glibc(program)
    tag = f"py3-none-manylinux_{major}_{minor}_{architecture(program)}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"tarsy-{version}-{tag}.whl"
    wheel = Wheel(path, f"tarsy-{version}.dist-info", level)
    data = f"tarsy-{version}.data"
    wheel.add(f"{data}/scripts/tarsy", stripped(program), 0o755)
    wheel.add_folder(ROOT / "dashboard/dist", f"{data}/data/share/tarsy/dashboard")
    for example in sorted((ROOT / "deploy/config").glob("*.example.yaml")):
        wheel.add(f"{data}/data/share/tarsy/examples/{example.name}", example.read_bytes())
    wheel.add_folder(ROOT / "llm-service/src/llm_service", "llm_service")
    wheel.add(f"{wheel.metadata_folder}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes())
    wheel.add(f"{wheel.metadata_folder}/METADATA", metadata(version).encode())
    wheel.add(f"{wheel.metadata_folder}/WHEEL", f"Wheel-Version: 1.0\nGenerator: tarsy\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    wheel.close()
    requirements = folder / f"tarsy-{version}-{architecture(program)}-requirements.txt"
    locked = [f"{pin} {hashes}" for pin, hashes in sorted(pins().items())]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    own = f"./{path.name} --hash=sha256:{digest}"
    requirements.write_text("\n".join([HEAD_OF_REQUIREMENTS, own, *locked]) + "\n")
    return [path, requirements]


def main() -> None:
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
    arguments = argparse.ArgumentParser(description="Writes a wheel of TARSy from a compiled program.")
    arguments.add_argument("program", type=Path)
    arguments.add_argument("--version", default=workspace["version"])
    arguments.add_argument("--folder", type=Path, default=ROOT / "dist")
    arguments.add_argument("--level", type=int, default=9, choices=range(10), help="how much it is compressed (default 9)")
    given = arguments.parse_args()
    written = write(given.program, given.version, given.folder, given.level)
    for path in written:
        print(f"{path} ({path.stat().st_size / 1e6:.1f} MB)")
    # One for a test is not compressed, and has a program with everything that a debugger wants.
    if given.level and written[0].stat().st_size > MOST_BYTES:
        sys.exit(f"wheel: {written[0].name} has more than {MOST_BYTES / 1e6:.0f} MB: was it compiled with --release?")


if __name__ == "__main__":
    main()

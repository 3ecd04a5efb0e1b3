"""The shell commands of the documentation: where they stand, and what its authors say of each block.

A comment above a block says how it is tested: `<!-- commands: run -->`; `<!-- commands: cluster -->` for what runs on the control
plane (test_followed.py); or `<!-- commands: checked, REASON -->` for what cannot run on the machine of the tests.
"""

import re
import shlex
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from manifests import ROOT

_BLOCK = re.compile(
    r"^(?P<indent> *)```(?:sh|bash|shell|console)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)
_MARK = re.compile(r"<!-- commands: (?P<how>run|cluster|checked)(?:, (?P<reason>[^>]+))? -->\n *$")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*", re.DOTALL)
_KEYWORDS = frozenset(("do", "done", "then", "fi", "else", "if", "while"))
_SEPARATORS = frozenset((";", "&&", "||", "|", "&", "(", ")", ";;", "\n"))


@dataclass(frozen=True)
class Block:
    """A block of shell commands."""

    page: Path
    line: int
    text: str
    how: str
    reason: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def pages() -> list[Path]:
    """What people read: the documentation, and the pages beside the code."""
    beside = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md")]
    libs = [ROOT / "libs/contracts/README.md", ROOT / "libs/store/README.md"]
    others = [
        ROOT / name for name in ("bench/README.md", "llm-service/README.md", "tests/README.md", "tests/threats.md")
    ]
    return [*beside, *libs, *others, *sorted((ROOT / "docs").rglob("*.md"))]


def blocks() -> list[Block]:
    """Every block of shell commands; one without a mark has neither `how` nor a reason."""
    return [block for page in pages() for block in _blocks(page)]


def _blocks(page: Path) -> list[Block]:
    text = page.read_text()
    found: list[Block] = []
    for match in _BLOCK.finditer(text):
        mark = _MARK.search(text[: match.start()])
        how, reason = (mark["how"], mark["reason"] or "") if mark else ("", "")
        lines = [line.removeprefix(match["indent"]).removeprefix("$ ") for line in match["text"].splitlines()]
        number = text[: match.start()].count("\n") + 1
        found.append(Block(page, number, "\n".join(lines) + "\n", how, reason))
    return found


def commands(text: str) -> list[list[str]]:
    """The simple commands of a script, each as its words; what stands in quotes is one word."""
    found: list[list[str]] = []
    for line in _whole_lines(text):
        lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|()\n")
        lexer.whitespace = " \t"
        lexer.whitespace_split = True
        lexer.commenters = "#"
        words: list[str] = []
        for word in [*lexer, ";"]:
            if word in _SEPARATORS:
                if command := _without_assignments(words):
                    found.append(command)
                words = []
            else:
                words.append(word)
    return found


def _whole_lines(text: str) -> list[str]:
    """Lines with those that continue them; quotes may span several, too."""
    whole: list[str] = []
    line = ""
    for part in text.splitlines():
        line += part
        if line.endswith("\\"):
            line = line[:-1]
            continue
        try:
            shlex.split(line, comments=True)
        except ValueError:
            line += "\n"
            continue
        whole.append(line)
        line = ""
    assert not line.strip(), f"an unfinished line: {line}"
    return whole


def _without_assignments(words: list[str]) -> list[str]:
    words = [word for word in words if word not in _KEYWORDS]
    words = words[: words.index(">")] if ">" in words else words
    while words and _ASSIGNMENT.fullmatch(words[0]):
        words = words[1:]
    # `for NAME in WORDS` is no command, and the target of a redirection no argument.
    return [] if words[:1] == ["for"] else words


def has_valid_syntax(text: str) -> str:
    """What bash says of a script; nothing if it is one."""
    with tempfile.NamedTemporaryFile("w", suffix=".sh") as script:
        script.write(text)
        script.flush()
        done = subprocess.run(["/bin/bash", "-n", script.name], capture_output=True, text=True, timeout=60, check=False)
    return done.stderr

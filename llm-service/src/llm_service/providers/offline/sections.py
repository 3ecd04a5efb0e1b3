"""Splits a prompt into its titled sections, in one pass over its lines."""

import re
from dataclasses import dataclass

ALERT, BACKGROUND, QUESTION, OTHER, PLAIN = "alert", "background", "question", "other", "plain"

_OPEN = re.compile(r"<([a-z][\w-]*)(?:\s[^<>]*)?>", re.IGNORECASE)
_MARKER = re.compile(r"<!--\s*([\w -]+?)[_ ](START|BEGIN|END|STOP)\s*-->", re.IGNORECASE)
_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*|\*\*([^*]{3,60}?):?\*\*:?")

_CLASSES = (
    (QUESTION, re.compile(r"question")),
    (OTHER, re.compile(r"runbook|instruction|still open|\btask|guideline|available|\btools?$|rules|output format")),
    (BACKGROUND, re.compile(
        r"previous|earlier|investigation|stage|context|history|analysis|finding|agent|result|output"
    )),
    (ALERT, re.compile(r"alert|incident")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a prompt under its headings, outermost first."""

    titles: tuple[str, ...]
    body: str

    @property
    def kind(self) -> str:
        """Returns the kind of the section by its innermost significant title."""
        for title in reversed(self.titles):
            for kind, pattern in _CLASSES:
                if pattern.search(title.lower()):
                    return kind
        return PLAIN


class _Scanner:
    """Tracks the open headings, and the lines under them."""

    def __init__(self) -> None:
        self.sections: list[Section] = []
        self._titles: list[tuple[int, str]] = []
        self._lines: list[str] = []

    def line(self, line: str) -> None:
        self._lines.append(line)

    def cut(self, extra: str | None = None) -> None:
        """Ends the running section."""
        body = "\n".join(self._lines).strip()
        self._lines = []
        if body:
            titles = tuple(title for _, title in self._titles)
            self.sections.append(Section((*titles, extra) if extra else titles, body))

    def heading(self, level: int, title: str) -> None:
        self.cut()
        self._titles = [(n, t) for n, t in self._titles if n < level]
        self._titles.append((level, title))


def split(text: str) -> list[Section]:
    """Splits at headings, and at tags and marker comments on lines of their own."""
    scanner, fenced, closing, name = _Scanner(), False, "", ""
    for line in text.splitlines():
        bare = line.strip()
        if closing:
            if bare.lower() == closing or _ends_marker(bare, name, closing):
                scanner.cut(name)
                closing = ""
            else:
                scanner.line(line)
            continue
        if bare.startswith("```"):
            fenced = not fenced
        elif not fenced and (opened := _opening(bare)):
            scanner.cut()
            name, closing, inline = opened
            if inline:
                scanner.line(inline)
                scanner.cut(name)
                closing = ""
            continue
        elif not fenced and (match := _HEADING.fullmatch(bare)):
            scanner.heading(len(match.group(1) or "#######"), match.group(2) or match.group(3))
            continue
        scanner.line(line)
    scanner.cut(name if closing else None)
    return scanner.sections


def bodies(sections: list[Section], kind: str) -> str:
    """The text of all sections of a kind."""
    return "\n\n".join(section.body for section in sections if section.kind == kind)


def _opening(bare: str) -> tuple[str, str, str] | None:
    """Reads a line that opens a block: (title, closing line, body if it closes at once)."""
    if not bare.startswith("<"):
        return None
    if marker := _MARKER.fullmatch(bare):
        if marker.group(2).upper() in ("START", "BEGIN"):
            return _title(marker.group(1)), "<!--", ""
        return None
    match = _OPEN.match(bare)
    if match is None:
        return None
    closing = f"</{match.group(1).lower()}>"
    if match.end() == len(bare):
        return _title(match.group(1)), closing, ""
    if bare.lower().endswith(closing):
        return _title(match.group(1)), closing, bare[match.end() : -len(closing)].strip()
    return None


def _ends_marker(bare: str, name: str, closing: str) -> bool:
    marker = _MARKER.fullmatch(bare) if closing == "<!--" else None
    return bool(marker and marker.group(2).upper() in ("END", "STOP") and _title(marker.group(1)) == name)


def _title(name: str) -> str:
    return name.replace("_", " ").replace("-", " ").strip().lower()

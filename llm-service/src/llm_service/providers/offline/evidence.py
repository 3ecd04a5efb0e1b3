"""Tool results, split into items that can be quoted: text lines and rows of JSON."""

import json
import re
from dataclasses import dataclass, field
from decimal import Decimal

from llm_service.providers.offline.facts import JsonValue, parse_json
from llm_service.turn import Message

LONGEST_QUOTE = 240
MOST_ITEMS = 40_000

_LABEL_KEYS = (
    "mountpoint", "mount", "mount_point", "path", "pod", "name", "command", "comm", "pid", "device",
    "interface", "unit", "service", "container", "reason", "port", "local_port", "host", "url", "id",
)  # fmt: skip
_WRAPPER = re.compile(r"</?[a-z][\w:.-]*(?:\s[^<>]*+)?>|<!--.*-->|```\w*|-{3,}.*-{3,}", re.IGNORECASE)
# The analyst's own quotations, as they recur in summaries and in earlier stages' reports.
_OWN_QUOTE = re.compile(
    r"^\s*- (`+) ?(.+?) ?\1(?: of .{1,60}?)?(?: at `([^`]+)`)?(?: \((?!\d+ times\))(.*?)\))?(?: \(\d+ times\))?"
    r"(?: \[(?:call|given)[^\]]*\])*$"
)
# The orchestrator's format of a result, and its records' lines before and after the result of a call.
_TOOL_RESULT = re.compile(r'<tool_result call="(\d+)">\n(.*)\n</tool_result>\s*$', re.DOTALL)
_CALL_HEAD = re.compile(r"\[call (\d+)\] [\w-]+\.[\w.-]+(?: |$)")
_RECORD_HEADS = frozenset(
    (
        "Thought:",
        "The agent said:",
        "The agent said, and broke off:",
        "Conclusion:",
        "Error:",
        "Note:",
        "Question from a person:",
        "Executive summary:",
        "</investigation>",
    )
)
_OWN_OPENINGS = (
    "**Summary:**", "_This report was produced by rules", "This report was produced by rules", "- [call ",
    "- No deploy,", "- No tool", "- The text given with", "- None: no line", "Readings near the alert",
    "First look: ", "Looking further: ", "Telling:", "Changes:",
)  # fmt: skip
_OWN_WORDS = ("was not called: neither", "gave no usable answer", "no LLM was used", "Weaker signals left out:")
_HEADING = re.compile(r"#{1,6}\s")
_OWN_HEAD = re.compile(r"\d+\. \*\*")
_MESSAGE_KEYS = ("message", "msg", "text", "line", "log", "content")


@dataclass(frozen=True, slots=True)
class Item:
    """One quotable thing: a line of text, or one scalar of a JSON document."""

    source: int
    """Number of the call it came from; 0 is the text given with the request."""
    text: str
    key: str = ""
    path: str = ""
    value: JsonValue = None
    row: "Row | None" = None

    @property
    def quote(self) -> str:
        """The text verbatim; JSON scalars with their key."""
        text = self.text if self.row is None else f"{self.key}: {self.text}"
        return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…"


@dataclass(frozen=True, slots=True)
class Row:
    """The scalars of one JSON object."""

    path: str
    fields: dict[str, JsonValue]

    @property
    def label(self) -> tuple[str, str] | None:
        """Returns the field that names the object, if there is one."""
        for key in _LABEL_KEYS:
            value = self.fields.get(key)
            if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
                return key, str(value).strip()
        return None


@dataclass(frozen=True, slots=True)
class Result:
    """One call and its result."""

    number: int
    tool: str
    arguments: str
    content: str
    document: JsonValue = None
    items: list[Item] = field(default_factory=list[Item])
    call_id: str = ""

    @property
    def failed(self) -> bool:
        """Whether the tool reports a failure."""
        head = self.items[0].text[:200].lower() if self.items else ""
        if isinstance(self.document, dict):
            error = self.document.get("error") or self.document.get("isError")
            return self.document.get("available") is False or (bool(error) and len(self.document) <= 3)
        return not head or bool(re.match(r"(?:\W*)(?:tool )?(?:error|failed|failure)\b", head))


def results(messages: tuple[Message, ...]) -> list[Result]:
    """Pairs every tool message with the call it answers; numbers are those that the results name."""
    answers = {m.tool_call_id: m for m in messages if m.role == "tool" and m.tool_call_id}
    found: list[Result] = []
    number = 0
    for message in messages:
        for call in message.tool_calls:
            number += 1
            answer = answers.get(call.id)
            if answer is not None:
                named, content = unwrapped(answer.content)
                found.append(result(named or number, call.name, call.arguments, content, call.id))
    return found


def unwrapped(text: str) -> tuple[int, str]:
    """Returns the number of a call and its result without markers; 0 if there are none."""
    if match := _TOOL_RESULT.search(text):
        return int(match.group(1)), match.group(2).replace("<\u200b/", "</").replace("<!- -", "<!--")
    return 0, text


def result(number: int, tool: str, arguments: str, content: str, call_id: str = "") -> Result:
    """Splits one tool's output into items."""
    document = parse_json(content)
    items = from_document(number, document) if document is not None else from_text(number, content)
    if len(items) > MOST_ITEMS:
        items = items[: MOST_ITEMS // 4] + items[-3 * MOST_ITEMS // 4 :]
    return Result(number, tool, arguments, content, document, items, call_id)


def from_text(source: int, text: str) -> list[Item]:
    """The lines of a text, without wrapping; a line that is itself a JSON object becomes a row."""
    items: list[Item] = []
    advice, record = False, source == 0
    for line in text.splitlines():
        bare = line.strip()
        if record and (head := _CALL_HEAD.match(bare)):
            source = int(head.group(1))
            continue
        if record and bare in _RECORD_HEADS:
            source = 0
        if len(bare) < 2 or (bare[0] in "<`-" and _WRAPPER.fullmatch(bare)) or _is_own(bare):
            continue
        if bare.startswith("- `") and (own := _OWN_QUOTE.match(bare)):
            items.append(_requoted(source, own))
            continue
        if source == 0:
            if _HEADING.match(bare):
                advice = bare.startswith("### Still open")
                continue
            if advice:
                continue
            bare = re.sub(r"^[-*]\s+", "", bare)
        document = parse_json(bare) if bare.startswith("{") and bare.endswith("}") else None
        if isinstance(document, dict) and any(key in document for key in _MESSAGE_KEYS):
            items.append(Item(source, bare))
        elif isinstance(document, dict):
            items.extend(from_document(source, document))
        else:
            items.append(Item(source, bare))
    return items


def _is_own(bare: str) -> bool:
    """Whether a line is the analyst's own phrase, so that no report quotes itself."""
    return (
        bare.startswith(_OWN_OPENINGS)
        or any(words in bare for words in _OWN_WORDS)
        or bool(bare[0].isdigit() and _OWN_HEAD.match(bare))
    )


def _requoted(source: int, own: re.Match[str]) -> Item:
    """An item from the analyst's own quotation, with the fields shown next to it."""
    text, path, beside = own.group(2), own.group(3) or "", own.group(4) or ""
    key, colon, value = text.partition(": ")
    if not path or not colon:
        return Item(source, text, path=path)
    fields: dict[str, JsonValue] = {key: _read(value)}
    for pair in beside.split(", "):
        name, separator, shown = pair.partition(": ")
        if separator:
            fields[name] = _read(shown)
    return Item(source, value, key, path, fields[key], Row(path.rpartition(".")[0], fields))


def _read(text: str) -> JsonValue:
    if re.fullmatch(r"-?\d{1,15}", text):
        return int(text)
    if re.fullmatch(r"-?\d{1,15}\.\d{1,15}", text):
        return Decimal(text)
    return {"true": True, "false": False, "null": None}.get(text, text)


def from_document(source: int, document: JsonValue) -> list[Item]:
    """Returns the scalars of a document, each with its path and its object."""
    items: list[Item] = []
    _walk(source, document, "", "", None, items, 0)
    return items


def _walk(source: int, value: JsonValue, key: str, path: str, row: Row | None, out: list[Item], depth: int) -> None:
    if depth > 24 or len(out) >= 4 * MOST_ITEMS:
        return
    if isinstance(value, dict):
        own = Row(path, {k: v for k, v in value.items() if not isinstance(v, dict | list)})
        for name, inner in value.items():
            below = f"{path}.{name}" if path else name
            _walk(source, inner, name, below, own, out, depth + 1)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            plain = isinstance(inner, str)
            _walk(source, inner, "" if plain else key, f"{path}[{index}]", row, out, depth + 1)
    elif isinstance(value, str):
        lines = [line.strip() for line in value.splitlines() if len(line.strip()) > 1]
        whole = len(lines) <= 1 and len(value) < LONGEST_QUOTE
        for line in lines or ([value] if value else []):
            scalar_row = (row or Row(path, {key: value})) if whole and key else None
            out.append(Item(source, line, key, path, value if whole else None, scalar_row))
    else:
        out.append(Item(source, scalar(value), key, path, value, row or Row(path, {key: value})))


def scalar(value: JsonValue) -> str:
    """A scalar as JSON writes it; decimals keep the digits they came with."""
    if isinstance(value, Decimal):
        return str(value)
    return value if isinstance(value, str) else json.dumps(value)

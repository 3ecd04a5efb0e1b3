"""Writes the report: sources, leading signals, changes, open questions."""

import json
from dataclasses import dataclass, field

from llm_service.providers.offline import measures
from llm_service.providers.offline.evidence import Item, Result
from llm_service.providers.offline.rules import NEXT_CHECKS
from llm_service.providers.offline.signals import Signal
from llm_service.providers.offline.words import listed

LABEL = "This report was produced by rules; no LLM was used. Confidence: not assessed."
MOST_SIGNALS = 8
_NEIGHBOURS = 6


@dataclass(frozen=True, slots=True)
class Findings:
    """The contents of a report."""

    title: str
    results: list[Result]
    signals: list[Signal]
    changes: list[Item]
    quiet: list[Item]
    uncovered: list[str] = field(default_factory=list[str])
    uncallable: list[tuple[str, list[str]]] = field(default_factory=list[tuple[str, list[str]]])
    without_signal: list[str] = field(default_factory=list[str])
    """Topics of the alert's title that no signal is about."""
    instead: str = "No tool was called."
    """The sources if there are no results."""


def write(findings: Findings) -> str:
    """The whole report, in markdown."""
    blocks = [
        f"## {findings.title}",
        f"**Summary:** {summary(findings)}",
        f"_{LABEL}_",
        _looked_at(findings),
        _signals(findings.signals),
        _changes(findings.changes),
        _quiet(findings.quiet),
        _open(findings),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def summary(findings: Findings) -> str:
    """One or two sentences: the strongest finding, the next ones, or that there is none."""
    calls = len(findings.results)
    looked = f"{calls} tool {'result' if calls == 1 else 'results'}" if calls else "the text given"
    if not findings.signals:
        return f"Nothing alarming was found in {looked} by the rules; that does not mean that nothing is wrong."
    first = findings.signals[0]
    text = f"The strongest signal in {looked}: {_sentence(first)}."
    if others := [_sentence(signal) for signal in findings.signals[1:3]]:
        text = f"{text} Next: {'; '.join(others)}."
    if findings.without_signal:
        text = f"{text} No signal speaks of {listed(findings.without_signal)}, which the alert is about."
    return text


def cite(numbers: list[int]) -> str:
    """Formats `[call 2]` or `[call 2] [call 5]`; 0 is the text of the request."""
    return " ".join(f"[call {n}]" if n else "[given]" for n in numbers)


def code(text: str) -> str:
    """A quotation as inline code, whatever it contains."""
    flat = text.replace("\r", " ").replace("\n", " ")
    longest, run = 0, 0
    for char in flat:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    if not longest:
        return f"`{flat}`"
    fence = "`" * (longest + 1)
    return f"{fence} {flat} {fence}"


def quoted(item: Item) -> str:
    """An item verbatim, with its place in a JSON document and the fields next to it."""
    if item.row is None:
        return code(item.quote) if not item.path else f"{code(item.quote)} at `{item.path}`"
    beside = neighbours(item)
    return f"{code(item.quote)} at `{item.path or item.key}`" + (f" ({beside})" if beside else "")


def neighbours(item: Item) -> str:
    """The scalars next to an item, as context of a number."""
    if item.row is None:
        return ""
    shown: list[str] = []
    for key, value in item.row.fields.items():
        text = measures_text(value)
        if key != item.key and text and len(text) <= 60 and "\n" not in text and "`" not in text:
            shown.append(f"{key}: {text}")
    return ", ".join(shown[:_NEIGHBOURS])


def measures_text(value: object) -> str:
    """A shortened scalar, or nothing if it is not informative."""
    if value is None or isinstance(value, dict | list):
        return ""
    return value.strip() if isinstance(value, str) else json.dumps(value, default=str).strip('"')


def _sentence(signal: Signal) -> str:
    where = cite(signal.sources)
    if signal.items[0].row is not None and signal.description.startswith(("`", "load")):
        return f"{signal.description} {where}"
    return f"{signal.description} ({code(signal.items[0].quote)}) {where}"


def _looked_at(findings: Findings) -> str:
    lines = ["### What was looked at"]
    for result in findings.results:
        arguments = result.arguments.strip()
        shown = f" {code(arguments)}" if arguments not in ("", "{}") else ""
        lines.append(f"- [call {result.number}] `{result.tool}`{shown}: {_outcome(result)}")
    if not findings.results:
        lines.append(f"- {findings.instead}")
    return "\n".join(lines)


def _outcome(result: Result) -> str:
    if result.failed:
        messages = [item for item in result.items if item.key in ("message", "reason", "error", "")]
        first = next((item.quote for item in [*messages, *result.items]), "")
        return f"failed: {code(first)}" if first else "nothing came back"
    if result.document is not None:
        return f"{len(result.items)} values"
    count = len(result.items)
    return f"{count} {'line' if count == 1 else 'lines'}"


def _signals(signals: list[Signal]) -> str:
    lines = ["### Leading signals"]
    for number, signal in enumerate(signals[:MOST_SIGNALS], start=1):
        seen = f" ({signal.count} times)" if signal.count > 1 else ""
        description = signal.description[0].upper() + signal.description[1:]
        lines.append(f"{number}. **{description}**{seen} {cite(signal.sources)}")
        lines += [f"   - {quoted(item)}" for item in signal.items]
    if not signals:
        lines.append("- None: no line or value met a rule.")
    if len(signals) > MOST_SIGNALS:
        lines.append(f"\nWeaker signals left out: {len(signals) - MOST_SIGNALS}.")
    return "\n".join(lines)


def _changes(changes: list[Item]) -> str:
    lines = [f"- {quoted(item)} {cite([item.source])}" for item in changes]
    return "\n".join(["### What changed", *(lines or ["- No deploy, restart or start was seen in the evidence."])])


def _quiet(items: list[Item]) -> str:
    if not items:
        return ""
    lines = [f"- {code(item.quote)}{measures.subject(item)} at `{item.path}` {cite([item.source])}" for item in items]
    return "\n".join(["### Within bounds", "Readings near the alert that met no rule:", *lines])


def _open(findings: Findings) -> str:
    lines: list[str] = []
    for category in dict.fromkeys(signal.category for signal in findings.signals[:5]):
        if category in NEXT_CHECKS:
            lines.append(f"- {NEXT_CHECKS[category]}")
    broken = {result.tool: result.number for result in reversed(findings.results) if result.failed}
    for tool, number in reversed(broken.items()):
        lines.append(f"- `{tool}` gave no usable answer [call {number}]; try it by hand.")
    if findings.uncovered:
        lines.append(f"- No tool result speaks of {listed(findings.uncovered)}, which the alert does.")
    for tool, names in findings.uncallable[:4]:
        wanted = listed([f"`{name}`" for name in names])
        lines.append(f"- `{tool}` was not called: neither alert nor results name its {wanted}.")
    if not lines:
        lines.append("- Whether the alert still fires, and what was normal before it.")
    return "\n".join(["### Still open / what to check next", *lines])

"""Ranks the tools against the alert and chooses the next calls."""

import json
from dataclasses import dataclass
from typing import Any

from llm_service.providers.offline import arguments, policy
from llm_service.providers.offline.arguments import Known
from llm_service.providers.offline.words import TOPICS, parts
from llm_service.turn import Tool

MAX_ROUNDS = 6
MAX_CALLS = 10
CALLS_PER_TURN = 3
MIN_TOOLS = 3
THRESHOLD = 4.0

_ALWAYS_USEFUL = frozenset("overview status event events load uptime log top summary health".split())
_RARELY_USEFUL = frozenset("config configuration view context help schema version capability install".split())


@dataclass(frozen=True, slots=True)
class EarlierCall:
    """A call that was made; `empty` if its result was not usable."""

    name: str
    arguments: dict[str, Any]
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """A call worth making, and why."""

    tool: Tool
    arguments: dict[str, Any]
    score: float
    topics: tuple[str, ...]

    @property
    def json(self) -> str:
        """The arguments as JSON text."""
        return json.dumps(self.arguments, ensure_ascii=False, sort_keys=True)


def score(tool: Tool, words: dict[str, float], about: dict[str, float]) -> tuple[float, tuple[str, ...]]:
    """Scores how well a tool fits the alert, with the topics they share."""
    name = set(parts(policy.short_name(tool.name)))
    described = set(parts(tool.description[:600])) - name
    total = sum(3.0 * w for word, w in words.items() if word in name)
    total += min(sum(0.7 * w for word, w in words.items() if word in described), 3.0)
    shared: list[tuple[float, str]] = []
    for topic, weight in about.items():
        vocabulary = TOPICS[topic]
        gain = (3.0 if name & vocabulary else 0.8 if described & vocabulary else 0.0) * weight
        if topic in name:
            gain += 2.0 * weight
        if gain:
            shared.append((gain, topic))
    total += sum(gain for gain, _ in shared)
    total += 1.5 if name & _ALWAYS_USEFUL else 0.0
    total -= 4.0 if name & _RARELY_USEFUL else 0.0
    shared.sort(key=lambda entry: (-entry[0], entry[1]))
    return total, tuple(topic for gain, topic in shared if gain >= 1.5)[:3]


def choose(
    tools: tuple[Tool, ...],
    known: Known,
    earlier: list[EarlierCall],
    words: dict[str, float],
    about: dict[str, float],
    threshold: float = THRESHOLD,
) -> list[Choice]:
    """The next calls: the best tools not yet called, then other arguments for the best of those."""
    used = [one.name for one in earlier]
    remaining = min(CALLS_PER_TURN, MAX_CALLS - len(earlier))
    ranked = _ranked(tools, known, earlier, words, about)
    unused = [c for c in ranked if c.tool.name not in used and c.score >= threshold]
    chosen = _one_a_tool(unused)[:remaining]
    if len(chosen) < remaining:
        again = [c for c in ranked if c.score >= threshold + 2 and used.count(c.tool.name) == 1 and c.tool.name in used]
        chosen += _one_a_tool(again)[: remaining - len(chosen)]
    if not chosen and len(set(used)) < MIN_TOOLS:
        rest = [c for c in ranked if c.tool.name not in used]
        chosen = _one_a_tool(rest)[: min(remaining, MIN_TOOLS - len(set(used)))]
    return chosen


def not_callable(tools: tuple[Tool, ...], known: Known) -> list[tuple[str, list[str]]]:
    """Read-only tools that were not called because an argument has no value."""
    found: list[tuple[str, list[str]]] = []
    for tool in tools:
        if policy.is_read_only(tool) and (names := arguments.missing(tool, known)):
            found.append((tool.name, names))
    return found


def _ranked(
    tools: tuple[Tool, ...],
    known: Known,
    earlier: list[EarlierCall],
    words: dict[str, float],
    about: dict[str, float],
) -> list[Choice]:
    done = {(one.name, _frozen(one.arguments)) for one in earlier}
    choices: list[Choice] = []
    for tool in tools:
        if not policy.is_read_only(tool):
            continue
        total, shared = score(tool, words, about)
        options = arguments.variants(tool, known)
        if any(one.name == tool.name and one.empty for one in earlier):
            options = [*options, _bare(tool, options)] if options else options
        for order, option in enumerate(options):
            if (tool.name, _frozen(option)) not in done:
                choices.append(Choice(tool, option, total - 1.5 * order, shared))
    choices.sort(key=lambda c: (-c.score, c.tool.name, c.json))
    return choices


def _bare(tool: Tool, options: list[dict[str, Any]]) -> dict[str, Any]:
    """The same call without its optional names, for when those had no result."""
    read = arguments.shape(tool)
    required = read.required if read else ()
    return {k: v for k, v in options[0].items() if k in required or not isinstance(v, str)}


def _one_a_tool(choices: list[Choice]) -> list[Choice]:
    best: dict[str, Choice] = {}
    for choice in choices:
        best.setdefault(choice.tool.name, choice)
    return list(best.values())


def _frozen(value: dict[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)

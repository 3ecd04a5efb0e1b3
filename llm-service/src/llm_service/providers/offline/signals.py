"""Finds and ranks the significant items of the evidence, with their source."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from llm_service.providers.offline import measures, rules
from llm_service.providers.offline.evidence import Item, Result
from llm_service.providers.offline.scan import Scan
from llm_service.providers.offline.words import parts, topics

_PERCENT = re.compile(r"(?<![\w.])(\d{1,3}(?:\.\d+)?)\s?%")
_SPARE = re.compile(r"\b(?:idle|free|available|avail|id|steal|wa|remaining)\b", re.IGNORECASE)
_LOAD = re.compile(r"load averages?:?\s*(\d+(?:\.\d+)?)", re.IGNORECASE)
_EXIT = re.compile(r"\bexit(?:ed)?[ _]?(?:code|status|with)?[:= ]+(?:code |status )?([1-9]\d{0,2})\b", re.IGNORECASE)
_VARIABLE = re.compile(r"0x[0-9a-f]+|[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{12,64}\b|\d+", re.IGNORECASE)
_POD_TAIL = re.compile(r"-[a-f0-9]{7,10}-[a-z0-9]{5}\b")
_INFO = re.compile(
    r"\b(?:INFO|DEBUG|TRACE)\b|^\S+ (?:info|notice|debug): |\blevel=(?:info|debug)\b|\"level\":\s*\"(?:info|debug)\""
)
# Keys whose text describes events; a command line or a path with `error` in it does not.
_EVENT_KEYS = re.compile(
    r"message|msg|text|line|log|err|reason|output|detail|event|note|stdout|content|warning|problem|result|body|tail|cause"
    r"|status|state|summary|failure|exception|answer|response"
)
_SAMPLES = 2


@dataclass(slots=True)
class Signal:
    """One finding: its description, its weight, and its items."""

    category: str
    weight: float
    description: str
    items: list[Item]
    count: int = 1

    @property
    def sources(self) -> list[int]:
        """Returns the numbers of its calls, each once."""
        return list(dict.fromkeys(item.source for item in self.items))


@dataclass(frozen=True, slots=True)
class Focus:
    """What the alert is about: its words, their topics, and the names in it."""

    words: frozenset[str]
    topics: dict[str, float]
    entities: tuple[str, ...]

    def weight(self, item: Item, category: str) -> float:
        """Scores an item by the words and names it shares with the alert."""
        context = f"{item.path} {item.text}"
        if item.row is not None and item.row.label:
            context += f" {item.row.label[1]}"
        overlap = len(self.words & set(parts(context[:2000])))
        named = any(self._names(entity, item) for entity in self.entities)
        return min(overlap, 4) * 0.5 + (2.0 if named else 0.0) + self.topics.get(category, 0.0)

    def _names(self, entity: str, item: Item) -> bool:
        if entity.startswith("/"):
            label = item.row.label if item.row else None
            return label[1] == entity if label else len(entity) > 1 and entity in item.text
        return entity in item.text or bool(item.row and item.row.label and entity in item.row.label[1])


def focus(alert: str, title: str, entities: Iterable[str]) -> Focus:
    """Derives the focus from the alert; its title counts most."""
    words = frozenset(word for word in parts(alert) if len(word) > 2)
    about = dict.fromkeys(topics(words), 1.0) | dict.fromkeys(topics(parts(title)), 2.5)
    if "cpu" in about:
        about["load"] = about["cpu"]
    return Focus(words, about, tuple(entities))


def find(found: list[Result], given: list[Item], about: Focus) -> list[Signal]:
    """Returns all signals of the results and of the request's text, strongest first."""
    scan = Scan([*(item for one in found for item in one.items), *given])
    core_count = measures.cores(scan.items)
    broken = {one.number for one in found if one.failed}
    groups: dict[str, Signal] = {}
    for index, item in enumerate(scan.items):
        signal = _signal(item, core_count, index in scan.loud)
        if signal is None or (item.source in broken and signal.category == "error"):
            continue
        signal.weight += about.weight(item, signal.category)
        _merge(groups, _group(item, signal), signal, item)
    ranked = sorted(groups.values(), key=lambda s: (-s.weight, s.items[0].source, s.items[0].path))
    return [signal for signal in ranked if signal.weight >= 2.0]


def alarming(item: Item) -> bool:
    """Whether an item by itself would be a signal."""
    return _signal(item, None, True) is not None


def changes(found: list[Result], given: list[Item], limit: int) -> list[Item]:
    """Returns lines and values about a deploy, a restart, a start or a new version."""
    changed_items: dict[str, Item] = {}
    scan = Scan([*(item for one in found for item in one.items), *given])
    for index, item in enumerate(scan.items):
        if item.row is not None and item.key:
            key, value = measures.snake(item.key), measures.number(item)
            young = key.endswith(("uptime_seconds", "uptime_secs", "uptime_s")) and value is not None and value < 86_400
            changed = bool(rules.CHANGE_KEYS.search(key)) and item.text not in ("null", "")
            if young or (changed and len(item.text) > 2):
                changed_items.setdefault(f"{item.key}={item.text}", item)
        elif index in scan.changing and rules.CHANGE.search(item.text[:2000]) and not _signal(item, None, True):
            changed_items.setdefault(_template(item.text), item)
    text_first = sorted(changed_items.values(), key=lambda item: item.row is not None)
    return text_first[:limit]


def quiet(found: list[Result], about: Focus, signals: list[Signal], limit: int) -> list[Item]:
    """Returns unalarming readings of what the alert names: they exclude causes."""
    reported = {id(item) for signal in signals for item in signal.items}
    near: list[tuple[float, int, Item]] = []
    core_count = measures.cores([item for one in found for item in one.items])
    for one in found:
        for order, item in enumerate(one.items):
            value = measures.number(item) if item.row is not None else None
            if value is None or id(item) in reported or measures.measure(item, core_count):
                continue
            if "pressure" in item.path or (
                not measures.is_percent(item) and not re.search(r"load|restart", measures.snake(item.key))
            ):
                continue
            score = about.weight(item, measures.category_of(item)) + value / 1000
            near.append((-score, order, item))
    near.sort(key=lambda entry: (entry[0], entry[2].source, entry[1]))
    distinct: dict[tuple[str, str, str], Item] = {}
    for score, _, item in near:
        if score < -1.0:
            distinct.setdefault((item.key, measures.subject(item), item.text), item)
    return list(distinct.values())[:limit]


def _signal(item: Item, core_count: int | None, loud: bool) -> Signal | None:
    measure = measures.measure(item, core_count)
    if measure:
        return Signal(measure.category, measure.weight, measure.description, [item])
    if not loud or (item.row is not None and not isinstance(item.value, str)):
        return None
    if item.row is not None and not _EVENT_KEYS.search(measures.snake(item.key)):
        return None
    return _line(item, core_count)


def _line(item: Item, core_count: int | None) -> Signal | None:
    text = item.text[:2000]
    named_error = item.row is not None and measures.snake(item.key) in ("error", "last_error", "failure")
    rule = next((rule for rule in rules.LINE_RULES if rule.pattern.search(text)), None)
    if rule and rules.NEGATED.search(text) and rule.weight <= 4.5:
        rule = None
    if rule and rule.weight <= 4.5 and _INFO.search(text):
        rule = None
    best = Signal(rule.category, rule.weight, rule.description, [item]) if rule else None
    if best is None and named_error and len(text) > 2:
        best = Signal("error", 3.5, "an error is reported", [item])
    for other in (_percentage(item, text), _load(item, text, core_count), _exit(item, text)):
        if other and (best is None or other.weight > best.weight):
            best = other
    return best


def _percentage(item: Item, text: str) -> Signal | None:
    if _SPARE.search(text) and not re.search(r"\buse[d%]?", text, re.IGNORECASE):
        return None
    high = [m.group(1) for m in _PERCENT.finditer(text) if 85 <= float(m.group(1)) <= 100]
    if not high:
        return None
    category = next(iter(topics(parts(text))), "usage")
    weight = 4 + (max(float(value) for value in high) - 85) / 5
    return Signal(category, weight, f"a share of {high[0]} % is reported", [item])


def _load(item: Item, text: str, core_count: int | None) -> Signal | None:
    match = _LOAD.search(text)
    if match is None or core_count is None or float(match.group(1)) <= core_count:
        return None
    description = f"load is {match.group(1)} on {core_count} cores"
    return Signal("load", 4 + min(float(match.group(1)) / core_count, 6) / 2, description, [item])


def _exit(item: Item, text: str) -> Signal | None:
    match = _EXIT.search(text)
    return Signal("crash", 4.5, f"a process ended with code {match.group(1)}", [item]) if match else None


def _group(item: Item, signal: Signal) -> str:
    if signal.category == "load":
        return "load"
    if "pressure" in item.path:
        return f"{item.source}|pressure|{signal.category}"
    if item.row is not None and not isinstance(item.value, str):
        return f"{item.source}|{item.path}"
    if item.row is not None and item.value is not None:
        return f"{signal.category}|{signal.description}"
    return f"{signal.category}|{_template(item.text)}"


def _template(text: str) -> str:
    return _VARIABLE.sub("#", _POD_TAIL.sub("-#", text[:400])).lower()


def _merge(groups: dict[str, Signal], key: str, signal: Signal, item: Item) -> None:
    known = groups.get(key)
    if known is None:
        groups[key] = signal
        return
    same_thing = key == "load" or "|pressure|" in key
    if same_thing and item.source in known.sources:
        return
    known.count += not same_thing
    known.weight = max(known.weight, signal.weight) + (0.25 if known.count <= 9 else 0.0)
    if len(known.items) < _SAMPLES and all(item.text != other.text for other in known.items):
        known.items.append(item)

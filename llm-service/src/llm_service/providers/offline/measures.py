"""Numbers and states in JSON: which of them are alarming, and how much."""

import re
from dataclasses import dataclass
from decimal import Decimal

from llm_service.providers.offline.evidence import Item
from llm_service.providers.offline.rules import BAD_STATES, STATE_KEYS

HIGH_PERCENT = 85
HIGH_PRESSURE = 40
_CORE_COUNTS = range(1, 4097)
_SNAKE = re.compile(r"[\s.-]+|(?<=[a-z0-9])(?=[A-Z])")
_PERCENT = re.compile(r"percent|_pct|pct$|%|utili[sz]ation")
_SPARE = re.compile(r"(?:^|_)(?:free|idle|available|avail|remaining|left|headroom|id)(?:_|$)")
_RATIO = re.compile(r"(?:^|_)(?:ratio|fraction)$")
_LOAD = re.compile(r"(?:^|_)(?:load|loadavg|load_?average|load_?avg)_?(?:1|5|1m|5m|1min|one|five)?m?(?:in)?$")
_LOAD_PART = re.compile(r"^(?:1m|5m|one|five|1min|5min|min1|min5|avg1|avg5|last_?1|last_?5)\w*$")
_CORES = re.compile(r"(?:^|_)(?:cores?|cpus?|cpu_count|num_cpus?|logical_c\w+|vcpus?|nproc|ncpu)(?:_count)?$")
_DURATION_MS = re.compile(r"(?:latency|duration|elapsed|response_time|took|rtt|time|total)\w*_ms$|_millis$")
_FALSE_IS_BAD = re.compile(r"(?:^|_)(?:ok|healthy|ready|up|reachable|success|succeeded|resolved|connected)$")
_ERRORS = re.compile(
    r"(?:^|_)(?:errors?|errs|failures|failed|dropped|drops?|oom_kills?|retransmit\w*)(?:_total|_count)?$"
)
# The words in a name or path that identify the resource of a percentage; the first match decides.
_SUBJECTS = (
    ("load", "load"), ("inode", "disk"), ("mount", "disk"), ("disk", "disk"), ("filesystem", "disk"),
    ("fstype", "disk"), ("swap", "memory"), ("mem", "memory"), ("cpu", "cpu"), ("waiting.io", "disk"),
    ("pool", "pool"), ("connection", "pool"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measure:
    """The assessment of one scalar: category, weight and description."""

    category: str
    weight: float
    description: str


def snake(key: str) -> str:
    """A key in lower snake case."""
    return "_".join(piece for piece in _SNAKE.split(key) if piece).lower()


def number(item: Item) -> float | None:
    """The item's value as a number; numbers in strings such as `97%` count."""
    if isinstance(item.value, bool) or item.value is None:
        return None
    if isinstance(item.value, int | Decimal):
        return float(item.value)
    if isinstance(item.value, str):
        match = re.fullmatch(r"(-?\d{1,15}(?:\.\d+)?)\s*(%?)", item.value.strip())
        return float(match.group(1)) if match else None
    return None


def subject(item: Item) -> str:
    """Returns the name of the item's object as ` of NAME`, or nothing."""
    label = item.row.label if item.row else None
    if label is None or label[0] == item.key:
        return ""
    return f" of {label[1] if len(label[1]) <= 60 else label[1][:59] + '…'}"


def cores(items: list[Item]) -> int | None:
    """Returns the number of processors in the results, if they contain it."""
    for item in items:
        value = number(item)
        if value is not None and item.key and _CORES.search(snake(item.key)) and value in _CORE_COUNTS:
            return int(value)
    return None


def measure(item: Item, core_count: int | None) -> Measure | None:
    """Assesses a scalar of a JSON document; `None` unless it is alarming."""
    if item.row is None or not item.key:
        return None
    key = snake(item.key)
    if isinstance(item.value, bool):
        return _flag(item, key)
    value = number(item)
    if value is None:
        return _state(item, key)
    return _share(item, key, value) or _load(item, key, value, core_count) or _count(item, key, value)


def category_of(item: Item) -> str:
    """What a percentage is about: its own name first, then its path and neighbours."""
    neighbours = " ".join(item.row.fields) if item.row else ""
    for text in (snake(item.key), item.path.lower(), neighbours.lower()):
        for word, category in _SUBJECTS:
            if word in text:
                return category
    return "error" if "error" in item.key.lower() else "latency" if "lat" in item.key.lower() else "usage"


def is_percent(item: Item) -> bool:
    """Whether the scalar is a share of something."""
    text = isinstance(item.value, str) and item.value.strip().endswith("%")
    return bool(item.key) and (text or bool(_PERCENT.search(snake(item.key)) or _PERCENT.search(_above(item))))


def _above(item: Item) -> str:
    """Returns the path of an item's object."""
    return item.path.rpartition(".")[0].lower()


def _name(item: Item) -> str:
    """The item's key, with its parents where only they identify a percentage."""
    if item.value is not None and not _PERCENT.search(snake(item.key)) and _PERCENT.search(_above(item)):
        return f"`{item.path}`"
    return f"`{item.key}`{subject(item)}"


def _share(item: Item, key: str, value: float) -> Measure | None:
    percent = value
    if _RATIO.search(key) and 0 <= value <= 1:
        percent = value * 100
    elif not is_percent(item):
        return None
    category, name = category_of(item), _name(item)
    high = HIGH_PRESSURE if "pressure" in item.path.lower() else HIGH_PERCENT
    if _SPARE.search(key):
        if 0 <= percent <= 100 - HIGH_PERCENT:
            return Measure(category, 4 + (15 - percent) / 5, f"{name} is down to {item.text}")
        return None
    if percent < high or (percent > 100 and category not in ("cpu", "load")):
        return None
    weight = 4 + min(percent - high, 15) / 5
    return Measure(category, weight, f"{name} is {item.text}")


def _load(item: Item, key: str, value: float, core_count: int | None) -> Measure | None:
    parent = snake(re.sub(r"\[\d+\]", "", item.path).rsplit(".", 2)[-2]) if "." in item.path else ""
    is_load = _LOAD.search(key) or (_LOAD_PART.match(key) and "load" in parent)
    if not is_load or core_count is None or value <= core_count:
        return None
    plural = "core" if core_count == 1 else "cores"
    weight = 4 + min(value / core_count, 6) / 2
    return Measure("load", weight, f"load `{item.key}` is {item.text} on {core_count} {plural}")


def _count(item: Item, key: str, value: float) -> Measure | None:
    name = f"`{item.key}`{subject(item)}"
    if re.search(r"(?:^|_)restart(?:s|_count|count)$", key) and value >= 1:
        return Measure("restarts", 3.5 + min(value, 12) / 4, f"{name} is {item.text}")
    if re.search(r"(?:^|_)exit_?code$", key) and value != 0:
        return Measure("crash", 5.0, f"{name} is {item.text}")
    if re.search(r"(?:^|_)(?:http_)?status(?:_code)?$|^code$", key) and 400 <= value <= 599:
        weight = 5.0 if value >= 500 else 3.0
        return Measure("error", weight, f"{name} is {item.text}")
    if _DURATION_MS.search(key) and value >= 1000:
        return Measure("latency", 3.5 + min(value / 5000, 2), f"{name} is {item.text}")
    if _ERRORS.search(key) and value > 0:
        kills = "oom" in key
        description = f"{name} is {item.text}"
        return Measure("memory" if kills else "error", 5.0 if kills else 1.5, description)
    return None


def _flag(item: Item, key: str) -> Measure | None:
    name = f"`{item.key}`{subject(item)}"
    if item.value is False and _FALSE_IS_BAD.search(key):
        return Measure("probe", 4.0, f"{name} is false")
    if item.value is True and re.search(r"oom_?killed|_pressure$|(?:^|_)failed$|read_?only_remount", key):
        return Measure("memory" if "oom" in key else "service", 5.5, f"{name} is true")
    return None


def _state(item: Item, key: str) -> Measure | None:
    if not isinstance(item.value, str) or not STATE_KEYS.search(key):
        return None
    if item.row is not None and item.row.fields.get("rx_packets") == 0:
        return None  # an unused interface may be down
    known = BAD_STATES.get(item.value.strip().replace(" ", "").lower())
    if known is None:
        return None
    return Measure(known[0], known[1], f"`{item.key}`{subject(item)} is {item.value.strip()}")

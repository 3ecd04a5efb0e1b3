"""Reads how long a server wants to be left alone, wherever and however it says so."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from time import time
from typing import Any

from llm_service.json_shapes import as_list, as_object

_HEADERS = ("retry-after-ms", "retry-after", "x-ms-retry-after-ms")
# When a limit is counted anew, which only counts if nothing is left of it.
_RESET = re.compile(r"ratelimit.*reset|reset.*ratelimit")
_FIELDS = (
    "retry_after_ms",
    "retry_after",
    "retryAfter",
    "retry_after_seconds",
    "retryDelay",
    "retryafter",
    "retrydelay",
    "estimated_time",
)
_WORDS = re.compile(
    r"(?:try again|retry|wait|available|reset)\w*(?: (?:in|after|for|at least))*:? "
    r"((?:\d+(?:\.\d+)? ?(?:ms|[a-z]+)[ ,]{0,2}(?:and )?)+)",
    re.IGNORECASE,
)
_PART = re.compile(r"(\d+(?:\.\d+)?) ?([a-z]+)", re.IGNORECASE)
_WHOLE = re.compile(r"(?:\d+(?:\.\d+)? ?[a-z]+[ ,]*)+", re.IGNORECASE)
_UNITS = {"ms": 1, "mi": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
# What is more is a time since 1970.
_MOST_SECONDS = 1_000_000_000
_DAY_MS = 86_400_000


def retry_after(headers: Mapping[str, str]) -> int:
    """Returns the pause in milliseconds that the headers of an answer ask for; 0 if they ask for none."""
    lower = {name.lower(): str(value) for name, value in headers.items()}
    named = (_milliseconds(lower[name], 1 if name.endswith("ms") else 1000) for name in _HEADERS if name in lower)
    return next((wait for wait in named if wait), 0) or _until_reset(lower)


def stated(document: object, message: str) -> int:
    """Returns the pause in milliseconds that the body of a refusal asks for."""
    for fields in _objects(document, 4):
        for name in _FIELDS:
            value: object = fields.get(name)
            if isinstance(value, str | int | float) and not isinstance(value, bool):
                wait = _milliseconds(str(value), 1 if name.endswith("ms") else 1000)
                if wait:
                    return wait
    match = _WORDS.search(message)
    return _sum(match[1]) if match else 0


def _until_reset(headers: Mapping[str, str]) -> int:
    """The longest pause of a limit of which nothing is left."""
    waits: list[int] = []
    for name, value in headers.items():
        left = headers.get(name.replace("reset", "remaining"), "0")
        if _RESET.search(name) and left.strip() in ("0", ""):
            waits.append(_milliseconds(value, 1000))
    return max(waits, default=0)


def _objects(value: object, depth: int) -> Iterator[dict[str, Any]]:
    fields = as_object(value)
    if fields:
        yield fields
    if depth:
        for inner in fields.values() if fields else as_list(value):
            yield from _objects(inner, depth - 1)


def _milliseconds(text: str, unit: int) -> int:
    text = text.strip()
    if re.fullmatch(r"\d+(?:\.\d+)?", text):
        number = float(text)
        if number < _MOST_SECONDS:
            return _bounded(number * unit)
        return _bounded((number if number > _MOST_SECONDS * 100 else number * 1000) - time() * 1000)
    return _bounded(_sum(text)) if _WHOLE.fullmatch(text) else _at(text)


def _at(text: str) -> int:
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            return _bounded((read(text).timestamp() - time()) * 1000)
        except (TypeError, ValueError, OverflowError):
            continue
    return 0


def _sum(text: str) -> int:
    """Of a text such as `7m40.5s` or `2 minutes`."""
    parts = ((float(one[1]), one[2].lower()) for one in _PART.finditer(text))
    known = ((number, unit[:2] if unit in ("ms", "millis", "milliseconds") else unit[:1]) for number, unit in parts)
    return _bounded(sum(number * _UNITS.get(unit, 0) for number, unit in known))


def _bounded(wait: float) -> int:
    return int(wait) if 0 < wait <= _DAY_MS else 0

"""Types for untrusted JSON."""

import json
from math import inf
from typing import Any, cast


def as_object(value: object) -> dict[str, Any]:
    """The value if it is a JSON object, else an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """The value if it is a JSON array, else an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def load(text: str | bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Parses a text; `None` if it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def load_object(text: str | bytes) -> dict[str, Any]:
    """Parses an object; another value is returned under `value`, invalid JSON as an empty object."""
    value: object = load(text)
    return {"value": value} if isinstance(value, list | str | int | float) else as_object(value)


def object_text(text: str) -> str:
    """Arguments as vendors take them back: the text of an object, whatever the model wrote."""
    value: object = load(text)
    if isinstance(value, dict):
        return text
    return '{"value": ' + text + "}" if as_list(value) or isinstance(value, str | int | float) else "{}"


def _number(value: object) -> object:
    """A number that is written as a text, too."""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16 else value


def count(fields: dict[str, Any], *names: str) -> int:
    """The first of these numbers that is above zero."""
    values = (_number(fields.get(name)) for name in names)
    numbers = (v for v in values if isinstance(v, int | float) and not isinstance(v, bool))
    return next((int(v) for v in numbers if 0 < v < inf), 0)

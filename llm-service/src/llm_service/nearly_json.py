"""Reads JSON as models write it: with remarks, with quotation marks of other languages, with a bracket too few.

What was cut off is no value: a bracket may be missing before another one that ends, or where mark-up ends the value.
"""

import json
import re
from typing import Any, Final

# As deep as anything may be nested, and as long as anything may be that is no JSON.
_DEPTH = 64
_LONGEST = 256 * 1024
_NOTHING = re.compile(r"(?:\s+|//[^\n]*|#[^\n]*|/\*.*?\*/)*", re.DOTALL)
_BETWEEN = re.compile(r"[\s,;]*")
_WORD = re.compile(r"[A-Za-z_$][\w$-]*")
_NUMBER = re.compile(r"[+-]?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?")
_CONSTANTS: Final[dict[str, Any]] = {
    "true": True, "false": False, "null": None, "True": True, "False": False, "None": None, "undefined": None,
}  # fmt: skip
_QUOTES = ('"""', "'''", '"', "'", "`")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_CODE = re.compile(r"\\u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?")
_FENCE = re.compile(r"\s*```[\w-]*[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)


class _NoValueError(ValueError):
    """Nothing that is like JSON stands here."""


def value_at(text: str, at: int = 0, *, ends: bool = False) -> tuple[Any, int]:
    """Returns the object or list that begins here, and where it ends; raises `ValueError` if none does.

    Where the text `ends` by mark-up, brackets may be missing at its end.
    """
    if text[at : at + 1] not in ("{", "["):
        raise _NoValueError
    try:
        return json.JSONDecoder(strict=False).raw_decode(text, at)
    except (ValueError, RecursionError):
        return _Reader(text[: at + _LONGEST], ends=ends).collection(at, 0)


def values(text: str, *, ends: bool = False) -> list[Any]:
    """Returns the objects and lists that a text is, one after the other; none if it is anything else."""
    if fence := _FENCE.fullmatch(text):
        text = fence[1]
    found: list[Any] = []
    at = _BETWEEN.match(text, 0).end()  # type: ignore[union-attr] # it matches nothing, too
    while at < len(text):
        try:
            value, at = value_at(text, at, ends=ends)
        except (ValueError, RecursionError):
            return []
        found.append(value)
        at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
    return found


def value(text: str, *, ends: bool = False) -> Any:  # noqa: ANN401 - any JSON value
    """Returns the value that a text is, a list of several; `None` if it is none."""
    found = values(text, ends=ends)
    return found[0] if len(found) == 1 else found or None


class _Reader:
    def __init__(self, text: str, *, ends: bool) -> None:
        self._text = text
        self._ends = ends

    def collection(self, at: int, depth: int) -> tuple[Any, int]:
        """An object or a list."""
        if depth > _DEPTH:
            raise _NoValueError
        is_object = self._text[at] == "{"
        closer = "}" if is_object else "]"
        fields: dict[str, Any] = {}
        items: list[Any] = []
        at = self._skip(at + 1)
        while (sign := self._text[at : at + 1]) != closer:
            if sign in ("}", "]") and depth:
                # The bracket of what stands around it.
                return (fields if is_object else items), at
            if not sign and self._ends:
                return (fields if is_object else items), at
            if is_object:
                name, at = self._name(at)
                at = self._skip(at)
                if self._text[at : at + 1] not in (":", "="):
                    raise _NoValueError
                fields[name], at = self._value(self._skip(at + 1), depth)
            else:
                one, at = self._value(at, depth)
                items.append(one)
            at = self._comma(self._skip(at))
        return (fields if is_object else items), at + 1

    def _comma(self, at: int) -> int:
        sign = self._text[at : at + 1]
        if sign == ",":
            return self._skip(at + 1)
        if sign in ("}", "]") or (not sign and self._ends):
            return at
        raise _NoValueError

    def _skip(self, at: int) -> int:
        match = _NOTHING.match(self._text, at)
        return match.end() if match else at

    def _name(self, at: int) -> tuple[str, int]:
        if word := _WORD.match(self._text, at):
            return word.group(), word.end()
        return self._string(at)

    def _value(self, at: int, depth: int) -> tuple[Any, int]:
        sign = self._text[at : at + 1]
        if sign in ("{", "["):
            return self.collection(at, depth + 1)
        if sign and sign in "\"'`":
            return self._string(at)
        if number := _NUMBER.match(self._text, at):
            return json.loads(number.group().lstrip("+").replace("_", "")), number.end()
        word = _WORD.match(self._text, at)
        if word is None or word.group() not in _CONSTANTS:
            raise _NoValueError
        return _CONSTANTS[word.group()], word.end()

    def _string(self, at: int) -> tuple[str, int]:
        quote = next((one for one in _QUOTES if self._text.startswith(one, at)), "")
        # Two quotation marks are an empty text.
        if not quote or (len(quote) == 3 and self._text.find(quote, at + 3) < 0):
            quote = self._text[at : at + 1]
        if quote[:1] not in ('"', "'", "`") or not quote:
            raise _NoValueError
        at += len(quote)
        parts: list[str] = []
        while not self._text.startswith(quote, at):
            if at >= len(self._text):
                raise _NoValueError
            part, at = self._character(at)
            parts.append(part)
        return "".join(parts), at + len(quote)

    def _character(self, at: int) -> tuple[str, int]:
        if self._text[at] != "\\":
            return self._text[at], at + 1
        if code := _CODE.match(self._text, at):
            return json.loads(f'"{code.group()}"'), code.end()
        escaped = self._text[at + 1 : at + 2]
        return _ESCAPED.get(escaped, escaped), at + 2

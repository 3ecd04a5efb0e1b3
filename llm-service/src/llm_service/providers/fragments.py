"""Puts tool calls together out of their fragments, also where a server numbers and names them oddly."""

import ast
import json
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from llm_service import nearly_json
from llm_service.json_shapes import as_list, as_object, load

# As servers call the arguments, the usual name first.
_ARGUMENTS = ("arguments", "parameters", "args", "input")
# A turn with more calls is a loop.
MAX_CALLS = 256
# What servers leave of a model's mark-up in a name, and around arguments.
_MARKS = re.compile(r"[<(\s]")
_BEFORE = re.compile(r"^(?:\[/?[A-Z_]+\]|<[^<>{}]{1,60}>|\s)+")
_AFTER = re.compile(r"(?:<[^<>{}]{0,60}>?|\[/?[A-Z_]+\]|```|\s)+$")
_LEADING = re.compile(r"(\{.*\})\s+[A-Za-z][^{}\[\]]*", re.DOTALL)
# The first name without the brace and the quotation mark before it.
_HEADLESS = re.compile(r'\w+"\s*:')


@dataclass(frozen=True, slots=True)
class Complete:
    """A call as the model wrote it; `name` is the vendor's, `arguments` is JSON text unless the model failed."""

    id: str
    name: str
    arguments: str


@dataclass(slots=True)
class _Draft:
    index: object
    id: str = ""
    name: str = ""
    parts: list[str] = field(default_factory=list[str])

    @property
    def arguments(self) -> str:
        return "".join(self.parts)

    def is_complete(self) -> bool:
        return isinstance(load(self.arguments), dict)


class Fragments:
    """The calls of one answer."""

    def __init__(self, offered: frozenset[str]) -> None:
        """`offered` are the names of the tools as the vendor knows them."""
        self._offered = offered
        self._drafts: list[_Draft] = []

    def __bool__(self) -> bool:
        return any(draft.name for draft in self._drafts)

    def add(self, fragment: object) -> None:
        """Takes one fragment."""
        fields = as_object(fragment)
        function = as_object(fields.get("function")) or fields
        given = next((function[key] for key in _ARGUMENTS if function.get(key) is not None), None)
        name, arguments = _word(function.get("name")), _json(given)
        draft = self._place(fields.get("index"), _word(fields.get("id")), name, arguments)
        if draft is None:
            return
        if name and name != draft.name:
            draft.name = draft.name + name if draft.name else name
        draft.id = draft.id or _word(fields.get("id"))
        if arguments:
            draft.parts.append(arguments)

    def calls(self) -> list[Complete]:
        """Returns the calls that have a name, each with an id of its own."""
        found: list[Complete] = []
        seen: set[str] = set()
        for draft in self._drafts:
            name = self._known(draft.name)
            for number, arguments in enumerate(_arguments(draft)):
                if not name:
                    continue
                identifier = "" if number or draft.id in seen else draft.id
                identifier = identifier or new_id()
                seen.add(identifier)
                found.append(Complete(identifier, name, arguments))
        return found

    def _known(self, name: str) -> str:
        """A name without mark-up of the model or a namespace, if that is the name of an offered tool."""
        if name in self._offered:
            return name
        plain = _MARKS.split(name)[0].strip()
        names = (plain, plain.rpartition(".")[2], plain.removeprefix("functions."), plain.partition(":")[0])
        return next((one for one in names if one in self._offered), name)

    def written(self) -> tuple[str, ...]:
        """Returns the arguments of each call as far as they came."""
        return tuple(draft.arguments for draft in self._drafts if draft.name)

    def _place(self, index: object, identifier: str, name: str, arguments: str) -> _Draft | None:
        """Returns the call that a fragment belongs to: one that began, or a new one."""
        same = [draft for draft in self._drafts if index is None or draft.index == index]
        current = same[-1] if same else None
        if identifier and current is not None and identifier != current.id:
            known = next((draft for draft in same if draft.id == identifier), None)
            if known is not None:
                return known
        if current is not None and not self._begins(current, identifier, name, arguments):
            return current
        if len(self._drafts) >= MAX_CALLS:
            return None
        self._drafts.append(_Draft(index))
        return self._drafts[-1]

    def _begins(self, current: _Draft, identifier: str, name: str, arguments: str) -> bool:
        """Whether a fragment in the place of this call is the first of another one."""
        if not name:
            # Some servers give each fragment another id.
            return False
        if identifier and current.id and identifier != current.id:
            goes_on = name == current.name and arguments and not arguments.lstrip().startswith("{")
            return not (goes_on and current.parts and not current.is_complete())
        if identifier and identifier == current.id:
            return False
        if not current.name:
            return False
        if name == current.name:
            return bool(arguments.strip()) and current.is_complete()
        is_rest = current.name not in self._offered and (current.name + name) in self._offered
        return not (is_rest and not current.parts)


def new_id() -> str:
    """An id for a call that has none."""
    return f"call_{uuid.uuid4().hex[:16]}"


def _word(value: object) -> str:
    return value.strip() if isinstance(value, str) else str(value) if isinstance(value, int) else ""


def _json(value: object) -> str:
    """Arguments as text: most servers send a text, some the value itself, or nothing."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else ""


def _arguments(draft: _Draft) -> list[str]:
    """Returns the arguments of a draft; several if a server put the calls of one tool after each other."""
    text = draft.arguments.strip()
    value: object = load(text)
    if isinstance(value, dict):
        return [text]
    if isinstance(value, str) and isinstance(load(value), dict):
        # A text within a text.
        return [value]
    if not text or (value is None and text == "null") or value == "":
        return ["{}"]
    if value is None:
        last = draft.parts[-1].strip()
        if len(draft.parts) > 1 and isinstance(load(last), dict) and text.startswith(draft.parts[0].strip()):
            whole = last if last.startswith(draft.parts[-2].strip()) else ""
            if whole:
                # Each fragment held all that the one before it held.
                return [whole]
        objects = list(_objects(text))
        if objects:
            return list(dict.fromkeys(objects))
        if mended := _mended(text):
            return [mended]
    return [text]


def _mended(text: str) -> str:
    """Arguments that lost their first brace, have mark-up around them, or are in the form of Python; else empty."""
    plain = _AFTER.sub("", _BEFORE.sub("", text))
    if (leading := _LEADING.fullmatch(plain)) and isinstance(load(leading[1]), dict):
        # A sentence goes on behind them.
        return leading[1]
    for one in (plain, f'{{"{plain}' if _HEADLESS.match(plain) else ""):
        if one and isinstance(load(one), dict):
            return one
    found: object = nearly_json.value(text) or nearly_json.value(plain)
    fields = as_object(found) or literal(plain)
    return json.dumps(fields, ensure_ascii=False) if fields is not None else ""


def literal(text: str) -> dict[str, object] | None:
    """An object that is written in the form of Python; none if it is anything else."""
    try:
        value: object = ast.literal_eval(text)
        json.dumps(value)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def _objects(text: str) -> Iterator[str]:
    """Yields the objects that stand after each other in a text; none if anything else stands there."""
    decoder, at, found = json.JSONDecoder(), 0, list[str]()
    while at < len(text):
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        if not isinstance(value, dict):
            return
        found.append(text[at:end])
        at = end
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
    yield from found


def fragments_of(value: Any) -> list[Any]:  # noqa: ANN401 - any JSON value
    """The fragments of one event: a list, or one alone."""
    return as_list(value) or ([value] if isinstance(value, dict) else [])

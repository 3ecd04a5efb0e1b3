"""Answers of a given form: by which means of a provider they are asked for, and what form is sent."""

import re
from typing import Any

from llm_service.chunks import Call, Chunk, Finish, Text
from llm_service.finish_reason import FinishReason
from llm_service.json_shapes import as_list, as_object, load
from llm_service.providers.tool_schemas import normalized
from llm_service.turn import Format, Turn

# From the surest to the weakest; without any, the text of the prompt has to do.
SCHEMA, TOOL, OBJECT = "answer_schema", "answer_tool", "answer_object"
_FENCE = re.compile(r"\s*```[\w-]*\s*\n(.*?)```\s*", re.DOTALL)
# Of an answer that is looked at.
_MAX_CHARS = 1024 * 1024


def means(turn: Turn, refused: frozenset[str], *known: str) -> str:
    """Returns the first of the means that a protocol has and this model has not refused; empty if none is left."""
    if turn.answer is None:
        return ""
    # A forced tool would hide those on offer.
    usable = (one for one in known if one not in refused and not (one == TOOL and turn.tools))
    return next(usable, "")


def schema(answer: Format, *, closed: bool = False) -> dict[str, Any]:
    """Returns the schema in a form that all vendors take; `closed` is for those that want no unnamed properties."""
    found = normalized(load(answer.schema)) or {"type": "object"}
    return _closed(found) if closed else found


def named(answer: Format) -> dict[str, Any]:
    """Returns the schema with its name, as OpenAI's protocols have it; strict if it fits that."""
    found = schema(answer)
    strict = {"strict": True} if _is_strict(found) else {}
    return {"name": answer.name, "schema": found, **strict}


class Answer:
    """Follows one answer that was asked for by one of the means."""

    def __init__(self, way: str, answer: Format | None) -> None:
        """Starts before the first chunk."""
        self._way = way
        self._name = answer.name if answer else ""
        # An answer that a schema constrains has all of them.
        self._required = as_list(as_object(load(answer.schema)).get("required")) if answer and way == SCHEMA else []
        self._texts: list[str] = []
        self._size = 0
        self._ended = False

    def read(self, chunk: Chunk) -> Chunk:
        """Returns the chunk as the caller gets it: the call of a forced tool is the answer."""
        if self._way == TOOL and isinstance(chunk, Call) and chunk.name == self._name:
            chunk = Text(chunk.arguments)
            self._texts, self._size = [], 0
        elif self._way == TOOL and isinstance(chunk, Finish) and chunk.reason is FinishReason.TOOL_CALLS:
            chunk = Finish(FinishReason.STOP)
        if isinstance(chunk, Text) and self._size <= _MAX_CHARS:
            self._texts.append(chunk.content)
            self._size += len(chunk.content)
        self._ended |= isinstance(chunk, Finish) and chunk.reason is FinishReason.STOP
        return chunk

    def was_ignored(self) -> str:
        """Returns the means that the server took and did not heed; empty if the answer is an object that has all."""
        text = "".join(self._texts)
        if not self._way or not self._ended or not text.strip() or self._size > _MAX_CHARS:
            return ""
        fence = _FENCE.fullmatch(text)
        value: object = load(fence.group(1) if fence else text)
        is_heeded = isinstance(value, dict) and all(name in value for name in self._required)
        return "" if is_heeded else self._way


def _closed(part: Any) -> Any:  # noqa: ANN401 - any part of a schema
    if parts := as_list(part):
        return [_closed(one) for one in parts]
    fields = as_object(part)
    if not fields:
        return part
    found = {
        name: {key: _closed(one) for key, one in as_object(value).items()} if name == "properties" else _closed(value)
        for name, value in fields.items()
        if name != "additionalProperties"
    }
    is_object = fields.get("type") == "object" or "properties" in fields
    return {**found, "additionalProperties": False} if is_object else found


def _is_strict(part: object) -> bool:
    """Whether OpenAI takes the schema as strict: all properties are required, and no others allowed."""
    if parts := as_list(part):
        return all(_is_strict(one) for one in parts)
    fields = as_object(part)
    properties = as_object(fields.get("properties"))
    if fields.get("type") == "object" and (
        fields.get("additionalProperties") is not False or set(properties) != set(as_list(fields.get("required")))
    ):
        return False
    inner: list[object] = [
        value for name, value in fields.items() if name not in ("properties", "enum", "required", "default")
    ]
    return all(_is_strict(one) for one in (*properties.values(), *inner))

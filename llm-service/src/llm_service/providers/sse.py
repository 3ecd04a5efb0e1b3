"""Reads the events of a vendor's stream out of its bytes."""

import json
from collections.abc import Iterator
from typing import Any

import orjson

from llm_service.errors import ErrorCode, ProviderError
from llm_service.json_shapes import as_object

# One event: a whole answer with all that a vendor's own search found stays far below it.
MAX_EVENT_BYTES = 16 * 1024 * 1024
_DONE = b"[DONE]"


class Done(dict[str, Any]):
    """The event that says that no other follows."""


DONE = Done()


class Decoder:
    """Takes blocks of bytes and returns the events that they complete."""

    def __init__(self) -> None:
        """Starts before the first byte."""
        self._line: list[bytes] = []
        self._size = 0
        self._data: list[bytes] = []
        self._name = ""

    def feed(self, block: bytes) -> Iterator[dict[str, Any]]:
        """Yields the events that end in this block; raises `ProviderError` for one that is unreadable or too long."""
        if b"\n" not in block and not block.endswith(b"\r"):
            self._keep(block)
            return
        lines = (b"".join(self._line) + block).splitlines(keepends=True)
        self._line, self._size = [], 0
        # A carriage return at the end may be half of a line's end.
        rest = lines.pop() if not lines[-1].endswith(b"\n") else b""
        if rest:
            self._keep(rest)
        for line in lines:
            yield from self._take(line.rstrip(b"\r\n"))

    def end(self) -> Iterator[dict[str, Any]]:
        """Yields an event that no empty line follows."""
        for line in (*b"".join(self._line).splitlines(), b""):
            yield from self._take(line)

    def _keep(self, part: bytes) -> None:
        self._line.append(part)
        self._size += len(part)
        if self._size > MAX_EVENT_BYTES:
            raise unreadable(f"an event has more than {MAX_EVENT_BYTES // 1024 // 1024} MiB")

    def _take(self, line: bytes) -> tuple[dict[str, Any], ...]:
        if not line:
            data, name = b"\n".join(self._data), self._name
            self._data, self._name = [], ""
            return (parsed(data, name),) if data.strip() else ()
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            while value.startswith(b"data:"):
                # A relay wrote the line of another server as data.
                value = value[5:].lstrip(b" ")
            # A remark of another server that a relay wrote as data.
            return () if value.startswith(b":") else self._add(value)
        if field == b"event":
            self._name = value.decode(errors="replace").strip()
        elif line.startswith(b"{"):
            # Some servers leave out the field's name.
            return self._add(line)
        return ()

    def _add(self, value: bytes) -> tuple[dict[str, Any], ...]:
        """Takes a line of data; some servers put no empty line between two events."""
        found: tuple[dict[str, Any], ...] = ()
        if self._data and value.startswith((b"{", _DONE)) and self._data[-1].rstrip().endswith(b"}"):
            whole = _whole(b"\n".join(self._data))
            if whole is not None:
                found, self._data = (with_name(whole, self._name),), []
        self._data.append(value)
        return found


def parsed(data: bytes, name: str = "") -> dict[str, Any]:
    """Returns an event as an object, with the name of its line as its type if it has none; `DONE` for the last one."""
    if data.strip().startswith(_DONE):
        return DONE
    try:
        event = document(data)
    except (ValueError, RecursionError) as error:
        if name == "error":
            return {"type": name, "error": {"message": data.decode(errors="replace")}}
        raise unreadable("an event is no JSON") from error
    return with_name(as_object(event), name)


def with_name(fields: dict[str, Any], name: str) -> dict[str, Any]:
    """Returns an event with the name of its line as its type, if it has none."""
    return {**fields, "type": name} if name and name != "message" and "type" not in fields else fields


def _whole(data: bytes) -> dict[str, Any] | None:
    try:
        return as_object(document(data))
    except (ValueError, RecursionError):
        return None


def document(data: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Parses JSON; half characters and infinite numbers, which the fast parser refuses, cost no turn."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return json.loads(data.decode(errors="replace"))


def unreadable(why: str) -> ProviderError:
    """A stream that cannot be read on; another attempt may succeed."""
    return ProviderError(ErrorCode.PROVIDER_ERROR, f"the provider's stream is not readable: {why}", retryable=True)

"""Joins small deltas, so that a token does not cost a gRPC message."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress

from llm_service import metrics
from llm_service.chunks import Chunk, Text, Thinking

FLUSH_SECONDS = 0.01
FLUSH_CHARS = 1024
CLOSE_SECONDS = 5.0


class _End:
    """The end of the source, with its failure if there is one."""

    def __init__(self, failure: Exception | None) -> None:
        self.failure = failure


class _Buffer:
    """Pending deltas of one kind, to be sent together."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.size = 0
        self.kind: type[Text] | type[Thinking] = Text
        self.due: float | None = None
        self.sent = float("-inf")

    def add(self, chunk: Text | Thinking, now: float) -> bool:
        """Adds a delta; true if the buffer is due."""
        if not self.parts:
            self.kind, self.due = type(chunk), self.sent + FLUSH_SECONDS
        self.parts.append(chunk.content)
        self.size += len(chunk.content)
        return self.size >= FLUSH_CHARS or self.due is None or self.due <= now

    def take(self, now: float) -> Text | Thinking | None:
        if not self.parts:
            return None
        chunk = self.kind("".join(self.parts))
        self.parts, self.size, self.due, self.sent = [], 0, None, now
        return chunk


async def coalesced(source: AsyncGenerator[Chunk, None], deadline: float | None = None) -> AsyncGenerator[Chunk, None]:
    """Yields the source's chunks, with adjacent deltas joined.

    A delta is delayed only if another one was sent less than `FLUSH_SECONDS` ago: slow streams are never delayed.

    One task reads the source; closing this iterator cancels it, and closes the source. `deadline` is in the
    loop's time; passing it raises `TimeoutError`.
    """
    queue: asyncio.Queue[Chunk | _End] = asyncio.Queue(maxsize=256)
    reader = asyncio.create_task(_read(source, queue))
    buffer, loop, deltas = _Buffer(), asyncio.get_running_loop(), 0
    try:
        while True:
            item = await _next(queue, buffer, deadline)
            if not isinstance(item, buffer.kind) and (pending := buffer.take(loop.time())):
                yield pending
            if isinstance(item, _End):
                if item.failure:
                    raise item.failure
                return
            deltas += item is not None
            if isinstance(item, Text | Thinking):
                if buffer.add(item, loop.time()) and (pending := buffer.take(loop.time())):
                    yield pending
            elif item is not None:
                yield item
    finally:
        reader.cancel()
        metrics.deltas.inc(deltas)
        await asyncio.wait([reader], timeout=CLOSE_SECONDS)


async def _next(queue: "asyncio.Queue[Chunk | _End]", buffer: _Buffer, deadline: float | None) -> Chunk | _End | None:
    """Returns the next item, or `None` when the buffer is due."""
    loop = asyncio.get_running_loop()
    if deadline is not None and loop.time() >= deadline:
        raise TimeoutError
    if not queue.empty() and (buffer.due is None or loop.time() < buffer.due):
        return queue.get_nowait()
    due = min((t for t in (buffer.due, deadline) if t is not None), default=None)
    if due is not None and due <= loop.time():
        return None
    with suppress(TimeoutError):
        async with asyncio.timeout_at(due):
            return await queue.get()
    return None


async def _read(source: AsyncGenerator[Chunk, None], queue: "asyncio.Queue[Chunk | _End]") -> None:
    try:
        async for chunk in source:
            await queue.put(chunk)
    except Exception as failure:  # noqa: BLE001 - passed to the consumer, not swallowed
        await queue.put(_End(failure))
    else:
        await queue.put(_End(None))
    finally:
        await source.aclose()

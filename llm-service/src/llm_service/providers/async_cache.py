"""A bounded cache of values that are slow to build: SDK clients and chat models."""

import asyncio
from collections.abc import Callable, Hashable
from functools import partial
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class AsyncCache(Generic[K, V]):
    """Holds at most `max_entries` values; the oldest is evicted for a new one."""

    def __init__(self, max_entries: int) -> None:
        """Starts empty."""
        self._max_entries = max_entries
        self._entries: dict[K, asyncio.Future[V]] = {}

    async def get(self, key: K, build: Callable[[], V]) -> V:
        """Returns the value of this key; builds it in a thread if there is none.

        Concurrent callers share one build. A build that fails is repeated by the next call.
        """
        entry = self._entries.get(key)
        if entry is None:
            if len(self._entries) >= self._max_entries:
                self._entries.pop(next(iter(self._entries)))
            entry = self._entries[key] = asyncio.ensure_future(asyncio.to_thread(build))
            entry.add_done_callback(partial(self._forget_failed, key))
        # A caller that is cancelled must not cancel the build for the others.
        return await asyncio.shield(entry)

    def take_all(self) -> list[V]:
        """Empties the cache; returns the values that are built."""
        entries = list(self._entries.values())
        self._entries.clear()
        return [one.result() for one in entries if one.done() and not one.cancelled() and one.exception() is None]

    def _forget_failed(self, key: K, entry: "asyncio.Future[V]") -> None:
        failed = entry.cancelled() or entry.exception() is not None
        if failed and self._entries.get(key) is entry:
            del self._entries[key]

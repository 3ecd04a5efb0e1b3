"""What is dear to make and is kept between turns: SDK clients and chat models."""

import asyncio
from collections.abc import Callable, Hashable
from functools import partial
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Kept(Generic[K, V]):
    """At most so many things; the oldest is let go for a new one."""

    def __init__(self, most: int) -> None:
        """Starts empty."""
        self._most = most
        self._made: dict[K, asyncio.Future[V]] = {}

    async def get(self, key: K, make: Callable[[], V]) -> V:
        """Returns the thing of this key, made in a thread if it is not there.

        Who asks while it is being made waits for the same one. One that could not be made is tried again.
        """
        made = self._made.get(key)
        if made is None:
            if len(self._made) >= self._most:
                self._made.pop(next(iter(self._made)))
            made = self._made[key] = asyncio.ensure_future(asyncio.to_thread(make))
            made.add_done_callback(partial(self._forget_failed, key))
        # Whoever gives up waiting takes nothing from the others.
        return await asyncio.shield(made)

    def take_all(self) -> list[V]:
        """Lets go of everything; returns what is ready."""
        made = list(self._made.values())
        self._made.clear()
        return [one.result() for one in made if one.done() and not one.cancelled() and one.exception() is None]

    def _forget_failed(self, key: K, made: "asyncio.Future[V]") -> None:
        failed = made.cancelled() or made.exception() is not None
        if failed and self._made.get(key) is made:
            del self._made[key]

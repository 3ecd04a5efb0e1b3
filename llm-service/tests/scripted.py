"""A provider that plays a script, for tests of what does not depend on a vendor."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from llm_service.chunks import Chunk, Finish, Text
from llm_service.finish_reason import FinishReason
from llm_service.providers import registry
from llm_service.turn import Turn

BACKEND = "scripted"
# A backend and a type of provider that no configuration can name.
registry._TYPES[BACKEND] = (BACKEND,)  # noqa: SLF001 - only tests have it


class Scripted:
    """Plays a script: an exception is raised, a number or an event is waited for. Without one it answers a word."""

    def __init__(self, *attempts: list[Any]) -> None:
        self.attempts = list(attempts) or [[Text("fine")]]
        self.started = 0
        self.yielded = 0
        self.closed = asyncio.Event()

    async def generate(self, turn: Turn) -> AsyncGenerator[Chunk, None]:
        script = self.attempts[min(self.started, len(self.attempts) - 1)]
        self.started += 1
        try:
            for item in script:
                if isinstance(item, Exception):
                    raise item
                if isinstance(item, int | float):
                    await asyncio.sleep(item)
                elif isinstance(item, asyncio.Event):
                    await item.wait()
                else:
                    self.yielded += 1
                    yield item
            yield Finish(FinishReason.STOP)
        finally:
            self.closed.set()

    async def close(self) -> None:
        pass

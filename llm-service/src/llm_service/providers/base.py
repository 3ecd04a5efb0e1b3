"""The interface of a provider."""

from collections.abc import AsyncGenerator
from typing import Protocol

from llm_service.chunks import Chunk
from llm_service.turn import Turn


class Provider(Protocol):
    """Streams one turn; failures are `ProviderError`."""

    def generate(self, turn: Turn) -> AsyncGenerator[Chunk, None]:
        """Yields the turn's chunks; closing the iterator closes the vendor's stream."""
        ...

    async def close(self) -> None:
        """Releases what is cached between calls."""
        ...

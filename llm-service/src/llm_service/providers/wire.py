"""The interface of a vendor's protocol: how a request is written, and how the events of its answer are read."""

from dataclasses import dataclass
from typing import Any, Protocol

from llm_service.chunks import Chunk, Info, Usage
from llm_service.providers.http import Request


class Reader(Protocol):
    """Turns the events of one stream into chunks."""

    def read(self, event: dict[str, Any]) -> list[Chunk]:
        """Returns the chunks of one event; raises `ProviderError` if it reports a failure."""
        ...

    def end(self) -> list[Chunk]:
        """Returns the chunks that end the turn; raises `ProviderError` if the stream is no usable answer."""
        ...

    def usage(self) -> Usage | None:
        """Returns the tokens of the turn, as far as they were reported."""
        ...

    def info(self) -> Info | None:
        """Returns what the provider has reported about its answer so far."""
        ...


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request, what reads its answer, and which options it has that a server may refuse."""

    request: Request
    reader: Reader
    options: frozenset[str] = frozenset()
    answer: str = ""
    """The means by which an answer of a given form is asked for."""

"""What a provider yields."""

from dataclasses import dataclass

from llm_service.finish_reason import FinishReason


@dataclass(frozen=True, slots=True)
class Text:
    """A delta of the answer."""

    content: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """A delta of the model's reasoning."""

    content: str


@dataclass(frozen=True, slots=True)
class Call:
    """One complete tool call; arguments are JSON text, the name is `server.tool`."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class CodeRun:
    """Code that the provider executed, and its output."""

    code: str
    result: str


@dataclass(frozen=True, slots=True)
class Support:
    """A part of the answer, the indices of its sources, and the confidence in each."""

    start: int
    end: int
    text: str
    sources: tuple[int, ...]
    confidence: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Grounding:
    """Results of the provider's own search; sources are (uri, title)."""

    queries: tuple[str, ...] = ()
    sources: tuple[tuple[str, str], ...] = ()
    supports: tuple[Support, ...] = ()
    search_entry_point: str = ""


@dataclass(frozen=True, slots=True)
class UrlContext:
    """Pages that the provider read, as (url, status)."""

    pages: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Info:
    """What the provider reports about its answer; `finish_reason` is its own word."""

    response_id: str = ""
    model_version: str = ""
    finish_reason: str = ""
    details: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ProviderState:
    """What the provider wants back with this message on the next turn."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of the turn; `output` includes `thinking`, `input` includes `cached`."""

    input: int
    output: int
    total: int
    thinking: int = 0
    cached: int = 0


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of a usable answer; the last chunk."""

    reason: FinishReason


Chunk = Text | Thinking | Call | CodeRun | Grounding | UrlContext | Info | ProviderState | Usage | Finish

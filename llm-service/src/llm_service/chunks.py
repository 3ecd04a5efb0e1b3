"""What a provider yields, and the only maker of protobuf responses."""

from dataclasses import dataclass

from llm_service.errors import ProviderError
from llm_service.gen.llm.v1 import llm_pb2

_LARGEST_COUNT = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the answer."""

    content: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """A piece of the model's reasoning."""

    content: str


@dataclass(frozen=True, slots=True)
class Call:
    """One complete tool call; arguments are JSON text, the name is `server.tool`."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class CodeRun:
    """Code the vendor ran itself, and what came of it."""

    code: str
    result: str


@dataclass(frozen=True, slots=True)
class Support:
    """A stretch of the answer and the sources behind it."""

    start: int
    end: int
    text: str
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Grounding:
    """Where the vendor's own search took its facts from; sources are (uri, title)."""

    queries: tuple[str, ...] = ()
    sources: tuple[tuple[str, str], ...] = ()
    supports: tuple[Support, ...] = ()
    search_entry_point: str = ""


@dataclass(frozen=True, slots=True)
class ProviderState:
    """What the provider wants back with this message on the next turn."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of the whole turn."""

    input: int
    output: int
    total: int
    thinking: int = 0
    cached: int = 0


def together(one: Usage | None, other: Usage | None) -> Usage | None:
    """What two attempts used."""
    if one is None or other is None:
        return one or other
    return Usage(
        input=one.input + other.input,
        output=one.output + other.output,
        total=one.total + other.total,
        thinking=one.thinking + other.thinking,
        cached=one.cached + other.cached,
    )


Chunk = Text | Thinking | Call | CodeRun | Grounding | ProviderState | Usage


def response(chunk: Chunk) -> llm_pb2.GenerateResponse:
    """Puts one chunk on the wire."""
    match chunk:
        case Text(content):
            return llm_pb2.GenerateResponse(text=llm_pb2.TextDelta(content=_sound(content)))
        case Thinking(content):
            return llm_pb2.GenerateResponse(thinking=llm_pb2.ThinkingDelta(content=_sound(content)))
        case Call(call_id, name, arguments):
            delta = llm_pb2.ToolCallDelta(call_id=call_id, name=_sound(name), arguments=_sound(arguments))
            return llm_pb2.GenerateResponse(tool_call=delta)
        case CodeRun(code, result):
            run = llm_pb2.CodeExecutionDelta(code=_sound(code), result=_sound(result))
            return llm_pb2.GenerateResponse(code_execution=run)
        case Grounding():
            return llm_pb2.GenerateResponse(grounding=_grounding(chunk))
        case ProviderState(data):
            return llm_pb2.GenerateResponse(provider_state=data)
        case Usage():
            return llm_pb2.GenerateResponse(usage=_usage(chunk))


def finished() -> llm_pb2.GenerateResponse:
    """The end of a turn that went well."""
    return llm_pb2.GenerateResponse(is_final=True)


def failed(error: ProviderError) -> llm_pb2.GenerateResponse:
    """The end of a turn that did not."""
    info = llm_pb2.ErrorInfo(
        message=_sound(error.message),
        code=error.code.value,
        retryable=error.retryable,
        retry_after_ms=error.retry_after_ms,
    )
    return llm_pb2.GenerateResponse(error=info, is_final=True)


def _sound(text: str) -> str:
    """The text with its halves of characters joined, or replaced where the other half is missing.

    JSON can hold them and a vendor may send them; protobuf takes none, and the turn would be lost.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _grounding(chunk: Grounding) -> llm_pb2.GroundingDelta:
    return llm_pb2.GroundingDelta(
        web_search_queries=[_sound(query) for query in chunk.queries],
        grounding_chunks=[llm_pb2.GroundingChunk(uri=_sound(u), title=_sound(t)) for u, t in chunk.sources],
        grounding_supports=[
            llm_pb2.GroundingSupport(
                start_index=support.start,
                end_index=support.end,
                text=_sound(support.text),
                grounding_chunk_indices=support.sources,
            )
            for support in chunk.supports
        ],
        search_entry_point_html=_sound(chunk.search_entry_point),
    )


def _usage(chunk: Usage) -> llm_pb2.UsageInfo:
    return llm_pb2.UsageInfo(
        input_tokens=_count(chunk.input),
        output_tokens=_count(chunk.output),
        total_tokens=_count(chunk.total),
        thinking_tokens=_count(chunk.thinking),
        cached_input_tokens=_count(chunk.cached),
    )


def _count(told: int) -> int:
    """A count as the wire can hold it: no answer is lost for a vendor's odd arithmetic."""
    return max(0, min(told, _LARGEST_COUNT))

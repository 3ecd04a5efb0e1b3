"""The protobuf messages of chunks and of failures: the only module that builds them."""

from llm_service.chunks import (
    Call,
    Chunk,
    CodeRun,
    Finish,
    Grounding,
    Info,
    ProviderState,
    Text,
    Thinking,
    UrlContext,
    Usage,
)
from llm_service.errors import ProviderError
from llm_service.finish_reason import FinishReason
from llm_service.gen.llm.v1 import llm_pb2

_MAX_COUNT = 2**31 - 1
_FINISH_REASONS = {
    FinishReason.STOP: llm_pb2.FINISH_REASON_STOP,
    FinishReason.LENGTH: llm_pb2.FINISH_REASON_LENGTH,
    FinishReason.TOOL_CALLS: llm_pb2.FINISH_REASON_TOOL_CALLS,
    FinishReason.CONTENT_FILTER: llm_pb2.FINISH_REASON_CONTENT_FILTER,
}


def response(chunk: Chunk) -> llm_pb2.GenerateResponse:
    """Builds the message of one chunk."""
    match chunk:
        case Text(content):
            return llm_pb2.GenerateResponse(text=llm_pb2.TextDelta(content=_valid(content)))
        case Thinking(content):
            return llm_pb2.GenerateResponse(thinking=llm_pb2.ThinkingDelta(content=_valid(content)))
        case Call(call_id, name, arguments):
            delta = llm_pb2.ToolCallDelta(call_id=call_id, name=_valid(name), arguments=_valid(arguments))
            return llm_pb2.GenerateResponse(tool_call=delta)
        case CodeRun(code, result):
            run = llm_pb2.CodeExecutionDelta(code=_valid(code), result=_valid(result))
            return llm_pb2.GenerateResponse(code_execution=run)
        case Grounding():
            return llm_pb2.GenerateResponse(grounding=_grounding(chunk))
        case UrlContext(pages):
            read = [llm_pb2.UrlRead(url=_valid(url), status=status) for url, status in pages]
            return llm_pb2.GenerateResponse(url_context=llm_pb2.UrlContextDelta(pages=read))
        case Info():
            return llm_pb2.GenerateResponse(response_info=_info(chunk))
        case ProviderState(data):
            return llm_pb2.GenerateResponse(provider_state=data)
        case Usage():
            return llm_pb2.GenerateResponse(usage=_usage(chunk))
        case Finish(reason):
            return llm_pb2.GenerateResponse(is_final=True, finish_reason=_FINISH_REASONS[reason])


def failed(error: ProviderError) -> llm_pb2.GenerateResponse:
    """Builds the final message of a failed turn."""
    reason = _FINISH_REASONS[error.finish_reason] if error.finish_reason else llm_pb2.FINISH_REASON_UNSPECIFIED
    return llm_pb2.GenerateResponse(error=error_info(error), is_final=True, finish_reason=reason)


def error_info(error: ProviderError) -> llm_pb2.ErrorInfo:
    """Builds what a caller reads of a failure."""
    return llm_pb2.ErrorInfo(
        message=_valid(error.message),
        code=error.code.value,
        retryable=error.retryable,
        retry_after_ms=error.retry_after_ms,
        variable=error.variable,
    )


def _valid(text: str) -> str:
    """Joins surrogate pairs, and replaces a surrogate without its other half.

    JSON can contain surrogates and a vendor may send them; protobuf rejects them, and the turn would be lost.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _grounding(chunk: Grounding) -> llm_pb2.GroundingDelta:
    return llm_pb2.GroundingDelta(
        web_search_queries=[_valid(query) for query in chunk.queries],
        grounding_chunks=[llm_pb2.GroundingChunk(uri=_valid(u), title=_valid(t)) for u, t in chunk.sources],
        grounding_supports=[
            llm_pb2.GroundingSupport(
                start_index=support.start,
                end_index=support.end,
                text=_valid(support.text),
                grounding_chunk_indices=support.sources,
                confidence_scores=support.confidence,
            )
            for support in chunk.supports
        ],
        search_entry_point_html=_valid(chunk.search_entry_point),
    )


def _info(chunk: Info) -> llm_pb2.ResponseInfo:
    return llm_pb2.ResponseInfo(
        response_id=_valid(chunk.response_id),
        model_version=_valid(chunk.model_version),
        finish_reason=_valid(chunk.finish_reason),
        details={_valid(name): _valid(value) for name, value in chunk.details},
    )


def _usage(chunk: Usage) -> llm_pb2.UsageInfo:
    return llm_pb2.UsageInfo(
        input_tokens=_count(chunk.input),
        output_tokens=_count(chunk.output),
        total_tokens=_count(chunk.total),
        thinking_tokens=_count(chunk.thinking),
        cached_input_tokens=_count(chunk.cached),
    )


def _count(tokens: int) -> int:
    """Clamps a count to an int32: an absurd count of a vendor must not lose the answer."""
    return max(0, min(tokens, _MAX_COUNT))

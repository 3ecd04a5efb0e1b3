"""LangChain's message chunks as ours."""

import json
import uuid
from functools import reduce
from typing import Any

from langchain_core.messages import AIMessageChunk
from langchain_core.messages.ai import UsageMetadata, add_ai_message_chunks, add_usage

from llm_service.chunks import Call, Chunk, ProviderState, Text, Thinking, Usage
from llm_service.errors import ErrorCode, ProviderError, partial_stream, stopped_early
from llm_service.json_shapes import as_object
from llm_service.providers import lc_messages
from llm_service.providers.endings import Ending
from llm_service.providers.tool_names import ToolNames

# Blocks that say nothing by themselves: calls are told whole at the end, the rest is kept as state.
_SILENT = frozenset({
    "tool_call", "tool_call_chunk", "invalid_tool_call", "non_standard", "server_tool_call",
    "server_tool_call_chunk", "server_tool_result",
})  # fmt: skip
_START = "start_usage"
_FINISH = ("finish_reason", "stop_reason", "status")


class Reader:
    """Turns one stream into chunks."""

    def __init__(self, names: ToolNames, family: str) -> None:
        """Takes the names that were offered, and whose state this will be."""
        self._names = names
        self._family = family
        self._said = False
        self._refused = False
        self._pieces: list[AIMessageChunk] = []

    def read(self, piece: AIMessageChunk) -> list[Chunk]:
        """The deltas in one piece."""
        self._pieces.append(piece)
        found: list[Chunk] = []
        blocks: list[Any] = list(piece.content_blocks)
        for block in blocks:
            if chunk := _delta(block):
                found.append(chunk)
                self._said |= isinstance(chunk, Text)
            elif block["type"] == "non_standard":
                self._refused |= as_object(block.get("value")).get("type") == "refusal"
        if not any(block["type"] == "reasoning" for block in blocks):
            reasoning = piece.additional_kwargs.get("reasoning_content")
            if isinstance(reasoning, str) and reasoning:
                found.insert(0, Thinking(reasoning))
        return found

    def end(self) -> list[Chunk]:
        """Calls, state and usage; raises if the stream did not really end."""
        if not self._pieces:
            raise partial_stream("the stream ended without an answer")
        whole = add_ai_message_chunks(self._pieces[0], *self._pieces[1:])
        calls = _calls(whole)
        Ending(_finish_reason(self._pieces), self._said, tuple(_arguments(call) for call in calls)).check()
        if self._refused and not self._said and not calls:
            raise stopped_early("refusal")
        found: list[Chunk] = [self._call(call) for call in calls]
        if state := lc_messages.state(whole, self._family):
            found.append(ProviderState(state))
        if usage := self.usage():
            found.append(usage)
        return found

    def usage(self) -> Usage | None:
        """The tokens of the turn, as far as they were told."""
        told = [piece.usage_metadata for piece in self._pieces if piece.usage_metadata is not None]
        start: dict[str, int] = {}
        for piece in self._pieces:
            start = start or piece.response_metadata.get(_START) or start
        return _usage(reduce(add_usage, told) if told else None, start)

    def _call(self, call: dict[str, Any]) -> Call:
        identifier = call["id"] or f"call_{uuid.uuid4().hex[:16]}"
        return Call(identifier, self._names.from_api(call["name"] or ""), _arguments(call).strip() or "{}")


def _delta(block: dict[str, Any]) -> Chunk | None:
    kind = block["type"]
    if kind == "text":
        return Text(block["text"]) if block.get("text") else None
    if kind == "reasoning":
        return Thinking(block["reasoning"]) if block.get("reasoning") else None
    if kind in _SILENT:
        return None
    raise ProviderError(ErrorCode.PROVIDER_ERROR, f"content of kind {kind!r} cannot be shown")


def _calls(whole: AIMessageChunk) -> list[dict[str, Any]]:
    """The calls with their arguments as the model wrote them."""
    chunks: list[Any] = [c for c in whole.tool_call_chunks if c.get("name")]
    return chunks or list[Any](whole.tool_calls)


def _arguments(call: dict[str, Any]) -> str:
    return call["args"] if isinstance(call["args"], str) else json.dumps(call["args"], ensure_ascii=False)


def _finish_reason(pieces: list[AIMessageChunk]) -> str:
    for piece in reversed(pieces):
        for name in _FINISH:
            if value := piece.response_metadata.get(name):
                # "incomplete" has its reason beside it.
                why = as_object(piece.response_metadata.get("incomplete_details")).get("reason")
                return str(why or value)
    return ""


def _usage(usage: UsageMetadata | None, start: dict[str, int]) -> Usage | None:
    read = start["input"] + start["cached"] + start["created"] if start else 0
    if usage is None:
        # A stream that broke off: what was read is paid for.
        return Usage(input=read, output=0, total=read, cached=start["cached"]) if read else None
    cached = usage.get("input_token_details", {}).get("cache_read") or 0
    if usage["input_tokens"] or not start:
        read = usage["input_tokens"]
    else:
        cached = start["cached"]
    return Usage(
        input=read,
        output=usage["output_tokens"],
        total=read + usage["output_tokens"] if start else usage["total_tokens"],
        thinking=usage.get("output_token_details", {}).get("reasoning") or 0,
        cached=cached,
    )

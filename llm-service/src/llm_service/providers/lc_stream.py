"""Turns LangChain's message chunks into chunks of the wire."""

import json
import uuid
from functools import reduce
from typing import Any

from langchain_core.messages import AIMessageChunk
from langchain_core.messages.ai import UsageMetadata, add_ai_message_chunks, add_usage

from llm_service.chunks import Call, Chunk, Finish, Info, ProviderState, Text, Thinking, Usage
from llm_service.errors import ErrorCode, ProviderError, partial_stream, stopped_early
from llm_service.finish_reason import FinishReason
from llm_service.json_shapes import as_object
from llm_service.providers import lc_messages
from llm_service.providers.endings import Ending
from llm_service.providers.tool_names import ToolNames

# Blocks without deltas of their own: tool calls are complete only at the end, the rest is provider state.
_WITHOUT_DELTAS = frozenset({
    "tool_call", "tool_call_chunk", "invalid_tool_call", "non_standard", "server_tool_call",
    "server_tool_call_chunk", "server_tool_result",
})  # fmt: skip
_START = "start_usage"
_MODEL_FIELDS = ("model_version", "model_name", "model")
_DETAIL_FIELDS = ("system_fingerprint", "service_tier", "stop_sequence")
_REASON_FIELDS = ("finish_reason", "stop_reason", "status")


class Reader:
    """Turns one stream into chunks."""

    def __init__(self, names: ToolNames, family: str) -> None:
        """`family` is the vendor whose provider state this will be."""
        self._names = names
        self._family = family
        self._has_text = False
        self._refused = False
        self._announced = False
        self._messages: list[AIMessageChunk] = []

    def read(self, message: AIMessageChunk) -> list[Chunk]:
        """Returns the deltas of one message chunk."""
        self._messages.append(message)
        found: list[Chunk] = []
        blocks: list[Any] = list(message.content_blocks)
        for block in blocks:
            if chunk := _delta(block):
                found.append(chunk)
                self._has_text |= isinstance(chunk, Text)
            elif block["type"] == "non_standard":
                self._refused |= as_object(block.get("value")).get("type") == "refusal"
        if not any(block["type"] == "reasoning" for block in blocks):
            reasoning = message.additional_kwargs.get("reasoning_content")
            if isinstance(reasoning, str) and reasoning:
                found.insert(0, Thinking(reasoning))
        # An attempt that the caller cuts off has no end: what is known so far goes with the first chunk.
        if found and not self._announced and (info := self.info()):
            self._announced = True
            found.append(info)
        return found

    def end(self) -> list[Chunk]:
        """Returns tool calls, state, usage and finish reason; raises if the stream is no usable answer."""
        if not self._messages:
            raise partial_stream("the stream ended without an answer")
        whole = add_ai_message_chunks(self._messages[0], *self._messages[1:])
        calls = _calls(whole)
        arguments = tuple(_arguments(call) for call in calls)
        finish = Ending(_finish_reason(self._messages), self._has_text, arguments).finish_reason()
        if self._refused and not calls:
            finish = FinishReason.CONTENT_FILTER
            if not self._has_text:
                raise stopped_early("refusal", finish_reason=finish)
        found: list[Chunk] = [self._call(call) for call in calls]
        if state := lc_messages.state(whole, self._family):
            found.append(ProviderState(state))
        found.append(_info(self._messages))
        if usage := self.usage():
            found.append(usage)
        found.append(Finish(finish))
        return found

    def info(self) -> Info | None:
        """Returns what the provider has reported about its answer so far."""
        info = _info(self._messages)
        return None if info == Info() else info

    def usage(self) -> Usage | None:
        """Returns the tokens of the turn, as far as they were reported."""
        reported = [one.usage_metadata for one in self._messages if one.usage_metadata is not None]
        start: dict[str, int] = {}
        for message in self._messages:
            start = start or message.response_metadata.get(_START) or start
        return _usage(reduce(add_usage, reported) if reported else None, start)

    def _call(self, call: dict[str, Any]) -> Call:
        identifier = call["id"] or f"call_{uuid.uuid4().hex[:16]}"
        return Call(identifier, self._names.from_api(call["name"] or ""), _arguments(call).strip() or "{}")


def _delta(block: dict[str, Any]) -> Chunk | None:
    kind = block["type"]
    if kind == "text":
        return Text(block["text"]) if block.get("text") else None
    if kind == "reasoning":
        return Thinking(block["reasoning"]) if block.get("reasoning") else None
    if kind in _WITHOUT_DELTAS:
        return None
    raise ProviderError(ErrorCode.PROVIDER_ERROR, f"content of kind {kind!r} cannot be shown")


def _calls(whole: AIMessageChunk) -> list[dict[str, Any]]:
    """Returns the tool calls with their arguments as the model wrote them."""
    chunks: list[Any] = [c for c in whole.tool_call_chunks if c.get("name")]
    return chunks or list[Any](whole.tool_calls)


def _arguments(call: dict[str, Any]) -> str:
    return call["args"] if isinstance(call["args"], str) else json.dumps(call["args"], ensure_ascii=False)


def _finish_reason(messages: list[AIMessageChunk]) -> str:
    for message in reversed(messages):
        for name in _REASON_FIELDS:
            if value := message.response_metadata.get(name):
                # The status "incomplete" has its reason in another field.
                reason = as_object(message.response_metadata.get("incomplete_details")).get("reason")
                return str(reason or value)
    return ""


def _info(messages: list[AIMessageChunk]) -> Info:
    def last(name: str) -> str:
        for message in reversed(messages):
            value: Any = message.response_metadata.get(name)
            if isinstance(value, str) and value:
                return value
        return ""

    names = (last("id"), *(message.id or "" for message in messages))
    return Info(
        # LangChain invents ids of its own where it knows none.
        response_id=next((name for name in names if name and not name.startswith(("lc_", "run-", "lc_run"))), ""),
        model_version=next((found for name in _MODEL_FIELDS if (found := last(name))), ""),
        finish_reason=_finish_reason(messages),
        details=tuple((name, last(name)) for name in _DETAIL_FIELDS if last(name)),
    )


def _usage(usage: UsageMetadata | None, start: dict[str, int]) -> Usage | None:
    prompt = start["input"] + start["cached"] + start["created"] if start else 0
    if usage is None:
        # An interrupted stream: its input is charged for.
        return Usage(input=prompt, output=0, total=prompt, cached=start["cached"]) if prompt else None
    cached = usage.get("input_token_details", {}).get("cache_read") or 0
    if usage["input_tokens"] or not start:
        prompt = usage["input_tokens"]
    else:
        cached = start["cached"]
    return Usage(
        input=prompt,
        output=usage["output_tokens"],
        total=prompt + usage["output_tokens"] if start else usage["total_tokens"],
        thinking=usage.get("output_token_details", {}).get("reasoning") or 0,
        cached=cached,
    )

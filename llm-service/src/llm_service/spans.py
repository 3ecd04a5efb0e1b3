"""The spans of turns, with the attributes of OpenTelemetry's conventions for RPC and for generative AI."""

import json
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from opentelemetry import trace
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import AttributeValue

from llm_service import chunks
from llm_service.definitions import Definition
from llm_service.gen.llm.v1 import llm_pb2
from llm_service.scrub import scrub

# The longest text of an attribute in characters: collectors accept 4 MiB for a batch of spans.
MAX_TEXT = 16 * 1024
_RPC = "llm.v1.LLMService/Generate"
_NAMES = {"google": "gcp.gemini", "vertexai": "gcp.vertex_ai", "xai": "x_ai"}
_PROPAGATOR = TraceContextTextMapPropagator()

Attributes = Mapping[str, AttributeValue]


class Spans:
    """Makes the spans of turns; none without a tracer."""

    def __init__(self, tracer: trace.Tracer | None = None, *, capture_content: bool = False) -> None:
        """With `capture_content` spans carry what is sent to the model, and its answer."""
        self._tracer = tracer
        self._capture_content = capture_content

    def turn(
        self, request: llm_pb2.GenerateRequest, definition: Definition | None, metadata: Iterable[tuple[str, Any]]
    ) -> "TurnSpans | None":
        """Starts the spans of a turn in the trace of the caller."""
        if self._tracer is None:
            return None
        return TurnSpans(self._tracer, request, definition, metadata, capture_content=self._capture_content)


class TurnSpans:
    """The span of the call that is served, and below it the one of the call of the vendor."""

    def __init__(
        self,
        tracer: trace.Tracer,
        request: llm_pb2.GenerateRequest,
        definition: Definition | None,
        metadata: Iterable[tuple[str, Any]],
        *,
        capture_content: bool,
    ) -> None:
        """Starts both; a provider that is not configured is never called."""
        parent = _PROPAGATOR.extract({name: value for name, value in metadata if isinstance(value, str)})
        self._served = tracer.start_span(_RPC, parent, SpanKind.SERVER, _served(request))
        self._called: trace.Span | None = None
        self._answer: list[chunks.Chunk] | None = [] if capture_content else None
        if definition is not None:
            below = trace.set_span_in_context(self._served)
            attributes = _called(request, definition)
            name = f"chat {attributes['gen_ai.request.model']}"
            self._called = tracer.start_span(name, below, SpanKind.CLIENT, attributes)
            if capture_content:
                self._called.set_attributes(_input(request))

    def count(self, chunk: chunks.Chunk) -> None:
        """Notes what a chunk reports of the answer."""
        if self._called is None:
            return
        match chunk:
            case chunks.Info(response_id, model):
                reported = {"gen_ai.response.id": response_id, "gen_ai.response.model": model}
                self._called.set_attributes({name: value for name, value in reported.items() if value})
            case chunks.Finish(reason):
                self._called.set_attribute("gen_ai.response.finish_reasons", (reason.value,))
            case chunks.Text() | chunks.Call() if self._answer is not None:
                self._answer.append(chunk)
            case _:
                pass

    def end(self, outcome: str, usage: chunks.Usage) -> None:
        """Ends the spans."""
        if self._called is not None:
            self._called.set_attributes(_usage(usage))
            if self._answer is not None:
                self._called.set_attribute("gen_ai.output.messages", _text([_output(self._answer)]))
        for span in (self._called, self._served):
            if span is None:
                continue
            if outcome != "ok":
                span.set_attribute("error.type", outcome)
                span.set_status(Status(StatusCode.ERROR))
            span.end()


def _served(request: llm_pb2.GenerateRequest) -> dict[str, AttributeValue]:
    service, method = _RPC.split("/")
    return {"rpc.system": "grpc", "rpc.service": service, "rpc.method": method, "session.id": request.session_id}


def _called(request: llm_pb2.GenerateRequest, definition: Definition) -> dict[str, AttributeValue]:
    attributes: dict[str, AttributeValue] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _NAMES.get(definition.type, definition.type),
        "gen_ai.request.model": request.llm_config.model or definition.model,
        "gen_ai.conversation.id": request.session_id,
    }
    if request.max_output_tokens > 0:
        attributes["gen_ai.request.max_tokens"] = request.max_output_tokens
    if host := urlsplit(definition.base_url).hostname:
        attributes["server.address"] = host
    return attributes


def _usage(usage: chunks.Usage) -> dict[str, AttributeValue]:
    reported = {
        "gen_ai.usage.input_tokens": usage.input,
        "gen_ai.usage.output_tokens": usage.output,
        "gen_ai.usage.cache_read.input_tokens": usage.cached,
        "gen_ai.usage.reasoning.output_tokens": usage.thinking,
    }
    return {name: count for name, count in reported.items() if count > 0}


def _input(request: llm_pb2.GenerateRequest) -> dict[str, AttributeValue]:
    system = [_part(message.content) for message in request.messages if message.role == "system"]
    others = [_message(message) for message in request.messages if message.role != "system"]
    return {"gen_ai.system_instructions": _text(system), "gen_ai.input.messages": _text(others)}


def _message(message: llm_pb2.ConversationMessage) -> dict[str, Any]:
    if message.role == "tool":
        part = {"type": "tool_call_response", "id": message.tool_call_id, "response": message.content}
        return {"role": message.role, "parts": [part]}
    text = [_part(message.content)] if message.content else []
    calls = [_call(call.id, call.name, call.arguments) for call in message.tool_calls]
    return {"role": message.role, "parts": text + calls}


def _output(answer: list[chunks.Chunk]) -> dict[str, Any]:
    text = "".join(chunk.content for chunk in answer if isinstance(chunk, chunks.Text))
    calls = [_call(one.id, one.name, one.arguments) for one in answer if isinstance(one, chunks.Call)]
    return {"role": "assistant", "parts": ([_part(text)] if text else []) + calls}


def _part(content: str) -> dict[str, Any]:
    return {"type": "text", "content": content}


def _call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}


def _text(parts: list[dict[str, Any]]) -> str:
    """The parts as JSON: the last ones that fit, and of a last one that is too long its end, as a text."""
    kept: list[str] = []
    capacity = MAX_TEXT
    for part in reversed(parts):
        text = scrub(json.dumps(part, ensure_ascii=False))
        if len(text) > capacity:
            kept = kept or [json.dumps(_part(text[-MAX_TEXT // 2 :]), ensure_ascii=False)]
            break
        kept.append(text)
        capacity -= len(text)
    return f"[{','.join(reversed(kept))}]"

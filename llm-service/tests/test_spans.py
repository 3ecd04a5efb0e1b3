"""Spans: whose trace they belong to, their attributes, and that content is in them only where it is wanted."""

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from conftest import KEY, ask, collect
from llm_service import telemetry
from llm_service.chunks import Call, Info, Text, Usage
from llm_service.errors import ErrorCode, ProviderError
from llm_service.gen.llm.v1 import llm_pb2
from llm_service.settings import Settings, SettingsError
from llm_service.spans import MAX_TEXT, Spans
from scripted import Scripted

TRACE = "0af7651916cd43dd8448eb211c80319c"
CALLER = "b7ad6b7169203331"
HEADERS = (("traceparent", f"00-{TRACE}-{CALLER}-01"),)
ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
ANSWER = [Text("the disk"), Text(" is full"), Call("c1", "host.df", '{"path": "/"}'), Usage(11, 7, 18, 3, 5)]


class Exported(InMemorySpanExporter):
    """Keeps spans, and lets a test await them: a call is answered before its span ends."""

    def __init__(self) -> None:
        super().__init__()
        self._changed = asyncio.Event()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = super().export(spans)
        self._changed.set()
        return result

    async def first(self, count: int) -> Sequence[ReadableSpan]:
        async with asyncio.timeout(60):
            while len(self.get_finished_spans()) < count:
                self._changed.clear()
                await self._changed.wait()
        return self.get_finished_spans()


@pytest.fixture
def exported() -> Exported:
    return Exported()


@pytest.fixture
def traced(serve: Any, exported: Exported) -> Any:
    """Starts servers that export spans to a list."""

    async def start(provider: Any, *, capture_content: bool = False) -> Any:
        provider_of_spans = TracerProvider()
        provider_of_spans.add_span_processor(SimpleSpanProcessor(exported))
        spans = Spans(provider_of_spans.get_tracer("test"), capture_content=capture_content)
        return await serve(provider, spans=spans)

    return start


async def ended(exported: Exported) -> tuple[ReadableSpan, ReadableSpan]:
    """The span of the call that was served, and the one below it."""
    called, served = await exported.first(2)
    return served, called


async def test_a_turn_is_a_span_in_the_callers_trace_with_one_below_it_for_the_vendor(
    traced: Any, exported: Exported
) -> None:
    stub = await traced(Scripted([Info("resp-1", "gpt-9-2026"), *ANSWER]))
    request = ask("the secret question", model="gpt-9", base_url="https://models.example/v1")
    request.max_output_tokens = 500
    await collect(stub.Generate(request, metadata=HEADERS))
    served, called = await ended(exported)
    assert (served.name, served.kind) == ("llm.v1.LLMService/Generate", SpanKind.SERVER)
    assert served.context is not None
    assert served.parent is not None
    assert f"{served.context.trace_id:032x}" == TRACE
    assert f"{served.parent.span_id:016x}" == CALLER
    assert (called.name, called.kind, called.parent) == ("chat gpt-9", SpanKind.CLIENT, served.context)
    assert served.attributes == {
        "rpc.system": "grpc",
        "rpc.service": "llm.v1.LLMService",
        "rpc.method": "Generate",
        "session.id": "session",
    }
    assert called.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "scripted",
        "gen_ai.request.model": "gpt-9",
        "gen_ai.request.max_tokens": 500,
        "gen_ai.conversation.id": "session",
        "gen_ai.response.id": "resp-1",
        "gen_ai.response.model": "gpt-9-2026",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 11,
        "gen_ai.usage.output_tokens": 7,
        "gen_ai.usage.cache_read.input_tokens": 5,
        "gen_ai.usage.reasoning.output_tokens": 3,
        "server.address": "models.example",
    }


async def test_content_is_in_spans_only_where_it_is_wanted_and_without_keys(traced: Any, exported: Exported) -> None:
    stub = await traced(Scripted(ANSWER), capture_content=True)
    request = ask(f"why? {KEY}")
    call = llm_pb2.ToolCall(id="c0", name="host.ps", arguments="{}")
    request.messages.append(llm_pb2.ConversationMessage(role="assistant", tool_calls=[call]))
    request.messages.append(llm_pb2.ConversationMessage(role="tool", content="init", tool_call_id="c0"))
    await collect(stub.Generate(request))
    _, called = await ended(exported)
    assert called.attributes is not None

    def read(name: str) -> Any:
        return json.loads(str((called.attributes or {})[name]))

    assert read("gen_ai.system_instructions") == [{"type": "text", "content": "You investigate."}]
    assert read("gen_ai.input.messages") == [
        {"role": "user", "parts": [{"type": "text", "content": "why? [hidden]"}]},
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "c0", "name": "host.ps", "arguments": "{}"}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c0", "response": "init"}]},
    ]
    answered = {"type": "tool_call", "id": "c1", "name": "host.df", "arguments": '{"path": "/"}'}
    assert read("gen_ai.output.messages") == [
        {"role": "assistant", "parts": [{"type": "text", "content": "the disk is full"}, answered]}
    ]


@pytest.mark.parametrize(("last", "kept"), [("short", 2), ("x" * MAX_TEXT, 1)])
async def test_long_conversations_are_cut_at_their_beginning(
    traced: Any, exported: Exported, last: str, kept: int
) -> None:
    stub = await traced(Scripted([Text("fine")]), capture_content=True)
    request = ask("y" * MAX_TEXT)
    request.messages.append(llm_pb2.ConversationMessage(role="assistant", content="so far"))
    request.messages.append(llm_pb2.ConversationMessage(role="user", content=last))
    await collect(stub.Generate(request))
    _, called = await ended(exported)
    messages = str((called.attributes or {})["gen_ai.input.messages"])
    assert len(messages) <= MAX_TEXT
    assert len(json.loads(messages)) == kept
    assert last[-5:] in messages


async def test_a_failed_turn_marks_both_spans(traced: Any, exported: Exported) -> None:
    stub = await traced(Scripted([ProviderError(ErrorCode.RATE_LIMITED, "slower")]))
    await collect(stub.Generate(ask()))
    for span in await ended(exported):
        assert span.status.status_code == StatusCode.ERROR
        assert (span.attributes or {})["error.type"] == "rate_limited"


async def test_an_unknown_provider_is_not_called(traced: Any, exported: Exported) -> None:
    stub = await traced(Scripted())
    request = ask()
    request.llm_config.provider = "nobody"
    with suppress(grpc.aio.AioRpcError):
        await collect(stub.Generate(request))
    (served,) = await exported.first(1)
    assert (served.attributes or {})["error.type"] == "unknown_provider"


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """Keeps what is exported."""

    def __init__(self) -> None:
        self.received: list[trace_service_pb2.ExportTraceServiceRequest] = []

    def Export(self, request: Any, context: Any) -> trace_service_pb2.ExportTraceServiceResponse:  # noqa: N802
        self.received.append(request)
        return trace_service_pb2.ExportTraceServiceResponse()


async def test_spans_are_exported_when_the_service_stops(serve: Any) -> None:
    collector = Collector()
    server = grpc.server(ThreadPoolExecutor(1))
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(collector, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    settings = Settings.from_env({ENDPOINT: f"http://127.0.0.1:{port}", CAPTURE: "true"})
    spans, stop = telemetry.start(settings)
    stub = await serve(Scripted(ANSWER), spans=spans)
    await collect(stub.Generate(ask("a question")))
    stop()
    server.stop(None).wait()
    (resource,) = [spans for request in collector.received for spans in request.resource_spans]
    names = {one.key: one.value.string_value for one in resource.resource.attributes}
    assert names["service.name"] == "tarsy-llm-service"
    assert sorted(span.name for scope in resource.scope_spans for span in scope.spans) == [
        "chat m",
        "llm.v1.LLMService/Generate",
    ]
    assert b"a question" in resource.SerializeToString()


def test_without_an_endpoint_nothing_is_exported() -> None:
    spans, stop = telemetry.start(Settings())
    stop()
    assert spans.turn(ask(), None, ()) is None


@pytest.mark.parametrize("env", [{ENDPOINT: "otel-collector:4317"}, {CAPTURE: "maybe"}])
def test_a_bad_setting_is_refused(env: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match=f"{next(iter(env))} is .*: write "):
        Settings.from_env(env)

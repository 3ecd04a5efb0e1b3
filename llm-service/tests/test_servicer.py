"""The servicer: routing, failures, deadlines, cancellation, health."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from conftest import KEY, KEY_ENV, ask, collect, finish_of, only, text_of
from llm_service import coalesce, logs, metrics
from llm_service.chunks import Chunk, Text, Usage
from llm_service.errors import ErrorCode, ProviderError
from llm_service.gen.llm.v1 import llm_pb2
from scripted import Scripted

TIMEOUT_SECONDS = 60
FOR_EVER = 3600


async def first(stream: Any) -> llm_pb2.GenerateResponse:
    """What a call says first: then it runs."""
    return await asyncio.wait_for(anext(aiter(stream)), TIMEOUT_SECONDS)


def failure(code: ErrorCode = ErrorCode.PROVIDER_ERROR, **details: Any) -> ProviderError:
    return ProviderError(code, "it broke", **details)


async def test_a_turn_ends_with_one_final_chunk(serve: Any) -> None:
    stub = await serve(Scripted([Text("a"), Text("b"), Usage(1, 2, 3)]))
    chunks = await collect(stub.Generate(ask()))
    assert (text_of(chunks), finish_of(chunks)) == ("ab", "stop")
    assert [c.is_final for c in chunks] == [False] * (len(chunks) - 1) + [True]
    assert only(chunks, "usage").total_tokens == 3


async def test_small_deltas_are_joined(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # None is sent for its age, however slow the machine.
    monkeypatch.setattr(coalesce, "FLUSH_SECONDS", FOR_EVER)
    stub = await serve(Scripted([Text("x") for _ in range(3000)]))
    chunks = await collect(stub.Generate(ask()))
    assert text_of(chunks) == "x" * 3000
    assert [len(chunk.text.content) for chunk in chunks if chunk.text.content] == [1, 1024, 1024, 951]


async def test_a_delta_waits_only_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    delivered = asyncio.Event()

    async def wait_for_delivery() -> None:
        await asyncio.wait_for(delivered.wait(), TIMEOUT_SECONDS)
        delivered.clear()

    async def source() -> AsyncGenerator[Chunk, None]:
        yield Text("a")
        await wait_for_delivery()
        monkeypatch.setattr(coalesce, "FLUSH_SECONDS", 0.0)
        yield Text("b")
        await wait_for_delivery()
        monkeypatch.setattr(coalesce, "FLUSH_SECONDS", 2.0)
        yield Text("c")
        yield Text("d")
        await wait_for_delivery()
        yield Text("e")

    texts: list[str] = []
    async with asyncio.timeout(TIMEOUT_SECONDS):
        async for chunk in coalesce.coalesced(source()):
            assert isinstance(chunk, Text)
            texts.append(chunk.content)
            delivered.set()
    assert texts == ["a", "b", "cd", "e"]


async def test_only_the_first_delta_never_waits(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coalesce, "FLUSH_SECONDS", FOR_EVER)
    stub = await serve(Scripted([Text("a"), 0.05, Text("b"), 0.05, Text("c" * 1024), 0.05, Text("d")]))
    chunks = await collect(stub.Generate(ask()))
    texts = [chunk.text.content for chunk in chunks if chunk.text.content]
    assert texts == ["a", "b" + "c" * 1024, "d"]


async def test_a_slow_stream_is_not_held_back(serve: Any) -> None:
    stub = await serve(Scripted([Text("a"), Text("b"), FOR_EVER, Text("c")]))
    stream = stub.Generate(ask())
    seen = ""
    async with asyncio.timeout(TIMEOUT_SECONDS):
        async for chunk in stream:
            seen += chunk.text.content
            if seen == "ab":
                break
    stream.cancel()


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ({"backend": "crystal-ball"}, "invalid_backend"),
        ({"backend": "langchain", "provider": "nobody", "api_key_env": KEY_ENV}, "invalid_backend"),
        # Google would be sent the key of OpenAI.
        ({"backend": "google-native", "provider": "openai", "api_key_env": KEY_ENV}, "invalid_backend"),
        ({"backend": "offline", "provider": "openai", "api_key_env": KEY_ENV}, "invalid_backend"),
        ({"backend": "langchain", "provider": "openai", "model": "", "api_key_env": KEY_ENV}, "invalid_request"),
        ({"backend": "langchain", "provider": "openai", "model": "m", "api_key_env": "UNSET_KEY"}, "credentials"),
        ({"backend": "langchain", "provider": "anthropic", "model": "m"}, "credentials"),
        ({"backend": "google-native", "provider": "google", "model": "m", "api_key_env": "UNSET_KEY"}, "credentials"),
        ({"backend": "", "provider": "google", "model": "m", "api_key_env": "UNSET_KEY"}, "credentials"),
    ],
)
async def test_a_request_that_cannot_be_served_is_refused(serve: Any, config: dict[str, str], code: str) -> None:
    stub = await serve()
    chunks = await collect(stub.Generate(ask(**config)))
    assert len(chunks) == 1
    assert chunks[0].is_final
    assert chunks[0].error.code == code
    assert not chunks[0].error.retryable
    expected = config.get("api_key_env", "") if code == "credentials" else ""
    assert chunks[0].error.variable == expected


@pytest.mark.parametrize("role", ["", "robot"])
async def test_an_unknown_role_is_an_invalid_request(serve: Any, role: str) -> None:
    stub = await serve()
    request = ask()
    request.messages.append(llm_pb2.ConversationMessage(role=role, content="x"))
    assert only(await collect(stub.Generate(request)), "error").code == "invalid_request"


@pytest.mark.parametrize(("provider", "advice"), [("", "names no provider"), ("somebody", "TARSY_CONFIG_DIR")])
async def test_an_unknown_provider_is_a_status_that_names_the_fix(serve: Any, provider: str, advice: str) -> None:
    request = ask()
    request.llm_config.provider = provider
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await collect((await serve()).Generate(request))
    assert raised.value.code() is grpc.StatusCode.NOT_FOUND
    assert advice in (raised.value.details() or "")


async def test_an_empty_conversation_is_an_invalid_request(serve: Any) -> None:
    stub = await serve()
    request = llm_pb2.GenerateRequest(llm_config=ask().llm_config)
    assert only(await collect(stub.Generate(request)), "error").code == "invalid_request"


@pytest.mark.parametrize(
    "failed",
    [
        failure(retryable=True),
        failure(ErrorCode.CREDENTIALS),
        failure(ErrorCode.RATE_LIMITED, retryable=True, retry_after_ms=1_000),
        failure(ErrorCode.RATE_LIMITED, retryable=True, retry_after_ms=60_000),
    ],
    ids=lambda failed: f"{failed.code} {failed.retry_after_ms}",
)
async def test_a_failure_is_reported_at_once_and_retried_by_the_caller(serve: Any, failed: ProviderError) -> None:
    provider = Scripted([failed])
    error = only(await collect((await serve(provider)).Generate(ask())), "error")
    assert (error.code, error.retryable) == (failed.code.value, failed.retryable)
    assert error.retry_after_ms == failed.retry_after_ms
    assert provider.started == 1


async def test_a_failure_after_the_first_chunk_is_a_partial_stream(serve: Any) -> None:
    provider = Scripted([Text("half"), failure(retryable=True)])
    chunks = await collect((await serve(provider)).Generate(ask()))
    assert text_of(chunks) == "half"
    assert only(chunks, "error").code == "partial_stream_error"
    assert provider.started == 1


async def test_an_unexpected_failure_reveals_nothing_of_its_content(serve: Any) -> None:
    provider = Scripted([RuntimeError(f"prompt text and {KEY}")])
    error = only(await collect((await serve(provider)).Generate(ask())), "error")
    assert error.code == "provider_error"
    assert KEY not in error.message
    assert "prompt" not in error.message


async def test_the_deadline_in_the_request_ends_the_call(serve: Any) -> None:
    provider = Scripted([Text("a"), FOR_EVER])
    request = ask()
    request.deadline_ms = 2000
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await collect((await serve(provider)).Generate(request))
    assert raised.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    await asyncio.wait_for(provider.closed.wait(), TIMEOUT_SECONDS)


async def test_the_deadline_of_grpc_closes_the_providers_stream(serve: Any) -> None:
    provider = Scripted([Text("a"), FOR_EVER])
    stub = await serve(provider)
    # Its deadline counts from here: a connection takes as long as it takes.
    await asyncio.wait_for(stub.channel.channel_ready(), TIMEOUT_SECONDS)
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await collect(stub.Generate(ask(), timeout=2))
    assert raised.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    await asyncio.wait_for(provider.closed.wait(), TIMEOUT_SECONDS)


@pytest.mark.parametrize("script", [[Text("a"), FOR_EVER], [Text("x" * 2000)] * 100_000])
async def test_cancelling_closes_the_providers_stream(serve: Any, script: list[Any]) -> None:
    provider = Scripted(script)
    stream = (await serve(provider)).Generate(ask())
    await first(stream)
    stream.cancel()
    await asyncio.wait_for(provider.closed.wait(), TIMEOUT_SECONDS)


async def test_a_provider_without_a_first_chunk_is_a_retryable_failure(serve: Any) -> None:
    provider = Scripted([FOR_EVER])
    error = only(await collect((await serve(provider, stall_seconds=0.05)).Generate(ask())), "error")
    assert (error.code, error.retryable, provider.started) == ("provider_error", True, 1)
    assert "sent nothing for 0.05 s" in error.message


async def test_a_provider_that_stalls_is_a_partial_stream(serve: Any) -> None:
    provider = Scripted([Text("half"), FOR_EVER])
    chunks = await collect((await serve(provider, stall_seconds=0.2)).Generate(ask()))
    assert text_of(chunks) == "half"
    assert only(chunks, "error").code == "partial_stream_error"
    await asyncio.wait_for(provider.closed.wait(), TIMEOUT_SECONDS)


async def test_a_refusal_after_the_first_chunk_is_not_to_be_repeated(serve: Any) -> None:
    provider = Scripted([Text("half"), failure(retryable=False)])
    error = only(await collect((await serve(provider)).Generate(ask())), "error")
    assert (error.code, error.retryable) == ("partial_stream_error", False)


async def test_too_many_turns_are_refused_until_one_has_ended(serve: Any) -> None:
    provider = Scripted([Text("a"), FOR_EVER])
    stub = await serve(provider, max_turns=2)
    one, other = stub.Generate(ask()), stub.Generate(ask())
    for stream in (one, other):
        assert (await first(stream)).text.content == "a"
    refused = metrics.refused._value.get()  # noqa: SLF001 - there is no other way to read it
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await collect(stub.Generate(ask()))
    assert raised.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert dict(raised.value.trailing_metadata() or ())["grpc-retry-pushback-ms"] == "2000"
    assert metrics.refused._value.get() == refused + 1  # noqa: SLF001 - as above
    health = health_pb2_grpc.HealthStub(stub.channel)
    assert (await health.Check(health_pb2.HealthCheckRequest())).status == health_pb2.HealthCheckResponse.SERVING
    one.cancel()
    await asyncio.wait_for(provider.closed.wait(), TIMEOUT_SECONDS)
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while True:
            third = stub.Generate(ask())
            with suppress(grpc.aio.AioRpcError):
                assert (await anext(aiter(third))).text.content == "a"
                break
    for stream in (other, third):
        stream.cancel()


async def test_a_reader_that_stops_reading_stops_the_provider(serve: Any) -> None:
    piece = "x" * 4096
    provider = Scripted([Text(piece) for _ in range(50_000)])
    stub = await serve(provider)
    stream = stub.Generate(ask())
    await first(stream)
    seen, still = -1, 0
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while still < 10:
            await asyncio.sleep(0.05)
            seen, still = provider.yielded, still + 1 if provider.yielded == seen else 0
    assert seen < 5_000, "pieces pile up for a caller that does not read"
    assert not provider.closed.is_set()
    stream.cancel()
    await asyncio.wait_for(provider.closed.wait(), TIMEOUT_SECONDS)


async def test_a_turn_is_in_the_metrics(serve: Any) -> None:
    def value(name: str, **labels: str) -> float:
        found = [
            sample.value
            for family in text_string_to_metric_families(generate_latest(metrics.registry).decode())
            for sample in family.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        ]
        return sum(found)

    stub = await serve(Scripted([Text("a"), Text("b"), Usage(5, 3, 8, thinking=2, cached=1)]), max_turns=3)
    names = {
        "tarsy_llm_service_turns_total": {"outcome": "ok", "backend": "google-native"},
        "tarsy_llm_service_turn_duration_seconds_count": {"backend": "google-native"},
        "tarsy_llm_service_first_chunk_seconds_count": {"backend": "google-native"},
    }
    counts = {"input": 5, "output": 3, "thinking": 2, "cached": 1}
    before = {name: value(name, **labels) for name, labels in names.items()}
    tokens = {kind: value("tarsy_llm_service_tokens_total", kind=kind, backend="google-native") for kind in counts}
    await collect(stub.Generate(ask()))
    for name, labels in names.items():
        assert value(name, **labels) == before[name] + 1, name
    for kind, count in counts.items():
        assert value("tarsy_llm_service_tokens_total", kind=kind, backend="google-native") == tokens[kind] + count
    assert value("tarsy_llm_service_turns_running") == 0
    unknown = ask()
    unknown.llm_config.provider = "nobody we know"
    with suppress(grpc.aio.AioRpcError):
        await collect(stub.Generate(unknown))
    assert "nobody we know" not in generate_latest(metrics.registry).decode()


async def test_the_callers_trace_is_in_the_log(serve: Any, capsys: pytest.CaptureFixture[str]) -> None:
    stub = await serve(Scripted([Text("a")]))
    logs.configure("info")
    trace = "0af7651916cd43dd8448eb211c80319c"
    await collect(stub.Generate(ask(), metadata=(("traceparent", f"00-{trace}-b7ad6b7169203331-01"),)))
    await collect(stub.Generate(ask(), metadata=(("traceparent", "00-nonsense-01"),)))
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line.get("trace.id") for line in lines] == [trace, None]


async def test_health_changes_as_soon_as_the_server_drains(serve: Any) -> None:
    provider = Scripted([Text("a"), FOR_EVER])
    stub = await serve(provider)
    call = stub.Generate(ask())
    await first(call)
    watching = health_pb2_grpc.HealthStub(stub.channel).Watch(health_pb2.HealthCheckRequest(service=""))
    watch = aiter(watching)
    assert (await anext(watch)).status == health_pb2.HealthCheckResponse.SERVING
    stopping = asyncio.create_task(stub.server.stop(TIMEOUT_SECONDS))
    assert (await asyncio.wait_for(anext(watch), TIMEOUT_SECONDS)).status == health_pb2.HealthCheckResponse.NOT_SERVING
    assert not stub.server.ready
    for stream in (call, watching):
        stream.cancel()
    await asyncio.wait_for(stopping, 2 * TIMEOUT_SECONDS)


async def test_health_is_reported_for_the_server_and_the_service(serve: Any) -> None:
    stub = await serve()
    health = health_pb2_grpc.HealthStub(stub.channel)
    for name in ("", "llm.v1.LLMService"):
        answer = await health.Check(health_pb2.HealthCheckRequest(service=name))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_a_running_call_may_end_while_the_server_stops(serve: Any) -> None:
    go_on = asyncio.Event()
    stub = await serve(Scripted([Text("a"), go_on, Text("b")]))
    call = stub.Generate(ask())
    begun = await first(call)
    stopping = asyncio.create_task(stub.server.stop(TIMEOUT_SECONDS))
    await asyncio.sleep(0)
    assert not stub.server.ready, "the stop has begun"
    go_on.set()
    chunks = [begun, *await asyncio.wait_for(collect(call), TIMEOUT_SECONDS)]
    assert text_of(chunks) == "ab"
    assert chunks[-1].is_final
    await asyncio.wait_for(stopping, 2 * TIMEOUT_SECONDS)


async def test_the_grace_is_bounded(serve: Any) -> None:
    provider = Scripted([Text("a"), FOR_EVER])
    stub = await serve(provider)
    call = stub.Generate(ask())
    await first(call)
    await asyncio.wait_for(stub.server.stop(0.2), TIMEOUT_SECONDS)
    with pytest.raises(grpc.aio.AioRpcError):
        await collect(call)
    await asyncio.wait_for(provider.closed.wait(), TIMEOUT_SECONDS)

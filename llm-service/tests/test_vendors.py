"""The vendors' own SDKs over HTTP, against llmock: text, calls, usage, faults."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import vendors
from conftest import KEY, KEY_ENV, ask, calls_of, collect, last, only, text_of, tool
from llm_service.gen.llm.v1 import llm_pb2
from tap import Tap
from vendors import (
    ACCOUNT_ENV,
    CHAT,
    CLAUDE_THINKING,
    GEMINI,
    NATIVE,
    NATIVE_3,
    RESPONSES,
    VERTEX_GEMINI,
    VERTEX_NATIVE,
    XAI,
    Vendor,
)

LONG = "one two three four five six seven eight nine ten eleven twelve"

every_vendor = pytest.mark.parametrize("vendor", vendors.ALL, ids=str)


@pytest.fixture
async def at(vendor: Vendor, llmock: Any, account: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """Where the vendor of this test is played."""
    monkeypatch.setenv(ACCOUNT_ENV, str(account))
    place = urlsplit(llmock.base_url(vendor.protocol))
    async with Tap(place.port or 0, place.path.removesuffix("/v1")) as tap:
        yield tap.url


@every_vendor
async def test_text_and_usage_arrive(vendor: Vendor, at: str, llmock: Any, serve: Any) -> None:
    llmock.reply(LONG)
    chunks = await collect((await serve()).Generate(vendor.ask(at)))
    assert text_of(chunks) == LONG
    usage = only(chunks, "usage")
    assert usage.input_tokens > 0
    assert usage.output_tokens > 0
    assert usage.total_tokens == usage.input_tokens + usage.output_tokens
    assert chunks[-1].is_final


@every_vendor
async def test_a_call_and_its_result_make_a_round_trip(vendor: Vendor, at: str, llmock: Any, serve: Any) -> None:
    stub = await serve()
    llmock.call_tool("host__disk_usage", {"path": "/"}, text="let me look")
    request = vendor.ask(at)
    properties = {"path": {"type": "string"}}
    request.tools.append(tool("host.disk_usage", "Disk use", properties, ["path"]))
    request.tools.append(llm_pb2.ToolDefinition(name="host.broken", parameters_schema="{not json"))
    chunks = await collect(stub.Generate(request))
    (call,) = calls_of(chunks)
    assert call.name == "host.disk_usage"
    assert json.loads(call.arguments) == {"path": "/"}
    assert call.call_id

    answer = llm_pb2.ConversationMessage(role="assistant", content=text_of(chunks))
    answer.tool_calls.add(id=call.call_id, name=call.name, arguments=call.arguments)
    for chunk in chunks:
        answer.provider_state += chunk.provider_state
    request.messages.append(answer)
    request.messages.add(role="tool", content="97 %", tool_call_id=call.call_id, tool_name=call.name)
    llmock.reply("The disk is full.")
    assert text_of(await collect(stub.Generate(request))) == "The disk is full."
    sent = json.dumps(llmock.last_request.body)
    assert "97 %" in sent
    assert "host__disk_usage" in sent


@every_vendor
@pytest.mark.parametrize("seconds", [1, 30])
async def test_a_rate_limit_is_reported_with_its_retry_after(
    vendor: Vendor, seconds: int, at: str, llmock: Any, serve: Any
) -> None:
    llmock.rate_limit(retry_after=seconds, times=None)
    error = only(await collect((await serve()).Generate(vendor.ask(at))), "error")
    assert (error.code, error.retryable, error.retry_after_ms) == ("rate_limited", True, seconds * 1000)
    assert len(llmock.requests) == 1


@every_vendor
async def test_an_outage_is_reported_after_one_request(vendor: Vendor, at: str, llmock: Any, serve: Any) -> None:
    llmock.outage(status=500)
    error = only(await collect((await serve()).Generate(vendor.ask(at))), "error")
    assert (error.code, error.retryable) == ("provider_error", True)
    assert len(llmock.requests) == 1


@every_vendor
async def test_a_refused_key_is_a_credentials_error_without_the_key(
    vendor: Vendor, at: str, llmock: Any, serve: Any
) -> None:
    llmock.fail(401, message=f"Incorrect API key provided: {KEY}", times=None)
    error = only(await collect((await serve()).Generate(vendor.ask(at))), "error")
    assert error.code == "credentials"
    assert KEY not in error.message
    assert error.message.endswith(f"(key in {ACCOUNT_ENV if vendor.vertex else KEY_ENV})")
    assert len(llmock.requests) == 1


@every_vendor
async def test_a_refused_request_is_not_repeated_as_it_was(vendor: Vendor, at: str, llmock: Any, serve: Any) -> None:
    llmock.context_overflow(times=None)
    error = only(await collect((await serve()).Generate(vendor.ask(at))), "error")
    assert (error.code, error.retryable) == ("invalid_request", False)
    bodies = [json.dumps(request.body, sort_keys=True) for request in llmock.requests]
    assert len(bodies) == len(set(bodies)) <= 2


@every_vendor
@pytest.mark.parametrize("fault", ["disconnect", "truncate"])
async def test_a_broken_stream_is_never_taken_for_an_answer(
    vendor: Vendor, fault: str, at: str, llmock: Any, serve: Any
) -> None:
    llmock.reply(LONG, times=None)
    getattr(llmock, fault)(after_chunks=8, times=None)
    chunks = await collect((await serve()).Generate(vendor.ask(at)))
    assert LONG.startswith(text_of(chunks))
    assert text_of(chunks) != LONG
    assert only(chunks, "error").code == "partial_stream_error"
    if vendor.protocol in ("openai", "anthropic"):
        assert last(chunks, "response_info").response_id
        kinds = [chunk.WhichOneof("chunk") for chunk in chunks]
        assert "text" in kinds[kinds.index("response_info") :], "it is known before the end"


@pytest.mark.parametrize(
    "vendor", [CHAT, RESPONSES, XAI, GEMINI, NATIVE, NATIVE_3, VERTEX_GEMINI, VERTEX_NATIVE], ids=str
)
async def test_a_corrupt_stream_is_an_error(vendor: Vendor, at: str, llmock: Any, serve: Any) -> None:
    llmock.reply(LONG, times=None).corrupt(after_chunks=8, times=None)
    chunks = await collect((await serve()).Generate(vendor.ask(at)))
    assert only(chunks, "error").code == "partial_stream_error"


async def test_a_server_that_refuses_thinking_is_asked_without(llmock: Any, serve: Any) -> None:
    stub = await serve()
    llmock.fail(400, message="reasoning is not supported here")
    llmock.reply("plain", times=None)
    for _ in range(2):
        assert text_of(await collect(stub.Generate(CLAUDE_THINKING.ask(llmock.base_url("anthropic"))))) == "plain"
    assert ["thinking" in request.body for request in llmock.requests] == [True, False, False]


@pytest.mark.parametrize("vendor", [CHAT, CLAUDE_THINKING, XAI, GEMINI, NATIVE], ids=str)
async def test_a_key_that_was_changed_is_used_at_once(
    vendor: Vendor, llmock: Any, serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub = await serve()
    llmock.reply("ok", times=None)
    place = urlsplit(llmock.base_url(vendor.protocol))
    async with Tap(place.port or 0, place.path.removesuffix("/v1")) as tap:
        for key in ("first-key-0123456789", "second-key-0123456789"):
            monkeypatch.setenv(KEY_ENV, key)
            assert text_of(await collect(stub.Generate(vendor.ask(tap.url)))) == "ok"
            assert key in [head for line in tap.lines for head in line.heads][-1]


@pytest.mark.parametrize("vendor", [CHAT, RESPONSES, CLAUDE_THINKING, XAI, GEMINI, NATIVE], ids=str)
async def test_a_server_of_ones_own_needs_no_key(
    vendor: Vendor, at: str, llmock: Any, serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "XAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    llmock.reply("ok", times=None)
    stub = await serve()
    plain = {"backend": vendor.backend, "provider": vendor.provider, "model": vendor.model}
    request = ask(base_url=at + vendor.version, **plain)
    assert text_of(await collect(stub.Generate(request))) == "ok"
    request = ask(**plain)
    error = only(await collect(stub.Generate(request)), "error")
    assert (error.code, error.retryable) == ("credentials", False)


async def test_a_key_is_read_at_each_call(llmock: Any, serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stub = await serve()
    llmock.reply("ok", times=None)
    assert text_of(await collect(stub.Generate(CHAT.ask(llmock.base_url("openai").removesuffix("/v1"))))) == "ok"
    monkeypatch.delenv(KEY_ENV)
    error = only(await collect(stub.Generate(CHAT.ask(llmock.base_url("openai").removesuffix("/v1")))), "error")
    assert error.code == "credentials"
    assert KEY_ENV in error.message


@every_vendor
async def test_the_model_that_answered_is_reported(vendor: Vendor, at: str, llmock: Any, serve: Any) -> None:
    llmock.reply("ok", times=None)
    info = last(await collect((await serve()).Generate(vendor.ask(at))), "response_info")
    assert info.finish_reason
    assert not info.response_id.startswith(("run-", "lc_"))
    if vendor.protocol != "gemini":
        assert info.model_version
    if vendor.protocol in ("openai", "anthropic"):
        assert info.response_id


@every_vendor
async def test_the_output_limit_is_passed_on(vendor: Vendor, at: str, llmock: Any, serve: Any) -> None:
    llmock.reply("ok", times=None)
    request = vendor.ask(at)
    request.max_output_tokens = 9000
    await collect((await serve()).Generate(request))
    assert "9000" in json.dumps(llmock.last_request.body)

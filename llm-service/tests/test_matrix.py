"""What a turn is made of, for every vendor: the real SDKs against aimock, by way of a tap on the wire."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

import vendors
from conftest import KEY, calls_of, collect, finish_of, only, text_of, thinking_of, tool
from script import CALLS, ENDLESS, LOOKING, TEXT, THOUGHT, USAGE, VERDICT
from tap import Tap
from vendors import ACCOUNT_ENV, Vendor

every_vendor = pytest.mark.parametrize("vendor", vendors.ALL, ids=str)


@pytest.fixture
async def wire(aimock: int, account: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Tap]:
    monkeypatch.setenv(ACCOUNT_ENV, str(account))
    async with Tap(aimock) as tap:
        yield tap


@every_vendor
async def test_text_thinking_and_usage_stream(vendor: Vendor, wire: Tap, serve: Any) -> None:
    chunks = await collect((await serve()).Generate(vendor.ask(wire.url, "speak")))
    assert text_of(chunks) == TEXT
    assert thinking_of(chunks) == (THOUGHT if vendor.thinks else "")
    kinds = [chunk.WhichOneof("chunk") for chunk in chunks]
    if vendor.thinks:
        assert kinds.index("thinking") < kinds.index("text")
    usage = only(chunks, "usage")
    assert (usage.input_tokens, usage.output_tokens) == (USAGE["input_tokens"], USAGE["output_tokens"])
    assert usage.total_tokens == usage.input_tokens + usage.output_tokens
    assert [chunk.is_final for chunk in chunks] == [False] * (len(chunks) - 1) + [True]
    assert (chunks[-1].HasField("error"), finish_of(chunks)) == (False, "stop")


@every_vendor
async def test_parallel_calls_and_their_results_make_a_round_trip(vendor: Vendor, wire: Tap, serve: Any) -> None:
    stub = await serve()
    request = vendor.ask(wire.url, "look")
    request.tools.append(tool("host.disk_usage", "Disk", {"path": {"type": "string"}}, ["path"]))
    request.tools.append(tool("host.memory_usage", "Memory", {"unit": {"type": "string"}}))
    chunks = await collect(stub.Generate(request))
    assert text_of(chunks) == LOOKING
    calls = calls_of(chunks)
    assert [(c.name.replace(".", "__"), json.loads(c.arguments)) for c in calls] == list(CALLS)
    assert len({call.call_id for call in calls}) == len(calls)
    assert finish_of(chunks) == "tool_calls"

    answer = request.messages.add(role="assistant", content=text_of(chunks))
    for call in calls:
        answer.tool_calls.add(id=call.call_id, name=call.name, arguments=call.arguments)
    for chunk in chunks:
        answer.provider_state += chunk.provider_state
    for call in calls:
        request.messages.add(role="tool", content="97 %", tool_call_id=call.call_id, tool_name=call.name)
    chunks = await collect(stub.Generate(request))
    assert text_of(chunks) == VERDICT
    assert not chunks[-1].HasField("error")


@every_vendor
async def test_a_slow_stream_is_passed_on_as_it_comes(vendor: Vendor, wire: Tap, serve: Any) -> None:
    chunks = await collect((await serve()).Generate(vendor.ask(wire.url, "slowly")))
    texts = [chunk.text.content for chunk in chunks if chunk.text.content]
    assert "".join(texts) == TEXT
    assert len(texts) >= 3


@every_vendor
async def test_a_stream_that_is_cut_is_no_answer(vendor: Vendor, wire: Tap, serve: Any) -> None:
    chunks = await collect((await serve()).Generate(vendor.ask(wire.url, "break off")))
    assert TEXT.startswith(text_of(chunks))
    error = only(chunks, "error")
    assert (error.code, error.retryable) == ("partial_stream_error", True)
    assert chunks[-1].is_final


@every_vendor
async def test_cancelling_closes_the_vendors_socket(vendor: Vendor, wire: Tap, serve: Any) -> None:
    stream = (await serve()).Generate(vendor.ask(wire.url, "endlessly"))
    async for chunk in stream:
        if chunk.text.content:
            break
    (line,) = wire.lines
    assert not line.closed.is_set()
    stream.cancel()
    await asyncio.wait_for(line.closed.wait(), 60)
    assert line.answered < len(ENDLESS)


@every_vendor
async def test_a_passed_deadline_closes_the_vendors_socket(vendor: Vendor, wire: Tap, serve: Any) -> None:
    stub = await serve()
    await collect(stub.Generate(vendor.ask(wire.url, "speak")))  # the SDK is imported
    wire.lines.clear()
    request = vendor.ask(wire.url, "endlessly")
    request.deadline_ms = 1500
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await collect(stub.Generate(request))
    assert raised.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    for line in wire.lines:
        await asyncio.wait_for(line.closed.wait(), 60)


@every_vendor
async def test_the_key_is_sent_to_the_vendor_and_to_nobody_else(vendor: Vendor, wire: Tap, serve: Any) -> None:
    chunks = await collect((await serve()).Generate(vendor.ask(wire.url, "speak")))
    secret = "vertex-token-0123456789" if vendor.vertex else KEY
    assert secret in wire.lines[0].heads[0]
    assert secret.encode() not in b"".join(chunk.SerializeToString() for chunk in chunks)

"""Real processes: replicas that share nothing, the admin port, and what is never written down."""

import asyncio
import json
import os
import signal
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import vendors
from conftest import KEY, KEY_ENV, ROOT, ask, calls_of, collect, only, text_of, tool
from llm_service.gen.llm.v1 import llm_pb2
from recorded import SIGNATURE, claude, gemini, responses
from replicas import TIMEOUT_SECONDS, get
from sse import SseServer
from tap import Tap
from vendors import ACCOUNT_ENV, Vendor

CALL = {"name": "host__disk_usage", "args": {"path": "/"}}
GEMINI_TURN = (gemini({"functionCall": CALL, "thoughtSignature": SIGNATURE}, finish="STOP"),)
CLAUDE_TURN = claude(
    [
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": "disk first"},
        {"type": "signature_delta", "signature": SIGNATURE},
    ],
    [
        {"type": "tool_use", "id": "toolu_1", "name": "host__disk_usage", "input": {}},
        {"type": "input_json_delta", "partial_json": '{"path": "/"}'},
    ],
)
TURNS = {
    "gemini": (GEMINI_TURN, SIGNATURE),
    "anthropic": (CLAUDE_TURN, SIGNATURE),
    "openai": (responses("sealed"), "sealed"),
}
SIGNING = (vendors.NATIVE, vendors.NATIVE_3, vendors.GEMINI, vendors.CLAUDE_THINKING, vendors.RESPONSES)


@pytest.mark.parametrize("vendor", SIGNING, ids=str)
async def test_another_replica_serves_the_next_turn(vendor: Vendor, replica: Any, vendor_server: SseServer) -> None:
    events, signature = TURNS[vendor.family]
    request = vendor.ask(vendor_server.url)
    a, b = await asyncio.gather(replica(), replica())
    request.tools.append(tool("host.disk_usage", "Disk", {"path": {"type": "string"}}))
    vendor_server.play(*events, named=vendor.family != "gemini")
    chunks = await collect(a.stub.Generate(request))
    (call,) = calls_of(chunks)
    answer = request.messages.add(
        role="assistant", content=text_of(chunks), provider_state=only(chunks, "provider_state")
    )
    answer.tool_calls.add(id=call.call_id, name=call.name, arguments=call.arguments)
    request.messages.add(role="tool", content="97 %", tool_call_id=call.call_id, tool_name=call.name)
    # As the caller does: written down, and read again by another process.
    request = llm_pb2.GenerateRequest.FromString(request.SerializeToString())
    await a.end()

    vendor_server.play(*events, named=vendor.family != "gemini")
    chunks = await collect(b.stub.Generate(request))
    assert not chunks[-1].HasField("error"), chunks[-1].error
    assert signature not in json.dumps(vendor_server.bodies[0])
    assert signature in json.dumps(vendor_server.bodies[1])
    assert "97 %" in json.dumps(vendor_server.bodies[1])


async def test_the_admin_port_reports_health_and_metrics(replica: Any) -> None:
    request = ask(backend="langchain", provider="openai", model="m", api_key_env="UNSET_KEY")
    one = await replica(LLM_SERVICE_PRELOAD="google-native, openai")
    await collect(one.stub.Generate(request))
    assert await get(f"{one.admin}/livez") == (200, "ok\n")
    assert await get(f"{one.admin}/readyz") == (200, "ok\n")
    assert (await get(f"{one.admin}/secrets"))[0] == 404
    status, text = await get(f"{one.admin}/metrics")
    assert status == 200
    assert 'tarsy_llm_service_turns_total{backend="langchain",outcome="credentials",provider="openai"} 1.0' in text
    assert "process_resident_memory_bytes" in text
    written = await one.end()
    assert one.process.returncode == 0
    assert '"event": "stopped"' in written


async def test_readiness_goes_before_the_process(replica: Any, aimock: int) -> None:
    request = vendors.CHAT.ask(f"http://127.0.0.1:{aimock}", "endlessly")
    one = await replica(LLM_SERVICE_GRACE_SECONDS="30")
    stream = one.stub.Generate(request)
    await anext(aiter(stream))
    one.process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while (await get(f"{one.admin}/readyz"))[0] != 503:
            pass
    assert (await get(f"{one.admin}/livez"))[0] == 200
    stream.cancel()
    await asyncio.wait_for(one.process.wait(), TIMEOUT_SECONDS)


async def test_an_address_in_use_is_reported(replica: Any) -> None:
    one = await replica()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "llm_service.main",
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "src"),
            "LLM_SERVICE_ADDR": "127.0.0.1:0",
            "LLM_SERVICE_ADMIN_ADDR": urlsplit(one.admin).netloc,
        },
        stderr=asyncio.subprocess.PIPE,
    )
    _, errors = await asyncio.wait_for(process.communicate(), TIMEOUT_SECONDS)
    assert process.returncode == 2
    assert f"cannot listen on {urlsplit(one.admin).netloc}" in errors.decode()


async def test_no_key_is_ever_written_down(
    replica: Any, llmock: Any, account: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ACCOUNT_ENV, str(account))
    # Without the shape of any vendor's key: only who knows it can hide it.
    plain = "unmistakable0123456789"
    outputs: list[str] = []
    private_key = json.loads(account.read_text())["private_key"]  # noqa: ASYNC240 - a small file
    secrets = (plain, "vertex-token-0123456789", private_key[40:80])
    async with AsyncExitStack() as stack:
        taps: list[tuple[Vendor, Tap, llm_pb2.GenerateRequest]] = []
        for vendor in vendors.ALL:
            place = urlsplit(llmock.base_url(vendor.protocol))
            tap = await stack.enter_async_context(Tap(place.port or 0, place.path.removesuffix("/v1")))
            taps.append((vendor, tap, vendor.ask(tap.url)))
        one = await replica(**{KEY_ENV: plain})
        for vendor, tap, request in taps:
            llmock.reset()
            llmock.reply("fine")
            outputs += map(str, await collect(one.stub.Generate(request)))
            assert any(secret in tap.lines[0].heads[0] for secret in secrets)
            for status in (400, 401, 403, 404, 429, 500, 529):
                llmock.reset()
                # A vendor that repeats what it was sent.
                llmock.fail(
                    status,
                    message=f"bad call with {plain if not vendor.vertex else KEY}, Bearer {secrets[1]}",
                    retry_after=30,
                    times=None,
                )
                outputs += map(str, await collect(one.stub.Generate(request)))
            llmock.reset()
            llmock.reply("one two three four five six seven", times=None).corrupt(after_chunks=3, times=None)
            outputs += map(str, await collect(one.stub.Generate(request)))
        outputs.append((await get(f"{one.admin}/metrics"))[1])
        outputs.append(await one.end())
    everything = "\n".join(outputs)
    assert "bad call with [hidden]" in everything
    assert f'"{KEY_ENV}"' not in outputs[-1]
    for secret in (KEY, *secrets):
        assert secret not in everything

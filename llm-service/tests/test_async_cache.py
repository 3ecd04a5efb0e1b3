"""What is kept between turns: made once, tried again, made anew when its credentials change."""

import asyncio
import gc
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from accounts import write_account
from conftest import collect, only, text_of
from llm_service.providers.async_cache import AsyncCache
from llm_service.providers.registry import Registry
from recorded import claude, gemini
from sse import SseServer
from vendors import ACCOUNT_ENV, VERTEX_CLAUDE, VERTEX_GEMINI, VERTEX_NATIVE, Vendor


@contextmanager
def tokens(status: int, answer: dict[str, Any]) -> Iterator[str]:
    """A server that gives tokens to service accounts, or does not."""

    class Tokens(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Tokens)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/token"
    finally:
        server.shutdown()
        server.server_close()


def token(name: str) -> dict[str, Any]:
    return {"access_token": name, "expires_in": 3600, "token_type": "Bearer"}


def script_answer(vendor: Vendor, server: SseServer) -> None:
    """Has the vendor say one word."""
    if vendor is VERTEX_CLAUDE:
        block = [{"type": "text", "text": ""}, {"type": "text_delta", "text": "ok"}]
        server.play(*claude(block, stop="end_turn"), named=True)
    else:
        server.play(gemini({"text": "ok"}, finish="STOP"))


async def test_who_asks_at_the_same_time_gets_the_same_one() -> None:
    made: list[object] = []
    gate = threading.Event()

    def make() -> object:
        gate.wait(30)
        made.append(object())
        return made[-1]

    kept: AsyncCache[str, object] = AsyncCache(4)
    asked = [asyncio.create_task(kept.get("a", make)) for _ in range(20)]
    await asyncio.sleep(0)
    # The one that began it goes away; the others still get it.
    asked[0].cancel()
    gate.set()
    found = await asyncio.gather(*asked[1:])
    assert len(made) == 1
    assert set(map(id, found)) == {id(made[0])}
    assert await kept.get("a", make) is made[0]


async def test_what_could_not_be_made_is_tried_again() -> None:
    kept: AsyncCache[str, int] = AsyncCache(4)

    def fail() -> int:
        raise ValueError("not now")

    for _ in range(2):
        with pytest.raises(ValueError, match="not now"):
            await kept.get("a", fail)
    assert await kept.get("a", lambda: 1) == 1


async def test_the_oldest_is_let_go() -> None:
    kept: AsyncCache[int, int] = AsyncCache(2)
    for number in (1, 2, 3):
        assert await kept.get(number, lambda: 0) == 0
    assert [await kept.get(number, lambda: 9) for number in (2, 3, 1)] == [0, 0, 9]
    assert kept.take_all() == [0, 9]
    assert kept.take_all() == []


@pytest.fixture
def account_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "account.json"
    monkeypatch.setenv(ACCOUNT_ENV, str(path))
    return path


@pytest.mark.parametrize("vendor", [VERTEX_NATIVE, VERTEX_GEMINI, VERTEX_CLAUDE], ids=str)
async def test_an_account_that_was_replaced_is_used_at_once(
    vendor: Vendor, account_file: Path, vendor_server: SseServer, serve: Any
) -> None:
    stub = await serve()
    with tokens(200, token("first-token-0123456789")) as first, tokens(200, token("second-token-0123456789")) as second:
        for address in (first, second):
            write_account(account_file, address)
            script_answer(vendor, vendor_server)
            assert text_of(await collect(stub.Generate(vendor.ask(vendor_server.url)))) == "ok"
    tokens_sent = [
        next(name for name in ("first", "second") if f"{name}-token-0123456789" in head) for head in vendor_server.heads
    ]
    assert tokens_sent == ["first", "second"]


@pytest.mark.parametrize("vendor", [VERTEX_NATIVE, VERTEX_GEMINI, VERTEX_CLAUDE], ids=str)
async def test_a_token_server_that_is_away_is_no_bad_account(
    vendor: Vendor, account_file: Path, vendor_server: SseServer, serve: Any
) -> None:
    stub = await serve()
    for status, answer, code in (
        (503, {"error": "unavailable"}, "provider_error"),
        (400, {"error": "invalid_grant", "error_description": "no such account"}, "credentials"),
    ):
        with tokens(status, answer) as address:
            write_account(account_file, address)
            error = only(await collect(stub.Generate(vendor.ask(vendor_server.url))), "error")
            assert (error.code, error.retryable) == (code, code == "provider_error")
    assert vendor_server.heads == []


async def test_a_missing_account_is_reported_until_it_is_there(
    account_file: Path, vendor_server: SseServer, serve: Any
) -> None:
    stub = await serve()
    for vendor in (VERTEX_NATIVE, VERTEX_GEMINI):
        await asyncio.to_thread(account_file.unlink, missing_ok=True)
        error = only(await collect(stub.Generate(vendor.ask(vendor_server.url))), "error")
        assert error.code == "credentials"
        with tokens(200, token("a-token-0123456789")) as address:
            write_account(account_file, address)
            script_answer(vendor, vendor_server)
            assert text_of(await collect(stub.Generate(vendor.ask(vendor_server.url)))) == "ok"


async def test_the_collector_leaves_a_loaded_sdk_alone() -> None:
    before = gc.get_freeze_count()
    await Registry().preload(("google-native", "openai"))
    assert gc.get_freeze_count() > max(before, 50_000)
    assert "google.genai" in sys.modules

"""Vendors that accept a request and send nothing: the real SDKs against a server that never answers."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import vendors
from conftest import collect, only
from llm_service.providers.registry import Registry
from llm_service.settings import PRELOADABLE
from vendors import ACCOUNT_ENV, Vendor

TIMEOUT_SECONDS = 60
every_vendor = pytest.mark.parametrize("vendor", vendors.ALL, ids=str)


@dataclass
class Line:
    """One connection."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)
    closed: asyncio.Event = field(default_factory=asyncio.Event)


class StalledServer:
    """Takes requests, may send a head, and then waits until the other side goes away."""

    def __init__(self, head: bytes) -> None:
        self._head = head
        self.lines: asyncio.Queue[Line] = asyncio.Queue()

    async def __aenter__(self) -> "StalledServer":
        self._server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = Line()
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(self._head)
            line.asked.set()
            self.lines.put_nowait(line)
            while await reader.read(65536):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            line.closed.set()
            writer.close()


@pytest.fixture(autouse=True, scope="module")
async def _loaded() -> None:
    """Loads every SDK, so that no attempt is over before it has begun."""
    await Registry().preload(PRELOADABLE)


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


@pytest.fixture(params=[b"", HEAD], ids=["before its head", "after its head"])
async def server(
    request: pytest.FixtureRequest, account: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[StalledServer]:
    monkeypatch.setenv(ACCOUNT_ENV, str(account))
    async with StalledServer(request.param) as server:
        yield server


async def next_line(server: StalledServer) -> Line:
    return await asyncio.wait_for(server.lines.get(), TIMEOUT_SECONDS)


@every_vendor
async def test_a_call_that_is_cancelled_before_an_answer_closes_the_socket(
    vendor: Vendor, server: StalledServer, serve: Callable[..., Any]
) -> None:
    stream = (await serve()).Generate(vendor.ask(server.url))
    waiting = asyncio.create_task(collect(stream))
    line = await next_line(server)
    assert not line.closed.is_set()
    stream.cancel()
    await asyncio.wait_for(line.closed.wait(), TIMEOUT_SECONDS)
    with pytest.raises(asyncio.CancelledError):
        await waiting


@every_vendor
async def test_a_vendor_that_never_answers_is_a_failure_and_its_sockets_are_closed(
    vendor: Vendor, server: StalledServer, serve: Callable[..., Any]
) -> None:
    stub = await serve(stall_seconds=0.7)
    # On a busy machine an attempt may be over before it has a connection.
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while server.lines.empty():
            error = only(await collect(stub.Generate(vendor.ask(server.url))), "error")
            assert (error.code, error.retryable) == ("provider_error", True)
            assert "sent nothing for 0.7 s" in error.message
    lines = [await next_line(server)]
    while not server.lines.empty():
        lines.append(server.lines.get_nowait())
    for line in lines:
        await asyncio.wait_for(line.closed.wait(), TIMEOUT_SECONDS)

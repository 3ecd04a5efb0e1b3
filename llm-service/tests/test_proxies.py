"""Proxies of the environment: a model server that is near is asked directly."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import aiohttp
import pytest

from llm_service.errors import ProviderError
from llm_service.providers.http import Http, Request
from llm_service.proxies import exceptions

PROXY = "http://proxy.corp.example:3128"


def test_servers_that_are_near_are_added_to_those_that_the_operator_lists() -> None:
    urls = [
        "http://ollama:11434/v1",
        "http://vllm.models.svc:8000/v1",
        "http://10.1.2.3:8000/v1",
        "http://[fd00::7]:8000/v1",
        "http://me.localhost/",
        "https://api.openai.com/v1",
        "https://9.9.9.9/v1",
        "",
        "http://[broken",
    ]
    found = exceptions({"https_proxy": PROXY, "NO_PROXY": ".corp.example, 172.16.0.1", "no_proxy": "ollama"}, urls)
    listed = found["NO_PROXY"].split(",")
    assert found["no_proxy"] == found["NO_PROXY"]
    assert listed[:3] == [".corp.example", "172.16.0.1", "ollama"]
    near = {"localhost", "127.0.0.1", "::1", "vllm.models.svc", "10.1.2.3", "fd00::7", "me.localhost"}
    assert set(listed[3:]) == near


def test_without_a_proxy_nothing_is_set() -> None:
    assert exceptions({"NO_PROXY": "a", "HTTPS_PROXY": ""}, ["http://ollama:11434"]) == {}


@asynccontextmanager
async def proxy(asked: list[str]) -> AsyncGenerator[str]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).decode().splitlines()[0])
        writer.write(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def ask(http: Http, url: str) -> None:
    async for _ in http.events(Request(url, {}, {})):
        pass


async def test_the_client_of_model_servers_asks_the_proxy_for_others_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    near = ["http://127.0.0.1:9/v1", "http://ollama.localhost:9/v1", "http://vllm.models.svc:9/v1"]
    async with proxy(asked) as at:
        for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"):
            monkeypatch.setenv(name, at)
        for name, value in exceptions({"HTTP_PROXY": at}, near).items():
            monkeypatch.setenv(name, value)
        http = Http()
        for url in near:
            with pytest.raises(aiohttp.ClientConnectorError):
                await ask(http, url)
        assert asked == []
        with pytest.raises(ProviderError, match="HTTP 502"):
            await ask(http, "http://api.vendor.example/v1")
        with pytest.raises(aiohttp.ClientHttpProxyError):
            await ask(http, "https://api.vendor.example/v1")
        await http.close()
    assert asked == ["POST http://api.vendor.example/v1 HTTP/1.1", "CONNECT api.vendor.example:443 HTTP/1.1"]

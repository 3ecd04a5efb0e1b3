"""Answers whose bytes arrive as some servers and proxies send them: the answer is the same."""

import asyncio
import gzip
import json
import zlib
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from email.utils import formatdate
from time import time
from typing import Any

import pytest

from conftest import collect, finish_of, only, text_of
from recorded import completion
from vendors import CHAT

EVENTS = [completion({"content": "Full: é"}), completion({"content": " 97 %."}), completion({}, "stop")]
LINES = [json.dumps(event, ensure_ascii=False) for event in EVENTS]
STREAM = "".join(f"data: {line}\n\n" for line in LINES)
PLAIN = f"{STREAM}data: [DONE]\n\n".encode()
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"


def chunked(body: bytes, size: int, *, extension: bytes = b"", trailers: bytes = b"") -> bytes:
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    lines = [b"%x%s\r\n%s\r\n" % (len(part), extension, part) for part in parts]
    return b"transfer-encoding: chunked\r\n\r\n" + b"".join(lines) + b"0\r\n" + trailers + b"\r\n"


def split_gzip() -> bytes:
    packer = zlib.compressobj(wbits=31)
    return b"".join(packer.compress(line) + packer.flush(zlib.Z_SYNC_FLUSH) for line in PLAIN.splitlines(keepends=True))


FORMS = {
    "closed without a length": HEAD + b"connection: close\r\n\r\n" + PLAIN,
    "HTTP/1.0": b"HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + PLAIN,
    "with a length": HEAD + b"content-length: %d\r\n\r\n" % len(PLAIN) + PLAIN,
    "chunks that end inside a character": HEAD + chunked(PLAIN, 5),
    "chunks with extensions and trailers": HEAD
    + chunked(PLAIN, 64, extension=b";x=1", trailers=b"x-tokens: 3\r\nx-more: a\r\n"),
    "gzip": HEAD + b"content-encoding: gzip\r\nconnection: close\r\n\r\n" + gzip.compress(PLAIN),
    "gzip that is flushed after each line": HEAD + b"content-encoding: gzip\r\n" + chunked(split_gzip(), 40),
    "deflate": HEAD + b"content-encoding: deflate\r\nconnection: close\r\n\r\n" + zlib.compress(PLAIN),
    "a byte order mark": HEAD + b"connection: close\r\n\r\n\xef\xbb\xbf" + PLAIN,
    "carriage returns": HEAD + b"connection: close\r\n\r\n" + PLAIN.replace(b"\n", b"\r\n"),
    "carriage returns alone": HEAD + b"connection: close\r\n\r\n" + PLAIN.replace(b"\n", b"\r"),
    "no space after the field": HEAD + b"connection: close\r\n\r\n" + PLAIN.replace(b"data: ", b"data:"),
    "no last event": HEAD + b"connection: close\r\n\r\n" + STREAM.encode(),
    "no empty line at the end": HEAD + b"connection: close\r\n\r\n" + STREAM.rstrip("\n").encode(),
    "comments between": HEAD
    + b"connection: close\r\n\r\n: ping\n\n"
    + PLAIN.replace(b"\n\n", b"\n\n: OPENROUTER PROCESSING\n\n"),
    "ids, retries and names": HEAD
    + b"connection: close\r\n\r\nretry: 3000\n\n"
    + PLAIN.replace(b"data: {", b"id: 1\nevent: message\ndata: {"),
    "an event in several lines": HEAD
    + b"connection: close\r\n\r\n"
    + PLAIN.replace(b'"choices"', b'\ndata: "choices"'),
    "a wrong type": b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n" + PLAIN,
    "no type": b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n" + PLAIN,
    "a line of JSON for each event": HEAD + b"connection: close\r\n\r\n" + "\n".join(LINES).encode(),
    "a hint before the answer": b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"
    + HEAD
    + b"connection: close\r\n\r\n"
    + PLAIN,
}


@asynccontextmanager
async def raw_server(*answers: bytes, ends: bool = True) -> AsyncGenerator[str]:
    """Answers each request with the next bytes; `ends` closes the connection behind them."""
    left = list(answers)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = next(int(line.split(":")[1]) for line in head.splitlines() if line.startswith("content-length"))
        await reader.readexactly(length)
        writer.write(left.pop(0))
        await writer.drain()
        if not ends:
            await reader.read()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()


async def test_an_answer_is_the_same_however_its_bytes_arrive(serve: Callable[..., Any]) -> None:
    stub = await serve()
    for name, answer in FORMS.items():
        async with raw_server(answer) as url:
            chunks = await collect(stub.Generate(CHAT.ask(url)))
        assert (text_of(chunks), finish_of(chunks)) == ("Full: é 97 %.", "stop"), name


@pytest.mark.parametrize("body", [b": keep-alive\n\n" * 50, b"\n\n\n", b"data: \n\n", b"event: ping\n\n", b""])
async def test_signs_of_life_without_an_answer_are_a_stall(body: bytes, serve: Callable[..., Any]) -> None:
    async with raw_server(HEAD + b"\r\n" + body, ends=False) as url:
        error = only(await collect((await serve(stall_seconds=0.4)).Generate(CHAT.ask(url))), "error")
    assert (error.code, error.retryable) == ("provider_error", True)
    assert "sent nothing for 0.4 s" in error.message


BROKEN = {
    "nothing but signs of life": b"connection: close\r\n\r\n" + b": keep-alive\n\n" * 3,
    "less than its length": b"content-length: 9000\r\n\r\n" + STREAM.encode()[:60],
    "a chunk that ends early": b"transfer-encoding: chunked\r\n\r\nff\r\ndata: {",
    "gzip that ends early": b"content-encoding: gzip\r\nconnection: close\r\n\r\n" + gzip.compress(PLAIN)[:40],
    "gzip that is none": b"content-encoding: gzip\r\nconnection: close\r\n\r\n" + PLAIN,
}


@pytest.mark.parametrize("form", BROKEN)
async def test_an_answer_that_breaks_off_is_a_failure_that_is_tried_again(form: str, serve: Callable[..., Any]) -> None:
    async with raw_server(HEAD + BROKEN[form]) as url:
        error = only(await collect((await serve()).Generate(CHAT.ask(url))), "error")
    assert error.retryable, error.message


@pytest.mark.parametrize(
    ("status", "headers", "body", "least"),
    [
        (
            b"503 Service Unavailable",
            b"retry-after: 7\r\n",
            {"error": {"code": 503, "message": "Loading model"}},
            7_000,
        ),
        (b"503 Service Unavailable", b"retry-after: 1.5\r\n", {"error": "model is loading"}, 1_500),
        (b"503 Service Unavailable", b"", {"error": {"message": "Loading model", "type": "unavailable_error"}}, 0),
        (b"429 Too Many Requests", b"Retry-After-Ms: 250\r\n", {"error": {"message": "slow down"}}, 250),
        (b"529 Overloaded", b"", {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}, 0),
    ],
)
async def test_a_server_that_is_not_ready_is_asked_again_at_the_time_it_names(
    status: bytes, headers: bytes, body: Any, least: int, serve: Callable[..., Any]
) -> None:
    sent = json.dumps(body).encode()
    answer = b"HTTP/1.1 %s\r\n%scontent-length: %d\r\n\r\n%s" % (status, headers, len(sent), sent)
    async with raw_server(answer) as url:
        error = only(await collect((await serve()).Generate(CHAT.ask(url))), "error")
    assert error.retryable
    assert error.retry_after_ms == least


async def test_a_date_is_the_time_at_which_a_server_is_asked_again(serve: Callable[..., Any]) -> None:
    date = formatdate(time() + 60, usegmt=True).encode()
    answer = b"HTTP/1.1 503 Loading\r\nretry-after: %s\r\ncontent-length: 2\r\n\r\n{}" % date
    async with raw_server(answer) as url:
        error = only(await collect((await serve()).Generate(CHAT.ask(url))), "error")
    assert 50_000 < error.retry_after_ms <= 60_000

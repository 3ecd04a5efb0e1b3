"""Sends one request and streams the events of its answer, whatever form the answer has."""

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import certifi
import orjson

from llm_service.json_shapes import as_list, as_object
from llm_service.providers.async_cache import AsyncCache
from llm_service.providers.refusals import not_a_stream, refused
from llm_service.providers.sse import DONE, Decoder, document, unreadable

# Of an answer that is no stream.
MAX_DOCUMENT_BYTES = 32 * 1024 * 1024
# Enough for the title of a page or the words of a refusal.
MAX_REFUSAL_BYTES = 64 * 1024
# How long a vendor may take to end a response after its last event: a connection is used again once it was read.
END_SECONDS = 1.0
CONNECT_SECONDS = 30.0
# An idle connection is kept so long: agents ask again when their tools have answered.
IDLE_SECONDS = 30.0
# Of the first line of an answer, and of each header.
MAX_HEADER_BYTES = 64 * 1024
_BLANK = b" \t\r\n\xef\xbb\xbf"
# Linux has it.
_QUICK_ACK: int | None = getattr(socket, "TCP_QUICKACK", None)


@dataclass(frozen=True, slots=True)
class Request:
    """One request; its headers hold a key."""

    url: str
    headers: dict[str, str] = field(repr=False)
    body: dict[str, Any] = field(repr=False)
    secret: str = field(default="", repr=False)
    """What no message may show."""


class Http:
    """The connections of this process to all servers."""

    def __init__(self) -> None:
        """Starts without a connection."""
        # The certificates of all authorities take a tenth of a second: they are read in a thread, once.
        self._authorities: AsyncCache[str, ssl.SSLContext] = AsyncCache(1)
        self._client: aiohttp.ClientSession | None = None

    async def events(self, request: Request) -> AsyncGenerator[dict[str, Any], None]:
        """Yields the events of an answer, `DONE` included; raises `ProviderError` if there is none.

        An answer that is one JSON document, or one in each line, is a stream of these.
        """
        authorities = await self._authorities.get("", _authorities)
        if self._client is None:
            self._client = _client(authorities)
        async with self._client.post(request.url, headers=request.headers, data=_encoded(request.body)) as response:
            if response.status >= 300:  # redirections have been followed
                raise refused(response.status, response.headers, await _beginning(response), request.secret)
            async with aclosing(_events(response, request.secret)) as events:
                async for event in events:
                    yield event

    async def close(self) -> None:
        """Closes all connections."""
        if self._client is not None:
            await self._client.close()


def _client(authorities: ssl.SSLContext) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        # How many turns run at once is bounded by those who ask.
        connector=aiohttp.TCPConnector(ssl=authorities, limit=0, keepalive_timeout=IDLE_SECONDS),
        # How long an answer may take is the concern of those who wait for it.
        timeout=aiohttp.ClientTimeout(total=None, connect=CONNECT_SECONDS),
        # Proxies of the environment.
        trust_env=True,
        cookie_jar=aiohttp.DummyCookieJar(),
        max_line_size=MAX_HEADER_BYTES,
        max_field_size=MAX_HEADER_BYTES,
    )


def _authorities() -> ssl.SSLContext:
    """Those that the system trusts (or SSL_CERT_FILE names); the usual ones where the system has none."""
    paths = ssl.get_default_verify_paths()
    if paths.cafile or paths.capath:
        return ssl.create_default_context()
    return ssl.create_default_context(cafile=certifi.where())


def _encoded(body: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(body)
    except TypeError:
        # Half characters, which protobuf would not have let in, and integers beyond 64 bits in schemas.
        import json  # noqa: PLC0415 - hardly ever

        return json.dumps(body).encode()


async def _beginning(response: aiohttp.ClientResponse) -> bytes:
    found = b""
    async for block in response.content.iter_any():
        found += block
        if len(found) >= MAX_REFUSAL_BYTES:
            break
    return found[:MAX_REFUSAL_BYTES]


async def _events(response: aiohttp.ClientResponse, secret: str) -> AsyncGenerator[dict[str, Any], None]:
    decoder = Decoder()
    ahead = b""
    is_stream = False
    blocks = _blocks(response)
    async for block in blocks:
        if not is_stream:
            ahead += block
            first = ahead.lstrip(_BLANK)[:1]
            if not first:
                continue
            if first in b"<{[":
                async for event in _document(ahead, blocks, response, secret):
                    yield event
                return
            is_stream, block = True, ahead.removeprefix(b"\xef\xbb\xbf")  # noqa: PLW2901 - all that came
        for event in decoder.feed(block):
            yield event
            if event is DONE:
                await _read_rest(blocks)
                return
    for event in decoder.end():
        yield event
    if not is_stream:
        raise not_a_stream(response.headers, b"", secret)


async def _blocks(response: aiohttp.ClientResponse) -> AsyncGenerator[bytes, None]:
    """Yields what has come, acknowledged at once.

    A server that does not set TCP_NODELAY sends no more before that, and the kernel takes up to 40 ms for it.
    """
    async for block in response.content.iter_any():
        # None when all has come.
        connection = response.connection
        if _QUICK_ACK is not None and connection is not None and connection.transport is not None:
            # The kernel forgets it after some acknowledgements.
            connection.transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, _QUICK_ACK, 1)
        yield block


async def _document(
    ahead: bytes, blocks: AsyncIterator[bytes], response: aiohttp.ClientResponse, secret: str
) -> AsyncGenerator[dict[str, Any], None]:
    """Yields what an answer that is no event stream holds: one JSON object, or one in each line."""
    found = bytearray(ahead)
    async for block in blocks:
        found += block
        if len(found) > MAX_DOCUMENT_BYTES:
            raise unreadable(f"a document has more than {MAX_DOCUMENT_BYTES // 1024 // 1024} MiB")
    for event in documents(bytes(found), response.headers, secret):
        yield event


def documents(found: bytes, headers: Any, secret: str) -> list[dict[str, Any]]:  # noqa: ANN401 - a mapping of texts
    """Returns the objects of a JSON document; raises `ProviderError` for anything else, with its first words."""
    texts = [found] if not found.lstrip(_BLANK).startswith(b"<") else []
    values: list[Any] = []
    for attempt in (texts, [line for line in found.splitlines() if line.strip()] if texts else []):
        try:
            values = [document(text.strip(_BLANK)) for text in attempt]
            break
        except (ValueError, RecursionError):
            continue
    objects = [fields for value in values for one in as_list(value) or [value] if (fields := as_object(one))]
    if not objects:
        raise not_a_stream(headers, found, secret)
    return objects


async def _read_rest(blocks: AsyncIterator[bytes]) -> None:
    # A response that stays open is closed.
    with suppress(TimeoutError, aiohttp.ClientError):
        async with asyncio.timeout(END_SECONDS):
            async for _ in blocks:
                pass

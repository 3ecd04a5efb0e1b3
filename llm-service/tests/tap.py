"""A wire between an SDK and the server that plays its vendor: sees every socket, and can cut one."""

import asyncio
import json
import re
from contextlib import suppress
from dataclasses import dataclass, field

# Vertex AI serves the same protocols below other paths, and the servers know only the usual ones.
_GEMINI = re.compile(r"/v1(?:beta1)?/projects/[^/]+/locations/[^/]+/publishers/google/models/")
_CLAUDE = re.compile(r"/v1/projects/[^/]+/locations/[^/]+/publishers/anthropic/models/([^: ]+):streamRawPredict")


@dataclass
class Line:
    """One connection of an SDK."""

    paths: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    answered: int = 0
    """Bytes that the vendor has sent."""
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    """The SDK has closed its end, or dropped the connection."""


class Tap:
    """Listens, and passes on to a server."""

    def __init__(self, port: int, path: str = "") -> None:
        self._port = port
        self._path = path
        self.lines: list[Line] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "Tap":
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}{self._path}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._tasks.add(asyncio.create_task(self._join(reader, writer)))

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = Line()
        self.lines.append(line)
        vendor_reader, vendor_writer = await asyncio.open_connection("127.0.0.1", self._port)

        asked = asyncio.create_task(_ask(line, reader, vendor_writer))
        answered = asyncio.create_task(_answer(line, vendor_reader, writer))
        try:
            done, running = await asyncio.wait([asked, answered], return_when=asyncio.FIRST_COMPLETED)
            if answered in done:
                # The SDK still has to take note of the end.
                await asyncio.wait(running, timeout=5)
        finally:
            for task in (asked, answered):
                task.cancel()
            for end in (writer, vendor_writer):
                end.close()


async def _ask(line: Line, sdk: asyncio.StreamReader, vendor: asyncio.StreamWriter) -> None:
    try:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = (await sdk.readuntil(b"\r\n\r\n")).decode("latin-1")
                length = re.search(r"(?i)content-length: *(\d+)", head)
                body = await sdk.readexactly(int(length.group(1)) if length else 0)
                vendor.write(_usual(line, head, body))
                await vendor.drain()
    finally:
        line.closed.set()


async def _answer(line: Line, vendor: asyncio.StreamReader, sdk: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while block := await vendor.read(65536):
            line.answered += len(block)
            sdk.write(block)
            await sdk.drain()
        sdk.write_eof()


def _usual(line: Line, head: str, body: bytes) -> bytes:
    """The request as a server expects it that knows nothing of Vertex AI."""
    line.heads.append(head)
    path = head.split()[1]
    line.paths.append(path)
    target = _GEMINI.sub("/v1beta/models/", path)
    if claude := _CLAUDE.search(target):
        target = target.replace(claude.group(0), "/v1/messages")
        body = json.dumps({"model": claude.group(1), **json.loads(body)}).encode()
        head = re.sub(r"(?i)content-length: *\d+", f"content-length: {len(body)}", head)
    return head.replace(path, target, 1).encode("latin-1") + body

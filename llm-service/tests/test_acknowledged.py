"""What a vendor sends is acknowledged at once: one without TCP_NODELAY sends no more before that."""

import asyncio
import os
import socket
from contextlib import suppress
from pathlib import Path

from llm_service.providers.http import Http, Request

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_EVENTS = [b'data: {"number":1}\n\n', b'data: {"number":2}\n\n', b"data: [DONE]\n\n"]


class _Vendor:
    """Answers each request of a connection, an event in a block of its own once the one before has been looked at."""

    def __init__(self) -> None:
        self.seen = asyncio.Semaphore(1)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(line for line in head.lower().splitlines() if line.startswith(b"content-length:"))
                await reader.readexactly(int(length.split(b":")[1]))
                writer.write(_HEAD)
                for event in _EVENTS:
                    await self.seen.acquire()
                    writer.write(b"%x\r\n%s\r\n" % (len(event), event))
                await self.seen.acquire()
                writer.write(b"0\r\n\r\n")
                self.seen.release()
        writer.close()


def _acknowledges_at_once(port: int) -> list[bool]:
    """Of each socket of this process that is connected to a port."""
    found: list[bool] = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(OSError), socket.socket(fileno=os.dup(int(descriptor.name))) as connected:
            if connected.family == socket.AF_INET and connected.getpeername()[1] == port:
                found.append(connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK) == 1)
    return found


async def test_each_block_of_an_answer_is_acknowledged_at_once() -> None:
    vendor = _Vendor()
    server = await asyncio.start_server(vendor.answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    http = Http()
    request = Request(f"http://127.0.0.1:{port}/", {}, {"model": "any"})
    # For the first request of a connection the kernel does so by itself.
    for _ in range(3):
        acknowledged: list[list[bool]] = []
        async for _ in http.events(request):
            acknowledged.append(_acknowledges_at_once(port))
            vendor.seen.release()
        assert acknowledged == [[True]] * len(_EVENTS)
    await http.close()
    server.close()
    await server.wait_closed()

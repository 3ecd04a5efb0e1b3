"""A tiny server that plays recorded event streams: only for what llmock cannot say, such as thinking."""

import asyncio
import json
from typing import Any

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\nconnection: close\r\n\r\n"


class SseServer:
    """Answers each POST with the next script, and keeps what was sent."""

    def __init__(self) -> None:
        self.scripts: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.heads: list[str] = []
        self.url = ""

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        self._server.close()

    def play(self, *events: Any, named: bool = False) -> None:
        """Queues a stream; `named` puts each event's type on a line of its own."""
        lines = [(f"event: {e['type']}\n" if named else "") + f"data: {json.dumps(e)}\n\n" for e in events]
        self.scripts.append("".join(lines))

    def answer(self, document: Any) -> None:
        """Queues a plain answer."""
        self.scripts.append(json.dumps(document))

    def status(self, status: str, document: Any) -> None:
        """Queues a refusal with its status."""
        self.scripts.append(f"HTTP/1.1 {status}\n{json.dumps(document)}")

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next(int(x.split(":")[1]) for x in head.splitlines() if x.lower().startswith("content-length"))
        sent = await reader.readexactly(length)
        self.bodies.append(json.loads(sent) if sent.startswith(b"{") else {})
        self.heads.append(head)
        self.paths.append(head.split()[1])
        body = self.scripts.pop(0).encode()
        if body.startswith(b"HTTP/1.1 "):
            line, _, body = body.partition(b"\n")
            writer.write(_HEAD.replace(b"HTTP/1.1 200 OK", line) % b"application/json" + body)
            await writer.drain()
            writer.close()
            return
        writer.write(_HEAD % (b"application/json" if body.startswith(b"{") else b"text/event-stream") + body)
        await writer.drain()
        writer.close()

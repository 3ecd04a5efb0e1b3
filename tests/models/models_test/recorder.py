"""A proxy that keeps each request and the raw stream of its answer: `RECORD=folder make models-test`."""

import http.client
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path

# Headers that belong to one connection.
HOP = {"connection", "transfer-encoding", "keep-alive", "host", "content-length"}


class Recorder:
    """Listens on loopback, and passes on to the server."""

    def __init__(self, port: int, folder: Path, label: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        # Those of an earlier run stay.
        numbers = count(len(list(folder.glob(f"{label}-*.json"))) + 1)

        class Handler(_Handler):
            def next_name(self) -> str:
                return str(folder / f"{label}-{next(numbers):03}")

        Handler.upstream = port
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """Takes no more connections."""
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    upstream = 0

    def next_name(self) -> str:
        raise NotImplementedError

    def do_GET(self) -> None:
        self._pass_on(None)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        name = self.next_name()
        Path(f"{name}.json").write_text(json.dumps({"path": self.path, "body": json.loads(body)}, indent=1))
        self._pass_on(body, Path(f"{name}.sse"))

    def _pass_on(self, body: bytes | None, file: Path | None = None) -> None:
        server = http.client.HTTPConnection("127.0.0.1", self.upstream)
        kept = {name: value for name, value in self.headers.items() if name.lower() not in HOP}
        server.request(self.command, self.path, body, kept)
        answer = server.getresponse()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in HOP:
                self.send_header(name, value)
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        written = file.open("wb") if file else None
        try:
            while block := answer.read1(65_536):
                if written:
                    written.write(block)
                self.wfile.write(block)
                self.wfile.flush()
        except (OSError, http.client.HTTPException):
            # One of the two has gone: closing both connections ends the answer for the other.
            pass
        finally:
            server.close()
            if written:
                written.close()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Prints nothing."""

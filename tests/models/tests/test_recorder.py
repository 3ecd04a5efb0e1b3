"""The proxy that records, between a client and a server that streams."""

import json
import threading
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from models_test.recorder import Recorder

STREAM = [b'data: {"a": 1}\n\n', b"data: [DONE]\n\n"]


@pytest.fixture
def server() -> Iterator[HTTPServer]:
    """Answers with a stream, if the key is right."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200 if self.headers["x-api-key"] == "k" else 401)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for piece in STREAM:
                self.wfile.write(piece)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Prints nothing."""

    listening = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    yield listening
    listening.shutdown()
    listening.server_close()


def test_requests_and_raw_answers_are_kept_and_passed_on(server: HTTPServer, tmp_path: Path) -> None:
    for _ in range(2):
        # The second one goes on where the first one was.
        recorder = Recorder(server.server_address[1], tmp_path, "0.5b")
        try:
            url = f"http://127.0.0.1:{recorder.port}/v1/messages"
            request = urllib.request.Request(url, b'{"stream": true}', {"x-api-key": "k"})
            with urllib.request.urlopen(request, timeout=10) as answer:
                assert answer.read() == b"".join(STREAM)
                assert answer.headers["content-type"] == "text/event-stream"
        finally:
            recorder.stop()
    assert [file.name for file in sorted(tmp_path.iterdir())] == [
        "0.5b-001.json", "0.5b-001.sse", "0.5b-002.json", "0.5b-002.sse",
    ]  # fmt: skip
    assert (tmp_path / "0.5b-001.sse").read_bytes() == b"".join(STREAM)
    assert json.loads((tmp_path / "0.5b-002.json").read_text()) == {"path": "/v1/messages", "body": {"stream": True}}

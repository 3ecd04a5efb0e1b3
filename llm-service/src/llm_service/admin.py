"""The admin port: `/livez`, `/readyz` and `/metrics`, served by a separate thread."""

import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llm_service.errors import AddressError

_PLAIN = "text/plain; charset=utf-8"
_METRICS = "text/plain; version=0.0.4; charset=utf-8"
_TIMEOUT_SECONDS = 5.0


class Admin:
    """Listens until it is stopped."""

    def __init__(self, address: str, ready: Callable[[], bool], metrics: Callable[[], bytes]) -> None:
        """Binds the address; port 0 takes a free one."""
        host, _, port = address.rpartition(":")
        try:
            self._server = _Server((host, int(port)), ready, metrics)
        except OSError as error:
            raise AddressError(f"cannot listen on {address}") from error
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.2}, daemon=True)
        self.address = f"{host}:{self._server.server_address[1]}"

    def start(self) -> None:
        """Starts to serve."""
        self._thread.start()

    def stop(self) -> None:
        """Closes the port."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(_TIMEOUT_SECONDS)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], ready: Callable[[], bool], metrics: Callable[[], bytes]) -> None:
        self.ready = ready
        self.metrics = metrics
        super().__init__(address, _Handler)


class _Handler(BaseHTTPRequestHandler):
    server_version = "llm-service"
    sys_version = ""
    timeout = _TIMEOUT_SECONDS
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        """Answers one request."""
        match self.path.partition("?")[0]:
            case "/metrics":
                self._answer(HTTPStatus.OK, self.server.metrics(), _METRICS)
            case "/livez":
                self._answer(HTTPStatus.OK, b"ok\n")
            case "/readyz" if self.server.ready():
                self._answer(HTTPStatus.OK, b"ok\n")
            case "/readyz":
                self._answer(HTTPStatus.SERVICE_UNAVAILABLE, b"not ready\n")
            case _:
                self._answer(HTTPStatus.NOT_FOUND, b"use /livez, /readyz or /metrics\n")

    def _answer(self, status: HTTPStatus, body: bytes, kind: str = _PLAIN) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's signature
        """Logs nothing: probes come every few seconds."""

"""The way from a client to a server on this machine, which can be slow, or lost without a word."""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

_PIECE = 65536


class Link:
    """Forwards connections to a port. Those that are lost stay open, and nothing that is sent arrives."""

    def __init__(self, port: int, address: str, own: int) -> None:
        self._to = port
        self._listener = socket.create_server((address, own))
        self._sockets: list[socket.socket] = []
        # Connections with a lower number are lost.
        self._number = self._lost = 0
        # How long each piece takes.
        self._delay = 0.0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        return self._listener.getsockname()[1]

    def lose(self) -> None:
        """Loses every connection that there is; later ones are forwarded."""
        self._lost = self._number + 1

    @contextlib.contextmanager
    def slow(self, seconds: float) -> Iterator[None]:
        """Meanwhile each piece takes so long."""
        self._delay = seconds
        try:
            yield
        finally:
            self._delay = 0.0

    def close(self) -> None:
        for one in (self._listener, *self._sockets):
            # A thread that waits for it holds it open.
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        # The listener is closed at the end.
        with contextlib.suppress(OSError):
            while True:
                here, _ = self._listener.accept()
                try:
                    there = socket.create_connection(("127.0.0.1", self._to))
                except OSError:
                    # Nobody listens, and the client sees that.
                    here.close()
                    continue
                self._number += 1
                self._sockets += [here, there]
                for ends in ((here, there), (there, here)):
                    threading.Thread(target=self._forward, args=(self._number, *ends), daemon=True).start()

    def _forward(self, number: int, source: socket.socket, to: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while piece := source.recv(_PIECE):
                time.sleep(self._delay)
                if number >= self._lost:
                    to.sendall(piece)
            if number >= self._lost:
                to.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def linked(port: int, address: str = "127.0.0.1", own: int = 0) -> Iterator[Link]:
    """From another address of this machine, and a port there, if they are given."""
    link = Link(port, address, own)
    try:
        yield link
    finally:
        link.close()

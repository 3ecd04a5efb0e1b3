"""Holds the address that several workers listen on."""

import socket
from dataclasses import dataclass

from llm_service.errors import AddressError

UNIX = "unix:"


@dataclass(frozen=True, slots=True)
class Reserved:
    """An address of the workers, which no other program can take while this is open."""

    address: str
    socket: socket.socket | None

    def of(self, worker: int) -> str:
        """Returns what a worker listens on: the same port for all, but a socket file for each.

        The first has the file that the address names, the second `PATH.2` and so on: the kernel distributes
        connections between listeners of a port, and not between those of a file.
        """
        return self.address if self.socket or not worker else f"{self.address}.{worker + 1}"

    def close(self) -> None:
        """Lets the address go."""
        if self.socket:
            self.socket.close()


def reserve(address: str) -> Reserved:
    """Takes the port, or a free one for port 0; raises `AddressError` if another program has it."""
    if address.startswith(UNIX):
        return Reserved(address, None)
    host, _, port = address.rpartition(":")
    try:
        family, _, _, _, place = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)[0]
        # Listeners with SO_REUSEPORT would share the port with those of another llm-service, which is not noticed.
        with socket.socket(family, socket.SOCK_STREAM) as alone:
            alone.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            alone.bind(place)
            place = (*place[:1], alone.getsockname()[1], *place[2:])
        shared = socket.socket(family, socket.SOCK_STREAM)
        try:
            shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            shared.bind(place)
        except OSError:
            shared.close()
            raise
    except OSError as error:
        raise AddressError(f"cannot listen on {address}: {error.strerror or error}") from error
    return Reserved(f"{host}:{shared.getsockname()[1]}", shared)

"""Who may call: a token of the callers, certificates, or whoever may open the socket."""

import hashlib
import hmac
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import grpc

from llm_service import metrics
from llm_service.errors import AddressError
from llm_service.ports import UNIX

REFUSED = (
    "llm-service does not know this caller: set LLM_SERVICE_TOKEN (or LLM_SERVICE_TOKEN_FILE) of llm-service and "
    "its callers (api-gateway, orchestrator, summarizer) to the same token"
)
# Probes of the platform have no token, and learn nothing but whether the service runs.
_OPEN = "/grpc.health.v1.Health/"
_SCHEME = "Bearer "


@dataclass(frozen=True, slots=True)
class Callers:
    """How callers identify themselves. Paths are those of PEM files; with `ca` callers need a certificate, too."""

    token: str = ""
    cert: str = ""
    key: str = ""
    ca: str = ""

    def __repr__(self) -> str:
        """Omits the token."""
        return f"Callers(token={bool(self.token)}, cert={self.cert!r}, ca={self.ca!r})"

    @property
    def identified(self) -> bool:
        """Whether a caller has to prove anything."""
        return bool(self.token or self.ca)

    def credentials(self) -> grpc.ServerCredentials | None:
        """Reads the certificates; None without TLS."""
        if not self.cert:
            return None
        ca = _read(self.ca) if self.ca else None
        return grpc.ssl_server_credentials([(_read(self.key), _read(self.cert))], ca, require_client_auth=bool(ca))


class TokenInterceptor(grpc.aio.ServerInterceptor):
    """Refuses every call without the token, health checks excepted."""

    def __init__(self, token: str) -> None:
        """Keeps the token's digest, so that a comparison takes as long for every text."""
        self._digest = _digest(token)

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:  # noqa: ANN401 - the type of the base class
        """Passes the call on, or answers it with a refusal."""
        details: Any = handler_call_details
        if details.method.startswith(_OPEN) or self._knows(details.invocation_metadata or ()):
            return await continuation(handler_call_details)
        metrics.callers_refused.inc()
        return grpc.unary_unary_rpc_method_handler(cast("Any", _refuse))  # pyright: ignore

    def _knows(self, metadata: tuple[tuple[str, str | bytes], ...]) -> bool:
        given = [str(value) for name, value in metadata if name == "authorization"]
        return (
            len(given) == 1
            and given[0].startswith(_SCHEME)
            and hmac.compare_digest(_digest(given[0].removeprefix(_SCHEME)), self._digest)
        )


def bind_socket(server: grpc.aio.Server, address: str) -> None:
    """Listens on a unix socket that this user alone may open; raises `AddressError` if its folder is open to others."""
    path = Path(address.removeprefix(UNIX).removeprefix("//"))
    folder = path.parent
    try:
        found = folder.stat()
    except OSError as error:
        raise AddressError(f"cannot listen on {address}: {folder} does not exist") from error
    if found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise AddressError(f"cannot listen on {address}: {folder} must belong to this user alone (chmod 700)")
    previous = os.umask(0o177)
    try:
        server.add_insecure_port(f"{UNIX}{path}")
    except RuntimeError as error:
        raise AddressError(f"cannot listen on {address}") from error
    finally:
        os.umask(previous)
    path.chmod(0o600)


async def _refuse(_request: bytes, context: grpc.ServicerContext) -> None:
    await context.abort(grpc.StatusCode.UNAUTHENTICATED, REFUSED)  # pyright: ignore


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise AddressError(f"cannot read the certificate file {path}") from error

"""The gRPC server of one worker: one service, its health, and graceful shutdown."""

from dataclasses import dataclass
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from llm_service.addresses import NEEDED, is_local
from llm_service.callers import Callers, TokenInterceptor, bind_socket
from llm_service.errors import AddressError
from llm_service.gen.llm.v1 import llm_pb2_grpc
from llm_service.ports import UNIX
from llm_service.servicer import Servicer

SERVICE = "llm.v1.LLMService"
# Headers of the answer to a health check: the id of the worker, and how many workers share the address.
WORKER_HEADER, SHARING_HEADER = "tarsy-worker", "tarsy-workers"
MAX_MESSAGE_BYTES = 64 * 1024 * 1024

_OPTIONS = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a worker serves: the address, its id, and how many workers share the address."""

    address: str
    id: str = ""
    sharing: int = 1


class _Health(health.aio.HealthServicer):
    """Says which worker answers, so that a caller knows when it has a connection to each of them."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self._headers = ((WORKER_HEADER, place.id), (SHARING_HEADER, str(place.sharing)))

    async def Check(  # noqa: N802 - named by the contract
        self,
        request: health_pb2.HealthCheckRequest,
        context: Any,  # noqa: ANN401 - its type has parameters for the type checker only
    ) -> health_pb2.HealthCheckResponse:
        """Answers one check."""
        await context.send_initial_metadata(self._headers)
        return await super().Check(request, context)


class Server:
    """Serves until it is stopped."""

    def __init__(self, servicer: Servicer, place: Place, callers: Callers | None = None) -> None:
        """Binds the address; port 0 takes a free one. Refuses an open address that anybody could use."""
        callers = callers or Callers()
        address = place.address
        if not callers.identified and not is_local(address):
            raise AddressError(f"refuses to listen on {address}, which other machines reach: {NEEDED}")
        interceptors = [TokenInterceptor(callers.token)] if callers.token else []
        options = (*_OPTIONS, ("grpc.so_reuseport", int(not address.startswith(UNIX))))
        self._server = grpc.aio.server(options=options, interceptors=interceptors)
        self._health = _Health(place)
        llm_pb2_grpc.add_LLMServiceServicer_to_server(servicer, self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        self.address = self._bind(address, callers)
        self.ready = False

    def _bind(self, address: str, callers: Callers) -> str:
        """Returns the address with the port that was taken."""
        if address.startswith(UNIX):
            bind_socket(self._server, address)
            return address
        credentials = callers.credentials()
        try:
            if credentials is None:
                port = self._server.add_insecure_port(address)
            else:
                port = self._server.add_secure_port(address, credentials)
        except RuntimeError as error:
            raise AddressError(f"cannot listen on {address}") from error
        return f"{address.rpartition(':')[0]}:{port}"

    async def start(self) -> None:
        """Starts to serve; health checks then report `SERVING`."""
        await self._server.start()
        for name in ("", SERVICE):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        self.ready = True

    async def stop(self, grace: float) -> None:
        """Rejects new calls, waits at most `grace` seconds for running ones, then cancels them."""
        self.ready = False
        await self._health.enter_graceful_shutdown()
        await self._server.stop(grace)

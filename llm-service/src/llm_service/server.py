"""The gRPC server: one service, its health, and graceful shutdown."""

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from llm_service.callers import UNIX, Callers, TokenInterceptor, bind_socket, is_local
from llm_service.errors import AddressError
from llm_service.gen.llm.v1 import llm_pb2_grpc
from llm_service.servicer import Servicer

SERVICE = "llm.v1.LLMService"
NEEDED = (
    "set LLM_SERVICE_TOKEN (or LLM_SERVICE_TOKEN_FILE) here and for its callers, or LLM_SERVICE_TLS_CERT, "
    "LLM_SERVICE_TLS_KEY and LLM_SERVICE_TLS_CA, or listen on 127.0.0.1 or unix:PATH"
)
MAX_MESSAGE_BYTES = 64 * 1024 * 1024

_OPTIONS = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.so_reuseport", 0),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
)


class Server:
    """Serves until it is stopped."""

    def __init__(self, servicer: Servicer, address: str, callers: Callers | None = None) -> None:
        """Binds the address; port 0 takes a free one. Refuses an open address that anybody could use."""
        callers = callers or Callers()
        if not callers.identified and not is_local(address):
            raise AddressError(f"refuses to listen on {address}, which other machines reach: {NEEDED}")
        interceptors = [TokenInterceptor(callers.token)] if callers.token else []
        self._server = grpc.aio.server(options=_OPTIONS, interceptors=interceptors)
        self._health = health.aio.HealthServicer()
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

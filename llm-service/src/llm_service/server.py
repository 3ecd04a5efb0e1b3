"""The gRPC server: one service, its health, and graceful shutdown."""

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from llm_service.errors import AddressError
from llm_service.gen.llm.v1 import llm_pb2_grpc
from llm_service.servicer import Servicer

SERVICE = "llm.v1.LLMService"
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

    def __init__(self, servicer: Servicer, address: str) -> None:
        """Binds the address; port 0 takes a free one."""
        self._server = grpc.aio.server(options=_OPTIONS)
        self._health = health.aio.HealthServicer()
        llm_pb2_grpc.add_LLMServiceServicer_to_server(servicer, self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        host = address.rpartition(":")[0]
        try:
            port = self._server.add_insecure_port(address)
        except RuntimeError as error:
            raise AddressError(f"cannot listen on {address}") from error
        self.address = f"{host}:{port}"
        self.ready = False

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

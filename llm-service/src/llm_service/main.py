"""Starts the service and shuts it down."""

import asyncio
import signal
import sys

from llm_service import definitions, heap, logs
from llm_service.admin import Admin
from llm_service.admission import Admission
from llm_service.callers import Callers, is_local
from llm_service.errors import AddressError
from llm_service.protect import protect
from llm_service.providers.registry import Registry
from llm_service.server import Server
from llm_service.servicer import Servicer
from llm_service.settings import Settings, SettingsError


async def serve(settings: Settings) -> None:
    """Serves until a signal, then drains."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    registry = Registry()
    servicer = Servicer(
        definitions.load(settings.config_dir),
        registry,
        admission=Admission(settings.max_turns),
        stall_seconds=settings.stall_seconds,
    )
    callers = Callers(settings.token, settings.tls_cert, settings.tls_key, settings.tls_ca)
    server = Server(servicer, settings.address, callers)
    if not is_local(settings.address) and not settings.tls_cert:
        logs.logger().warning("prompts and the token travel unencrypted: set LLM_SERVICE_TLS_CERT and _KEY")
    admin = Admin(settings.admin_address, lambda: server.ready) if settings.admin_address else None
    if admin is not None:
        admin.start()
        logs.logger().info("the admin port is open", address=admin.address)
    await registry.preload(settings.preload)
    await server.start()
    print(f"llm-service listening on {server.address}", flush=True)  # noqa: T201 - reports that it is ready
    await stopping.wait()
    logs.logger().info("stopping", grace_seconds=settings.grace_seconds)
    await server.stop(settings.grace_seconds)
    await registry.close()
    if admin is not None:
        admin.stop()
    logs.logger().info("stopped")


def main() -> int:
    """Runs the service; the exit code is 2 if it could not start."""
    try:
        settings = Settings.from_env()
        if not settings.debuggable:
            protect()
        logs.configure(settings.log_level)
        heap.tune()
        asyncio.run(serve(settings))
    except (SettingsError, AddressError) as error:
        print(f"llm-service cannot start: {error}", file=sys.stderr)  # noqa: T201 - logs may be off
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

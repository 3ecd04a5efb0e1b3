"""One worker process: serves turns on its address until it is stopped by its supervisor."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Sequence

from llm_service import definitions, heap, logs, telemetry
from llm_service.admission import Admission
from llm_service.callers import Callers
from llm_service.errors import AddressError
from llm_service.protect import protect
from llm_service.providers.registry import Registry
from llm_service.server import Place, Server
from llm_service.servicer import Servicer
from llm_service.settings import Settings, SettingsError
from llm_service.supervisor import CANNOT_START, READY


def place(arguments: Sequence[str]) -> Place:
    """Reads what the supervisor passes on."""
    parser = argparse.ArgumentParser(prog="llm_service.worker")
    parser.add_argument("--address", required=True)
    parser.add_argument("--id", required=True)
    parser.add_argument("--sharing", type=int, required=True)
    found = parser.parse_args(arguments)
    return Place(found.address, found.id, found.sharing)


async def serve(settings: Settings, at: Place, max_turns: int) -> None:
    """Serves until a signal, or until the supervisor is gone; then drains."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    # Nobody writes there: it is readable when it ends, which it does with the supervisor.
    loop.add_reader(sys.stdin.fileno(), stopping.set)
    registry = Registry()
    spans, stop_exporting = telemetry.start(settings)
    servicer = Servicer(
        definitions.load(settings.config_dir),
        registry,
        admission=Admission(max_turns),
        stall_seconds=settings.stall_seconds,
        spans=spans,
    )
    callers = Callers(settings.token, settings.tls_cert, settings.tls_key, settings.tls_ca)
    server = Server(servicer, at, callers)
    await registry.preload(settings.preload)
    await server.start()
    sys.stdout.buffer.write(READY)
    sys.stdout.buffer.flush()
    await stopping.wait()
    loop.remove_reader(sys.stdin.fileno())
    await server.stop(settings.grace_seconds)
    await registry.close()
    await asyncio.to_thread(stop_exporting)


def main(arguments: Sequence[str]) -> int:
    """Runs a worker; the exit code is 2 if it could not start."""
    try:
        settings = Settings.from_env()
        if not settings.debuggable:
            protect()
        logs.configure(settings.log_level)
        heap.tune()
        at = place(arguments)
        asyncio.run(serve(settings, at, max_turns=settings.max_turns_of_each()))
    except (SettingsError, AddressError) as error:
        print(f"llm-service cannot start: {error}", file=sys.stderr)  # noqa: T201 - logs may be off
        return CANNOT_START
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

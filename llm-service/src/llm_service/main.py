"""Starts the service: worker processes behind one address, and the admin port that speaks for all of them."""

import asyncio
import os
import secrets
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from llm_service import definitions, logs, proxies
from llm_service.addresses import NEEDED, is_local
from llm_service.admin import Admin
from llm_service.errors import AddressError
from llm_service.ports import Reserved, reserve
from llm_service.protect import protect
from llm_service.settings import Settings, SettingsError
from llm_service.supervisor import CANNOT_START, Supervisor
from llm_service.totals import Totals

# Memory; also a container with a read-only file system has it.
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - the folder gets a name that nobody can guess


async def serve(settings: Settings, at: Reserved, folder: Path) -> int:
    """Serves until a signal, then drains; returns the exit code."""
    loop = asyncio.get_running_loop()
    totals = Totals(folder)

    def listening() -> None:
        print(f"llm-service listening on {at.address}", flush=True)  # noqa: T201 - reports that it is ready

    supervisor = Supervisor(
        _commands(at, settings.worker_count()),
        _environment(settings, folder),
        listening,
        totals.forget,
    )
    totals.watch(supervisor)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, supervisor.stop)
    admin = None
    if settings.admin_address:
        admin = Admin(settings.admin_address, lambda: supervisor.ready > 0, totals.text)
        admin.start()
        logs.logger().info("the admin port is open", address=admin.address)
    code = await supervisor.run(settings.grace_seconds)
    if admin is not None:
        admin.stop()
    logs.logger().info("stopped")
    return code


def _environment(settings: Settings, folder: Path) -> dict[str, str]:
    """The environment of each worker."""
    servers = [one.base_url for one in definitions.load(settings.config_dir).all()]
    near = proxies.exceptions(os.environ, [*servers, settings.otlp_endpoint])
    return {**os.environ, **near, "PROMETHEUS_MULTIPROC_DIR": str(folder)}


def _commands(at: Reserved, workers: int) -> list[list[str]]:
    """The command line of each worker."""
    instance = secrets.token_hex(8)
    sharing = workers if at.socket else 1
    options = [("--address", at.of(worker), "--id", f"{instance}.{worker}") for worker in range(workers)]
    return [[sys.executable, "-m", "llm_service.worker", *one, "--sharing", str(sharing)] for one in options]


def _check(settings: Settings) -> None:
    """Raises what a worker would raise, once for all of them."""
    definitions.load(settings.config_dir)
    if not is_local(settings.address):
        if not (settings.token or settings.tls_ca):
            raise AddressError(f"refuses to listen on {settings.address}, which other machines reach: {NEEDED}")
        if not settings.tls_cert:
            logs.logger().warning("prompts and the token travel unencrypted: set LLM_SERVICE_TLS_CERT and _KEY")


def main() -> int:
    """Runs the service; the exit code is 2 if it could not start."""
    folder = Path(
        tempfile.mkdtemp(prefix="llm-service-", dir=_SHARED_MEMORY if os.access(_SHARED_MEMORY, os.W_OK) else None)
    )
    try:
        settings = Settings.from_env()
        if not settings.debuggable:
            protect()
        logs.configure(settings.log_level)
        _check(settings)
        at = reserve(settings.address)
        try:
            return asyncio.run(serve(settings, at, folder))
        finally:
            at.close()
    except (SettingsError, AddressError) as error:
        print(f"llm-service cannot start: {error}", file=sys.stderr)  # noqa: T201 - logs may be off
        return CANNOT_START
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

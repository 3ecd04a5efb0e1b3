"""Keeps worker processes running: starts them, restarts those that end, and stops them in order."""

import asyncio
import contextlib
import signal
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence

from llm_service.logs import logger

# What a worker writes to its standard output once it serves.
READY = b"ready\n"
# The exit code of a worker whose settings or address are wrong: starting it again would not help.
CANNOT_START = 2
# A worker imports SDKs before it serves, on a machine that may be busy.
START_SECONDS = 180.0
# A worker that served so long begins to count anew.
STEADY_SECONDS = 60.0
# Failures in a row before the supervisor gives up; the platform then restarts the whole service.
MOST_FAILURES = 6
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 16.0
# Beyond the grace of its turns, for a worker to end.
STOP_MARGIN = 5.0


def pause(failures: int) -> float | None:
    """Returns the seconds before a worker is started again that failed so often in a row; None to give up."""
    if failures >= MOST_FAILURES:
        return None
    return min(FIRST_PAUSE * 2 ** (failures - 1), LONGEST_PAUSE)


class Supervisor:
    """The workers of this service, one for each command."""

    def __init__(
        self,
        commands: Sequence[Sequence[str]],
        env: dict[str, str],
        on_ready: Callable[[], None],
        on_end: Callable[[int], None],
    ) -> None:
        """`on_ready` is called once, when all serve; `on_end` with the id of each process that ended."""
        self.restarts = 0
        self._commands = commands
        self._env = env
        self._on_ready: Callable[[], None] | None = on_ready
        self._on_end = on_end
        self._stopping = asyncio.Event()
        self._running: dict[int, Process] = {}
        self._ready: set[int] = set()

    @property
    def pids(self) -> list[int]:
        """The ids of the processes that run."""
        return [process.pid for process in list(self._running.values())]

    @property
    def ready(self) -> int:
        """How many workers serve."""
        return 0 if self._stopping.is_set() else len(self._ready)

    def stop(self) -> None:
        """Lets the workers end their turns, and `run` return."""
        self._stopping.set()

    async def run(self, grace_seconds: float) -> int:
        """Runs the workers until `stop`, or until one cannot be kept running; returns the exit code."""
        kept = [asyncio.create_task(self._keep(worker)) for worker in range(len(self._commands))]
        stopped = asyncio.create_task(self._stopping.wait())
        await asyncio.wait([stopped, *kept], return_when=asyncio.FIRST_COMPLETED)
        self._stopping.set()
        logger().info("stopping", grace_seconds=grace_seconds)
        self._signal(signal.SIGTERM)
        _, late = await asyncio.wait(kept, timeout=grace_seconds + STOP_MARGIN)
        if late:
            logger().warning("workers did not stop in time and are killed", workers=len(late))
            self._signal(signal.SIGKILL)
        return max(await asyncio.gather(*kept))

    def _signal(self, number: int) -> None:
        for process in self._running.values():
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)

    async def _keep(self, worker: int) -> int:
        """Runs one worker until the supervisor stops; returns the exit code that it is the reason for."""
        failures = 0
        while not self._stopping.is_set():
            started = time.monotonic()
            code = await self._live(worker)
            if self._stopping.is_set():
                break
            if code == CANNOT_START:
                # It has written why.
                return CANNOT_START
            failures = 1 if time.monotonic() - started >= STEADY_SECONDS else failures + 1
            wait = pause(failures)
            if wait is None:
                logger().error("a worker ends again and again", worker=worker, code=code, failures=failures)
                return 1
            logger().warning("a worker ended and is started again", worker=worker, code=code, pause_seconds=wait)
            self.restarts += 1
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), wait)
        return 0

    async def _live(self, worker: int) -> int:
        """Starts a worker, and waits for its end; returns its exit code."""
        # Its standard input ends with this process, however that ends: the sign for a worker to stop.
        process = await asyncio.create_subprocess_exec(*self._commands[worker], stdin=PIPE, stdout=PIPE, env=self._env)
        self._running[worker] = process
        if self._stopping.is_set():
            process.terminate()
        try:
            await self._serves(worker, process)
            return await process.wait()
        finally:
            self._ready.discard(worker)
            del self._running[worker]
            self._on_end(process.pid)

    async def _serves(self, worker: int, process: Process) -> None:
        """Waits until a worker serves; kills one that does not within `START_SECONDS`."""
        assert process.stdout is not None  # noqa: S101 - it was asked for
        try:
            async with asyncio.timeout(START_SECONDS):
                line = await process.stdout.readline()
        except TimeoutError:
            process.kill()
            return
        if line != READY:
            return
        self._ready.add(worker)
        if self._on_ready and len(self._ready) == len(self._commands):
            on_ready, self._on_ready = self._on_ready, None
            on_ready()

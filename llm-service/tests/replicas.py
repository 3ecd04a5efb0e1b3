"""The service as a process of its own."""

import asyncio
import json
import os
import signal
import sys
import urllib.request
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError

import grpc

from llm_service.gen.llm.v1 import llm_pb2_grpc

# A process imports SDKs before it says that it listens.
TIMEOUT_SECONDS = 180
SOURCE = Path(__file__).parents[1] / "src"


@dataclass
class Replica:
    """One process of the service, with its workers."""

    process: asyncio.subprocess.Process
    address: str
    stub: llm_pb2_grpc.LLMServiceStub
    admin: str
    log: Path

    async def end(self) -> str:
        """Ends it in order, and returns what it wrote."""
        self.process.send_signal(signal.SIGTERM)
        out, _ = await asyncio.wait_for(self.process.communicate(), TIMEOUT_SECONDS)
        return out.decode() + self.log.read_text()

    def workers(self) -> list[int]:
        """The ids of its worker processes."""
        return children(self.process.pid)

    async def metric(self, name: str) -> float:
        """The sum of a metric's samples; -1 without any."""
        _, text = await get(f"{self.admin}/metrics")
        found = [line for line in text.splitlines() if line.partition("{")[0].partition(" ")[0] == name]
        return sum(float(line.rpartition(" ")[2]) for line in found) if found else -1.0


def children(pid: int) -> list[int]:
    """The ids of the processes that a process has started."""
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


async def started(stack: AsyncExitStack, log: Path, config: Path, **env: str) -> Replica:
    """Starts a process and waits until it listens; `stack` closes the channel to it, and kills it if it still runs."""
    with log.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "llm_service.main",
            env={
                **os.environ,
                "PYTHONPATH": str(SOURCE),
                "LLM_SERVICE_ADDR": "127.0.0.1:0",
                "LLM_SERVICE_ADMIN_ADDR": "127.0.0.1:0",
                "LLM_SERVICE_WORKERS": "1",
                "LOG_LEVEL": "debug",
                "TARSY_CONFIG_DIR": str(config),
                **env,
            },
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
        )
    stack.push_async_callback(_kill, process)
    assert process.stdout is not None
    line = (await asyncio.wait_for(process.stdout.readline(), TIMEOUT_SECONDS)).decode()
    assert line.startswith("llm-service listening on "), written(log)
    address = line.split()[-1]
    channel = await stack.enter_async_context(grpc.aio.insecure_channel(address))
    opened = next(one for one in map(json.loads, written(log).splitlines()) if "admin" in one["event"])
    return Replica(process, address, llm_pb2_grpc.LLMServiceStub(channel), f"http://{opened['address']}", log)


def written(log: Path) -> str:
    """What a process has logged so far."""
    return log.read_text()


async def _kill(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
        await process.wait()


async def get(url: str) -> tuple[int, str]:
    """The status and the body of an answer."""

    def fetch() -> tuple[int, str]:
        try:
            with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310 - our own address
                return answer.status, answer.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()

    return await asyncio.to_thread(fetch)

"""What the tests share: a running server, and builders that read as sentences."""

import asyncio
import itertools
import json
import os
import re
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import grpc
import llmock.main  # noqa: F401 - here, and not by a fixture beside a running loop: CPython 3.11 once lost count while it was parsed
import pytest

import script
from accounts import write_account
from llm_service import logs, metrics
from llm_service.admission import Admission
from llm_service.definitions import TYPES, Definition, Definitions
from llm_service.gen.llm.v1 import llm_pb2, llm_pb2_grpc
from llm_service.providers.base import Provider
from llm_service.providers.registry import Registry
from llm_service.server import Place, Server
from llm_service.servicer import Servicer
from llm_service.spans import Spans
from replicas import Replica, started
from scripted import BACKEND, Scripted
from sse import SseServer

KEY = "sk-test-0123456789abcdef"
KEY_ENV = "TEST_LLM_KEY"
ROOT = Path(__file__).parents[1]
# What the servers of the tests have as their configuration; grows with what tests ask for.
FILE_KEYS = ("type", "model", "api_key_env", "credentials_env", "project_env", "location_env", "base_url")
CONFIGURED: dict[str, Definition] = {}


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_ENV, KEY)
    logs.configure("error")


@pytest.fixture
async def serve() -> AsyncIterator[Callable[..., Any]]:
    """Starts servers on free ports and stops them after the test."""
    started: list[Server] = []
    channels: list[grpc.aio.Channel] = []

    async def start(
        provider: Provider | None = None,
        max_turns: int = 128,
        stall_seconds: float = 300.0,
        spans: Spans | None = None,
    ) -> llm_pb2_grpc.LLMServiceStub:
        registry = Registry({BACKEND: provider or Scripted()})
        servicer = Servicer(Definitions(CONFIGURED), registry, Admission(max_turns), stall_seconds, spans)
        server = Server(servicer, Place("127.0.0.1:0"))
        await server.start()
        started.append(server)
        channels.append(grpc.aio.insecure_channel(server.address))
        stub = llm_pb2_grpc.LLMServiceStub(channels[-1])
        stub.server = server
        stub.channel = channels[-1]
        return stub

    yield start
    for channel in channels:
        await channel.close()
    for server in started:
        await server.stop(0)
    # What a test left running would be in the next one's metrics and log.
    async with asyncio.timeout(60):
        while metrics.running._value.get():  # noqa: ASYNC110, SLF001 - a gauge announces nothing
            await asyncio.sleep(0.01)


@pytest.fixture
async def replica(tmp_path: Path) -> AsyncIterator[Callable[..., Any]]:
    """Starts processes, and ends them after the test."""
    async with AsyncExitStack() as stack:
        count = itertools.count()

        async def start(**env: str) -> Replica:
            log = tmp_path / f"replica-{next(count)}.log"
            return await started(stack, log, config_folder(tmp_path), **env)

        yield start


@pytest.fixture(scope="session")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The file of a service account, and a server that gives it tokens."""

    class Tokens(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.dumps({"access_token": "vertex-token-0123456789", "expires_in": 3600, "token_type": "Bearer"})
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Tokens)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    path = tmp_path_factory.mktemp("account") / "account.json"
    write_account(path, f"http://127.0.0.1:{server.server_address[1]}/token")
    yield path
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def aimock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a server that plays all vendors by script; it comes from npm."""
    program = ROOT.parent / "tests" / "vendor" / "node_modules" / ".bin" / "llmock"
    assert program.exists(), "aimock is missing: run `make setup-test`"
    folder = tmp_path_factory.mktemp("aimock")
    fixtures, log = folder / "fixtures.json", folder / "aimock.log"
    fixtures.write_text(json.dumps(script.FIXTURES))
    # It takes a free port by itself and tells which: one that was free a moment ago may be taken.
    command = [program, "--port", "0", "--fixtures", fixtures, "--strict"]
    with log.open("wb") as written, subprocess.Popen(command, stdout=written, stderr=written) as process:
        deadline = time.monotonic() + 60
        while not (listens := re.search(r"listening on http://127\.0\.0\.1:(\d+)\s", log.read_text())):
            assert time.monotonic() < deadline, f"aimock did not start: {log.read_text()}"
            # A file announces nothing.
            time.sleep(0.05)
        yield int(listens.group(1))
        process.terminate()


@pytest.fixture
async def vendor_server() -> AsyncIterator[SseServer]:
    """A vendor that plays recorded streams."""
    server = SseServer()
    await server.start()
    yield server
    await server.stop()


def configured(provider: str = BACKEND, model: str = "m", project: str = "", location: str = "", **config: str) -> str:
    """Adds a provider of this type to the configuration of the servers, and returns its name."""
    for key, value in (("project", project), ("location", location)):
        if value:
            config[f"{key}_env"] = f"TEST_{key}_{value}".replace("-", "_")
            os.environ[config[f"{key}_env"]] = value
    name = "-".join((provider, model, *sorted(config.values())))
    CONFIGURED[name] = Definition(name, provider, model, **config)
    return name


def config_folder(folder: Path) -> Path:
    """Writes what is configured so far as the files of a process."""
    # Some tests ask for a provider that no file may have.
    models = [one for one in CONFIGURED.values() if one.type in TYPES and one.model]
    entries = {one.name: {key: value for key in FILE_KEYS if (value := getattr(one, key))} for one in models}
    (folder / "llm-providers.yaml").write_text(json.dumps({"llm_providers": entries}))
    return folder


def ask(content: str = "hello there", backend: str = "", **config: str) -> llm_pb2.GenerateRequest:
    """A request with one user message, to a provider that is configured so."""
    name = configured(**config)
    model = config.get("model", "")
    return llm_pb2.GenerateRequest(
        session_id="session",
        execution_id="execution",
        messages=[
            llm_pb2.ConversationMessage(role="system", content="You investigate."),
            llm_pb2.ConversationMessage(role="user", content=content),
        ],
        llm_config=llm_pb2.LLMConfig(provider=name, backend=backend, model=model),
    )


def tool(name: str, description: str = "", properties: Any = None, required: Any = ()) -> llm_pb2.ToolDefinition:
    """A tool on offer."""
    schema = {"type": "object", "properties": properties or {}, "required": list(required)}
    return llm_pb2.ToolDefinition(name=name, description=description, parameters_schema=json.dumps(schema))


async def collect(stream: Any) -> list[llm_pb2.GenerateResponse]:
    """Everything a stream says."""
    return [chunk async for chunk in stream]


def text_of(chunks: list[llm_pb2.GenerateResponse]) -> str:
    return "".join(chunk.text.content for chunk in chunks)


def thinking_of(chunks: list[llm_pb2.GenerateResponse]) -> str:
    return "".join(chunk.thinking.content for chunk in chunks)


def calls_of(chunks: list[llm_pb2.GenerateResponse]) -> list[Any]:
    return [chunk.tool_call for chunk in chunks if chunk.WhichOneof("chunk") == "tool_call"]


def finish_of(chunks: list[llm_pb2.GenerateResponse]) -> str:
    """Why the answer ended: `stop`, `length`, `tool_calls`, `content_filter`; empty if nobody gave a reason."""
    name = llm_pb2.FinishReason.Name(chunks[-1].finish_reason).removeprefix("FINISH_REASON_").lower()
    return name.replace("unspecified", "")


def last(chunks: list[llm_pb2.GenerateResponse], kind: str) -> Any:
    """The last chunk of a kind."""
    return [getattr(chunk, kind) for chunk in chunks if chunk.WhichOneof("chunk") == kind][-1]


def only(chunks: list[llm_pb2.GenerateResponse], kind: str) -> Any:
    """The one chunk of a kind."""
    found = [getattr(chunk, kind) for chunk in chunks if chunk.WhichOneof("chunk") == kind]
    assert len(found) == 1, f"{len(found)} chunks of kind {kind}"
    return found[0]

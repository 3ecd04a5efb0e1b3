"""Raw streams of a real llama.cpp server with a small model, as `make models-test` records them."""

import json
import random
from typing import Any

import pytest

from conftest import calls_of, collect, finish_of, only, text_of, tool
from llm_service.chunks import Call, Chunk, Text
from llm_service.errors import ProviderError
from llm_service.json_shapes import load
from llm_service.providers.chat_stream import ChatReader
from llm_service.providers.claude_stream import ClaudeReader
from llm_service.providers.markup import Markup
from llm_service.providers.sse import Decoder
from llm_service.providers.tool_names import ToolNames
from llm_service.providers.wire import Reader
from llm_service.turn import Tool
from recorded import stream_of_llama
from sse import SseServer
from vendors import CHAT, CLAUDE

TOOLS = (Tool("host.disk_usage"), Tool("host.load_average"))
ROOT = {"path": "/"}
VERDICT = {
    "outcome": "not_examinable",
    "cause": "The percentage of disk space used is not accurately calculated. The percentage of disk space used is the total disk size",
    "confidence": "low",
}


async def answered(name: str, server: SseServer, serve: Any) -> list[Any]:
    """The stream as llm-service passes it on, with two tools on offer."""
    server.scripts.append(stream_of_llama(name))
    request = (CLAUDE if name.startswith("messages") else CHAT).ask(server.url)
    for one in TOOLS:
        request.tools.append(tool(one.name, "", {"path": {"type": "string"}}))
    return await collect((await serve()).Generate(request))


@pytest.mark.parametrize(
    ("name", "arguments", "tokens"),
    [
        ("chat-call", ROOT, (560, 30)),
        ("chat-call-as-text", {**ROOT, "additionalProperties": False}, (559, 37)),
        ("messages-call", ROOT, (560, 30)),
    ],
)
async def test_a_call_of_a_small_model_is_one_call_and_no_text(
    name: str, arguments: dict[str, Any], tokens: tuple[int, int], vendor_server: SseServer, serve: Any
) -> None:
    chunks = await answered(name, vendor_server, serve)
    (call,) = calls_of(chunks)
    assert (call.name, json.loads(call.arguments)) == ("host.disk_usage", arguments)
    assert (text_of(chunks), finish_of(chunks)) == ("", "tool_calls")
    usage = only(chunks, "usage")
    assert (usage.input_tokens, usage.output_tokens) == tokens


@pytest.mark.parametrize(
    ("name", "begin", "finish"),
    [
        ("chat-text", "The root file system `/` is filling up", "stop"),
        ("chat-length", "A file system fills up when", "length"),
        ("messages-text", "98% of 246G is equal to 252G.", "stop"),
    ],
)
async def test_a_text_of_a_small_model_arrives_whole(
    name: str, begin: str, finish: str, vendor_server: SseServer, serve: Any
) -> None:
    chunks = await answered(name, vendor_server, serve)
    assert text_of(chunks).startswith(begin)
    assert (calls_of(chunks), finish_of(chunks)) == ([], finish)


async def test_an_answer_in_a_schema_is_its_json(vendor_server: SseServer, serve: Any) -> None:
    assert json.loads(text_of(await answered("chat-schema", vendor_server, serve))) == VERDICT


def read(name: str, raw: bytes) -> list[Chunk]:
    """What the readers of llm-service make of the bytes of a stream."""
    names = ToolNames(TOOLS)
    reader: Reader = ClaudeReader(names, "anthropic") if name.startswith("messages") else ChatReader(names)
    decoder, markup, found = Decoder(), Markup(TOOLS), []
    for start in range(0, len(raw), 197):
        for event in decoder.feed(raw[start : start + 197]):
            found += [made for chunk in reader.read(event) for made in markup.feed(chunk)]
    for event in decoder.end():
        found += [made for chunk in reader.read(event) for made in markup.feed(chunk)]
    return [*found, *markup.end(reader.end())]


def test_a_fenced_call_that_can_be_read_is_never_left_in_the_text() -> None:
    draw = random.Random(31)  # noqa: S311 - inputs of a test
    lines = stream_of_llama("chat-call-as-text").splitlines(keepends=True)
    calls = failures = 0
    for _ in range(400):
        kept = [line for line in lines if draw.random() > 0.02]
        try:
            chunks = read("chat-call-as-text", "".join(kept).encode())
        except ProviderError:
            failures += 1
            continue
        calls += any(isinstance(chunk, Call) for chunk in chunks)
        text = "".join(chunk.content for chunk in chunks if isinstance(chunk, Text)).strip()
        value: object = load(text.removeprefix("```json\n").removesuffix("```"))
        assert not isinstance(value, dict) or set(value) != {"name", "arguments"}, text
    assert calls > 100
    assert failures > 5

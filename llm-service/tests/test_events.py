"""OpenAI's events are read from the wire: what comes out is what its own library made of them."""

import asyncio
import json
from typing import Any

import pytest

from conftest import calls_of, collect, finish_of, only, text_of, thinking_of, tool
from llm_service.providers import http
from recorded import RESPONSE, completion, numbered, responses
from sse import SseServer
from vendors import CHAT, RESPONSES, XAI, Vendor


def piece(index: int | None, **call: Any) -> dict[str, Any]:
    """A piece of a tool call, in a chunk of its own."""
    return completion({"tool_calls": [{**({} if index is None else {"index": index}), **call}]})


USAGE = {
    **completion({}),
    "choices": [],
    "usage": {
        "prompt_tokens": 30,
        "completion_tokens": 12,
        "total_tokens": 42,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 7},
    },
}
DISK = {"name": "host__disk_usage", "arguments": '{"path": "/"}'}
CHATS: dict[str, list[dict[str, Any]]] = {
    "reasoning, text and usage": [
        completion({"role": "assistant", "content": ""}),
        completion({"reasoning_content": "disk "}),
        completion({"reasoning_content": "first"}),
        completion({"content": "Full", "tool_calls": None}),
        completion({"content": " disk.", "refusal": None}),
        completion({}, "stop"),
        USAGE,
    ],
    "two calls in pieces": [
        piece(0, id="call_1", type="function", function={"name": "host__disk_usage", "arguments": ""}),
        piece(0, function={"arguments": '{"path"'}),
        piece(1, id="call_2", type="function", function={"name": "host__disk_usage", "arguments": "{}"}),
        piece(0, function={"arguments": ': "/"}'}),
        completion({}, "tool_calls"),
        {**USAGE, "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}},
    ],
    "a call without its number": [
        piece(None, id="call_1", type="function", function=DISK),
        completion({}, "tool_calls"),
    ],
    "nothing where something should be": [
        {**completion({}), "choices": None},
        {**completion({}), "choices": [{"index": 0, "finish_reason": None}]},
        {**completion({}), "choices": [{"index": 0, "delta": None}]},
        {"choices": [{"delta": {"content": "Full."}}]},
        {"choices": [{"delta": {"content": None}, "finish_reason": "stop"}]},
    ],
    "a failure inside the stream": [
        completion({"content": "Half"}),
        {"error": {"type": "server_error", "message": "it broke"}},
    ],
    "a failure without a word": [completion({"content": "Half"}), {"error": {"type": "server_error"}}],
    "no end": [completion({"content": "Half"})],
}

TEXT = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
MESSAGE = {"type": "message", "id": "msg_1", "status": "in_progress", "role": "assistant", "content": []}
DONE = {**MESSAGE, "status": "completed", "content": [{"type": "output_text", "text": "Full.", "annotations": []}]}
LINK = {"type": "url_citation", "url": "https://a.example", "title": "A", "start_index": 0, "end_index": 4}
SPENT = {
    "input_tokens": 30, "output_tokens": 12, "total_tokens": 42,
    "input_tokens_details": {"cached_tokens": 4}, "output_tokens_details": {"reasoning_tokens": 7},
}  # fmt: skip
END = {"type": "response.completed", "response": {**RESPONSE, "status": "completed", "output": [DONE], "usage": SPENT}}
START = {"type": "response.created", "response": RESPONSE}
RESPONDED: dict[str, list[dict[str, Any]]] = {
    "thought and a call": responses("sealed"),
    "text with a source": numbered(
        START,
        {"type": "response.in_progress", "response": RESPONSE},
        {"type": "response.output_item.added", "output_index": 0, "item": MESSAGE},
        {
            "type": "response.content_part.added",
            **TEXT,
            "part": {"type": "output_text", "text": "", "annotations": []},
        },
        {"type": "response.output_text.delta", **TEXT, "delta": "Fu", "logprobs": []},
        {"type": "response.output_text.delta", **TEXT, "delta": "ll."},
        {"type": "response.output_text.annotation.added", **TEXT, "annotation_index": 0, "annotation": LINK},
        {"type": "response.output_text.done", **TEXT, "text": "Full.", "logprobs": []},
        {"type": "response.output_item.done", "output_index": 0, "item": DONE},
        END,
    ),
    "a kind that nobody knows yet": numbered(
        START,
        {"type": "response.daydream.delta", "delta": "sheep", "item": {"type": "dream"}},
        {"type": "response.output_text.delta", **TEXT, "delta": "Full."},
        END,
    ),
    "a refusal": numbered(
        START,
        {"type": "response.refusal.delta", **TEXT, "delta": "No"},
        {"type": "response.refusal.done", **TEXT, "refusal": "No."},
        {**END, "response": {**RESPONSE, "status": "completed", "output": [], "usage": SPENT}},
    ),
    "a failed response": numbered(
        START,
        {"type": "response.output_text.delta", **TEXT, "delta": "Half"},
        {
            "type": "response.failed",
            "response": {**RESPONSE, "status": "failed", "error": {"code": "server_error", "message": "it broke"}},
        },
    ),
    "a failure inside the stream": numbered(
        START, {"type": "error", "code": "rate_limit_exceeded", "message": "slow down", "param": None}
    ),
    "no end": numbered(START, {"type": "response.output_text.delta", **TEXT, "delta": "Half"}),
}


async def received(vendor: Vendor, events: list[Any], server: SseServer, serve: Any) -> dict[str, Any]:
    """What a caller is told, whatever the messages it comes in."""
    for _ in range(3):
        server.play(*events, named=vendor is RESPONSES)
    request = vendor.ask(server.url)
    request.tools.append(tool("host.disk_usage", "Disk", {"path": {"type": "string"}}))
    chunks = await collect((await serve()).Generate(request))
    seen: dict[str, Any] = {
        "text": text_of(chunks),
        "thinking": thinking_of(chunks),
        "calls": [(call.call_id, call.name, call.arguments) for call in calls_of(chunks)],
    }
    for kind in ("usage", "provider_state", "error"):
        seen[kind] = [str(getattr(chunk, kind)) for chunk in chunks if chunk.WhichOneof("chunk") == kind]
    seen["asked"] = server.bodies[0], [line for line in server.heads[0].splitlines() if line.startswith("Auth")]
    server.bodies.clear()
    server.heads.clear()
    server.scripts.clear()
    return seen


DISK_CALL = ("call_1", "host.disk_usage", '{"path": "/"}')
# Text, thinking, calls, and the beginning of an error: as LangChain's model read the same streams.
READ: dict[str, tuple[str, str, list[tuple[str, str, str]], str]] = {
    "reasoning, text and usage": ("Full disk.", "disk first", [], ""),
    "two calls in pieces": ("", "", [DISK_CALL, ("call_2", "host.disk_usage", "{}")], ""),
    "a call without its number": ("", "", [DISK_CALL], ""),
    "nothing where something should be": ("Full.", "", [], ""),
    "a failure inside the stream": ("Half", "", [], "the answer was interrupted: server_error: it broke"),
    "a failure without a word": ("Half", "", [], "the answer was interrupted: server_error: An error occurred"),
    "no end": ("Half", "", [], "the stream ended without a finish reason"),
}
# As OpenAI's library and LangChain's model read them.
RESPONSES_READ: dict[str, tuple[str, str, list[tuple[str, str, str]], str]] = {
    "thought and a call": ("", "disk first", [DISK_CALL], ""),
    "text with a source": ("Full.", "", [], ""),
    "a kind that nobody knows yet": ("Full.", "", [], ""),
    "a refusal": ("", "", [], "the provider stopped early (refusal)"),
    "a failed response": ("Half", "", [], "the answer was interrupted: server_error: it broke"),
    "a failure inside the stream": ("", "", [], "rate_limit_exceeded: slow down"),
    "no end": ("Half", "", [], "the stream ended without a finish reason"),
}


@pytest.mark.parametrize("name", RESPONSES_READ)
async def test_responses_are_read_as_they_always_were(name: str, vendor_server: SseServer, serve: Any) -> None:
    seen = await received(RESPONSES, RESPONDED[name], vendor_server, serve)
    text, thinking, calls, error = RESPONSES_READ[name]
    assert (seen["text"], seen["thinking"], seen["calls"]) == (text, thinking, calls)
    assert ("".join(seen["error"]).startswith(f'message: "{error}')) if error else not seen["error"]


@pytest.mark.parametrize("vendor", [CHAT, XAI], ids=str)
@pytest.mark.parametrize("name", READ)
async def test_chat_completions_are_read_as_they_always_were(
    vendor: Vendor, name: str, vendor_server: SseServer, serve: Any
) -> None:
    seen = await received(vendor, CHATS[name], vendor_server, serve)
    text, thinking, calls, error = READ[name]
    assert (seen["text"], seen["thinking"], seen["calls"]) == (text, thinking, calls)
    assert ("".join(seen["error"]).startswith(f'message: "{error}')) if error else not seen["error"]
    assert all("retryable: true" in one for one in seen["error"])


async def test_a_call_without_its_function_hides_no_other(vendor_server: SseServer, serve: Any) -> None:
    events = [piece(0, id="call_0"), piece(1, id="call_1", type="function", function=DISK), completion({}, "stop")]
    vendor_server.play(*events)
    chunks = await collect((await serve()).Generate(CHAT.ask(vendor_server.url)))
    assert [call.call_id for call in calls_of(chunks)] == ["call_1"]


@pytest.mark.parametrize("vendor", [CHAT, RESPONSES], ids=str)
async def test_an_event_that_is_no_object_does_no_harm(vendor: Vendor, vendor_server: SseServer, serve: Any) -> None:
    events = CHATS["reasoning, text and usage"] if vendor is CHAT else RESPONDED["text with a source"]
    vendor_server.play(*events, named=vendor is RESPONSES)
    vendor_server.scripts[0] = "data: [1, 2]\n\n" + vendor_server.scripts[0]
    chunks = await collect((await serve()).Generate(vendor.ask(vendor_server.url)))
    assert text_of(chunks).startswith("Full")
    assert only(chunks, "usage").input_tokens == 30
    assert not chunks[-1].HasField("error")


async def test_a_response_that_stays_open_after_its_end_is_closed(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        events = (completion({"content": "Full."}), completion({}, "stop"))
        body = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
        head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
        writer.write(f"{head}{body}data: [DONE]\n\n".encode())
        while await reader.read(4096):
            pass
        closed.set()
        writer.close()

    monkeypatch.setattr(http, "END_SECONDS", 0.05)
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    chunks = await collect((await serve()).Generate(CHAT.ask(url)))
    assert (text_of(chunks), finish_of(chunks)) == ("Full.", "stop")
    await asyncio.wait_for(closed.wait(), 30)
    server.close()

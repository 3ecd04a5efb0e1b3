"""Servers of Chat Completions as they are: odd usage, fragments, endings, failures, answers of proxies."""

import json
import random
from typing import Any

import pytest

from conftest import calls_of, collect, finish_of, only, text_of, thinking_of, tool
from llm_service.errors import ErrorCode, ProviderError
from llm_service.providers.chat_stream import ChatReader
from llm_service.providers.http import documents
from llm_service.providers.offered import chosen, with_note
from llm_service.providers.refusals import broken_off, refused
from llm_service.providers.sse import Decoder
from llm_service.providers.tool_names import ToolNames
from llm_service.turn import Message, Tool, ToolCall, Turn
from recorded import completion, events_of_llama
from sse import SseServer
from vendors import CHAT

NAMES = ToolNames((Tool("host.disk_usage"), Tool("host.memory")))


def fragment(**call: Any) -> dict[str, Any]:
    return completion({"tool_calls": [call]})


def function(name: str | None = "host__disk_usage", arguments: object = "{}") -> dict[str, Any]:
    return {"function": {"name": name, "arguments": arguments}}


def with_usage(event: dict[str, Any], prompt: int, output: int) -> dict[str, Any]:
    return {**event, "usage": {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output}}


async def answered(server: SseServer, serve: Any, *events: Any, done: bool = False) -> list[Any]:
    server.play(*events)
    if done:
        server.scripts[-1] += "data: [DONE]\n\n"
    request = CHAT.ask(server.url)
    request.tools.append(tool("host.disk_usage", "Disk", {"path": {"type": "string"}}))
    request.tools.append(tool("host.memory", "Memory"))
    return await collect((await serve()).Generate(request))


@pytest.mark.parametrize(
    ("reports", "counted"),
    [
        ([(300, 1), (300, 9), (300, 18)], (300, 18)),
        ([(300, 18), (300, 18)], (300, 18)),
        ([(300, 20), (300, 18)], (300, 18)),
        ([(300, 0), (0, 5), (0, 3), (0, 4)], (300, 12)),
        ([(300, 1), (0, 1), (0, 1)], (300, 3)),
        ([(300, 4), (0, 9)], (300, 9)),
    ],
)
async def test_a_running_total_is_never_summed_and_increments_are(
    reports: list[tuple[int, int]], counted: tuple[int, int], vendor_server: SseServer, serve: Any
) -> None:
    events = [with_usage(completion({"content": "word "}), *report) for report in reports]
    usage = only(await answered(vendor_server, serve, *events, completion({}, "stop")), "usage")
    assert (usage.input_tokens, usage.output_tokens) == counted


ROOT, VAR = '{"path": "/"}', '{"path": "/var"}'


@pytest.mark.parametrize(
    ("fragments", "arguments"),
    [
        ([{"index": 0, **function(arguments=ROOT)}, {"index": 0, **function(arguments=VAR)}], [ROOT, VAR]),
        ([{**function(arguments=ROOT)}, {**function(arguments=VAR)}], [ROOT, VAR]),
        (
            [{"index": 0, "id": "a", **function(arguments=ROOT)}, {"index": 0, "id": "b", **function(arguments=VAR)}],
            [ROOT, VAR],
        ),
        (
            [
                {"index": 0, "id": "a", **function(arguments='{"path"')},
                {"index": 0, "id": "a", **function(arguments=': "/"}')},
            ],
            [ROOT],
        ),
        ([{"index": 0, **function(arguments='{"path"')}, {"index": 0, **function(arguments=': "/"}')}], [ROOT]),
        ([{"index": 0, "id": "a", **function(arguments={"path": "/"})}], [ROOT]),
        ([{"index": 0, "id": "a", **function(arguments=json.dumps(ROOT))}], [ROOT]),
        ([{"index": 0, "id": "a", **function(arguments="")}], ["{}"]),
        ([{"index": 0, "id": "a", **function(arguments=None)}], ["{}"]),
        (
            [
                {"index": 0, "id": "same", **function(arguments=ROOT)},
                {"index": 1, "id": "same", **function(arguments=VAR)},
            ],
            [ROOT, VAR],
        ),
        ([{"index": 0, **function(arguments=ROOT + VAR)}], [ROOT, VAR]),
        (
            [
                {"index": 0, "id": "x1", **function(arguments='{"path"')},
                {"index": 0, "id": "x2", "function": {"arguments": ': "/"}'}},
            ],
            [ROOT],
        ),
    ],
)
async def test_as_many_calls_are_made_as_the_model_requested(
    fragments: list[dict[str, Any]], arguments: list[str], vendor_server: SseServer, serve: Any
) -> None:
    events = [fragment(**one) for one in fragments]
    chunks = await answered(vendor_server, serve, *events, completion({}, "tool_calls"))
    calls = calls_of(chunks)
    assert [call.name for call in calls] == ["host.disk_usage"] * len(arguments)
    assert [json.loads(call.arguments) for call in calls] == [json.loads(one) for one in arguments]
    assert len({call.call_id for call in calls}) == len(calls)


@pytest.mark.parametrize("reason", [None, ""])
async def test_the_last_event_ends_an_answer_without_a_finish_reason(
    reason: str | None, vendor_server: SseServer, serve: Any
) -> None:
    events = [completion({"content": "Full."}), completion({}, reason)]
    chunks = await answered(vendor_server, serve, *events, done=True)
    assert (text_of(chunks), finish_of(chunks)) == ("Full.", "stop")
    chunks = await answered(vendor_server, serve, *events, {**with_usage(completion({}), 3, 2), "choices": []})
    assert (text_of(chunks), finish_of(chunks)) == ("Full.", "stop")


async def test_an_answer_that_came_as_reasoning_alone_is_the_answer(vendor_server: SseServer, serve: Any) -> None:
    events = [completion({"reasoning": "Full."}), completion({}, "stop")]
    chunks = await answered(vendor_server, serve, *events)
    assert (text_of(chunks), thinking_of(chunks)) == ("Full.", "Full.")


@pytest.mark.parametrize(
    ("event", "code", "retryable"),
    [
        ({"error": {"message": "slow down", "code": 429}}, ErrorCode.RATE_LIMITED, True),
        ({"error": {"message": "slow down", "code": "429"}}, ErrorCode.RATE_LIMITED, True),
        ({"error": {"message": "busy", "type": "Overloaded"}}, ErrorCode.PROVIDER_ERROR, True),
        ({"error": {"message": "busy", "status": "UNAVAILABLE"}}, ErrorCode.PROVIDER_ERROR, True),
        ({"error": {"message": "gone", "code": 503}}, ErrorCode.PROVIDER_ERROR, True),
        ({"object": "error", "message": "no such model", "code": 404}, ErrorCode.INVALID_REQUEST, False),
        ({"error": "it broke"}, ErrorCode.PROVIDER_ERROR, False),
        ({"choices": [{"error": {"code": 502, "message": "upstream"}}]}, ErrorCode.PROVIDER_ERROR, True),
        ({"detail": "no"}, ErrorCode.PROVIDER_ERROR, False),
    ],
)
def test_a_failure_inside_a_stream_is_retried_if_its_code_is_one_of_those(
    event: dict[str, Any], code: ErrorCode, retryable: bool
) -> None:
    error = broken_off(event, "")
    assert error is not None
    assert (error.code, error.retryable) == (code, retryable)


async def test_a_page_instead_of_a_stream_is_named_by_its_title(vendor_server: SseServer, serve: Any) -> None:
    vendor_server.scripts.append(
        "<!doctype html><html><head><title>Sign in &amp; go</title></head><body>x</body></html>"
    )
    error = only(await collect((await serve()).Generate(CHAT.ask(vendor_server.url))), "error")
    assert "Sign in & go" in error.message
    assert "base_url" in error.message


async def test_a_server_that_does_not_stream_is_read_all_the_same(vendor_server: SseServer, serve: Any) -> None:
    message = {"role": "assistant", "content": "Full."}
    vendor_server.answer({"id": "c", "model": "m", "choices": [{"message": message, "finish_reason": "stop"}]})
    chunks = await collect((await serve()).Generate(CHAT.ask(vendor_server.url)))
    assert (text_of(chunks), finish_of(chunks)) == ("Full.", "stop")


def test_json_that_is_no_answer_is_shown() -> None:
    with pytest.raises(ProviderError, match="instead of a stream"):
        documents(b'["maintenance until noon"]', {"content-type": "application/json"}, "")


def test_a_refusal_in_the_form_of_fastapi_names_its_fields() -> None:
    detail = [{"loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted", "type": "extra"}]
    error = refused(422, {}, json.dumps({"detail": detail}).encode(), "")
    assert error.code is ErrorCode.INVALID_REQUEST
    assert "body.stream_options: Extra inputs are not permitted" in error.message


@pytest.mark.parametrize(
    ("message", "window"),
    [
        (
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages)",
            8192,
        ),
        ("the request exceeds the available context size (4096 tokens), try increasing it", 4096),
        ("prompt is too long: 210000 tokens > 200000 maximum", 200_000),
        ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1_048_576),
        ("This model's maximum prompt length is 131,072 but the request contains 140,000 tokens.", 131_072),
        ("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens", 4096),
    ],
)
def test_a_smaller_context_window_is_read_from_the_refusal(message: str, window: int) -> None:
    error = refused(400, {}, json.dumps({"error": {"message": message}}).encode(), "")
    assert error.overflow is not None
    assert error.overflow.window == window
    assert not error.retryable


def test_tools_beyond_the_vendors_limit_are_left_out_and_the_model_learns_of_them() -> None:
    tools = tuple(Tool(f"ops.tool_{number}") for number in range(140))
    used = Message("assistant", tool_calls=(ToolCall("1", "ops.tool_139", "{}"),))
    kept, left_out = chosen(Turn((Message("system", "s"), used), tools=tools), "openai")
    assert len(kept) == 128
    assert tools[139] in kept
    assert left_out[0] == tools[127]
    assert "ops.tool_127" in with_note((Message("system", "s"),), left_out, 128)[0].content
    assert chosen(Turn((), tools=tools), "anthropic") == (list(tools), [])


WRITTEN = [
    completion({"reasoning_content": "hm"}),
    with_usage(completion({"content": "Full."}), 3, 2),
    fragment(index=0, id="a", **function(arguments='{"path"')),
    fragment(index=0, **function(None, ': "/"}')),
    completion({}, "tool_calls"),
]


@pytest.mark.parametrize(
    ("events", "times"),
    [(WRITTEN, 1_500), (events_of_llama("chat-call"), 400), (events_of_llama("chat-length"), 200)],
    ids=["written", "a call of llama.cpp", "a text of llama.cpp"],
)
def test_mutated_streams_end_in_chunks_or_in_a_failure(events: list[dict[str, Any]], times: int) -> None:
    draw = random.Random(11)  # noqa: S311 - inputs of a test
    values = [None, True, -1, 2.5, "", "x", [], {}, [[]], {"error": None}, [None], "\ud83d"]

    def mutated(value: Any, depth: int = 0) -> Any:
        if draw.random() < 0.06:
            return draw.choice(values)
        if isinstance(value, dict):
            return {key: mutated(one, depth + 1) for key, one in value.items() if draw.random() > 0.03}
        return [mutated(one, depth + 1) for one in value] if isinstance(value, list) else value

    for _ in range(times):
        text = "".join(f"data: {json.dumps(mutated(event))}\n\n" for event in events).encode()
        if draw.random() < 0.3:
            at = draw.randrange(len(text))
            text = text[:at] + bytes([draw.randrange(256)]) + text[at + 1 :]
        reader, decoder = ChatReader(NAMES), Decoder()
        try:
            for start in range(0, len(text), 97):
                for event in decoder.feed(text[start : start + 97]):
                    reader.read(event)
            for event in decoder.end():
                reader.read(event)
            reader.end()
        except ProviderError:
            pass

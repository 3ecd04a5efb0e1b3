"""The Messages form and the Responses API as servers speak them, and conversations that earlier versions stored."""

import json
import random
from typing import Any

import pytest

from conftest import calls_of, collect, finish_of, last, only, text_of, thinking_of, tool
from llm_service.errors import ProviderError
from llm_service.gen.llm.v1 import llm_pb2
from llm_service.providers.claude_stream import ClaudeReader
from llm_service.providers.responses_stream import ResponsesReader
from llm_service.providers.sse import Decoder
from llm_service.providers.tool_names import ToolNames
from llm_service.providers.wire import Reader
from llm_service.turn import Tool
from recorded import RESPONSE, SIGNATURE, claude, events_of_llama, numbered, responses
from sse import SseServer
from vendors import CLAUDE_THINKING, GEMINI, NATIVE, RESPONSES, Vendor

NAMES = ToolNames((Tool("host.disk_usage"), Tool("host.memory")))
# What the versions before the wire stored.
STORED: dict[Vendor, str] = {
    CLAUDE_THINKING: (
        '{"provider": "anthropic", "content": [{"thinking": "the disk first", "type": "thinking", "index": 0, '
        '"signature": "c2lnbmVk"}, {"data": "c2VhbGVk", "type": "redacted_thinking"}, {"text": "I look.", '
        '"type": "text", "index": 2}, {"id": "call_1", "input": {}, "name": "host__disk_usage", "type": "tool_use", '
        '"toolset_name": null, "index": 3, "partial_json": "{\\"path\\": \\"/\\"}"}]}'
    ),
    RESPONSES: (
        '{"provider": "openai", "content": [{"id": "rs_1", "summary": [{"index": 0, "type": "summary_text", '
        '"text": "disk first"}], "type": "reasoning", "index": 0, "encrypted_content": "sealed"}, {"type": "text", '
        '"text": "I look.", "phase": "commentary", "index": 1, "id": "msg_1"}, {"type": "function_call", '
        '"name": "host__disk_usage", "arguments": "{\\"path\\": \\"/\\"}", "call_id": "call_1", "id": "fc_1", "index": 2}]}'
    ),
    GEMINI: (
        '{"provider": "google", "content": [{"type": "thinking", "thinking": "hm", "index": 0}, "I look."], '
        '"kwargs": {"__gemini_function_call_thought_signatures__": {"call_1": "c2lnbmVk"}}}'
    ),
}
SENT: dict[Vendor, Any] = {
    CLAUDE_THINKING: [
        {"type": "thinking", "thinking": "the disk first", "signature": "c2lnbmVk"},
        {"type": "redacted_thinking", "data": "c2VhbGVk"},
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "call_1", "name": "host__disk_usage", "input": {"path": "/"}},
    ],
    RESPONSES: [
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "disk first"}],
            "encrypted_content": "sealed",
        },
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "I look.", "annotations": []}],
            "phase": "commentary",
        },
        {
            "type": "function_call",
            "name": "host__disk_usage",
            "arguments": '{"path": "/"}',
            "call_id": "call_1",
            "id": "fc_1",
        },
    ],
}


def with_call(vendor: Vendor, url: str, state: bytes, identifier: str = "call_1") -> llm_pb2.GenerateRequest:
    """A conversation in which the model has called a tool."""
    request = vendor.ask(url)
    request.tools.append(tool("host.disk_usage", "Disk", {"path": {"type": "string"}}))
    answer = request.messages.add(role="assistant", content="I look.", provider_state=state)
    answer.tool_calls.add(id=identifier, name="host.disk_usage", arguments='{"path": "/"}')
    request.messages.add(role="tool", content="97 %", tool_call_id=identifier, tool_name="host.disk_usage")
    return request


def answered(text: str, stop: str = "end_turn") -> list[dict[str, Any]]:
    return claude([{"type": "text", "text": ""}, {"type": "text_delta", "text": text}], stop=stop)


@pytest.mark.parametrize("vendor", SENT, ids=str)
async def test_a_conversation_that_an_earlier_version_stored_goes_on_as_it_was(
    vendor: Vendor, vendor_server: SseServer, serve: Any
) -> None:
    vendor_server.play(*(answered("ok") if vendor is CLAUDE_THINKING else responses("sealed")), named=True)
    state = b"langchain/1\n" + STORED[vendor].encode()
    chunks = await collect((await serve()).Generate(with_call(vendor, vendor_server.url, state)))
    assert not chunks[-1].HasField("error"), chunks[-1].error
    body = vendor_server.bodies[0]
    if vendor is CLAUDE_THINKING:
        assert body["messages"][1]["content"] == SENT[vendor]
        assert body["thinking"]["type"] == "enabled"
    else:
        assert body["input"][2:5] == SENT[vendor]


@pytest.mark.parametrize("vendor", [GEMINI, NATIVE], ids=str)
async def test_signatures_that_an_earlier_version_stored_go_back_to_gemini(
    vendor: Vendor, vendor_server: SseServer, serve: Any
) -> None:
    part = {"candidates": [{"content": {"role": "model", "parts": [{"text": "ok"}]}, "finishReason": "STOP"}]}
    vendor_server.play(part)
    state = b"langchain/1\n" + STORED[GEMINI].encode()
    chunks = await collect((await serve()).Generate(with_call(vendor, vendor_server.url, state)))
    assert text_of(chunks) == "ok"
    (call,) = [one for one in vendor_server.bodies[0]["contents"][1]["parts"] if "functionCall" in one]
    assert call["thoughtSignature"] == "c2lnbmVk"


async def test_ids_of_other_vendors_are_written_in_the_letters_of_claude(vendor_server: SseServer, serve: Any) -> None:
    vendor_server.play(*answered("ok"), named=True)
    request = with_call(CLAUDE_THINKING, vendor_server.url, b"", "functions.host__disk_usage:0")
    await collect((await serve()).Generate(request))
    answer, result = vendor_server.bodies[0]["messages"][1:]
    used = answer["content"][-1]["id"]
    assert used == result["content"][0]["tool_use_id"]
    assert used.replace("_", "").isalnum()


@pytest.mark.parametrize(
    ("words", "left_out"),
    [
        ("cache_control: Extra inputs are not permitted", "cache_control"),
        ("thinking is not supported by this model", "thinking"),
        ("we do not serve that here", "thinking"),
    ],
)
async def test_an_option_of_claude_that_a_server_refuses_is_left_out(
    words: str, left_out: str, llmock: Any, serve: Any
) -> None:
    llmock.fail(400, message=words)
    llmock.reply("ok", times=None)
    request = CLAUDE_THINKING.ask(llmock.base_url("anthropic"))
    request.tools.append(tool("host.disk_usage", "Disk"))
    stub = await serve()
    for _ in range(2):
        assert text_of(await collect(stub.Generate(request))) == "ok"
    assert [left_out in json.dumps(one.body) for one in llmock.requests] == [True, False, False]


async def test_a_server_that_knows_only_the_older_version_is_asked_with_it(
    vendor_server: SseServer, serve: Any
) -> None:
    refusal = {"type": "invalid_request_error", "message": "anthropic-version: 2026-10-21 is not supported"}
    vendor_server.answer({"type": "error", "error": refusal})
    vendor_server.play(*answered("ok"), named=True)
    assert text_of(await collect((await serve()).Generate(CLAUDE_THINKING.ask(vendor_server.url)))) == "ok"
    versions = [line for head in vendor_server.heads for line in head.splitlines() if "anthropic-version" in line]
    assert [one.split()[-1] for one in versions] == ["2026-10-21", "2023-06-01"]


async def test_a_responses_api_that_a_server_lacks_is_replaced_by_chat_completions(
    vendor_server: SseServer, serve: Any
) -> None:
    vendor_server.answer({"error": {"message": "no such path", "code": 404}})
    vendor_server.play({"id": "c", "choices": [{"delta": {"content": "ok"}, "finish_reason": "stop"}]})
    assert text_of(await collect((await serve()).Generate(RESPONSES.ask(vendor_server.url)))) == "ok"
    assert vendor_server.paths == ["/v1/responses", "/v1/chat/completions"]


async def test_a_message_that_is_not_streamed_is_read_all_the_same(vendor_server: SseServer, serve: Any) -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "host__disk_usage", "input": {"path": "/"}}
    thought = {"type": "thinking", "thinking": "hm", "signature": SIGNATURE}
    usage = {"input_tokens": 7, "output_tokens": 3}
    content = [thought, {"type": "text", "text": "I look."}, call]
    vendor_server.answer({"type": "message", "id": "m", "content": content, "stop_reason": "tool_use", "usage": usage})
    chunks = await collect((await serve()).Generate(CLAUDE_THINKING.ask(vendor_server.url)))
    assert (text_of(chunks), thinking_of(chunks), finish_of(chunks)) == ("I look.", "hm", "tool_calls")
    assert [json.loads(one.arguments) for one in calls_of(chunks)] == [{"path": "/"}]
    assert (only(chunks, "usage").input_tokens, only(chunks, "usage").output_tokens) == (7, 3)
    assert SIGNATURE.encode() in only(chunks, "provider_state")


async def test_a_response_that_is_not_streamed_is_read_all_the_same(vendor_server: SseServer, serve: Any) -> None:
    item = {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "Full."}]}
    vendor_server.answer({**RESPONSE, "status": "completed", "output": [item]})
    chunks = await collect((await serve()).Generate(RESPONSES.ask(vendor_server.url)))
    assert (text_of(chunks), finish_of(chunks)) == ("Full.", "stop")


def block(index: int, identifier: str, *deltas: Any, given: Any = None) -> list[dict[str, Any]]:
    """A call of Claude: its start, and what follows of its arguments."""
    start = {"type": "tool_use", "id": identifier, "name": "host__disk_usage", "input": given or {}}
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *(
            {"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": one}}
            for one in deltas
        ),
    ]


ROOT, VAR = {"path": "/"}, {"path": "/var"}


@pytest.mark.parametrize(
    ("events", "arguments"),
    [
        ([*block(0, "a", '{"path"', ': "/"}'), *block(1, "b", '{"path": "/var"}')], [ROOT, VAR]),
        # Every block has the number 0.
        ([*block(0, "a", '{"path": "/"}'), *block(0, "b", '{"path": "/var"}')], [ROOT, VAR]),
        # One id for both.
        ([*block(0, "a", '{"path": "/"}'), *block(1, "a", '{"path": "/var"}')], [ROOT, VAR]),
        # The arguments in the first event, there and in the deltas, and as an object.
        (block(0, "a", given=ROOT), [ROOT]),
        (block(0, "a", '{"path":"/"}', given=ROOT), [ROOT]),
        (block(0, "a", ROOT), [ROOT]),
        (block(0, "a"), [{}]),
    ],
)
def test_claudes_calls_arrive_however_they_are_numbered(events: list[Any], arguments: list[Any]) -> None:
    reader = ClaudeReader(NAMES, "anthropic")
    stop = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}
    for event in [*events, stop]:
        reader.read(event)
    calls = [one for one in reader.end() if type(one).__name__ == "Call"]
    assert [json.loads(one.arguments) for one in calls] == arguments
    assert len({one.id for one in calls}) == len(arguments)


def test_claudes_counts_are_running_totals() -> None:
    reader = ClaudeReader(NAMES, "anthropic")
    start = {"input_tokens": 20, "output_tokens": 8, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 3}
    reader.read({"type": "message_start", "message": {"usage": start}})
    for output in (4, 9, 7):
        details = {"thinking_tokens": output - 1}
        usage = {"input_tokens": 0, "output_tokens": output, "output_tokens_details": details}
        reader.read({"type": "message_delta", "delta": {}, "usage": usage})
    usage = reader.usage()
    assert usage is not None
    assert (usage.input, usage.output, usage.total, usage.cached, usage.thinking) == (28, 7, 35, 5, 6)


def test_an_item_that_its_last_event_numbers_anew_is_one_item() -> None:
    call = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "host__disk_usage", "arguments": ""}
    reader = ResponsesReader(NAMES, "openai")
    for event in (
        {"type": "response.output_item.added", "output_index": 1, "item": call},
        {"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 1, "delta": '{"path": '},
        {"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 1, "delta": '"/"}'},
        {"type": "response.output_item.done", "output_index": 3, "item": {**call, "arguments": '{"path": "/"}'}},
        {"type": "response.completed", "response": {"status": "completed"}},
    ):
        reader.read(event)
    calls = [one for one in reader.end() if type(one).__name__ == "Call"]
    assert [(one.id, one.arguments) for one in calls] == [("c1", '{"path": "/"}')]


def test_items_without_ids_are_distinguished_by_their_numbers() -> None:
    call = {"type": "function_call", "name": "host__disk_usage"}
    reader = ResponsesReader(NAMES, "openai")
    for index, path in enumerate(("/", "/var")):
        reader.read({"type": "response.output_item.added", "output_index": index, "item": call})
        delta = json.dumps({"path": path})
        reader.read({"type": "response.function_call_arguments.delta", "output_index": index, "delta": delta})
    reader.read({"type": "response.completed", "response": {"status": "completed"}})
    calls = [one for one in reader.end() if type(one).__name__ == "Call"]
    assert [json.loads(one.arguments) for one in calls] == [ROOT, VAR]
    assert len({one.id for one in calls}) == 2


@pytest.mark.parametrize(
    ("vendor", "event", "code", "retryable"),
    [
        (
            CLAUDE_THINKING,
            {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}},
            "provider_error",
            True,
        ),
        (CLAUDE_THINKING, {"type": "error", "error": {"type": "rate_limit_error"}}, "rate_limited", True),
        (CLAUDE_THINKING, {"error": {"code": 401, "message": "who are you"}}, "credentials", False),
        (RESPONSES, {"type": "error", "error": {"code": "server_error", "message": "oh"}}, "provider_error", True),
        (RESPONSES, {"type": "response.failed", "response": {"status": "failed"}}, "provider_error", False),
    ],
)
async def test_a_failure_instead_of_an_answer_has_its_own_code(
    vendor: Vendor, event: dict[str, Any], code: str, retryable: bool, vendor_server: SseServer, serve: Any
) -> None:
    vendor_server.play(event)
    error = only(await collect((await serve()).Generate(vendor.ask(vendor_server.url))), "error")
    assert (error.code, error.retryable) == (code, retryable)


@pytest.mark.parametrize("vendor", [CLAUDE_THINKING, RESPONSES], ids=str)
async def test_a_page_instead_of_a_stream_is_named_by_its_title(
    vendor: Vendor, vendor_server: SseServer, serve: Any
) -> None:
    vendor_server.scripts.append("<html><head><title>Sign in</title></head><body>x</body></html>")
    error = only(await collect((await serve()).Generate(vendor.ask(vendor_server.url))), "error")
    assert "Sign in" in error.message


async def test_what_a_response_reported_comes_with_its_failure(vendor_server: SseServer, serve: Any) -> None:
    failed = {**RESPONSE, "status": "failed", "error": {"code": "server_error", "message": "it broke"}}
    spent = {"input_tokens": 30, "output_tokens": 2}
    vendor_server.play(
        *numbered(
            {"type": "response.created", "response": RESPONSE},
            {"type": "response.failed", "response": {**failed, "usage": spent}},
        ),
        named=True,
    )
    chunks = await collect((await serve()).Generate(RESPONSES.ask(vendor_server.url)))
    assert only(chunks, "usage").input_tokens == 30
    assert last(chunks, "response_info").response_id == "resp_1"


THOUGHT = [
    {"type": "thinking", "thinking": ""},
    {"type": "thinking_delta", "thinking": "hm"},
    {"type": "signature_delta", "signature": SIGNATURE},
]
CALL = [
    {"type": "tool_use", "id": "toolu_1", "name": "host__disk_usage", "input": {}},
    {"type": "input_json_delta", "partial_json": '{"path": "/"}'},
]
RECORDED: dict[str, tuple[list[dict[str, Any]], Any]] = {
    "messages": (
        claude(THOUGHT, [{"type": "text", "text": ""}, {"type": "text_delta", "text": "I look."}], CALL),
        lambda: ClaudeReader(NAMES, "anthropic"),
    ),
    "messages of llama.cpp": (events_of_llama("messages-call"), lambda: ClaudeReader(NAMES, "anthropic")),
    "responses": (responses("sealed"), lambda: ResponsesReader(NAMES, "openai")),
}


@pytest.mark.parametrize("form", RECORDED)
def test_mutated_streams_end_in_chunks_or_in_a_failure(form: str) -> None:
    draw = random.Random(23)  # noqa: S311 - inputs of a test
    events, reading = RECORDED[form]
    values = [None, True, -1, 2.5, "", "x", [], {}, [[]], {"error": None}, [None], "\ud83d", 10**30]

    def mutated(value: Any) -> Any:
        if draw.random() < 0.05:
            return draw.choice(values)
        if isinstance(value, dict):
            return {key: mutated(one) for key, one in value.items() if draw.random() > 0.03}
        return [mutated(one) for one in value] if isinstance(value, list) else value

    endings = 0
    for _ in range(1_500):
        played = [mutated(event) for event in events if draw.random() > 0.03]
        draw.random() < 0.2 and draw.shuffle(played)
        text = "".join(f"data: {json.dumps(event)}\n\n" for event in played).encode()
        if draw.random() < 0.3:
            at = draw.randrange(len(text))
            text = text[:at] + bytes([draw.randrange(256)]) + text[at + 1 :]
        endings += _is_read(reading(), text)
    assert endings > 100


def _is_read(reader: Reader, text: bytes) -> bool:
    decoder = Decoder()
    try:
        for start in range(0, len(text), 97):
            for event in decoder.feed(text[start : start + 97]):
                reader.read(event)
        for event in decoder.end():
            reader.read(event)
        reader.end()
    except ProviderError:
        return False
    return True

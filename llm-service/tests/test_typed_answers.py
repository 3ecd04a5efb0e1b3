"""Answers of a given form: by which means each protocol is asked for them, and what is tried when a server refuses."""

import json
from typing import Any

import pytest

from conftest import collect, finish_of, only, text_of
from llm_service.gen.llm.v1 import llm_pb2
from recorded import RESPONSE, claude, completion, gemini, numbered
from sse import SseServer
from vendors import CHAT, CLAUDE_THINKING, GEMINI, NATIVE, RESPONSES, Vendor

SCHEMA = {"type": "object", "properties": {"cause": {"type": "string"}, "sure": {"type": "boolean"}}}
STRICT = {**SCHEMA, "required": ["cause", "sure"], "additionalProperties": False}
ANSWER = '{"cause": "full", "sure": true}'


def ask(vendor: Vendor, url: str, schema: Any = None) -> llm_pb2.GenerateRequest:
    request = vendor.ask(url)
    request.response_format.name = "verdict"
    request.response_format.schema = json.dumps(SCHEMA if schema is None else schema)
    return request


def play(server: SseServer, vendor: Vendor, text: str = ANSWER) -> None:
    if vendor is CLAUDE_THINKING:
        server.play(*claude([{"type": "text", "text": ""}, {"type": "text_delta", "text": text}], stop="end_turn"))
    elif vendor is RESPONSES:
        item = {"type": "message", "id": "m", "content": [{"type": "output_text", "text": text}]}
        end = {**RESPONSE, "status": "completed", "output": [item]}
        server.play(*numbered({"type": "response.completed", "response": end}))
    elif vendor is CHAT:
        server.play(completion({"content": text}), completion({}, "stop"))
    else:
        server.play(gemini({"text": text}, finish="STOP"))


def play_forced(server: SseServer, vendor: Vendor) -> None:
    if vendor is CLAUDE_THINKING:
        used = {"type": "tool_use", "id": "toolu_1", "name": "verdict", "input": {}}
        server.play(*claude([used, {"type": "input_json_delta", "partial_json": ANSWER}]))
    elif vendor is RESPONSES:
        call = {"type": "function_call", "id": "f", "call_id": "c", "name": "verdict", "arguments": ANSWER}
        end = {**RESPONSE, "status": "completed", "output": [call]}
        server.play(*numbered({"type": "response.completed", "response": end}))
    else:
        function = {"name": "verdict", "arguments": ANSWER}
        server.play(completion({"tool_calls": [{"index": 0, "id": "c", "function": function}]}), completion({}, "stop"))


def means(body: dict[str, Any]) -> str:
    """What a request asks for the form with."""
    text = json.dumps({name: value for name, value in body.items() if name not in ("messages", "input", "contents")})
    if "tool_choice" in body:
        return "tool"
    found = [word for word in ("json_schema", "json_object", "responseJsonSchema") if word in text]
    return found[0] if found else ""


@pytest.mark.parametrize("vendor", [CHAT, RESPONSES, CLAUDE_THINKING, NATIVE, GEMINI], ids=str)
async def test_the_form_is_asked_for_by_the_vendors_own_means(
    vendor: Vendor, vendor_server: SseServer, serve: Any
) -> None:
    play(vendor_server, vendor)
    chunks = await collect((await serve()).Generate(ask(vendor, vendor_server.url)))
    assert (json.loads(text_of(chunks)), finish_of(chunks)) == (json.loads(ANSWER), "stop")
    (body,) = vendor_server.bodies
    assert means(body) in ("json_schema", "responseJsonSchema")
    assert '"cause"' in json.dumps(body)


@pytest.mark.parametrize(("schema", "strict"), [(SCHEMA, None), (STRICT, True)])
async def test_a_schema_that_fits_is_sent_to_openai_as_strict(
    schema: Any, strict: Any, vendor_server: SseServer, serve: Any
) -> None:
    play(vendor_server, CHAT)
    await collect((await serve()).Generate(ask(CHAT, vendor_server.url, schema)))
    assert vendor_server.bodies[0]["response_format"]["json_schema"].get("strict") == strict


async def test_claude_is_sent_closed_objects(vendor_server: SseServer, serve: Any) -> None:
    play(vendor_server, CLAUDE_THINKING)
    inner = {"type": "object", "properties": {"list": {"type": "array", "items": SCHEMA}}}
    await collect((await serve()).Generate(ask(CLAUDE_THINKING, vendor_server.url, inner)))
    sent = vendor_server.bodies[0]["output_config"]["format"]["schema"]
    assert sent["additionalProperties"] is False
    assert sent["properties"]["list"]["items"]["additionalProperties"] is False
    assert vendor_server.bodies[0]["thinking"]["type"] == "enabled"


REFUSAL = {"error": {"type": "invalid_request_error", "code": 400, "message": "that is not supported"}}


@pytest.mark.parametrize("vendor", [CHAT, RESPONSES, CLAUDE_THINKING], ids=str)
async def test_a_tool_is_forced_where_schemas_are_refused_and_that_is_kept(
    vendor: Vendor, vendor_server: SseServer, serve: Any
) -> None:
    stub = await serve()
    vendor_server.answer(REFUSAL)
    for _ in range(2):
        play_forced(vendor_server, vendor)
    for _ in range(2):
        chunks = await collect(stub.Generate(ask(vendor, vendor_server.url)))
        assert (json.loads(text_of(chunks)), finish_of(chunks)) == (json.loads(ANSWER), "stop")
    assert [means(body) for body in vendor_server.bodies] == ["json_schema", "tool", "tool"]
    assert "thinking" not in vendor_server.bodies[1]


@pytest.mark.parametrize("vendor", [CHAT, CLAUDE_THINKING, NATIVE], ids=str)
async def test_text_is_the_last_resort(vendor: Vendor, vendor_server: SseServer, serve: Any) -> None:
    stub = await serve()
    steps = {CHAT: ["json_schema", "tool", "json_object", ""], CLAUDE_THINKING: ["json_schema", "tool", ""]}
    expected = steps.get(vendor, ["responseJsonSchema", ""])
    for _ in expected[1:]:
        if vendor is NATIVE:
            vendor_server.status("400 Bad Request", {"error": {"code": 400, "message": "no", "status": "INVALID"}})
        else:
            vendor_server.answer(REFUSAL)
    for _ in range(2):
        play(vendor_server, vendor, "The disk is full.")
        assert text_of(await collect(stub.Generate(ask(vendor, vendor_server.url)))) == "The disk is full."
    assert [means(body) for body in vendor_server.bodies] == [*expected, ""]


async def test_a_means_that_a_server_does_not_heed_is_not_used_again(vendor_server: SseServer, serve: Any) -> None:
    stub = await serve()
    play(vendor_server, CHAT, "The disk is full.")
    play_forced(vendor_server, CHAT)
    for answer in ("The disk is full.", ANSWER):
        assert text_of(await collect(stub.Generate(ask(CHAT, vendor_server.url)))) == answer
    assert [means(body) for body in vendor_server.bodies] == ["json_schema", "tool"]


# What Qwen2.5-Coder 0.5B writes by the Messages form of llama.cpp, which takes `output_config` and does nothing with it.
LIKE_A_SCHEMA = json.dumps({"type": "object", "properties": {"cause": "full", "sure": True}})


@pytest.mark.parametrize("text", [f"```json\n{LIKE_A_SCHEMA}\n```", '{"cause": "full"}'])
async def test_a_schema_without_its_required_properties_was_not_heeded(
    text: str, vendor_server: SseServer, serve: Any
) -> None:
    stub = await serve()
    play(vendor_server, CLAUDE_THINKING, text)
    play_forced(vendor_server, CLAUDE_THINKING)
    for _ in range(2):
        await collect(stub.Generate(ask(CLAUDE_THINKING, vendor_server.url, STRICT)))
    assert [means(body) for body in vendor_server.bodies] == ["json_schema", "tool"]


@pytest.mark.parametrize("text", [f"```json\n{ANSWER}\n```", ANSWER])
async def test_an_object_in_a_fence_is_heeded(text: str, vendor_server: SseServer, serve: Any) -> None:
    stub = await serve()
    for _ in range(2):
        play(vendor_server, CHAT, text)
        await collect(stub.Generate(ask(CHAT, vendor_server.url)))
    assert [means(body) for body in vendor_server.bodies] == ["json_schema", "json_schema"]


@pytest.mark.parametrize(("name", "schema"), [("", "{}"), ("a b", '{"type": "object"}'), ("verdict", "[]")])
async def test_a_form_that_is_none_is_refused(name: str, schema: str, vendor_server: SseServer, serve: Any) -> None:
    request = CHAT.ask(vendor_server.url)
    request.response_format.name, request.response_format.schema = name, schema
    error = only(await collect((await serve()).Generate(request)), "error")
    assert (error.code, error.retryable) == ("invalid_request", False)
    assert "response_format" in error.message

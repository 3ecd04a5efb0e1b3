"""How turns end: cut, refused, empty, failed inside the stream; and how much a short answer may think."""

import json
from typing import Any

import pytest

import vendors
from conftest import calls_of, collect, finish_of, only, text_of, thinking_of, tool
from llm_service.gen.llm.v1 import llm_pb2
from recorded import RESPONSE, claude, completion, gemini, numbered, responses
from sse import SseServer
from vendors import CHAT, CLAUDE_THINKING, GEMINI, NATIVE, NATIVE_3, RESPONSES, XAI, Vendor

GEMINIS = (NATIVE, GEMINI)


def text_block(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": ""}, {"type": "text_delta", "text": text}]


def call_block(*arguments: str) -> list[dict[str, Any]]:
    start = {"type": "tool_use", "id": "toolu_1", "name": "host__disk_usage", "input": {}}
    return [start, *({"type": "input_json_delta", "partial_json": one} for one in arguments)]


def chat_call(arguments: str) -> dict[str, Any]:
    function = {"name": "host__disk_usage", "arguments": arguments}
    return completion({"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]})


def incomplete(reason: str, text: str = "") -> list[dict[str, Any]]:
    end = {**RESPONSE, "status": "incomplete", "incomplete_details": {"reason": reason}}
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    delta = {"type": "response.output_text.delta", **place, "delta": text}
    return numbered(
        {"type": "response.created", "response": RESPONSE},
        *([delta] if text else []),
        {"type": "response.incomplete", "response": end},
    )


async def turn(server: SseServer, serve: Any, vendor: Vendor, *events: Any) -> list[Any]:
    """Plays a stream once and returns the service's chunks."""
    server.play(*events, named=vendor.family == "anthropic" or vendor is RESPONSES)
    request = vendor.ask(server.url)
    request.tools.append(tool("host.disk_usage", "Disk", {"path": {"type": "string"}}))
    return await collect((await serve()).Generate(request))


NOTHING = {
    CHAT: [completion({}, "stop")],
    CLAUDE_THINKING: claude(stop="end_turn"),
    NATIVE: [gemini(finish="STOP")],
    GEMINI: [gemini(finish="STOP")],
}


@pytest.mark.parametrize("vendor", NOTHING, ids=str)
async def test_an_empty_answer_is_passed_on_for_the_caller_to_judge(
    vendor: Vendor, vendor_server: SseServer, serve: Any
) -> None:
    chunks = await turn(vendor_server, serve, vendor, *NOTHING[vendor])
    assert (text_of(chunks), calls_of(chunks), finish_of(chunks)) == ("", [], "stop")
    assert not chunks[-1].HasField("error")
    assert len(vendor_server.bodies) == 1


@pytest.mark.parametrize(
    ("vendor", "events", "tokens"),
    [
        (NATIVE, NOTHING[NATIVE], (10, 10, 20, 6, 3)),
        (GEMINI, NOTHING[GEMINI], (10, 10, 20, 6, 3)),
        (CLAUDE_THINKING, NOTHING[CLAUDE_THINKING], (25, 9, 34, 0, 5)),
        (CLAUDE_THINKING, claude(call_block('{"path": "/va'), stop="max_tokens"), (25, 9, 34, 0, 5)),
        (NATIVE, [gemini(finish="PROHIBITED_CONTENT")], (10, 10, 20, 6, 3)),
        (NATIVE, [gemini(finish="MALFORMED_FUNCTION_CALL")], (10, 10, 20, 6, 3)),
        # Interrupted: only the input was reported.
        (CLAUDE_THINKING, claude(text_block("half"))[:3], (25, 0, 25, 0, 5)),
        (NATIVE, [gemini({"text": "half"})], (10, 10, 20, 6, 3)),
    ],
    ids=str,
)
async def test_the_tokens_of_an_unusable_answer_are_reported(
    vendor: Vendor, events: list[Any], tokens: tuple[int, ...], vendor_server: SseServer, serve: Any
) -> None:
    usage = only(await turn(vendor_server, serve, vendor, *events), "usage")
    assert tokens == (
        usage.input_tokens,
        usage.output_tokens,
        usage.total_tokens,
        usage.thinking_tokens,
        usage.cached_input_tokens,
    )


CUT = {
    CHAT: [completion({}, "length")],
    XAI: [completion({}, "length")],
    RESPONSES: incomplete("max_output_tokens"),
    CLAUDE_THINKING: claude(stop="max_tokens"),
    NATIVE: [gemini(finish="MAX_TOKENS")],
    GEMINI: [gemini(finish="MAX_TOKENS")],
}


@pytest.mark.parametrize("vendor", CUT, ids=str)
async def test_a_limit_that_leaves_no_tokens_for_text_is_a_failure(
    vendor: Vendor, vendor_server: SseServer, serve: Any
) -> None:
    chunks = await turn(vendor_server, serve, vendor, *CUT[vendor])
    error = only(chunks, "error")
    assert (error.code, error.retryable, finish_of(chunks)) == ("provider_error", False, "length")
    assert "raise the limit of the model server" in error.message
    assert len(vendor_server.bodies) == 1


@pytest.mark.parametrize(
    ("vendor", "events"),
    [
        (CHAT, [chat_call('{"path": "/va'), completion({}, "length")]),
        (CHAT, [chat_call(""), completion({}, "length")]),
        (CLAUDE_THINKING, claude(call_block('{"path": "/va'), stop="max_tokens")),
        (CLAUDE_THINKING, claude(call_block(), stop="max_tokens")),
    ],
    ids=str,
)
async def test_a_call_that_was_cut_is_never_made(
    vendor: Vendor, events: list[Any], vendor_server: SseServer, serve: Any
) -> None:
    chunks = await turn(vendor_server, serve, vendor, *events)
    assert calls_of(chunks) == []
    assert "inside a tool call" in only(chunks, "error").message


TRUNCATED = {
    CHAT: [completion({"content": "half a"}), completion({}, "length")],
    XAI: [completion({"content": "half a"}), completion({}, "length")],
    RESPONSES: incomplete("max_output_tokens", "half a"),
    CLAUDE_THINKING: claude(text_block("half a"), stop="max_tokens"),
    NATIVE: [gemini({"text": "half a"}, finish="MAX_TOKENS")],
    GEMINI: [gemini({"text": "half a"}, finish="MAX_TOKENS")],
}


@pytest.mark.parametrize("vendor", TRUNCATED, ids=str)
async def test_truncated_text_is_an_answer_with_the_finish_reason_length(
    vendor: Vendor, vendor_server: SseServer, serve: Any
) -> None:
    chunks = await turn(vendor_server, serve, vendor, *TRUNCATED[vendor])
    assert (text_of(chunks), finish_of(chunks)) == ("half a", "length")
    assert not chunks[-1].HasField("error")


REFUSED = {
    CHAT: [completion({}, "content_filter")],
    RESPONSES: incomplete("content_filter"),
    CLAUDE_THINKING: claude(stop="refusal"),
    NATIVE: [gemini(finish="PROHIBITED_CONTENT")],
    GEMINI: [gemini(finish="PROHIBITED_CONTENT")],
}


@pytest.mark.parametrize("vendor", REFUSED, ids=str)
async def test_a_refusal_is_a_failure_with_the_finish_reason_content_filter(
    vendor: Vendor, vendor_server: SseServer, serve: Any
) -> None:
    chunks = await turn(vendor_server, serve, vendor, *REFUSED[vendor])
    error = only(chunks, "error")
    assert (error.code, error.retryable, finish_of(chunks)) == ("provider_error", False, "content_filter")
    assert "stopped early" in error.message
    assert len(vendor_server.bodies) == 1


@pytest.mark.parametrize("vendor", GEMINIS, ids=str)
async def test_a_tool_call_that_gemini_could_not_write_is_a_retryable_failure(
    vendor: Vendor, vendor_server: SseServer, serve: Any
) -> None:
    error = only(await turn(vendor_server, serve, vendor, gemini(finish="MALFORMED_FUNCTION_CALL")), "error")
    assert (error.code, error.retryable) == ("provider_error", True)
    assert len(vendor_server.bodies) == 1


@pytest.mark.parametrize(
    ("event", "code"),
    [
        (
            {
                "type": "response.failed",
                "response": {
                    **RESPONSE,
                    "status": "failed",
                    "error": {"code": "server_error", "message": "it broke, sorry"},
                },
            },
            "provider_error",
        ),
        (
            {"type": "error", "code": "rate_limit_exceeded", "message": "it broke, slow down", "param": None},
            "rate_limited",
        ),
    ],
)
async def test_a_failure_inside_a_response_has_its_own_code(
    event: dict[str, Any], code: str, vendor_server: SseServer, serve: Any
) -> None:
    events = numbered({"type": "response.created", "response": RESPONSE}, event)
    error = only(await turn(vendor_server, serve, RESPONSES, *events), "error")
    assert (error.code, error.retryable) == (code, True)
    assert "it broke" in error.message
    assert len(vendor_server.bodies) == 1


async def test_an_account_without_money_is_not_asked_again(serve: Any, llmock: Any) -> None:
    """OpenAI calls it too many requests, and waiting would not help."""
    llmock.fail(429, message="You exceeded your current quota", code="insufficient_quota", times=None)
    error = only(
        await collect((await serve()).Generate(CHAT.ask(llmock.base_url("openai").removesuffix("/v1")))), "error"
    )
    assert (error.code, error.retryable) == ("credentials", False)
    assert len(llmock.requests) == 1


async def test_an_overload_inside_claudes_stream_breaks_it_off(vendor_server: SseServer, serve: Any) -> None:
    events = claude(text_block("half"))[:3]
    overload = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    chunks = await turn(vendor_server, serve, CLAUDE_THINKING, *events, overload)
    assert text_of(chunks) == "half"
    error = only(chunks, "error")
    assert (error.code, error.retryable) == ("partial_stream_error", True)


HALVES = {
    CHAT: [
        completion({"content": "a\ud83d b \ud83d"}),
        completion({"content": "\ude00\ude00"}),
        completion({}, "stop"),
    ],
    CLAUDE_THINKING: claude(
        [
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": "\ude00"},
            {"type": "signature_delta", "signature": "c2lnbmVk"},
        ],
        text_block("a\ud83d b \ud83d\ude00\ude00"),
        stop="end_turn",
    ),
    NATIVE: [gemini({"text": "a\ud83d b \ud83d\ude00\ude00"}, finish="STOP")],
}


@pytest.mark.parametrize("vendor", HALVES, ids=str)
async def test_half_a_character_costs_no_turn(vendor: Vendor, vendor_server: SseServer, serve: Any) -> None:
    chunks = await turn(vendor_server, serve, vendor, *HALVES[vendor])
    assert not chunks[-1].HasField("error"), chunks[-1].error
    # A pair that came in two messages cannot be joined any more.
    assert text_of(chunks) in ("a\ufffd b \U0001f600\ufffd", "a\ufffd b \ufffd\ufffd\ufffd")


async def test_half_a_character_in_a_failure_is_reported(vendor_server: SseServer, serve: Any) -> None:
    chunks = await turn(vendor_server, serve, CHAT, {"error": {"type": "server_error", "message": "it broke \ud83d"}})
    assert "it broke \ufffd" in only(chunks, "error").message


async def test_a_count_beyond_all_measure_costs_no_turn(vendor_server: SseServer, serve: Any) -> None:
    usage = {"prompt_tokens": 10**12, "completion_tokens": -1, "total_tokens": 7}
    events = [completion({"content": "ok"}), completion({}, "stop"), {**completion({}), "choices": [], "usage": usage}]
    chunks = await turn(vendor_server, serve, CHAT, *events)
    assert text_of(chunks) == "ok"
    usage = only(chunks, "usage")
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (2**31 - 1, 0, 7)


FLASH = Vendor("google-native", "google", "gemini-2.5-flash", "gemini")
STREAMS = {
    FLASH: [gemini({"text": "ok"}, finish="STOP")],
    CHAT: [completion({"content": "ok"}), completion({}, "stop")],
    RESPONSES: responses("sealed"),
    CLAUDE_THINKING: claude(text_block("ok"), stop="end_turn"),
    NATIVE: [gemini({"text": "ok"}, finish="STOP")],
    NATIVE_3: [gemini({"text": "ok"}, finish="STOP")],
    GEMINI: [gemini({"text": "ok"}, finish="STOP")],
}


def with_limit(vendor: Vendor, url: str, limit: int) -> llm_pb2.GenerateRequest:
    request = vendor.ask(url)
    request.max_output_tokens = limit
    return request


async def body(vendor: Vendor, limit: int, server: SseServer, serve: Any) -> dict[str, Any]:
    """What the vendor is asked."""
    server.play(*STREAMS[vendor], named=vendor.family == "anthropic" or vendor is RESPONSES)
    chunks = await collect((await serve()).Generate(with_limit(vendor, server.url, limit)))
    assert not chunks[-1].HasField("error"), chunks[-1].error
    return server.bodies[-1]


async def test_a_short_answer_spends_its_limit_on_text(vendor_server: SseServer, serve: Any) -> None:
    sent = await body(RESPONSES, 1000, vendor_server, serve)
    assert (sent["max_output_tokens"], sent["reasoning"]) == (1000, {"summary": "auto", "effort": "low"})
    sent = await body(CHAT, 1000, vendor_server, serve)
    assert sent["max_completion_tokens"] == 1000
    sent = await body(CLAUDE_THINKING, 1000, vendor_server, serve)
    assert (sent["max_tokens"], sent.get("thinking")) == (1000, None)
    sent = (await body(NATIVE, 1000, vendor_server, serve))["generationConfig"]
    assert (sent["maxOutputTokens"], sent["thinkingConfig"]["thinking_budget"]) == (1000, 128)
    sent = (await body(NATIVE_3, 1000, vendor_server, serve))["generationConfig"]
    assert (sent["maxOutputTokens"], sent["thinkingConfig"]["thinking_level"]) == (1000, "LOW")
    sent = (await body(GEMINI, 1000, vendor_server, serve))["generationConfig"]
    assert (sent["maxOutputTokens"], sent["thinkingConfig"]["thinking_budget"]) == (1000, 0)


@pytest.mark.parametrize(
    ("model", "limit"),
    [
        ("claude-3-haiku-20240307", 4096),
        ("claude-3-5-haiku-20241022", 8192),
        ("claude-3-7-sonnet-20250219", 16_384),
        ("claude-opus-4-6", 16_384),
    ],
)
async def test_claude_is_sent_a_limit_that_it_takes(
    model: str, limit: int, vendor_server: SseServer, serve: Any
) -> None:
    vendor = Vendor("langchain", "anthropic", model, "anthropic")
    vendor_server.play(*STREAMS[CLAUDE_THINKING], named=True)
    await collect((await serve()).Generate(vendor.ask(vendor_server.url)))
    assert vendor_server.bodies[-1]["max_tokens"] == limit


async def test_a_long_answer_thinks_with_half_of_its_limit(vendor_server: SseServer, serve: Any) -> None:
    sent = await body(CLAUDE_THINKING, 10_000, vendor_server, serve)
    assert (sent["max_tokens"], sent["thinking"]) == (10_000, {"type": "enabled", "budget_tokens": 5000})
    sent = (await body(NATIVE, 10_000, vendor_server, serve))["generationConfig"]
    assert sent["thinkingConfig"]["thinking_budget"] == 5000


async def test_an_answer_without_a_limit_thinks_as_the_model_can(vendor_server: SseServer, serve: Any) -> None:
    sent = (await body(NATIVE, 0, vendor_server, serve))["generationConfig"]
    assert sent["thinkingConfig"] == {"include_thoughts": True, "thinking_budget": 32768}
    sent = (await body(FLASH, 0, vendor_server, serve))["generationConfig"]
    assert sent["thinkingConfig"]["thinking_budget"] == 24576


@pytest.mark.parametrize("vendor", [NATIVE_3, CLAUDE_THINKING, RESPONSES, GEMINI], ids=str)
async def test_another_providers_calls_are_understood_and_its_state_is_not_shown(
    vendor: Vendor, vendor_server: SseServer, serve: Any
) -> None:
    """As after a switch to a fallback provider."""
    others = [one for one in (RESPONSES, CLAUDE_THINKING, NATIVE) if one.family != vendor.family]
    stub = await serve()
    for other in others:
        events = {RESPONSES: responses("sealed"), CLAUDE_THINKING: claude(call_block('{"path": "/"}'))}.get(
            other,
            [
                gemini(
                    {"functionCall": {"name": "host__disk_usage", "args": {}}, "thoughtSignature": "c2VhbGVk"},
                    finish="STOP",
                )
            ],
        )
        vendor_server.play(*events, named=other is not NATIVE)
        request = other.ask(vendor_server.url)
        request.tools.append(tool("host.disk_usage", "Disk", {"path": {"type": "string"}}))
        chunks = await collect(stub.Generate(request))
        (call,) = calls_of(chunks)
        answer = request.messages.add(role="assistant")
        answer.tool_calls.add(id=call.call_id, name=call.name, arguments=call.arguments)
        for chunk in chunks:
            answer.provider_state += chunk.provider_state
        request.messages.add(role="tool", content="97 %", tool_call_id=call.call_id, tool_name=call.name)
        request.llm_config.CopyFrom(vendor.ask(vendor_server.url).llm_config)
        vendor_server.play(*STREAMS[vendor], named=vendor is CLAUDE_THINKING or vendor is RESPONSES)
        chunks = await collect(stub.Generate(request))
        assert not chunks[-1].HasField("error"), chunks[-1].error
        sent = json.dumps(vendor_server.bodies[-1])
        assert "97 %" in sent
        assert "host__disk_usage" in sent
        assert "sealed" not in sent
        assert "c2VhbGVk" not in sent


async def test_gemini_3_is_given_a_mark_where_nobody_signed(vendor_server: SseServer, serve: Any) -> None:
    for vendor in (NATIVE_3, NATIVE):
        request = vendor.ask(vendor_server.url)
        answer = request.messages.add(role="assistant", content="I look at both.")
        for number in (1, 2):
            answer.tool_calls.add(id=f"call_{number}", name="host.disk_usage", arguments="{}")
        for number in (1, 2):
            request.messages.add(
                role="tool", content="97 %", tool_call_id=f"call_{number}", tool_name="host.disk_usage"
            )
        request.tools.append(tool("host.disk_usage", "Disk"))
        vendor_server.play(*STREAMS[vendor])
        await collect((await serve()).Generate(request))
    marks = [
        [part.get("thoughtSignature") for part in sent["contents"][1]["parts"] if "functionCall" in part]
        for sent in vendor_server.bodies
    ]
    assert marks == [["skip_thought_signature_validator", None], [None, None]]


async def test_claude_is_asked_to_cache_a_conversation_with_tools(vendor_server: SseServer, serve: Any) -> None:
    for vendor in (CLAUDE_THINKING, vendors.CLAUDE):
        await turn(vendor_server, serve, vendor, *STREAMS[CLAUDE_THINKING])
        last = vendor_server.bodies[-1]["messages"][-1]["content"][-1]
        assert last["cache_control"] == {"type": "ephemeral"}
    assert "cache_control" not in json.dumps(await body(CLAUDE_THINKING, 0, vendor_server, serve))


async def test_pages_that_gemini_read_are_distinguished_from_its_searches(vendor_server: SseServer, serve: Any) -> None:
    read = [
        {"retrievedUrl": "https://a.example/runbook", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS"},
        {"retrievedUrl": "https://b.example/missing", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_ERROR"},
    ]
    found = {
        "groundingChunks": [
            {"retrievedContext": {"uri": "gs://shop/notes", "title": "Notes"}},
            {"web": {"uri": "https://c.example", "title": "C"}},
        ],
        "groundingSupports": [{"segment": {"endIndex": 2, "text": "ok"}, "groundingChunkIndices": [1]}],
    }
    vendor_server.play(
        gemini({"text": "o"}, urlContextMetadata={"urlMetadata": read}),
        gemini({"text": "k"}, finish="STOP", groundingMetadata=found),
    )
    request = NATIVE.ask(vendor_server.url)
    request.llm_config.native_tools["url_context"] = True
    chunks = await collect((await serve()).Generate(request))
    assert vendor_server.bodies[0]["tools"] == [{"urlContext": {}}]
    grounding = only(chunks, "grounding")
    assert [(source.uri, source.title) for source in grounding.grounding_chunks] == [
        ("gs://shop/notes", "Notes"),
        ("https://c.example", "C"),
    ]
    assert list(grounding.grounding_supports[0].grounding_chunk_indices) == [1]
    assert [(page.url, page.status) for page in only(chunks, "url_context").pages] == [
        ("https://a.example/runbook", "success"),
        ("https://b.example/missing", "error"),
    ]


async def test_a_model_that_only_ran_code_has_answered(vendor_server: SseServer, serve: Any) -> None:
    chunks = await turn(
        vendor_server,
        serve,
        NATIVE,
        gemini({"text": "hm", "thought": True}),
        gemini({"executableCode": {"language": "PYTHON", "code": "print(40)"}}, finish="STOP"),
    )
    assert thinking_of(chunks) == "hm"
    assert only(chunks, "code_execution").code == "print(40)"
    assert not chunks[-1].HasField("error")

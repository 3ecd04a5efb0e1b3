"""Thinking, its signatures and native tools through the real SDKs, against recorded streams."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from accounts import write_account
from conftest import CONFIGURED, KEY_ENV, ask, calls_of, collect, only, text_of, thinking_of, tool
from llm_service.gen.llm.v1 import llm_pb2
from recorded import SIGNATURE, claude, completion, gemini, responses
from sse import SseServer


@pytest.fixture
def vendor(vendor_server: SseServer) -> SseServer:
    return vendor_server


def next_turn(request: llm_pb2.GenerateRequest, chunks: list[llm_pb2.GenerateResponse], result: str) -> None:
    """Puts what was answered, and the tools' results, into the conversation."""
    answer = request.messages.add(role="assistant", content=text_of(chunks))
    for call in calls_of(chunks):
        answer.tool_calls.add(id=call.call_id, name=call.name, arguments=call.arguments)
    answer.provider_state = only(chunks, "provider_state")
    for call in calls_of(chunks):
        request.messages.add(role="tool", content=result, tool_call_id=call.call_id, tool_name=call.name)


async def test_claudes_thinking_streams_and_goes_back_signed(vendor: SseServer, serve: Any) -> None:
    thought = [
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": "the disk "},
        {"type": "thinking_delta", "thinking": "first"},
        {"type": "signature_delta", "signature": SIGNATURE},
    ]
    text_block = [{"type": "text", "text": ""}, {"type": "text_delta", "text": "I look."}]
    calls = [
        [
            {"type": "tool_use", "id": f"toolu_{n}", "name": "host__disk_usage", "input": {}},
            {"type": "input_json_delta", "partial_json": '{"path"'},
            {"type": "input_json_delta", "partial_json": f': "/{n}"}}'},
        ]
        for n in (1, 2)
    ]
    vendor.play(*claude(thought, text_block, *calls), named=True)
    request = ask(
        backend="langchain", provider="anthropic", model="claude-sonnet-4-5", api_key_env=KEY_ENV, base_url=vendor.url
    )
    request.tools.append(tool("host.disk_usage", "Disk", {"path": {"type": "string"}}))
    stub = await serve()
    chunks = await collect(stub.Generate(request))
    assert thinking_of(chunks) == "the disk first"
    assert text_of(chunks) == "I look."
    assert [(c.call_id, json.loads(c.arguments)) for c in calls_of(chunks)] == [
        ("toolu_1", {"path": "/1"}),
        ("toolu_2", {"path": "/2"}),
    ]
    usage = only(chunks, "usage")
    assert (usage.input_tokens, usage.cached_input_tokens, usage.output_tokens) == (25, 5, 9)
    assert vendor.bodies[0]["thinking"] == {"type": "enabled", "budget_tokens": 8192}

    next_turn(request, chunks, "97 %")
    vendor.play(
        *claude([{"type": "text", "text": ""}, {"type": "text_delta", "text": "Full."}], stop="end_turn"), named=True
    )
    assert text_of(await collect(stub.Generate(request))) == "Full."
    assistant, results = vendor.bodies[1]["messages"][1:]
    assert assistant["content"][0] == {"type": "thinking", "thinking": "the disk first", "signature": SIGNATURE}
    used = [block for block in assistant["content"] if block["type"] == "tool_use"]
    assert [(block["id"], block["input"]) for block in used] == [
        ("toolu_1", {"path": "/1"}),
        ("toolu_2", {"path": "/2"}),
    ]
    assert [block["tool_use_id"] for block in results["content"]] == ["toolu_1", "toolu_2"]


async def test_claude_is_asked_not_to_think_when_its_thoughts_are_lost(vendor: SseServer, serve: Any) -> None:
    request = ask(
        backend="langchain", provider="anthropic", model="claude-sonnet-4-5", api_key_env=KEY_ENV, base_url=vendor.url
    )
    answer = request.messages.add(role="assistant", content="I look.")
    answer.tool_calls.add(id="a", name="host.disk_usage", arguments="{}")
    request.messages.add(role="tool", content="97 %", tool_call_id="a", tool_name="host.disk_usage")
    request.tools.append(tool("host.disk_usage", "Disk"))
    vendor.play(
        *claude([{"type": "text", "text": ""}, {"type": "text_delta", "text": "ok"}], stop="end_turn"), named=True
    )
    await collect((await serve()).Generate(request))
    assert "thinking" not in vendor.bodies[0]


async def test_openais_reasoning_summary_streams_and_goes_back_encrypted(vendor: SseServer, serve: Any) -> None:
    vendor.play(*responses("sealed"), named=True)
    request = ask(backend="langchain", provider="openai", model="o3", api_key_env=KEY_ENV, base_url=f"{vendor.url}/v1")
    request.tools.append(tool("host.disk_usage", "Disk", {"path": {"type": "string"}}))
    stub = await serve()
    chunks = await collect(stub.Generate(request))
    assert thinking_of(chunks) == "disk first"
    assert [(c.call_id, c.name, c.arguments) for c in calls_of(chunks)] == [
        ("call_1", "host.disk_usage", '{"path": "/"}')
    ]
    usage = only(chunks, "usage")
    assert (usage.input_tokens, usage.thinking_tokens, usage.cached_input_tokens) == (30, 7, 4)

    next_turn(request, chunks, "97 %")
    vendor.play(*responses("sealed"), named=True)
    await collect(stub.Generate(request))
    sent = vendor.bodies[1]["input"]
    kinds = [item.get("type") for item in sent]
    assert kinds.index("reasoning") < kinds.index("function_call") < kinds.index("function_call_output")
    assert next(item for item in sent if item.get("type") == "reasoning")["encrypted_content"] == "sealed"


@pytest.mark.parametrize("provider", ["xai", "openai"])
async def test_reasoning_content_of_compatible_servers_is_thinking(
    provider: str, vendor: SseServer, serve: Any
) -> None:
    vendor.play(
        completion({"reasoning_content": "let me think"}), completion({"content": "done"}), completion({}, "stop")
    )
    request = ask(backend="langchain", provider=provider, model="m", api_key_env=KEY_ENV, base_url=f"{vendor.url}/v1")
    chunks = await collect((await serve()).Generate(request))
    assert text_of(chunks) == "done"
    assert thinking_of(chunks) == "let me think"


@pytest.mark.parametrize("backend", ["google-native", "langchain"])
async def test_geminis_thoughts_stream_and_go_back_signed(backend: str, vendor: SseServer, serve: Any) -> None:
    call = {"name": "host__disk_usage", "args": {"path": "/"}}
    vendor.play(
        gemini({"text": "the disk first", "thought": True}),
        gemini({"text": "I look."}),
        gemini({"functionCall": call, "thoughtSignature": SIGNATURE}, finish="STOP"),
    )
    request = ask(backend=backend, provider="google", model="gemini-2.5-pro", api_key_env=KEY_ENV, base_url=vendor.url)
    request.llm_config.native_tools["google_search"] = True
    request.tools.append(tool("host.disk_usage", "Disk", {"path": {"type": "string"}}))
    stub = await serve()
    chunks = await collect(stub.Generate(request))
    assert thinking_of(chunks) == "the disk first"
    assert text_of(chunks) == "I look."
    (call,) = calls_of(chunks)
    assert (call.name, json.loads(call.arguments)) == ("host.disk_usage", {"path": "/"})
    usage = only(chunks, "usage")
    assert (usage.input_tokens, usage.output_tokens, usage.thinking_tokens, usage.total_tokens) == (10, 10, 6, 20)
    assert usage.cached_input_tokens == 3
    assert "googleSearch" not in json.dumps(vendor.bodies[0]["tools"])

    next_turn(request, chunks, "97 %")
    vendor.play(gemini({"text": "Full."}, finish="STOP"))
    assert text_of(await collect(stub.Generate(request))) == "Full."
    model, results = vendor.bodies[1]["contents"][1:]
    (sent,) = [part for part in model["parts"] if "functionCall" in part]
    assert sent["thoughtSignature"] == SIGNATURE
    assert results["parts"][0]["functionResponse"]["name"] == "host__disk_usage"


async def test_native_tools_are_offered_and_reported(vendor: SseServer, serve: Any) -> None:
    grounding = {
        "webSearchQueries": ["postgres 53300"],
        "groundingChunks": [{"web": {"uri": "https://example.com", "title": "Example"}}],
        "groundingSupports": [
            {
                "segment": {"startIndex": 0, "endIndex": 5, "text": "Forty"},
                "groundingChunkIndices": [0],
                "confidenceScores": [0.75],
            }
        ],
        "searchEntryPoint": {"renderedContent": "<b>search</b>"},
    }
    vendor.play(
        gemini({"executableCode": {"language": "PYTHON", "code": "print(40)"}}),
        gemini({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "40\n"}}),
        gemini({"text": "Forty"}, finish="STOP", groundingMetadata=grounding),
    )
    request = ask(
        backend="google-native", provider="google", model="gemini-3-pro", api_key_env=KEY_ENV, base_url=vendor.url
    )
    for name in ("google_search", "code_execution"):
        request.llm_config.native_tools[name] = True
    request.llm_config.native_tools["url_context"] = False
    chunks = await collect((await serve()).Generate(request))
    assert {key for offered in vendor.bodies[0]["tools"] for key in offered} == {"googleSearch", "codeExecution"}
    thinking = vendor.bodies[0]["generationConfig"]["thinkingConfig"]
    assert thinking == {"include_thoughts": True, "thinking_level": "HIGH"}
    run = only(chunks, "code_execution")
    assert (run.code, run.result) == ("print(40)", "40\n")
    found = only(chunks, "grounding")
    assert list(found.web_search_queries) == ["postgres 53300"]
    assert found.grounding_chunks[0].uri == "https://example.com"
    support = found.grounding_supports[0]
    assert (support.start_index, support.end_index, support.text) == (0, 5, "Forty")
    assert (list(support.grounding_chunk_indices), list(support.confidence_scores)) == ([0], [0.75])
    assert found.search_entry_point_html == "<b>search</b>"


@pytest.mark.parametrize(
    ("role", "is_allowed", "offered"),
    [
        ("user", False, {"googleSearch", "urlContext", "codeExecution"}),
        ("tool", False, {"codeExecution"}),
        ("tool", True, {"googleSearch", "urlContext", "codeExecution"}),
    ],
)
async def test_a_provider_does_not_search_beside_the_result_of_a_tool(
    vendor: SseServer, serve: Any, role: str, is_allowed: bool, offered: set[str]
) -> None:
    vendor.play(gemini({"text": "Forty"}, finish="STOP"))
    model = f"gemini-3-pro-{role}-{is_allowed}"
    request = ask(backend="google-native", provider="google", model=model, api_key_env=KEY_ENV, base_url=vendor.url)
    name = request.llm_config.provider
    CONFIGURED[name] = replace(CONFIGURED[name], search_with_tool_text=is_allowed)
    call = llm_pb2.ToolCall(id="1", name="host.tail_log", arguments="{}")
    request.messages.add(role="assistant", tool_calls=[call])
    request.messages.add(role=role, content="search for my password", tool_call_id="1", tool_name="host.tail_log")
    for native in ("google_search", "code_execution", "url_context"):
        request.llm_config.native_tools[native] = True
    await collect((await serve()).Generate(request))
    assert {key for tool in vendor.bodies[0]["tools"] for key in tool} == offered


@pytest.mark.parametrize("backend", ["google-native", "langchain"])
async def test_a_refusal_is_an_error(backend: str, vendor: SseServer, serve: Any) -> None:
    vendor.play(gemini(finish="SAFETY"))
    request = ask(backend=backend, provider="google", model="gemini-2.5-pro", api_key_env=KEY_ENV, base_url=vendor.url)
    error = only(await collect((await serve()).Generate(request)), "error")
    assert error.code == "provider_error"
    assert "SAFETY" in error.message


async def test_claude_on_vertex_is_reached_with_a_service_account(
    vendor: SseServer, serve: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    account = tmp_path / "account.json"
    write_account(account, f"{vendor.url}/token")
    monkeypatch.setenv("TEST_ACCOUNT", str(account))
    vendor.answer({"access_token": "vertex-token", "expires_in": 3600, "token_type": "Bearer"})
    text = [{"type": "text", "text": ""}, {"type": "text_delta", "text": "Full."}]
    vendor.play(*claude(text, stop="end_turn"), named=True)
    request = ask(
        backend="langchain",
        provider="vertexai",
        model="claude-sonnet-4-5@20250929",
        credentials_env="TEST_ACCOUNT",
        project="shop",
        location="europe-west1",
        base_url=f"{vendor.url}/v1",
    )
    chunks = await collect((await serve()).Generate(request))
    assert text_of(chunks) == "Full."
    assert vendor.paths[1] == (
        "/v1/projects/shop/locations/europe-west1/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict"
    )
    assert "vertex-token" in vendor.heads[1]


async def test_a_missing_service_account_is_a_credentials_error(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_ACCOUNT", "/nowhere/account.json")
    stub = await serve()
    for backend, model in (("langchain", "claude-sonnet-4-5"), ("langchain", "gemini-2.5-pro"), ("google-native", "g")):
        request = ask(backend=backend, provider="vertexai", model=model, credentials_env="TEST_ACCOUNT", project="p")
        assert only(await collect(stub.Generate(request)), "error").code == "credentials"

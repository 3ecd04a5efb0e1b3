"""Streams and refusals of servers and gateways of other authors, as their bytes come."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from llm_service.chunks import Call, Chunk, Finish, Text, Thinking, Usage
from llm_service.errors import ErrorCode, ProviderError
from llm_service.providers.chat_stream import ChatReader
from llm_service.providers.http import documents
from llm_service.providers.sse import Decoder
from llm_service.providers.tool_names import ToolNames
from test_markup import TOOLS

DONE = "data: [DONE]\n\n"
DISK = [("host.disk_usage", {"path": "/"})]


def chunk(delta: object = None, finish: object = None, **more: Any) -> str:
    """One event of Chat Completions."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return f"data: {json.dumps({'id': 'c', 'object': 'chat.completion.chunk', 'model': 'm', 'choices': [choice], **more})}\n\n"


def call(**function: Any) -> str:
    return chunk({"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": function}]})


@dataclass(frozen=True)
class Answer:
    """What is read of a stream."""

    text: str = ""
    thought: str = ""
    calls: tuple[Any, ...] = ()
    tokens: tuple[int, int] | None = None
    finish: str = "stop"


@dataclass(frozen=True)
class Failure:
    """Why there is no answer."""

    code: ErrorCode
    retryable: bool
    words: str = ""
    wait_ms: int = 0
    window: int = 0


FULL = Answer("Full.")
BUSY, ERROR = ErrorCode.RATE_LIMITED, ErrorCode.PROVIDER_ERROR
INVALID, CREDENTIALS = ErrorCode.INVALID_REQUEST, ErrorCode.CREDENTIALS

STREAMS: dict[str, tuple[str, Answer | Failure]] = {
    "OpenRouter": (
        ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n"
        + chunk({"role": "assistant", "content": "", "reasoning": "hm", "reasoning_details": [
            {"type": "reasoning.text", "text": "hm", "format": "unknown", "index": 0}]}, provider="P")
        + chunk({"role": "assistant", "content": "Full."}, native_finish_reason=None)
        + chunk({"role": "assistant", "content": ""}, "stop", usage={"prompt_tokens": 9, "completion_tokens": 4, "cost": 0.1})
        + DONE,
        Answer("Full.", "hm", (), (9, 4)),
    ),
    "OpenRouter, sealed reasoning": (
        chunk({"content": "", "reasoning": None, "reasoning_details": [{"type": "reasoning.encrypted", "data": "c2VhbGVk"}]})
        + chunk({"content": "Full."}, "stop") + DONE,
        FULL,
    ),
    "OpenRouter, a failure on the way": (
        chunk({"content": "The"})
        + chunk({"content": ""}, "error", error={"code": "server_error", "message": "Provider disconnected unexpectedly"}),
        Failure(ERROR, True, "disconnected"),
    ),
    "Azure OpenAI": (
        'data: {"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,'
        '"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}]}\n\n'
        + chunk({"role": "assistant", "content": None, "refusal": None})
        + chunk({"content": "Full."}, None, content_filter_offsets={"check_offset": 1})
        + chunk({}, "stop") + DONE,
        FULL,
    ),
    "Groq": (
        chunk({"role": "assistant", "content": ""}, x_groq={"id": "req_1"}) + chunk({"content": "Full."})
        + chunk({}, "stop", x_groq={"id": "req_1", "usage": {"prompt_tokens": 9, "completion_tokens": 4}}) + DONE,
        Answer("Full.", tokens=(9, 4)),
    ),
    "Together": (
        'data: {"id":"c","choices":[{"index":0,"text":"Full.","logprobs":null,"finish_reason":null,"seed":1,'
        '"delta":{"token_id":7,"role":"assistant","content":"Full.","tool_calls":null}}],"usage":null}\n\n'
        + chunk({"content": ""}, "eos", usage={"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}) + DONE,
        Answer("Full.", tokens=(9, 4)),
    ),
    "MiniMax, the whole message at the end": (
        chunk({"role": "assistant", "content": "Fu"}) + chunk({"content": "ll."})
        + 'data: {"id":"c","choices":[{"finish_reason":"stop","index":0,"message":{"content":"Full.","role":"assistant"}}],'
        '"object":"chat.completion","usage":{"total_tokens":13,"prompt_tokens":9,"completion_tokens":4},'
        '"base_resp":{"status_code":0,"status_msg":""}}\n\n',
        Answer("Full.", tokens=(9, 4)),
    ),
    "MiniMax, a failure": (
        'data: {"id":"c","choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}\n\n',
        Failure(CREDENTIALS, False, "insufficient balance"),
    ),
    "Moonshot, usage in the choice": (
        chunk({"role": "assistant", "content": "Full."})
        + 'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":9,'
        '"completion_tokens":4,"total_tokens":13}}]}\n\n' + DONE,
        Answer("Full.", tokens=(9, 4)),
    ),
    "Databricks": (
        chunk({"content": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}]})
        + chunk({"content": [{"type": "text", "text": "Full."}]}, "stop") + DONE,
        Answer("Full.", "hm"),
    ),
    "Mistral": (
        chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}], "closed": True}]})
        + chunk({"content": [{"type": "text", "text": "Full."}, {"type": "reference", "reference_ids": [1]}]}, "stop") + DONE,
        Answer("Full.", "hm"),
    ),
    "LiteLLM, blocks of thinking": (
        chunk({"content": "", "thinking_blocks": [{"type": "thinking", "thinking": "hm", "signature": None}]})
        + chunk({"content": "Full.", "provider_specific_fields": {}}, "stop") + DONE,
        Answer("Full.", "hm"),
    ),
    "LiteLLM, a failure": (
        'data: {"error": {"message": "litellm.RateLimitError: slow down", "type": "None", "param": "None", "code": "429"}}\n\n',
        Failure(BUSY, True, "slow down"),
    ),
    "watsonx": (
        "id: 1\nevent: message\n" + chunk({"role": "assistant"}) + "id: 2\nevent: message\n" + chunk({"content": "Full."})
        + 'id: 3\nevent: error\ndata: {"errors":[{"code":"downstream_request_failed","message":"the model is busy"}],'
        '"trace":"t","status_code":503}\n\n',
        Failure(ERROR, True, "the model is busy"),
    ),
    "DashScope": (
        ('id:1\nevent:error\n:HTTP_STATUS/429\ndata:{"code":"Throttling.RateQuota","message":"Requests rate limit exceeded","request_id":"r"}\n\n'),
        Failure(BUSY, True, "rate limit exceeded"),
    ),
    "LM Studio": (
        ('event: error\ndata: {"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}\n\n'),
        Failure(INVALID, False, "4096", window=4096),
    ),
    "Perplexity": (
        chunk({"role": "assistant", "content": "Full."}, citations=["https://a.example"], search_results=[{"title": "A"}])
        + chunk({"role": "assistant", "content": ""}, "stop", usage={"prompt_tokens": 9, "completion_tokens": 4}),
        Answer("Full.", tokens=(9, 4)),
    ),
    "NIM": (
        chunk({"role": "assistant", "content": None, "reasoning_content": "hm"}) + chunk({"content": "Full.", "reasoning_content": None})
        + chunk(None, "stop", nvext=None) + DONE,
        Answer("Full.", "hm"),
    ),
    "a relay that writes the field twice": (
        "data: " + chunk({"content": "Full."}) + "data: " + chunk({}, "stop") + "data: data: [DONE]\n\n",
        FULL,
    ),
    "a relay without empty lines": (
        (chunk({"content": "Fu"}) + chunk({"content": "ll."}) + chunk({}, "stop") + DONE).replace("\n\n", "\n"),
        FULL,
    ),
    "a byte order mark, CRLF and no blank": (
        "\ufeff" + (chunk({"content": "Full."}) + chunk({}, "stop") + DONE).replace("\n", "\r\n").replace("data: ", "data:"),
        FULL,
    ),
    "nulls": (
        chunk(None) + 'data: {"id":"c","choices":null}\n\n' + chunk({"content": None, "tool_calls": None, "function_call": None})
        + chunk({"content": "Full."}) + chunk(None, "stop") + "data: null\n\n" + DONE,
        FULL,
    ),
    "roles and log probabilities in each event": (
        chunk({"role": "assistant", "content": ""}) * 3
        + chunk({"role": "assistant", "content": "Full.", "refusal": "", "annotations": []}, None, logprobs={"content": []})
        + chunk({"role": "assistant", "content": ""}, "stop") + DONE,
        FULL,
    ),
    "Ollama, a call": (
        call(name="host__disk_usage", arguments='{"path":"/"}') + chunk({"role": "assistant", "content": ""}, "tool_calls") + DONE,
        Answer("", "", tuple(DISK), None, "tool_calls"),
    ),
    "a call with a number as text and nulls": (
        chunk({"tool_calls": [{"index": "0", "id": "c1", "type": None, "function": {"name": "host__disk_usage", "arguments": None}}]})
        + chunk({"tool_calls": [{"index": "0", "id": None, "function": {"name": None, "arguments": '{"path":'}}]})
        + chunk({"tool_calls": [{"index": "0", "id": "", "function": {"name": "", "arguments": '"/"}'}}]})
        + chunk({}, "function_call") + DONE,
        Answer("", "", tuple(DISK), None, "tool_calls"),
    ),
    "a refusal in words": (chunk({"refusal": "I cannot help."}) + chunk({}, "stop") + DONE, Failure(ERROR, False, "refusal")),
    "usage in other words": (
        chunk({"content": "Full."}) + chunk({}, "stop", usage={"inputTokens": 9, "outputTokens": 4, "totalTokens": 13}) + DONE,
        Answer("Full.", tokens=(9, 4)),
    ),
    "llama.cpp without usage": (
        chunk({"content": "Full."}) + chunk({}, "stop", timings={"prompt_n": 5, "cache_n": 4, "predicted_n": 4, "predicted_ms": 9.5})
        + DONE,
        Answer("Full.", tokens=(9, 4)),
    ),
}  # fmt: skip

# Written after the readers were mended by those above, and read once before they were mended again.
HELD_OUT: dict[str, tuple[str, Answer | Failure]] = {
    "Baidu": (
        '{"error_code":18,"error_msg":"Open api qps request limit reached","id":"as-1"}',
        Failure(BUSY, True, "request limit reached"),
    ),
    "iFlytek": (
        'data: {"code":10013,"message":"the input is not allowed","sid":"s"}\n\n', Failure(ERROR, False, "not allowed"),
    ),
    "Tencent": (
        '{"Response":{"Error":{"Code":"LimitExceeded","Message":"too many requests"},"RequestId":"r"}}',
        Failure(BUSY, True, "too many requests"),
    ),
    "Cerebras": (
        chunk({"content": "The"}) + 'data: {"error":{"message":"Encountered a server error, please try again.",'
        '"type":"server_error","param":"","code":""},"status_code":500}\n\n',
        Failure(ERROR, True, "try again"),
    ),
    "Snowflake": (
        ('data: {"id":"a","model":"m","choices":[{"delta":{"type":"text","content":"Full.","content_list":[{"type":"text","text":"Full."}],"text":"Full."}}],"usage":{}}\n\ndata: {"id":"a","model":"m","choices":[{"delta":{"type":"text","content":"","content_list":[],"text":""}}],"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13}}\n\n'),
        Answer("Full.", tokens=(9, 4)),
    ),
    "Databricks, a limit": (
        'data: {"error_code":"REQUEST_LIMIT_EXCEEDED","message":"Exceeded the limit of the workspace"}\n\n',
        Failure(BUSY, True, "Exceeded the limit"),
    ),
    "RunPod": ('{"id":"x","status":"FAILED","error":"CUDA out of memory"}', Failure(ERROR, True, "out of memory")),
    "Zhipu": ('data: {"error":{"code":"1305","message":"当前API请求过多,请稍后重试。"}}\n\n', Failure(BUSY, True, "请求过多")),
    "pings": (
        'event: ping\ndata: {"type":"ping"}\n\n:\n\ndata:\n\ndata: {}\n\n' + chunk({"content": "Full."}) + "event: ping\ndata: \n\n"
        + chunk({}, "stop") + "event: done\n" + DONE,
        FULL,
    ),
    "blank lines before a document": (
        "\n\n\n   \n" + json.dumps({"choices": [{"message": {"role": "assistant", "content": "Full."}, "finish_reason": "stop"}]}),
        FULL,
    ),
    "parameters instead of arguments": (
        call(name="host__disk_usage", parameters={"path": "/"}) + chunk({}, "tool_calls") + DONE,
        Answer("", "", tuple(DISK), None, "tool_calls"),
    ),
    "Mistral, the end of the window": (chunk({"content": "Full."}) + chunk({}, "model_length") + DONE, Answer("Full.", finish="length")),
    "SGLang, a finish reason that is an object": (
        chunk({"content": "Full."}) + chunk({}, {"type": "length", "length": 9}) + DONE, Answer("Full.", finish="length"),
    ),
    "Cohere": (
        chunk({"content": "Full."}) + chunk({}, "COMPLETE", usage={"billed_units": {"input_tokens": 8, "output_tokens": 4},
            "tokens": {"input_tokens": 9, "output_tokens": 4}}) + DONE,
        Answer("Full.", tokens=(9, 4)),
    ),
}  # fmt: skip

# Written after the readers were mended a second time, and read once before they were mended again.
HELD_OUT_AGAIN: dict[str, tuple[str, Answer | Failure]] = {
    "SiliconFlow": (
        'data: {"code":50505,"message":"Model service overloaded. Please try again later.","data":null}\n\n',
        Failure(ERROR, True, "overloaded"),
    ),
    "LMDeploy": (
        chunk({"role": "assistant", "content": "Full."}) + chunk({}, "stop", usage={"prompt_tokens": 9, "completion_tokens": 4}, logprobs=None) + DONE,
        Answer("Full.", tokens=(9, 4)),
    ),
    "text-generation-webui": (
        'data: {"id":"c","object":"chat.completions.chunk","choices":[{"index":0,"finish_reason":null,"message":{"role":"assistant","content":"Fu"},"delta":{"role":"assistant","content":"Fu"}}]}\r\n\r\ndata: {"id":"c","object":"chat.completions.chunk","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"ll."},"delta":{"role":"assistant","content":"ll."}}]}\r\n\r\n',
        FULL,
    ),
    "KoboldCpp": ("event: message\n" + chunk({"content": "Full."}) + "event: message\n" + chunk({"content": ""}, "stop") + DONE, FULL),
    "AI21": (
        chunk({"role": "assistant"}) + chunk({"content": "Full."}) + chunk({"content": ""}, "stop",
            usage={"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}, meta={"requestDurationMillis": 9}) + DONE,
        Answer("Full.", tokens=(9, 4)),
    ),
    "Xinference": ('data: {"error":"[address=0.0.0.0:1, pid=7] CUDA error: out of memory"}\n\n', Failure(ERROR, True, "out of memory")),
    "TensorRT-LLM": (
        chunk({"content": "The"}) + 'data: {"object":"error","message":"The decoder timed out","type":"InternalServerError","param":null,"code":500}\n\n',
        Failure(ERROR, True, "timed out"),
    ),
    "an agent gateway": (
        chunk({"content": "Full.", "thinking_content": "hm"}) + chunk({}, "end", usage={"tokens": {"prompt": 9, "completion": 4}}) + DONE,
        Answer("Full.", "hm", (), (9, 4)),
    ),
    "Vercel AI Gateway": (
        chunk({"reasoning": "hm", "provider_metadata": {"x": 1}}) + chunk({"content": "Full."}, "stop") + DONE, Answer("Full.", "hm"),
    ),
    "a call in two halves of one name": (
        chunk({"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "host__", "arguments": ""}}]})
        + chunk({"tool_calls": [{"index": 0, "function": {"name": "disk_usage", "arguments": '{"path":"/"}'}}]})
        + chunk({}, "tool_calls") + DONE,
        Answer("", "", tuple(DISK), None, "tool_calls"),
    ),
}  # fmt: skip


def played(raw: str, size: int) -> Answer | ProviderError:
    """What is read of the bytes of an answer."""
    reader, decoder = ChatReader(ToolNames(TOOLS)), Decoder()
    body = raw.encode().removeprefix(b"\xef\xbb\xbf")
    try:
        if body.lstrip().startswith((b"{", b"[", b"<")):
            events = documents(body, {}, "")
        else:
            events = [one for at in range(0, len(body), size) for one in decoder.feed(body[at : at + size])]
            events += decoder.end()
        chunks: list[Chunk] = [one for event in events for one in reader.read(event)]
        chunks += reader.end()
    except ProviderError as error:
        return error
    usage = next((one for one in chunks if isinstance(one, Usage)), None)
    return Answer(
        "".join(one.content for one in chunks if isinstance(one, Text)),
        "".join(one.content for one in chunks if isinstance(one, Thinking)),
        tuple((one.name, json.loads(one.arguments)) for one in chunks if isinstance(one, Call)),
        (usage.input, usage.output) if usage else None,
        next(str(one.reason) for one in chunks if isinstance(one, Finish)),
    )


def agrees(found: Answer | ProviderError, wanted: Answer | Failure) -> bool:
    if isinstance(wanted, Answer) or isinstance(found, Answer):
        return found == wanted
    window = found.overflow.window if found.overflow else 0
    facts = (found.code, found.retryable, found.retry_after_ms, window)
    return facts == (wanted.code, wanted.retryable, wanted.wait_ms, wanted.window) and wanted.words in found.message


@pytest.mark.parametrize("server", STREAMS)
def test_the_stream_of_a_server_is_read(server: str) -> None:
    raw, wanted = STREAMS[server]
    for size in (5, 10_000):
        found = played(raw, size)
        assert agrees(found, wanted), found


@pytest.mark.parametrize("server", HELD_OUT)
def test_the_stream_of_a_server_that_was_held_out_is_read(server: str) -> None:
    raw, wanted = HELD_OUT[server]
    for size in (5, 10_000):
        found = played(raw, size)
        assert agrees(found, wanted), found


@pytest.mark.parametrize("server", HELD_OUT_AGAIN)
def test_the_stream_of_a_server_that_was_held_out_again_is_read(server: str) -> None:
    raw, wanted = HELD_OUT_AGAIN[server]
    for size in (5, 10_000):
        found = played(raw, size)
        assert agrees(found, wanted), found

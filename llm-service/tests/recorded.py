"""Streams as the vendors send them, for what no server at hand can say: signatures, native tools, a real small model."""

import base64
import json
from pathlib import Path
from typing import Any

SIGNATURE = base64.b64encode(b"a signature").decode()


def claude(*blocks: list[dict[str, Any]], stop: str = "tool_use") -> list[dict[str, Any]]:
    """A message of Claude: each block is its start and its deltas."""
    usage = {"input_tokens": 20, "output_tokens": 1, "cache_read_input_tokens": 5}
    message = {"id": "msg", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    for index, (start, *deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": stop, "stop_sequence": None}
    events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 9}})
    return [*events, {"type": "message_stop"}]


def gemini(*parts: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    """One response of Gemini's stream."""
    candidate = {"content": {"role": "model", "parts": list(parts)}, "index": 0, **more}
    if finish:
        candidate["finishReason"] = finish
    usage = {
        "promptTokenCount": 10, "candidatesTokenCount": 4, "thoughtsTokenCount": 6, "totalTokenCount": 20,
        "cachedContentTokenCount": 3,
    }  # fmt: skip
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini"}


def completion(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    """One chunk of a chat completion."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


RESPONSE: dict[str, Any] = {
    "id": "resp_1", "object": "response", "created_at": 1, "model": "o3", "status": "in_progress", "output": [],
    "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
}  # fmt: skip


def responses(sealed: str) -> list[dict[str, Any]]:
    """A response that thinks and calls a tool; its reasoning goes back sealed."""
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": None}
    done = {**reasoning, "summary": [{"type": "summary_text", "text": "disk first"}], "encrypted_content": sealed}
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "host__disk_usage", "arguments": ""}
    called = {**call, "arguments": '{"path": "/"}', "status": "completed"}
    usage = {
        "input_tokens": 30, "output_tokens": 12, "total_tokens": 42,
        "input_tokens_details": {"cached_tokens": 4}, "output_tokens_details": {"reasoning_tokens": 7},
    }  # fmt: skip
    end = {**RESPONSE, "status": "completed", "output": [done, called], "usage": usage}
    return numbered(
        {"type": "response.created", "response": RESPONSE},
        {"type": "response.output_item.added", "output_index": 0, "item": reasoning},
        {"type": "response.reasoning_summary_part.added", "item_id": "rs_1", "output_index": 0, "summary_index": 0,
         "part": {"type": "summary_text", "text": ""}},
        {"type": "response.reasoning_summary_text.delta", "item_id": "rs_1", "output_index": 0, "summary_index": 0,
         "delta": "disk first"},
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        {"type": "response.output_item.added", "output_index": 1, "item": call},
        {"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 1, "delta": '{"path": "/"}'},
        {"type": "response.output_item.done", "output_index": 1, "item": called},
        {"type": "response.completed", "response": end},
    )  # fmt: skip


def numbered(*events: dict[str, Any]) -> list[dict[str, Any]]:
    """The events in their order."""
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def stream_of_llama(name: str) -> str:
    """The raw answer of a llama.cpp server (`streams/README.md`)."""
    return (Path(__file__).parent / "streams" / f"{name}.sse").read_text()


def events_of_llama(name: str) -> list[dict[str, Any]]:
    """The events of such an answer, without its last line and its signs of life."""
    lines = (line.removeprefix("data: ") for line in stream_of_llama(name).splitlines() if line.startswith("data: {"))
    return [json.loads(line) for line in lines]

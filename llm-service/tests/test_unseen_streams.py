"""Streams that were written after all the other sets, from reports about servers and gateways of other authors."""

import json

import pytest

from test_foreign_streams import (
    BUSY,
    CREDENTIALS,
    DISK,
    DONE,
    ERROR,
    FULL,
    INVALID,
    Answer,
    Failure,
    agrees,
    call,
    chunk,
    played,
)

COUNTED = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}

# Each was read once before the readers were mended by any of them.
UNSEEN: dict[str, tuple[str, Answer | Failure]] = {
    "comments that a gateway made events of": (
        "data: : OPENROUTER PROCESSING\n\ndata: : OPENROUTER PROCESSING\n\n" + chunk({"content": "Full."}) + chunk({}, "stop") + DONE,
        FULL,
    ),
    "a message that grows beside its parts": (
        ('data: {"id":"c","choices":[{"index":0,"finish_reason":null,"delta":{"role":"assistant","content":"Fu"},"message":{"role":"assistant","content":"Fu"}}]}\n\n'
        'data: {"id":"c","choices":[{"index":0,"finish_reason":"stop","delta":{"role":"assistant","content":"ll."},"message":{"role":"assistant","content":"Full."}}]}\n\n'),
        FULL,
    ),
    "empty reasons of the end": (
        chunk({"content": "Fu"}, "") + chunk({"content": "ll."}, "") + chunk({}, "stop") + DONE, FULL,
    ),
    "no part in the last event": (
        chunk({"role": "assistant", "content": "Full."})
        + f'data: {json.dumps({"id": "c", "choices": [{"index": 0, "finish_reason": "stop"}], "usage": {**COUNTED, "prompt_cache_hit_tokens": 0, "prompt_cache_miss_tokens": 9}})}\n\n'
        + DONE,
        Answer("Full.", tokens=(9, 4)),
    ),
    "a failure and the end of the stream": (
        chunk({"content": "The"}) + 'data: {"error":{"message":"Upstream idle timeout exceeded"}}\n\n' + DONE,
        Failure(ERROR, True, "idle timeout"),
    ),
    "a token of the template in a name": (
        call(name="host__disk_usage<|channel|>commentary", arguments='{"path":"/"}') + chunk({}, "tool_calls") + DONE,
        Answer("", "", tuple(DISK), None, "tool_calls"),
    ),
    "a fence around the arguments": (
        call(name="host__disk_usage", arguments='```json\n{"path": "/"}\n```') + chunk({}, "tool_calls") + DONE,
        Answer("", "", tuple(DISK), None, "tool_calls"),
    ),
    "the names of a choice in another case": (
        'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Full."}}]}\n\n'
        'data: {"choices":[{"index":0,"delta":{},"finishReason":"MAX_TOKENS"}]}\n\n' + DONE,
        Answer("Full.", finish="length"),
    ),
    "tokens of reasoning beside those of the answer": (
        chunk({"reasoning_content": "hm"}) + chunk({"content": "Full."}) + chunk({}, "stop")
        + f'data: {json.dumps({"id": "c", "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 20, "completion_tokens_details": {"reasoning_tokens": 7}, "num_sources_used": 0}})}\n\n'
        + DONE,
        Answer("Full.", "hm", (), (9, 11)),
    ),
    "a space of names before a tool": (
        chunk({"tool_calls": [{"index": 0, "id": "functions.host__disk_usage:0", "type": "function", "function": {"name": "functions.host__disk_usage", "arguments": ""}}]})
        + chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"path":"/"}'}}]}) + chunk({}, "tool_calls") + DONE,
        Answer("", "", tuple(DISK), None, "tool_calls"),
    ),
    "an event on several lines": (
        'event: message\ndata: {"id": "c",\ndata: "choices": [{"index": 0, "finish_reason": "stop",\ndata: "delta": {"content": "Full."}}]}\n\n' + DONE,
        FULL,
    ),
    "lines that end with a carriage return": (
        (chunk({"content": "Full."}) + chunk({}, "stop") + DONE).replace("\n", "\r"), FULL,
    ),
    "an event that breaks off": (chunk({"content": "The"}) + 'data: {"id":"c","choices":[{"ind', Failure(ERROR, True)),
    "an answer that the server gave up": (chunk({"content": "The"}) + chunk({}, "abort") + DONE, Failure(ERROR, True)),
    "a failure on a line without a field": (
        chunk({"content": "The"}) + '{"error":"llama runner process has terminated: exit status 2"}\n',
        Failure(ERROR, True, "terminated"),
    ),
    "a list of errors": (
        '{"success":false,"errors":[{"code":10000,"message":"Authentication error"}],"messages":[],"result":null}',
        Failure(CREDENTIALS, False, "Authentication error"),
    ),
    "a sum that is too large": (
        'data: {"error":{"message":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`","http_status_code":422}}\n\n',
        Failure(INVALID, False, "must be <= 4096", window=4096),
    ),
    "usage in a trailer of its own": (
        chunk({"content": "Full."}) + chunk({}, "stop") + f'data: {json.dumps({"object": "chat.usage", "usage": COUNTED})}\n\n' + DONE,
        Answer("Full.", tokens=(9, 4)),
    ),
}  # fmt: skip

# Written with those above, and read once after the readers were mended by them.
UNSEEN_AGAIN: dict[str, tuple[str, Answer | Failure]] = {
    "an answer in parts of another name": (
        chunk({"content": [{"type": "output_text", "text": "Full.", "annotations": []}]}) + chunk({}, "stop") + DONE, FULL,
    ),
    "an event on each line, without a field": (
        (chunk({"content": "Fu"}) + chunk({"content": "ll."}) + chunk({}, "stop")).replace("data: ", "").replace("\n\n", "\n"), FULL,
    ),
    "a list of events": (
        "[" + ",".join(one.removeprefix("data: ").strip() for one in (chunk({"content": "Full."}), chunk({}, "stop"))) + "]", FULL,
    ),
    "a sentence behind the arguments": (
        call(name="host__disk_usage", arguments='{"path": "/"} I look at the disk.') + chunk({}, "tool_calls") + DONE,
        Answer("", "", tuple(DISK), None, "tool_calls"),
    ),
    "text and its reason in one event, and more text": (
        chunk({"content": "Fu"}, None) + chunk({"content": "ll."}, "STOP") + chunk({"content": ""}, "STOP") + DONE, FULL,
    ),
    "a failure in the choice": (
        chunk({"content": "The"})
        + 'data: {"id":"c","choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":{"code":502,"message":"Upstream error from P"}}]}\n\n',
        Failure(ERROR, True, "Upstream error"),
    ),
    "an error with its text in another member": (
        'data: {"error":{"type":"overloaded","detail":"The model is overloaded"}}\n\n', Failure(ERROR, True, "overloaded"),
    ),
    "usage with counts as texts": (
        chunk({"content": "Full."}) + chunk({}, "stop", usage={"prompt_tokens": "9", "completion_tokens": "4"}) + DONE,
        Answer("Full.", tokens=(9, 4)),
    ),
    "two calls, each whole, with the same number": (
        chunk({"tool_calls": [{"index": 0, "id": "a", "type": "function", "function": {"name": "host__disk_usage", "arguments": '{"path":"/"}'}}]})
        + chunk({"tool_calls": [{"index": 0, "id": "b", "type": "function", "function": {"name": "host__memory", "arguments": "{}"}}]})
        + chunk({}, "stop") + DONE,
        Answer("", "", (*DISK, ("host.memory", {})), None, "tool_calls"),
    ),
}  # fmt: skip

# Written after both, and read once as the readers stood then.
UNSEEN_AT_LAST: dict[str, tuple[str, Answer | Failure]] = {
    "a filter and its reason": (
        chunk({"content": "The"}) + chunk({}, "content_filter: PROHIBITED_CONTENT") + DONE, Failure(ERROR, False, "PROHIBITED_CONTENT"),
    ),
    "counts as fractions": (
        chunk({"content": "Full."}) + chunk({}, "stop", usage={"prompt_tokens": 9.0, "completion_tokens": 4.0}) + DONE,
        Answer("Full.", tokens=(9, 4)),
    ),
    "a failure in the text of a failure": (
        f'data: {json.dumps({"error": {"message": json.dumps({"error": {"message": "slow down", "code": 429}}), "type": "upstream_error"}})}\n\n',
        Failure(BUSY, True, "slow down"),
    ),
    "an envelope around each event": (
        "".join(
            f'data: {json.dumps({"code": 0, "msg": "", "data": json.loads(one.removeprefix("data: "))})}\n\n'
            for one in (chunk({"content": "Full."}), chunk({}, "stop"))
        ),
        FULL,
    ),
    "the message so far in each event": (
        'data: {"id":"c","choices":[{"index":0,"finish_reason":null,"message":{"role":"assistant","content":"Fu"}}]}\n\n'
         'data: {"id":"c","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Full."}}]}\n\n' + DONE,
        FULL,
    ),
}  # fmt: skip


@pytest.mark.parametrize("server", UNSEEN)
def test_a_stream_that_nobody_had_seen_is_read(server: str) -> None:
    raw, wanted = UNSEEN[server]
    for size in (5, 10_000):
        found = played(raw, size)
        assert agrees(found, wanted), found


@pytest.mark.parametrize("server", UNSEEN_AGAIN)
def test_a_stream_that_nobody_had_seen_again_is_read(server: str) -> None:
    raw, wanted = UNSEEN_AGAIN[server]
    for size in (5, 10_000):
        found = played(raw, size)
        assert agrees(found, wanted), found


@pytest.mark.parametrize("server", UNSEEN_AT_LAST)
def test_a_stream_that_nobody_had_seen_at_last_is_read(server: str) -> None:
    raw, wanted = UNSEEN_AT_LAST[server]
    for size in (5, 10_000):
        found = played(raw, size)
        assert agrees(found, wanted), found

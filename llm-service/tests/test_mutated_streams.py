"""Every recorded stream, and every form of calls and reasoning in one, mutated: it ends, and mark-up is never an answer."""

import json
import random
import re
import time
from collections.abc import Callable
from typing import Any

import pytest

import test_families
import test_markup
import test_other_forms
from llm_service.chunks import Call, Chunk, Text
from llm_service.errors import ProviderError
from llm_service.providers.chat_stream import ChatReader
from llm_service.providers.claude_stream import ClaudeReader
from llm_service.providers.markup import Markup, OpensInReasoningError
from llm_service.providers.responses_stream import ResponsesReader
from llm_service.providers.sse import Decoder
from llm_service.providers.tool_names import ToolNames
from llm_service.providers.wire import Reader
from recorded import claude, completion, responses, stream_of_llama
from test_markup import TOOLS

NAMES = ToolNames(TOOLS)
STREAMS = (
    "chat-call", "chat-call-as-text", "chat-length", "chat-schema", "chat-text", "messages-call", "messages-text",
)  # fmt: skip
TIMES = 150
# Of one mutated stream: without an end it would be far beyond.
SECONDS = 2.0
# Mark-up that is whole, where it begins a line: its tag with what stands in it. What a mutation broke in two, or put into a
# sentence, is no mark-up any more.
MARKS = re.compile(
    r"^\s*(?:<tool_call>\s*\{|\[TOOL_CALLS\]\s*\[?\{|<\|tool_calls?_(?:section_)?begin\|>|<｜tool▁calls▁begin｜>"
    r"|<function=host__\w+>|<invoke name=\"host__|<\|python_tag\|>\s*\{|<\|channel\|>|<think>|\[THINK\])",
    re.MULTILINE,
)


def wire(events: list[dict[str, Any]], *, named: bool = False) -> bytes:
    lines = [(f"event: {e['type']}\n" if named else "") + f"data: {json.dumps(e)}\n\n" for e in events]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()


def streamed(text: str, size: int) -> bytes:
    """A text as a server streams it, some characters at once."""
    parts = [text[at : at + size] for at in range(0, len(text), size)]
    return wire([*(completion({"content": part}) for part in parts), completion({}, "stop")])


def chat() -> Reader:
    return ChatReader(NAMES)


def messages() -> Reader:
    return ClaudeReader(NAMES, "anthropic")


RECORDED: dict[str, tuple[bytes, Callable[[], Reader]]] = {
    **{name: (stream_of_llama(name).encode(), messages if name[0] == "m" else chat) for name in STREAMS},
    "messages written": (
        wire(claude([{"type": "text", "text": ""}, {"type": "text_delta", "text": "I look."}]), named=True),
        messages,
    ),
    "responses written": (wire(responses("sealed"), named=True), lambda: ResponsesReader(NAMES, "openai")),
}
FORMS = {
    **{f"a call, {name}": text for name, text in test_markup.FORMS.items()},
    **{f"another call, {name}": text for name, text in test_other_forms.FORMS.items()},
    **{f"a family's call, {name}": text for name, text in test_families.CALLS.items()},
    **{f"reasoning, {name}": text for name, text in test_families.REASONING.items()},
}


def lines_lost(raw: bytes, draw: random.Random) -> bytes:
    return b"".join(line for line in raw.splitlines(keepends=True) if draw.random() > 0.04)


def lines_doubled(raw: bytes, draw: random.Random) -> bytes:
    return b"".join(line * (2 if draw.random() < 0.04 else 1) for line in raw.splitlines(keepends=True))


def cut(raw: bytes, draw: random.Random) -> bytes:
    return raw[: draw.randrange(len(raw))]


def bytes_changed(raw: bytes, draw: random.Random) -> bytes:
    found = bytearray(raw)
    for _ in range(draw.randrange(1, 6)):
        found[draw.randrange(len(found))] = draw.randrange(256)
    return bytes(found)


def events_moved(raw: bytes, draw: random.Random) -> bytes:
    events = raw.split(b"\n\n")
    at = draw.randrange(len(events))
    one = events.pop(at)
    events.insert(draw.randrange(len(events) + 1), one)
    return b"\n\n".join(events)


def ends_changed(raw: bytes, draw: random.Random) -> bytes:
    return raw.replace(b"\n", draw.choice([b"\r\n", b"\r", b"\n\n", b"\n: keep-alive\n"]))


MUTATIONS = (lines_lost, lines_doubled, cut, bytes_changed, events_moved, ends_changed)


def read(raw: bytes, reader: Reader, size: int) -> list[Chunk] | None:
    """What llm-service makes of the bytes of a stream; none if it ends in a failure."""
    decoder, markup = Decoder(), Markup(TOOLS)
    found: list[Chunk] = []
    try:
        for start in range(0, len(raw), size):
            for event in decoder.feed(raw[start : start + size]):
                found += [made for chunk in reader.read(event) for made in markup.feed(chunk)]
        for event in decoder.end():
            found += [made for chunk in reader.read(event) for made in markup.feed(chunk)]
        return [*found, *markup.end(reader.end())]
    except (ProviderError, OpensInReasoningError):
        return None


def checked(raw: bytes, reader: Reader, draw: random.Random) -> bool:
    """Whether an answer came of it."""
    began = time.monotonic()
    chunks = read(raw, reader, draw.choice([7, 97, 1_000_000]))
    assert time.monotonic() - began < SECONDS
    if chunks is None:
        return False
    text = "".join(chunk.content for chunk in chunks if isinstance(chunk, Text))
    assert not MARKS.search(text), text
    for chunk in chunks:
        assert not isinstance(chunk, Call) or not MARKS.search(chunk.arguments), chunk
    return True


@pytest.mark.parametrize("name", RECORDED)
def test_a_mutated_recording_ends_in_an_answer_or_in_a_failure(name: str) -> None:
    draw = random.Random(33)  # noqa: S311 - inputs of a test
    raw, reader = RECORDED[name]
    assert checked(raw, reader(), draw)
    answers = 0
    for number in range(TIMES):
        mutated = MUTATIONS[number % len(MUTATIONS)](raw, draw)
        if draw.random() < 0.2:
            mutated = draw.choice(MUTATIONS)(mutated, draw) if mutated else mutated
        answers += checked(mutated, reader(), draw)
    assert TIMES // 10 < answers < TIMES


@pytest.mark.parametrize("name", FORMS)
def test_mutated_mark_up_is_never_an_answer(name: str) -> None:
    draw = random.Random(34)  # noqa: S311 - inputs of a test
    for number in range(24):
        raw = streamed(FORMS[name], draw.choice([1, 3, 8, 1_000]))
        checked(MUTATIONS[number % 3](raw, draw), chat(), draw)
        checked(events_moved(raw, draw), chat(), draw)

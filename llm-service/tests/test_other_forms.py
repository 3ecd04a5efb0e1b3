"""Mark-up, streams and refusals in forms that nobody here has seen before: what holds for the class holds for them."""

import json
from typing import Any

import pytest

from llm_service.chunks import Call, Chunk, Finish
from llm_service.errors import ErrorCode, ProviderError
from llm_service.finish_reason import FinishReason
from llm_service.providers.chat_stream import ChatReader
from llm_service.providers.claude_stream import ClaudeReader
from llm_service.providers.refusals import broken_off, refused
from llm_service.providers.tool_names import ToolNames
from recorded import completion
from test_markup import ARGUMENTS, DISK, THE_CALL, TOOLS, called, read, text_in, thought

NAME = "host__disk_usage"
WITH_PARAMETERS = DISK.replace("arguments", "parameters")
PAIRS = [("path", "/"), ("depth", "2")]
KEYWORDS = f'{NAME}(path="/", depth=2)'


def tags(form: str) -> str:
    """A tag for each argument."""
    return "\n".join(form.format(key=key, value=value) for key, value in PAIRS)


FORMS = {
    "a list of calls": f"[{KEYWORDS}]",
    "a list between tokens": f"<|calls_begin|>[{KEYWORDS}]<|calls_end|>",
    "parentheses in a tag": f"<tool_call>{KEYWORDS}</tool_call>",
    "parentheses in a block": f"<function_calls>\n{KEYWORDS}\n</function_calls>",
    "parentheses in a fence for tools": f"```tool_code\n{KEYWORDS}\n```",
    "arguments without names": f'<tool_call>{NAME}("/", 2)</tool_call>',
    "JSON behind two tokens": f"<|action_start|><|plugin|>\n{WITH_PARAMETERS}<|action_end|>",
    "a list with ids": f'<|START_ACTION|>[{{"tool_call_id": "0", {WITH_PARAMETERS[1:]}]<|END_ACTION|>',
    "the name as the key": f'<|tools_prefix|>[{{"{NAME}": {ARGUMENTS}}}]<|tools_suffix|>',
    "a list in a tag": f"<TOOLCALL>[{DISK}]</TOOLCALL>",
    "a tag without an end": f"<function_call> {DISK}",
    "a word before a list": f"functools[{DISK}]",
    "words before a list": f"-> tool/function_call\n[{DISK}]",
    "a name before a token": f"[TOOL_CALLS]{NAME}[ARGS]{ARGUMENTS}",
    "a name before a whole call": f"<|message|>{NAME}<|invoke_json|>{DISK}<|end_message|>",
    "tokens around name and arguments": f"<|x:begin_name:x|>{NAME}<|x:end_name:x|><|x:msg|>{ARGUMENTS}<|x:end:x|>",
    "a prefix of the tags": f'<step:invoke name="{NAME}">{tags("<step:parameter name={key!r}>{value}</step:parameter>")}'.replace(
        "'", '"'
    )
    + "</step:invoke>",
    "a prefix of keys and values": f"<long_tool_call>{NAME}\n"
    f"{tags('<long_arg_key>{key}</long_arg_key><long_arg_value>{value}</long_arg_value>')}\n</long_tool_call>",
    "short tags": f'<function name="{NAME}">{tags("<param name={key!r}>{value}</param>")}</function>'.replace("'", '"'),
    "tags that are tokens": f'<|open|>tools<|sep|><|open|>call tool="{NAME}" index="1"<|sep|>'
    + tags("<|open|>argument key={key!r} type='x'<|sep|>{value}<|close|>argument<|sep|>").replace("'", '"')
    + "<|close|>call<|sep|><|close|>tools<|sep|>",
    "the tool as the tag": f"<{NAME}>\n{tags('<{key}>{value}</{key}>')}\n</{NAME}>",
    "quotation marks that are tokens": f'<|tool_call>call:{NAME}{{path:<|"|>/<|"|>,depth:2}}<tool_call|>',
    "escapes": f"<start_function_call>call:{NAME}{{path:<escape>/<escape>,depth:2}}<end_function_call>",
    "JSON in the tag": f"<function={NAME}{ARGUMENTS}</function>",
    "JSON that ends twice": f"<tool_call>\n{DISK}\n</tool_call>\n</tool_call>",
    "quotation marks of Python": f"<tool_call>\n{DISK}\n</tool_call>".replace('"', "'"),
    "a comma too many": f"<tool_call>\n{DISK[:-2]},}}}}\n</tool_call>",
    "a brace too few": f"<tool_call>\n{DISK[:-1]}\n</tool_call>",
    "braces that are doubled": f"<tool_call>\n{{{DISK}}}\n</tool_call>",
    "a tag in a fence": f"```xml\n<tool_call>\n{DISK}\n</tool_call>\n```",
}


@pytest.mark.parametrize("form", FORMS)
def test_what_names_an_offered_tool_in_mark_up_is_a_call(form: str) -> None:
    for size in (1, 5, 10_000):
        for before in ("", "I look at the disk.\n"):
            chunks = read(before + FORMS[form], size)
            assert (called(chunks), text_in(chunks).strip()) == ([THE_CALL], before.strip())


@pytest.mark.parametrize(
    "text",
    [
        f"<{NAME}> shows 97 %.",
        f"[{NAME}](https://a.example) says so.",
        f"```python\n{NAME.replace('disk', 'other')}(path='/')\n```\nis what I would write.",
        f"I called {KEYWORDS} and it says 97 %.",
        "<action>restart the pod</action> is what the runbook says.",
        "The broker logs <|im_start|> at\nevery line.",
        "<output> is the name of the element that is missing.",
    ],
)
@pytest.mark.parametrize("size", [1, 5, 10_000])
def test_an_answer_about_tools_and_tags_is_not_changed(text: str, size: int) -> None:
    chunks = read(text, size)
    assert (text_in(chunks), called(chunks)) == (text, [])


@pytest.mark.parametrize(
    "text", [KEYWORDS[:-3], f'{NAME}(path=open("/"))', f'{NAME}(**{{"path": "/"}})', f"{NAME}(path=1/0)"]
)
def test_what_is_cut_or_more_than_a_call_is_never_made(text: str) -> None:
    with pytest.raises(ProviderError, match="fits no tool"):
        read(f"<tool_call>{text}")


@pytest.mark.parametrize(
    "text",
    [
        "<|START_THINKING|>hm<|END_THINKING|><|START_RESPONSE|>Full.<|END_RESPONSE|>",
        "<|x:begin_think:x|>hm<|x:end_think:x|>Full.",
        "<|open|>think<|sep|>hm<|close|>think<|sep|><|open|>response<|sep|>Full.<|close|>response<|sep|>",
        "<|channel>thought\nhm<channel|>Full.",
        "<|inner_prefix|>hm<|inner_suffix|>Full.",
        "<x:think>hm</x:think>Full.",
        "<reason>hm</reason>Full.",
        "<think>\nhm\n</think>\n<answer>\nFull.\n</answer>",
    ],
)
@pytest.mark.parametrize("size", [1, 4, 10_000])
def test_reasoning_between_marks_of_any_kind_is_thinking(text: str, size: int) -> None:
    chunks = read(text, size)
    assert (text_in(chunks).strip(), thought(chunks).strip()) == ("Full.", "hm")


def calls_in(events: list[dict[str, Any]], reader: ChatReader | ClaudeReader) -> list[tuple[str, Any]]:
    chunks: list[Chunk] = [chunk for event in events for chunk in reader.read(event)] + reader.end()
    assert Finish(FinishReason.TOOL_CALLS) in chunks
    return [(one.name, json.loads(one.arguments)) for one in chunks if isinstance(one, Call)]


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        (NAME, ["", "path", '": "/", "depth": 2}']),
        (NAME, ["[ARGS]", ARGUMENTS]),
        (NAME, [ARGUMENTS, "</tool_call>"]),
        (NAME, ["{'path': '/', 'depth': 2}"]),
        (f"functions.{NAME}", [ARGUMENTS]),
        (f"{NAME}<|channel|>commentary", [ARGUMENTS]),
        (f"{NAME}:0", [ARGUMENTS]),
    ],
)
def test_names_and_arguments_lose_the_mark_up_around_them(name: str, parts: list[str]) -> None:
    names = ToolNames(TOOLS)
    calls = [{"index": 0, "function": {"arguments": part}} for part in parts]
    first = {"index": 0, "id": "a", "function": {"name": name, "arguments": ""}}
    events = [completion({"tool_calls": [one]}) for one in [first, *calls]]
    assert calls_in([*events, completion({}, "tool_calls")], ChatReader(names)) == [THE_CALL]
    block = {"type": "tool_use", "id": "a", "name": name, "input": {}}
    deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts]
    messages: list[dict[str, Any]] = [
        {"type": "content_block_start", "index": 0, "content_block": block},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
    ]
    assert calls_in(messages, ClaudeReader(names, "anthropic")) == [THE_CALL]


@pytest.mark.parametrize("reason", ["error", "network_error", "abort"])
def test_an_answer_that_the_server_broke_off_is_tried_again(reason: str) -> None:
    reader = ChatReader(ToolNames(TOOLS))
    reader.read(completion({"content": "The disk"}))
    reader.read(completion({}, reason))
    with pytest.raises(ProviderError) as raised:
        reader.end()
    assert raised.value.retryable


@pytest.mark.parametrize(
    ("error", "code", "again"),
    [
        ({"message": "The model has crashed. (Exit code: 9)"}, ErrorCode.PROVIDER_ERROR, True),
        ({"message": "generation: out of memory"}, ErrorCode.PROVIDER_ERROR, True),
        ({"message": "(ThrottlingException) Too many tokens, please wait"}, ErrorCode.RATE_LIMITED, True),
        ({"message": "Failed to call a function", "code": "tool_use_failed"}, ErrorCode.PROVIDER_ERROR, True),
        ({"message": "quota exceeded"}, ErrorCode.CREDENTIALS, False),
        ({"message": "the image has no such format"}, ErrorCode.PROVIDER_ERROR, False),
    ],
)
def test_a_failure_without_a_code_is_known_by_its_words(error: dict[str, Any], code: ErrorCode, again: bool) -> None:
    found = broken_off({"error": error}, "")
    assert found is not None
    assert (found.code, found.retryable) == (code, again)


@pytest.mark.parametrize(
    ("status", "message", "kind", "window"),
    [
        (
            400,
            "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
            "invalid_request_error",
            200_000,
        ),
        (413, "Request too large on tokens per minute: Limit 6000, Requested 7012", "rate_limit_exceeded", 6_000),
        (400, "prompt is too long: 208310 tokens > 200000 maximum", "invalid_request_error", 200_000),
    ],
)
def test_a_limit_is_read_from_sums_and_rates(status: int, message: str, kind: str, window: int) -> None:
    body = json.dumps({"error": {"message": message, "type": "tokens", "code": kind}}).encode()
    error = refused(status, {}, body, "")
    assert error.overflow is not None
    assert (error.overflow.window, error.retryable) == (window, False)

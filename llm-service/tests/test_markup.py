"""Mark-up in the text of an answer: reasoning in tags, and tool calls in the forms of many models."""

import json
import random
from typing import Any

import pytest

from conftest import calls_of, collect, finish_of, only, text_of, thinking_of, tool
from llm_service.chunks import Call, Chunk, Finish, Text, Thinking
from llm_service.errors import ProviderError
from llm_service.finish_reason import FinishReason
from llm_service.providers.markup import Markup, OpensInReasoningError
from llm_service.turn import Tool
from recorded import claude, completion
from sse import SseServer
from vendors import CHAT, CLAUDE_THINKING, Vendor

SCHEMA = json.dumps({"type": "object", "properties": {"path": {"type": "string"}, "depth": {"type": "integer"}}})
TOOLS = (Tool("host.disk_usage", "Disk", SCHEMA), Tool("host.memory", "Memory", "{}"))
DISK = '{"name": "host__disk_usage", "arguments": {"path": "/", "depth": 2}}'
ARGUMENTS = '{"path": "/", "depth": 2}'
XML = "<parameter=path>\n/\n</parameter>\n<parameter=depth>\n2\n</parameter>"
# One call each, as models write it.
FORMS = {
    "hermes": f"<tool_call>\n{DISK}\n</tool_call>",
    "hermes without an end": f"<tool_call>\n{DISK}",
    "hermes with the name as we write it": f"<tool_call>{DISK.replace('__', '.')}</tool_call>",
    "qwen coder": f"<tool_call>\n<function=host__disk_usage>\n{XML}\n</function>\n</tool_call>",
    "qwen coder without its outer tag": f"<function=host__disk_usage>\n{XML}\n</function>",
    "functionary": f"<function=host__disk_usage>{ARGUMENTS}</function>",
    "glm": "<tool_call>host__disk_usage\n<arg_key>path</arg_key>\n<arg_value>/</arg_value>\n"
    "<arg_key>depth</arg_key>\n<arg_value>2</arg_value>\n</tool_call>",
    "kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.host__disk_usage:0"
    f"<|tool_call_argument_begin|>{ARGUMENTS}<|tool_call_end|><|tool_calls_section_end|>",
    "gpt-oss": "<|start|>assistant<|channel|>commentary to=functions.host__disk_usage <|constrain|>json"
    f"<|message|>{ARGUMENTS}<|call|>",
    "gpt-oss, the other order": "<|start|>assistant to=functions.host__disk_usage<|channel|>commentary json"
    f"<|message|>{ARGUMENTS}<|call|>",
    "deepseek r1": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>host__disk_usage\n"
    f"```json\n{ARGUMENTS}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek v3.1": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>host__disk_usage<｜tool▁sep｜>"
    f"{ARGUMENTS}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek v3.2": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="host__disk_usage">\n'
    '<｜DSML｜parameter name="path" string="true">/</｜DSML｜parameter>\n'
    '<｜DSML｜parameter name="depth" string="false">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    "minimax": '<minimax:tool_call>\n<invoke name="host__disk_usage">\n<parameter name="path">/</parameter>\n'
    '<parameter name="depth">2</parameter>\n</invoke>\n</minimax:tool_call>',
    "mistral": f"[TOOL_CALLS][{DISK}]",
    "mistral, newer": f"[TOOL_CALLS]host__disk_usage[ARGS]{ARGUMENTS}",
    "llama": f"<|python_tag|>{DISK.replace('arguments', 'parameters')}<|eom_id|>",
    "llama without a tag": DISK.replace("arguments", "parameters"),
    "a list": f"[{DISK}]",
    "the form of OpenAI": f'{{"type": "function", "function": {DISK}}}',
    "fenced": f"```json\n{DISK}\n```",
    "fenced without a word": f"```\n{DISK}\n```",
    "arguments as a text": json.dumps({"name": "host__disk_usage", "arguments": ARGUMENTS}),
}


def read(
    text: str, size: int = 3, tools: tuple[Tool, ...] = TOOLS, *, implied: bool = False, **end: Any
) -> list[Chunk]:
    """What becomes of a text that arrives in pieces."""
    markup = Markup(tools, opens_in_reasoning=implied)
    found = [one for at in range(0, len(text), size) for one in markup.feed(Text(text[at : at + size]))]
    return [*found, *markup.end([Finish(end.get("finish", FinishReason.STOP))])]


def text_in(chunks: list[Chunk]) -> str:
    return "".join(one.content for one in chunks if isinstance(one, Text))


def thought(chunks: list[Chunk]) -> str:
    return "".join(one.content for one in chunks if isinstance(one, Thinking))


def called(chunks: list[Chunk]) -> list[tuple[str, Any]]:
    return [(one.name, json.loads(one.arguments)) for one in chunks if isinstance(one, Call)]


THE_CALL = ("host.disk_usage", {"path": "/", "depth": 2})


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("form", FORMS)
def test_a_call_that_is_written_as_text_is_made(form: str, size: int) -> None:
    chunks = read(FORMS[form], size)
    assert (called(chunks), text_in(chunks).strip()) == ([THE_CALL], "")
    assert chunks[-1] == Finish(FinishReason.TOOL_CALLS)


@pytest.mark.parametrize("form", [one for one, text in FORMS.items() if text[0] not in "{[" or "TOOL_CALLS" in text])
def test_what_stands_before_a_call_stays_text(form: str) -> None:
    chunks = read(f"I look at the disk.\n{FORMS[form]}")
    assert (called(chunks), text_in(chunks).strip()) == ([THE_CALL], "I look at the disk.")


def test_several_calls_are_several() -> None:
    other = '<tool_call>{"name": "host__memory", "arguments": {}}</tool_call>'
    chunks = read(f"{FORMS['hermes']}\n{other}\n{other}")
    assert called(chunks) == [THE_CALL, ("host.memory", {})]


def test_a_call_that_the_server_has_read_as_well_is_made_once() -> None:
    markup = Markup(TOOLS)
    list(markup.feed(Text(FORMS["hermes"])))
    known = Call("call_1", "host.disk_usage", '{"depth": 2, "path": "/"}')
    chunks = list(markup.end([known, Finish(FinishReason.TOOL_CALLS)]))
    assert [one for one in chunks if isinstance(one, Call)] == [known]


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "rm", "arguments": {}}</tool_call>',
        '<tool_call>{"name": "host__disk_usage", "argu',
        '<|tool_call_begin|>functions.rm:0<|tool_call_argument_begin|>{"a": 1}<|tool_call_end|>',
        '{"name": "host__disk_usage", "arguments": {"path": ',
        "<function=rm>\n<parameter=a>1</parameter></function>",
        "[TOOL_CALLS]",
    ],
)
@pytest.mark.parametrize("size", [1, 10_000])
def test_an_answer_of_mark_up_alone_is_a_failure_that_names_the_cure(text: str, size: int) -> None:
    with pytest.raises(ProviderError, match="tool parser") as raised:
        read(text, size)
    assert "react" in raised.value.message
    assert raised.value.retryable


INVENTED = '{"name": "host__list_files", "arguments": {"path": "/"}}'


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{INVENTED}\n```",
        f"```\n{INVENTED}",
        INVENTED,
        f"[{INVENTED}, {INVENTED}]",
        f'{{"type": "function", "function": {INVENTED}}}',
        f"<think>hm</think>\n```json\n{INVENTED}\n```",
    ],
)
@pytest.mark.parametrize("size", [1, 5, 10_000])
def test_an_answer_that_is_only_a_call_to_a_tool_that_nobody_offers_is_a_failure(text: str, size: int) -> None:
    with pytest.raises(ProviderError, match="fits no tool") as raised:
        read(text, size)
    assert raised.value.retryable


def test_a_call_in_text_that_was_cut_is_never_made() -> None:
    with pytest.raises(ProviderError, match="inside a tool call"):
        read('<tool_call>{"name": "host__disk_usage", "argu', finish=FinishReason.LENGTH)


@pytest.mark.parametrize(
    "text",
    [
        "The pod logs `<tool_call>` and ends.\nNothing else.",
        "The model wrote <tool_call> instead of a call, and the parser failed.",
        '```json\n{"status": "full"}\n```\nThe disk is full.',
        '```yaml\nname: host__disk_usage\n```\nDone.\n```\n{"a": 1}\n```',
        '{"verdict": "full", "confidence": 2}',
        f"The model wrote a call:\n```json\n{INVENTED}\n```\nThere is no such tool.",
        f"```json\n{INVENTED}\n```\nThere is no such tool.",
        '{"name": "host-1", "parameters": {"a": 1}, "status": "full"}',
        "[Runbook](https://a.example) says so.",
        "[1, 2]",
        "The log says:\n```\n2026 error <think>\n```\nand `</think>` is its end.",
        "a < b, [x] and ``code``",
        "The server sends <|python_tag|> as text.\nIts template is the cause.",
        "Use <function=name> as the docs say.",
    ],
)
@pytest.mark.parametrize("size", [1, 5, 10_000])
def test_an_answer_that_is_about_mark_up_is_not_changed(text: str, size: int) -> None:
    chunks = read(text, size)
    assert (text_in(chunks), called(chunks)) == (text, [])


@pytest.mark.parametrize(
    "text", [FORMS["hermes"], FORMS["fenced"], FORMS["mistral"], "Action: host.load\nAction Input: {}"]
)
def test_without_tools_on_offer_calls_stay_text(text: str) -> None:
    assert text_in(read(text, tools=())) == text


@pytest.mark.parametrize(
    "text",
    [
        "<think>hm</think>\n\nFull.",
        "\n<think>\nhm\n</think>\nFull.",
        "<thinking>hm</thinking>Full.",
        "[THINK]hm[/THINK]Full.",
        "◁think▷hm◁/think▷Full.",
        "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Full.<|return|>",
    ],
)
@pytest.mark.parametrize("size", [1, 4, 10_000])
def test_reasoning_in_tags_is_thinking(text: str, size: int) -> None:
    for tools in (TOOLS, ()):
        chunks = read(text, size, tools)
        assert (text_in(chunks).strip(), thought(chunks).strip()) == ("Full.", "hm")


def test_reasoning_without_an_end_is_the_answer() -> None:
    assert text_in(read("<think>Full.")) == "Full."


def test_a_call_behind_reasoning_is_made() -> None:
    chunks = read(f"<think>first the disk</think>\n{FORMS['hermes']}")
    assert (called(chunks), thought(chunks)) == ([THE_CALL], "first the disk")


def test_reasoning_of_which_only_the_end_is_sent_is_known_the_next_time() -> None:
    text = "first the disk\n</think>\n\nFull."
    with pytest.raises(OpensInReasoningError):
        read(text)
    chunks = read(text, implied=True)
    assert (text_in(chunks), thought(chunks)) == ("Full.", "first the disk\n")
    assert text_in(read("Full.", implied=True)) == "Full."


@pytest.mark.parametrize("vendor", [CHAT, CLAUDE_THINKING], ids=str)
async def test_a_server_without_a_tool_parser_is_used_all_the_same(
    vendor: Vendor, vendor_server: SseServer, serve: Any
) -> None:
    text = f"<think>hm</think>\n{FORMS['hermes']}"
    if vendor is CHAT:
        vendor_server.play(completion({"content": text}), completion({}, "stop"))
    else:
        deltas = [{"type": "text_delta", "text": text}]
        vendor_server.play(*claude([{"type": "text", "text": ""}, *deltas], stop="end_turn"), named=True)
    request = vendor.ask(vendor_server.url)
    request.tools.append(tool("host.disk_usage", "Disk", {"path": {"type": "string"}}))
    chunks = await collect((await serve()).Generate(request))
    assert (text_of(chunks).strip(), thinking_of(chunks), finish_of(chunks)) == ("", "hm", "tool_calls")
    (call,) = calls_of(chunks)
    assert (call.name, json.loads(call.arguments)) == THE_CALL


async def test_an_end_of_reasoning_without_its_beginning_is_retried_and_understood(
    vendor_server: SseServer, serve: Any
) -> None:
    stub = await serve()
    for _ in range(2):
        vendor_server.play(completion({"content": "first the disk\n</think>\n\nFull."}), completion({}, "stop"))
    error = only(await collect(stub.Generate(CHAT.ask(vendor_server.url))), "error")
    assert error.retryable
    chunks = await collect(stub.Generate(CHAT.ask(vendor_server.url)))
    assert (text_of(chunks), thinking_of(chunks)) == ("Full.", "first the disk\n")


def test_mutated_mark_up_is_never_a_finding() -> None:
    draw = random.Random(7)  # noqa: S311 - inputs of a test
    tokens = ("<tool_call>", "<function=", "<|tool_call", "<｜tool", "<｜DSML｜", "[TOOL_CALLS]", "<|python_tag|>")
    made = 0
    for _ in range(4_000):
        text = draw.choice(list(FORMS.values()))
        for _ in range(draw.randrange(3)):
            at = draw.randrange(len(text))
            text = draw.choice((text[:at], text[:at] + draw.choice(('"', "{", "}", "x", "\n", "")) + text[at + 1 :]))
            text = text or "x"
        starts = next((one for one in tokens if text.startswith(one)), "")
        try:
            chunks = read(text, draw.randrange(1, 40))
        except ProviderError:
            continue
        made += bool(called(chunks))
        assert not (starts and text_in(chunks).lstrip().startswith(starts)), text
    assert made > 500

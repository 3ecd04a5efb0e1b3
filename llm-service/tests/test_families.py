"""Calls and reasoning as families of models write them, by their chat templates and the tool parsers of their servers."""

import json

import pytest

from test_markup import ARGUMENTS, DISK, THE_CALL, TOOLS, called, read, text_in, thought

NAME = "host__disk_usage"
AS_TEXT = json.dumps({"name": NAME, "arguments": ARGUMENTS})
XML = "<parameter=path>/</parameter>\n<parameter=depth>2</parameter>"
KEYWORDS = f'{NAME}(path="/", depth=2)'
COHERE = f'[{{"tool_name": "{NAME}", "parameters": {ARGUMENTS}}}]'
CALLS = {
    "GLM 4": f"{NAME}\n{ARGUMENTS}",
    "GLM 4.5 in one line": f"<tool_call>{NAME}<arg_key>path</arg_key><arg_value>/</arg_value>"
    "<arg_key>depth</arg_key><arg_value>2</arg_value></tool_call>",
    "MiniMax M1": f"<tool_calls>\n{DISK}\n</tool_calls>",
    "MiniMax M2": f'<minimax:tool_call>\n<invoke name="{NAME}">\n<parameter name="path">/</parameter>\n'
    '<parameter name="depth">2</parameter>\n</invoke>\n</minimax:tool_call>',
    "Command R": f"Action: ```json\n{COHERE}\n```",
    "Command R7B": f'<|START_ACTION|>[\n    {{"tool_call_id": "0", {COHERE[2:-2]}}}\n]<|END_ACTION|>',
    "Phi 4 mini": f"<|tool_call|>[{DISK}]<|/tool_call|>",
    "Phi 4 mini, the other form": f"functools[{DISK}]",
    "Nemotron": f"<TOOLCALL>[{DISK}]</TOOLCALL>",
    "Nemotron Nano 3": f"<tool_call>\n<function={NAME}>\n{XML}\n</function>\n</tool_call>",
    "ERNIE 4.5": f"<tool_call>\n{DISK}\n</tool_call>\n\n",
    "Hunyuan A13B": f"<tool_calls>[{DISK}]</tool_calls>",
    "Hunyuan, dense": f"<tool_calls>\n<tool_call>{NAME}\n```json\n{ARGUMENTS}\n```\n</tool_call>\n</tool_calls>",
    "Seed-OSS": f"<seed:tool_call>\n<function={NAME}>\n{XML}\n</function>\n</seed:tool_call>",
    "InternLM 2": f"<|action_start|><|plugin|>\n{DISK.replace('arguments', 'parameters')}<|action_end|>\n",
    "LFM 2": f"<|tool_call_start|>[{KEYWORDS}]<|tool_call_end|>",
    "Apertus": f'<|tools_prefix|>[{{"{NAME}": {ARGUMENTS}}}]<|tools_suffix|>',
    "Jamba": f"<tool_calls>[\n    {AS_TEXT}\n]</tool_calls>",
    "StarCoder and others in a fence for calls": f"```tool_call\n{DISK}\n```",
    "Functionary 3.2": f">>>{NAME}\n{ARGUMENTS}",
    "Solar": f"<|tool_calls:begin|><|tool_call:begin|>1<|tool_call:name|>{NAME}<|tool_call:args|>{ARGUMENTS}"
    "<|tool_call:end|><|tool_calls:end|>",
    "Step 3": f'<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="{NAME}">'
    '<steptml:parameter name="path">/</steptml:parameter><steptml:parameter name="depth">2</steptml:parameter>'
    "</steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>",
    "Mistral with an id": f"[TOOL_CALLS]{NAME}[CALL_ID]a1b2c3d4e[ARGS]{ARGUMENTS}",
    "Llama 4": f"<|python_start|>[{KEYWORDS}]<|python_end|>",
    "Granite 3": f"<|tool_call|>[{DISK}]",
    "Granite 4": f"<tool_call>{DISK}</tool_call>",
    "OLMo 3": f"<function_calls>\n{KEYWORDS}\n</function_calls>",
    "SmolLM 3 in Python": f"<code>\n{KEYWORDS}\n</code>",
    "xLAM in a list": f"[{DISK}]",
    "EXAONE": f"<tool_call>{DISK}</tool_call>[|endofturn|]",
    "GigaChat": f"function call<|role_sep|>\n{DISK}",
    "Kimi with spaces": f"<|tool_calls_section_begin|>\n<|tool_call_begin|>functions.{NAME}:12 <|tool_call_argument_begin|> "
    f"{ARGUMENTS} <|tool_call_end|>\n<|tool_calls_section_end|>",
    "arguments as a text inside a tag": f"<tool_call>{AS_TEXT}</tool_call>",
}


@pytest.mark.parametrize("family", CALLS)
def test_a_call_of_a_family_is_one_call_and_no_text(family: str) -> None:
    for size in (1, 4, 11, 10_000):
        chunks = read(CALLS[family], size)
        assert (called(chunks), text_in(chunks).strip()) == ([THE_CALL], ""), size


@pytest.mark.parametrize("family", [one for one in CALLS if one not in ("GLM 4", "xLAM in a list")])
def test_what_a_family_writes_before_its_call_stays_text(family: str) -> None:
    for size in (1, 4, 10_000):
        chunks = read(f"I look at the disk.\n{CALLS[family]}", size)
        assert (called(chunks), text_in(chunks).strip()) == ([THE_CALL], "I look at the disk."), size


@pytest.mark.parametrize(
    "text",
    [
        f"{NAME}\nshows 97 %.",
        f"{NAME} is the tool that I would call.",
        "Action: restart the pod.\nThen look again.",
        ">>> is the prompt of the console.",
        "<code>df -h</code> shows 97 %.",
        f"Here is my answer: {NAME} shows 97 %.",
    ],
)
def test_a_text_that_begins_like_a_call_stays_a_text(text: str) -> None:
    for size in (1, 4, 10_000):
        chunks = read(text, size)
        assert (text_in(chunks), called(chunks)) == (text, []), size


REASONING = {
    "Granite": "Here is my thought process:\nhm\nHere is my response:\nFull.",
    "Granite, shorter": "Here's my thought process: hm Here's my response: Full.",
    "Granite, mixed": "Here's my thought process:\n\nhm\n\nHere is my response: Full.",
    "ERNIE 4.5": "<think>\nhm\n</think>\n\n<response>\nFull.\n</response>\n",
    "Hunyuan": "<think>\nhm\n</think>\n<answer>\nFull.\n</answer>",
    "Seed-OSS": "<seed:think>hm</seed:think>Full.",
    "Command A": "<|START_THINKING|>hm<|END_THINKING|><|START_RESPONSE|>Full.<|END_RESPONSE|>",
    "Magistral": "[THINK]hm[/THINK]Full.",
    "Kimi VL": "◁think▷hm◁/think▷Full.",
    "Apertus": "<|inner_prefix|>hm<|inner_suffix|>Full.",
    "Phi 4 reasoning": "<think>hm</think>Full.",
    "Solar": "<|think:start|>hm<|think:end|>Full.",
    "Nemotron": "<think>\nhm\n</think>\n\nFull.",
    "EXAONE": "<thought>\nhm\n</thought>\n\nFull.",
    "Hermes": "<scratch_pad>\nhm\n</scratch_pad>\nFull.",
    "Reflection": "<thinking>\nhm\n</thinking>\n\n<output>\nFull.\n</output>",
}


@pytest.mark.parametrize("family", REASONING)
def test_reasoning_of_a_family_is_thinking(family: str) -> None:
    for size in (1, 4, 11, 10_000):
        for tools in (TOOLS, ()):
            chunks = read(REASONING[family], size, tools)
            assert (text_in(chunks).strip(), thought(chunks).strip()) == ("Full.", "hm"), size


def test_a_call_behind_reasoning_in_prose_is_made() -> None:
    for size in (1, 4, 10_000):
        chunks = read(f"Here is my thought process: first the disk\nHere is my response:\n{CALLS['Granite 3']}", size)
        assert (called(chunks), thought(chunks).strip(), text_in(chunks).strip()) == ([THE_CALL], "first the disk", "")


def test_reasoning_in_prose_without_a_response_is_the_answer() -> None:
    for size in (1, 4, 10_000):
        assert text_in(read("Here is my thought process: Full.", size)).strip() == "Full."


@pytest.mark.parametrize("text", ["Here is my response: Full.", "Here is my thought: Full.", "Here is", "Here's my"])
def test_prose_that_is_no_reasoning_is_not_changed(text: str) -> None:
    for size in (1, 4, 10_000):
        assert text_in(read(text, size)) == text

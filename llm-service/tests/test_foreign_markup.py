"""Mark-up as models and clients of other authors write it, by their templates, parsers and bug reports."""

import html

import pytest

from llm_service.chunks import Finish
from llm_service.finish_reason import FinishReason
from test_markup import ARGUMENTS, DISK, THE_CALL, called, read, text_in, thought

NAME = "host__disk_usage"
KEYWORDS = f'{NAME}(path="/", depth=2)'
TAGS = '<parameter name="path">/</parameter>\n<parameter name="depth">2</parameter>'
XML = "<parameter=path>\n/\n</parameter>\n<parameter=depth>\n2\n</parameter>"
MEMORY = ("host.memory", {})
NOTHING = '{"name": "host__memory", "arguments": {}}'

# What is written, the calls, the text and the reasoning that are in it.
Read = tuple[str, list[tuple[str, object]], str, str]


def one(text: str, answer: str = "", thought_of: str = "") -> Read:
    """The one call that all of them make."""
    return (text, [THE_CALL], answer, thought_of)


def none(text: str, answer: str, thought_of: str = "") -> Read:
    return (text, [], answer, thought_of)


READ: dict[str, Read] = {
    # Calls.
    "Llama 3.1, a tool of its own": one(f'<|python_tag|>{NAME}.call(path="/", depth=2)<|eom_id|>'),
    "Llama 4 with its header": one(f"<|header_start|>assistant<|header_end|>\n\n[{KEYWORDS}]<|eot|>"),
    "Llama 3.2, two calls in Python": (f"[{KEYWORDS}, host__memory()]", [THE_CALL, MEMORY], "", ""),
    "Llama 3, an object on each line": (f"{DISK}\n{NOTHING}", [THE_CALL, MEMORY], "", ""),
    "Mistral 7 with its end": one(f'[TOOL_CALLS] [{DISK[:-1]}, "id": "a1b2c3d4e"}}]</s>'),
    "Mistral 13, several": (f"[TOOL_CALLS]{NAME}[ARGS]{ARGUMENTS}[TOOL_CALLS]host__memory[ARGS]{{}}", [THE_CALL, MEMORY], "", ""),
    "Mistral, in the line of a text": one(f"I look at the disk.[TOOL_CALLS]{NAME}[ARGS]{ARGUMENTS}", "I look at the disk."),
    "DeepSeek V3 with its end": one(
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{NAME}\n```json\n{ARGUMENTS}\n```"
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>"
    ),
    "DeepSeek V4 without its first tag": one(
        f'<｜DSML｜invoke name="{NAME}">\n<｜DSML｜parameter name="path" string="true">/</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="depth" string="false">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>'
    ),
    "Kimi K2 in the line of a text": one(
        f"I look.<|tool_calls_section_begin|><|tool_call_begin|>functions.{NAME}:0<|tool_call_argument_begin|>"
        f"{ARGUMENTS}<|tool_call_end|><|tool_calls_section_end|>",
        "I look.",
    ),
    "GLM 4.5 without arguments": ("<tool_call>host__memory\n</tool_call>", [MEMORY], "", ""),
    "GLM with the token of the next turn": one(
        f"<tool_call>{NAME}\n<arg_key>path</arg_key>\n<arg_value>/</arg_value>\n<arg_key>depth</arg_key>\n"
        "<arg_value>2</arg_value>\n</tool_call><|observation|>"
    ),
    "gpt-oss, without its first token": one(
        f"<|channel|>commentary to=functions.{NAME} <|constrain|>json<|message|>{ARGUMENTS}<|call|>"
    ),
    "gpt-oss, behind its analysis": one(
        "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary "
        f"to=functions.{NAME} <|constrain|>json<|message|>{ARGUMENTS}<|call|>",
        "",
        "hm",
    ),
    "gpt-oss, in its analysis": one(f"<|channel|>analysis to=functions.{NAME} code<|message|>{ARGUMENTS}<|call|>"),
    "gpt-oss, behind a preamble": one(
        "<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>commentary "
        f"to=functions.{NAME} <|constrain|>json<|message|>{ARGUMENTS}<|call|>",
        "I look.",
    ),
    "Functionary 2": one(f"<|from|>assistant\n<|recipient|>{NAME}\n<|content|>{ARGUMENTS}<|stop|>"),
    "NexusRaven": one(
        f"Call: {KEYWORDS}<bot_end>\nThought: The tool shows the disk.", "Thought: The tool shows the disk."
    ),
    "Gorilla": one(f"<<function>>{KEYWORDS}"),
    "Glaive": one(f'<functioncall> {{"name": "{NAME}", "arguments": \'{ARGUMENTS}\'}} <|endoftext|>'),
    "MiniCPM 3": one(
        f"<|thought_start|>\nhm\n<|thought_end|>\n<|tool_call_start|>\n```python\n{KEYWORDS}\n```\n<|tool_call_end|>", "", "hm"
    ),
    "Qwen 2.5 Coder in the tag of the list": one(f"<tools>\n{DISK}\n</tools>"),
    "Cline": one(
        "<use_mcp_tool>\n<server_name>host</server_name>\n<tool_name>disk_usage</tool_name>\n"
        f"<arguments>\n{ARGUMENTS}\n</arguments>\n</use_mcp_tool>"
    ),
    "Grok": one(f'<xai:function_call name="{NAME}">\n{TAGS}\n</xai:function_call>'),
    "Claude behind a lone word": one(f'I look.\n\ncount\n<invoke name="{NAME}">\n{TAGS}\n</invoke>', "I look.\n\ncount"),
    "Gemini 2.5 in a tag": one(f"<tool_code>\nprint(default_api.{KEYWORDS})\n</tool_code>"),
    "a tag with attributes": one(f'<tool_call name="{NAME}" path="/" depth="2"/>'),
    "a tag with JSON in an attribute": one(f"<tool name=\"{NAME}\" args='{ARGUMENTS}' />"),
    "Granite 3.1": one(f"<tool_call>[{DISK}]<|end_of_text|>"),
    "ToolLLaMA behind its thought": one(
        f"Thought: I look at the disk.\nAction: {NAME}\nAction Input: {ARGUMENTS}", "Thought: I look at the disk."
    ),
    "xLAM 2 with a thought": one(f'{{"thought": "hm", "tool_calls": [{DISK}]}}'),
    # Reasoning.
    "gpt-oss, an answer": none(
        "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Full.<|return|>", "Full.", "hm"
    ),
    "gpt-oss without its tokens": none("analysisThe disk first.assistantfinalFull.", "Full.", "The disk first."),
    "gpt-oss, a call without its tokens": one(
        f"analysisWe look at the disk.assistantcommentary to=functions.{NAME} json{ARGUMENTS}", "", "We look at the disk."
    ),
    "Seed-OSS with a budget": none(
        "<seed:think>hm<seed:cot_budget_reflect>100 tokens used.</seed:cot_budget_reflect></seed:think>Full.",
        "Full.",
        "hm<seed:cot_budget_reflect>100 tokens used.</seed:cot_budget_reflect>",
    ),
    "MiniCPM 3, an answer": none("<|thought_start|>\nhm\n<|thought_end|>\nFull.<|im_end|>", "Full.", "hm"),
    # Tokens that end an answer or begin the next turn.
    "Llama 3": none("Full.<|eot_id|>", "Full."),
    "GPT-2": none("Full.<|endoftext|>", "Full."),
    "Mistral": none("Full.</s>", "Full."),
    "Gemma": none("Full.<end_of_turn>\n<eos>", "Full."),
    "DeepSeek": none("Full.<｜end▁of▁sentence｜>", "Full."),
    "GLM": none("\nFull.<|user|>", "Full."),
    "Command R": none("Full.<|END_OF_TURN_TOKEN|>", "Full."),
    "Granite": none("<|start_of_role|>assistant<|end_of_role|>Full.<|end_of_text|>", "Full."),
    "Llama 3 with its header": none("<|start_header_id|>assistant<|end_header_id|>\n\nFull.", "Full."),
    "ChatML with its header": none("<|im_start|>assistant\nFull.<|im_end|>\n", "Full."),
}  # fmt: skip


# Written after the reader was mended by those above, and read once before it was mended again.
HELD_OUT: dict[str, Read] = {
    # Calls.
    "MiniMax M3": one(
        "I look.]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"host__disk_usage\">\n]<]minimax[>[<path>/"
        "]<]minimax[>[</path>\n]<]minimax[>[<depth>2]<]minimax[>[</depth>\n]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>",
        "I look.",
    ),
    "Qwen 3.5, ends of parameters left out": one(
        f"<tool_call>\n<function={NAME}>\n<parameter=path>\n/\n<parameter=depth>\n2\n</function>\n</tool_call>"
    ),
    "Qwen 3.6, ends too many": one(
        f"</tool_call>\n<tool_call>\n<function={NAME}>\n{XML}\n</function>\n</tool_call>\n</tool_call>"
    ),
    "Kimi K2 Thinking, inside its reasoning": one(
        f"<think>I look.<|tool_calls_section_begin|><|tool_call_begin|>functions.{NAME}:0<|tool_call_argument_begin|>"
        f"{ARGUMENTS}<|tool_call_end|><|tool_calls_section_end|></think>",
        "",
        "I look.",
    ),
    "Hunyuan, in its answer": one(
        f"<think>\nhm\n</think>\n<answer>\n<tool_calls>[{DISK}]</tool_calls></answer>", "", "hm"
    ),
    "indented": one(f'  <function_calls>\n    <invoke name="{NAME}">\n      {TAGS}\n    </invoke>\n  </function_calls>'),
    "three brackets": one(f"<<<TOOL_CALL>>>\n{DISK}\n<<<END_TOOL_CALL>>>"),
    "escaped by a gateway": one(html.escape(f"<tool_call>{DISK}</tool_call>", quote=False)),
    "Granite 20B, two": (f"<function_call> {DISK} <function_call> {NOTHING}", [THE_CALL, MEMORY], "", ""),
    "a fence for the use of tools": one(f"```tool_use\n{DISK}\n```"),
    "words for name and arguments": one(f"Tool: {NAME}\nArguments: {ARGUMENTS}"),
    "JSON behind a sentence": one(f"I call the tool for the disk:\n{DISK}", "I call the tool for the disk:"),
    "other words for arguments": one(f'{{"tool_name": "{NAME}", "tool_arguments": {ARGUMENTS}}}'),
    "keywords of Python": one(f'{{"function": "{NAME}", "kwargs": {ARGUMENTS}}}'),
    "a call in brackets": one(f"[tool_call: {KEYWORDS}]"),
    "DeepSeek in letters of ASCII": one(
        f"<|tool_calls_begin|><|tool_call_begin|>function<|tool_sep|>{NAME}\n```json\n{ARGUMENTS}\n```<|tool_call_end|>"
        "<|tool_calls_end|>"
    ),
    "a separator of its own": one(f"<|tool_call_begin|>{NAME}<|tool_sep|>{ARGUMENTS}<|tool_call_end|>"),
    # Reasoning.
    "a tag for the analysis": none("<analysis>hm</analysis>Full.", "Full.", "hm"),
    "MedGemma": none("<unused94>thought\nhm<unused95>Full.", "Full.", "hm"),
    "brackets around the thought": none("[BEGIN_THOUGHT]hm[END_THOUGHT]Full.", "Full.", "hm"),
    "a token with a slash": none("<|reasoning|>hm<|/reasoning|>Full.", "Full.", "hm"),
    # Tokens.
    "Ling": none("Full.<|role_end|>", "Full."),
    "Laguna": none("Full.</assistant>", "Full."),
    "GLM 4.5V": none("<|begin_of_box|>Full.<|end_of_box|>", "Full."),
    "a tag for the end result": none("<think>hm</think><final>Full.</final>", "Full.", "hm"),
}  # fmt: skip

# Written after the reader was mended a second time, and read once before it was mended again.
HELD_OUT_AGAIN: dict[str, Read] = {
    # Calls.
    "a fence with a title": one(f"### Tool Call\n```json\n{DISK}\n```", "### Tool Call"),
    "an arrow": one(f"<|tool_call_start|>{NAME}<|tool_call_args|>{ARGUMENTS}<|tool_call_end|><|im_end|>"),
    "pairs on lines": one(f"<tool_call>\n{NAME}\npath: /\ndepth: 2\n</tool_call>"),
    "an id beside it": one(f'<tool_call id="call_1">\n{DISK}\n</tool_call>'),
    "a name as an attribute, JSON inside": one(f'<function_call name="{NAME}">\n{ARGUMENTS}\n</function_call>'),
    "a call in CDATA": one(f'<invoke name="{NAME}"><arguments><![CDATA[{ARGUMENTS}]]></arguments></invoke>'),
    "an action in XML": one(f"<action>\n<tool>{NAME}</tool>\n<input>{ARGUMENTS}</input>\n</action>"),
    "ERNIE X1": one(f"<think>\nhm\n</think>\n\n<tool_call>\n{DISK}\n</tool_call>\n", "", "hm"),
    "a server before the name": one(f'<|tool_call|>{{"name": "host.disk_usage", "arguments": {ARGUMENTS}}}<|/tool_call|>'),
    "a name without its server": one(f'<tool_call>{{"name": "disk_usage", "arguments": {ARGUMENTS}}}</tool_call>'),
    "quotation marks of another script": one(f"<tool_call>{DISK}</tool_call>".replace('"', "\u201d")),
    "a call that JSON calls twice": one(f'{{"tool_call": {{"function": {DISK}}}}}'),
    "a word in bold": one(f"**Tool:** `{NAME}`\n**Arguments:**\n```json\n{ARGUMENTS}\n```"),
    "a plan before it": one(f"Plan: look at the disk.\n\n[{KEYWORDS}]", "Plan: look at the disk."),
    "tokens with colons": one(f"<|tool:call|>{NAME}<|tool:args|>{ARGUMENTS}<|tool:end|>"),
    # Reasoning.
    "a title of reasoning": none("<|thinking|>\nhm\n<|end_thinking|>\nFull.", "Full.", "hm"),
    "capitals": none("<THINK>hm</THINK>Full.", "Full.", "hm"),
    "reasoning twice": none("<think>hm</think><think>so</think>Full.", "Full.", "hmso"),
    "a tag with an attribute": none('<thinking effort="low">hm</thinking>\n\nFull.', "Full.", "hm"),
    # Tokens.
    "Phi": none("<|assistant|>\nFull.<|end|>", "Full."),
    "Yi": none("Full.<|im_end|>\n<|im_start|>user", "Full."),
    "Falcon": none("Full.\n<|endoftext|>\n<|endoftext|>", "Full."),
    "Solar": none("Full.<|im:end|>", "Full."),
    "Baichuan": none("<reserved_107>Full.</s>", "Full."),
}  # fmt: skip


def checked(reads: dict[str, Read], form: str) -> None:
    text, calls, answer, hidden = reads[form]
    for size in (1, 4, 11, 10_000):
        chunks = read(text, size)
        found = (called(chunks), text_in(chunks).strip(), "".join(thought(chunks).split("\n")).strip())
        assert found == (calls, answer, hidden), size
        assert chunks[-1] == Finish(FinishReason.TOOL_CALLS if calls else FinishReason.STOP)


@pytest.mark.parametrize("form", READ)
def test_mark_up_of_others_is_read(form: str) -> None:
    checked(READ, form)


@pytest.mark.parametrize("form", HELD_OUT)
def test_mark_up_that_was_held_out_is_read(form: str) -> None:
    checked(HELD_OUT, form)


@pytest.mark.parametrize("form", HELD_OUT_AGAIN)
def test_mark_up_that_was_held_out_again_is_read(form: str) -> None:
    checked(HELD_OUT_AGAIN, form)

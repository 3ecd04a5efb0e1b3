"""Mark-up that was written after all the other sets, from reports about servers and clients of other authors."""

import json

import pytest

from test_foreign_markup import KEYWORDS, MEMORY, NAME, NOTHING, XML, Read, checked, none, one
from test_markup import ARGUMENTS, DISK, THE_CALL

# Each was read once before the reader was mended by any of them.
UNSEEN: dict[str, Read] = {
    # Calls.
    "the name in a tag, its arguments bare": one(
        f"Let me check.\n<tool_call>\n<function>{NAME}</function>\n{ARGUMENTS}\n</tool_call>", "Let me check."
    ),
    "parentheses behind a token that has no end": one(f'<|tool_call>call:{NAME}(path="/", depth=2)'),
    "a fence around the arguments": one(
        f"<tool_call>{json.dumps({'name': NAME, 'arguments': f'```json{chr(10)}{ARGUMENTS}{chr(10)}```'})}</tool_call>"
    ),
    "pairs with signs of equality": one(f"<tool_call>{NAME} path=/ depth=2</tool_call>"),
    "a brace too few before a bracket": one(f'{{"tool_calls": [{DISK[:-1]}]}}'),
    "a beginning that the server took away": one(
        f"<name>{NAME}\n</parameter>\n<parameter=path>\n/\n</parameter>\n<parameter=depth>\n2\n</parameter>\n</function>"
    ),
    "names without quotation marks": one(f"<tool_call>{{name: '{NAME}', arguments: {{path: '/', depth: 2}}}}</tool_call>"),
    "three quotation marks": one(
        f'<tool_call>{{"name": "{NAME}", "arguments": {{"path": """/""", "depth": 2}}}}</tool_call>'
    ),
    "YAML in a fence": one(f"```yaml\ntool: {NAME}\narguments:\n  path: /\n  depth: 2\n```"),
    "an item of Responses": one(
        json.dumps({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": NAME, "arguments": ARGUMENTS})
    ),
    "values as attributes": one(
        f'<tool_use name="{NAME}">\n<argument name="path" value="/"/>\n<argument name="depth" value="2"/>\n</tool_use>'
    ),
    "an object on each line in a fence": (f"```json\n{DISK}\n{NOTHING}\n```", [THE_CALL, MEMORY], "", ""),
    "a result that the model invents": one(f"<tool_call>\n{DISK}\n</tool_call>\n<tool_response>\n97 %\n</tool_response>"),
    "arguments as a text of several lines": one(
        f'<tool_call>{{"name": "{NAME}", "arguments": "{{\n  \\"path\\": \\"/\\",\n  \\"depth\\": 2\n}}"}}</tool_call>'
    ),
    "a token, a name and an object": one(f"[TOOL_CALLS]{NAME}{ARGUMENTS}"),
    "objects with semicolons between them": (f"{DISK}; {NOTHING}", [THE_CALL, MEMORY], "", ""),
    # Reasoning.
    "a tag in a tag": none("<thinking><thinking>hm</thinking>so</thinking>Full.", "Full.", "hmso"),
    "a blank in the tag that ends": none("<think>hm</think >Full.", "Full.", "hm"),
    "no end": none("<think>\nhm", "hm", "hm"),
    "a tag that is spoken of": none("The prompt has a `<think>` tag.", "The prompt has a `<think>` tag."),
    "two analyses": none(
        "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>analysis<|message|>so<|end|>"
        "<|start|>assistant<|channel|>final <|constrain|>json<|message|>{\"a\": 1}<|return|>",
        '{"a": 1}',
        "hmso",
    ),
    "a channel that tokens open and end": none("<|channel>thought\nhm<channel|>Full.", "Full.", "hm"),
    "a thought and a solution": none(
        "<|begin_of_thought|>\n\nhm\n\n<|end_of_thought|>\n\n<|begin_of_solution|>\n\nFull.\n\n<|end_of_solution|>", "Full.", "hm"
    ),
    # Tokens.
    "the end of an instruction": none("Full. [/INST]", "Full."),
}  # fmt: skip

# Written with those above, and read once after the reader was mended by them.
UNSEEN_AGAIN: dict[str, Read] = {
    "a remark in JSON": one(f"```json\n{DISK[:-1]} // the disk first\n}}\n```"),
    "a recipient without its space of names": one(
        f"<|start|>assistant<|channel|>commentary to={NAME}<|message|>{ARGUMENTS}<|call|>"
    ),
    "a block of Messages": one(f'{{"type": "tool_use", "id": "toolu_1", "name": "{NAME}", "input": {ARGUMENTS}}}'),
    "the tool as a tag without an end": one(f'<{NAME} path="/" depth="2" />'),
    "a word on a line of its own": one(
        f'Thought: hm\n\nAction:\n```json\n{{"action": "{NAME}", "action_input": {ARGUMENTS}}}\n```', "Thought: hm"
    ),
    "a line of code": one(f"`{KEYWORDS}`"),
    "TypeScript": one(f'```ts\nawait functions.{NAME}({{path: "/", depth: 2}});\n```'),
    "two kinds of tags": one(f'<tool_call>\n<function name="{NAME}">\n{XML}\n</function>\n</tool_call>'),
    "reasoning and an answer in tags": none("<reasoning>\nhm\n</reasoning>\n<answer>\nFull.\n</answer>", "Full.", "hm"),
    "the next turn of a user": none("Full.<｜User｜>", "Full."),
    "a call between two sentences": one(
        f"I look.\n<tool_call>{DISK}</tool_call>\nThe result will follow.", "I look.\n\nThe result will follow."
    ),
    "arguments that are a list of one": one(f'<tool_call>{{"name": "{NAME}", "arguments": [{ARGUMENTS}]}}</tool_call>'),
}  # fmt: skip

# Written after both, and read once as the reader stood then.
UNSEEN_AT_LAST: dict[str, Read] = {
    "a list of names and values": one(f"**Tool call**\n- name: `{NAME}`\n- arguments: `{ARGUMENTS}`", "**Tool call**"),
    "an end that is missing": one(
        f"<|tool_calls_section_begin|><|tool_call_begin|>{NAME}:0<|tool_call_argument_begin|>{ARGUMENTS}<|tool_calls_section_end|>"
    ),
    "a word behind the last token": one(
        f"<|channel|>commentary to=functions.{NAME} <|constrain|>json<|message|>{ARGUMENTS}<|call|>commentary"
    ),
    "a tool for several tools": one(
        json.dumps({"tool_uses": [{"recipient_name": f"functions.{NAME}", "parameters": {"path": "/", "depth": 2}}]})
    ),
    "a space of names before all tags": one(
        f'<x:function_calls>\n<x:invoke name="{NAME}">\n<x:parameter name="path">/</x:parameter>\n'
        '<x:parameter name="depth">2</x:parameter>\n</x:invoke>\n</x:function_calls>'
    ),
    "pairs as a text": one(json.dumps({"tool": NAME, "tool_input": "path=/, depth=2"})),
    "a comma behind the last call": one(f"[{KEYWORDS}, ]"),
    "CDATA in parameters": one(
        f"<tool_call>\n<function={NAME}>\n<parameter=path><![CDATA[/]]></parameter>\n<parameter=depth>2</parameter>\n</function>\n</tool_call>"
    ),
    "reasoning in a fence": none("```thinking\nhm\n```\nFull.", "Full.", "hm"),
    "a tag in two words": none("<antThinking>hm</antThinking>Full.", "Full.", "hm"),
}  # fmt: skip


@pytest.mark.parametrize("form", UNSEEN)
def test_mark_up_that_nobody_had_seen_is_read(form: str) -> None:
    checked(UNSEEN, form)


@pytest.mark.parametrize("form", UNSEEN_AGAIN)
def test_mark_up_that_nobody_had_seen_again_is_read(form: str) -> None:
    checked(UNSEEN_AGAIN, form)


@pytest.mark.parametrize("form", UNSEEN_AT_LAST)
def test_mark_up_that_nobody_had_seen_at_last_is_read(form: str) -> None:
    checked(UNSEEN_AT_LAST, form)

"""Calls without a mark of their own: words before a name, Python, JSON that holds calls, names on a line."""

import json

import pytest

from test_markup import ARGUMENTS, DISK, THE_CALL, TOOLS, called, read, text_in

NAME = "host__disk_usage"
KEYWORDS = f'{NAME}(path="/", depth=2)'
BEGIN, END = "<", "</"


def element(name: str, text: str) -> str:
    """A tag with a text."""
    return f"{BEGIN}{name}>{text}{END}{name}>"


# At the beginning of an answer, and behind a text.
LED = {
    "ReAct": f"Action: {NAME}\nAction Input: {ARGUMENTS}",
    "ReAct with an answer that the model invents": f"Action: {NAME}\nAction Input: {ARGUMENTS}\nObservation: 97 % full",
    "Qwen-Agent": f"✿FUNCTION✿: {NAME}\n✿ARGS✿: {ARGUMENTS}\n✿RESULT✿: 97 %",
    "Gemma": f"```tool_code\nprint(default_api.{KEYWORDS})\n```",
    "Gemma without print": f"```tool_code\n{KEYWORDS}\n```",
    "words before parentheses": f"Tool call: {KEYWORDS}",
    "words before JSON": f"TOOL_CALL: {DISK}",
    "gpt-oss without its tokens": f"commentary to=functions.{NAME} json{ARGUMENTS}",
    "LM Studio": f"[TOOL_REQUEST]{DISK}[END_TOOL_REQUEST]",
    "a mark in one number": f"[TOOL_CALL]{DISK}[/TOOL_CALL]",
    "tags for name and arguments": element(
        "function_calls",
        element(
            "invoke",
            element("tool_name", NAME) + element("parameters", element("path", "/") + element("depth", "2")),
        ),
    ),
    "tags for name and JSON": element("use_mcp_tool", element("tool_name", NAME) + element("arguments", ARGUMENTS)),
    "smolagents": f"<code>\nresult = {KEYWORDS}\nprint(result)\n</code>",
}
# Alone.
WHOLE = {
    "Python": KEYWORDS,
    "Python with one object": f"{NAME}({ARGUMENTS})",
    "a space of names": f"functions.{NAME}({ARGUMENTS})",
    "ChatGLM 3": f'{NAME}\n```python\ntool_call(path="/", depth=2)\n```',
    "a name before a fence": f"{NAME}\n```json\n{ARGUMENTS}\n```",
    "a name in bold": f"**{NAME}**\n```json\n{ARGUMENTS}\n```",
    "CodeAct": f"```py\nprint({KEYWORDS})\n```",
    "Python with a variable": f"```python\nresult = {KEYWORDS}\nprint(result)\n```",
    "calls inside of an object": f'{{"tool_calls": [{DISK}]}}',
    "one call inside of an object": f'{{"function_call": {DISK}}}',
    "the form of OpenAI, whole": json.dumps(
        {"tool_calls": [{"id": "c1", "type": "function", "function": {"name": NAME, "arguments": ARGUMENTS}}]}
    ),
    "Gemini": f'{{"functionCall": {{"name": "{NAME}", "args": {ARGUMENTS}}}}}',
    "LangChain": f'```json\n{{"action": "{NAME}", "action_input": {ARGUMENTS}}}\n```',
    "AutoGPT": f'{{"thoughts": {{"text": "hm"}}, "command": {{"name": "{NAME}", "args": {ARGUMENTS}}}}}',
    "blocks of Anthropic": f'[{{"type": "text", "text": "hm"}}, {{"type": "tool_use", "name": "{NAME}", "input": {ARGUMENTS}}}]',
    "arguments beside the name": f'{{"tool": "{NAME}", "path": "/", "depth": 2}}',
    "quotation marks of Python": repr(json.loads(DISK)),
}


@pytest.mark.parametrize("form", LED)
def test_a_call_behind_words_is_a_call(form: str) -> None:
    for size in (1, 5, 10_000):
        for before in ("", "I look at the disk.\n"):
            chunks = read(before + LED[form], size)
            assert (called(chunks), text_in(chunks).strip()) == ([THE_CALL], before.strip()), size


@pytest.mark.parametrize("form", WHOLE)
def test_an_answer_that_is_a_call_and_nothing_else_is_a_call(form: str) -> None:
    for size in (1, 5, 10_000):
        chunks = read(WHOLE[form], size)
        assert (called(chunks), text_in(chunks).strip()) == ([THE_CALL], ""), size


@pytest.mark.parametrize(
    "text",
    [
        f"{KEYWORDS} shows 97 %.",
        f"{NAME} is the tool that I would call.",
        "Action: restart the pod.\nAction Input: none.",
        "Tool call: none was needed.",
        "to=ops@example.com bounced.",
        "print(1) fails with an error.",
        "**Disk**\n```json\n{}\n```",
        '{"command": "df -h", "status": "full"}',
        '{"actions": ["restart the pod"], "verdict": "full"}',
        '[{"type": "text", "text": "The disk is full."}]',
        "```python\nprint(used / total)\n```\nis 0.97.",
    ],
)
@pytest.mark.parametrize("size", [1, 5, 10_000])
def test_a_text_that_begins_alike_is_not_changed(text: str, size: int) -> None:
    chunks = read(text, size)
    assert (text_in(chunks), called(chunks)) == (text, [])


def test_without_tools_a_call_stays_a_text() -> None:
    for text in (*LED.values(), *WHOLE.values()):
        assert text_in(read(text, 5, ())) == text


def test_two_calls_behind_each_other_are_two() -> None:
    chunks = read(f"Action: {NAME}\nAction Input: {ARGUMENTS}\nAction: host__memory\nAction Input: {{}}", 7, TOOLS)
    assert called(chunks) == [THE_CALL, ("host.memory", {})]

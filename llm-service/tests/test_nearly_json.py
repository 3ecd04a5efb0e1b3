"""JSON as models write it, and what of it is no value."""

from typing import Any

import pytest

from llm_service.nearly_json import value, value_at, values
from test_markup import called, read, text_in, thought

READ: dict[str, Any] = {
    '{"a": [1, {"b": 2}]}': {"a": [1, {"b": 2}]},
    '{"a": 1, // one\n # two\n /* three */ "b": 2,}': {"a": 1, "b": 2},
    "{a: 'it\\'s', \"b\": `c`, d: True, e: None}": {"a": "it's", "b": "c", "d": True, "e": None},
    '{"a": """one\n"two"\nthree"""}': {"a": 'one\n"two"\nthree'},
    '{"a": "", "b": ""}': {"a": "", "b": ""},
    '{"a": "col\tumn\nline"}': {"a": "col\tumn\nline"},
    '{"a": "\\u00fc \\ud83d\\ude00 \\d"}': {"a": "ü 😀 d"},
    '{"a": [{"b": {"c": 1}]}': {"a": [{"b": {"c": 1}}]},
    '{"a": -1.5e3, "b": 1_000}': {"a": -1500.0, "b": 1000},
    '{"a": 1}\n{"a": 2}': [{"a": 1}, {"a": 2}],
    '{"a": 1}; {"a": 2}': [{"a": 1}, {"a": 2}],
    '```json\n{"a": 1}\n```': {"a": 1},
}


@pytest.mark.parametrize("text", READ)
def test_what_is_nearly_json_is_read(text: str) -> None:
    assert value(text) == READ[text]


@pytest.mark.parametrize(
    "text",
    [
        "", "{", '{"a": 1', '{"a": [1, 2', '{"a": "cut', '{"a": 1} and more', '{"a": 1]', "[1}", '{"a" 1}', '{"a": b}',
        '{"a": 1 "b": 2}', "{1: 2}", "text", "7", '"text"', "{" * 500, "[" * 100_000,
    ],
)  # fmt: skip
def test_what_was_cut_off_or_is_something_else_is_no_value(text: str) -> None:
    assert (value(text), values(text)) == (None, [])


def test_brackets_may_be_missing_where_mark_up_ends_a_value() -> None:
    assert value('{"a": {"b": [1, 2', ends=True) == {"a": {"b": [1, 2]}}
    assert value('{"a": "cut', ends=True) is None
    assert value_at('x {"a": 1} y', 2) == ({"a": 1}, 10)


@pytest.mark.parametrize(
    "text",
    [
        "```yaml\nname: web-3\nports:\n  - 80\n```",
        "```yaml\ntool: host__disk_usage\n```",
        "```yaml\ntool: host__disk_usage\nneeded: no\n```\nDone.",
        "Action:\n```json\n{\"replicas\": 3}\n```\nApply it.",
        "Action:\nRestart the pod.",
        "`host__disk_usage(path=\"/\")` shows 97 %.",
        "`df -h` shows 97 %.",
        "<name>web-3</name> is full.",
        "{disk: full}",
        "await the result of the backup.",
    ],
)  # fmt: skip
def test_a_text_that_is_like_a_call_is_not_changed(text: str) -> None:
    for size in (1, 4, 10_000):
        assert (text_in(read(text, size)), called(read(text, size))) == (text, []), size


def test_arguments_that_cannot_be_read_are_never_taken_for_none() -> None:
    for arguments in ('["/", 2]', '"the root"', "7"):
        text = f'I look.\n<tool_call>{{"name": "host__disk_usage", "arguments": {arguments}}}</tool_call>'
        assert called(read(text, 5)) == []


def test_reasoning_that_begins_twice_and_ends_once_ends_there() -> None:
    for size in (1, 4, 10_000):
        chunks = read("<think>\n<think>hm</think>Full.", size)
        assert (text_in(chunks), thought(chunks).strip()) == ("Full.", "hm"), size

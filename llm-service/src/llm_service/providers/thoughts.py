"""How models mark their reasoning in a text: by tags, by tokens, or by a sentence."""

import re

# How reasoning begins and ends, beside tags and tokens with such a name.
MARKS = {
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|channel|>analysis<|message|>": "<|end|>",
    "<|channel>thought": "<channel|>",
    "<|inner_prefix|>": "<|inner_suffix|>",
    "<|open|>think<|sep|>": "<|close|>think<|sep|>",
    "<|think:start|>": "<|think:end|>",
}
TAG = re.compile(r"<((?:\w+[:_])?(?:think|thinking|thoughts?|reason|reasoning)|scratch_?pad)>")
TOKEN = re.compile(r"<\|[\w:]{0,20}(?i:begin|start)\w{0,6}(?i:think|thought|reason)[\w:]{0,20}\|>")
_BEGIN = re.compile(r"begin|start", re.IGNORECASE)
# Reasoning of which a server has sent the end alone.
CLOSERS = ("</think>", "</thinking>")
# Sentences of Granite, at the beginning of an answer.
_SENTENCES = ("Here is my thought process:", "Here's my thought process:")
ENDS = ("Here is my response:", "Here's my response:")


def end_of(mark: str) -> str:
    """How the reasoning ends that a mark begins; empty if it begins none."""
    if tag := TAG.fullmatch(mark):
        return f"</{tag[1]}>"
    if TOKEN.fullmatch(mark):
        return _BEGIN.sub(lambda word: "END" if word[0].isupper() else "end", mark, count=1)
    if mark in _SENTENCES:
        return ENDS[0]
    return MARKS.get(mark, "")


def ends_of(end: str) -> tuple[str, ...]:
    """All ways to write an end."""
    return ENDS if end in ENDS else (end,)


def sentence(text: str) -> str | None:
    """The sentence about reasoning that a text begins with; empty if there is none, `None` while it may become one."""
    begun = text.lstrip()
    if found := next((one for one in _SENTENCES if begun.startswith(one)), ""):
        return found
    return None if any(one.startswith(begun) for one in _SENTENCES) else ""

"""How models mark their reasoning in a text: by tags, by tokens, or by a sentence."""

import re

# How reasoning begins and ends, beside tags and tokens with such a name.
MARKS = {
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|channel|>analysis<|message|>": "<|end|>",
    "<|start|>assistant<|channel|>analysis<|message|>": "<|end|>",
    "<|channel>thought": "<channel|>",
    "<|inner_prefix|>": "<|inner_suffix|>",
    "<|open|>think<|sep|>": "<|close|>think<|sep|>",
    "<|think:start|>": "<|think:end|>",
    "```thinking\n": "```",
    "```thought\n": "```",
    "```reasoning\n": "```",
}
_WORDS = r"(?i:think|thinking|thoughts?|reason|reasoning|reflection|rationale|monologue|analysis|cot)"
TAG = re.compile(rf"<((?:\w+[:_]|[a-z]{{2,10}}(?=[TR]))?{_WORDS}|scratch_?pad)(?:\s[^<>\n]{{0,40}})?>")
_OF = r"(?i:think|thought|reason)"
TOKEN = re.compile(
    rf"<\|[\w:]{{0,20}}(?i:begin|start)\w{{0,6}}{_OF}[\w:]{{0,20}}\|>"
    rf"|<\|[\w:]{{0,20}}{_OF}\w{{0,6}}[_:](?i:begin|start)\|>"
    rf"|\[\w{{0,12}}(?i:begin|start)\w{{0,6}}{_OF}\w{{0,12}}\]"
    rf"|<(?i:begin|start)_\w{{0,6}}{_OF}\w{{0,12}}>"
)
# A token that has an end of the same name, written in one of these ways.
_SAME = re.compile(rf"<\|({_WORDS})\|>")
_SAME_ENDS = ("<|/{}|>", "</|{}|>", "<|end_{}|>", "<|{}_end|>", "<|end_of_{}|>")
# Some models write a blank into a tag.
_BLANKS = ("</{} >", "</ {}>", "</ {} >")
# Tokens that have no meaning of their own.
_UNUSED = re.compile(r"<unused\d+>thought\b")
_UNUSED_END = "<unused95>"
FORMS = (TAG, TOKEN, _SAME, _UNUSED)
_BEGIN = re.compile(r"begin|start", re.IGNORECASE)
# Reasoning of which a server has sent the end alone.
CLOSERS = ("</think>", "</thinking>")
# Sentences of Granite, at the beginning of an answer.
_SENTENCES = ("Here is my thought process:", "Here's my thought process:")
ENDS = ("Here is my response:", "Here's my response:")
# The channels of gpt-oss, of which a server has left out the tokens.
_ANALYSIS = "analysis"
_HAS_ANALYSIS = re.compile(r"analysis(?=[A-Z])")
_CALLS = "commentary to="
CHANNELS = ("assistantfinal", f"assistant{_CALLS}", f"assistant{_ANALYSIS}")


def end_of(mark: str) -> str:
    """How the reasoning ends that a mark begins; empty if it begins none."""
    if tag := TAG.fullmatch(mark):
        return f"</{tag[1]}>"
    if same := _SAME.fullmatch(mark):
        return _SAME_ENDS[0].format(same[1])
    if _UNUSED.fullmatch(mark):
        return _UNUSED_END
    if TOKEN.fullmatch(mark):
        return _BEGIN.sub(lambda word: "END" if word[0].isupper() else "end", mark, count=1)
    if mark in _SENTENCES:
        return ENDS[0]
    if mark == _ANALYSIS:
        return CHANNELS[0]
    return MARKS.get(mark, "")


def opening_of(end: str) -> str:
    """The tag whose end this is; empty if it is none."""
    return f"<{end[2:]}" if end.startswith("</") else ""


def ends_with(text: str, end: str) -> int:
    """How long the end is with which a text begins; 0 if it begins otherwise."""
    return next((len(one) for one in ends_of(end) if text.startswith(one)), 0)


def ends_of(end: str) -> tuple[str, ...]:
    """All ways to write an end."""
    if end.startswith("<|/"):
        return tuple(one.format(end[3:-2]) for one in _SAME_ENDS)
    if end.startswith("</"):
        return (end, *(one.format(end[2:-1]) for one in _BLANKS))
    return next((ends for ends in (ENDS, CHANNELS) if end in ends), (end,))


def kept_of(end: str) -> str:
    """What of an end begins what follows it."""
    return next((one for one in (_CALLS, _ANALYSIS) if end == f"assistant{one}"), "")


def sentence(text: str) -> str | None:
    """The sentence about reasoning that a text begins with; empty if there is none, `None` while it may become one."""
    begun = text.lstrip()
    if found := next((one for one in _SENTENCES if begun.startswith(one)), ""):
        return found
    if _HAS_ANALYSIS.match(begun):
        return _ANALYSIS
    return None if any(one.startswith(begun) for one in (*_SENTENCES, _ANALYSIS)) else ""

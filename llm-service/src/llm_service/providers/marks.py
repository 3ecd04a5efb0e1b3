"""The marks in a text that may begin something else than text, and what stands for nothing."""

import re

from llm_service.providers import thoughts, turn_tokens

# What a server should have taken out of the text, and stands for nothing.
_FINAL = tuple(
    f"{head}<|channel|>final{constraint}<|message|>"
    for head in ("", "<|start|>assistant")
    for constraint in ("", " <|constrain|>json", "<|constrain|>json", " json")
)
NOTHING = (
    *_FINAL,
    "<|return|>", "<|end|>",
    "<|channel|>commentary<|message|>", "<|start|>assistant<|channel|>commentary<|message|>",
    "<|start|>assistant<|message|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>",
    "<|im_end|>", "<|eot_id|>", "[|endofturn|]",
    "<|open|>response<|sep|>", "<|close|>response<|sep|>", "<|close|>message<|sep|>",
)  # fmt: skip
_AROUND = re.compile(r"<[|｜](?i:begin|start|end)_of_(?i:box|answer|solution|response|final|output|result)[|｜]>")
# What some models put around an answer that follows their reasoning.
_ANSWERS = ("answer", "output", "response", "final", "final_answer", "result", "conclusion", "solution")
ANSWER = re.compile(rf"\s*<({'|'.join(_ANSWERS)})>\n?")
ANSWER_ENDS = tuple(f"</{one}>" for one in _ANSWERS)
# How calls begin.
CALLS = (
    "<tool_call>", "<function=", "<function_calls>", "<invoke name=", "<｜DSML｜", "<minimax:tool_call>",
    "<seed:tool_call>",
    "<|tool", "<｜tool", "[TOOL_CALLS]", "[TOOL_CALL]", "[TOOL_REQUEST]", "<|python_tag|>",
    "<|channel|>commentary to=", "<|start|>assistant to=", "<|start|>assistant<|channel|>commentary to=",
    "[unused11]",
)  # fmt: skip
# Those that end reasoning, too: no model speaks of them.
IN_REASONING = (
    "<|tool_calls_section_begin|>",
    "<|tool_call_begin|>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>",
)
# The same, without a sign that is only in mark-up.
BARE = (
    "functools[", "-> tool/function_call", "function call<|role_sep|>", ">>>", "Action: ```json", "Action:\n```json",
    "<code>",
)  # fmt: skip
# A token that a model writes before each of its tags.
SPACE = re.compile(r"\]<\]\w{1,20}\[>\[")
# Tokens of machines, tags whose name speaks of calls, and offered tools as tags and in lists of calls.
_OF_CALLS = r"(?i:tool|function|action|plugin|python|invoke|call)"
# So are the name and the first parameter of a call, of which the beginning is lost.
_CALL_TAG = (
    r"<name>|<parameter=|"
    rf"<[|｜]/?[\w:.▁-]{{1,40}}[|｜]?>|(?:<{{1,3}}|&lt;)/?(?=[\w:.-]{{0,40}}{_OF_CALLS})[\w:.-]{{1,40}}"
)
_TOOL_TAG = r"<[A-Za-z_][\w.-]{0,63}(?:>|(?=\s))"
_TOOL_LIST = r"\[[A-Za-z_][\w.-]{0,63}\("
# The JSON of a call, behind a text.
_KEYS = r"name|tool|tool_name|function|function_name|type|action|id|arguments|parameters|tool_calls?|function_call"
_OBJECT = rf"\[?[ \t]*\{{\s*\"(?:{_KEYS})\"\s*:"
_OPEN_OBJECT = re.compile(r"\[?[ \t]*\{\s*(?:\"\w{0,16}\"?\s*)?\Z|\[[ \t]*\Z")
# The beginning of any of them at the end of a text.
OPEN = re.compile(
    r"(?:(?:<{1,3}|&(?:l(?:t;?)?)?)[|｜]?/?[\w:.▁-]{0,64}[|｜]?|<unused\d{1,3}>t?h?o?u?g?h?|<\w{0,12}(?i:think|thought|reason)\w{0,6}\s[^<>\n]{0,40}|\[[\w.-]{0,64}|\](?:<(?:\]\w{0,20}(?:\[>?)?)?)?)\Z"
)
FENCE = "```"
ALL = (*thoughts.MARKS, *NOTHING, *CALLS, *thoughts.CLOSERS, *ANSWER_ENDS, FENCE)
ANY = re.compile(
    "|".join(
        (
            SPACE.pattern,
            *(re.escape(one) for one in sorted((*ALL, *BARE), key=len, reverse=True)),
            *(one.pattern for one in thoughts.FORMS),
            _CALL_TAG,
            _TOOL_TAG,
            _OBJECT,
            _TOOL_LIST,
        )
    )
)
TRIGGER = re.compile(r"[<\[\]{&◁`]")
_FIRST = frozenset(one[0] for one in (*ALL, *thoughts.ENDS, *thoughts.CHANNELS))
_LONGEST = max(len(one) for one in (*ALL, *thoughts.MARKS.values()))


def is_nothing(mark: str) -> bool:
    """Whether a mark stands for nothing, wherever it is."""
    return mark in NOTHING or bool(_AROUND.fullmatch(mark))


def is_object(mark: str) -> bool:
    """Whether a mark begins JSON."""
    return mark.lstrip("[ \t").startswith("{")


def is_call_tag(mark: str) -> bool:
    """Whether a mark is like those before calls."""
    return bool(re.fullmatch(_CALL_TAG, mark)) and not turn_tokens.TOKEN.fullmatch(mark)


def opened(text: str, last: str) -> int:
    """How many characters at the end of a text may begin a tag, a list or JSON; `last` is the character before it."""
    found = 0
    for form in (OPEN, _OPEN_OBJECT):
        match = form.search(text)
        if match is None:
            continue
        before = text[: match.start()].rstrip(" \t")[-1:] or last
        is_sign = match.group() in ("<", "[", "]", "&") or match.group()[1:2] in ("|", "｜") or match.group()[0] == "]"
        if before == "\n" or (form is OPEN and is_sign):
            found = max(found, len(match.group()))
    return found


def open_size(text: str, marks: tuple[str, ...]) -> int:
    """How many characters at the end of a text may be the beginning of a mark."""
    tail = text[-_LONGEST:]
    for size in range(len(tail), 0, -1):
        if tail[-size] in _FIRST and any(mark.startswith(tail[-size:]) for mark in marks):
            return size
    return 0

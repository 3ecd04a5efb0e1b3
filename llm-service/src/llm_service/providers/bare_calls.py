"""Knows how calls begin that have no mark of their own: by the name of an offered tool alone, or by words before it."""

import re

from llm_service.providers.text_calls import Offers
from llm_service.providers.yaml_calls import yaml_name

# At the beginning of a line, before the JSON of a call.
_LEAD = re.compile(
    r"(?:Action|Call|Tool[ _]call|TOOL_CALL|Function[ _]call|✿FUNCTION✿):[ \t]*|(?:commentary )?to=(?:functions\.)?"
)
_LEADS = (
    "Action:", "Call:", "Tool call:", "Tool_call:", "TOOL_CALL:", "Function call:", "Function_call:", "✿FUNCTION✿:",
    "commentary to=", "to=",
)  # fmt: skip
# On the line before a fence with JSON.
_LED_FENCE = re.compile(r"(?:Action|Call|Tool[ _]call|TOOL_CALL|Function[ _]call):\s*\n\s*```[\w-]*\s*")
_BEGUN_FENCE = re.compile(r"(?<=:)\s*\n\s*(?:`{1,3}[\w-]*\s*)?\Z")
# Any words before the name of an offered tool.
_WORDS = re.compile(r"(?:[-•] )?[\[(*`]{0,3}(?:[A-Za-z_]+[ _-]?){1,3}:[*]{0,2}[ \t]*[\"'`*]{0,3}")
_OF_CALLS = (
    "tool", "tools", "function", "functions", "action", "call", "calls", "calling", "name", "use", "using", "used",
    "to", "invoke", "invoking", "invoked", "api", "command", "request", "run", "running", "execute", "executing",
    "plugin", "method", "next", "step", "selected", "mcp",
)  # fmt: skip
_SIGNS = "-•[(*`\"' \t"
_MOST_WORDS = 40
_WORD = re.compile(r"[A-Za-z_][\w.-]*")
_NAMED = re.compile(r"(?:\*\*)?([A-Za-z_][\w.-]*)(?:\*\*)?[ \t]*\n\s*(?:```[\w-]*[ \t]*\n\s*)?(?:\{|tool_call\()")
# What may stand behind a name that becomes one of these.
_MAY_GO_ON = re.compile(r"(?:\*{0,2}[ \t]*(?:\n\s*(?:`{1,3}[\w-]*\s*(?:t\w{0,8})?)?)?)?")
# As Python writes it.
_BEFORE = r"(?:(?:const|let|var|return) )?(?:[A-Za-z_]\w* = )?(?:await )?"
_CALL = re.compile(rf"`?(?:print\((?!\w+\Z))?{_BEFORE}([A-Za-z_][\w.-]*)\(")
# The second key of YAML.
_HAS_KEYS = re.compile(r"\n[ \t]*\w+:")
_MAY_BE_KEY = re.compile(r"(?:-[ \t]+)?[A-Za-z_]\w*:?[ \t]*[\"']?")
_MAY_BE_CALL = re.compile(r"(?:print\(|(?:(?:const|let|var|return) )?(?:[\w.-]+ = )?(?:await )?)?[\w.-]* ?=? ?")
# A longer first line opens no call.
_LONGEST_LINE = 80


def begins(text: str, offers: Offers) -> bool:
    """Whether an answer has begun as a call to an offered tool."""
    found = _NAMED.match(text) or _CALL.match(text)
    return bool(found and offers.find(found[1]))


def may_begin(text: str, offers: Offers) -> bool:
    """Whether the beginning of an answer may become the name of a tool, and then its arguments."""
    if text in ("*", "`"):
        return True
    plain = text.removeprefix("**").removeprefix("`").removeprefix("print(")
    name = _WORD.match(plain)
    if name is None or not _MAY_GO_ON.fullmatch(plain[name.end() :]):
        return not plain
    is_whole = name.end() < len(plain)
    return bool(offers.find(name.group())) if is_whole else offers.may_begin(name.group())


def begins_in_fence(text: str, offers: Offers) -> bool | None:
    """Whether a fence has begun as a call with parentheses; `None` while it may become one."""
    if name := yaml_name(text, is_whole=text.count("\n") > 1):
        if offers.find(name):
            return True if _HAS_KEYS.search(text) else None
        return None if "\n" not in text and offers.may_begin(name) else False
    found = _CALL.match(text)
    if found is not None and (found[1] != "print" or offers.find("print")):
        return bool(offers.find(found[1]))
    is_open = (
        "\n" not in text
        and len(text) <= _LONGEST_LINE
        and (_MAY_BE_CALL.fullmatch(text) or _MAY_BE_KEY.fullmatch(text))
    )
    return None if is_open else False


def is_lead(text: str) -> bool:
    """Whether a text is words before a call."""
    return bool(_LEAD.fullmatch(text) or _WORDS.fullmatch(text) or _LED_FENCE.fullmatch(text))


def lead_size(text: str, at: int, offers: Offers) -> int:
    """How long the words are that stand here before the name of an offered tool; 0 if there are none."""
    match = _WORDS.match(text, at)
    name = _WORD.match(text, match.end()) if match else None
    return match.end() - at if match and name and offers.find(name.group().rstrip(".")) else 0


def may_lead(line: str, offers: Offers) -> bool:
    """Whether a line may become words before a call."""
    words = re.split(r"[ _-]+", line.lstrip(_SIGNS).rstrip(_SIGNS + ":").lower()) if len(line) <= _MOST_WORDS else []
    if words and all(one in _OF_CALLS for one in words[:-1]) and any(one.startswith(words[-1]) for one in _OF_CALLS):
        return True
    for form in (_LEAD, _WORDS):
        if lead := form.match(line):
            name = _WORD.match(line, lead.end())
            if lead.end() == len(line) or (name and name.end() == len(line) and offers.may_begin(name.group())):
                return True
    return any(one.startswith(line) for one in _LEADS)


def last_line(text: str, last: str) -> tuple[str, int]:
    """The last line of a text, and how many characters stand behind it.

    That is the one before a fence that begins, too, if it ends with a colon. `last` is the character before the text.
    """
    fence = _BEGUN_FENCE.search(text)
    whole = text[: fence.start()] if fence else text
    _, newline, line = whole.rpartition("\n")
    return (line.lstrip(), len(text) - len(whole)) if newline or last == "\n" else ("", 0)


def led(text: str, last: str, offers: Offers) -> re.Match[str] | None:
    """The first words before the name of an offered tool, or before JSON; `last` is the character before the text."""
    forms = (_LEAD, _WORDS, _LED_FENCE)
    found = (match for form in forms for match in form.finditer(text) if _is_led(text, match, last, offers))
    return min(found, key=re.Match[str].start, default=None)


def _is_led(text: str, lead: re.Match[str], last: str, offers: Offers) -> bool:
    before = text[: lead.start()].rstrip(" \t")[-1:] or last
    name = _WORD.match(text, lead.end())
    if before != "\n":
        return False
    if name is None:
        return bool(_LEAD.fullmatch(lead.group()) or _LED_FENCE.fullmatch(lead.group())) and text[
            lead.end() : lead.end() + 1
        ] in ("{", "[")
    # A name at the end may go on.
    return name.end() < len(text) and bool(offers.find(name.group().rstrip(".")))


def goes_on(text: str, rest: str) -> bool:
    """Whether a sentence goes on in the line of a call that has no mark: it speaks of the call."""
    held, rest = text.strip(), rest.strip()
    return bool(rest and _CALL.match(held)) and held[: held.rfind(rest)][-1:] != "\n"

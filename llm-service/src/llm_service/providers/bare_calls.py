"""Knows how calls begin that have no mark of their own: by the name of an offered tool alone, or by words before it."""

import re

from llm_service.providers.text_calls import Offers

# At the beginning of a line, before the name of an offered tool or the JSON of a call.
_LEAD = re.compile(
    r"(?:Action|Tool[ _]call|TOOL_CALL|Function[ _]call|✿FUNCTION✿):[ \t]*|(?:commentary )?to=(?:functions\.)?"
)
_LEADS = (
    "Action:", "Tool call:", "Tool_call:", "TOOL_CALL:", "Function call:", "Function_call:", "✿FUNCTION✿:",
    "commentary to=", "to=",
)  # fmt: skip
_WORD = re.compile(r"[A-Za-z_][\w.-]*")
_NAMED = re.compile(r"(?:\*\*)?([A-Za-z_][\w.-]*)(?:\*\*)?[ \t]*\n\s*(?:```[\w-]*[ \t]*\n\s*)?(?:\{|tool_call\()")
# What may stand behind a name that becomes one of these.
_MAY_GO_ON = re.compile(r"(?:\*{0,2}[ \t]*(?:\n\s*(?:`{1,3}[\w-]*\s*(?:t\w{0,8})?)?)?)?")
# As Python writes it.
_CALL = re.compile(r"(?:print\((?!\w+\Z))?(?:[A-Za-z_]\w* = )?(?:await )?([A-Za-z_][\w.-]*)\(")
_MAY_BE_CALL = re.compile(r"(?:print\(|[\w.-]+ = )?[\w.-]* ?=? ?")
# A longer first line opens no call.
_LONGEST_LINE = 80


def begins(text: str, offers: Offers) -> bool:
    """Whether an answer has begun as a call to an offered tool."""
    found = _NAMED.match(text) or _CALL.match(text)
    return bool(found and offers.find(found[1]))


def may_begin(text: str, offers: Offers) -> bool:
    """Whether the beginning of an answer may become the name of a tool, and then its arguments."""
    if text == "*":
        return True
    plain = text.removeprefix("**").removeprefix("print(")
    name = _WORD.match(plain)
    if name is None or not _MAY_GO_ON.fullmatch(plain[name.end() :]):
        return not plain
    is_whole = name.end() < len(plain)
    return bool(offers.find(name.group())) if is_whole else offers.may_begin(name.group())


def begins_in_fence(text: str, offers: Offers) -> bool | None:
    """Whether a fence has begun as a call with parentheses; `None` while it may become one."""
    found = _CALL.match(text)
    if found is not None and (found[1] != "print" or offers.find("print")):
        return bool(offers.find(found[1]))
    is_open = "\n" not in text and len(text) <= _LONGEST_LINE and _MAY_BE_CALL.fullmatch(text)
    return None if is_open else False


def is_lead(text: str) -> bool:
    """Whether a text is words before a call."""
    return bool(_LEAD.fullmatch(text))


def may_lead(line: str, offers: Offers) -> bool:
    """Whether a line may become words before a call."""
    lead = _LEAD.match(line)
    if lead is None:
        return any(one.startswith(line) for one in _LEADS)
    rest = line[lead.end() :]
    name = _WORD.match(rest)
    return not rest or (name is not None and offers.may_begin(name.group()))


def led(text: str, last: str, offers: Offers) -> re.Match[str] | None:
    """The first words before the name of an offered tool, or before JSON; `last` is the character before the text."""
    for match in _LEAD.finditer(text):
        before = text[: match.start()].rstrip(" \t")[-1:] or last
        rest = text[match.end() :]
        name = _WORD.match(rest)
        # A name at the end may go on.
        is_whole = name is not None and name.end() < len(rest)
        found = is_whole and bool(offers.find(name.group().rstrip("."))) if name else rest[:1] in ("{", "[")
        if before == "\n" and found:
            return match
    return None


def goes_on(text: str, rest: str) -> bool:
    """Whether a sentence goes on in the line of a call that has no mark: it speaks of the call."""
    held, rest = text.strip(), rest.strip()
    return bool(rest and _CALL.match(held)) and held[: held.rfind(rest)][-1:] != "\n"

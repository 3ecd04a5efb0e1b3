"""Finds calls in mark-up of no known form: whatever stands around them, they name an offered tool and its arguments."""

import ast
import html
import json
import re
from collections.abc import Callable, Mapping
from typing import cast

from llm_service import nearly_json
from llm_service.json_shapes import as_list, as_object, load
from llm_service.providers.bare_calls import lead_size
from llm_service.providers.fragments import MAX_CALLS, literal
from llm_service.providers.text_calls import INVENTED, Offers, Written, arguments_in, of_json

# What may stand around and between calls: tags, tokens, brackets, fences, and words that some models write before.
_MARK = re.compile(
    r"\s+|<{1,3}[|｜/]?[^<>{}\n]{1,80}>{1,3}|(?<=[|｜]>)(?:assistant|model)\b|\[/?[A-Za-z_]+\d*\]|```[\w-]*"
    r"|functools(?=\[)|-> tool/function_call"
    r"|function(?: call)?(?=<[|｜])|>>>|(?<=[|｜]>)\d{1,4}(?=<[|｜])|[,;\]]|\[(?=\s*[\w.-]+\()"
    r"|(?:Action|Call|Tool[ _]call|TOOL_CALL|Function[ _]call|✿FUNCTION✿):|(?:commentary )?to=|\*\*|print\(\w+\)"
)
_QUOTES = re.compile(r'<\|"\|>|</?escape>')
# Tags that some models write with tokens.
_OPENED = re.compile(r"<\|open\|>([^<>]{1,200})<\|sep\|>")
_CLOSED = re.compile(r"<\|close\|>(\w+)<\|sep\|>")
_NAME = re.compile(r"(?:<function=|call:)?(?P<shown>print\()?(?:[A-Za-z_]\w* = )?(?:await )?(?P<name>[A-Za-z_][\w.-]*)")
_BETWEEN = re.compile(
    r"\s*(?:(?:[-•] |\[[A-Z_]+\]|<[^<>{}\n]{1,40}>|[\w✿]+(?:[ _]\w+)?:|\*\*|```[\w-]*\s|[\"'`]|json(?=\s*\{)"
    r"|tool_call(?=\())\s*)*"
)
_STATED = re.compile(
    r"(?:<(?:server|server_name)>\s*[\w.-]+\s*</(?:server|server_name)>\s*)?"
    r"<(tool_name|name|function_name|tool)>\s*([\w.-]+)\s*</\1>\s*<(parameters|arguments|args|input|params)>(.*?)</\3>",
    re.DOTALL,
)
# An element without a text: all is in its attributes.
_EMPTY = re.compile(
    r"<[\w:]*(?:invoke|function|tool|call)[\w:]*((?:\s+[\w.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))+)\s*(?:/>|>\s*</[\w:]+>)"
)
_EMPTY_TOOL = re.compile(r"<([A-Za-z_][\w.-]*)((?:\s+[\w.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*(?:/>|>\s*</\1>)")
_ATTRIBUTE = re.compile(r"([\w.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_TAG = re.compile(
    r"<[\w:]*(?:invoke|function|tool|call)[\w:]*\s+(?:name|tool)=\"([^\"]+)\"[^>]*>(.*?)"
    r"</[\w:]*(?:invoke|function|tool|call)[\w:]*>",
    re.DOTALL,
)
_ELEMENT = re.compile(r"<([A-Za-z_][\w.-]*)>(.*?)</\1>", re.DOTALL)
_BEFORE_TAGS = re.compile(
    r"([A-Za-z_][\w.-]*)\s*(?:</[\w:]+>\s*)?(<parameter[= ].*?)(?:</(?:function|invoke|tool_call)>|\Z)", re.DOTALL
)
_PAIRS = re.compile(r"([A-Za-z_][\w.-]*)\s*((?:<\w*arg_key>.*?</\w*arg_value>\s*)+)", re.DOTALL)
_PAIR = re.compile(r"<\w*arg_key>(.*?)</\w*arg_key>\s*<\w*arg_value>(.*?)</\w*arg_value>", re.DOTALL)
_CLOSING = re.compile(r"</|<\||```")
_CLOSERS = {"(": ")", "{": "}", "[": "]"}
_WORDS = {"true": True, "false": False, "null": None}
# Of the arguments of one call, in characters.
_MAX_ARGUMENTS = 64 * 1024

_Found = tuple[list[Written], int] | None


def loose_calls(text: str, offers: Offers) -> tuple[list[Written], str]:
    """Returns the calls that a text begins with, and what follows them; the whole text if it begins with none."""
    text = _CLOSED.sub(r"</\1>", _OPENED.sub(r"<\1>", _QUOTES.sub('"', text)))
    found: list[Written] = []
    at = 0
    while at < len(text) and len(found) < MAX_CALLS:
        calls = next((one for read in _READERS if (one := read(text, at, offers)) is not None), None)
        if calls is not None:
            found += calls[0]
            at = calls[1]
        elif size := lead_size(text, at, offers):
            at += size
        elif (mark := _MARK.match(text, at)) is not None:
            at = mark.end()
        else:
            break
    if not found:
        return [], text
    rest = INVENTED.sub("", text[at:])
    return found, rest if rest.strip("`* \n") else ""


def _tagged(text: str, at: int, offers: Offers) -> _Found:
    """A tag with the tool as an attribute."""
    match = _TAG.match(text, at)
    tool = offers.find_in_call(match[1]) if match else ""
    if match is None or not tool:
        return None
    fields = arguments_in(tool, match[2], offers)
    return None if fields is None else _made(tool, fields, match.end())


def _empty(text: str, at: int, offers: Offers) -> _Found:
    """An element with the tool and its arguments as attributes."""
    match = _EMPTY.match(text, at)
    given = {one[1]: html.unescape(one[2] or one[3] or "") for one in _ATTRIBUTE.finditer(match[1])} if match else {}
    name = next((given.pop(key) for key in ("name", "tool", "tool_name", "function") if key in given), "")
    tool = offers.find_in_call(name)
    if not match and (match := _EMPTY_TOOL.match(text, at)) is not None:
        tool = offers.find(match[1])
        given = {one[1]: html.unescape(one[2] or one[3] or "") for one in _ATTRIBUTE.finditer(match[2])}
    if match is None or not tool:
        return None
    whole = next((value for key in ("arguments", "args", "parameters", "input") if (value := given.get(key))), "")
    fields = {key: offers.value(tool, key, value) for key, value in given.items()}
    return _made(tool, as_object(load(whole)) or fields, match.end())


def _element(text: str, at: int, offers: Offers) -> _Found:
    """A tag that is the tool, with a tag for each argument."""
    match = _ELEMENT.match(text, at)
    tool = offers.find(match[1]) if match else ""
    if match is None or not tool:
        return None
    fields = arguments_in(tool, match[2], offers)
    return None if fields is None else _made(tool, fields, match.end())


def _stated(text: str, at: int, offers: Offers) -> _Found:
    """A tag for the name, and one for the arguments."""
    match = _STATED.match(text, at)
    tool = offers.find_in_call(match[2]) if match else ""
    if match is None or not tool:
        return None
    fields = arguments_in(tool, match[4], offers)
    return None if fields is None else _made(tool, fields, match.end())


def _keyed(text: str, at: int, offers: Offers) -> _Found:
    """A name before tags for names and values."""
    match = _PAIRS.match(text, at)
    tool = offers.find(match[1]) if match else ""
    if match is None or not tool:
        return None
    pairs = [(one[1].strip(), one[2]) for one in _PAIR.finditer(match[2])]
    return _made(tool, {name: offers.value(tool, name, value) for name, value in pairs}, match.end())


def _named(text: str, at: int, offers: Offers) -> _Found:
    """A name before its arguments: in parentheses, or in braces."""
    match = _NAME.match(text, at)
    tool = offers.find(match["name"].rstrip(".")) if match else ""
    between = _BETWEEN.match(text, match.end()) if match else None
    if not tool or between is None:
        return None
    begin = between.end()
    end = _end(text, begin)
    if not end:
        return None
    body = text[begin:end]
    end += 1 if match and match["shown"] and text[end : end + 1] == ")" else 0
    fields = _keywords(body, tool, offers) if body.startswith("(") else _object(body)
    if fields is None and body.startswith("("):
        # The arguments as one object of another language.
        fields = _object(body[1:-1].strip().rstrip(","))
    if fields and (calls := of_json(fields, offers)):
        # The name stood before a whole call.
        return calls, end
    return None if fields is None else _made(tool, fields, end)


def _headless(text: str, at: int, offers: Offers) -> _Found:
    """A name before its parameters in tags, of which the server has taken the first away."""
    match = _BEFORE_TAGS.match(text, at)
    tool = offers.find(match[1]) if match else ""
    fields = arguments_in(tool, match[2], offers) if match and tool else None
    return None if match is None or not fields else _made(tool, fields, match.end())


def _json(text: str, at: int, offers: Offers) -> _Found:
    """JSON of calls, or of objects in which the tool is the name of its arguments."""
    if text[at] not in "{[":
        return None
    try:
        value, end = json.JSONDecoder().raw_decode(text, at)
    except (ValueError, RecursionError):
        return _nearly_json(text, at, offers)
    calls = of_json(value, offers)
    if not calls:
        calls = [call for one in as_list(value) or [value] for call in _by_key(one, offers)]
    return (calls, end) if calls else None


def _nearly_json(text: str, at: int, offers: Offers) -> _Found:
    """JSON with a comma, a brace or quotation marks that are wrong, which mark-up ends: what was cut off is no call."""
    end = _CLOSING.search(text, at)
    if end is None or end.start() - at > _MAX_ARGUMENTS:
        return None
    body = text[at : end.start()].strip()
    inner = body[1:-1] if body.startswith("{{") else body
    for one in (body, inner):
        value: object = nearly_json.value(one, ends=True)
        calls = of_json(value if value is not None else literal(one), offers)
        if calls:
            return calls, end.start()
    return None


def _by_key(value: object, offers: Offers) -> list[Written]:
    fields = as_object(value)
    name = next(iter(fields), "")
    tool = offers.find(name) if len(fields) == 1 and isinstance(fields[name], dict) else ""
    return [Written(tool, json.dumps(fields[name], ensure_ascii=False))] if tool else []


_READERS: tuple[Callable[[str, int, Offers], _Found], ...] = (
    _empty,
    _tagged,
    _element,
    _stated,
    _keyed,
    _headless,
    _named,
    _json,
)


def _made(tool: str, fields: Mapping[str, object], end: int) -> _Found:
    return [Written(tool, json.dumps(fields, ensure_ascii=False))], end


def _end(text: str, begin: int) -> int:
    """Where the bracket that stands here ends; 0 if there is none, or it does not end."""
    if begin >= len(text) or text[begin] not in "({":
        return 0
    open_: list[str] = []
    quote = ""
    at = begin
    while at < min(len(text), begin + _MAX_ARGUMENTS):
        c = text[at]
        if quote:
            at += c == "\\"
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in _CLOSERS:
            open_.append(_CLOSERS[c])
        elif open_ and c == open_[-1]:
            open_.pop()
            if not open_:
                return at + 1
        at += 1
    return 0


def _object(text: str) -> dict[str, object] | None:
    """An object whose names may stand without quotes, or one in the form of Python."""
    value: object = nearly_json.value(text)
    return cast("dict[str, object]", value) if isinstance(value, dict) else literal(text)


def _keywords(text: str, tool: str, offers: Offers) -> dict[str, object] | None:
    """The arguments of a call in the form of Python; those without a name have the names of the tool in their order."""
    try:
        call = ast.parse(f"f{text}", mode="eval").body
        if not isinstance(call, ast.Call):
            return None
        names = offers.parameters(tool)
        if len(call.args) == 1 and not call.keywords and isinstance(call.args[0], ast.Dict):
            # The arguments as one object.
            value: object = ast.literal_eval(call.args[0])
            if isinstance(value, dict) and value and set(cast("dict[str, object]", value)) <= set(names):
                return cast("dict[str, object]", value)
        fields = {name: _value(one) for name, one in zip(names, call.args, strict=False)}
        fields |= {one.arg: _value(one.value) for one in call.keywords if one.arg}
        json.dumps(fields)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None
    return fields if len(fields) == len(call.args) + len(call.keywords) else None


def _value(node: ast.expr) -> object:
    if isinstance(node, ast.Name) and node.id in _WORDS:
        return _WORDS[node.id]
    value: object = ast.literal_eval(node)
    return value

"""Finds the tool calls that a model has written as text, in the forms in which models are trained to write them."""

import html
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from llm_service import nearly_json
from llm_service.json_shapes import as_list, as_object, load
from llm_service.providers.fragments import MAX_CALLS
from llm_service.providers.tool_names import to_api
from llm_service.providers.yaml_calls import IS_ARGUMENT, IS_NAME, yaml_name, yaml_of
from llm_service.turn import Tool

_NAMES = ("name", "tool", "tool_name", "function_name", "recipient_name", "action")
# What calls stand in, beside other things that a model says.
_HOLDERS = (
    "tool_calls", "tool_uses", "invocations", "tool_call", "function_calls", "function_call", "functionCall", "calls",
    "actions", "command",
)  # fmt: skip
# Objects of a list that are no calls.
_TEXTS = ("text", "thinking", "reasoning", "output_text")
# Of a name, in front of that of the tool, and behind it.
_SPACES = ("functions.", "default_api.", "tools.", "tool.", "api.")
_SUFFIXES = (".call", ".invoke", ".run")
_OF_TAG = r"[\w:｜]{0,20}(?:param(?:eter)?|arg(?:ument)?)"
_PARAMETER = re.compile(
    rf"<{_OF_TAG}(?:=([^>\s]+)|\s+(?:name|key)=[\"']([^\"']+)[\"'][^>]*)>\n?(.*?)\s*?\n?"
    # Some models leave the end out: none of them nests.
    rf"(?:</{_OF_TAG}>|(?=<{_OF_TAG}[= ])|(?=</[\w:｜]{{0,20}}(?:function|invoke|tool_call))|\Z)",
    re.DOTALL,
)
# A parameter without a text: its value is an attribute.
_ATTRIBUTES = re.compile(
    rf"<{_OF_TAG}\s+(?:name|key)=[\"']([^\"']+)[\"']\s+(?:value|val)=[\"']([^\"']*)[\"']\s*(?:/>|>\s*</{_OF_TAG}>)"
)
_PAIR = re.compile(r"<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>", re.DOTALL)
_ELEMENT = re.compile(r"<([A-Za-z_][\w.-]*)>(.*?)</\1>", re.DOTALL)
# All arguments in one element.
_WHOLE = re.compile(r"<(arguments|parameters|params|args|input)>\s*(.*?)\s*</\1>", re.DOTALL)
# Several on one line, as a shell or an element has them.
_ON_LINE = re.compile(r"\s*-{0,2}([A-Za-z_]\w*)\s*[=:]\s*(\"[^\"\n]*\"|'[^'\n]*'|[^\s\"',]+),?(?=\s|\Z)")
_LINE = re.compile(r"[\"'`-]?\s*([A-Za-z_]\w*)[\"'`]?\s*[:=]\s*(.+?),?")
_FENCE = re.compile(r"```[\w-]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_ALONE = re.compile(r"[\[{].*|```[\w-]*\s*\n(?:(?!```).)*(?:```)?", re.DOTALL)
_INNER = re.compile(
    r"\s*(?:<function=([^>\s]+)>|([\w.-]+)[ \t]*(?=\s*(?:<arg_key>|```|\{|\Z)|\n|[ \t]-{0,2}[A-Za-z_]\w*[=:]))(.*?)"
    r"(?:</function>|\Z)",
    re.DOTALL,
)
_FENCE_MARK = "```"
_TAG = re.compile(r"<[^>]*>")
# After its tag: an object, a tag, or the name of a tool on a line of its own.
_BEGUN = re.compile(r"<[^>]*>\s*(?:[{<]|[\w.-]+\s*(?:\n|<|\Z))")
_BEGINNING = re.compile(
    r"\s*(?:<[|｜]/?(?:tool|python|start|channel|DSML|action|plugin|function|call)|\[TOOL_CALLS|<tool_c|<function[=_]"
    r"|<invoke |<\w+:(?:tool_|invoke)|<\w*_tool_call>|<start_function_call>)",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"^[<\s]*(?:<\|tool_calls?_(?:section_)?begin\|>|<｜tool▁calls?▁begin｜>|\[TOOL_CALLS\]\s*\[?\{)", re.MULTILINE
)
# Within a sentence, too.
_LIKE = re.compile(r"(?:<[^>]*>|\[TOOL_CALLS\])+\s*(?:\[?\s*\{\s*[\"']|functions\.|function<)")
_CUT = re.compile(r"\s*\[?\s*\{\s*\"(?:name|tool|function|tool_name)\"\s*:\s*\"([^\"]+)\"")
# Texts that stand for no arguments.
_ABSENT = ("", "null", "None")
# Of a call that nobody can read.
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Written:
    """A call as it stands in a text; `name` is the vendor's name of an offered tool, or empty."""

    name: str
    arguments: str = "{}"
    written: str = ""
    """The beginning of its text, if it fits no tool."""


class Offers:
    """The tools on offer, by every name by which a model may call them."""

    def __init__(self, tools: tuple[Tool, ...]) -> None:
        """Indexes the tools."""
        self._names = {name: to_api(tool.name) for tool in tools for name in (tool.name, to_api(tool.name))}
        self._schemas = {to_api(tool.name): tool.schema for tool in tools}
        short = [tool.name.rpartition(".")[2] for tool in tools]
        self._short = {
            name: to_api(tool.name) for name, tool in zip(short, tools, strict=True) if short.count(name) == 1
        }

    def __bool__(self) -> bool:
        return bool(self._names)

    def find(self, name: str) -> str:
        """Returns the vendor's name of an offered tool; empty if it is none."""
        plain = re.sub(r":\d+$", "", name.strip().strip("\"'`*"))
        without = next((plain.removesuffix(one) for one in _SUFFIXES if plain.endswith(one)), plain)
        return next((found for one in (plain, _bare(plain), without) if (found := self._names.get(one))), "")

    def find_in_call(self, name: str) -> str:
        """Returns the same of a name that can only be a tool's, such as one without its server."""
        plain = _bare(name.strip().strip("\"'`*"))
        return self.find(name) or self._short.get(plain) or self._short.get(re.split(r"[.:/]|__", plain)[-1]) or ""

    def may_begin(self, text: str) -> bool:
        """Whether the name of an offered tool begins with a text."""
        plain = _bare(text)
        return any(name.startswith(plain) for name in self._names) or any(one.startswith(text) for one in _SPACES)

    def parameters(self, tool: str) -> tuple[str, ...]:
        """The names of a tool's parameters, in the order of its schema."""
        return tuple(as_object(as_object(load(self._schemas.get(tool, ""))).get("properties")))

    def value(self, tool: str, parameter: str, text: str) -> object:
        """Returns the value of a parameter that was written without quotes."""
        properties = as_object(as_object(load(self._schemas.get(tool, ""))).get("properties"))
        if as_object(properties.get(parameter)).get("type") == "string":
            return text
        found: object = load(text.strip())
        return text if found is None and text.strip() != "null" else found


def of_text(text: str, offers: Offers, previous: str = "\n") -> tuple[list[Written], str]:
    """Returns the calls of a text, and what else it says; `previous` is the character before it."""
    found: list[Written] = []
    rest: list[str] = []
    at = 0
    while at < len(text) and len(found) < MAX_CALLS:
        matches = ((form.search(text, at), read) for form, read in _FORMS)
        best = min(((m, read) for m, read in matches if m), key=lambda one: one[0].start(), default=None)
        if best is None:
            break
        match, read = best
        rest.append(text[at : match.start()])
        at = match.end()
        if calls := read(match, offers):
            found += calls
        elif _is_certain(match, text[: match.start()].rstrip(" \t")[-1:] or previous):
            found.append(Written("", written=match.group()[:_SHOWN]))
        else:
            # A fence with something else, or the name of a tag within a sentence.
            tag = _TAG.match(match.group())
            at = match.start() + tag.end() if tag else match.end()
            rest.append(text[match.start() : at])
    rest.append(text[at:])
    whole = "".join(rest)
    return found, _WRAPPERS.sub("", INVENTED.sub("", whole)) if found else whole


def of_json(value: object, offers: Offers) -> list[Written]:
    """Returns the calls that a JSON value is; none if it is anything else."""
    found: list[Written] = []
    for one in as_list(value) or [value]:
        fields = as_object(one)
        inner = as_object(fields.get("function")) or fields
        given: object = next((inner[key] for key in inner if IS_ARGUMENT.search(key)), None)
        given = _arguments_of(given)
        arguments = as_object(given)
        find = offers.find_in_call if arguments or given == {} else offers.find
        names = [inner[key] for key in (*_NAMES, *inner) if key in inner and IS_NAME.search(key)]
        names.append(fields.get("function"))
        tool = next((known for name in names if isinstance(name, str) and (known := find(name))), "")
        if not tool and (held := [call for key in _HOLDERS if key in fields for call in of_json(fields[key], offers)]):
            found += held
            continue
        if fields.get("type") in _TEXTS and not tool and isinstance(value, list):
            continue
        if not tool:
            return []
        if isinstance(given, str):
            # In a notation of its own.
            arguments = arguments_in(tool, given, offers) or {}
        elif given is None:
            arguments = _beside(inner, tool, offers)
        if given and not arguments:
            # Its arguments cannot be read, and it is not made without them.
            found.append(Written("", written=json.dumps(fields, ensure_ascii=False)[:_SHOWN]))
            continue
        found.append(Written(tool, json.dumps(arguments, ensure_ascii=False)))
    return found


def _arguments_of(given: object) -> object:
    """Arguments out of their text, and out of a list that holds them alone; a text that is none of that as it is."""
    if isinstance(given, str):
        loaded = _loaded(given)
        given = given if loaded is None and given.strip() not in _ABSENT else loaded
    items = as_list(given)
    alone = as_object(items[0]) if len(items) == 1 else {}
    return alone or given


def _beside(fields: Mapping[str, object], tool: str, offers: Offers) -> Mapping[str, object]:
    """The arguments that stand beside the name, without an object of their own."""
    named = offers.parameters(tool)
    return {key: value for key, value in fields.items() if key in named}


def _bare(name: str) -> str:
    """A name without what some models write in front of it."""
    space = next((one for one in _SPACES if name.startswith(one)), "")
    return name[len(space) :]


def misnamed(value: object, offers: Offers) -> list[Written]:
    """Returns what is a call in all but the name of an offered tool: an object with a name and arguments alone."""
    found: list[Written] = []
    for one in as_list(value) or [value]:
        fields = as_object(one)
        inner = as_object(fields.get("function")) or fields
        names = [key for key in inner if key in _NAMES and isinstance(inner[key], str)]
        arguments = [key for key in inner if IS_ARGUMENT.search(key) and isinstance(inner[key], dict)]
        if len(names) != 1 or len(arguments) != 1 or len(inner) != 2 or offers.find(str(inner[names[0]])):
            return []
        found.append(Written("", written=json.dumps(inner, ensure_ascii=False)[:_SHOWN]))
    return found


def _is_certain(match: re.Match[str], previous: str) -> bool:
    """Whether nothing but a call is written like this."""
    text = match.group()
    if text.startswith(_FENCE_MARK):
        return False
    begun = is_special(text) or bool(_BEGUN.match(text)) or "</" in text[text.rfind("\n") + 1 :]
    return bool(_LIKE.match(text)) or (previous == "\n" and begun)


def is_special(text: str) -> bool:
    """Whether a text begins with a token that is for machines alone."""
    return text.startswith(("<|", "<｜", "[TOOL_CALLS"))


def begins(text: str) -> bool:
    """Whether a text begins as a call, even if it does not go on as one."""
    return bool(_BEGINNING.match(text))


def broken_at(text: str) -> int:
    """Where a line begins with a token that only calls have; -1 if none does."""
    match = _TOKEN.search(text)
    return match.start() if match else -1


def cut(text: str, offers: Offers) -> list[Written]:
    """Returns what begins as the JSON of a call to an offered tool and does not end."""
    match = _CUT.match(text)
    return [Written("", written=text[:_SHOWN])] if match and offers.find(match.group(1)) else []


def is_one_block(text: str) -> bool:
    """Whether a text is JSON, or one fence, and nothing else."""
    return bool(_ALONE.fullmatch(text.strip()))


def json_of(text: str) -> object:
    """The JSON of a text that may stand in a fence, a list if there are several values; YAML of a call is like it."""
    fence = _FENCE.search(text)
    body = (fence.group(1) if fence else text).strip()
    found = _loaded(body)
    return yaml_of(body) if found is None and yaml_name(body, is_whole=True) else found


def _loaded(text: str) -> object:
    """The value of a text, also where it is not quite JSON."""
    found: object = load(text)
    return nearly_json.value(text) if found is None else found


def _named(name: str, body: str, offers: Offers) -> list[Written]:
    tool = offers.find_in_call(name)
    fields = arguments_in(tool, body, offers) if tool else None
    return [] if fields is None else [Written(tool, json.dumps(fields, ensure_ascii=False))]


def arguments_in(tool: str, body: str, offers: Offers) -> Mapping[str, object] | None:
    """Returns the arguments that stand between the name of a tool and the end of its call, in any form; else none."""
    if parameters := _parameters(tool, body, offers):
        return parameters
    value: object = json_of(body) if body.strip() else {}
    if (fields := as_object(value)) or value == {}:
        return fields
    if whole := _WHOLE.fullmatch(body.strip()):
        return arguments_in(tool, whole[2], offers)
    known = offers.parameters(tool)
    found = {one[1]: one[2].strip("\n") for one in _ELEMENT.finditer(body) if not known or one[1] in known}
    lines = [one for line in body.splitlines() if (one := line.strip()) and not _TAG.fullmatch(one)]
    pairs = [_LINE.fullmatch(one) for one in lines]
    if not found and all(pairs):
        found = {one[1]: one[2].strip("\"'") for one in pairs if one and one[1] in known}
    on_line = list(_ON_LINE.finditer(body)) if len(lines) == 1 else []
    if len(on_line) > 1 and not _ON_LINE.sub("", body).strip() and all(one[1] in known for one in on_line):
        found = {one[1]: one[2].strip("\"'") for one in on_line}
    return {name: offers.value(tool, name, text) for name, text in found.items()} or None


def _parameters(tool: str, body: str, offers: Offers) -> Mapping[str, object]:
    named = [(one[1], html.unescape(one[2])) for one in _ATTRIBUTES.finditer(body)]
    named = named or [(one[1] or one[2], one[3]) for one in _PARAMETER.finditer(body)]
    pairs = named or [(one[1].strip(), one[2]) for one in _PAIR.finditer(body)]
    return {name: offers.value(tool, name, text) for name, text in pairs}


def _tagged(match: re.Match[str], offers: Offers) -> list[Written]:
    body = match.group(1)
    if calls := of_json(json_of(body), offers):
        return calls
    inner = _INNER.match(body)
    return _named(inner.group(1) or inner.group(2), inner.group(3), offers) if inner else []


def _by_name(match: re.Match[str], offers: Offers) -> list[Written]:
    return _named(match.group(1), match.group(2), offers)


def _listed(match: re.Match[str], offers: Offers) -> list[Written]:
    """Mistral's forms: a list, or names with arguments."""
    body = match.group(1)
    if calls := of_json(load(body.strip()), offers):
        return calls
    decoder = json.JSONDecoder()
    found: list[Written] = []
    for part in body.split("[TOOL_CALLS]"):
        name, bracket, arguments = part.partition("{")
        try:
            value: object = decoder.raw_decode(bracket + arguments)[0] if bracket else None
        except (ValueError, RecursionError):
            continue
        found += _named(name.split("[")[0], json.dumps(as_object(value)), offers)
    return found


def _plain(match: re.Match[str], offers: Offers) -> list[Written]:
    return of_json(json_of(match.group(1)), offers)


def _lines(match: re.Match[str], offers: Offers) -> list[Written]:
    """Llama's form: one object, or several with semicolons between."""
    return of_json(json_of(match.group(1)), offers)


_Read = Callable[[re.Match[str], Offers], list[Written]]
_FORMS: tuple[tuple[re.Pattern[str], _Read], ...] = tuple(
    (re.compile(form, re.DOTALL), read)
    for form, read in (
        (r"<tool_call>(.*?)(?:</tool_call>|(?=<tool_call>)|\Z)", _tagged),
        (r"<function=([^>\s]+)>(.*?)(?:</function>|\Z)", _by_name),
        (r"<(?:｜DSML｜)?invoke name=\"([^\"]+)\">(.*?)(?:</(?:｜DSML｜)?invoke>|\Z)", _by_name),
        (r"<\|tool_call_begin\|>(.*?)<\|tool_call_argument_begin\|>(.*?)(?:<\|tool_call\w*\|>|\Z)", _by_name),
        (
            r"<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?(.*?)(?:<｜tool▁sep｜>|\n)(.*?)(?:<｜tool▁call▁end｜>|\Z)",
            _by_name,
        ),
        (
            (
                r"<\|(?:start|channel)\|>(?:[^<]|<\|ch\w+\|>)*? to=([\w.:-]+).*?<\|message\|>(.*?)"
                r"(?:<\|[ce]\w+\|>(?:commentary|analysis|final)?|\Z)"
            ),
            _by_name,
        ),
        (r"\[TOOL_CALLS\](.*)\Z", _listed),
        (r"<\|python_tag\|>(.*?)(?:<\|eom_id\|>|<\|eot_id\|>|\Z)", _lines),
        (r"```[\w-]*[ \t]*\n(.*?)(?:```|\Z)", _plain),
    )
)
# What a model invents as the answer of a tool, and all behind it.
INVENTED = re.compile(
    r"\s*(?:Observation:|✿RESULT✿|✿RETURN✿|\[/?TOOL_(?:RESULTS?|OUTPUT|RESPONSE)\]"
    r"|<[|｜]?(?:tool|function)s?[_▁: -]?(?:response|result|output)s?(?:[_▁]begin)?[|｜]?>).*\Z",
    re.DOTALL | re.IGNORECASE,
)
# What is left around calls that were found.
_WRAPPERS = re.compile(
    r"<[|｜][^<>\n]{0,60}(?:>|\Z)|</?[\w:｜]*(?:tool|function|invoke|parameter)[^<>\n]{0,60}(?:>|\Z)|\[/?TOOL_CALLS\]"
    r"|\[\|\w{1,20}\|\]|(?m:^Action:[ \t]*$)|</?(?:think|thinking|answer|response|output|final)>"
)

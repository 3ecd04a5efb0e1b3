"""Fills a tool's arguments from known facts; a tool with an unfilled required argument is not called."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from llm_service.json_shapes import as_list, as_object, load
from llm_service.providers.offline.facts import Facts, kind_of
from llm_service.providers.offline.words import parts
from llm_service.turn import Tool

_AMOUNT = re.compile(
    r"^(?:limit|lines|tail|tail_?lines|count|max|top|n|size|page_?size|max_\w+|num_\w+|last|num)$", re.IGNORECASE
)
_MINUTES = re.compile(r"minutes|window_m|since_min|lookback", re.IGNORECASE)
_SPAN = re.compile(r"^(?:since|duration|range|window|period|lookback|last|time_?range)$", re.IGNORECASE)
_OPTIONAL = frozenset("namespace pod container service deployment mount queue database".split())
_SYSTEM_LOGS = frozenset("syslog message kern daemon error".split())
_LINES = 200
_ROWS = 15


@dataclass(frozen=True, slots=True)
class Known:
    """The sources of arguments."""

    alert: Facts
    results: Facts
    words: frozenset[str]
    topics: frozenset[str]


@dataclass(frozen=True, slots=True)
class Shape:
    """A tool's parameters."""

    properties: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    required: tuple[str, ...] = ()


def shape(tool: Tool) -> Shape | None:
    """Reads a tool's JSON Schema; `None` if it cannot be read."""
    if not tool.schema.strip():
        return Shape()
    document: object = load(tool.schema)
    if not isinstance(document, dict):
        return None
    read = as_object(cast("object", document))
    properties = {name: as_object(schema) for name, schema in as_object(read.get("properties")).items()}
    return Shape(properties, tuple(str(name) for name in as_list(read.get("required"))))


def variants(tool: Tool, known: Known, most: int = 3) -> list[dict[str, Any]]:
    """The argument sets worth calling a tool with, best first; none if a required one has no value."""
    read = shape(tool)
    if read is None:
        return []
    sets: list[dict[str, Any]] = [{}]
    for name in sorted(read.properties.keys() | set(read.required), key=_order(read)):
        required = name in read.required
        values = _values(name, read.properties.get(name, {}), tool, known, required)
        if not values and required:
            return []
        if values:
            sets = [{**one, name: value} for one in sets for value in values[:most]][: most * 2]
    return sets[:most]


def missing(tool: Tool, known: Known) -> list[str]:
    """Returns the required arguments that no known fact fills."""
    read = shape(tool)
    if read is None:
        return ["a readable schema"]
    return [name for name in read.required if not _values(name, read.properties.get(name, {}), tool, known, True)]


def _order(read: Shape) -> Callable[[str], tuple[bool, int]]:
    """Required ones first, then in the schema's order."""
    names = list(read.properties)

    def place(name: str) -> tuple[bool, int]:
        return name not in read.required, names.index(name) if name in names else 0

    return place


def _values(name: str, schema: dict[str, Any], tool: Tool, known: Known, required: bool) -> list[Any]:
    declared = schema.get("type")
    types = {str(one) for one in as_list(declared)} or {str(declared)}
    if "const" in schema:
        return [schema["const"]]
    if isinstance(schema.get("enum"), list):
        return _choices(schema, known, required)
    if types & {"integer", "number"}:
        return _amount(name, schema, tool, known, required)
    if "boolean" in types:
        return _switch(name, schema, known, required)
    if "array" in types:
        inner = {"type": "string", **as_object(schema.get("items"))}
        found = _values(name.removesuffix("s"), inner, tool, known, required)
        return [found[:1]] if required and found else []
    if types & {"object"}:
        return [{}] if required else []
    return _text(name, schema, tool, known, required)


def _choices(schema: dict[str, Any], known: Known, required: bool) -> list[Any]:
    choices = [choice for choice in schema["enum"] if isinstance(choice, str | int)]
    met = [c for c in choices if set(parts(str(c))) & (known.words | known.topics)]
    if met:
        return met
    if not required:
        return []
    return [schema["default"]] if schema.get("default") in choices else choices[:1]


def _amount(name: str, schema: dict[str, Any], tool: Tool, known: Known, required: bool) -> list[int]:
    if kind_of(name, tool.name) == "port":
        ports = known.alert.of("port")
        return [int(port) for port in ports] if required else []
    lines = "log" in parts(tool.name) or "line" in name.lower()
    if _MINUTES.search(name):
        value = 60
    elif _AMOUNT.match(name):
        value = _LINES if lines else _ROWS
    else:
        return (
            [int(schema.get("default") or schema.get("minimum") or 0)]
            if required and ("default" in schema or "minimum" in schema)
            else []
        )
    low, high = schema.get("minimum"), schema.get("maximum")
    value = min(value, int(high)) if isinstance(high, int | float) else value
    return [max(value, int(low)) if isinstance(low, int | float) else value]


def _switch(name: str, schema: dict[str, Any], known: Known, required: bool) -> list[bool]:
    if name.lower() == "previous" and known.words & {"crashloop", "crash", "restart", "oom", "crashloopbackoff"}:
        return [True, False]
    return [bool(schema.get("default", False))] if required else []


def _text(name: str, schema: dict[str, Any], tool: Tool, known: Known, required: bool) -> list[str]:
    lowered = name.lower()
    if lowered in ("apiversion", "kind", "api_version"):
        return _kubernetes(lowered, known) if required else []
    if required and _SPAN.match(name):
        return [str(schema.get("default") or "1h")]
    kind = kind_of(name, tool.name)
    if kind is None:
        if not required:
            return []
        return [str(schema["default"])] if schema.get("default") else _search(lowered, tool, known)
    if not required and kind not in _OPTIONAL:
        return []
    values = known.alert.of(kind) or (known.results.of(kind) if required else [])
    if kind == "path" and not known.alert.of(kind):
        values = [path for path in values if _is_near(path, known)]
    if kind == "dns":
        values = known.alert.of("dns") or [h for h in known.alert.of("host") if "." in h]
    if kind == "path" and set(parts(tool.name)) & {"disk", "filesystem", "inode", "du", "mount"}:
        values = known.alert.of("mount") or values
    if not values and required and schema.get("default"):
        return [str(schema["default"])]
    return values if required else values[:1]


def _is_near(path: str, known: Known) -> bool:
    """Whether a log that was only listed has to do with the alert: by its name, or as the system's own."""
    words = set(parts(path)) - {"var", "log"}
    return bool(words & known.words or words & _SYSTEM_LOGS)


def _search(name: str, tool: Tool, known: Known) -> list[str]:
    """A plain search word, where the tool searches logs and speaks no query language."""
    described = f"{tool.name} {tool.description}".lower()
    if name not in ("query", "search", "text", "q", "pattern", "filter", "term", "keyword"):
        return []
    if re.search(r"promql|sql|logql|lucene|jq|cypher|kql|metric", described) or "log" not in described:
        return []
    return known.alert.of("service") or known.alert.of("deployment")


def _kubernetes(name: str, known: Known) -> list[str]:
    for kind, api, title in (("deployment", "apps/v1", "Deployment"), ("pod", "v1", "Pod")):
        if known.alert.of(kind):
            return [title if name == "kind" else api]
    return []

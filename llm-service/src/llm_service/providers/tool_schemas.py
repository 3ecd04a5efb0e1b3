"""Gives the schemas of tools a form that every vendor accepts.

Vendors refuse a whole request for one schema: OpenAI an array without `items` and unions at the top, Anthropic what is
not valid in the draft 2020-12 and odd names of properties, Gemini references and unknown formats, llama.cpp patterns
without anchors. What is left out here is checked all the same: the gateway validates each call against the tool's own
schema.
"""

import re
from collections.abc import Iterator
from typing import Any

from llm_service.json_shapes import as_list, as_object

# Deeper parts accept anything: OpenAI's limit for typed answers, and far below what recursion here can bear.
MAX_DEPTH = 10
# Parts of one schema: references that refer to each other grow without bound.
MAX_PARTS = 1_000

_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
# As languages and older generators name types.
_OTHER_TYPES = {
    "str": "string",
    "text": "string",
    "int": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
    "bool": "boolean",
    "dict": "object",
    "map": "object",
    "list": "array",
    "tuple": "array",
    "none": "null",
    "nil": "null",
}
_FORMATS = frozenset({"date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"})
_TEXTS = ("title", "description")
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_UNIONS = ("anyOf", "oneOf")
_NAME = re.compile(r"^[A-Za-z0-9_.-]{1,64}$")
_LOOKAROUND = re.compile(r"\(\?[=!<]")


def normalized(schema: object, *, plain_names: bool = False) -> dict[str, Any] | None:
    """Returns the schema of an object.

    With `plain_names`, properties whose names Anthropic refuses are left out; `None` if one of them is required.
    """
    source = as_object(schema)
    found = _Normalizer(source).top(source)
    if plain_names:
        odd = [name for name in found["properties"] if not _NAME.match(name)]
        if any(name in found.get("required", []) for name in odd):
            return None
        for name in odd:
            del found["properties"][name]
    return found


class _Normalizer:
    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._parts = 0

    def top(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The schema of all arguments: an object without unions, which vendors refuse here."""
        whole = self._merged(self._followed(schema, ()))
        options = [self._merged(self._followed(option, ())) for option in _options(whole)]
        properties = dict(as_object(whole.get("properties")))
        for option in options:
            for name, part in as_object(option.get("properties")).items():
                properties.setdefault(name, part)
        required = set(_required(whole))
        if options:
            required |= {name for name in _required(options[0]) if all(name in _required(option) for option in options)}
        plain = {key: value for key, value in whole.items() if key not in (*_UNIONS, "enum", "const")}
        found = self._object({**plain, "properties": properties, "required": sorted(required)}, 0, ())
        return {**_texts(whole), "type": "object", "properties": {}, **found}

    def _part(self, schema: object, depth: int, seen: tuple[str, ...]) -> dict[str, Any]:
        """A part of a schema; `{}` accepts anything."""
        self._parts += 1
        source = as_object(schema)
        if not source or depth > MAX_DEPTH or self._parts > MAX_PARTS:
            return {}
        reference = source.get("$ref")
        if isinstance(reference, str):
            if reference in seen:
                return _texts(source)
            seen = (*seen, reference)
        whole = self._merged(self._followed(source, seen))
        options = _options(whole)
        if options:
            return self._union(whole, options, depth, seen)
        found = {**_texts(whole), **_type(whole), **_limits(whole), **_values(whole)}
        if "object" in _names(found) or "properties" in whole:
            found = {**found, **self._object(whole, depth, seen)}
        if "array" in _names(found):
            found["items"] = self._part(whole.get("items"), depth + 1, seen)
        return found

    def _union(
        self, whole: dict[str, Any], options: list[dict[str, Any]], depth: int, seen: tuple[str, ...]
    ) -> dict[str, Any]:
        rest = {key: value for key, value in whole.items() if key not in _UNIONS}
        # What stands beside a union goes for each of its options.
        common = {key: value for key, value in rest.items() if key not in (*_TEXTS, "default")}
        parts = [self._part({**common, **option}, depth + 1, seen) for option in options]
        parts = [part for at, part in enumerate(parts) if part not in parts[:at]]
        if len(parts) == 1:
            return {**parts[0], **_texts(rest)}
        default = {"default": rest["default"]} if "default" in rest else {}
        return {**_texts(rest), **default, "anyOf": parts}

    def _object(self, schema: dict[str, Any], depth: int, seen: tuple[str, ...]) -> dict[str, Any]:
        given = as_object(schema.get("properties"))
        # `false` forbids a property.
        properties = {name: self._part(part, depth + 1, seen) for name, part in given.items() if part is not False}
        required = [name for name in _required(schema) if name in properties]
        found: dict[str, Any] = {"type": "object", "properties": properties}
        if required:
            found["required"] = required
        more = schema.get("additionalProperties")
        if isinstance(more, bool):
            found["additionalProperties"] = more
        elif as_object(more):
            found["additionalProperties"] = self._part(as_object(more), depth + 1, seen)
        return found

    def _followed(self, schema: dict[str, Any], seen: tuple[str, ...]) -> dict[str, Any]:
        """The schema with what it refers to; an unknown reference accepts anything."""
        for _ in range(MAX_DEPTH):
            reference = schema.get("$ref")
            if not isinstance(reference, str):
                break
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            target = self._target(reference)
            if target.get("$ref") in (reference, *seen[:-1]):
                target = _texts(target)
            schema = {**target, **beside}
        return schema

    def _target(self, reference: str) -> dict[str, Any]:
        if not reference.startswith("#"):
            return {}
        found: object = self._root
        for step in reference.removeprefix("#").strip("/").split("/"):
            if step:
                found = as_object(found).get(step.replace("~1", "/").replace("~0", "~"))
        return as_object(found)

    def _merged(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The schema with all of its `allOf`."""
        parts = as_list(schema.get("allOf"))
        merged = {key: value for key, value in schema.items() if key != "allOf"}
        for part in parts[:MAX_PARTS]:
            one = self._followed(as_object(part), ())
            properties = {**as_object(one.get("properties")), **as_object(merged.get("properties"))}
            required = [*_required(merged), *_required(one)]
            merged = {**{key: value for key, value in one.items() if key != "allOf"}, **merged}
            if properties:
                merged["properties"] = properties
            if required:
                merged["required"] = list(dict.fromkeys(required))
        return merged


def _options(schema: dict[str, Any]) -> list[dict[str, Any]]:
    found = [as_object(option) for union in _UNIONS for option in as_list(schema.get(union))]
    return [option for option in found if option]


def _required(schema: dict[str, Any]) -> list[str]:
    """The required properties; older drafts say so in the property."""
    listed = [name for name in as_list(schema.get("required")) if isinstance(name, str)]
    own = [
        name
        for name, part in as_object(schema.get("properties")).items()
        if as_object(part).get("required") is True and name not in listed
    ]
    return list(dict.fromkeys([*listed, *own]))


def _texts(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: schema[key] for key in _TEXTS if isinstance(schema.get(key), str)}


def _type(schema: dict[str, Any]) -> dict[str, Any]:
    given: object = schema.get("type")
    names = [_type_name(name) for name in (as_list(given) or [given])]
    found = list(dict.fromkeys(name for name in names if name in _TYPES))
    if not found and "items" in schema:
        found = ["array"]
    if not found and "properties" in schema:
        found = ["object"]
    if found and schema.get("nullable") is True and "null" not in found:
        found.append("null")
    if not found:
        return {}
    return {"type": found[0] if len(found) == 1 else found}


def _type_name(name: object) -> str:
    text = name.strip().lower() if isinstance(name, str) else ""
    return _OTHER_TYPES.get(text, text)


def _names(schema: dict[str, Any]) -> list[Any]:
    given: object = schema.get("type")
    return as_list(given) or [given]


def _limits(schema: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key in _NUMBERS:
        if _is_number(schema.get(key)):
            found[key] = schema[key]
    # The draft 4 has a switch beside the limit.
    for limit, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if schema.get(exclusive) is True and limit in found:
            found[exclusive] = found.pop(limit)
    if found.get("multipleOf", 1) <= 0:
        del found["multipleOf"]
    for key in _COUNTS:
        value = schema.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            found[key] = value
    if schema.get("uniqueItems") is True:
        found["uniqueItems"] = True
    form: object = schema.get("format")
    if isinstance(form, str) and form in _FORMATS:
        found["format"] = form
    pattern: object = schema.get("pattern")
    if isinstance(pattern, str) and _is_plain(pattern):
        found["pattern"] = pattern
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


def _is_plain(pattern: str) -> bool:
    """Whether grammars can be made of a pattern: with both anchors, without looking around."""
    if not (pattern.startswith("^") and pattern.endswith("$")) or _LOOKAROUND.search(pattern):
        return False
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def _values(schema: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    listed = [schema["const"]] if "const" in schema else as_list(schema.get("enum"))
    values = list(_distinct(listed))
    if values:
        found["enum"] = values
    if "default" in schema and _is_plain_value(schema["default"]):
        found["default"] = schema["default"]
    return found


def _distinct(values: list[Any]) -> Iterator[Any]:
    seen: set[str] = set()
    for value in values:
        key = repr(value)
        if _is_plain_value(value) and key not in seen:
            seen.add(key)
            yield value


def _is_plain_value(value: object) -> bool:
    return not isinstance(value, float) or _is_number(value)

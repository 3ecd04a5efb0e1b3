"""Schemas as tool servers declare them, and what vendors accept."""

import json
import random
from collections.abc import Iterator
from typing import Any, cast

import pytest

from llm_service.json_shapes import as_object
from llm_service.providers.tool_names import MAX_LENGTH, to_api
from llm_service.providers.tool_schemas import MAX_PARTS, normalized

EMPTY = {"type": "object", "properties": {}}


def parts(schema: object) -> Iterator[dict[str, Any]]:
    """All schemas within a schema."""
    assert isinstance(schema, dict), schema
    found = cast("dict[str, Any]", schema)
    yield found
    for part in as_object(found.get("properties")).values():
        yield from parts(part)
    for key in ("items", "additionalProperties"):
        if key in found and not isinstance(found[key], bool):
            yield from parts(found[key])
    for part in found.get("anyOf", []):
        yield from parts(part)


def assert_accepted(schema: dict[str, Any]) -> None:
    """What the vendors' validators say, all together."""
    assert schema["type"] == "object"
    assert isinstance(schema["properties"], dict)
    assert not {"anyOf", "oneOf", "allOf", "not", "enum", "const"} & schema.keys()
    for part in parts(schema):
        types = part.get("type", [])
        types = [types] if isinstance(types, str) else types
        assert set(types) <= {"string", "number", "integer", "boolean", "object", "array", "null"}, part
        assert "array" not in types or isinstance(part["items"], dict), part
        assert not {"$ref", "$defs", "definitions", "oneOf", "allOf", "prefixItems", "nullable"} & part.keys(), part
        required = part.get("required", [])
        assert isinstance(required, list), part
        assert set(required) <= part["properties"].keys() if required else True, part
        assert part.get("enum", [1]), part
        assert part.get("anyOf", [1]), part
        assert not isinstance(part.get("exclusiveMinimum"), bool), part
    json.dumps(schema, allow_nan=False)


@pytest.mark.parametrize("schema", [None, True, False, [], "x", {}, {"type": "string"}, {"properties": None}])
def test_what_is_no_schema_of_an_object_has_no_parameters(schema: object) -> None:
    assert normalized(schema) == EMPTY


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({"type": "array"}, {"type": "array", "items": {}}),
        ({"type": "array", "items": True}, {"type": "array", "items": {}}),
        ({"type": ["array", "null"]}, {"type": ["array", "null"], "items": {}}),
        ({"type": "array", "items": [{"type": "string"}]}, {"type": "array", "items": {}}),
        ({"items": {"type": "int"}}, {"type": "array", "items": {"type": "integer"}}),
        (True, {}),
        ({"type": "any"}, {}),
        ({"type": "str", "nullable": True}, {"type": ["string", "null"]}),
        ({"$ref": "#/$defs/Name"}, {"type": "string", "description": "A name."}),
        ({"$ref": "https://example.com/x"}, {}),
        ({"oneOf": [{"type": "string"}, {"type": "string"}]}, {"type": "string"}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"anyOf": []}, {}),
        ({"allOf": [{"type": "string"}, {"maxLength": 3}]}, {"type": "string", "maxLength": 3}),
        ({"const": "a"}, {"enum": ["a"]}),
        ({"enum": []}, {}),
        ({"enum": "ab"}, {}),
        ({"type": "string", "format": "int-or-string"}, {"type": "string"}),
        ({"type": "string", "pattern": "a+"}, {"type": "string"}),
        ({"type": "string", "pattern": "^(?!a).*$"}, {"type": "string"}),
        ({"type": "string", "pattern": "^[$"}, {"type": "string"}),
        ({"type": "string", "pattern": "^a+$"}, {"type": "string", "pattern": "^a+$"}),
        ({"type": "number", "minimum": 1, "exclusiveMinimum": True}, {"type": "number", "exclusiveMinimum": 1}),
        ({"type": "integer", "default": float("nan")}, {"type": "integer"}),
        ({"type": "string", "required": True, "x-go-name": "Name"}, {"type": "string"}),
    ],
)
def test_a_part_that_a_vendor_refuses_is_sent_in_a_form_that_it_accepts(given: object, sent: object) -> None:
    schema = {"$defs": {"Name": {"type": "string", "description": "A name."}}, "properties": {"a": given}}
    found = normalized(schema)
    assert found is not None
    assert_accepted(found)
    assert found["properties"]["a"] == sent


def test_required_properties_of_every_draft_are_required_if_there_are_such() -> None:
    older = {"properties": {"a": {"type": "string", "required": True}, "b": {"required": False}}, "required": True}
    assert (normalized(older) or {})["required"] == ["a"]
    assert (normalized({"properties": {"a": {}}, "required": ["a", "gone", 3]}) or {})["required"] == ["a"]


def test_a_union_at_the_top_has_the_properties_of_all_and_requires_those_of_each() -> None:
    schema = {
        "description": "By name or by id.",
        "properties": {"namespace": {"type": "string"}},
        "required": ["namespace"],
        "anyOf": [
            {"properties": {"name": {"type": "string"}, "all": {}}, "required": ["name", "all"]},
            {"properties": {"id": {"type": "integer"}, "all": {}}, "required": ["id", "all"]},
        ],
    }
    found = normalized(schema)
    assert found is not None
    assert_accepted(found)
    assert sorted(found["properties"]) == ["all", "id", "name", "namespace"]
    assert found["required"] == ["all", "namespace"]
    assert found["description"] == "By name or by id."


@pytest.mark.parametrize("reference", ["#", "#/$defs/Node", "#/properties/node"])
def test_a_schema_that_refers_to_itself_ends(reference: str) -> None:
    node = {"type": "object", "properties": {"next": {"$ref": reference}, "all": {"items": {"$ref": reference}}}}
    found = normalized({"$defs": {"Node": node}, "properties": {"node": {"$ref": "#/$defs/Node"}, "more": node}})
    assert found is not None
    assert_accepted(found)


def test_references_that_multiply_are_bounded() -> None:
    definitions = {
        f"L{level}": {"properties": {name: {"$ref": f"#/$defs/L{level + 1}"} for name in "abcdefgh"}}
        for level in range(9)
    }
    found = normalized({"$defs": definitions, "properties": {"a": {"$ref": "#/$defs/L0"}}})
    assert found is not None
    assert len(list(parts(found))) <= MAX_PARTS + 100


def test_what_is_right_stays_as_it_is() -> None:
    schema = {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "PromQL.", "minLength": 1},
            "step": {"type": "integer", "default": 60, "minimum": 1},
            "labels": {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}},
            "levels": {"type": "array", "items": {"type": "string", "enum": ["error", "warn"]}},
        },
        "required": ["query"],
        "additionalProperties": False,
    }
    assert normalized(schema) == schema


def test_a_name_that_one_vendor_refuses_is_left_out_or_its_tool_is() -> None:
    schema = {"properties": {"$filter": {"type": "string"}, "top": {"type": "integer"}}}
    assert sorted((normalized(schema) or {})["properties"]) == ["$filter", "top"]
    assert sorted((normalized(schema, plain_names=True) or {})["properties"]) == ["top"]
    assert normalized({**schema, "required": ["$filter"]}, plain_names=True) is None


def test_schemas_of_any_form_are_accepted() -> None:
    draw = random.Random(7)  # noqa: S311 - inputs of a test

    def anything(depth: int) -> object:
        values: list[object] = [None, True, False, -1, 2.5, "", "string", "array", "#/properties/a", ["a", 1], []]
        if depth == 0:
            return draw.choice(values)
        keys = [
            "type", "properties", "items", "required", "anyOf", "oneOf", "allOf", "$ref", "enum", "const", "format",
            "pattern", "additionalProperties", "minimum", "exclusiveMinimum", "maxLength", "default", "$defs", "a",
        ]  # fmt: skip
        kind = draw.random()
        if kind < 0.2:
            return draw.choice(values)
        if kind < 0.35:
            return [anything(depth - 1) for _ in range(draw.randrange(3))]
        return {draw.choice(keys): anything(depth - 1) for _ in range(draw.randrange(6))}

    for _ in range(2_000):
        schema = anything(5)
        found = normalized(schema)
        assert found is not None
        assert_accepted(found)


def test_names_of_different_tools_stay_apart() -> None:
    names = ["a.b__c", "a__b.c", "a_.b", "a._b", "a.b c", "a.b_c", "a.b-c", "a.b/c", "a.b.c", "a.b_c_", "ä.b", "_.b"]
    names += [f"server.{'x' * 80}{end}" for end in ("1", "2")]
    sent = [to_api(name) for name in names]
    assert len(set(sent)) == len(names), sent
    assert all(len(name) <= MAX_LENGTH for name in sent)
    assert to_api("kubernetes.pods_list") == "kubernetes__pods_list"

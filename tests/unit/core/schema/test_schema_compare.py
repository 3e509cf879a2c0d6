"""Schemas compared by what they accept: every keyword, in both directions, with the words that are said."""

from typing import Any

import pytest

from avow.core.schema.compare import Comparison, compare
from avow.core.schema.differences import Difference, Direction
from avow.core.schema.document import STEPS, Budget

DRAFT_3 = "http://json-schema.org/draft-03/schema#"
DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"
SAFE = 2**53 - 1


def of(**properties: Any) -> dict[str, Any]:
    """An input schema with these arguments."""
    return {"type": "object", "properties": properties}


def found(before: Any, after: Any) -> list[tuple[str, str]]:
    """The direction and the words of each difference."""
    return [(one.direction.value, one.summary) for one in compare(before, after).differences]


def highest(before: Any, after: Any) -> str:
    """The direction that matters most."""
    directions = {one.direction for one in compare(before, after).differences}
    return next((one.value for one in Direction if one in directions), "same")


ANY_OF = {"anyOf": [{"type": "string"}, {"type": "null"}]}
SHAPES = [
    {
        "type": "object",
        "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}},
        "required": ["kind"],
    },
    {
        "type": "object",
        "properties": {"kind": {"const": "square"}, "a": {"type": "number"}},
        "required": ["kind"],
    },
]
STRING: dict[str, Any] = {"$defs": {"f": {"type": "string"}}}
FREE: dict[str, Any] = {"$defs": {"f": {}}}
TREE: dict[str, Any] = {
    "type": "object",
    "properties": {"root": {"$ref": "#/$defs/node"}},
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "label": {"type": "string", "maxLength": 5},
                "next": {"$ref": "#/$defs/node"},
            },
        }
    },
}

NOTATION = {
    "order of required": ({"required": ["a", "b"]}, {"required": ["b", "a"]}),
    "dialect": (
        {"$schema": DRAFT_7, **of(a={"type": "string"})},
        {"$schema": DRAFT_2020, **of(a={"type": "string"})},
    ),
    "dialect left out": ({"$schema": DRAFT_2020}, {}),
    "type object at the root": ({}, {"type": "object"}),
    "no properties": ({"type": "object", "properties": {}}, {"type": "object"}),
    "explicit true": ({}, {"additionalProperties": True}),
    "empty schema for true": ({"additionalProperties": True}, {"additionalProperties": {}}),
    "nullable type as alternatives": (of(a={"type": ["string", "null"]}), of(a=ANY_OF)),
    "order of alternatives": (of(a=ANY_OF), of(a={"anyOf": [{"type": "null"}, {"type": "string"}]})),
    "order of types": (of(a={"type": ["string", "null"]}), of(a={"type": ["null", "string"]})),
    "one type in a list": (of(a={"type": "string"}), of(a={"type": ["string"]})),
    "integer beside number": (of(a={"type": "number"}), of(a={"type": ["integer", "number"]})),
    "order of enum": (of(a={"enum": [1, 2]}), of(a={"enum": [2, 1]})),
    "const for one value": (of(a={"const": "x"}), of(a={"enum": ["x"]})),
    "constants as alternatives": (
        of(a={"type": "string", "enum": ["x", "y"]}),
        of(a={"anyOf": [{"const": "x"}, {"const": "y", "type": "string"}]}),
    ),
    "type implied by values": (of(a={"enum": ["x"]}), of(a={"type": "string", "enum": ["x"]})),
    "boolean as values": (of(a={"type": "boolean"}), of(a={"enum": [True, False]})),
    "single allOf": (of(a={"type": "string"}), of(a={"allOf": [{"type": "string"}]})),
    "allOf merged": (
        of(a={"type": "string", "minLength": 1}),
        of(a={"allOf": [{"type": "string"}, {"minLength": 1}]}),
    ),
    "allOf of objects merged": (
        {"properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "required": ["a"]},
        {
            "allOf": [
                {"properties": {"a": {"type": "string"}}, "required": ["a"]},
                {"properties": {"b": {"type": "number"}}},
            ]
        },
    ),
    "oneOf of disjoint for anyOf": (of(a={"oneOf": SHAPES}), of(a={"anyOf": SHAPES})),
    "safe bounds of integers": (
        of(a={"type": "integer"}),
        of(a={"type": "integer", "minimum": -SAFE, "maximum": SAFE}),
    ),
    "safe bounds gone": (of(a={"type": "integer", "maximum": SAFE}), of(a={"type": "integer"})),
    "safe bounds of a nullable integer": (
        of(a={"type": ["integer", "null"]}),
        of(a={"anyOf": [{"type": "integer", "maximum": SAFE}, {"type": "null"}]}),
    ),
    "multiple of one is integer": (of(a={"type": "integer"}), of(a={"type": "number", "multipleOf": 1})),
    "exclusive bound of integers": (
        of(a={"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10}),
        of(a={"type": "integer", "minimum": 1, "maximum": 9}),
    ),
    "boolean exclusive bounds": (
        {
            "$schema": DRAFT_4,
            **of(
                a={
                    "type": "number",
                    "minimum": 0,
                    "exclusiveMinimum": True,
                    "maximum": 5,
                    "exclusiveMaximum": False,
                }
            ),
        },
        of(a={"type": "number", "exclusiveMinimum": 0, "maximum": 5}),
    ),
    "boolean exclusive bound of nothing": (
        {"$schema": DRAFT_4, **of(a={"exclusiveMinimum": True})},
        {"$schema": DRAFT_4, **of(a={})},
    ),
    "both kinds of bounds": (
        of(a={"minimum": 5, "exclusiveMinimum": 3, "maximum": 6, "exclusiveMaximum": 9}),
        of(a={"minimum": 5, "maximum": 6}),
    ),
    "least of nothing": (of(a={"type": "string"}), of(a={"type": "string", "minLength": 0})),
    "reference inlined": (
        {**of(a={"$ref": "#/$defs/f"}), "$defs": {"f": {"type": "string"}}},
        of(a={"type": "string"}),
    ),
    "definitions moved": (
        {**of(a={"$ref": "#/definitions/f"}), "definitions": {"f": {"type": "string"}}},
        {**of(a={"$ref": "#/$defs/g"}), "$defs": {"g": {"type": "string"}}},
    ),
    "reference by anchor": (
        {**of(a={"$ref": "#f"}), "$defs": {"f": {"$anchor": "f", "type": "string"}}},
        of(a={"type": "string"}),
    ),
    "reference by an old anchor": (
        {"$schema": DRAFT_7, **of(a={"$ref": "#f"}), "definitions": {"f": {"$id": "#f", "type": "string"}}},
        of(a={"type": "string"}),
    ),
    "reference with escapes": (
        {**of(a={"$ref": "#/$defs/f~1o%20o"}), "$defs": {"f/o o": {"type": "string"}}},
        of(a={"type": "string"}),
    ),
    "reference into a list": (
        {**of(a={"$ref": "#/allOf/0"}), "allOf": [{"type": ["object", "string"]}]},
        {**of(a={"type": ["string", "object"]}), "allOf": [{"type": ["object", "string"]}]},
    ),
    "tuple of the old dialects": (
        {"$schema": DRAFT_7, **of(a={"items": [{"type": "string"}], "additionalItems": False})},
        {"$schema": DRAFT_2020, **of(a={"prefixItems": [{"type": "string"}], "items": False})},
    ),
    "old dependencies": (
        {"$schema": DRAFT_7, **of(a={}, b={}), "dependencies": {"a": ["b"]}},
        {"$schema": DRAFT_2020, **of(a={}, b={}), "dependentRequired": {"a": ["b"]}},
    ),
    "names that are strings": (
        of(a={"type": "object"}),
        of(a={"type": "object", "propertyNames": {"type": "string"}}),
    ),
    "unevaluated for additional": (
        of(a={"type": "object", "additionalProperties": False}),
        of(a={"type": "object", "unevaluatedProperties": False}),
    ),
    "unevaluated items for the rest": (
        of(a={"prefixItems": [{"type": "string"}], "items": False}),
        of(a={"prefixItems": [{"type": "string"}], "unevaluatedItems": False}),
    ),
    "unevaluated without effect": (
        of(a={"anyOf": [{"type": "object"}]}),
        of(a={"anyOf": [{"type": "object"}], "unevaluatedProperties": True, "unevaluatedItems": {}}),
    ),
    "then without if": (of(a={}), of(a={"then": {"type": "string"}})),
    "not nothing": (of(a={}), of(a={"not": False})),
    "never": (of(a=False), of(a={"not": {}})),
    "format that rejects nothing": (of(a={"type": "integer", "format": "int64"}), of(a={"type": "integer"})),
    "unsigned format that rejects nothing": (
        of(a={"type": "integer", "format": "uint32"}),
        of(a={"type": "integer"}),
    ),
    "reference by the document's own address": (
        {"$id": "https://a.example/s", **of(a={"$ref": "https://a.example/s#/$defs/f"}), **STRING},
        {"$id": "https://a.example/s", **of(a={"type": "string"}), **STRING},
    ),
    "reference relative to the document's own address": (
        {"$id": "https://a.example/s", **of(a={"$ref": "s#/$defs/f"}), **STRING},
        {"$id": "https://a.example/s", **of(a={"$ref": "#/$defs/f"}), **STRING},
    ),
    "the same dialect named again inside": (
        {"$schema": DRAFT_7, **of(a={"const": 1})},
        {"$schema": DRAFT_7, **of(a={"const": 1, "$schema": DRAFT_7})},
    ),
    "definition that nobody uses": (of(a={}), {**of(a={}), "$defs": {"f": {"type": "string"}}}),
    "recursive reference inlined once": (
        TREE,
        {**TREE, "properties": {"root": TREE["$defs"]["node"]}},
    ),
    "an array that must be empty": (
        of(a={"type": "array", "maxItems": 0}),
        of(a={"type": "array", "items": False}),
    ),
    "required twice": ({"required": ["a"]}, {"required": ["a"], "minProperties": 1}),
    "addition to a closed object": (
        of(a={"additionalProperties": False, "properties": {"b": {}}}),
        of(a={"additionalProperties": False, "properties": {"b": {}}, "maxProperties": 1}),
    ),
    "numbers combined": (
        of(a={"type": "number", "minimum": 2, "exclusiveMaximum": 8, "multipleOf": 0.5}),
        of(
            a={
                "type": "number",
                "minimum": 1,
                "maximum": 9,
                "allOf": [{"minimum": 2, "exclusiveMaximum": 8}, {"multipleOf": 0.5, "maximum": 8}],
            }
        ),
    ),
    "open bound wins": (
        of(a={"type": "number", "exclusiveMinimum": 2}),
        of(a={"type": "number", "minimum": 2, "allOf": [{"exclusiveMinimum": 2}]}),
    ),
    "numbers that cannot be": (
        of(a={"const": 1}),
        of(a={"anyOf": [{"const": 1}, {"minimum": 2, "allOf": [{"maximum": 1}]}], "type": "number"}),
    ),
    "strings that cannot be": (
        of(a={"type": "null"}),
        of(a={"type": ["null", "string"], "minLength": 2, "allOf": [{"maxLength": 1}]}),
    ),
    "arrays that cannot be": (
        of(a={"type": "null"}),
        of(a={"type": ["null", "array"], "minItems": 2, "allOf": [{"maxItems": 1}]}),
    ),
    "objects that cannot be": (
        of(a={"type": "null"}),
        of(a={"type": ["null", "object"], "minProperties": 2, "allOf": [{"maxProperties": 1}]}),
    ),
    "arrays combined": (
        of(
            a={
                "type": "array",
                "prefixItems": [{"type": "string", "minLength": 1}],
                "items": False,
                "minItems": 1,
            }
        ),
        of(
            a={
                "type": "array",
                "prefixItems": [{"type": "string"}],
                "allOf": [{"prefixItems": [{"minLength": 1}], "minItems": 1}, {"maxItems": 1}],
            }
        ),
    ),
    "patterns of names combined": (
        of(a={"type": "object", "patternProperties": {"^x": {"type": "string", "minLength": 1}}}),
        of(
            a={
                "type": "object",
                "patternProperties": {"^x": {"type": "string"}},
                "allOf": [{"patternProperties": {"^x": {"minLength": 1}}}],
            }
        ),
    ),
    "values combined": (of(a={"const": 2}), of(a={"enum": [1, 2, "x"], "allOf": [{"enum": [2, 3]}]})),
    "values within limits": (
        of(a={"enum": [2, 0.5]}),
        of(
            a={
                "enum": [0.5, 1, 2, 3, 9, "x", [], {}],
                "exclusiveMinimum": 0,
                "maximum": 2,
                "multipleOf": 0.5,
                "not": False,
                "type": "number",
                "exclusiveMaximum": 3,
                "allOf": [{"enum": [0.5, 2, 3]}],
            }
        ),
    ),
    "free values": (
        of(a={"enum": [[1], {"b": 1}]}),
        of(a={"enum": [{"b": 1}, [1]], "type": ["array", "object"]}),
    ),
    "the same alternative twice": (
        of(a={"type": "string"}),
        of(a={"anyOf": [{"type": "string"}, {"type": "string"}]}),
    ),
    "disjoint ranges": (
        of(
            a={"anyOf": [{"type": "number", "maximum": 1}, {"type": "number", "minimum": 2}, {"enum": [1.5]}]}
        ),
        of(
            a={"oneOf": [{"enum": [1.5]}, {"type": "number", "maximum": 1}, {"type": "number", "minimum": 2}]}
        ),
    ),
    "disjoint lengths": (
        of(a={"anyOf": [{"type": "string", "maxLength": 1}, {"type": "string", "minLength": 2}]}),
        of(a={"oneOf": [{"type": "string", "maxLength": 1}, {"type": "string", "minLength": 2}]}),
    ),
    "a pattern for nobody": (of(a={"type": "number"}), of(a={"type": "number", "pattern": "^a"})),
}


@pytest.mark.parametrize("name", NOTATION)
def test_the_same_inputs_in_another_notation(name: str) -> None:
    """It is seen, in both directions, and called nothing worse."""
    before, after = NOTATION[name]

    assert highest(before, after) == "notation"
    assert highest(after, before) == "notation"


# Each of these accepts less; the other way round, more.
NARROWER = {
    "known argument required": (of(a={}), {**of(a={}), "required": ["a"]}, "argument 'a' is now required"),
    "type gone": (
        of(a={"type": ["string", "null"]}),
        of(a={"type": "string"}),
        "argument 'a' no longer accepts null",
    ),
    "values of a type gone": (
        of(a={"enum": ["x", 1]}),
        of(a={"enum": ["x"]}),
        "argument 'a' no longer accepts 1",
    ),
    "whole numbers": (
        of(a={"type": "number"}),
        of(a={"type": "integer"}),
        "argument 'a' now accepts whole numbers only",
    ),
    "value gone": (of(a={"enum": ["x", "y"]}), of(a={"enum": ["x"]}), "argument 'a' no longer accepts \"y\""),
    "limited to values": (
        of(a={"type": "string"}),
        of(a={"enum": ["x"]}),
        "argument 'a' is now limited to \"x\"",
    ),
    "minimum": (of(a={"minimum": 1}), of(a={"minimum": 2}), "argument 'a': the minimum was 1 and is now 2"),
    "maximum": (
        of(a={"maximum": 2.5}),
        of(a={"maximum": 1}),
        "argument 'a': the maximum was 2.5 and is now 1",
    ),
    "a new maximum": (
        of(a={"type": "integer"}),
        of(a={"type": "integer", "maximum": 9}),
        "argument 'a' now has a maximum of 9",
    ),
    "open bound": (
        of(a={"type": "number", "minimum": 1}),
        of(a={"type": "number", "exclusiveMinimum": 1}),
        "argument 'a': the minimum 1 itself is now in, or out",
    ),
    "step": (of(a={"type": "number", "multipleOf": 2}), of(a={"type": "number", "multipleOf": 4}), None),
    "new step": (
        of(a={"type": "number"}),
        of(a={"type": "number", "multipleOf": 0.5}),
        "argument 'a' now has another step between numbers",
    ),
    "least length": (
        of(a={"minLength": 1}),
        of(a={"minLength": 2}),
        "argument 'a': the least length was 1 and is now 2",
    ),
    "greatest length": (of(a={}), of(a={"maxLength": 2}), "argument 'a' now has a limit on its length of 2"),
    "tighter length": (
        of(a={"maxLength": 3}),
        of(a={"maxLength": 2}),
        "argument 'a': its length was limited to 3 and is now to 2",
    ),
    "pattern": (
        of(a={"type": "string"}),
        of(a={"type": "string", "pattern": "^a"}),
        "argument 'a': the pattern was added",
    ),
    "format": (
        of(a={"type": "string"}),
        of(a={"type": "string", "format": "uri"}),
        "argument 'a': the format was added",
    ),
    "least items": (of(a={"type": "array"}), of(a={"type": "array", "minItems": 1}), None),
    "unique items": (
        of(a={"type": "array"}),
        of(a={"type": "array", "uniqueItems": True}),
        "argument 'a' may no longer hold the same item twice",
    ),
    "items": (
        of(a={"type": "array"}),
        of(a={"type": "array", "items": {"type": "string"}}),
        "an item of argument 'a' no longer accepts null, true and false, numbers, lists and objects",
    ),
    "first item": (
        of(a={"prefixItems": [{"type": "string"}]}),
        of(a={"prefixItems": [{"type": "string", "minLength": 1}]}),
        "argument 'a[0]': the least length was 0 and is now 1",
    ),
    "contains": (of(a={"type": "array"}), of(a={"type": "array", "contains": {"type": "string"}}), None),
    "closed": (
        of(a={}),
        {**of(a={}), "additionalProperties": False},
        "no longer admits undeclared arguments",
    ),
    "closed inside": (
        of(a={"type": "object", "properties": {"b": {}}}),
        of(a={"type": "object", "properties": {"b": {}}, "additionalProperties": False}),
        "no longer admits undeclared members in argument 'a'",
    ),
    "undeclared members": (
        of(a={"type": "object", "properties": {"b": {}}}),
        of(a={"type": "object", "properties": {"b": {}}, "additionalProperties": {"type": "string"}}),
        None,
    ),
    "names": (
        of(a={"type": "object"}),
        of(a={"type": "object", "propertyNames": {"maxLength": 3}}),
        "argument 'a': the rule for names of members was added",
    ),
    "number of members": (of(a={"type": "object"}), of(a={"type": "object", "maxProperties": 3}), None),
    "least members": (of(a={"type": "object"}), of(a={"type": "object", "minProperties": 3}), None),
    "dependent required": (of(a={}, b={}), {**of(a={}, b={}), "dependentRequired": {"a": ["b"]}}, None),
    "dependent schema": (
        of(a={}, b={}),
        {**of(a={}, b={}), "dependentSchemas": {"a": {"required": ["b"]}}},
        None,
    ),
    "a condition on known arguments": (
        of(a={}, b={}, notes={"type": "object"}),
        {
            **of(a={}, b={}, notes={"type": "object"}),
            "if": {"properties": {"a": {"const": 1}}},
            "then": {"required": ["b"]},
            "else": {"$ref": "#/$defs/f"},
            "$defs": {"f": {"dependentRequired": {"b": ["a"]}, "propertyNames": {"enum": ["a", "b"]}}},
        },
        "the input: the condition (if, then, else) was added",
    ),
    "a condition on a known member of an item": (
        of(a={"items": of(b={})}),
        of(a={"items": of(b={}), "contains": {"required": ["b"]}}),
        None,
    ),
    "known names": (of(a={}, b={}), {**of(a={}, b={}), "propertyNames": {"enum": ["a", "b"]}}, None),
    "not": (of(a={}), of(a={"not": {"type": "string"}}), "argument 'a': what it must not be was added"),
    "condition": (of(a={}), of(a={"if": {"type": "string"}, "then": {"minLength": 1}}), None),
    "alternative gone": (
        of(
            a={
                "anyOf": [
                    {"type": "string", "maxLength": 1},
                    {"type": "string", "pattern": "^a"},
                    {"type": "number"},
                ]
            }
        ),
        of(a={"anyOf": [{"type": "string", "maxLength": 1}, {"type": "number"}]}),
        None,
    ),
    "object alternative gone": (of(a={"anyOf": SHAPES}), of(a={"anyOf": SHAPES[:1]}), None),
    "free object now typed": (
        of(a={"type": "object"}),
        of(a={"type": "object", "properties": {"b": {"type": "string"}}}),
        "argument 'a' accepts less than before",
    ),
    "behind a reference": (
        {**of(a={"$ref": "#/$defs/f"}), "$defs": {"f": {"type": "string"}}},
        {**of(a={"$ref": "#/$defs/f"}), "$defs": {"f": {"type": "string", "maxLength": 5}}},
        "argument 'a' now has a limit on its length of 5",
    ),
    "inside a circle": (
        {
            **TREE,
            "$defs": {
                "node": {
                    **TREE["$defs"]["node"],
                    "properties": {"label": {"type": "string"}, "next": {"$ref": "#/$defs/node"}},
                }
            },
        },
        TREE,
        "argument 'root.label' now has a limit on its length of 5",
    ),
    "content": (of(a={"type": "string"}), of(a={"type": "string", "contentEncoding": "base64"}), None),
    "nothing for an argument": (of(a={}, b={}), of(a={}, b=False), "argument 'b' is gone"),
    "patterned members": (
        of(a={"patternProperties": {"^x": {"type": "string"}}}),
        of(a={"patternProperties": {"^x": {"type": "string", "minLength": 1}}}),
        "argument 'a./^x/': the least length was 0 and is now 1",
    ),
    "a required name that the same pattern may take": (
        of(a={"patternProperties": {"^x": {"type": "string"}}, "required": ["x"]}),
        of(a={"patternProperties": {"^x": {"type": "string", "minLength": 1}}, "required": ["x"]}),
        None,
    ),
    "boolean value": (
        of(a={"type": "boolean"}),
        of(a={"const": True}),
        "argument 'a' no longer accepts false",
    ),
}


@pytest.mark.parametrize("name", NARROWER)
def test_what_accepts_less_and_what_accepts_more(name: str) -> None:
    """The same edit narrows in one direction and widens in the other."""
    before, after, words = NARROWER[name]

    assert highest(before, after) == "narrows"
    assert highest(after, before) == "widens"
    assert words is None or ("narrows", words) in found(before, after)


def _boxed(levels: int, value: str) -> dict[str, Any]:
    """Objects in objects; only the innermost member tells one from another."""
    schema: dict[str, Any] = {"const": value}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"in": schema}, "required": ["in"]}
    return schema


def _patterns(letter: str, count: int) -> dict[str, Any]:
    return {"anyOf": [{"type": "string", "pattern": f"^{letter}{i}"} for i in range(count)]}


def _circle(schema: dict[str, Any]) -> dict[str, Any]:
    return {**of(a={"$ref": "#/$defs/f"}), "$defs": {"f": schema}}


def _rings(length: int) -> dict[str, Any]:
    """Two schemas that refer to each other; the second is judged while the first is still open."""
    one = {"type": "object", "properties": {"two": {"$ref": "#/$defs/two"}, "value": {"maxLength": length}}}
    two = {"type": "object", "properties": {"one": {"$ref": "#/$defs/one"}}}
    return {**of(a={"$ref": "#/$defs/one"}, b={"$ref": "#/$defs/two"}), "$defs": {"one": one, "two": two}}


UNPROVEN = {
    "new optional argument": (of(a={}), of(a={}, b={}), "accepts a new optional argument 'b'"),
    "new argument where any is admitted": (
        {"type": "object"},
        of(b={"type": "string"}),
        "accepts a new optional argument 'b'",
    ),
    "new required argument": (
        of(a={}),
        {**of(a={}, b={}), "required": ["b"]},
        "accepts a new required argument 'b'",
    ),
    "undeclared argument required": (
        of(a={}),
        {**of(a={}), "required": ["b"]},
        "accepts a new required argument 'b'",
    ),
    "new member": (
        of(a={"type": "object", "properties": {"b": {}}}),
        of(a={"type": "object", "properties": {"b": {}, "c": {}}}),
        "argument 'a' accepts a new optional member 'c'",
    ),
    "new argument inside a condition": (
        of(a={}),
        {**of(a={}), "if": {"required": ["a"]}, "then": {"properties": {"command": {}}}},
        "accepts a new argument 'command' under a condition",
    ),
    "new argument in what depends on another": (
        of(a={}),
        {**of(a={}), "dependentSchemas": {"a": {"properties": {"command": {}}}}},
        "accepts a new argument 'command' under a condition",
    ),
    "new argument in what depends on another, as old dialects have it": (
        of(a={}),
        {**of(a={}), "dependencies": {"a": {"properties": {"command": {}}}}},
        "accepts a new argument 'command' under a condition",
    ),
    "new argument that another asks for": (
        of(a={}, b={}),
        {**of(a={}, b={}), "dependentRequired": {"a": ["b"], "b": ["command"]}},
        "accepts a new argument 'command' under a condition",
    ),
    "new argument that asks for another": (
        of(a={}),
        {**of(a={}), "dependentRequired": {"command": ["a"]}},
        "accepts a new argument 'command' under a condition",
    ),
    "new argument in what must not be": (
        of(a={}),
        {**of(a={}), "not": {"properties": {"command": {}}}},
        "accepts a new argument 'command' under a condition",
    ),
    "new argument in what must not not be": (
        of(a={}),
        {**of(a={}), "not": {"not": {"required": ["command"]}}},
        "accepts a new argument 'command' under a condition",
    ),
    "new argument behind a reference in a condition": (
        {**of(a={}), "$defs": {"f": of(command={})}},
        {**of(a={}), "if": True, "then": {"$ref": "#/$defs/f"}, "$defs": {"f": of(command={})}},
        "accepts a new argument 'command' under a condition",
    ),
    "a condition with a reference to nowhere": (of(a={}), {**of(a={}), "not": {"$ref": "#/gone"}}, None),
    "a condition with a dynamic reference": (of(a={}), {**of(a={}), "not": {"$dynamicRef": "#x"}}, None),
    "new argument in a condition, known elsewhere": (
        of(a={}, b=of(command={})),
        {**of(a={}, b=of(command={})), "if": True, "then": {"properties": {"command": {}}}},
        "accepts a new argument 'command' under a condition",
    ),
    "new member in a condition of an argument": (
        of(a=of(b={}), c={}),
        of(a={**of(b={}), "if": True, "then": {"required": ["c"]}}, c={}),
        "accepts a new argument 'a.c' under a condition",
    ),
    "new member of an argument in a condition": (
        of(a=of(b={}), c={}),
        {**of(a=of(b={}), c={}), "if": True, "then": of(a=of(c={}))},
        "accepts a new argument 'a.c' under a condition",
    ),
    "new argument among names": (
        of(a={}),
        {**of(a={}), "propertyNames": {"enum": ["a", "command"]}},
        "accepts a new argument 'command' under a condition",
    ),
    "new argument among names in a condition": (
        of(a={}),
        {
            **of(a={}),
            "if": True,
            "then": {"propertyNames": {"anyOf": [{"const": "command"}, {"const": "a"}]}},
        },
        "accepts a new argument 'command' under a condition",
    ),
    "new argument in a value in a condition": (
        of(a={}),
        {**of(a={}), "if": True, "then": {"enum": [{"a": 1}, {"command": 1}, "text"]}},
        "accepts a new argument 'command' under a condition",
    ),
    "new names by a pattern in a condition": (
        of(a={}),
        {**of(a={}), "if": True, "then": {"patternProperties": {"^c": {}}}},
        "accepts a new argument '/^c/' under a condition",
    ),
    "new argument in a condition that was there": (
        {**of(a={}), "if": True, "then": {"required": ["a"]}},
        {**of(a={}), "if": True, "then": {"required": ["a"], "properties": {"command": {}}}},
        "accepts a new argument 'command' under a condition",
    ),
    "new argument in a condition without effect": (
        of(a={}),
        {**of(a={}), "if": {"properties": {"command": {}}}},
        "accepts a new argument 'command' under a condition",
    ),
    "a circle of conditions": (
        of(a={}),
        {
            **of(a={}),
            "not": {"$ref": "#/$defs/f"},
            "$defs": {"f": {"items": {"$ref": "#/$defs/f"}, **of(b={})}},
        },
        "accepts a new argument 'b' under a condition",
    ),
    "new argument beside the same part twice": (
        {**of(a={}), "allOf": [{"$ref": "#/$defs/f"}, {"$ref": "#/$defs/f"}], **FREE},
        {
            **of(a={}),
            "allOf": [{"$ref": "#/$defs/f"}, {"$ref": "#/$defs/f"}],
            **FREE,
            "not": {"required": ["b"]},
        },
        None,
    ),
    "argument gone but taken by a pattern": (
        {**of(path={"enum": ["/tmp"]}), "patternProperties": {"^p": {}}, "additionalProperties": False},
        {**of(), "patternProperties": {"^p": {}}, "additionalProperties": False},
        "argument 'path' is no longer declared, and a pattern of names may take it",
    ),
    "argument gone but taken by a pattern in a condition": (
        {**of(a={}, b={"const": 1}), "if": True, "then": {"patternProperties": {"^b": {}}}},
        {**of(a={}), "if": True, "then": {"patternProperties": {"^b": {}}}},
        None,
    ),
    "argument gone but still asked for": (
        {**of(a={}, b={"const": 1}), "dependentRequired": {"a": ["b"]}},
        {**of(a={}), "dependentRequired": {"a": ["b"]}},
        None,
    ),
    "argument gone but still among names": (
        {**of(a={}, b={"const": 1}), "propertyNames": {"enum": ["a", "b"]}},
        {**of(a={}), "propertyNames": {"enum": ["a", "b"]}},
        None,
    ),
    "argument moved into a condition behind a reference": (
        of(a={"type": "string"}),
        {"type": "object", "if": {}, "then": {"$ref": "#/$defs/f"}, "$defs": {"f": of(a={})}},
        None,
    ),
    "argument moved into a condition": (
        of(a={"type": "string"}),
        {"type": "object", "if": {}, "then": {"properties": {"a": {}}}},
        "the input changed, and is not proven to accept only what it did",
    ),
    "argument gone but still required": (
        {**of(a={"type": "string"}), "required": ["a"]},
        {"type": "object", "required": ["a"]},
        "argument 'a' now also accepts null, true and false, numbers, lists and objects",
    ),
    "declared members all gone": (
        of(a={"type": "object", "properties": {"b": {"type": "string"}}}),
        of(a={"type": "object"}),
        None,
    ),
    "forbidden member allowed": (of(a=False, b={}), of(b={}), None),
    "another pattern": (
        of(a={"type": "string", "pattern": "^a"}),
        of(a={"type": "string", "pattern": "^b"}),
        "argument 'a': the pattern is another one now, and not proven to accept less",
    ),
    "another type": (
        of(a={"type": "string"}),
        of(a={"type": "integer"}),
        "argument 'a' now also accepts numbers",
    ),
    "another value": (of(a={"const": "x"}), of(a={"const": "y"}), "argument 'a' now also accepts \"y\""),
    "many values": (
        of(a={"enum": [1]}),
        of(a={"enum": [1, 2, 3, 4, 5, 6, 7]}),
        "argument 'a' now also accepts 2, 3, 4, 5 and 2 more",
    ),
    "no longer limited": (
        of(a={"enum": ["x"]}),
        of(a={"type": "string"}),
        "argument 'a' is no longer limited to \"x\"",
    ),
    "a new alternative": (
        of(a={"anyOf": SHAPES[:1]}),
        of(a={"anyOf": SHAPES}),
        "argument 'a' accepts another alternative",
    ),
    "one alternative changed": (
        of(a={"anyOf": SHAPES}),
        of(a={"anyOf": [SHAPES[0], {**SHAPES[1], "required": []}]}),
        "argument 'a.kind' may now be left out",
    ),
    "oneOf that was not disjoint": (
        of(a={"oneOf": [{"type": "string"}, {"minLength": 2}]}),
        of(a={"anyOf": [{"type": "string"}, {"minLength": 2}]}),
        "argument 'a': the rule that exactly one alternative fits was removed",
    ),
    "another remote reference": (
        of(a={"$ref": "https://example.com/a.json"}),
        of(a={"$ref": "https://example.com/b.json"}),
        "argument 'a': the reference to another document is another one now, and not proven to accept less",
    ),
    "a remote reference added": (of(a={}), of(a={"$ref": "https://example.com/a.json"}), None),
    "a reference to nowhere added": (of(a={}), of(a={"$ref": "#/$defs/gone"}), None),
    "another address for relative references": (
        {"$id": "https://a.example/", **of(a={"$ref": "b.json"})},
        {"$id": "https://b.example/", **of(a={"$ref": "b.json"})},
        None,
    ),
    "a part behind the document's own address": (
        {"$id": "https://a.example/s", **of(a={"$ref": "https://a.example/s#/$defs/f"}), **STRING},
        {"$id": "https://a.example/s", **of(a={"$ref": "https://a.example/s#/$defs/f"}), **FREE},
        "argument 'a' now also accepts null, true and false, numbers, lists and objects",
    ),
    "a part behind a relative address": (
        {"$id": "https://a.example/s", **of(a={"$ref": "s#/$defs/f"}), **STRING},
        {"$id": "https://a.example/s", **of(a={"$ref": "s#/$defs/f"}), **FREE},
        None,
    ),
    "a part behind a name": (
        {"$id": "urn:x", **of(a={"$ref": "urn:x#/$defs/f"}), **STRING},
        {"$id": "urn:x", **of(a={"$ref": "urn:x#/$defs/f"}), **FREE},
        None,
    ),
    "a part behind the same address in other letters": (
        {"$id": "https://a.example/s", **of(a={"$ref": "https://A.example:443/s#/$defs/f"}), **STRING},
        {"$id": "https://a.example/s", **of(a={"$ref": "https://A.example:443/s#/$defs/f"}), **FREE},
        None,
    ),
    "a part behind an address that a validator makes up": (
        {**of(a={"$ref": "json-schema:///#/$defs/f"}), **STRING},
        {**of(a={"$ref": "json-schema:///#/$defs/f"}), **FREE},
        None,
    ),
    "a part behind an address that is none": (
        {"$id": "https://a.example/s", **of(a={"$ref": "http://[#/$defs/f"}), **STRING},
        {"$id": "https://a.example/s", **of(a={"$ref": "http://[#/$defs/f"}), **FREE},
        None,
    ),
    "a reference that is no text": ({**of(a={"$ref": 1}), **STRING}, {**of(a={"$ref": 1}), **FREE}, None),
    "an empty reference": (
        {**of(a={"$ref": ""}, b={"type": "string"})},
        {**of(a={"$ref": ""}, b={})},
        None,
    ),
    "another dialect inside": (
        of(a={"const": "x"}),
        of(a={"const": "x", "$schema": DRAFT_4}),
        None,
    ),
    "no other dialect inside any more": (
        of(a={"const": "x", "$schema": DRAFT_4}),
        of(a={"const": "x"}),
        None,
    ),
    "behind a reference into another dialect": (
        {**of(a={"$ref": "#/properties/b/properties/c"}, b={"$schema": DRAFT_7, **of(c={"const": 1})})},
        {**of(a={"$ref": "#/properties/b/properties/c"}, b={"$schema": DRAFT_4, **of(c={"const": 1})})},
        None,
    ),
    "an address of a dialect that is almost right": (
        {"$schema": DRAFT_7, **of(a={"items": [{"const": 1}]})},
        {"$schema": "draft-07", **of(a={"items": [{"const": 1}]})},
        None,
    ),
    "a boolean bound that its dialect no longer knows": (
        {"$schema": DRAFT_4, **of(a={"type": "integer", "minimum": 5, "exclusiveMinimum": True})},
        of(a={"type": "integer", "minimum": 5, "exclusiveMinimum": True}),
        None,
    ),
    "a reference into examples": (
        {**of(a={"$ref": "#/examples/0"}), "examples": [{"type": "string"}]},
        {**of(a={"$ref": "#/examples/0"}), "examples": [{}]},
        None,
    ),
    "references below an inner address": (
        {**of(a={"$id": "https://a.example/", "$ref": "#/$defs/f"}), "$defs": {"f": {"type": "string"}}},
        {**of(a={"$id": "https://a.example/", "$ref": "#/$defs/f"}), "$defs": {"f": {}}},
        None,
    ),
    "an anchor given twice": (
        {**of(a={"$ref": "#f"}), "$defs": {"f": {"$anchor": "f", "type": "string"}, "g": {"$anchor": "f"}}},
        {**of(a={"$ref": "#f"}), "$defs": {"f": {"$anchor": "f"}, "g": {"$anchor": "f"}}},
        None,
    ),
    "a circle without an end": (
        {**of(a={"$ref": "#/$defs/f"}), "$defs": {"f": {"$ref": "#/$defs/f", "type": "string"}}},
        {**of(a={"$ref": "#/$defs/f"}), "$defs": {"f": {"$ref": "#/$defs/f"}}},
        None,
    ),
    "inside a circle": (
        TREE,
        {
            **TREE,
            "$defs": {
                "node": {
                    **TREE["$defs"]["node"],
                    "properties": {"label": {"type": "string"}, "next": {"$ref": "#/$defs/node"}},
                }
            },
        },
        "argument 'root.label' no longer has a limit on its length (it was 5)",
    ),
    "beside a reference in an old dialect": (
        {
            "$schema": DRAFT_7,
            **of(a={"$ref": "#/definitions/f", "maxLength": 3}),
            "definitions": {"f": {"type": "string"}},
        },
        {
            "$schema": DRAFT_7,
            **of(a={"$ref": "#/definitions/f", "maxLength": 5}),
            "definitions": {"f": {"type": "string"}},
        },
        None,
    ),
    "beside a reference": (
        {**of(a={"$ref": "#/$defs/f", "maxLength": 3}), "$defs": {"f": {"type": "string"}}},
        {**of(a={"$ref": "#/$defs/f", "maxLength": 5}), "$defs": {"f": {"type": "string"}}},
        "argument 'a': its length was limited to 3 and is now to 5",
    ),
    "objects that may be alike": (
        of(a={"oneOf": [{"type": "object", "required": ["b"]}, {"type": "object", "required": ["c"]}]}),
        of(a={"anyOf": [{"type": "object", "required": ["b"]}, {"type": "object", "required": ["c"]}]}),
        None,
    ),
    "alike however deep one looks": (
        of(a={"oneOf": [_boxed(6, "x"), _boxed(6, "y")]}),
        of(a={"anyOf": [_boxed(6, "x"), _boxed(6, "y")]}),
        None,
    ),
    "more alternatives than anyone reads": (
        of(a={"anyOf": [{"type": "string", "pattern": f"^{i}"} for i in range(150)]}),
        of(a={"anyOf": [{"type": "string", "pattern": f"^{i}"} for i in range(151)]}),
        None,
    ),
    "alternatives that multiply": (
        of(a={"allOf": [_patterns("a", 20), _patterns("b", 20)]}),
        of(a={"allOf": [_patterns("a", 20), _patterns("b", 21)]}),
        None,
    ),
    "a circle with a condition inside": (
        _circle({"not": {"$ref": "#/$defs/f"}, "allOf": [{"maxLength": 3}], "items": False}),
        _circle({"not": {"$ref": "#/$defs/f"}, "allOf": [{"maxLength": 4}], "items": False}),
        None,
    ),
    "two circles, one of them wider": (_rings(3), _rings(4), None),
    "a step that the newest dialect does not know": (
        of(a={"type": "integer", "multipleOf": 2}),
        of(a={"type": "integer", "divisibleBy": 2}),
        None,
    ),
    "required in the oldest dialect": (
        {**of(a={}), "required": ["a"]},
        {"$schema": DRAFT_3, **of(a={}), "required": ["a"]},
        None,
    ),
    "a dynamic reference": (of(a={"$dynamicRef": "#x"}), of(a={"$dynamicRef": "#y"}), None),
    "an unknown dialect": (
        {"$schema": "https://a.example/", **of(a={})},
        {"$schema": "https://b.example/", **of(a={})},
        "the input: a part that nobody can compare is another one now, and not proven to accept less",
    ),
    "a dialect that is no text": ({"$schema": DRAFT_7, **of(a={})}, {"$schema": 7, **of(a={})}, None),
    "a keyword that the dialect does not know": (
        {"$schema": DRAFT_2020, **of(a={"prefixItems": [{"type": "string"}]})},
        {"$schema": DRAFT_7, **of(a={"prefixItems": [{"type": "string"}]})},
        None,
    ),
    "const in an ancient dialect": (of(a={"const": 1}), {"$schema": DRAFT_4, **of(a={"const": 1})}, None),
    "numeric exclusive bound in an ancient dialect": (
        of(a={"type": "number", "exclusiveMinimum": 1}),
        {"$schema": DRAFT_4, **of(a={"type": "number", "exclusiveMinimum": 1})},
        None,
    ),
    "propertyNames in an ancient dialect": (
        of(a={"type": "object", "propertyNames": {"maxLength": 1}}),
        {"$schema": DRAFT_4, **of(a={"type": "object", "propertyNames": {"maxLength": 1}})},
        None,
    ),
    "allOf in the oldest dialect": (
        of(a={"allOf": [{"type": "string"}]}),
        {"$schema": DRAFT_3, **of(a={"allOf": [{"type": "string"}]})},
        None,
    ),
    "not in the oldest dialect": (
        of(a={"not": {"type": "string"}}),
        {"$schema": DRAFT_3, **of(a={"not": {"type": "string"}})},
        None,
    ),
    "false as a schema in an ancient dialect": (of(a=False), {"$schema": DRAFT_4, **of(a=False)}, None),
    "items as a list in the newest dialect": (
        of(a={"items": [{"type": "string"}]}),
        of(a={"items": [{}]}),
        None,
    ),
    "prefixItems beside a tuple": (
        {"$schema": DRAFT_7, **of(a={"items": [{}], "prefixItems": [{"type": "string"}]})},
        {"$schema": DRAFT_7, **of(a={"items": [{}], "prefixItems": [{}]})},
        None,
    ),
    "prefixItems that are no list": (of(a={"prefixItems": 1}), of(a={"prefixItems": 2}), None),
    "nullable": (
        of(a={"type": "string"}),
        of(a={"type": "string", "nullable": True}),
        "argument 'a' now also accepts null",
    ),
    "nullable spelled as JSON Schema": (
        of(a={"type": "string", "nullable": True}),
        of(a={"type": ["string", "null"]}),
        None,
    ),
    "unevaluated beside alternatives": (
        of(a={"anyOf": [{"properties": {"b": {}}}], "unevaluatedProperties": False}),
        of(a={"anyOf": [{"properties": {"b": {}}}]}),
        None,
    ),
    "unevaluated items beside alternatives": (
        of(a={"anyOf": [{"prefixItems": [{}]}], "unevaluatedItems": False}),
        of(a={"anyOf": [{"prefixItems": [{}]}]}),
        None,
    ),
    "another schema under not": (of(a={"not": {"type": "string"}}), of(a={"not": {"const": "x"}}), None),
    "another condition": (
        of(a={"if": {"type": "string"}, "then": {"minLength": 1}}),
        of(a={"if": {"const": "x"}, "then": {"minLength": 1}}),
        "argument 'a': the condition (if, then, else) is another one now, and not proven to accept less",
    ),
    "a new pattern of names": (
        of(a={"type": "object", "properties": {"b": {}}}),
        of(a={"type": "object", "properties": {"b": {}}, "patternProperties": {"^x": {"type": "string"}}}),
        "argument 'a': the rule for names that fit a pattern was added",
    ),
    "a pattern of names gone": (
        of(a={"patternProperties": {"^x": {"type": "string"}}}),
        of(a={"patternProperties": {}}),
        None,
    ),
    "a required name that another pattern may take": (
        of(a={"patternProperties": {"^x": {"type": "string"}, "^y": {}}, "required": ["x"]}),
        of(a={"patternProperties": {"^x": {"type": "string", "minLength": 1}}, "required": ["x"]}),
        None,
    ),
    "patterns combined with closed objects": (
        of(a={"allOf": [{"patternProperties": {"^x": {"type": "string"}}}, {"additionalProperties": False}]}),
        of(a={"allOf": [{"patternProperties": {"^x": {}}}, {"additionalProperties": False}]}),
        None,
    ),
    "a value that nobody can judge": (
        of(a={"type": "object", "required": ["b"], "enum": [{"b": 1}]}),
        of(a={"type": "object", "required": ["b"], "enum": [{"b": 1}, {"b": 2}]}),
        None,
    ),
    "malformed keywords": (
        of(a={"type": "strnig", "minimum": "1", "minLength": -0.5, "required": True, "properties": []}),
        of(a={"type": "string", "minimum": "2", "minLength": 0, "required": False, "properties": {}}),
        None,
    ),
    "malformed lists": (
        of(a={"anyOf": {}, "enum": 1, "uniqueItems": 1, "dependentRequired": []}),
        of(a={"anyOf": [], "enum": 2, "uniqueItems": 2, "dependentRequired": [1]}),
        None,
    ),
    "malformed bounds": (
        of(a={"exclusiveMaximum": "x", "multipleOf": 0}),
        of(a={"exclusiveMaximum": "y", "multipleOf": -1}),
        None,
    ),
    "not a schema inside": (of(a="string"), of(a="number"), None),
    "the root is true": ({**of(a={}), "additionalProperties": False}, True, None),
    "the root is false": (False, of(a={}), None),
    "words of draft-03": (
        {"$schema": DRAFT_3, **of(a={"disallow": "string", "extends": {}, "divisibleBy": 2})},
        {"$schema": DRAFT_3, **of(a={"disallow": "number", "extends": {"x": 1}, "divisibleBy": 3})},
        None,
    ),
}


@pytest.mark.parametrize("name", UNPROVEN)
def test_what_is_not_proven_to_accept_less_widens(name: str) -> None:
    before, after, words = UNPROVEN[name]

    assert highest(before, after) == "widens"
    assert words is None or ("widens", words) in found(before, after)


def test_a_format_of_numbers_is_not_said_to_be_one_of_strings() -> None:
    before, after = of(a={"type": "integer", "format": "epoch"}), of(a={"type": "integer"})

    assert found(before, after) == [("widens", "argument 'a': the format was removed")]
    assert found(of(a={"type": "string", "format": "uri"}), of(a={"type": "string"})) == [
        ("widens", "argument 'a' now accepts any string (format removed)")
    ]


def test_an_argument_that_is_gone_is_accepted_less() -> None:
    """Undeclared arguments were admitted before as well: whoever sends it now sends an undeclared one."""
    assert found(of(a={"type": "string"}, b={}), of(b={})) == [("narrows", "argument 'a' is gone")]


def test_a_required_argument_can_be_gone_too() -> None:
    """It need not be sent any more, which is what being gone means."""
    before = {**of(a={"type": "string"}, b={}), "required": ["a"]}

    assert found(before, of(b={})) == [("narrows", "argument 'a' is gone")]


def test_an_argument_that_was_only_required_may_be_left_out_now() -> None:
    """It was never declared, so that its declaration cannot be gone."""
    before = {**of(b={}), "required": ["a"]}

    assert found(before, of(b={})) == [("widens", "argument 'a' may now be left out")]


def test_a_number_is_the_same_however_it_is_written() -> None:
    before, after = of(a={"maximum": 10, "maxLength": 3}), of(a={"maximum": 10.0, "maxLength": 3.0})

    assert compare(before, after) == Comparison((), (), ())


def test_the_place_is_a_pointer_into_the_later_schema() -> None:
    """Behind a reference it is the place where the difference was written."""
    before = {**of(a={"$ref": "#/$defs/f"}), "$defs": {"f": {"type": "string", "maxLength": 1}}}
    after = {**of(a={"$ref": "#/$defs/f"}), "$defs": {"f": {"type": "string", "maxLength": 2}}}

    (difference,) = compare(before, after).differences

    words = "argument 'a': its length was limited to 1 and is now to 2"
    assert difference == Difference("/$defs/f/maxLength", "changed", Direction.WIDENS, words, 1, 2)


def test_a_name_is_escaped_in_the_pointer_and_harmless_in_the_words() -> None:
    (difference,) = compare(of(), of(**{"a/b~\x1b[2K": {}})).differences

    assert difference.path == "/properties/a~1b~0\x1b[2K"
    assert difference.summary == "accepts a new optional argument 'a/b~\\u{1b}[2K'"


def test_many_widenings_are_cut_short() -> None:
    before, after = of(), of(**{f"a{i:03}": {} for i in range(100)})

    assert len(compare(before, after).differences) == 60


def test_many_differences_are_cut_short_but_never_the_one_that_matters() -> None:
    before = {**of(**{f"a{i:03}": {"type": ["string", "null"]} for i in range(100)}), "maxProperties": 5}
    after = {**of(**{f"a{i:03}": {"type": "string"} for i in range(99)}, a099={}), "maxProperties": 5}

    comparison = compare(before, after)

    assert len(comparison.differences) <= 60
    assert Direction.WIDENS in {one.direction for one in comparison.differences}


def _doubling(levels: int, leaf: dict[str, Any]) -> dict[str, Any]:
    steps: dict[str, Any] = {
        f"d{i}": {"anyOf": [{"$ref": f"#/$defs/d{i + 1}"}, {"$ref": f"#/$defs/d{i + 1}"}]}
        for i in range(levels)
    }
    return {**of(a={"$ref": "#/$defs/d0"}), "$defs": {**steps, f"d{levels}": leaf}}


def _nested(levels: int, leaf: dict[str, Any]) -> dict[str, Any]:
    schema = leaf
    for _ in range(levels):
        schema = of(a=schema)
    return schema


TOO_LARGE = {
    "doubling references": (
        _doubling(30, {"type": "string"}),
        _doubling(30, {"type": "string", "maxLength": 1}),
    ),
    "deep": (_nested(200, {"type": "string"}), _nested(200, {"type": "string", "maxLength": 1})),
    "wide": (of(**{f"a{i}": {} for i in range(STEPS)}), of(a={})),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_takes_too_long_counts_as_accepting_more(name: str) -> None:
    before, after = TOO_LARGE[name]

    (difference,) = compare(before, after).differences

    assert difference.direction is Direction.WIDENS
    assert difference.summary == "the input changed and is too large to compare"


NAMES = [f"n{i}" for i in range(100_000)]
LONG = {
    "required": ({"required": NAMES}, {"required": NAMES[::-1]}, "notation"),
    "values": (of(a={"enum": NAMES}), of(a={"enum": NAMES[::-1]}), "notation"),
    "types": (of(a={"type": "string"}), of(a={"type": ["string"] * len(NAMES)}), "notation"),
    "names": ({"propertyNames": {"enum": NAMES}}, {"propertyNames": {"enum": NAMES[1:]}}, "narrows"),
    "members in a condition": ({"not": {"required": NAMES}}, {"not": {"required": [*NAMES, "b"]}}, "widens"),
    "dependent members": (of(a={}), {**of(a={}), "dependentRequired": {"a": NAMES}}, "widens"),
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_list_is_compared_in_linear_time(name: str) -> None:
    """A hundred thousand names: quadratic work would take minutes."""
    before, after, direction = LONG[name]

    assert highest(before, after) == direction


def test_many_comparisons_share_a_budget() -> None:
    """A server with thousands of hard schemas cannot keep us busy for ever."""
    budget = Budget(100)
    before, after = of(a={"type": "string"}), of(a={"type": "string", "maxLength": 3})

    verdicts = [highest_with(before, after, budget) for _ in range(20)]

    assert verdicts[0] == "narrows"
    assert verdicts[-1] == "widens"
    assert budget.left >= 0


def highest_with(before: Any, after: Any, budget: Budget) -> str:
    (difference,) = compare(before, after, budget).differences
    return difference.direction.value


def test_what_was_concluded_from_a_wrong_assumption_is_not_kept() -> None:
    """The second ring looked fine as long as the first one did."""
    assert [one.path for one in compare(_rings(3), _rings(4)).differences] == [
        "/$defs/one/properties/value/maxLength"
    ]
    b_only = [{**_rings(length), **of(b={"$ref": "#/$defs/two"})} for length in (3, 4)]

    assert highest(*b_only) == "widens"


def test_nothing_differs_from_itself() -> None:
    assert compare(TREE, TREE) == Comparison((), (), ())

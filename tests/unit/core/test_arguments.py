"""Arguments against schemas that a server wrote: right, bounded, and without a word of the schema."""

import time
from typing import Any

import pytest

from avow.core.arguments import MAX_SCHEMA_BYTES, Mismatch, compile_checker
from avow.errors import DeclarationError


def test_the_first_mismatch_names_the_callers_member_and_the_keyword() -> None:
    checker = compile_checker(
        {"properties": {"a": {"items": {"type": "integer"}}, "b": {"maximum": 3}}, "required": ["a"]}
    )

    assert checker.check({"a": [1, 2]}) is None
    assert checker.check({"a": [1, "x"]}) == Mismatch("/a/1", "type")
    assert checker.check({}) == Mismatch("", "required")
    assert checker.check({"a": [], "b": 4}) == Mismatch("/b", "maximum")


@pytest.mark.parametrize("arguments", [None, [], "x", 1, True])
def test_arguments_are_an_object(arguments: Any) -> None:
    assert compile_checker({}).check(arguments) == Mismatch("", "type")


@pytest.mark.parametrize("schema", [None, {}, True, {"type": "object"}])
def test_a_schema_that_says_nothing_approves_any_object(schema: Any) -> None:
    assert compile_checker(schema).check({"anything": [1, {"x": None}]}) is None


def test_false_approves_nothing() -> None:
    assert compile_checker(False).check({}) is not None


def test_true_is_not_one() -> None:
    checker = compile_checker({"properties": {"a": {"type": "integer"}, "b": {"const": 1}}})

    assert checker.check({"a": True}) == Mismatch("/a", "type")
    assert checker.check({"b": True}) == Mismatch("/b", "const")


def test_a_member_that_differs_in_case_only_is_taken_for_the_declared_one_by_some_servers() -> None:
    checker = compile_checker({"properties": {"mode": {"enum": ["read"]}}})

    assert checker.check({"mode": "read", "MODE": "write"}) == Mismatch("/MODE", "properties")
    assert checker.check({"other": 1}) is None


def test_formats_are_not_asserted() -> None:
    assert compile_checker({"properties": {"a": {"format": "email"}}}).check({"a": "no address"}) is None


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"$ref": "https://example.com/schema.json"},
        {"$ref": "file:///etc/passwd"},
        {"$ref": "#/$defs/missing"},
        {"$schema": "https://example.com/dialect"},
        {"properties": {"a": {"pattern": "("}}},
        {"properties": {"a": {"pattern": "(a{1000}){1000}"}}},
        [],
        "text",
        5,
    ],
)
def test_what_does_not_compile_is_refused_without_quoting_it(schema: Any) -> None:
    with pytest.raises(DeclarationError) as caught:
        compile_checker(schema)

    assert "example.com" not in caught.value.message


DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"const": "safe", "$schema": DRAFT_4}}},
        {"$schema": DRAFT_7, "properties": {"a": {"items": {"$schema": DRAFT_4, "const": 1}}}},
        {"properties": {"a": {"$ref": "#/parts/b"}}, "parts": {"b": {"not": {"$schema": DRAFT_4}}}},
        {"properties": {"a": {"$id": "https://example.com/s", "$ref": "#/$defs/b"}}, "$defs": {"b": {}}},
        {"$schema": DRAFT_4, "properties": {"a": {"id": "https://example.com/s"}}},
    ],
)
def test_a_part_that_readers_read_differently_is_refused(schema: Any) -> None:
    """In draft-04 `const` is no keyword: below that word, the validator would accept anything."""
    with pytest.raises(DeclarationError, match="dialect or an address of its own"):
        compile_checker(schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"$schema": DRAFT_7, "properties": {"a": {"const": "safe", "$schema": DRAFT_7}}},
        {"properties": {"$schema": {"type": "string"}, "$id": {"type": "string"}, "a": {"const": "safe"}}},
        {"examples": [{"$schema": DRAFT_4, "$id": "x:y"}], "properties": {"a": {"const": "safe", "id": "x"}}},
        {"$schema": DRAFT_7, "properties": {"a": {"$id": "#a", "const": "safe"}, "b": {"$ref": "#"}}},
        {"$id": "https://example.com/s", "properties": {"a": {"const": "safe"}}},
    ],
)
def test_words_that_only_look_like_another_dialect_are_fine(schema: Any) -> None:
    checker = compile_checker(schema)

    assert checker.check({"a": "safe"}) is None
    assert checker.check({"a": "evil"}) is not None


def test_a_schema_has_a_size() -> None:
    with pytest.raises(DeclarationError, match="larger"):
        compile_checker({"description": "x" * MAX_SCHEMA_BYTES})


def test_a_schema_that_json_cannot_say_is_refused() -> None:
    with pytest.raises(DeclarationError, match="cannot be read"):
        compile_checker({"const": float("nan")})


def test_references_that_multiply_are_refused() -> None:
    """Thirty definitions that each refer twice to the next stand for a billion places."""
    definitions: dict[str, Any] = {
        f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}, {"$ref": f"#/$defs/a{n + 1}"}]} for n in range(30)
    }
    definitions["a30"] = {"type": "object"}

    with pytest.raises(DeclarationError, match="multiply"):
        compile_checker({"$ref": "#/$defs/a0", "$defs": definitions})


def test_references_that_form_a_long_chain_are_refused() -> None:
    definitions: dict[str, Any] = {f"a{n}": {"$ref": f"#/$defs/a{n + 1}"} for n in range(5000)}
    definitions["a5000"] = {}

    with pytest.raises(DeclarationError, match="nested too deeply"):
        compile_checker({"$ref": "#/$defs/a0", "$defs": definitions})


def test_a_recursive_schema_is_checked_without_an_explanation() -> None:
    """To list its errors would take time exponential in the depth of the arguments."""
    node: dict[str, Any] = {"type": "object", "properties": {"a": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}}}
    checker = compile_checker(node)
    arguments: Any = 3
    for _ in range(60):
        arguments = {"a": arguments}

    assert checker.check(arguments) == Mismatch()
    assert checker.check({"a": {"a": {}}}) is None


@pytest.mark.parametrize(
    "reference", ["#/$defs/a~1b", "#/prefixItems/0", "#/prefixItems/9", "#named", "#/$defs/a%25b", "#/type/x"]
)
def test_references_of_all_kinds_are_followed_or_taken_for_the_whole(reference: str) -> None:
    schema = {
        "properties": {"x": {"$ref": reference}},
        "$defs": {"a/b": {"$anchor": "named"}, "a%b": {}},
        "prefixItems": [{}],
        "type": "object",
    }
    try:
        checker = compile_checker(schema)
    except DeclarationError:
        return
    assert checker.check({"x": {}}) is None


def test_a_pattern_that_needs_a_look_around_works_and_ends() -> None:
    """Zod writes such patterns for addresses; one made to backtrack for ever counts as a mismatch."""
    ordinary = compile_checker({"properties": {"a": {"type": "string", "pattern": "^(?!\\.)[a-z.]+@x$"}}})
    assert ordinary.check({"a": "me@x"}) is None
    assert ordinary.check({"a": ".me@x"}) == Mismatch("/a", "pattern")
    hostile = compile_checker({"properties": {"a": {"pattern": "^(?=(a+)+$)b|(a+)+$(?!x)"}}})

    assert hostile.check({"a": "a" * 5000 + "c"}) is not None


def test_a_pattern_made_to_backtrack_does_not() -> None:
    checker = compile_checker({"properties": {"a": {"pattern": "^(a+)+$"}}})

    assert checker.check({"a": "a" * 60_000 + "b"}) == Mismatch("/a", "pattern")


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("[ab]*a[ab]{5000}x", "ab" * 50_000),
        ("^[ab]*a[ab]{100}$", "ab" * 32_768),
        ("^[ab]*a[ab]{400}$", "ab" * 8_192),
        ("^[ab]*a[ab]{4000}$", "ab" * 1_024),
        ("a(?=b).*c", "ab" * 200_000),
        ("a(?=b).*c", "ab" * 2_048),
        ("(?!z)(a+)+$", "a" * 100_000),
        ("(?!z)(a+)+$", "a" * 4_000 + "!"),
        ("(?=[ab]*a[ab]{100}x)y|.*(?=[ab]*a[ab]{100}x)y", "ab" * 2_048),
    ],
)
def test_no_pattern_takes_long(pattern: str, text: str) -> None:
    """Processor time, with room for a slow machine: without the limits these take seconds."""
    checker = compile_checker({"properties": {"a": {"pattern": pattern}}})
    start = time.process_time()

    checker.check({"a": text})

    assert time.process_time() - start < 0.5


TOO_LONG = "pattern (more text than can be matched)"


@pytest.mark.parametrize(
    ("schema", "arguments", "where"),
    [
        ({"properties": {"a": {"pattern": "x"}}}, {"a": "x" * 65_537}, "/a"),
        ({"properties": {"a": {"not": {"pattern": "x"}}}}, {"a": "y" * 65_537}, "/a"),
        ({"properties": {"a": {"allOf": [{"pattern": "x"}, {"pattern": "x"}]}}}, {"a": "x" * 40_000}, "/a"),
        ({"properties": {"a": {"items": {"pattern": "x"}}}}, {"a": ["x" * 40_000] * 2}, "/a/0"),
        ({"properties": {"a": {"pattern": "^.{1,1000}$"}}}, {"a": "x" * 3_000}, "/a"),
        ({"properties": {"a": {"pattern": "x(?!y)"}}}, {"a": "x" * 5_000}, "/a"),
        ({"patternProperties": {"x": {}}}, {"x" * 65_537: 1}, ""),
        ({"propertyNames": {"pattern": "x"}}, {"x" * 65_537: 1}, ""),
        ({"properties": {"a": {"propertyNames": {"pattern": "x"}}}}, {"a": {"x" * 65_537: 1}}, "/a"),
        ({"additionalProperties": {"pattern": "x"}}, {"a": "x" * 65_537}, "/a"),
        (
            {"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"pattern": "x"}}},
            {"a": "x" * 65_537},
            "/a",
        ),
        (
            {"properties": {"a": {"$ref": "#b"}}, "$defs": {"c": {"$anchor": "b", "pattern": "x"}}},
            {"a": "x" * 65_537},
            "/a",
        ),
        (
            {
                "properties": {"a": {"$dynamicRef": "#b"}},
                "$defs": {"c": {"$dynamicAnchor": "b", "pattern": "x"}},
            },
            {"a": "x" * 65_537},
            "/a",
        ),
        (
            {"dependentSchemas": {"b": {"properties": {"a": {"pattern": "x"}}}}},
            {"a": "x" * 65_537},
            "/a",
        ),
    ],
)
def test_patterns_are_tried_on_so_much_text_only(schema: Any, arguments: Any, where: str) -> None:
    assert compile_checker(schema).check(arguments) == Mismatch(where, TOO_LONG)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"path": {"pattern": "^/"}, "content": {"type": "string"}}},
        {"properties": {"path": {"pattern": "x(?!y)"}}},
        {"properties": {"content": {}}, "additionalProperties": {"pattern": "x"}},
        {"properties": {"content": {"$ref": "#/$defs/text"}}, "$defs": {"text": {}, "b": {"pattern": "x"}}},
    ],
)
def test_text_that_meets_no_pattern_may_be_long(schema: Any) -> None:
    assert compile_checker(schema).check({"content": "x" * 1_000_000}) is None


PATH = {"properties": {"path": {"const": "/a"}}}


@pytest.mark.parametrize(
    ("schema", "arguments", "where"),
    [
        ({"properties": {"o": PATH}}, {"o": {"Path": "/etc"}}, "/o/Path"),
        ({"$ref": "#/$defs/A", "$defs": {"A": PATH}}, {"Path": "/etc"}, "/Path"),
        ({"properties": {"o": {"items": PATH}}}, {"o": [1, {}, {"PATH": "/etc"}]}, "/o/2/PATH"),
        ({"properties": {"o": {"items": [PATH]}}, "$schema": DRAFT_7}, {"o": [{"PATH": "/"}]}, "/o/0/PATH"),
        ({"allOf": [PATH]}, {"Path": "/etc"}, "/Path"),
        ({"properties": {"o": {"anyOf": [{"type": "string"}, PATH]}}}, {"o": {"Path": 1}}, "/o/Path"),
        ({"patternProperties": {"^x": PATH}}, {"xx": {"Path": "/etc"}}, "/xx/Path"),
        ({"properties": {"a": {"$ref": "#"}, "path": {}}}, {"a": {"a": {"Path": 1}}}, "/a/a/Path"),
        ({"dependencies": {"a": PATH, "b": ["a"]}, "$schema": DRAFT_7}, {"Path": 1}, "/Path"),
    ],
)
def test_a_variant_of_a_name_is_found_at_any_depth(schema: Any, arguments: Any, where: str) -> None:
    assert compile_checker(schema).check(arguments) == Mismatch(where, "properties")


def test_names_that_only_other_places_declare_are_no_variants() -> None:
    checker = compile_checker({"properties": {"o": PATH, "free": {"type": "object"}, "list": {}}})

    assert checker.check({"o": {"path": "/a"}, "free": {"Path": 1}, "list": [{"Path": 1}], "Path": 2}) is None


def test_a_schema_that_is_a_maze_is_not_walked_for_ever() -> None:
    """Whether the fifteenth step back was an `a` is remembered in another set of places for each way here."""
    parts: dict[str, Any] = {
        f"p{n}": {"additionalProperties": {"$ref": f"#/$defs/p{n + 1}"}} for n in range(15)
    }
    ways = {"a": {"anyOf": [{"$ref": "#"}, {"$ref": "#/$defs/p0"}]}, "b": {"$ref": "#"}}
    checker = compile_checker({"properties": ways, "$defs": {**parts, "p15": {}}})
    arguments: Any = {}
    for _ in range(15):
        arguments = {"a": arguments, "b": arguments}

    assert checker.check({"a": {"b": {}}}) is None
    assert checker.check(arguments) == Mismatch()


def test_lists_are_walked_as_often_as_they_come() -> None:
    checker = compile_checker({"properties": {"a": {"items": {"items": {"pattern": "x"}}}}})

    for _ in range(3):
        assert checker.check({"a": [["x"], ["x"], []]}) is None


def test_names_of_names_end() -> None:
    assert compile_checker({"propertyNames": {"propertyNames": {"$ref": "#"}}}).check({"a": 1}) is None

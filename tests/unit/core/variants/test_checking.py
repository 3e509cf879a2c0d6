"""What an author is told about the variants of a tool, and what nobody should believe."""

import time
from typing import Any

import pytest

from avow.core.schema.document import Budget
from avow.core.variants import Trouble, Variant, problems, with_variants

SAFER = {"readOnlyHint": True}
TOOL = {
    "name": "manage_files",
    "inputSchema": {
        "type": "object",
        "properties": {
            "operation": {"enum": ["read", "write", "delete"]},
            "path": {"type": "string"},
            "mode": {"type": "string", "default": "fast"},
            "depth": {"type": "integer", "minimum": 0, "maximum": 9},
            "dry_run": {"const": True},
            "token": {"type": "string", "pattern": "^[0-9a-f]{8}$", "examples": ["00000000", "ffffffff"]},
        },
        "required": ["operation"],
    },
}


def troubles(*variants: Variant, **members: Any) -> list[tuple[int, Trouble]]:
    found = problems(with_variants({**TOOL, **members}, variants))
    return [(problem.number, problem.trouble) for problem in found]


def test_variants_that_each_select_something_are_fine() -> None:
    assert not troubles(
        Variant({"operation": "read"}, SAFER, ("files:read",)),
        Variant({"operation": "write", "path": "/tmp/*"}, {"destructiveHint": False}),
        Variant({"operation": "delete"}, {}, ("files:delete",)),
    )
    assert problems(TOOL) == ()


@pytest.mark.parametrize(
    "when",
    [
        {},
        {"path": "*"},
        {"path": {}},
        {"path": {"pattern": "^[\\s\\S]*$"}},
        {"path": {"type": "string"}, "operation": {"enum": ["delete", "read", "write"]}},
        {"operation": {"type": "string"}},
        {"mode": {"type": "string"}},
        {"depth": {"type": "integer"}},
        {"depth": {"minimum": -1}},
        {"token": {"pattern": "."}},
    ],
)
def test_a_pattern_that_fits_everything_does_not_make_a_tool_safer(when: Any) -> None:
    assert troubles(Variant(when, SAFER)) == [(1, Trouble.UNSELECTIVE)]


@pytest.mark.parametrize(
    "when",
    [
        {"path": "/tmp/*"},
        {"path": {"pattern": "^/tmp/"}},
        {"path": {}, "operation": "read"},
        {"mode": "fast"},
        {"mode": "slow"},
        {"depth": {"maximum": 8}},
        {"depth": 0},
        {"dry_run": True},
        {"token": "00000000"},
    ],
)
def test_a_pattern_that_leaves_something_out_does(when: Any) -> None:
    assert not troubles(Variant(when, SAFER))


def test_an_argument_that_has_to_have_its_only_value_selects_nothing() -> None:
    schema = {"properties": {"dry_run": {"const": True}}, "required": ["dry_run"]}

    assert troubles(Variant({"dry_run": True}, SAFER), inputSchema=schema) == [(1, Trouble.UNSELECTIVE)]


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"type": "string"}}, "allOf": [{"properties": {"a": {"const": "x"}}}]},
        {"properties": {"a": {"type": "string", "pattern": "^x$"}}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"a": {"const": "x"}}, "required": ["a"]}}},
        {"properties": {"a": {"const": "x", "default": "x"}}},
        {"minProperties": 1, "properties": {"a": {"const": "x"}}, "additionalProperties": False},
        {"const": {"a": "x"}, "properties": {"a": True}},
    ],
)
def test_a_schema_that_hides_that_there_is_no_choice_is_seen_through(schema: Any) -> None:
    hidden = {**schema, "required": ["a"]} if "allOf" in schema or "pattern" in str(schema) else schema

    assert (1, Trouble.UNSELECTIVE) in troubles(Variant({"a": "x"}, SAFER), inputSchema=hidden)


def test_an_argument_that_the_schema_does_not_have_selects_nothing() -> None:
    assert troubles(Variant({"operatoin": "read"}, SAFER)) == [
        (1, Trouble.PATTERN),
        (1, Trouble.UNSELECTIVE),
    ]
    assert troubles(Variant({"operatoin": "read"})) == [(1, Trouble.PATTERN)]


def test_arguments_of_alternatives_are_arguments() -> None:
    file = {"properties": {"kind": {"const": "file"}, "path": {"type": "string"}}}
    web = {"properties": {"kind": {"const": "web"}, "url": {"type": "string"}}}
    schema = {"oneOf": [{**file, "required": ["kind", "path"]}, {**web, "required": ["kind", "url"]}]}

    assert not troubles(Variant({"kind": "file"}, SAFER), inputSchema=schema)


def test_the_tool_itself_is_the_worst_case() -> None:
    assert troubles(Variant({"operation": "delete"}), annotations=SAFER) == []
    assert troubles(Variant({"operation": "delete"}, {"readOnlyHint": False}), annotations=SAFER) == [
        (1, Trouble.EXCEEDS)
    ]
    assert troubles(Variant({"operation": "read"}, {"title": "Read"}), annotations={"title": "All"}) == []


def test_a_variant_that_no_call_meets_is_told() -> None:
    found = troubles(
        Variant({"operation": "re*"}, SAFER),
        Variant({"operation": "read", "dry_run": True}),
        Variant({"operation": "update"}),
        Variant({"operation": {"enum": ["write", "delete"]}}),
        Variant({"operation": "delete"}),
        Variant({"dry_run": True}),
    )

    assert found == [(n, Trouble.UNREACHABLE) for n in (2, 3, 5, 6)]


def test_also_where_the_values_are_too_many_to_try() -> None:
    found = troubles(
        Variant({"depth": {"minimum": 3}}),
        Variant({"depth": {"minimum": 5}}),
        Variant({"depth": {"minimum": 10}}),
        Variant({"depth": "deep"}),
        Variant({"path": "/tmp/*"}),
        Variant({"path": "/tmp/*", "operation": "read"}),
        Variant({"path": "/tmp/x"}),
        Variant({"path": "/var/*"}),
        Variant({"operation": {"enum": ["read", "write"]}}),
        Variant({"operation": "read", "path": "?"}),
        Variant({"operation": "rea?", "path": "?"}),
        Variant({"operation": "delete", "mode": "*"}),
        Variant({"mode": {"type": "string"}}),
        Variant({"mode": {"type": "string", "minLength": 1}}),
    )

    assert [number for number, _ in found] == [2, 3, 4, 6, 7, 10, 11, 14]
    assert {trouble for _, trouble in found} == {Trouble.UNREACHABLE}


def test_a_default_outside_of_its_own_schema_still_reaches_a_variant() -> None:
    schema = {"properties": {"a": {"type": "integer", "default": "none"}}}

    assert not troubles(
        Variant({"a": {"type": "integer"}}), Variant({"a": {}}), Variant({"a": "n*"}), inputSchema=schema
    )[1:]
    assert not troubles(Variant({"a": "n?ne"}), inputSchema=schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"patternProperties": {"^a": {"type": "string"}}, "additionalProperties": False},
        {"properties": {"a": True, "b": True}, "enum": [{"a": 1}, {"a": 2}]},
    ],
)
def test_what_is_not_proven_is_not_told(schema: Any) -> None:
    found = troubles(Variant({"a": {"type": "number"}}), Variant({"a": 1, "b": 1}), inputSchema=schema)

    assert (1, Trouble.UNREACHABLE) not in found


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"resolvedVariants": 5}, "resolvedVariants is not a list"),
        ({"resolvedVariants": [{}]}, "variant 1 has no 'when'"),
        ({"requiredScopes": 5}, "the tool has requiredScopes that are not a list of texts"),
        ({"inputSchema": 5}, "no variant ever applies: the input schema is not an object"),
    ],
)
def test_what_cannot_be_read_is_told_once(members: Any, message: str) -> None:
    (problem,) = problems({**with_variants(TOOL, [Variant()]), **members})

    assert problem.trouble is Trouble.MALFORMED
    assert str(problem) == message
    assert not problem.is_harmless


def test_bad_patterns_are_told_by_number() -> None:
    found = problems(
        with_variants(TOOL, [Variant({"path": {"x": 1}}), Variant(), Variant({"path": "*" * 999})])
    )

    assert [(problem.number, problem.trouble) for problem in found] == [
        (1, Trouble.PATTERN),
        (3, Trouble.PATTERN),
    ]
    assert str(found[0]).startswith("variant 1 has a bad pattern: ")


def test_names_are_shown_without_what_a_terminal_would_obey() -> None:
    (problem,) = problems(with_variants(TOOL, [Variant({"a\x1b[2J": 1})]))

    assert "\x1b" not in str(problem)


def test_a_schema_nested_too_deeply_is_none() -> None:
    schema: Any = {}
    for _ in range(2_000):
        schema = {"allOf": [schema]}

    assert troubles(Variant({"a": 1}), inputSchema=schema) == [(0, Trouble.MALFORMED)]


def test_when_the_budget_is_used_up_nothing_is_believed() -> None:
    budget = Budget(60)
    tool = with_variants(TOOL, [Variant({"operation": "read"}, SAFER), Variant({"operation": "read"})])

    assert [p.trouble for p in problems(tool)] == [Trouble.UNREACHABLE]
    while budget.left > 0:
        problems(tool, budget)
    assert [p.trouble for p in problems(tool, budget)] == [Trouble.UNSELECTIVE]


def test_hostile_variants_do_not_take_long() -> None:
    """Many alternatives, many variants, patterns that are hard to compile and to match."""
    names = [f"a{n}" for n in range(64)]
    values = [{"enum": [f"{n}{'x' * 3_000}" for n in range(8)]} for _ in names]
    schema = {
        "properties": {name: {"anyOf": values[:8], "examples": ["y" * 4_000] * 50} for name in names},
        "anyOf": [{"properties": {name: {"type": "string"}}} for name in names],
    }
    variants = [Variant({name: {"pattern": "(x+x+)+y|" + "(?:\\w{1,60})?"}}, SAFER) for name in names]
    started = time.perf_counter()

    problems(with_variants({"name": "a", "inputSchema": schema}, variants))

    assert time.perf_counter() - started < 10

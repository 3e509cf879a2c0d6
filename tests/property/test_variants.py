"""Laws of variants: nothing that a server declares makes them fail, and what is said about them is true."""

import re
from itertools import product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from avow.core.arguments import compile_checker
from avow.core.canonical import canonical
from avow.core.capability import Capability, Kind, Signature
from avow.core.permissions import permissions
from avow.core.variants import Resolver, Trouble, Variant, problems, read_variants, select, with_variants
from avow.core.variants.patterns import Glob
from strategies import json_values

TEXTS = st.text("ab*?\n", max_size=8)
VALUES = ("read", "write", "re", 1, True, None)

patterns = st.one_of(
    st.sampled_from(VALUES),
    st.sampled_from(["*", "re*", "?ead", "*e*", "write*"]),
    st.sampled_from(VALUES).map(lambda value: {"const": value}),
    st.lists(st.sampled_from(VALUES), min_size=1, max_size=3).map(lambda values: {"enum": values}),
    st.sampled_from([{}, {"type": "string"}, {"minLength": 3}, {"pattern": "^r"}, {"not": {"type": "null"}}]),
)
schemas = st.one_of(
    st.lists(st.sampled_from(VALUES), min_size=1, max_size=4).map(lambda values: {"enum": values}),
    st.lists(st.sampled_from(VALUES), min_size=1, max_size=2).map(
        lambda values: {"enum": values, "default": values[0]}
    ),
    st.sampled_from(
        [{}, {"type": "string"}, {"type": ["string", "null"], "maxLength": 4}, {"type": "integer"}]
    ),
)
variants = st.builds(
    Variant,
    st.dictionaries(st.sampled_from("ab"), patterns, max_size=2),
    st.sampled_from([{}, {"readOnlyHint": True}, {"destructiveHint": False}]),
    st.sampled_from([None, (), ("x",)]),
)


@st.composite
def tools(draw: st.DrawFn) -> Any:
    properties = {"a": draw(schemas), "b": draw(schemas)}
    required = draw(st.lists(st.sampled_from("ab"), unique=True))
    tool = {"name": "t", "inputSchema": {"properties": properties, "required": required}}
    return with_variants(tool, draw(st.lists(variants, max_size=4)))


def calls(tool: Any) -> Any:
    """All calls that the tool takes, with these values."""
    choices = [({}, *({name: value} for value in (*VALUES, "", "a b/c.d", 0, -1))) for name in "ab"]
    checker = compile_checker(tool["inputSchema"])
    for one, other in product(*choices):
        if checker.check({**one, **other}) is None:
            yield {**one, **other}


@given(TEXTS, TEXTS)
def test_a_glob_fits_what_the_same_regular_expression_fits(glob: str, text: str) -> None:
    expression = "".join({"*": ".*", "?": "."}.get(character, re.escape(character)) for character in glob)

    assert Glob.read(glob).fits(text, canonical(text)) == bool(re.fullmatch(expression, text, re.DOTALL))


@given(st.lists(variants, max_size=4))
def test_variants_read_back_what_they_wrote(declared: list[Variant]) -> None:
    assert list(read_variants(with_variants({}, declared))) == declared


@settings(max_examples=100)
@given(tools())
def test_what_is_said_about_variants_is_true(tool: Any) -> None:
    """No call meets a variant that is called unreachable; one misses each that may promise more."""
    declared = read_variants(tool)
    found = {(problem.number, problem.trouble) for problem in problems(tool)}
    taken = list(calls(tool))
    met = [Resolver(tool).find(call) for call in taken]

    for number, variant in enumerate(declared, start=1):
        if (number, Trouble.UNREACHABLE) in found and variant not in declared[: number - 1]:
            assert variant not in met
        if variant.annotations and (number, Trouble.UNSELECTIVE) not in found:
            alone = Resolver(with_variants(tool, [variant]))
            assert any(alone.find(call) is None for call in taken)


@settings(max_examples=100)
@given(tools(), json_values)
def test_a_call_is_described_by_the_tool_or_one_of_its_variants(tool: Any, arguments: Any) -> None:
    resolved = select(tool, arguments)

    scopes = [tool.get("requiredScopes"), *(v.get("requiredScopes") for v in tool["resolvedVariants"])]
    assert resolved.get("requiredScopes") in scopes
    assert resolved["inputSchema"] == tool["inputSchema"]


@settings(max_examples=100)
@given(json_values, json_values, json_values)
def test_whatever_a_server_declares_is_read_or_told(declared: Any, pattern: Any, arguments: Any) -> None:
    whole = {"when": {"argumentPatterns": {"a": pattern}}}
    for tool in (
        {"name": "t", "resolvedVariants": declared, "inputSchema": {}},
        {"name": "t", "resolvedVariants": [whole, declared], "inputSchema": {"properties": {"a": {}}}},
        {"name": "t", "resolvedVariants": [whole], "inputSchema": declared, "requiredScopes": pattern},
    ):
        select(tool, arguments)
        known = permissions(Signature.of([Capability.read(Kind.TOOL, tool)]))
        assert known.tools["t"].problems == problems(tool)

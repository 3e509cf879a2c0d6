"""A replacement accepts every call that the original accepts; what cannot be proven does not count."""

from typing import Any

import pytest

from avow.core.capability import Capability, Kind
from avow.core.schema.document import Budget
from avow.registry.matching import offers_at_least
from registry_samples import READ, WRITE, tool


def of_kind(kind: Kind, definition: dict[str, Any]) -> Capability:
    return Capability.read(kind, definition)


def is_offered(
    wanted: dict[str, Any], other: dict[str, Any], kind: Kind = Kind.TOOL, steps: int = 100_000
) -> bool:
    there = of_kind(kind, other)
    return offers_at_least([of_kind(kind, wanted)], {(kind, there.name): there}, Budget(steps), {})


def with_required(definition: dict[str, Any], *names: str) -> dict[str, Any]:
    return {**definition, "inputSchema": {**definition["inputSchema"], "required": list(names)}}


LONGER = tool("read_file", "In other words.", path="string", limit="integer")


@pytest.mark.parametrize(
    ("wanted", "other", "answer"),
    [
        (READ, READ, True),
        (READ, {**READ, "description": "In other words."}, True),
        (READ, LONGER, True),
        (LONGER, READ, False),
        (READ, with_required(LONGER, "path", "limit"), False),
        (READ, with_required(READ), True),
        (with_required(READ), READ, False),
        (READ, tool("read_file", path="integer"), False),
        (READ, WRITE, False),
        (READ, {"name": "read_file", "inputSchema": {"type": "object", "$ref": "#"}}, False),
        ({"name": "read_file"}, {"name": "read_file", "description": "x"}, True),
    ],
)
def test_a_tool_is_replaced_by_one_that_accepts_as_much(
    wanted: dict[str, Any], other: dict[str, Any], answer: bool
) -> None:
    assert is_offered(wanted, other) is answer


def test_what_is_too_costly_to_prove_is_not_proven() -> None:
    assert not is_offered(READ, {**READ, "description": "x"}, steps=2)


@pytest.mark.parametrize(
    ("wanted", "other", "answer"),
    [
        ([], [{"name": "tone"}], True),
        ([], [{"name": "tone", "required": True}], False),
        ([{"name": "tone"}], [], False),
        ([{"name": "tone"}], [{"name": "tone", "required": True}], False),
        ([{"name": "tone", "required": True}], [{"name": "tone"}], True),
        (
            [{"name": "tone", "required": True}],
            [{"name": "tone", "required": True, "description": "x"}],
            True,
        ),
        ("nonsense", [7], True),
    ],
)
def test_a_prompt_is_replaced_by_one_with_its_arguments(wanted: Any, other: Any, answer: bool) -> None:
    ask = {"name": "ask", "arguments": wanted}
    assert is_offered(ask, {**ask, "arguments": other}, Kind.PROMPT) is answer


def test_a_resource_is_its_address_and_its_type() -> None:
    plain = {"uri": "file:///x", "name": "x"}
    typed = {**plain, "mimeType": "text/plain"}
    assert is_offered(plain, typed, Kind.RESOURCE)
    assert not is_offered(typed, plain, Kind.RESOURCE)
    assert not is_offered(typed, {**typed, "uri": "file:///y"}, Kind.RESOURCE)


def test_everything_that_is_wanted_has_to_be_there() -> None:
    """What was proven once is not proven again."""
    read, write = of_kind(Kind.TOOL, READ), of_kind(Kind.TOOL, WRITE)
    there = {(Kind.TOOL, "read_file"): read, (Kind.TOOL, "write_file"): write}
    proven: dict[tuple[str, str], bool] = {}
    assert offers_at_least([read, write], there, Budget(0), proven)
    assert not offers_at_least([read, write], {(Kind.TOOL, "read_file"): read}, Budget(0), proven)
    assert set(proven.values()) == {True}


def nested(*required: str) -> dict[str, Any]:
    inner = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("a", "b")[: 1 + len(required)]},
    }
    place = {**inner, "required": list(required)}
    return {"name": "put", "inputSchema": {"type": "object", "properties": {"at": place}}}


def test_a_replacement_asks_for_nothing_new_further_inside() -> None:
    """Somebody who never heard of `b` would leave it out."""
    assert is_offered(nested(), {**nested(), "title": "x"})
    assert not is_offered(nested(), nested("b"))

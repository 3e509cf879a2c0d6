"""What a version offers and needs."""

from typing import Any

import pytest

from avow.core.capability import Capability, Kind
from avow.core.publication import ServerName, publication_payload
from avow.core.risk import Level, Risk, assess
from avow.registry.pages.offering import (
    MOST_ARGUMENTS,
    Argument,
    Ratings,
    arguments_of,
    described,
    read_offering,
)
from registry_showcase import NEEDS
from small_server import READ, snapshot

NAME = ServerName.read("dev.example/files")
DELETE: dict[str, Any] = {
    "name": "delete_all",
    "description": "Delete every file.",
    "inputSchema": {"type": "object"},
}


def test_capabilities_are_grouped_by_risk_the_highest_first() -> None:
    shown = snapshot(
        [READ, DELETE], configuration_schema=NEEDS, server={"name": "x", "title": 7, "version": "1"}
    )

    found = read_offering(publication_payload(NAME, "1.0", shown), Ratings())

    assert [(level, [each.name for each in group]) for level, group in found.by_risk] == [
        (Level.HIGH, ["delete_all"]),
        (Level.MEDIUM, ["read_file"]),
        (Level.LOW, []),
    ]
    assert found.by_risk[0][1][0].risk.reasons
    assert found.by_risk[1][1][0].hints == ("readOnlyHint",)
    assert (found.title, found.declared_version) == ("", "1")
    assert found.parameters is not None
    assert [each.required for each in found.parameters] == [True, False, True]


def test_a_publisher_cannot_talk_the_risk_down() -> None:
    """The level beside a definition in the snapshot is what somebody wrote; the page rates anew."""
    payload = publication_payload(NAME, "1.0", snapshot([DELETE]))
    assert b'"level":"high"' in payload

    found = read_offering(payload.replace(b'"level":"high"', b'"level":"low"'), Ratings())

    assert [each.name for each in found.by_risk[0][1]] == ["delete_all"]


def test_configuration_that_cannot_be_read_counts_as_not_declared() -> None:
    unreadable: list[Any] = [None, [], {"arguments": 7}]
    for schema in unreadable:
        payload = publication_payload(NAME, "1.0", snapshot([READ], configuration_schema=schema))
        assert read_offering(payload, Ratings()).parameters is None


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "string"),
        ({"type": ["string", "null"]}, "string or null"),
        ({"enum": [1, 2]}, "one of 2"),
        ({"anyOf": [{"type": "string"}, {"type": "string"}, {}]}, "string or any"),
        ({"oneOf": [{"type": "integer"}]}, "integer"),
        ({"$ref": "#/x"}, "any"),
        (True, "any"),
        (None, "any"),
    ],
)
def test_types_are_told_in_a_word(schema: object, words: str) -> None:
    definition = {"inputSchema": {"properties": {"path": schema}, "required": ["path", 7]}}

    assert arguments_of(Kind.TOOL, definition) == (Argument("path", words, True, ""),)


def test_arguments_of_prompts_are_listed() -> None:
    definition = {"arguments": [{"name": "topic", "required": True, "description": "What about."}, 7]}

    assert arguments_of(Kind.PROMPT, definition) == (
        Argument("topic", "string", True, "What about."),
        Argument("", "string", False, ""),
    )
    assert arguments_of(Kind.PROMPT, {"arguments": "none"}) == ()
    assert (
        arguments_of(Kind.TOOL, {"inputSchema": {"properties": {"a": {}}, "required": 7}})[0].required
        is False
    )


def test_very_many_arguments_are_cut() -> None:
    properties: dict[str, Any] = {f"a{number}": {} for number in range(100)}
    many = {"name": "many", "inputSchema": {"type": "object", "properties": properties}}
    found = read_offering(publication_payload(NAME, "1.0", snapshot([many])), Ratings())
    [shown] = [each for _, group in found.by_risk for each in group]

    assert (len(shown.arguments), shown.more_arguments) == (MOST_ARGUMENTS, 100 - MOST_ARGUMENTS)


def test_a_title_may_stand_in_either_place() -> None:
    assert described({"title": "One", "annotations": {"title": "Other"}}) == ("One", "")
    assert described({"annotations": {"title": "Other"}, "description": "Words"}) == ("Other", "Words")


def test_ratings_are_remembered_and_the_oldest_forgotten() -> None:
    """The same definition is rated once while it is remembered."""
    rated: list[str] = []

    def rate(capability: Capability) -> Risk:
        rated.append(capability.name)
        return assess(capability)

    ratings = Ratings(rate, most=2)
    first, second, third = (Capability.read(Kind.TOOL, {**READ, "name": name}) for name in "abc")

    for each in (first, second, first, third, first, second):
        assert ratings.of(each) == assess(each)

    assert rated == ["a", "b", "c", "b"]

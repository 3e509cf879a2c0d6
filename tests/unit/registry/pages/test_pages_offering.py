"""What a version offers and needs."""

import json
from dataclasses import replace
from typing import Any

import pytest

from avow.core.capability import Kind
from avow.core.publication import ServerName, publication_payload
from avow.core.risk import Level, assess
from avow.core.snapshot import Snapshot
from avow.registry.pages.offering import (
    MOST_ARGUMENTS,
    MOST_LISTED,
    MOST_WHOLE,
    Argument,
    arguments_of,
    described,
    read_offering,
)
from avow.registry.store.contents import Contents
from avow.registry.store.packing import Stored
from registry_showcase import NEEDS
from small_server import READ, snapshot

NAME = ServerName.read("dev.example/files")
DELETE: dict[str, Any] = {
    "name": "delete_all",
    "description": "Delete every file.",
    "inputSchema": {"type": "object"},
}


def stored(shown: Snapshot) -> Contents:
    """What a store has of a publication."""
    ratings = {(one.kind, one.digest): assess(one) for one in shown.signature}
    return Contents(
        publication_payload(NAME, "1.0", shown),
        {key: Stored(b"", risk.level, json.dumps(risk.reasons)) for key, risk in ratings.items()},
    )


def test_capabilities_are_grouped_by_risk_the_highest_first() -> None:
    shown = snapshot(
        [READ, DELETE], configuration_schema=NEEDS, server={"name": "x", "title": 7, "version": "1"}
    )

    found = read_offering(stored(shown))

    assert [(group.level, [each.name for each in group.offered]) for group in found.groups] == [
        (Level.HIGH, ["delete_all"]),
        (Level.MEDIUM, ["read_file"]),
    ]
    high, medium = (group.offered[0].details for group in found.groups)
    assert high is not None
    assert high.reasons
    assert medium is not None
    assert medium.hints == ("readOnlyHint",)
    assert (found.title, found.declared_version) == ("", "1")
    assert found.parameters is not None
    assert [each.required for each in found.parameters] == [True, False, True]


def test_a_publisher_cannot_talk_the_risk_down() -> None:
    """The level beside a definition in the snapshot is what somebody wrote; the page has the store's."""
    contents = stored(snapshot([DELETE]))
    assert b'"level":"high"' in contents.payload

    found = read_offering(
        replace(contents, payload=contents.payload.replace(b'"level":"high"', b'"level":"low"'))
    )

    assert [(group.level, group.size) for group in found.groups] == [(Level.HIGH, 1)]


def test_configuration_that_cannot_be_read_counts_as_not_declared() -> None:
    unreadable: list[Any] = [None, [], {"arguments": 7}]
    for schema in unreadable:
        contents = stored(snapshot([READ], configuration_schema=schema))
        assert read_offering(contents).parameters is None


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
    [group] = read_offering(stored(snapshot([many]))).groups
    shown = group.offered[0].details

    assert shown is not None
    assert (len(shown.arguments), shown.more_arguments) == (MOST_ARGUMENTS, 100 - MOST_ARGUMENTS)


def test_a_title_may_stand_in_either_place() -> None:
    assert described({"title": "One", "annotations": {"title": "Other"}}) == ("One", "")
    assert described({"annotations": {"title": "Other"}, "description": "Words"}) == ("Other", "Words")


def test_of_very_many_capabilities_the_riskiest_are_shown_whole() -> None:
    """The others are listed, and beyond a number only counted."""
    many = [{**READ, "name": f"read_{number}"} for number in range(MOST_LISTED + 10)]
    found = read_offering(stored(snapshot([*many, DELETE])))

    high, medium = found.groups
    assert [(group.level, group.size) for group in found.groups] == [
        (Level.HIGH, 1),
        (Level.MEDIUM, MOST_LISTED + 10),
    ]
    assert (len(medium.offered), medium.more) == (MOST_LISTED - 1, 11)
    whole = [each for group in (high, medium) for each in group.offered if each.details]
    assert [each.name for each in whole[:2]] == ["delete_all", "read_0"]
    assert len(whole) == MOST_WHOLE

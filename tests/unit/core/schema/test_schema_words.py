"""What a schema says to readers: told where it is about something else now, and not where it only moved."""

from typing import Any

from avow.core.schema.compare import compare
from avow.core.schema.differences import Direction


def of(**properties: Any) -> dict[str, Any]:
    """An input schema with these arguments."""
    return {"type": "object", "properties": properties}


def test_words_are_told_apart_from_what_judges() -> None:
    before = of(a={"type": "string", "description": "One", "x-order": 1, "title": "A"})
    after = of(a={"type": "string", "description": "Two", "x-order": 2, "unit": "s"})

    comparison = compare(before, after)

    assert comparison.differences == ()
    assert {edit.path for edit in comparison.told} == {"/properties/a/description", "/properties/a/title"}
    assert {edit.path for edit in comparison.foreign} == {"/properties/a/unit", "/properties/a/x-order"}


def test_words_that_come_with_another_notation_are_told() -> None:
    """The schema was inlined, and on the way a description came in that was nowhere before."""
    before = {**of(a={"$ref": "#/$defs/f"}), "$defs": {"f": {"type": "string", "description": "A name"}}}
    after = of(a={"anyOf": [{"type": "string", "description": "A secret"}]})

    comparison = compare(before, after)

    assert {one.direction for one in comparison.differences} == {Direction.NOTATION}
    assert [(edit.path, edit.after) for edit in comparison.told] == [
        ("/properties/a/anyOf/0/description", "A secret")
    ]


def told(before: Any, after: Any) -> list[tuple[str, str, Any]]:
    """What is said to readers that was not, or is not any more."""
    comparison = compare(before, after)
    return [(edit.change, edit.path, edit.after) for edit in (*comparison.told, *comparison.foreign)]


def test_words_that_come_with_a_new_definition_are_told() -> None:
    """Nothing that judges changed; what a model reads did."""
    part = {"type": "string", "description": "A secret", "default": "x", "x-mcp-header": "Region"}
    after = {**of(a={"$ref": "#/$defs/f"}), "$defs": {"f": part}}

    assert told(of(a={"type": "string"}), after) == [
        ("added", "/$defs/f/description", "A secret"),
        ("added", "/$defs/f/default", "x"),
        ("added", "/$defs/f/x-mcp-header", "Region"),
    ]


def test_words_in_a_definition_that_nobody_uses_are_told() -> None:
    after = {**of(a={}), "$defs": {"f": {"description": "A secret"}}}

    assert told(of(a={}), after) == [("added", "/$defs/f/description", "A secret")]
    assert told(after, {**of(a={}), "$defs": {"g": {"description": "A secret"}}}) == []


def test_a_default_of_another_argument_is_another_default() -> None:
    before, after = of(a={"default": True}, b={}), of(a={}, b={"default": True})

    assert told(before, after) == [
        ("added", "/properties/b/default", True),
        ("removed", "/properties/a/default", None),
    ]


def test_a_default_that_comes_with_another_reference_is_told() -> None:
    """The definition was there before; only who refers to it changed."""
    parts = {"$defs": {"on": {"type": "boolean", "default": True}, "plain": {"type": "boolean"}}}
    dry = {**of(dry_run={"$ref": "#/$defs/on"}, force={"$ref": "#/$defs/plain"}), **parts}
    forced = {**of(dry_run={"$ref": "#/$defs/plain"}, force={"$ref": "#/$defs/on"}), **parts}

    assert told(dry, forced) == [("added", "/$defs/on/default", True)]
    assert told(dry, {**dry, **of(dry_run={"$ref": "#/$defs/plain"}, force={"$ref": "#/$defs/plain"})}) == [
        ("removed", "/$defs/on/default", None)
    ]


def test_a_definition_with_its_words_can_be_written_in_place() -> None:
    """What newer releases of a framework do to every tool at once."""
    part = {**of(b={"type": "string", "default": "x", "title": "B"}), "description": "Some options"}
    before = {**of(a={"$ref": "#/$defs/f"}, c={"$ref": "#/$defs/f"}), "$defs": {"f": part}}

    assert told(before, of(a=part, c=part)) == []
    assert told(of(a=part, c=part), before) == []


def test_the_words_of_a_new_argument_need_no_telling_of_their_own() -> None:
    assert told(of(), of(a={"description": "A name", "default": 1})) == []


def _crowded(shift: int) -> dict[str, Any]:
    """Definitions that refer to each other twice: the ways through them double with each."""
    parts: dict[str, Any] = {
        f"d{i}": of(left={"$ref": f"#/$defs/d{i + 1}"}, right={"$ref": f"#/$defs/d{i + 1}"})
        for i in range(14)
    }
    last = {"type": "string", "description": "The end"}
    moved = of(a={"default": 1} if shift else {}, b={} if shift else {"default": 1})
    return {**moved, "properties": {**moved["properties"], "c": parts["d0"]}, "$defs": {**parts, "d14": last}}


def test_where_there_are_too_many_ways_a_default_must_stay_in_its_place() -> None:
    assert told(_crowded(0), _crowded(1)) == [
        ("added", "/properties/a/default", 1),
        ("removed", "/properties/b/default", None),
    ]


def test_words_that_only_moved_are_notation() -> None:
    before = {**of(a={"$ref": "#/$defs/f"}), "$defs": {"f": {"type": "string", "description": "A name"}}}

    comparison = compare(before, of(a={"type": "string", "description": "A name"}))

    assert comparison.told == ()
    assert "words in another place" in {one.summary for one in comparison.differences}

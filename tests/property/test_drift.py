"""Laws of drift: nothing from itself, nothing harmless, and no change unseen."""

import copy
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avow.core.canonical import JsonObject, JsonValue, canonical, parse_json
from avow.core.drift.compare import diff
from avow.core.drift.model import Drift, highest
from avow.core.risk import assess
from avow.core.severity import Severity
from avow.core.snapshot import Snapshot
from small_server import snapshot

TOOL: dict[str, Any] = {
    "name": "read_file",
    "title": "Read",
    "description": "Read a file of the project.",
    "inputSchema": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "Path of the file",
                "maxLength": 200,
                "pattern": "^[a-z]+$",
            },
            "mode": {"type": ["string", "null"], "enum": ["text", "base64", None], "default": "text"},
            "lines": {"type": "integer", "minimum": 1, "exclusiveMaximum": 1000, "examples": [10]},
            "ranges": {
                "type": "array",
                "minItems": 1,
                "items": {"$ref": "#/$defs/range"},
                "uniqueItems": True,
            },
            "filter": {"anyOf": [{"type": "boolean"}, {"type": "object", "additionalProperties": False}]},
        },
        "required": ["path", "mode"],
        "additionalProperties": False,
        "$defs": {
            "range": {"type": "object", "properties": {"from": {"type": "number"}}, "required": ["from"]}
        },
    },
    "outputSchema": {
        "type": "object",
        "properties": {"content": {"type": "string"}},
        "required": ["content"],
    },
    "annotations": {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False, "title": "Read"},
    "icons": [{"src": "https://example.com/read.png", "sizes": ["48x48"]}],
    "execution": {"taskSupport": "optional"},
    "_meta": {"example.com/tier": 1},
}
PROMPT: dict[str, Any] = {
    "name": "summarise",
    "title": "Summarise",
    "description": "Summarise a file.",
    "arguments": [{"name": "path", "description": "Which file", "required": True}],
    "_meta": {"x": [1, 2]},
}
RESOURCE: dict[str, Any] = {
    "uri": "docs://project/readme",
    "name": "readme",
    "description": "The readme",
    "mimeType": "text/plain",
    "size": 10,
    "annotations": {"audience": ["user"], "priority": 0.5},
}
TEMPLATE: dict[str, Any] = {
    "uriTemplate": "docs://project/{page}",
    "name": "page",
    "description": "A page",
    "mimeType": "text/plain",
}
SURFACE: dict[str, Any] = {
    "tools": [TOOL, {"name": "count", "inputSchema": {"type": "object"}}],
    "prompts": [PROMPT],
    "resources": [RESOURCE],
    "templates": [TEMPLATE],
    "server": {"name": "demo", "version": "1", "title": "Demo"},
    "capabilities": {"tools": {"listChanged": True}, "experimental": {"x": {}}},
    "instructions": "Read before you write.",
    "configuration_schema": {"arguments": [{"name": "root", "type": "path", "required": True}]},
    "protocol_version": "2025-11-25",
}


def _seen(surface: dict[str, Any]) -> Snapshot:
    return snapshot(**surface)


APPROVED = _seen(SURFACE)


def _places(value: JsonValue, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The path to every value inside."""
    inner: list[tuple[str | int, JsonValue]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return [place for step, item in inner for place in ((*path, step), *_places(item, (*path, step)))]


PLACES = [place for place in _places(SURFACE) if len(place) > 1 or place == ("instructions",)]
VALUES = [None, True, False, 0, 1, 2, "", "text", "other", [], {}, ["x"], {"type": "string"}, 0.5]


def _changed(place: tuple[str | int, ...], value: JsonValue, *, remove: bool) -> dict[str, Any]:
    surface = copy.deepcopy(SURFACE)
    holder: Any = surface
    for step in place[:-1]:
        holder = holder[step]
    if remove:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    return surface


def _is_a_server(surface: dict[str, Any]) -> bool:
    """Whether Avow could have read this at all."""
    kinds = (("tools", "name"), ("prompts", "name"), ("resources", "uri"), ("templates", "uriTemplate"))
    return (
        all(isinstance(surface[kind], list) for kind, _ in kinds)
        and all(isinstance(item, dict) for kind, _ in kinds for item in surface[kind])
        and all(isinstance(i.get(name), str) and i[name] for kind, name in kinds for i in surface[kind])
        and len({item["name"] for item in surface["tools"]}) == len(surface["tools"])
        and isinstance(surface.get("instructions"), str | None)
    )


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(PLACES), st.sampled_from(VALUES), st.booleans())
def test_a_change_of_any_member_is_seen(place: tuple[str | int, ...], value: JsonValue, remove: bool) -> None:
    """Whatever becomes of whichever value, at least one drift tells of it, and nothing breaks."""
    surface = _changed(place, value, remove=remove)
    if not _is_a_server(surface):
        return

    drifts = diff(APPROVED, _seen(surface))

    assert bool(drifts) is (canonical(surface) != canonical(SURFACE))
    assert all(drift.summary for drift in drifts)
    assert diff(_seen(surface), _seen(copy.deepcopy(surface))) == ()


@pytest.mark.parametrize("place", PLACES)
def test_whatever_goes_away_is_seen(place: tuple[str | int, ...]) -> None:
    surface = _changed(place, None, remove=True)

    assert not _is_a_server(surface) or diff(APPROVED, _seen(surface))


def _shuffled(value: JsonValue, random: Random) -> JsonValue:
    """The same value with its members in another order."""
    if isinstance(value, dict):
        names = list(value)
        random.shuffle(names)
        return {name: _shuffled(value[name], random) for name in names}
    return [_shuffled(item, random) for item in value] if isinstance(value, list) else value


@settings(deadline=None)
@given(st.integers(0, 2**32))
def test_the_order_of_members_and_of_lists_is_nothing(seed: int) -> None:
    random = Random(seed)
    surface: Any = _shuffled(SURFACE, random)
    random.shuffle(surface["tools"])

    assert diff(APPROVED, _seen(surface)) == ()


def test_another_way_to_write_the_same_json_is_nothing() -> None:
    """Escapes, white space, `200.0` for `200`."""
    text = canonical(SURFACE).decode().replace("200", "200.0").replace("e", "\\u0065", 5)

    assert diff(APPROVED, _seen(parse_json(text))) == ()


def _reordered(schema: JsonValue, random: Random) -> JsonValue:
    """The same schema with its sets in another order and a few things spelled out."""
    if isinstance(schema, list):
        return [_reordered(item, random) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {word: _reordered(value, random) for word, value in schema.items()}
    for word in ("required", "enum", "anyOf"):
        if isinstance(result.get(word), list):
            random.shuffle(result[word])
    if isinstance(result.get("type"), str):
        if random.random() < 0.3:
            result["type"] = [result["type"]]
        if random.random() < 0.3 and result["type"] == "string":
            result["minLength"] = result.get("minLength", 0)
    return result


@settings(deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["http://json-schema.org/draft-07/schema#", None]))
def test_mere_notation_is_never_above_safe(seed: int, dialect: str | None) -> None:
    random = Random(seed)
    schema: Any = _reordered(TOOL["inputSchema"], random)
    schema["$schema"] = dialect or "https://json-schema.org/draft/2020-12/schema"
    surface = {**SURFACE, "tools": [{**TOOL, "inputSchema": schema}, SURFACE["tools"][1]]}

    assert (highest(diff(APPROVED, _seen(surface))) or Severity.INFO) <= Severity.SAFE


def _critical(drifts: tuple[Drift, ...]) -> bool:
    return highest(drifts) is Severity.CRITICAL


@settings(deadline=None)
@given(
    st.text(min_size=1, max_size=8).filter(lambda name: name not in TOOL["inputSchema"]["properties"]),
    st.sampled_from([{}, {"type": "string"}, {"enum": [1]}, {"anyOf": [{"type": "null"}]}, True]),
    st.booleans(),
    st.booleans(),
)
def test_a_new_argument_is_always_critical(
    name: str, schema: JsonValue, is_required: bool, is_open: bool
) -> None:
    """Whatever it is called, whatever it accepts, and whatever is said about undeclared ones."""
    old = {**TOOL["inputSchema"], "additionalProperties": is_open}
    new = {**old, "properties": {**old["properties"], name: schema}}
    if is_required:
        new["required"] = [*old["required"], name]

    drifts = diff(snapshot([{**TOOL, "inputSchema": old}]), snapshot([{**TOOL, "inputSchema": new}]))

    assert _critical(drifts)


TOOLS = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["file", "get_file"]),
        "description": st.sampled_from(
            ["Read a file.", "Delete a file.", "Convert a number.", "Run a shell command."]
        ),
    },
    optional={
        "annotations": st.fixed_dictionaries(
            {},
            optional={hint: st.booleans() for hint in ("readOnlyHint", "destructiveHint", "openWorldHint")},
        )
    },
)


@settings(max_examples=100, deadline=None)
@given(TOOLS, TOOLS)
def test_levels_that_somebody_remembers_make_no_difference(old: JsonObject, new: JsonObject) -> None:
    """Also where a tool spells out a default, and is compared without it."""
    before, after = snapshot([old]), snapshot([new])
    remembered = {one.digest: assess(one).level for one in (*before.signature, *after.signature)}

    assert diff(before, after, lambda one: remembered[one.digest]) == diff(before, after)

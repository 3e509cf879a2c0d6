"""Who a server says that it is, in both eras and in either place: the approved one, in the approved words."""

from typing import Any

import pytest

from avow.core.snapshot import Era
from avow.protocol.gate import GatePolicy, OnChanged, OnServerChanged
from conversations import LEGACY_VERSION, MODERN_VERSION, SERVER_KEY, Json, Server, Stage, locked, reason

ERAS = pytest.mark.parametrize("era", list(Era))
APPROVED: Json = {"name": "demo", "version": "1", "title": "Demo", "x-more": [1]}


def presented(era: Era, info: Any, policy: GatePolicy | None = None, **approved: Any) -> Stage:
    """A server that says this about itself, where its era says it."""
    result: Json = {"capabilities": {}, "instructions": "Be kind."}
    if era is Era.LEGACY:
        result |= {"protocolVersion": LEGACY_VERSION, "serverInfo": info}
    else:
        result |= {"supportedVersions": [MODERN_VERSION], "_meta": {SERVER_KEY: info, "other": 1}}
    method = "initialize" if era is Era.LEGACY else "server/discover"
    server = Server(answers={method: lambda _: {"result": result}})
    return Stage(server, locked(**({"server": APPROVED} | approved)), policy).open(era)


def shown(stage: Stage) -> Any:
    """What the client reads about the server."""
    result = stage.got[0]["result"]
    return result["_meta"][SERVER_KEY] if stage.era is Era.MODERN else result["serverInfo"]


@ERAS
@pytest.mark.parametrize("info", [{}, {"version": "1"}, {"name": None}, {"name": ""}, {"name": 5}, None])
def test_a_server_without_the_approved_name_is_another_one(era: Era, info: Any) -> None:
    stage = presented(era, info)

    assert reason(stage.got[0]) == "server_changed"
    assert stage.closed


def test_so_is_one_that_says_nothing_about_itself() -> None:
    stage = Stage(contract=locked())
    result = {"capabilities": {}, "supportedVersions": [MODERN_VERSION]}
    stage.server.answers["server/discover"] = lambda _: {"result": result}

    assert reason(stage.open(Era.MODERN).got[0]) == "server_changed"


@ERAS
@pytest.mark.parametrize(
    "info", ["demo", ["demo"], {"name": "demo", "Name": "other"}, {"name": "demo", "Title": "Demo"}]
)
def test_a_server_says_one_thing_about_itself_to_every_reader(era: Era, info: Any) -> None:
    assert reason(presented(era, info).got[0]) == "malformed"


@pytest.mark.parametrize("stamp", [{"name": "other"}, {}])
def test_both_places_name_the_approved_server(stamp: Json) -> None:
    stage = Stage(contract=locked())
    result = {"capabilities": {}, "serverInfo": {"name": "demo"}, "_meta": {SERVER_KEY: stamp}}
    stage.server.answers["server/discover"] = lambda _: {"result": result}

    assert reason(stage.open(Era.MODERN).got[0]) == "server_changed"


@ERAS
def test_a_server_that_had_no_name_needs_none(era: Era) -> None:
    assert shown(presented(era, {"version": "1"}, server={})) == {"version": "1"}


@ERAS
def test_a_missing_name_may_be_logged_only(era: Era) -> None:
    stage = presented(era, {}, GatePolicy(on_server_changed=OnServerChanged.LOG))

    assert [(happened.name, happened.detail) for happened in stage.happened("server_changed")] == [("", "")]
    assert shown(stage) == {}


@ERAS
@pytest.mark.parametrize("version", ["1", "2.0.1-rc.1+5"])
def test_the_approved_words_and_a_new_version_pass(era: Era, version: str) -> None:
    stage = presented(era, {**APPROVED, "version": version})

    assert shown(stage) == {**APPROVED, "version": version}
    assert stage.happened("server_info_changed") == []


CHANGED = {
    "name": "demo",
    "version": "1 EVIL",
    "title": "EVIL",
    "description": "EVIL",
    "icons": [{"src": "EVIL"}],
}


@ERAS
@pytest.mark.parametrize(
    ("on_changed", "expected"),
    [
        (OnChanged.BLOCK, {"name": "demo", "version": "1"}),
        (OnChanged.PIN, {"name": "demo", "version": "1", "title": "Demo"}),
    ],
)
def test_other_words_about_itself_are_not_shown(era: Era, on_changed: OnChanged, expected: Json) -> None:
    stage = presented(era, CHANGED, GatePolicy(on_changed=on_changed))

    assert shown(stage) == expected
    assert b"EVIL" not in stage.got_lines[0]
    names = {happened.name for happened in stage.happened("server_info_changed")}
    assert names == {"version", "title", "description", "icons"}


@ERAS
def test_an_audit_only_tells(era: Era) -> None:
    stage = presented(era, CHANGED, GatePolicy(audit=True))

    assert shown(stage) == CHANGED
    assert stage.happened("server_info_changed")

"""Guarded servers as processes: seed 001's five patterns on the lines of their pipes."""

from dataclasses import dataclass, field

import pytest

from avow.core.snapshot import Era
from guard_talks import Json, Lines, hello, lines

FLAGS: Json = {"experimental": {"advancedMode": {"on": True}}}
BOSS: Json = {"name": "admin", "version": "1"}

pytestmark = [
    pytest.mark.parametrize("era", list(Era), scope="module"),
    pytest.mark.parametrize("framework", ["official", "lowlevel", "fastmcp"], scope="module"),
]


@dataclass
class Told:
    """One whole talk with one process."""

    early: list[Json] = field(default_factory=list)
    unknown: Json = field(default_factory=dict)
    hello: Json = field(default_factory=dict)
    racing: list[Json] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    missing: list[Json] = field(default_factory=list)
    refused: Json = field(default_factory=dict)
    asks: list[Json] = field(default_factory=list)
    asked: list[Json] = field(default_factory=list)
    again: Json = field(default_factory=dict)
    events: list[Json] = field(default_factory=list)


@pytest.fixture(scope="module")
def told(framework: str, era: Era) -> Told:
    with lines(framework, era) as (talk, events):
        if era is Era.LEGACY:
            story = _handshake(talk)
        else:
            story = Told(hello=talk.ask("server/discover", clientCapabilities=FLAGS, clientInfo=BOSS))
            story.unknown = talk.ask("tools/list", protocolVersion="1999-01-01")
            story.early = [talk.ask("tools/list", clientCapabilities=None)]
        claims = {} if era is Era.LEGACY else {"clientCapabilities": FLAGS, "clientInfo": BOSS}
        story.shown = talk.tools(**claims)
        story.missing = [talk.ask("prompts/list"), talk.ask("resources/list")]
        story.refused = talk.call("delete_note", {"name": "x"}, **claims)
        story.asks = [talk.call("ask", {"what": what}) for what in ("elicitation", "sampling", "roots")]
        if era is Era.MODERN:
            story.asks += [talk.call("ask", {"what": "elicitation", "way": "result"})]
        story.again = talk.ask("initialize", hello())
        story.asked = talk.asked
    story.events = events
    return story


def _handshake(talk: Lines) -> Told:
    story = Told()
    talk.notify("notifications/initialized")
    story.early = [talk.ask("tools/list"), talk.call("count_words", {"text": "a"})]
    story.unknown = talk.ask("initialize", hello("1999-01-01"))
    story.hello = talk.ask("initialize", hello("2025-06-18", capabilities=FLAGS, clientInfo=BOSS))
    story.racing = [talk.ask("tools/list"), talk.call("count_words", {"text": "a"})]
    talk.notify("notifications/initialized")
    return story


def test_minimal_declaration(told: Told, era: Era) -> None:
    declared = told.hello["result"]["capabilities"]

    assert declared.keys() - {"logging"} == {"tools"}
    assert declared["tools"]["listChanged"] is False
    assert [answer["error"]["code"] for answer in told.missing] == [-32601, -32601]


def test_explicit_feature_flags(told: Told, era: Era) -> None:
    assert told.shown == ["ask", "count_words"]
    assert told.refused["error"]["data"]["avow"]["reason"] == "not_granted"
    assert "experimental" not in told.hello["result"]["capabilities"]


def test_client_capability_validation(told: Told, era: Era) -> None:
    code = -32601 if era is Era.LEGACY else -32021

    assert [answer["error"]["code"] for answer in told.asks] == [code] * len(told.asks)
    assert told.asked == []


def test_downgrade_detection(told: Told, era: Era) -> None:
    downgrades = [one for one in told.events if one["event"] == "protocol_downgrade"]

    assert told.unknown["error"]["code"] == (-32602 if era is Era.LEGACY else -32022)
    assert [(one["requested"], one["preferred"], one["session"]) for one in downgrades] == (
        [("2025-06-18", "2025-11-25", "local-1")] if era is Era.LEGACY else []
    )


def test_initialization_integrity(told: Told, era: Era) -> None:
    if era is Era.MODERN:
        assert told.early[0]["error"]["code"] == -32602
        assert told.again["error"]["code"] == -32022
        return
    assert [answer["error"]["code"] for answer in (*told.early, *told.racing, told.again)] == [-32600] * 5
    names = [one["event"] for one in told.events]
    assert names[0] == "unexpected_initialized"
    assert names[-1] == "session_ended"

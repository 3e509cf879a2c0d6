"""Guarded servers over Streamable HTTP: seed 001's five patterns, sessions, and who somebody really is."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from avow.core.snapshot import Era
from guard_talks import MODERN, PATIENCE, SERVER, Json, Posts, enveloped, hello

FLAGS: Json = {"experimental": {"advancedMode": {"on": True}}}
ERAS = pytest.mark.parametrize("era", list(Era))

pytestmark = pytest.mark.parametrize("framework", ["official", "lowlevel", "fastmcp"], scope="module")


@pytest.fixture(scope="module")
def url(framework: str) -> Iterator[str]:
    command = [sys.executable, str(SERVER), framework, "http"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/mcp"
        process.terminate()
        process.wait(PATIENCE)


@ERAS
def test_minimal_declaration(url: str, era: Era) -> None:
    talk = Posts(era, url)

    declared = talk.open()["result"]["capabilities"]

    assert declared.keys() - {"logging"} == {"tools"}
    assert declared["tools"]["listChanged"] is False
    assert talk.ask("prompts/list")["error"]["code"] == -32601
    assert talk.ask("resources/templates/list")["error"]["code"] == -32601


@ERAS
def test_explicit_feature_flags(url: str, era: Era) -> None:
    """The token decides, in the list, in the call and in the declaration; claims do not."""
    claims: Json = {"clientInfo": {"name": "boss", "version": "1"}}
    later = {**claims, "clientCapabilities": FLAGS} if era is Era.MODERN else {}
    guest, boss = Posts(era, url, "guest"), Posts(era, url, "boss")

    told = guest.open(capabilities=FLAGS, **claims)["result"]["capabilities"]
    granted = boss.open()["result"]["capabilities"]

    assert "experimental" not in told
    assert granted["experimental"] == {"advancedMode": {"on": True}}
    assert guest.tools(**later) == ["ask", "count_words"]
    assert boss.tools() == ["ask", "count_words", "delete_note"]
    assert guest.call("delete_note", {"name": "x"}, **later)["error"]["code"] == -32602
    assert "deleted x" in str(boss.call("delete_note", {"name": "x"})["result"])


@ERAS
def test_client_capability_validation(url: str, era: Era) -> None:
    talk = Posts(era, url)
    talk.open()
    ways = ["channel"] if era is Era.LEGACY else ["channel", "result"]

    answers = [
        talk.call("ask", {"what": what, "way": way}) for what in ("elicitation", "roots") for way in ways
    ]

    code = -32601 if era is Era.LEGACY else -32021
    assert [answer["error"]["code"] for answer in answers] == [code] * len(answers)
    assert talk.asked == []


@ERAS
def test_downgrade_detection(url: str, era: Era) -> None:
    if era is Era.MODERN:
        talk = Posts(era, url)
        talk.version = "1999-01-01"
        refused = talk.ask("tools/list", protocolVersion="1999-01-01")
        assert (talk.status, refused["error"]["code"]) == (400, -32022)
        return
    unknown = Posts(era, url).ask("initialize", hello("1999-01-01"))
    old = Posts(era, url)
    agreed = old.open("2025-03-26")["result"]

    assert unknown["error"]["code"] == -32602
    assert agreed["protocolVersion"] == "2025-03-26"
    assert old.tools() == ["count_words"]
    assert old.call("ask", {"what": "roots"})["error"]["data"]["avow"]["reason"] == "restricted"


@ERAS
def test_initialization_integrity(url: str, era: Era) -> None:
    talk = Posts(era, url)
    if era is Era.MODERN:
        assert talk.ask("tools/list", clientCapabilities=None)["error"]["code"] == -32602
        return
    assert talk.ask("tools/list").get("result") is None
    talk.session = None
    talk.ask("initialize", hello())
    racing = [talk.ask("tools/list"), talk.call("count_words", {"text": "a"})]
    talk.notify("notifications/initialized")
    active, again = talk.tools(), talk.ask("initialize", hello())

    assert [answer["error"]["code"] for answer in (*racing, again)] == [-32600] * 3
    assert active == ["ask", "count_words"]
    assert talk.tools() == active
    assert talk.leave() == 200
    talk.ask("tools/list")
    assert talk.status == 404


def test_a_session_stays_in_its_era_and_version(url: str) -> None:
    """A header or an envelope that contradicts the session is refused; nobody rides on another's claims."""
    talk = Posts(Era.LEGACY, url)
    talk.open()

    enveloped_ask = talk.ask("tools/list", enveloped(None, {}))
    talk.version = "2025-06-18"
    other_header = talk.ask("tools/list")
    talk.version = "2025-11-25"

    assert enveloped_ask["error"]["code"] == other_header["error"]["code"] == -32600
    assert talk.tools() == ["ask", "count_words"]
    assert MODERN not in str(enveloped_ask)


def test_half_open_sessions_make_room_for_each_other(url: str) -> None:
    """The server allows five; whoever comes sixth displaces the first, and nobody who is active."""
    active = Posts(Era.LEGACY, url)
    active.open()
    waiting = [Posts(Era.LEGACY, url) for _ in range(8)]
    for one in waiting:
        one.ask("initialize", hello())
    for one in waiting:
        one.ask("ping")

    assert [one.status for one in waiting] == [404] * 3 + [200] * 5
    assert active.tools() == ["ask", "count_words"]
    waiting[-1].notify("notifications/initialized")
    assert waiting[-1].tools() == ["ask", "count_words"]


def test_refused_handshakes_do_not_pile_up(url: str) -> None:
    """The SDK keeps a session whose `initialize` was answered with an error; the guard counts it."""
    refused = [Posts(Era.LEGACY, url) for _ in range(8)]
    for one in refused:
        one.ask("initialize", hello("1999-01-01"))
    kept = [one for one in refused if one.session is not None]
    for one in kept:
        one.ask("ping")

    assert [one.status for one in kept].count(200) <= 5

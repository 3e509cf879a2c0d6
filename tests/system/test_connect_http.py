"""Streamable HTTP: sessions and none, JSON and events, and everything that may go wrong on the way."""

import socket
import time

import pytest

from avow.core.snapshot import Era
from avow.core.target import HttpTarget
from avow.errors import AvowError, PeerProtocolError, ServerLaunchError, ServerTimeoutError
from avow.system.connect import ConnectOptions, MalformedAnswerError, observe, take_snapshot
from connect_endpoint import SESSION, serving
from connect_helpers import tools

OPTIONS = ConnectOptions(timeout=10.0)


def test_a_session_is_opened_used_and_given_back() -> None:
    """The session and the agreed version go with every request, and the session is deleted at the end."""
    with serving() as endpoint:
        snapshot = take_snapshot(HttpTarget(endpoint.url), OPTIONS)
        requests = endpoint.requests

    assert snapshot.era is Era.LEGACY
    assert snapshot.protocol_version == "2025-06-18"
    assert tools(snapshot) == ["echo"]
    for verb, headers, message in requests[2:]:
        assert headers["Mcp-Session-Id"] == SESSION
        assert headers["MCP-Protocol-Version"] == "2025-06-18"
        assert verb != "POST" or message["jsonrpc"] == "2.0"
    assert requests[-1][0] == "DELETE"


def test_a_session_that_no_header_can_name_is_refused() -> None:
    with (
        serving("odd_session") as endpoint,
        pytest.raises(PeerProtocolError, match="an id that is not visible ASCII"),
    ):
        take_snapshot(HttpTarget(endpoint.url), OPTIONS)


def test_answers_may_come_as_events() -> None:
    """Comments, other events, a notification and a question come first; the answer spans two lines."""
    with serving("events") as endpoint:
        snapshot = take_snapshot(HttpTarget(endpoint.url), OPTIONS)
        answers = [message for _, _, message in endpoint.requests if message.get("id") == "ours"]

    assert tools(snapshot) == ["echo"]
    assert {"jsonrpc": "2.0", "id": "ours", "result": {"roots": []}} in answers


def test_a_change_that_is_announced_on_the_open_stream_is_waited_for() -> None:
    with serving("growing") as endpoint:
        assert tools(take_snapshot(HttpTarget(endpoint.url), OPTIONS)) == ["echo", "late"]


def test_a_modern_endpoint_is_asked_without_a_session_and_under_every_name() -> None:
    with serving("modern") as endpoint:
        observation = observe(HttpTarget(endpoint.url), OPTIONS, thorough=False)

    assert observation.first.era is Era.MODERN
    assert observation.first.server["name"] == "modern endpoint"
    assert tools(observation.first) == ["echo"]
    assert [tools(look.snapshot) for look in observation.others] == [["echo"], [], []]


def test_an_older_endpoint_is_visited_under_every_name() -> None:
    with serving() as endpoint:
        observation = observe(HttpTarget(endpoint.url), OPTIONS, thorough=True)

    assert len(observation.others) == 6
    assert {look.snapshot.signature.digest for look in observation.others} == {
        observation.first.signature.digest
    }


def test_a_slash_at_the_end_is_followed() -> None:
    with serving("slash") as endpoint:
        assert tools(take_snapshot(HttpTarget(endpoint.url), OPTIONS)) == ["echo"]


def test_a_token_opens_the_door_and_is_never_shown() -> None:
    """The server repeats the token that it refuses; we do not."""
    with serving("unauthorized") as endpoint:
        target = HttpTarget(endpoint.url, ("Authorization",))
        good = ConnectOptions(headers={"Authorization": "Bearer good-token"})
        assert tools(take_snapshot(target, good)) == ["echo"]

        with pytest.raises(ServerLaunchError, match="401") as caught:
            take_snapshot(target, ConnectOptions(headers={"Authorization": "Bearer wrong-token"}))
        with pytest.raises(ServerLaunchError, match="the header Authorization has no value"):
            take_snapshot(target, OPTIONS)

    assert "no entry with [Authorization]" in caught.value.message
    assert "-H" in caught.value.hint


@pytest.mark.parametrize(
    ("mode", "error", "words"),
    [
        ("missing", PeerProtocolError, "HTTP 404 Not Found: <html>not here</html>"),
        ("page", PeerProtocolError, "answers with text/html instead of JSON or events"),
        ("crash", PeerProtocolError, "HTTP 500 Internal Server Error: Traceback"),
        ("accepted", PeerProtocolError, "answers with nothing instead of"),
        ("elsewhere", PeerProtocolError, "redirects to http://elsewhere.invalid/mcp"),
        ("circle", PeerProtocolError, "redirects without end"),
        ("malformed", MalformedAnswerError, "cannot be trusted"),
        ("other_id", MalformedAnswerError, "under an id that is only like the one we gave"),
        ("compressed", PeerProtocolError, "compresses"),
        ("huge", PeerProtocolError, "the answer has more than 16 MiB"),
        ("huge_event", PeerProtocolError, "an event has more than 16 MiB"),
        ("hangup", ServerLaunchError, "broke off the connection"),
    ],
)
def test_what_goes_wrong_is_said(mode: str, error: type[AvowError], words: str) -> None:
    with serving(mode) as endpoint, pytest.raises(error) as caught:
        take_snapshot(HttpTarget(endpoint.url), OPTIONS)

    assert words in caught.value.message
    assert caught.value.message.startswith("http://127.0.0.1:")


def test_an_answer_that_drips_is_left_in_time() -> None:
    start = time.monotonic()

    with serving("drip") as endpoint, pytest.raises(ServerTimeoutError):
        take_snapshot(HttpTarget(endpoint.url), ConnectOptions(timeout=0.5))

    assert time.monotonic() - start < 3


def test_nobody_at_the_address_is_said_without_the_password_in_it() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://user:pass-word@127.0.0.1:{taken.getsockname()[1]}/mcp?key=${{KEY}}"
        with pytest.raises(ServerLaunchError, match=r"cannot connect to http://127\.0\.0\.1:") as caught:
            take_snapshot(HttpTarget(url), ConnectOptions(env={"KEY": "s3cr3t"}))

    assert "pass-word" not in caught.value.message
    assert "s3cr3t" not in caught.value.message


def test_an_address_is_named_without_the_values_in_its_path() -> None:
    """One looks like a credential, the other came from a variable."""
    token = "Zk3vQ9" + "xT7bLmW2pRs8YdC4hJ5n"
    options = ConnectOptions(env={"TEAM": "blue-sky"})
    with serving("crash") as endpoint, pytest.raises(PeerProtocolError) as caught:
        take_snapshot(HttpTarget(f"{endpoint.url}/{token}/${{TEAM}}?a=b"), options)

    assert "/mcp/***/[TEAM] answers HTTP 500" in caught.value.message


@pytest.mark.parametrize("url", ["ftp://example.org/mcp", "http://", "http://[half/mcp", "http://a:b/"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ServerLaunchError, match="is no address"):
        take_snapshot(HttpTarget(url), OPTIONS)

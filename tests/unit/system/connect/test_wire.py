"""Telling protocol from noise, one line at a time."""

import pytest

from avow.system.connect import MalformedAnswerError
from avow.system.connect.wire import Answered, Asked, Event, Failure, Noise, Notified, Result, read_event


@pytest.mark.parametrize(
    ("line", "event"),
    [
        (b'{"jsonrpc": "2.0", "id": 1, "result": {}}', Answered(1, Result({}, 41))),
        (
            b'{"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"no","data":7}}',
            Answered("a", Failure(-1, "no", 7)),
        ),
        (b'{"jsonrpc":"2.0","id":1,"error":"no"}', Answered(1, Failure(0, "no"))),
        (b'{"jsonrpc":"2.0","id":1,"error":{}}', Answered(1, Failure(0, "an error without a message"))),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', Asked(1, "ping")),
        (b'{"jsonrpc":"2.0","method":"notifications/x"}', Notified("notifications/x")),
    ],
)
def test_a_message_is_recognised(line: bytes, event: Event) -> None:
    assert read_event(line, "the server") == event


@pytest.mark.parametrize(
    "line",
    [
        b"Listening on port 3000",
        b"{not json}",
        b'{"level": "info", "level": "twice"}',
        b"[1, 2",
        b'{"id": 1, "result": {}}',
        b'{"jsonrpc": "1.0", "id": 1, "result": {}}',
        b'{"jsonrpc": "2.0", "id": 1}',
        b'{"jsonrpc": "2.0", "result": {}}',
        b'{"jsonrpc": "2.0"}',
        b'[{"id": 1, "result": {}}]',
        b'{level: "error", "reason": no}',
        b'the server says "jsonrpc": \xff',
        b"17",
    ],
)
def test_noise_is_skipped(line: bytes) -> None:
    """No client takes any of this for a message."""
    assert read_event(line, "the server") == Noise()


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc": "2.0", "id": 1, "id": 2, "result": {}}',
        b'{"jsonrpc": "2.0", "id": 1, "result": {"a": 1, "a": 1}}',
        b'{"jsonrpc": "2.0", "id": 1, "result": {"a": "\xff"}}',
        b'  {"jsonrpc": "2.0", "id": 1, "result": {"a":',
        b'{"jsonrpc": "2.0", "id": 1, "result": 7}',
        b'{"jsonrpc": "2.0", "id": 1, "result": {"a": Infinity}}',
        b'{"json\\u0072pc": "2.0", "x": 1, "x": 2, "id": 1, "result": {}}',
        b'{"jsonrpc": "2.0", "\\u0069d" : 1, "result',
        b'{"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}}',
        b'{"jsonrpc": "2.0", "id": 1, "result": {}, "error": null}',
        b'{"jsonrpc": "2.0", "id": 1, "result": {}, "method": "ping"}',
        b'{"jsonrpc": "2.0", "method": "notifications/message", "params": {"a": 1, "a": 2}}',
        b'[{"jsonrpc": "2.0", "id": 1, "result": {}}]',
    ],
)
def test_what_looks_like_an_answer_and_is_not_safe_to_read_is_refused(line: bytes) -> None:
    with pytest.raises(MalformedAnswerError, match="the server"):
        read_event(line, "the server")

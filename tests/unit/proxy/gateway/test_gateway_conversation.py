"""A conversation remembers whom it owes an answer, and nobody else."""

import json
from typing import Any

import pytest

from avow.protocol.gate import Gate, GatePolicy
from avow.proxy.gateway.conversation import Conversation
from avow.proxy.gateway.envelopes import Envelope
from avow.proxy.gateway.stream import Stream

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "c", "version": "1"},
}
ANSWER = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}


class Talk(Conversation):
    """A conversation whose server is the test."""

    def __init__(self) -> None:
        super().__init__(Gate(None, GatePolicy(), "server"), lambda _: None)
        self.sent: list[bytes] = []

    @property
    def owed(self) -> int:
        return len(self._streams)

    def say(self, **message: Any) -> Stream:
        return self.take(json.dumps({"jsonrpc": "2.0", **message}).encode(), None)

    def _forward(self, line: bytes, outside: Envelope, origin: Stream | None) -> None:
        self.sent.append(line)

    def _tell(self, line: bytes, outside: Envelope, origin: Stream | None, head: bytes) -> None:
        """Nothing of that kind is said here."""


@pytest.fixture
def talk() -> Talk:
    talk = Talk()
    talk.say(id=0, method="initialize", params=INITIALIZE)
    talk.receive(json.dumps({"jsonrpc": "2.0", "id": 0, "result": ANSWER}).encode(), None)
    talk.say(method="notifications/initialized")
    return talk


@pytest.mark.parametrize("unusable", ["x" * 257, 2**53, -(2**53), 2**70])
def test_an_id_that_the_gate_does_not_take_is_not_remembered(talk: Talk, unusable: str | int) -> None:
    stream = talk.say(id=unusable, method="ping")

    assert json.loads(stream.take()[0].line)["id"] is None
    assert stream.over
    assert talk.owed == 0


@pytest.mark.parametrize("usable", ["x" * 256, 2**53 - 1, 1 - 2**53])
def test_an_id_that_the_gate_takes_is_remembered_until_it_is_answered(talk: Talk, usable: str | int) -> None:
    stream = talk.say(id=usable, method="ping")
    assert talk.owed == 1

    talk.receive(json.dumps({"jsonrpc": "2.0", "id": usable, "result": {}}).encode(), None)

    assert json.loads(stream.take()[0].line)["id"] == usable
    assert talk.owed == 0


def test_requests_that_are_refused_together_are_forgotten_together(talk: Talk) -> None:
    """This version has no batches: the one error has no id."""
    batch = [{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in range(3)]

    stream = talk.take(json.dumps(batch).encode(), None)

    assert stream.over
    assert talk.owed == 0

"""Answers nested deeper than anybody reads: whoever waits for them is told, in both eras."""

import json

import pytest

from avow.core.snapshot import Era
from avow.protocol.gate import GatePolicy, Phase
from conversations import Server, Stage, asked, locked, reason

ERAS = pytest.mark.parametrize("era", list(Era))
DEEP = b'{"a":' * 3000 + b"1" + b"}" * 3000


def waiting(era: Era, policy: GatePolicy | None = None, version: str = "2025-11-25") -> tuple[Stage, int]:
    """A client that waits for the answer to one request."""
    stage = Stage(Server(silent={"x/extension"}), locked(), policy).open(era, version)
    stage.ask("x/extension")
    return stage, stage.server.saw[-1]["id"]


@ERAS
@pytest.mark.parametrize(
    "envelope",
    [
        b'{"jsonrpc":"2.0","id":%d,"result":%s}',
        b'{"jsonrpc":"2.0", "result":%s, "id" : %d }',
        b'{"x":"\\"id\\":","jsonrpc":"2.0","id":%d,"result":{"id":7,"b":%s}}',
        b'{"jsonrpc":"2.0","id":%d,"result":[%s',
    ],
)
def test_the_request_is_found_and_answered(era: Era, envelope: bytes) -> None:
    stage, request_id = waiting(era)
    first = envelope.index(b"%d") < envelope.index(b"%s")

    stage.serve(envelope % ((request_id, DEEP) if first else (DEEP, request_id)))

    assert reason(stage.got[-1]) == "malformed"
    assert stage.got[-1]["id"] == request_id
    assert stage.gate.pending == 0
    assert not stage.closed


@ERAS
@pytest.mark.parametrize(
    "envelope",
    [
        b'{"jsonrpc":"2.0","id":%d,"id":5,"result":%s}',
        b'{"jsonrpc":"2.0","x":%d,"result":%s}',
        b'{"jsonrpc":"2.0","x":%d,"id":null,"result":%s}',
        b'{"jsonrpc":"2.0","x":%d,"result":%s,"id":007}',
        b'{"jsonrpc":"2.0","x":%d,"result":%s,"id":"y',
    ],
)
def test_where_it_cannot_be_found_the_session_ends(era: Era, envelope: bytes) -> None:
    stage, request_id = waiting(era)

    stage.serve(envelope % (request_id, DEEP))

    assert stage.closed
    assert stage.gate.phase is Phase.TERMINATED
    assert [message["id"] for message in stage.got if "error" in message] == [request_id]


def test_an_array_of_answers_that_is_too_deep_ends_the_session() -> None:
    stage, request_id = waiting(Era.LEGACY, version="2025-03-26")

    stage.serve(b'[{"jsonrpc":"2.0","id":%d,"result":%s}]' % (request_id, DEEP))

    assert stage.closed


def test_a_client_that_nests_too_deeply_is_told_which_request_that_was() -> None:
    stage = Stage(Server(), locked()).open()

    stage.client(b'{"jsonrpc":"2.0","id":9,"method":"x","params":%s}' % DEEP)

    assert (stage.got[-1]["id"], stage.got[-1]["error"]["code"]) == (9, -32700)


def test_an_audit_lets_it_through() -> None:
    stage, _ = waiting(Era.LEGACY, GatePolicy(audit=True))

    decision = stage.gate.from_server(b'{"jsonrpc":"2.0","result":%s}' % DEEP)

    assert len(decision.to_client) == 1
    assert not decision.close


def test_what_is_no_message_at_all_ends_nothing() -> None:
    stage, request_id = waiting(Era.LEGACY)

    stage.serve(b"Listening on port 80 {")
    stage.serve(json.dumps({"jsonrpc": "2.0", "id": request_id, "result": {}}).encode())

    assert stage.got[-1]["result"] == {}
    assert asked("x") != stage.got[-1]

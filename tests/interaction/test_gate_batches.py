"""Requests that come in one array: each of them is answered, whatever becomes of its neighbours."""

import pytest

from avow.protocol.gate import GatePolicy, Limits
from conversations import ECHO, Json, Server, Stage, asked, code, failed, line, locked, reason, told

BATCHES = "2025-03-26"
CALL = asked("tools/call", 1, name="get_time")
GREETING = asked("prompts/get", 2, name="greet")
PING = asked("ping", 3)


def stage_with(server: Server, policy: GatePolicy | None = None) -> Stage:
    return Stage(server, locked(), policy).open(version=BATCHES)


def broken(*methods: str) -> Server:
    """A server that cannot list."""
    return Server(answers={method: lambda _: failed(0) for method in methods})


def answers(stage: Stage) -> dict[object, Json]:
    return {message["id"]: message for message in stage.got if "method" not in message and message["id"] != 0}


@pytest.mark.parametrize("broke", [("tools/list",), ("tools/list", "prompts/list")])
def test_what_could_not_be_compared_is_refused_alone(broke: tuple[str, ...]) -> None:
    stage = stage_with(broken(*broke))

    stage.client([CALL, GREETING, PING, told("notifications/x")])

    found = answers(stage)
    assert reason(found[1]) == "unverified"
    assert ("result" in found[2]) is (len(broke) == 1)
    assert "result" in found[3]
    assert stage.gate.pending == 0
    assert stage.reached("notifications/x")
    assert not stage.gate.is_holding


def test_a_part_that_cannot_be_read_does_not_take_the_others_along() -> None:
    stage = stage_with(Server())

    stage.client(b"[" + line(PING) + b',{"jsonrpc":"2.0","id":4},5,' + line(CALL) + b"]")

    found = answers(stage)
    assert "result" in found[3]
    assert "result" in found[1]
    assert (code(found[4]), code(found[None])) == (-32600, -32600)


@pytest.mark.parametrize(
    ("policy", "version"),
    [
        (GatePolicy(), "2025-06-18"),
        (GatePolicy(limits=Limits(message_bytes=300)), BATCHES),
        (GatePolicy(limits=Limits(held_messages=0)), BATCHES),
    ],
)
def test_a_refused_array_answers_each_request_in_it(policy: GatePolicy, version: str) -> None:
    stage = Stage(Server(), locked(), policy).open(version=version)

    stage.client([CALL, {"id": 9}, GREETING, PING, told("notifications/x", more="x" * 200)])

    assert {"error" in message for message in answers(stage).values()} == {True}
    assert answers(stage).keys() == {1, 2, 3}
    assert stage.gate.pending == 0


def test_a_refused_array_without_requests_is_answered_once() -> None:
    stage = Stage(Server(), locked()).open()

    stage.client([told("notifications/x")])

    assert code(answers(stage)[None]) == -32600


@pytest.mark.parametrize(
    "params",
    [
        b'{"requestId":5,"requestId":"avow/gate/1"}',
        b'{"RequestId":"avow/gate/1"}',
        b'{"requestId":5,"requestID":"avow/gate/1"}',
    ],
)
def test_a_cancellation_means_one_request_to_every_reader(params: bytes) -> None:
    stage = Stage(Server(silent={"ping"}), locked()).open()
    stage.client(asked("ping", 5))
    cancellation = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":%s}' % params
    before = len(stage.got)

    stage.client(cancellation)
    stage.serve(cancellation)

    assert not stage.reached("notifications/cancelled")
    assert len(stage.got) == before
    assert len(stage.happened("message_dropped")) == 2
    assert stage.gate.pending == 1


def test_a_cancellation_of_nothing_passes() -> None:
    stage = Stage(Server(), locked()).open()

    stage.client(told("notifications/cancelled"))

    assert stage.reached("notifications/cancelled")


def test_names_that_nobody_approved_are_not_remembered() -> None:
    """A server that lists each of its names twice fills no memory; an approved one is remembered."""
    stage = Stage(Server(), locked()).open()
    for round_ in range(3):
        stage.server.tools = [{**ECHO, "name": f"n{round_}-{n // 2}"} for n in range(100)] + [ECHO, ECHO]
        stage.names()

    views = [view for kind in stage.gate._knowledge._kinds.values() for view in kind.views.values()]

    assert set().union(*(view.changed for view in views)) == {"echo"}
    assert reason(stage.call()) == "changed"

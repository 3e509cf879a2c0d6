"""Lines as they come: what is not a message, ids, batches, cancellations, limits, and audits."""

import json
from typing import Any

import pytest

from avow.core.snapshot import Era, Source
from avow.protocol.gate import Fallback, Gate, GatePolicy, Limits, OnServerChanged
from avow.protocol.negotiation import VersionPolicy
from conversations import (
    ECHO,
    EVIL,
    TIME,
    Json,
    Server,
    Stage,
    answered,
    asked,
    code,
    failed,
    line,
    locked,
    reason,
    told,
)

BATCHES = "2025-03-26"
CALL = asked("tools/call", 1, name="echo", arguments={"text": "x"})
EVIL_CALL = asked("tools/call", 2, name="run_shell", arguments={})


def active(server: Server | None = None, *, version: str = "2025-11-25", **policy: Any) -> Stage:
    return Stage(server, locked(), GatePolicy(**policy)).open(version=version)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"hello", (None, -32700)),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"', (None, -32700)),
        (b"5", (None, -32600)),
        (b"null", (None, -32600)),
        (b"[" * 100000, (None, -32600)),
        (b'{"a":' * 100000, (None, -32700)),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', (1, -32600)),
        (b'{"id":1,"method":"ping"}', (1, -32600)),
        (b'{"jsonrpc":2.0,"id":1,"method":"ping"}', (1, -32600)),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', (None, -32600)),
        (b'{"jsonrpc":"2.0","id":1.0,"method":"ping"}', (None, -32600)),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', (None, -32600)),
        (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', (None, -32600)),
        (b'{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', (None, -32600)),
        (b'{"jsonrpc":"2.0","id":"' + b"x" * 300 + b'","method":"ping"}', (None, -32600)),
        (b'{"jsonrpc":"2.0","id":1}', (1, -32600)),
        (b'{"jsonrpc":"2.0"}', (None, -32600)),
        (b"{}", (None, -32600)),
        (b'{"jsonrpc":"2.0","id":1,"method":5}', (1, -32600)),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}', (1, -32600)),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","error":{}}', (1, -32600)),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', (2, -32600)),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}', (1, -32600)),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"params":{}}', (1, -32600)),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}', (1, -32600)),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","PARAMS":{}}', (1, -32600)),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","param\xc5\xbf":{}}', (1, -32600)),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","ID":5}', (1, -32600)),
        (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}', (None, -32700)),
        (b'{"jsonrpc":"2.0","id":1,"method":"pi\xffng"}', (None, -32700)),
        (b'{"jsonrpc":"2.0","id":1,"method":"x/y","params":{"a":"\xff"}}', (1, -32700)),
        (b'{"jsonrpc":"2.0","id":1,"method":"x/y","params":{"a":"\xc0\xa2"}}', (1, -32700)),
    ],
)
@pytest.mark.parametrize("padding", [0, 3000], ids=["small", "large"])
def test_what_is_no_message_is_answered_and_goes_no_further(
    raw: bytes, expected: tuple[Any, int], padding: int
) -> None:
    stage = active()
    before = len(stage.server.saw)
    if padding and raw.endswith(b"}") and len(raw) > 2:
        raw = raw[:-1] + b',"padding":"' + b"x" * padding + b'"}'

    stage.client(raw)

    assert (stage.got[-1]["id"], code(stage.got[-1])) == expected
    assert len(stage.server.saw) == before
    assert stage.events[-1].event in ("message_unreadable", "message_refused")


@pytest.mark.parametrize("raw", [b"", b"   ", b"\r\n", b"\t"])
def test_an_empty_line_is_nothing(raw: bytes) -> None:
    gate = Gate(locked(), GatePolicy(), "demo")

    assert gate.from_client(raw) == gate.from_server(raw) == ((), (), (), False)


def test_a_line_break_inside_a_message_does_not_reach_a_reader_of_lines() -> None:
    """Python's text streams end a line at a lone carriage return: the inner call would be a message."""
    stage = active()
    inner = line(EVIL_CALL)

    decision = stage.gate.from_client(
        b'{"jsonrpc":"2.0","method":"x/y","params":{"a":[\r' + inner + b"\r\n]}}\r\n"
    )

    assert decision.to_server == (b'{"jsonrpc":"2.0","method":"x/y","params":{"a":[ ' + inner + b"  ]}}",)


def test_an_answer_that_nobody_asked_for_is_dropped() -> None:
    stage = active()
    before = len(stage.got)

    for odd in (answered(77, x=1), answered("77", x=1), failed(77), failed(None), answered("avow/gate/9")):
        stage.serve(odd)

    assert len(stage.got) == before
    assert len(stage.happened("answer_unexpected")) == 5


def test_an_id_that_comes_back_with_another_type_is_not_the_answer() -> None:
    """Some clients take `"7"` for `7`."""
    stage = active(Server(silent={"ping"}))
    stage.client(asked("ping", 7))

    stage.serve(answered("7"))
    assert stage.happened("answer_unexpected")
    stage.serve(b'{"jsonrpc":"2.0","id":7.0,"result":{}}')
    stage.serve(b'{"jsonrpc":"2.0","id":true,"result":{}}')
    assert len(stage.got) == 1
    stage.serve(answered(7))

    assert stage.got[-1] == answered(7)


def test_a_second_answer_is_dropped() -> None:
    stage = active(Server(silent={"ping"}))
    stage.client(asked("ping", 7))

    stage.serve(answered(7))
    stage.serve(answered(7))

    assert len([message for message in stage.got if message["id"] == 7]) == 1


def test_a_request_that_reuses_a_waiting_id_is_refused() -> None:
    stage = active(Server(silent={"ping"}))
    stage.client(asked("ping", 7))

    stage.client(asked("x/extension", 7))
    stage.client(asked("ping", "7"))

    assert code(stage.got[-1]) == -32600
    assert stage.happened("id_reused")
    assert stage.server.methods()[-2:] == ["ping", "ping"]


def test_ids_of_the_gate_are_its_own() -> None:
    stage = active()

    stage.client(asked("ping", "avow/gate/1"))
    stage.client(told("notifications/cancelled", requestId="avow/gate/1"))

    assert code(stage.got[-1]) == -32600
    assert stage.happened("message_dropped")
    assert not stage.reached("ping")
    assert not stage.reached("notifications/cancelled")


def test_ids_of_the_two_directions_have_nothing_to_do_with_each_other() -> None:
    stage = active(Server(silent={"ping"}))
    stage.client(asked("ping", 1))
    stage.serve(asked("ping", 1))
    assert stage.got[-1] == asked("ping", 1)

    stage.serve(asked("ping", 1))
    assert code(stage.server.saw[-1]) == -32600
    stage.client(answered(1))
    assert stage.server.saw[-1] == answered(1)
    stage.client(answered(1))
    assert len(stage.happened("answer_unexpected")) == 1
    stage.client(failed(None))

    assert len(stage.happened("answer_unexpected")) == 2
    assert stage.gate.pending == 1


def test_the_late_answer_to_a_cancelled_request_is_dropped_without_a_word() -> None:
    stage = active(Server(silent={"x/extension"}))
    stage.client(asked("x/extension", 7))
    stage.client(told("notifications/cancelled", requestId=7))
    assert stage.gate.pending == 0
    stage.client(asked("ping", 7))
    assert code(stage.got[-1]) == -32600
    before = len(stage.got)
    events = len(stage.events)

    stage.serve(answered(7))

    assert (len(stage.got), len(stage.events)) == (before, events)


def test_cancelled_ids_are_not_remembered_for_ever() -> None:
    stage = active(Server(silent={"ping"}))

    for number in range(3000):
        stage.client(asked("ping", number))
        stage.client(told("notifications/cancelled", requestId=number))

    stage.serve(answered(0))
    stage.serve(answered(2999))
    assert len(stage.happened("answer_unexpected")) == 1


@pytest.mark.parametrize("params", [{}, {"requestId": None}, {"requestId": [1]}, {"requestId": True}])
def test_a_cancellation_of_nothing_passes(params: Json) -> None:
    stage = active()

    stage.client({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    stage.serve({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})

    assert stage.server.methods()[-1] == "notifications/cancelled"
    assert stage.got[-1]["method"] == "notifications/cancelled"


def test_a_cancellation_that_two_readers_could_understand_differently_cancels_nothing_here() -> None:
    stage = active(Server(silent={"ping"}))
    stage.client(asked("ping", 1))

    stage.client(
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"requestId":2}}'
    )

    assert stage.gate.pending == 1


def test_a_server_may_cancel_its_own_request() -> None:
    stage = active()
    stage.serve(asked("ping", 1))

    stage.serve(told("notifications/cancelled", requestId=1))
    stage.client(answered(1))

    assert stage.happened("answer_unexpected") == []
    assert stage.server.methods()[-1] != "(answer)"


def test_only_so_many_requests_wait() -> None:
    stage = active(Server(silent={"ping"}), limits=Limits(pending_requests=3))
    for number in range(3):
        stage.client(asked("ping", number))

    stage.client(asked("ping", 99))
    stage.client(told("notifications/x"))

    assert code(stage.got[-1]) == -32011
    assert stage.happened("limit_reached")
    assert stage.reached("notifications/x")
    stage.serve(answered(0))
    stage.client(asked("ping", 100))
    assert stage.server.saw[-1]["id"] == 100


def test_only_so_many_requests_of_the_server_wait() -> None:
    stage = active(limits=Limits(pending_requests=2))
    for number in range(3):
        stage.serve(asked("ping", number))

    assert code(stage.server.saw[-1]) == -32011
    assert len(stage.got) == 3


@pytest.mark.parametrize("limits", [Limits(held_messages=3), Limits(held_bytes=300)])
def test_only_so_much_is_held(limits: Limits) -> None:
    stage = active(Server(silent={"tools/list"}), limits=limits)
    for number in range(6):
        stage.client({**CALL, "id": number})
        stage.client(told("notifications/x"))

    assert code(stage.got[-1]) == -32011
    refused = len(stage.got) - 1
    assert 0 < refused < 6
    stage.serve(answered(stage.server.saw[-1]["id"], tools=[ECHO, TIME]))
    assert stage.server.methods().count("tools/call") == 6 - refused


def test_a_message_that_cannot_even_be_held_is_refused() -> None:
    stage = active(limits=Limits(held_bytes=10))

    stage.client(CALL)

    assert code(stage.got[-1]) == -32011
    assert not stage.gate.is_asking


def test_a_message_has_a_size() -> None:
    stage = active(limits=Limits(message_bytes=1000))
    long = "x" * 1000

    stage.client(asked("x/extension", 1, x=long))
    assert code(stage.got[-1]) == -32011
    stage.client(told("notifications/x", x=long))
    stage.server.silent.add("ping")
    stage.client(asked("ping", 2))
    stage.serve(answered(2, x=long))
    assert code(stage.got[-1]) == -32011
    stage.serve(told("notifications/message", data=long))
    stage.serve(asked("ping", 3, x=long))
    assert code(stage.server.saw[-1]) == -32011
    stage.serve(asked("ping", 4))
    stage.client(answered(4, x=long))
    assert code(stage.server.saw[-1]) == -32011

    assert not stage.reached("notifications/x")
    assert long not in json.dumps(stage.got)
    assert stage.gate.pending == 0


def test_when_the_server_goes_everybody_who_waits_is_told() -> None:
    stage = active(Server(silent={"tools/list", "ping"}), version=BATCHES)
    stage.client(asked("ping", "a"))
    stage.client(CALL)
    stage.client(asked("ping", "b"))
    stage.client([asked("ping", "c"), told("notifications/x"), asked("ping", "d")])
    stage.client(b"[not a batch")
    stage.client(told("notifications/x"))

    decision = stage.gate.server_gone("exit code 1")

    assert decision.close
    answers = [json.loads(raw) for raw in decision.to_client]
    assert [answer["id"] for answer in answers] == ["a", 1, "b", "c", "d"]
    assert {code(answer) for answer in answers} == {-32000}
    assert stage.gate.pending == 0


def test_a_batch_is_no_message_in_other_versions() -> None:
    stage = active()

    stage.client([CALL])
    stage.serve([answered(1)])

    assert (stage.got[-1]["id"], code(stage.got[-1])) == (1, -32600)
    assert not stage.reached("tools/call")
    assert stage.happened("message_unreadable")


def test_a_batch_before_the_session_is_active_is_refused() -> None:
    stage = Stage(contract=locked())

    stage.client([asked("initialize", 0, protocolVersion=BATCHES)])

    assert code(stage.got[-1]) == -32600
    assert stage.server.saw == []


def test_a_batch_that_may_pass_does_so_byte_for_byte() -> None:
    stage = active(version=BATCHES)
    stage.names()
    batch = b' [ {"jsonrpc":"2.0", "id":1,"method":"ping"},\t{"jsonrpc":"2.0","method":"notifications/x"} ] '

    assert stage.gate.from_client(batch).to_server == (batch.strip(),)
    answers = b'[{"jsonrpc":"2.0","id":1,"result":{}} ,{"jsonrpc":"2.0","method":"notifications/y"}]'
    assert stage.gate.from_server(answers).to_client == (answers,)


def test_a_call_outside_the_contract_is_taken_out_of_a_batch() -> None:
    stage = active(version=BATCHES)

    stage.client([CALL, EVIL_CALL, told("tools/call", name="run_shell"), {**CALL, "id": 1}])

    assert [message["id"] for message in stage.server.saw if message.get("method") == "tools/call"] == [1]
    assert sorted(code(message) for message in stage.got if "error" in message) == [-32600, -32010]


def test_a_batch_of_nothing_but_refused_calls_does_not_reach_the_server() -> None:
    stage = active(version=BATCHES)
    before = len(stage.server.saw)

    stage.client([EVIL_CALL])

    assert len(stage.server.saw) == before
    assert reason(stage.got[-1]) == "not_approved"


def test_a_batch_waits_as_a_whole() -> None:
    stage = active(Server(silent={"tools/list"}), version=BATCHES)
    stage.client([asked("ping", "a"), CALL])
    assert not stage.reached("ping")

    stage.serve(answered(stage.server.saw[-1]["id"], tools=[ECHO, TIME]))

    assert stage.server.methods()[-2:] == ["ping", "tools/call"]


def test_a_list_in_a_batch_of_answers_is_cut() -> None:
    stage = active(Server(tools=[EVIL, ECHO]), version=BATCHES)
    stage.client([asked("tools/list", 1), asked("ping", 2)])

    assert stage.got[-2]["result"]["tools"] == [ECHO]
    assert stage.got[-1] == answered(2)
    assert stage.got_lines[-1].startswith(b"[")


def test_answers_of_the_client_may_come_in_a_batch() -> None:
    stage = active(version=BATCHES)
    stage.serve(asked("ping", 1))

    stage.client([answered(1), answered(2)])

    assert stage.server.saw[-1] == answered(1)
    assert stage.happened("answer_unexpected")


@pytest.mark.parametrize(
    "batch", [b"[]", b"[5]", b"[[]]", b"[", b'[{"jsonrpc":"2.0","id":null,"method":"ping"},{}]']
)
def test_a_batch_that_cannot_be_read_is_refused(batch: bytes) -> None:
    stage = active(version=BATCHES)
    before = len(stage.server.saw)

    stage.client(batch)

    assert code(stage.got[-1]) in (-32600, -32700)
    assert len(stage.server.saw) == before


def test_one_message_of_a_batch_that_cannot_be_read_does_not_take_the_others_along() -> None:
    stage = active(Server(silent={"ping"}), version=BATCHES)
    stage.client(asked("ping", 1))
    stage.client(asked("ping", 2))

    stage.serve(b'[{"jsonrpc":"2.0","id":1,"result":{},"result":{}},[],{"jsonrpc":"2.0","id":2,"result":{}}]')

    assert reason(stage.got[-2]) == "malformed"
    assert stage.got[-1] == answered(2)
    assert stage.gate.pending == 0


def test_the_end_of_a_session_may_come_out_of_a_batch() -> None:
    stage = Stage(Server(name="impostor", silent={"initialize"}), locked()).open(version=BATCHES)
    stage.gate._session.version = BATCHES

    stage.serve([answered(0, protocolVersion=BATCHES, capabilities={}, serverInfo={"name": "impostor"})])

    assert stage.closed


def test_an_audit_withholds_nothing_and_says_what_it_would() -> None:
    server = Server(tools=[EVIL, {**ECHO, "title": "new"}], instructions="new", name="impostor")
    policy = GatePolicy(audit=True, versions=VersionPolicy(minimum="2025-11-25"))
    stage = Stage(server, locked(), policy).open(version="2025-06-18")

    assert stage.got[0]["result"]["instructions"] == "new"
    assert stage.names() == ["run_shell", "echo"]
    assert "result" in stage.call("run_shell")
    assert "result" in stage.call("echo", nonsense=1)
    assert "result" in stage.ask("resources/read", uri="evil://x")
    noise = stage.gate.from_server(b"noise")
    assert noise.to_client == (b"noise",)
    stage.events += noise.events
    assert stage.closed is False
    would = {event.event for event in stage.events if event.detail.startswith("would be withheld")}
    assert would >= {
        "call_refused",
        "capability_changed",
        "capability_outside_contract",
        "instructions_changed",
        "message_unreadable",
        "protocol_refused",
        "server_changed",
    }


def test_an_audit_lets_a_malformed_list_through() -> None:
    stage = Stage(contract=locked(), policy=GatePolicy(audit=True)).open()
    stage.server.answers["tools/list"] = lambda _: {"result": {"tools": {}}}

    assert stage.ask("tools/list")["result"] == {"tools": {}}
    assert "result" in stage.call()


def test_an_audit_lets_messages_in_the_wrong_phase_through() -> None:
    stage = Stage(contract=locked(), policy=GatePolicy(audit=True))

    stage.client(asked("ping", 1))
    stage.client(told("notifications/roots/list_changed"))
    stage.client(asked("tools/list", 2))
    stage.serve(asked("roots/list", 1))

    assert stage.server.methods() == ["ping", "notifications/roots/list_changed", "tools/list"]
    assert stage.got[-1] == asked("roots/list", 1)


def test_an_audit_still_keeps_ids_apart() -> None:
    stage = Stage(Server(silent={"ping"}), locked(), GatePolicy(audit=True)).open()
    stage.client(asked("ping", 1))

    stage.client(asked("ping", 1))

    assert code(stage.got[-1]) == -32600


def test_an_audit_does_not_reject_a_server_without_a_signature() -> None:
    policy = GatePolicy(audit=True, source=Source.DECLARED, fallback=Fallback.REJECT)
    stage = Stage(policy=policy).open()

    assert stage.names() == ["echo", "get_time"]


def test_an_audit_shows_the_servers_own_signature_and_subscriptions() -> None:
    server = Server(signature={"tools": [EVIL]}, silent={"subscriptions/listen"})
    server.capabilities = {**server.capabilities, "signature": {}}
    stage = Stage(server, locked(), GatePolicy(audit=True)).open(Era.MODERN)

    assert stage.ask("signature")["result"]["tools"] == [EVIL]
    stage.ask("subscriptions/listen", notifications={"resourceSubscriptions": ["evil://x"]})
    assert server.saw[-1]["params"]["notifications"] == {"resourceSubscriptions": ["evil://x"]}


def test_another_server_is_named_once_in_an_audit() -> None:
    policy = GatePolicy(audit=True, on_server_changed=OnServerChanged.REFUSE)
    stage = Stage(Server(name="impostor"), locked(), policy).open()

    assert len(stage.happened("server_changed")) == 1


def test_names_in_the_log_are_safe_to_print() -> None:
    stage = active()

    stage.call("evil\x1b[2J\u202e\n" + "x" * 1000)

    (happened,) = stage.happened("call_refused")
    assert happened.name.isprintable()
    assert len(happened.name) <= 200
    assert "\\u001b" not in stage.got_lines[-1].decode()


def test_an_event_is_a_document_without_empty_members() -> None:
    stage = active()
    stage.call("evil")

    (happened,) = stage.happened("call_refused")
    assert happened.document() == {
        "event": "call_refused",
        "severity": "critical",
        "kind": "tool",
        "name": "evil",
        "detail": "not_approved",
    }

"""The short way through the gate decides as the general way does: to the byte, to the event, to the id."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avow.core.snapshot import Era
from avow.protocol.gate import Decision, Gate, GatePolicy, Limits
from conversations import ECHO, TIME, Stage, answered, asked, line, locked, told
from gate_strategies import LINES, active, mutated

EXAMPLES = settings(max_examples=120, deadline=None)

NUMBERS = st.integers(0, 3) | st.sampled_from([-1, 2**53 - 1, 2**53, "1", True, None, 1.0])
ARGUMENTS: st.SearchStrategy[Any] = st.sampled_from(
    [{"text": "x" * 600}, {"text": "x"}, {"text": "é"}, {"text": 5}, {"Text": "x"}, {}, None, [], "x"]
)
META = st.sampled_from([{"progressToken": 1}, {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}, 7])
RESULTS = st.sampled_from(
    [{}, {"content": []}, {"a": {"a": "\\"}}, {"text": "é"}, {"text": "x" * 2000}, {"isError": True}, [], 5]
)


@st.composite
def plain_calls(draw: st.DrawFn) -> bytes:
    """Calls as clients write them: in any order of members, mostly of an approved tool."""
    name = draw(st.sampled_from(["echo", "echo", "get_time", "run_shell", "", 5]))
    params: dict[str, Any] = {"name": name, "arguments": draw(ARGUMENTS)}
    if draw(st.integers(0, 3)) == 0:
        params |= draw(
            st.sampled_from([{"_meta": draw(META)}, {"task": {}}, {"Name": "run_shell"}, {"uri": "x"}])
        )
    message = asked("tools/call", draw(NUMBERS), **params)
    return shuffled(draw, message)


@st.composite
def plain_answers(draw: st.DrawFn) -> bytes:
    """Answers as servers write them, to requests that wait or do not."""
    message = answered(draw(NUMBERS))
    message["result"] = draw(RESULTS)
    if draw(st.integers(0, 5)) == 0:
        message |= draw(st.sampled_from([{"x": 1}, {"error": {}}, {"method": "ping"}, {"Result": {}}]))
    return shuffled(draw, message)


def shuffled(draw: st.DrawFn, message: dict[str, Any]) -> bytes:
    names = list(message)
    orders = st.sampled_from([names, ["result", "jsonrpc", "id"]]) | st.permutations(names)
    order = draw(orders) if draw(st.booleans()) else names
    ordered = {name: message[name] for name in (*order, *names) if name in message}
    gaps = draw(st.sampled_from([(",", ":")] * 4 + [(", ", ": "), (",\r", ":")]))
    return json.dumps(ordered, separators=gaps, ensure_ascii=draw(st.booleans())).encode()


CALLS = plain_calls() | mutated(plain_calls()) | LINES
ANSWERS = plain_answers() | mutated(plain_answers()) | LINES
NEWS = st.sampled_from(
    [
        (True, line(told("notifications/cancelled", requestId=1))),
        (False, line(told("notifications/tools/list_changed"))),
        (True, line(asked("tools/list", 2))),
        (False, line(answered(2, tools=[ECHO, TIME]))),
        (False, line(answered(2, tools=[{**ECHO, "title": "another"}, TIME]))),
        (False, line(answered("avow/gate/1", tools=[ECHO, TIME]))),
    ]
)
SENT = st.lists(
    st.tuples(st.just(True), CALLS) | st.tuples(st.just(False), ANSWERS) | NEWS, min_size=1, max_size=12
)
POLICIES = st.builds(
    GatePolicy,
    audit=st.booleans(),
    limits=st.sampled_from([Limits(), Limits(pending_requests=2), Limits(message_bytes=600)]),
)


class Never:
    """Recognises nothing, so that every line takes the general way."""

    def passes_call(self, line: bytes) -> bool:
        return False

    passes_answer = passes_call


def without_short_way(gate: Gate) -> Gate:
    gate._quick = Never()  # type: ignore[assignment]
    return gate


def remembered(gate: Gate) -> Any:
    """What later decisions depend on."""
    session = gate._session
    return (
        session.pending._waiting,
        list(session.pending._given_up),
        session.phase,
        session.era,
        session.knowledge.version,
        gate.is_holding,
        gate.is_asking,
    )


@EXAMPLES
@given(SENT, POLICIES)
def test_the_short_way_decides_as_the_general_way(sent: list[tuple[bool, bytes]], policy: GatePolicy) -> None:
    short, general = active(policy), without_short_way(active(policy))

    for from_client, raw in sent:
        if from_client:
            assert short.from_client(raw) == general.from_client(raw)
        else:
            assert short.from_server(raw) == general.from_server(raw)
        assert remembered(short) == remembered(general)


@EXAMPLES
@given(st.sampled_from([None, Era.LEGACY, Era.MODERN]), SENT)
def test_so_it_does_before_a_session_is_active_and_in_the_other_era(
    era: Era | None, sent: list[tuple[bool, bytes]]
) -> None:
    gates = []
    for _ in range(2):
        stage = Stage(contract=locked())
        gates.append(stage.gate if era is None else stage.open(era).gate)
    short, general = gates[0], without_short_way(gates[1])

    for from_client, raw in sent:
        if from_client:
            assert short.from_client(raw) == general.from_client(raw)
        else:
            assert short.from_server(raw) == general.from_server(raw)
        assert remembered(short) == remembered(general)


@EXAMPLES
@given(st.lists(CALLS, max_size=6), st.lists(ANSWERS, max_size=6), POLICIES)
def test_many_lines_at_once_are_decided_on_as_one_by_one(
    asking: list[bytes], answering: list[bytes], policy: GatePolicy
) -> None:
    at_once, one_by_one = active(policy), active(policy)

    passed = at_once.pass_calls(asking)
    decisions = [Decision(tuple(asking[:passed])), at_once.all_from_client(asking[passed:])]
    assert combined(decisions) == combined([one_by_one.from_client(raw) for raw in asking])

    passed = at_once.pass_answers(answering)
    decisions = [Decision((), tuple(answering[:passed])), at_once.all_from_server(answering[passed:])]
    assert combined(decisions) == combined([one_by_one.from_server(raw) for raw in answering])
    assert remembered(at_once) == remembered(one_by_one)


def combined(decisions: list[Decision]) -> Decision:
    return Decision(
        tuple(raw for decision in decisions for raw in decision.to_server),
        tuple(raw for decision in decisions for raw in decision.to_client),
        tuple(happened for decision in decisions for happened in decision.events),
        any(decision.close for decision in decisions),
    )


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (
            b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}',
            b'{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"x"}]}}',
        ),
        (
            b'{"method":"tools/call","params":{"name":"get_time","_meta":{"progressToken":1}},"jsonrpc":"2.0","id":0}',
            b'{"result":{"content":[]},"jsonrpc":"2.0","id":0}',
        ),
    ],
)
def test_what_the_sdks_write_takes_the_short_way(call: bytes, answer: bytes) -> None:
    """Else the laws above would say nothing."""
    gate = active()
    gate.from_client(call)
    gate.from_server(answer)

    assert gate._quick.passes_call(call)
    assert not gate._quick.passes_call(call)
    assert gate._quick.passes_answer(answer)
    assert not gate._quick.passes_answer(answer)

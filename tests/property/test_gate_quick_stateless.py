"""The short way through the gate decides as the general way does on 2026-07-28, too."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avow.core.snapshot import Era
from avow.protocol.gate import Gate, GatePolicy, Limits
from conversations import (
    CAPABILITIES_KEY,
    CLIENT_KEY,
    ECHO,
    MODERN_VERSION,
    TIME,
    VERSION_KEY,
    Stage,
    answered,
    asked,
    line,
    locked,
    told,
)
from gate_strategies import mutated

EXAMPLES = settings(max_examples=100, deadline=None)

META: dict[str, Any] = {
    VERSION_KEY: MODERN_VERSION,
    CAPABILITIES_KEY: {},
    CLIENT_KEY: {"name": "test", "version": "1"},
}
METAS = st.sampled_from(
    [
        *[META] * 6,
        {**META, "progressToken": 1},
        {**META, CAPABILITIES_KEY: {"sampling": {}}},
        {**META, VERSION_KEY: "2030-01-01"},
        {VERSION_KEY: MODERN_VERSION},
        {key: META[key] for key in reversed(META)},
        {},
        5,
        None,
    ]
)
ARGUMENTS = st.sampled_from(
    [{"text": "x"}, {"text": "x"}, {"text": 5}, {"Text": "x"}, {"text": "é"}, {}, None]
)
RESULTS = st.sampled_from(
    [
        {"resultType": "complete", "content": []},
        {"content": []},
        {"text": "\u2028"},
        {"resultType": "input_required", "inputRequests": {"a": {"method": "roots/list"}}},
        {"resultType": "input_required"},
        {"inputRequests": {"a": {"method": "roots/list"}}},
        5,
    ]
)
NUMBERS = st.integers(1, 3)


@st.composite
def calls(draw: st.DrawFn) -> bytes:
    params: dict[str, Any] = {"name": draw(st.sampled_from(["echo", "echo", "get_time", "run_shell"]))}
    params["arguments"] = draw(ARGUMENTS)
    meta = draw(METAS)
    return line(asked("tools/call", draw(NUMBERS), **params, **({} if meta is None else {"_meta": meta})))


@st.composite
def values(draw: st.DrawFn) -> Any:
    """The params of calls, as a client has them."""
    params: dict[str, Any] = {"name": draw(st.sampled_from(["echo", "echo", "get_time", "run_shell", 5]))}
    params["arguments"] = draw(
        ARGUMENTS | st.sampled_from([{"text": "x" * 2000}, {"text": float("inf")}, {"text": 10**400}])
    )
    meta = draw(METAS | st.just(META))
    params |= {} if meta is None else {"_meta": meta}
    return draw(st.sampled_from([params] * 5 + [{**params, "Name": "x"}, [], None]))


@st.composite
def answers(draw: st.DrawFn) -> bytes:
    message = {**answered(draw(NUMBERS)), "result": draw(RESULTS)}
    return json.dumps(message, separators=(",", ":"), ensure_ascii=draw(st.booleans())).encode()


NEWS = st.sampled_from(
    [
        (True, line(told("notifications/cancelled", requestId=1))),
        (False, line(told("notifications/tools/list_changed"))),
        (True, line(asked("tools/list", 2, _meta=META))),
        (False, line(answered(2, tools=[ECHO, TIME]))),
        (True, line(asked("initialize", 3, protocolVersion="2025-11-25", capabilities={}))),
    ]
)
SENT = st.lists(
    st.tuples(st.just(True), calls() | mutated(calls()))
    | st.tuples(st.just(False), answers() | mutated(answers()))
    | NEWS,
    min_size=1,
    max_size=12,
)


class Never:
    """Recognises nothing, so that every line takes the general way."""

    def passes_call(self, line: bytes) -> bool:
        return False

    passes_answer = passes_call


def listening(policy: GatePolicy | None = None, era: Era = Era.MODERN) -> Gate:
    """A gate that has seen the server's lists, and one call."""
    stage = Stage(contract=locked(), policy=policy or GatePolicy()).open(era)
    stage.names()
    stage.call("echo", text="x")
    return stage.gate


def remembered(gate: Gate) -> Any:
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
@given(
    SENT, st.booleans(), st.sampled_from([Limits(), Limits(pending_requests=2), Limits(message_bytes=700)])
)
def test_the_short_way_decides_as_the_general_way(
    sent: list[tuple[bool, bytes]], audit: bool, limits: Limits
) -> None:
    policy = GatePolicy(audit=audit, limits=limits)
    short, general = listening(policy), listening(policy)
    general._quick = Never()  # type: ignore[assignment]

    for from_client, raw in sent:
        if from_client:
            assert short.from_client(raw) == general.from_client(raw)
        else:
            assert short.from_server(raw) == general.from_server(raw)
        assert remembered(short) == remembered(general)


@EXAMPLES
@given(
    st.lists(st.tuples(NUMBERS, values(), st.sampled_from(["", "answer", "news"])), min_size=1, max_size=8),
    st.sampled_from(list(Era)),
    st.booleans(),
)
def test_values_are_decided_on_as_the_bytes_that_our_encoder_writes(
    sent: list[tuple[int, Any, str]], era: Era, audit: bool
) -> None:
    """What surely passes as a value passes as a line, unchanged and unheard of; else nothing has happened."""
    short, general = (listening(GatePolicy(audit=audit), era) for _ in range(2))
    general._quick = Never()  # type: ignore[assignment]

    for request_id, params, then in sent:
        raw = msgspec.json.encode(asked("tools/call", request_id) | {"params": params})
        before = repr(remembered(short))
        if short.passes_call(request_id, params):
            assert general.from_client(raw) == ((raw,), (), (), False)
        else:
            assert repr(remembered(short)) == before
            assert short.from_client(raw) == general.from_client(raw)
        assert remembered(short) == remembered(general)
        if then == "news":
            news = line(told("notifications/tools/list_changed"))
            assert short.from_server(news) == general.from_server(news)
        elif then == "answer":
            result = {"content": [], "resultType": "complete"}
            answer = line(answered(request_id, **result))
            if short.passes_answer(request_id, result):
                assert general.from_server(answer) == ((), (answer,), (), False)
            else:
                assert short.from_server(answer) == general.from_server(answer)
            assert remembered(short) == remembered(general)


def test_a_result_with_other_members_is_not_let_pass_unread() -> None:
    gate = listening()
    assert gate.passes_call(7, PARAMS)
    beyond: list[dict[str, Any]] = [{"inputRequests": {}}, {"InputRequests": {}}, {"x": 1}]
    for members in beyond:
        assert not gate.passes_answer(7, {"content": [], **members})
    assert gate.passes_answer(7, {"content": [], "resultType": "complete"})
    assert not gate.passes_answer(7, {"content": []})


def test_arguments_are_checked_as_they_will_be_read() -> None:
    gate = listening()
    for wrong in (5, float("nan"), "\ud800", ["x"]):
        assert not gate.passes_call(7, {**PARAMS, "arguments": {"text": wrong}})
    for odd in ({"text": "x" * 2000}, {"text": 10**400}, None):
        assert not gate.passes_call(7, {**PARAMS, "arguments": odd})
    assert not gate.passes_call(7, None)
    assert not gate.passes_call(7, {**PARAMS, "_meta": {}})
    assert gate.passes_call(7, PARAMS)


def test_a_tool_whose_arguments_nobody_checks_passes_as_a_value() -> None:
    stage = Stage(policy=GatePolicy()).open(Era.MODERN)
    stage.call("echo", text="x")

    assert stage.gate.passes_call(7, {**PARAMS, "arguments": {"anything": 5}})


PARAMS: dict[str, Any] = {"name": "echo", "arguments": {"text": "x"}, "_meta": META}
CALL = line(asked("tools/call", 7, name="echo", arguments={"text": "x"}, _meta=META))


def test_a_call_and_its_answer_take_the_short_way() -> None:
    """Else the law above would say nothing."""
    gate, answer = listening(), line(answered(7, resultType="complete", content=[]))

    assert gate._quick.passes_call(CALL)
    assert not gate._quick.passes_call(CALL)
    assert gate._quick.passes_answer(answer)
    assert not gate._quick.passes_answer(answer)


@pytest.mark.parametrize("text", ["input_required", "\u2028"])
def test_an_answer_that_may_ask_for_something_does_not(text: str) -> None:
    gate = listening()
    answer = json.dumps({**answered(7), "result": {"text": text}}, separators=(",", ":")).encode()

    assert gate._quick.passes_call(CALL)
    assert not gate._quick.passes_answer(answer)
    assert gate.from_server(answer).to_client == (answer,)


def test_nor_does_the_first_call_of_a_connection() -> None:
    stage = Stage(contract=locked()).open(Era.MODERN)
    stage.names()

    assert not stage.gate._quick.passes_call(CALL)


def test_nor_does_one_that_claims_something_else_or_nothing() -> None:
    for meta in ({**META, CAPABILITIES_KEY: {"sampling": {}}}, 5):
        call = line(asked("tools/call", 7, name="echo", arguments={"text": "x"}, _meta=meta))
        assert not listening()._quick.passes_call(call)

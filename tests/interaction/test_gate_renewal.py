"""Contracts that are asked for at once, recalled from before, compared on demand, and replaced."""

import pytest

from avow.core.capability import Kind
from avow.core.contract import Contract, ContractSource
from avow.core.snapshot import Era, Source
from avow.protocol.gate import Declaration, Gate, GatePolicy
from avow.protocol.gate.refusal import Refusal
from conversations import ECHO, EVIL, TIME, Json, Server, Stage, locked, reason, signature, told

DECLARED = GatePolicy(source=Source.DECLARED)
OTHER = "sha256:" + "0" * 64


@pytest.fixture(params=list(Era))
def era(request: pytest.FixtureRequest) -> Era:
    return request.param  # type: ignore[no-any-return]


def declaration(tools: list[Json] | None = None) -> Json:
    whole = signature(tools=tools or [ECHO, TIME])
    lists = {kind.collection: [item.definition for item in whole.of_kind(kind).values()] for kind in Kind}
    return {**lists, "digest": whole.digest, "complete": True}


def declaring(advertised: Json | None = None, **members: object) -> Server:
    server = Server(signature=declaration(), **members)  # type: ignore[arg-type]
    own = {"digest": declaration()["digest"]} if advertised is None else advertised
    server.capabilities = {**server.capabilities, "signature": own}
    return server


def known(tools: list[Json] | None = None) -> Declaration:
    return Declaration(signature(tools=tools or [ECHO, TIME]), frozenset())


def opened(server: Server, era: Era, recalled: Declaration | None = None) -> Stage:
    """A connection on which the contract has been asked for."""
    stage = Stage(server, policy=DECLARED)
    if recalled is not None:
        stage.gate.recall(recalled)
    stage.open(era)
    stage._deliver(stage.gate.establish(stage.meta() if era is Era.MODERN else None))
    return stage


def test_the_contract_is_asked_for_before_anybody_needs_it(era: Era) -> None:
    stage = opened(declaring(), era)

    assert stage.gate.contract is not None
    assert stage.gate.contract.source is ContractSource.DECLARED
    asked_for = stage.server.methods().count("signature")

    stage._deliver(stage.gate.establish())
    assert stage.server.methods().count("signature") == asked_for == 1


def test_it_is_not_asked_for_twice_at_a_time(era: Era) -> None:
    stage = opened(declaring(silent={"signature"}), era)

    assert stage.gate.establish(stage.meta()).to_server == ()
    assert stage.gate.is_asking


def test_on_2026_07_28_a_question_needs_what_every_request_carries() -> None:
    gate = Gate(None, DECLARED, "demo")

    with pytest.raises(Refusal):
        gate.establish()


def test_what_is_advertised_and_known_is_not_asked_for(era: Era) -> None:
    stage = opened(declaring(), era, known())

    assert not stage.reached("signature")
    assert stage.gate.contract is not None
    assert stage.gate.contract.digest == signature().digest
    assert stage.names() == ["echo", "get_time"]


@pytest.mark.parametrize("advertised", [{}, {"digest": OTHER}, {"digest": 5}])
def test_otherwise_the_server_is_told_what_is_known(advertised: Json, era: Era) -> None:
    server = declaring(advertised)
    server.answers["signature"] = lambda params: {
        "result": {"digest": params["knownDigest"], "unchanged": True}
    }
    stage = opened(server, era, known())

    assert stage.gate.contract is not None
    assert stage.gate.contract.digest == signature().digest


def test_two_advertised_digests_are_none() -> None:
    server = declaring()
    server.capabilities["extensions"] = {"dev.avow/signature": {"digest": OTHER}}
    stage = opened(server, Era.MODERN, known())

    assert stage.reached("signature")


def test_a_server_may_declare_something_else_instead(era: Era) -> None:
    stage = opened(declaring(), era, known([ECHO]))

    assert stage.gate.contract is not None
    assert set(stage.gate.contract.of_kind(Kind.TOOL)) == {"echo", "get_time"}


@pytest.mark.parametrize(
    "answer",
    [
        {"unchanged": True, "digest": OTHER},
        {"unchanged": True},
        {"unchanged": True, "digest": signature(tools=[ECHO]).digest, "tools": [EVIL]},
        {"unchanged": True, "digest": signature(tools=[ECHO]).digest, "Tools": [EVIL]},
    ],
)
def test_that_something_else_is_unchanged_is_no_answer(answer: Json, era: Era) -> None:
    server = declaring()
    server.answers["signature"] = lambda _: {"result": answer}
    stage = opened(server, era, known([ECHO]))

    assert stage.gate.contract is None
    assert {event.name for event in stage.happened("verification_failed")} == {"signature"}
    assert reason(stage.call("echo", text="x")) == "unverified"


def test_lists_are_compared_on_demand(era: Era) -> None:
    stage = opened(declaring(), era)
    meta = stage.meta() if era is Era.MODERN else None
    stage._deliver(stage.gate.compare(Kind.TOOL, meta))
    assert stage.server.methods().count("tools/list") == 1

    stage._deliver(stage.gate.compare(Kind.TOOL, meta))
    assert stage.server.methods().count("tools/list") == 1

    stage.server.tools = [ECHO, EVIL]
    stage.serve(told("notifications/tools/list_changed"))
    stage._deliver(stage.gate.compare(Kind.TOOL, meta))
    assert [event.name for event in stage.happened("capability_outside_contract")] == ["run_shell"]


def test_nothing_is_compared_while_a_question_is_open_or_without_a_contract(era: Era) -> None:
    stage = opened(declaring(silent={"tools/list"}), era)
    meta = stage.meta() if era is Era.MODERN else None

    assert stage.gate.compare(Kind.TOOL, meta).to_server != ()
    assert stage.gate.compare(Kind.PROMPT, meta).to_server == ()
    assert opened(declaring(silent={"signature"}), era).gate.compare(Kind.TOOL, meta).to_server == ()


def test_one_question_is_given_up_without_the_others() -> None:
    stage = opened(Server(silent={"tools/list"}), Era.LEGACY)
    decision = stage.gate.abandon("too late", "avow/gate/1")

    assert [event.detail for event in decision.events] == ["too late"]
    assert not stage.gate.is_asking
    assert stage.gate.abandon("too late").events == ()


def renewed(stage: Stage, known: Declaration | None) -> Contract | None:
    """What the server would be held to if it were asked again."""
    successor = Stage(stage.server, policy=DECLARED)
    successor.gate = stage.gate.successor(known)
    successor._deliver(successor.gate.establish(stage.meta()))
    return successor.gate.contract


def test_a_server_is_asked_again_whatever_it_advertised(era: Era) -> None:
    stage = opened(declaring(), era)
    stage.server.signature = declaration([ECHO])

    for recalled in (known(), None):
        contract = renewed(stage, recalled)
        assert contract is not None
        assert set(contract.of_kind(Kind.TOOL)) == {"echo"}
    assert stage.gate.contract is not None
    assert set(stage.gate.contract.of_kind(Kind.TOOL)) == {"echo", "get_time"}


def test_another_contract_counts_at_once_for_lists_calls_and_arguments(era: Era) -> None:
    stage = Stage(contract=locked()).open(era)
    stage.names()
    assert "result" in stage.call("echo", text="x")

    wider = {**ECHO, "inputSchema": {"type": "object"}}
    stage.server.tools = [wider, EVIL]
    stage.gate.adopt(locked(signature(tools=[wider, EVIL])))

    assert stage.names() == ["echo", "run_shell"]
    assert "result" in stage.call("echo", words=5)
    assert reason(stage.call("get_time")) == "not_approved"

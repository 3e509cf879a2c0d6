"""Where a contract comes from when nobody has locked one, and what the `signature` method answers."""

import pytest

from avow.core.capability import Kind
from avow.core.contract import ContractSource
from avow.core.snapshot import Era, Source
from avow.protocol.gate import Fallback, GatePolicy, Limits
from conversations import (
    ECHO,
    EVIL,
    GREET,
    TIME,
    Json,
    Server,
    Stage,
    answered,
    asked,
    code,
    failed,
    locked,
    reason,
    signature,
    told,
)

DECLARED = GatePolicy(source=Source.DECLARED)


@pytest.fixture(params=list(Era))
def era(request: pytest.FixtureRequest) -> Era:
    return request.param  # type: ignore[no-any-return]


def declaration(**members: object) -> Json:
    whole = signature()
    lists = {kind.collection: [item.definition for item in whole.of_kind(kind).values()] for kind in Kind}
    return {**lists, "digest": whole.digest, "complete": True, **members}


def declaring(**members: object) -> Server:
    server = Server(signature=declaration(**members))
    server.capabilities = {**server.capabilities, "signature": {"digest": server.signature["digest"]}}  # type: ignore[index]
    return server


def test_the_first_lists_are_the_contract(era: Era) -> None:
    stage = Stage().open(era)
    assert stage.names() == ["echo", "get_time"]
    contract = stage.gate.contract
    assert contract is not None
    assert (contract.source, contract.digest) == (ContractSource.FROZEN, signature().digest)

    stage.server.tools = [EVIL, {**ECHO, "title": "EVIL"}, TIME]

    assert stage.names() == ["get_time"]
    assert reason(stage.call("run_shell")) == "not_approved"
    assert reason(stage.call("echo", text="x")) == "changed"
    assert "result" in stage.call("get_time")


def test_a_session_asks_for_the_first_lists_as_soon_as_it_is_active() -> None:
    stage = Stage().open()

    assert stage.gate.contract is not None
    assert sorted(stage.server.methods()[2:]) == sorted(kind.list_method for kind in Kind)
    assert [event.event for event in stage.events] == ["session_active", "contract_ready"]


def test_a_frozen_session_reads_all_pages_first(era: Era) -> None:
    stage = Stage(Server(tools=[ECHO, TIME, EVIL], page_size=1)).open(era)

    assert stage.names() == ["echo", "get_time", "run_shell"]
    assert "result" in stage.call("run_shell")


def test_calls_wait_until_the_first_lists_are_there() -> None:
    stage = Stage(Server(silent={"tools/list"})).open()
    stage.client(asked("tools/call", 7, name="echo", arguments={}))
    stage.client(told("notifications/x"))
    stage.client(asked("tools/list", 8))
    assert not stage.reached("tools/call")
    assert not stage.reached("notifications/x")
    assert stage.gate.is_asking
    question = next(message for message in stage.server.saw if message.get("method") == "tools/list")

    stage.server.silent.clear()
    stage.serve(answered(question["id"], tools=[ECHO]))

    # The tools have just been read, so the call needs no further comparison.
    assert stage.server.methods()[-3:] == ["tools/call", "notifications/x", "tools/list"]
    assert [message["id"] for message in stage.got[-2:]] == [7, 8]


def test_answers_of_the_client_do_not_wait() -> None:
    """A server may need them to make its list."""
    stage = Stage(Server(silent={"tools/list"}), client_capabilities={"roots": {}}).open()
    stage.client(asked("tools/call", 7, name="echo"))

    stage.serve(asked("roots/list", "r"))
    stage.client(answered("r", roots=[]))

    assert stage.server.saw[-1] == answered("r", roots=[])


def test_a_frozen_contract_does_not_check_arguments_unless_policy_says_so() -> None:
    assert "result" in Stage().open().call("echo", nonsense=1)
    assert (
        reason(Stage(policy=GatePolicy(validate_arguments=True)).open().call("echo", nonsense=1))
        == "arguments"
    )


def test_a_server_without_a_kind_has_nothing_of_it_in_the_contract() -> None:
    stage = Stage(Server(capabilities={"tools": {}})).open()

    assert stage.gate.contract is not None
    assert list(stage.gate.contract.signature.prompts) == []
    assert not stage.reached("prompts/list")
    assert code(stage.ask("prompts/get", name="greet")) == -32010


def test_a_server_with_no_capabilities_at_all_is_frozen_at_once() -> None:
    stage = Stage(Server(capabilities={})).open()

    assert stage.gate.contract is not None
    assert list(stage.gate.contract.signature) == []


def test_a_kind_that_the_server_cannot_list_is_not_in_the_contract() -> None:
    stage = Stage()
    stage.server.answers["prompts/list"] = lambda _: failed(0)
    stage.server.answers["resources/list"] = lambda _: failed(0, -32601)
    stage.open()

    assert [event.kind for event in stage.happened("contract_incomplete")] == ["prompt"]
    assert "result" in stage.call("echo", text="x")
    assert code(stage.ask("prompts/get", name="greet")) == -32010


@pytest.mark.parametrize(
    "page",
    [
        {"tools": [ECHO, ECHO]},
        {"tools": [{"title": "no name"}]},
        {"tools": {}},
        {"Tools": [ECHO], "tools": []},
        {"tools": [], "nextCursor": 5},
        {"tools": [ECHO], "nextCursor": "again"},
    ],
)
def test_lists_that_make_no_contract_leave_nothing_callable(page: Json, era: Era) -> None:
    stage = Stage()
    stage.server.answers["tools/list"] = lambda _: {"result": page}
    stage.open(era)

    assert reason(stage.call("echo", text="x")) == "unverified"
    assert reason(stage.ask("tools/list")) == "unverified"
    assert stage.happened("verification_failed")
    assert not stage.reached("tools/call")
    stage.server.answers.clear()
    assert "result" in stage.call("echo", text="x")


@pytest.mark.parametrize(
    "limits",
    [Limits(list_pages=2), Limits(list_items=2), Limits(list_bytes=300)],
    ids=["pages", "items", "bytes"],
)
@pytest.mark.parametrize(
    "contract", [None, locked(signature(tools=(ECHO, TIME, EVIL)))], ids=["frozen", "locked"]
)
def test_a_list_without_end_is_not_read_to_its_end(limits: Limits, contract: None, era: Era) -> None:
    server = Server(tools=[ECHO, TIME, EVIL], page_size=1, prompts=[], resources=[], templates=[])
    stage = Stage(server, contract, GatePolicy(limits=limits)).open(era)

    assert reason(stage.call("echo", text="x")) == "unverified"
    assert not stage.reached("tools/call")


def test_a_declared_signature_is_the_contract(era: Era) -> None:
    stage = Stage(declaring(), policy=DECLARED).open(era)

    assert stage.names() == ["echo", "get_time"]
    contract = stage.gate.contract
    assert contract is not None
    assert contract.source is ContractSource.DECLARED
    stage.server.tools = [EVIL, ECHO]
    assert stage.names() == ["echo"]
    assert reason(stage.call("run_shell")) == "not_approved"


def test_what_a_signature_declares_may_be_unavailable_now_and_there_later(era: Era) -> None:
    server = declaring()
    server.tools = [TIME]
    stage = Stage(server, policy=DECLARED).open(era)
    assert stage.names() == ["get_time"]

    server.tools = [TIME, ECHO]
    stage.serve(told("notifications/tools/list_changed"))

    assert stage.names() == ["get_time", "echo"]
    assert "result" in stage.call()


def test_a_modern_client_that_never_discovers_is_held_to_the_signature_too() -> None:
    stage = Stage(declaring(), policy=DECLARED)
    stage.era = Era.MODERN

    assert "result" in stage.call("get_time")

    assert stage.server.methods() == ["server/discover", "signature", "tools/list", "tools/call"]


def test_a_signature_may_leave_a_kind_open(era: Era) -> None:
    stage = Stage(declaring(complete=False, incomplete=["prompts"]), policy=DECLARED).open(era)
    stage.server.prompts = [GREET, {"name": "new"}]

    assert stage.names(Kind.PROMPT) == ["greet", "new"]
    assert "result" in stage.ask("prompts/get", name="anything")
    stage.server.prompts = [{**GREET, "title": "EVIL"}, {"name": "new"}]
    assert stage.names(Kind.PROMPT) == ["new"]
    assert reason(stage.ask("prompts/get", name="greet")) == "changed"
    assert stage.ask("signature")["result"]["digest"] == signature().digest


BAD_SIGNATURES: list[Json] = [
    declaration(digest="sha256:" + "0" * 64),
    declaration(tools={}),
    declaration(tools=[ECHO, ECHO], digest=None),
    declaration(tools=[5]),
    declaration(complete=False),
]


@pytest.mark.parametrize("result", BAD_SIGNATURES)
def test_a_signature_that_cannot_be_read_is_no_contract(result: Json, era: Era) -> None:
    server = declaring()
    server.signature = result
    stage = Stage(server, policy=DECLARED).open(era)

    assert reason(stage.call("echo", text="x")) == "unverified"
    assert not stage.reached("tools/call")


@pytest.mark.parametrize("limits", [Limits(list_items=3), Limits(list_bytes=100)])
def test_a_signature_that_is_too_large_is_no_contract(limits: Limits, era: Era) -> None:
    stage = Stage(declaring(), policy=GatePolicy(source=Source.DECLARED, limits=limits)).open(era)

    assert reason(stage.call("echo", text="x")) == "unverified"


def test_without_a_signature_the_first_lists_count(era: Era) -> None:
    stage = Stage(policy=DECLARED).open(era)

    assert stage.names() == ["echo", "get_time"]
    assert stage.gate.contract is not None
    assert stage.gate.contract.source is ContractSource.FROZEN


def test_a_signature_that_the_server_fails_to_give_is_none(era: Era) -> None:
    server = declaring()
    server.signature = None
    stage = Stage(server, policy=DECLARED).open(era)

    assert stage.names() == ["echo", "get_time"]
    assert stage.gate.contract is not None
    assert stage.gate.contract.source is ContractSource.FROZEN


def test_without_a_signature_the_server_may_be_rejected(era: Era) -> None:
    stage = Stage(policy=GatePolicy(source=Source.DECLARED, fallback=Fallback.REJECT)).open(era)
    if era is Era.MODERN:
        assert reason(stage.ask("tools/list")) == "no_signature"

    assert stage.closed
    assert stage.happened("contract_rejected")
    assert code(stage.ask("tools/list")) == -32600


def test_without_a_signature_the_session_may_stay_open(era: Era) -> None:
    stage = Stage(
        Server(tools=[EVIL]), policy=GatePolicy(source=Source.DECLARED, fallback=Fallback.OPEN)
    ).open(era)

    assert stage.names() == ["run_shell"]
    assert "result" in stage.call("run_shell")
    assert "result" in stage.ask("resources/read", uri="any://thing")
    assert stage.ask("signature")["result"]["incomplete"] == [
        "prompts",
        "resourceTemplates",
        "resources",
        "tools",
    ]


def test_the_gate_answers_for_a_server_that_knows_no_signatures(era: Era) -> None:
    stage = Stage(contract=locked()).open(era)
    capabilities = stage.got[0]["result"]["capabilities"]
    assert capabilities["signature"] == {"digest": signature().digest}

    whole = stage.ask("signature")["result"]
    known = stage.ask("signature", knownDigest=signature().digest)["result"]

    assert {**whole, "resultType": 0} == {**declaration(), "resultType": 0}
    assert {**known, "resultType": 0} == {"digest": signature().digest, "unchanged": True, "resultType": 0}
    assert not stage.reached("signature")


def test_a_frozen_contract_is_a_signature_too(era: Era) -> None:
    stage = Stage().open(era)

    assert stage.got[0]["result"]["capabilities"]["signature"] == {}
    assert stage.ask("signature")["result"]["digest"] == signature().digest


def test_a_signature_of_the_servers_own_passes_when_it_is_the_contract(era: Era) -> None:
    stage = Stage(declaring(), locked()).open(era)
    stage.ask("signature")
    assert stage.reached("signature")
    passed = stage.got[-1]["result"]
    assert {**passed, "_meta": 0, "resultType": 0} == {**declaration(), "_meta": 0, "resultType": 0}

    stage.server.signature = {"digest": signature().digest, "unchanged": True}
    assert stage.ask("signature", knownDigest=signature().digest)["result"]["unchanged"] is True
    assert stage.happened("signature_changed") == []


@pytest.mark.parametrize(
    "result",
    [
        {"digest": "sha256:" + "0" * 64, "unchanged": True},
        {**declaration(), "tools": [{**ECHO, "description": "EVIL"}, TIME]},
        {**declaration(), "complete": False, "incomplete": ["tools"]},
        {**declaration(), "complete": False},
        {"tools": [EVIL]},
    ],
)
def test_a_signature_of_the_servers_own_that_is_not_the_contract_is_replaced(result: Json, era: Era) -> None:
    server = declaring()
    server.signature = result
    stage = Stage(server, locked()).open(era)

    shown = stage.ask("signature")["result"]

    assert {**shown, "resultType": 0} == {**declaration(), "resultType": 0}
    assert stage.happened("signature_changed")


def test_a_changed_digest_in_the_advertisement_is_replaced(era: Era) -> None:
    server = declaring()
    server.capabilities["signature"] = {"digest": "sha256:" + "0" * 64}
    stage = Stage(server, locked()).open(era)

    assert stage.got[0]["result"]["capabilities"]["signature"] == {"digest": signature().digest}


def test_a_declared_signature_keeps_its_own_advertisement() -> None:
    stage = Stage(declaring(), policy=DECLARED).open()

    assert stage.got[0]["result"]["capabilities"]["signature"] == {"digest": signature().digest}


def test_questions_that_are_not_answered_in_time_free_what_was_held() -> None:
    stage = Stage(Server(silent={"tools/list"}), locked()).open()
    assert stage.call() == {}
    assert stage.gate.abandon("too slow").to_client != ()
    assert not stage.gate.is_asking
    assert stage.gate.abandon("nothing to do") == ((), (), (), False)

    stage.server.silent.clear()
    assert "result" in stage.call()


def test_a_late_answer_to_an_abandoned_question_is_dropped() -> None:
    stage = Stage(Server(silent={"tools/list"}), locked()).open()
    stage.call()
    question = stage.server.saw[-1]["id"]
    stage.gate.abandon("too slow")
    before = len(stage.got)

    stage.serve(answered(question, tools=[ECHO]))

    assert len(stage.got) == before
    assert stage.happened("answer_unexpected")


def test_an_unreadable_answer_to_a_question_of_the_gate_counts_as_none() -> None:
    stage = Stage(Server(silent={"tools/list"}), locked()).open()
    stage.call()
    question = stage.server.saw[-1]["id"].encode()

    stage.serve(b'{"jsonrpc":"2.0","id":"%s","result":{"tools":[]},"result":{"tools":[]}}' % question)

    assert reason(stage.got[-1]) == "unverified"


def test_a_list_that_changes_whenever_it_is_asked_for_is_given_up() -> None:
    stage = Stage(Server(silent={"tools/list"}), locked()).open()
    stage.call()
    for _ in range(3):
        question = stage.server.saw[-1]
        assert question["method"] == "tools/list"
        stage.serve(told("notifications/tools/list_changed"))
        stage.serve(answered(question["id"], tools=[ECHO, TIME]))

    assert reason(stage.got[-1]) == "unverified"
    assert not stage.reached("tools/call")


def test_a_list_that_changed_once_while_it_was_read_is_read_again() -> None:
    stage = Stage(Server(silent={"tools/list"}), locked()).open()
    stage.call()
    question = stage.server.saw[-1]
    stage.serve(told("notifications/tools/list_changed"))
    stage.server.silent.clear()

    stage.serve(answered(question["id"], tools=[{**ECHO, "title": "EVIL"}]))

    assert stage.server.methods()[-2:] == ["tools/list", "tools/call"]


def test_a_kind_that_the_server_cannot_list_now_cannot_be_used(era: Era) -> None:
    stage = Stage(contract=locked())
    stage.server.answers["tools/list"] = lambda _: failed(0)
    stage.open(era)

    assert reason(stage.call()) == "unverified"
    assert not stage.reached("tools/call")


def test_a_server_that_no_longer_has_the_method_offers_nothing_that_could_differ(era: Era) -> None:
    stage = Stage(contract=locked())
    stage.server.answers["prompts/list"] = lambda _: failed(0, -32601)
    stage.open(era)

    assert "result" in stage.ask("prompts/get", name="greet")


def test_a_page_that_fails_later_fails_the_whole_walk() -> None:
    server = Server(page_size=1)
    server.answers["tools/list"] = lambda params: (
        failed(0, -32601) if "cursor" in params else {"result": {"tools": [ECHO], "nextCursor": "1"}}
    )
    stage = Stage(server, locked()).open()

    assert reason(stage.call()) == "unverified"

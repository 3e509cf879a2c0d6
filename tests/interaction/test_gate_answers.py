"""Answers that carry more than was asked for, tried in both eras: none of it reaches the client."""

from typing import Any

import pytest

from avow.core.snapshot import Era
from avow.protocol.gate import GatePolicy
from conversations import ECHO, EVIL, Json, Server, Stage, asked, code, line, locked, reason, signature

ERAS = pytest.mark.parametrize("era", list(Era))
SIGNED: Json = {"tools": {}, "prompts": {}, "resources": {}, "completions": {}, "signature": {}}


def declared() -> Json:
    """The signature of the server of these tests, as it would declare it."""
    approved = locked()
    return {
        **{
            kind.collection: [item.definition for item in approved.of_kind(kind).values()]
            for kind in {capability.kind for capability in signature()}
        },
        "digest": approved.digest,
        "complete": True,
    }


@ERAS
@pytest.mark.parametrize(
    "answer",
    [
        {"digest": signature().digest, "unchanged": True, "tools": [EVIL]},
        {"digest": signature().digest, "unchanged": True},
        {**declared(), "Tools": [EVIL]},
        {**declared(), "unchanged": True, "Tools": [EVIL]},
    ],
)
def test_beside_a_signature_nothing_gets_through(era: Era, answer: Json) -> None:
    """The client named nothing that it knows, so the whole contract is what it reads."""
    stage = Stage(Server(capabilities=SIGNED, signature=answer), locked()).open(era)

    result = stage.ask("signature")["result"]

    result.pop("resultType", None)
    assert result == declared()
    assert stage.happened("signature_changed")
    assert not any(b"EVIL" in shown for shown in stage.got_lines)


@ERAS
def test_what_nobody_knows_beside_a_signature_is_not_shown_either(era: Era) -> None:
    server = Server(capabilities=SIGNED, signature={**declared(), "note": "EVIL"})
    stage = Stage(server, locked()).open(era)

    assert "note" not in stage.ask("signature")["result"]
    assert stage.happened("signature_changed") == []


@ERAS
def test_a_second_tool_beside_the_resolved_one_is_refused(era: Era) -> None:
    stage = Stage(Server(), locked()).open(era)
    stage.server.answers["tools/resolve"] = lambda _: {"result": {"tool": ECHO, "Tool": EVIL}}

    assert reason(stage.ask("tools/resolve", name="echo", arguments={})) == "malformed"


SAMPLING = {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 9}}


@pytest.mark.parametrize("method", ["tools/list", "server/discover", "signature", "tools/resolve"])
def test_no_answer_of_any_kind_asks_for_what_was_not_declared(method: str) -> None:
    stage = Stage(Server(capabilities=SIGNED), locked()).open(Era.MODERN)
    asks = {"resultType": "input_required", "inputRequests": {"a": SAMPLING}}
    result = {**asks, "tools": [], "tool": ECHO, "supportedVersions": [], "capabilities": {}}
    stage.server.silent = {method}
    stage.ask(method, name="echo")

    stage.serve(line({"jsonrpc": "2.0", "id": stage.server.saw[-1]["id"], "result": result}))

    assert code(stage.got[-1]) == -32021
    assert stage.got[-1]["error"]["data"] == {"requiredCapabilities": {"sampling": {}}}


@pytest.mark.parametrize(
    "entry",
    [
        {"method": "elicitation/create", "params": {"Mode": "url", "url": "https://evil.example"}},
        {"method": "elicitation/create", "Params": {"mode": "url", "url": "https://evil.example"}},
        {"method": "elicitation/create", "Method": "sampling/createMessage"},
    ],
)
def test_a_request_for_input_says_one_thing_to_every_reader(entry: Json) -> None:
    stage = Stage(Server(), locked(), client_capabilities={"elicitation": {}}).open(Era.MODERN)
    result = {"resultType": "input_required", "inputRequests": {"a": entry}}
    stage.server.answers["tools/call"] = lambda _: {"result": result}

    assert reason(stage.call()) == "malformed"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("elicitation/create", {"Mode": "url", "url": "https://evil.example", "message": "x"}),
        ("sampling/createMessage", {"messages": [], "Tools": []}),
        ("sampling/createMessage", {"messages": [], "toolchoice": {}}),
    ],
)
def test_a_request_of_the_server_says_one_thing_to_every_reader(method: str, params: Json) -> None:
    stage = Stage(Server(), locked(), client_capabilities={"elicitation": {}, "sampling": {}}).open()

    stage.serve(asked(method, 5, **params))

    assert code(stage.server.saw[-1]) == -32602
    assert method not in [message.get("method") for message in stage.got]


ADDRESS = {"mode": "url", "url": "https://evil.example", "elicitationId": "1", "message": "log in"}


def error(data: Any, number: Any = -32042, **more: Any) -> Json:
    return {"error": {"code": number, "message": "go there", "data": data, **more}}


@ERAS
@pytest.mark.parametrize("number", [-32042, "-32042", -32000])
@pytest.mark.parametrize("declared", [{}, {"elicitation": {}}, {"elicitation": {"form": {}}}])
def test_an_error_sends_nobody_to_an_address_who_did_not_offer_to_go(
    era: Era, number: Any, declared: Json
) -> None:
    stage = Stage(Server(), locked(), client_capabilities=declared).open(era)
    stage.server.answers["tools/call"] = lambda _: error({"elicitations": [ADDRESS]}, number)

    answer = stage.call()

    assert code(answer) == (-32601 if era is Era.LEGACY else -32021)
    assert "evil" not in str(answer)
    assert stage.happened("client_capability_missing")


@ERAS
@pytest.mark.parametrize(
    "answer", [error({"Elicitations": [ADDRESS]}), error({}, Data={"elicitations": [ADDRESS]})]
)
def test_an_error_says_one_thing_to_every_reader(era: Era, answer: Json) -> None:
    stage = Stage(Server(), locked()).open(era)
    stage.server.answers["tools/call"] = lambda _: answer

    assert reason(stage.call()) == "malformed"


@ERAS
@pytest.mark.parametrize(
    ("declared", "data"),
    [
        ({"elicitation": {"url": {}}}, {"elicitations": [ADDRESS]}),
        ({}, {"other": 1}),
        ({}, None),
    ],
)
def test_other_errors_pass_as_they_came(era: Era, declared: Json, data: Any) -> None:
    stage = Stage(Server(), locked(), client_capabilities=declared).open(era)
    stage.server.answers["tools/call"] = lambda _: error(data)

    assert stage.call()["error"] == error(data)["error"]


def test_an_audit_withholds_none_of_this() -> None:
    answer = {**declared(), "Tools": [EVIL]}
    stage = Stage(Server(capabilities=SIGNED, signature=answer), locked(), GatePolicy(audit=True)).open()

    assert stage.ask("signature")["result"] == answer
    assert stage.happened("signature_changed")

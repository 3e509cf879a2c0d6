"""Refusals are errors of both worlds: the protocol's code and data, and our words and reasons."""

from mcp import MCPError

from avow.client.errors import (
    AnswerRefusedError,
    CallRefusedError,
    NoSignatureError,
    ServerChangedError,
    refusal,
    violation,
)
from avow.core.severity import Severity
from avow.errors import AvowError, VerificationError
from avow.protocol.events import event


def data(reason: str) -> dict[str, object]:
    return {"avow": {"reason": reason, "kind": "tool", "name": "echo", "severity": "critical"}}


def test_a_refusal_can_be_caught_as_either() -> None:
    error = refusal({"code": -32010, "message": "avow: no", "data": data("changed")}, CallRefusedError)
    assert isinstance(error, CallRefusedError)
    assert isinstance(error, AvowError)
    assert isinstance(error, VerificationError)
    assert (error.code, error.message, str(error)) == (-32010, "avow: no", "avow: no")
    assert (error.reason, error.kind, error.name) == ("changed", "tool", "echo")
    assert error.hint


def test_some_reasons_have_a_class_of_their_own() -> None:
    for reason, kind in (("server_changed", ServerChangedError), ("no_signature", NoSignatureError)):
        error = refusal({"code": -32010, "message": "", "data": data(reason)}, CallRefusedError)
        assert type(error) is kind
    assert (
        type(refusal({"code": -32011, "message": "avow: too much"}, AnswerRefusedError)) is AnswerRefusedError
    )
    assert type(refusal({"code": -32010, "message": "", "data": 5}, AnswerRefusedError)) is AnswerRefusedError


def test_what_is_no_violation_is_an_error_of_the_protocol() -> None:
    error = refusal({"code": -32600, "message": "avow: not now"}, CallRefusedError)
    assert type(error) is MCPError


def test_a_violation_names_a_few_of_what_was_found() -> None:
    found = tuple(
        event("capability_outside_contract", Severity.CRITICAL, kind="tool", name=f"t{number}")
        for number in range(5)
    )
    error = violation(found)
    assert "tool 't2'" in error.message
    assert error.message.endswith("and 2 more")
    assert (error.reason, error.name, len(error.events)) == ("capability_outside_contract", "t0", 5)
    assert "more" not in violation(found[:1]).message

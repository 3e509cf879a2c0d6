"""Why a message does not pass: the error for its sender, and the event for the log.

A model reads the error, so it names the capability and the rule, and never repeats a server's words.
"""

from enum import StrEnum
from typing import Final

from avow.core.canonical import JsonObject, JsonValue
from avow.core.capability import Kind
from avow.core.severity import Severity
from avow.protocol.events import Event, event, shown
from avow.protocol.messages import INVALID_PARAMS, INVALID_REQUEST

OUTSIDE_CONTRACT: Final = -32010
LIMIT_REACHED: Final = -32011
SERVER_GONE: Final = -32000
HEADER_MISMATCH: Final = -32020
CAPABILITY_MISSING: Final = -32021
VERSION_UNSUPPORTED: Final = -32022


class Reason(StrEnum):
    """The rules by which something is outside the contract; the word is `data.avow.reason`."""

    NOT_APPROVED = "not_approved"
    CHANGED = "changed"
    ARGUMENTS = "arguments"
    UNVERIFIED = "unverified"
    RESTRICTED = "restricted"
    TRAVERSAL = "traversal"
    NO_SIGNATURE = "no_signature"
    SERVER_CHANGED = "server_changed"
    MALFORMED = "malformed"


_SENTENCES: Final = {
    Reason.NOT_APPROVED: "is not part of the approved contract",
    Reason.CHANGED: "differs from what was approved",
    Reason.ARGUMENTS: "was called with arguments outside its approved schema",
    Reason.UNVERIFIED: "cannot be used: what the server offers now could not be compared with the contract",
    Reason.RESTRICTED: "is not available on a protocol version below the security baseline",
    Reason.TRAVERSAL: "leads out of the approved template",
    Reason.NO_SIGNATURE: "declares no signature, and policy asks for one",
    Reason.SERVER_CHANGED: "is not the server that was approved",
    Reason.MALFORMED: "was answered with something that two readers could understand differently",
}


class Refusal(Exception):  # noqa: N818 - the outcome of a rule, not a mistake of ours
    """A message is not let through."""

    def __init__(
        self, code: int, message: str, happened: Event, data: JsonValue = None, *, close: bool = False
    ) -> None:
        """Keep everything that the answer and the log need; `close` ends the connection after it."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.event = happened
        self.data = data
        self.close = close


def outside(
    reason: Reason, kind: Kind | str, name: str, *, where: str = "", severity: Severity = Severity.CRITICAL
) -> Refusal:
    """Something is outside the contract; `where` points at the caller's own argument."""
    facts: JsonObject = {
        "reason": str(reason),
        "kind": str(kind),
        "name": shown(name),
        "severity": str(severity),
    }
    if where:
        facts["argument"] = where
    sentence = f"avow: {kind} '{shown(name)}' {_SENTENCES[reason]}" + (f" ({where})" if where else "")
    happened = event("call_refused", severity, kind=kind, name=name, detail=str(reason))
    return Refusal(OUTSIDE_CONTRACT, sentence, happened, {"avow": facts})


def invalid_params(message: str) -> Refusal:
    """The request does not say what it must, or says it twice."""
    happened = event("message_refused", Severity.MODERATE, detail=message)
    return Refusal(INVALID_PARAMS, f"avow: {message}", happened)


def invalid_request(message: str, *, what: str = "message_refused", name: str = "") -> Refusal:
    """The message may not be sent, or not now."""
    return Refusal(
        INVALID_REQUEST, f"avow: {message}", event(what, Severity.MODERATE, name=name, detail=message)
    )


def limit_reached(message: str) -> Refusal:
    """The connection already costs as much as it may."""
    return Refusal(
        LIMIT_REACHED, f"avow: {message}", event("limit_reached", Severity.MODERATE, detail=message)
    )

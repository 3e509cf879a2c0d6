"""What a guarded client raises, beside the errors of the SDK itself.

ContractViolationError                   also an `MCPError`: code that handles those handles these
├─ CallRefusedError                      the client asked for something outside; the server never saw it
├─ AnswerRefusedError                    what the server answered goes beyond the contract
├─ ServerChangedError                    another server answers than the one that was approved
└─ NoSignatureError                      the server declares no signature, and `fallback` is `reject`
SignatureUnusableError                   what the server declares cannot be a contract
SignatureTimeoutError                    the server does not say in time what it can do
"""

from typing import Any, Final

from mcp import MCPError

from avow.errors import DeclarationError, ServerTimeoutError, VerificationError
from avow.protocol.events import Event
from avow.protocol.gate.refusal import LIMIT_REACHED, OUTSIDE_CONTRACT, Reason

_HINT: Final = "ask with refresh_signature() and approve what has changed, or leave it alone"


class ContractViolationError(VerificationError, MCPError):
    """Something is outside the contract.

    `reason`, `kind` and `name` say what; `events` are all that was found wrong at once.
    """

    def __init__(self, code: int, message: str, data: Any = None, *, events: tuple[Event, ...] = ()) -> None:
        """Keep the members of the protocol's error and those of ours."""
        MCPError.__init__(self, code, message, data)
        self.hint = _HINT
        self.events = events
        facts = data.get("avow") if isinstance(data, dict) else None
        first = events[0] if events else None
        found: dict[str, str] = facts if isinstance(facts, dict) else {}
        self.reason = found.get("reason") or (first.event if first else "")
        self.kind = found.get("kind") or (first.kind if first else "")
        self.name = found.get("name") or (first.name if first else "")


class CallRefusedError(ContractViolationError):
    """A request of the client is outside the contract; the server has not seen it."""


class AnswerRefusedError(ContractViolationError):
    """An answer of the server goes beyond the contract, or can be read in two ways."""


class ServerChangedError(ContractViolationError):
    """Another server answers than the one that was approved; the connection is over."""


class NoSignatureError(ContractViolationError):
    """The server declares no signature, and policy asks for one; the connection is over."""


class SignatureUnusableError(DeclarationError):
    """What the server declares cannot be held against anything: too large, malformed, or contradictory."""


class SignatureTimeoutError(ServerTimeoutError):
    """The server does not say in time what it can do."""


_BY_REASON: Final[dict[str, type[ContractViolationError]]] = {
    Reason.SERVER_CHANGED: ServerChangedError,
    Reason.NO_SIGNATURE: NoSignatureError,
}


def refusal(error: dict[str, Any], usual: type[ContractViolationError]) -> MCPError:
    """The exception for an error that the gate answers with; `usual` where the reason says no more."""
    code, message, data = error["code"], error["message"], error.get("data")
    if code not in (OUTSIDE_CONTRACT, LIMIT_REACHED):
        return MCPError(code, message, data)
    facts = data.get("avow") if isinstance(data, dict) else None
    reason = facts.get("reason", "") if isinstance(facts, dict) else ""
    return _BY_REASON.get(reason, usual)(code, message, data)


def violation(events: tuple[Event, ...]) -> AnswerRefusedError:
    """The exception for an answer in which the gate found something wrong."""
    named = ", ".join(f"{event.kind} '{event.name}' ({event.event})" for event in events[:3])
    more = f" and {len(events) - 3} more" if len(events) > 3 else ""
    return AnswerRefusedError(
        OUTSIDE_CONTRACT, f"avow: the answer goes beyond the contract: {named}{more}", events=events
    )

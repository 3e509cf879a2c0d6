"""Which sign says why a server failed: what it ended with counts more than what it said on the way."""

from avow.system.diagnosis.evidence import Evidence, Outcome
from avow.system.diagnosis.output import Cause, Said, Strength
from avow.system.diagnosis.output.causes import lacks_value, signs


def decide(evidence: Evidence, said: Said, *, lacks: bool) -> Cause | None:
    """Why the server failed; None when nothing tells, or when it did not fail.

    `lacks` says that its code or a manifest asks for something that it was not given.
    """
    match evidence.outcome:
        case Outcome.OK | Outcome.NOT_TRIED:
            return None
        case Outcome.NOT_STARTED:
            return Cause.NOT_FOUND
        case Outcome.HTTP:
            return Cause.TRANSPORT
        case Outcome.SILENT if said.serves_http or evidence.listening:
            return Cause.TRANSPORT
        case _:
            return _from_words(evidence, said, lacks=lacks)


def _from_words(evidence: Evidence, said: Said, *, lacks: bool) -> Cause | None:
    if _entry_is_missing(evidence, said):
        return Cause.NOT_FOUND
    if said.fixed:
        return Cause.CONFIGURATION
    ending = said.ending
    if ending is not None and ending.source and (ended := signs(ending)):
        return ended[0].cause
    if any(demand.ways and demand.strength is Strength.REQUIRED for demand in said.demands) and not any(
        sign.cause is Cause.NOT_FOUND for sign in said.signs
    ):
        return Cause.CONFIGURATION
    if said.signs:
        return next((sign for sign in said.signs if sign.decisive), said.signs[-1]).cause
    if said.serves_http:
        return Cause.TRANSPORT
    asks = any(demand.strength > Strength.OPTIONAL for demand in said.demands)
    stumbled = ending is not None and lacks_value(ending)
    if asks or said.usage.is_there or said.was_rejected or lacks or stumbled:
        return Cause.CONFIGURATION
    return None


def _entry_is_missing(evidence: Evidence, said: Said) -> bool:
    """Whether the module that cannot be found is the very file that was to be started."""
    files = [word for word in evidence.command if word.endswith((".js", ".mjs", ".cjs", ".ts", ".py"))]
    return any(
        ("Cannot find module" in statement.text or "can't open file" in statement.text)
        and file in statement.text
        for statement in said.statements
        for file in files
    )

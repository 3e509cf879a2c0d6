"""How a server presents itself in `initialize` or `server/discover`, against what was approved."""

import re
from typing import Final

import msgspec

from avow.core.canonical import JsonObject, JsonValue, canonical
from avow.core.contract import ApprovedServer, Contract
from avow.core.severity import Severity
from avow.core.snapshot import Era
from avow.errors import MalformedInputError
from avow.protocol.events import Event, event
from avow.protocol.gate.policy import GatePolicy, OnChanged, OnServerChanged
from avow.protocol.gate.refusal import Reason, outside
from avow.protocol.gate.signature import EXTENSION, advertisement
from avow.protocol.gate.stateless import SERVER_KEY
from avow.protocol.messages import refuse_variants

_DECIDED_ON: Final = frozenset(
    {"protocolVersion", "supportedVersions", "capabilities", "serverInfo", "instructions", "_meta"}
)
# What these hold is judged elsewhere, or shown to the user as it is.
_NOT_COMPARED: Final = frozenset({"signature", EXTENSION, "configurationSchema", "dev.avow/configuration"})
# The two eras say these differently: `logging` is gone from the newer one, and flags have other defaults.
_STANDARD: Final = frozenset({"completions", "logging", "prompts", "resources", "tasks", "tools"})
_HOLDERS: Final = frozenset({"experimental", "extensions"})
_ABSENT: Final = object()
_INFO: Final = frozenset({"name", "version", "title", "description", "websiteUrl", "icons"})
_VERSION: Final = re.compile(r"[0-9A-Za-z.+_-]{1,64}")


class Presentation(msgspec.Struct):
    """What the client will be shown, and what was different."""

    result: JsonObject
    rewritten: bool = False
    events: list[Event] = msgspec.field(default_factory=list)


def judge_presentation(
    result: JsonObject, contract: Contract | None, policy: GatePolicy, era: Era, server_name: str
) -> Presentation:
    """Hold a server's presentation to what was approved, and add the signature that it does not have.

    Raises:
        MalformedInputError: it is no such result.
        Refusal: another server answers than the one that was approved.
    """
    refuse_variants(result, _DECIDED_ON)
    capabilities = result.get("capabilities")
    instructions = result.get("instructions")
    if not isinstance(capabilities, dict) or not isinstance(instructions, str | None):
        raise MalformedInputError("the server's capabilities are no object, or its instructions no text")
    shown = Presentation(dict(result))
    approved = contract.server if contract is not None else None
    if approved is not None:
        _judge_identity(result, approved, policy, server_name, shown)
        _judge_instructions(instructions, approved, policy, shown)
        _judge_capabilities(capabilities, approved, era, shown)
    if policy.advertise_signature:
        _advertise(contract, era, shown)
    return shown


def _judge_identity(
    result: JsonObject, approved: ApprovedServer, policy: GatePolicy, server_name: str, shown: Presentation
) -> None:
    """Who the server says that it is, in either of the places where readers look for that."""
    meta = result.get("_meta")
    stamps = meta if isinstance(meta, dict) else {}
    refuse_variants(stamps, frozenset({SERVER_KEY}))
    told = [info for info in (result.get("serverInfo"), stamps.get(SERVER_KEY)) if info is not None]
    for info in told or [{}]:
        if not isinstance(info, dict):
            raise MalformedInputError("what the server says about itself is no object")
        refuse_variants(info, _INFO | approved.info.keys())
        _judge_name(info.get("name"), approved, policy, server_name, shown)
    if "serverInfo" in result:
        shown.result["serverInfo"] = _approved_info(result["serverInfo"], approved, policy, shown)
    if SERVER_KEY in stamps:
        stamp = _approved_info(stamps[SERVER_KEY], approved, policy, shown)
        shown.result["_meta"] = {**stamps, SERVER_KEY: stamp}


def _approved_info(
    info: JsonValue, approved: ApprovedServer, policy: GatePolicy, shown: Presentation
) -> JsonValue:
    """What the server says about itself, without the words that nobody approved."""
    kept: JsonObject = {}
    for member, value in (info or {}).items():
        before = approved.info.get(member)
        if member == "name" or canonical(value) == canonical(before) or _is_version(member, value):
            kept[member] = value
            continue
        pinned = before is not None and (policy.on_changed is OnChanged.PIN or member == "version")
        if pinned:
            kept[member] = before
        shown.rewritten = True
        detail = "the approved value is shown" if pinned else "it is left out"
        happened = event("server_info_changed", Severity.MODERATE, kind="server", name=member, detail=detail)
        shown.events.append(happened)
    return None if info is None else kept


def _is_version(member: str, value: JsonValue) -> bool:
    """A version may be another one, as long as it is a version and not a text."""
    return member == "version" and isinstance(value, str) and _VERSION.fullmatch(value) is not None


def _judge_name(
    name: JsonValue, approved: ApprovedServer, policy: GatePolicy, server_name: str, shown: Presentation
) -> None:
    if name == approved.name or (name is None and not approved.name):
        return
    named = "" if name is None else str(name)
    if policy.on_server_changed is OnServerChanged.REFUSE and not policy.audit:
        refusal = outside(Reason.SERVER_CHANGED, "server", server_name)
        refusal.event = event("server_changed", Severity.CRITICAL, kind="server", name=named)
        refusal.close = True
        raise refusal
    shown.events.append(event("server_changed", Severity.CRITICAL, kind="server", name=named))


def _judge_instructions(
    instructions: str | None, approved: ApprovedServer, policy: GatePolicy, shown: Presentation
) -> None:
    if (instructions or None) == (approved.instructions or None):
        return
    pinned = policy.on_changed is OnChanged.PIN and approved.instructions
    if pinned:
        shown.result["instructions"] = approved.instructions
    else:
        shown.result.pop("instructions", None)
    shown.rewritten = True
    detail = "the approved ones are shown" if pinned else "they are left out"
    shown.events.append(event("instructions_changed", Severity.MODERATE, kind="server", detail=detail))


def _judge_capabilities(
    capabilities: JsonObject, approved: ApprovedServer, era: Era, shown: Presentation
) -> None:
    beyond: list[str] = []
    exempt = _NOT_COMPARED if era is approved.era else _NOT_COMPARED | _STANDARD
    trimmed = _trimmed(capabilities, approved.capabilities, exempt, "", beyond)
    if not beyond:
        return
    shown.result["capabilities"] = trimmed
    shown.rewritten = True
    shown.events.extend(
        event(
            "capabilities_changed",
            Severity.MODERATE,
            kind="server",
            name=path,
            detail="left out: not approved",
        )
        for path in beyond
    )


def _trimmed(
    observed: JsonObject, approved: JsonObject, exempt: frozenset[str], path: str, beyond: list[str]
) -> JsonObject:
    """The members that were approved or are `exempt`; the paths of the others go into `beyond`."""
    kept = {}
    for member, value in observed.items():
        before = approved.get(member, _ABSENT)
        if member in exempt or _promises_nothing(member, value):
            kept[member] = value
        elif isinstance(value, dict) and isinstance(before, dict):
            kept[member] = _trimmed(value, before, _NOT_COMPARED, f"{path}/{member}", beyond)
        elif before is not _ABSENT and canonical(value) == canonical(before):
            kept[member] = value
        else:
            beyond.append(f"{path}/{member}")
    return kept


def _promises_nothing(member: str, value: JsonValue) -> bool:
    """Whether a member says no more than its absence: a flag that is off, a holder of nothing to compare."""
    if member in _HOLDERS:
        return isinstance(value, dict) and value.keys() <= _NOT_COMPARED
    return value is False or value is None


def _advertise(contract: Contract | None, era: Era, shown: Presentation) -> None:
    capabilities = dict(shown.result["capabilities"])
    own = advertisement(contract)
    if contract is None and "signature" in capabilities:
        return
    capabilities["signature"] = own
    if era is Era.MODERN:
        extensions = capabilities.get("extensions")
        capabilities["extensions"] = {**(extensions if isinstance(extensions, dict) else {}), EXTENSION: own}
    if canonical(capabilities) != canonical(shown.result["capabilities"]):
        shown.result["capabilities"] = capabilities
        shown.rewritten = True

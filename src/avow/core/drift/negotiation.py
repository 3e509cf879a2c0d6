"""What was negotiated: protocol versions, server capabilities, extensions and the configuration schema."""

import re
from collections.abc import Iterator
from typing import Final

from avow.core.canonical import JsonObject, JsonValue, canonical
from avow.core.drift.compose import compose
from avow.core.drift.members import Member, differing
from avow.core.drift.model import Change, Drift, DriftType, Effect
from avow.core.printable import printable
from avow.core.severity import Severity
from avow.core.snapshot import Era, Snapshot

_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
# Members that repeat what is compared elsewhere (DESIGN 5).
_ROOT: Final = "/capabilities"
_SIGNATURE: Final = (f"{_ROOT}/signature/digest", f"{_ROOT}/extensions/dev.avow~1signature/digest")
_CONFIGURATION: Final = (("extensions", "dev.avow/configuration"), ("experimental", "configurationSchema"))
_DEPTH: Final = 20


def negotiation_drift(before: Snapshot, after: Snapshot) -> Iterator[Drift]:
    """Differences in what the two sides agreed on."""
    yield from _protocol(before, after)
    yield from _capabilities(before, after)
    yield from _configuration(before.configuration_schema, after.configuration_schema)


def _protocol(before: Snapshot, after: Snapshot) -> Iterator[Drift]:
    old, new = before.protocol_version, after.protocol_version
    reasons = []
    if before.era is Era.MODERN and after.era is Era.LEGACY:
        reasons.append("went back to the initialize handshake")
    if old != new and not _is_newer(new, old):
        reasons.append(f"agreed on protocol version {_shown(new)}; {_shown(old)} was approved")
    newest_old, newest_new = (
        max(before.protocol_versions, default=""),
        max(after.protocol_versions, default=""),
    )
    if newest_old and newest_new and newest_new != newest_old and not _is_newer(newest_new, newest_old):
        reasons.append(f"supports at most {_shown(newest_new)}; {_shown(newest_old)} was approved")
    if reasons:
        summary = "; ".join(reasons)
        change = _rated("/protocolVersion", "changed", Severity.CRITICAL, summary, old, new)
        yield Drift(
            DriftType.PROTOCOL_DOWNGRADED, "server", "protocol", Severity.CRITICAL, summary, (change,)
        )
        return
    yield from _upgrade(before, after)


def _upgrade(before: Snapshot, after: Snapshot) -> Iterator[Drift]:
    changes = []
    if before.protocol_version != after.protocol_version or before.era is not after.era:
        words = f"now speaks {_shown(after.protocol_version)}"
        old, new = before.protocol_version, after.protocol_version
        changes.append(_rated("/protocolVersion", "changed", Severity.INFO, words, old, new))
    older, newer = set(before.protocol_versions), set(after.protocol_versions)
    if older != newer and older and newer:
        added = sorted(newer - older)
        is_older = bool(added) and added[0] < min(older)
        words = f"now also speaks the older {_shown(added[0])}" if is_older else "supports other versions"
        severity = Severity.MODERATE if is_older else Severity.INFO
        changes.append(_rated("/protocolVersions", "changed", severity, words, sorted(older), sorted(newer)))
    if changes:
        yield compose(DriftType.CAPABILITIES_CHANGED, "server", "protocol", changes, None, None)


def _is_newer(version: str, than: str) -> bool:
    return bool(_DATE.fullmatch(version) and _DATE.fullmatch(than)) and version > than


def _capabilities(before: Snapshot, after: Snapshot) -> Iterator[Drift]:
    old, new = _own(before), _own(after)
    changes = list(_declared(old, new, _ROOT, 0))
    if changes:
        holders = {"capabilities": old}, {"capabilities": new}
        yield compose(DriftType.CAPABILITIES_CHANGED, "server", "capabilities", changes, *holders)


def _own(snapshot: Snapshot) -> JsonObject:
    """The capabilities without copies of the configuration schema."""
    capabilities = dict(snapshot.capabilities)
    copy = canonical(snapshot.configuration_schema)
    for holder, member in _CONFIGURATION:
        inner = capabilities.get(holder)
        if isinstance(inner, dict) and member in inner and canonical(inner[member]) == copy:
            capabilities[holder] = {name: value for name, value in inner.items() if name != member}
    return capabilities


def _declared(before: JsonObject, after: JsonObject, pointer: str, depth: int) -> Iterator[Change]:
    for member in differing(before, after):
        path = pointer + member.path
        if isinstance(member.before, dict) and isinstance(member.after, dict) and depth < _DEPTH:
            yield from _declared(member.before, member.after, path, depth + 1)
        else:
            yield _capability(member, path)


def _capability(member: Member, path: str) -> Change:
    what = printable(path.removeprefix(f"{_ROOT}/").replace("~1", "/").replace("~0", "~"), 80, fold=True)
    if path in _SIGNATURE:
        words = "the declared digest follows the signature"
        return _rated(path, member.change, Severity.INFO, words, member.before, member.after)
    is_less = member.change == "removed" or (member.after is False and member.change == "changed")
    if is_less:
        words = f"no longer declares {what}"
        return _rated(path, member.change, Severity.INFO, words, member.before, member.after)
    words = (
        f"now declares {what}"
        if member.change == "added" or member.after is True
        else f"declares another {what}"
    )
    return _rated(path, member.change, Severity.MODERATE, words, member.before, member.after)


def _configuration(before: JsonValue, after: JsonValue) -> Iterator[Drift]:
    if canonical(before) != canonical(after):
        # Late: most servers declare none, and a session waits for what is loaded here.
        from avow.core.drift.configuration import configuration_drift

        yield configuration_drift(before, after)


def _rated(
    path: str, change: str, severity: Severity, words: str, before: JsonValue, after: JsonValue
) -> Change:
    return Change(path, change, Effect.OTHER, severity, words, before, after)


def _shown(version: str) -> str:
    return printable(version, 40, fold=True) or "none"

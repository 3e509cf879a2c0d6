"""What a server says about itself as a whole: name, version, instructions, the source of its signature."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from avow.core.canonical import JsonObject
from avow.core.drift.compose import compose
from avow.core.drift.members import Member, Rule, icons, member_changes, text
from avow.core.drift.model import Change, Drift, DriftType, Effect
from avow.core.drift.wording import text_change
from avow.core.printable import printable
from avow.core.severity import Severity
from avow.core.snapshot import Snapshot, Source


def server_drift(before: Snapshot, after: Snapshot) -> Iterator[Drift]:
    """Differences in the server's own words and in how it offers what it offers."""
    yield from _identity(before.server, after.server, after.name)
    yield from _instructions(before.instructions, after.instructions)
    yield from _standing(before, after)


def _identity(before: JsonObject, after: JsonObject, name: str) -> Iterator[Drift]:
    changes = member_changes(before, after, _RULES)
    if changes:
        inside = [replace(change, path=f"/server{change.path}") for change in changes]
        holders = {"server": before}, {"server": after}
        yield compose(DriftType.SERVER_CHANGED, "server", name, inside, *holders)


def _name(member: Member) -> Iterator[Change]:
    old, new = (printable(str(value), 60, fold=True) for value in (member.before, member.after))
    words = f"the server calls itself '{new}' instead of '{old}'"
    yield _change(member, Effect.OTHER, Severity.CRITICAL, words)


def _version(member: Member) -> Iterator[Change]:
    old, new = (printable(str(value), 60, fold=True) for value in (member.before, member.after))
    yield _change(member, Effect.OTHER, Severity.INFO, f"version {old} is now {new}")


def _change(member: Member, effect: Effect, severity: Severity, words: str) -> Change:
    return Change(member.path, member.change, effect, severity, words, member.before, member.after)


_RULES: Final[dict[str, Rule]] = {
    "name": _name,
    "version": _version,
    "title": text,
    "description": text,
    "websiteUrl": text,
    "icons": icons,
}


def _instructions(before: str | None, after: str | None) -> Iterator[Drift]:
    """A model reads these before anything else: even a small edit is worth a look."""
    if before == after:
        return
    state = (
        "changed" if before is not None and after is not None else "added" if before is None else "removed"
    )
    found = text_change("/instructions", "the instructions", state, before, after)
    change = Change(found.path, found.change, Effect.WORDING, Severity.MODERATE, found.summary, before, after)
    holders = {"instructions": before}, {"instructions": after}
    yield compose(DriftType.INSTRUCTIONS_CHANGED, "server", "instructions", [change], *holders)


def _standing(before: Snapshot, after: Snapshot) -> Iterator[Drift]:
    """Where the signature comes from, and whether it is all there is."""
    if before.source is not after.source:
        is_less = after.source is Source.FROZEN
        words = (
            "no longer declares its signature: what is compared are its lists at one moment"
            if is_less
            else "now declares its signature"
        )
        yield _note("signature", Severity.MODERATE if is_less else Severity.INFO, words)
    if before.complete is not after.complete:
        yield _completeness(after)


def _completeness(after: Snapshot) -> Drift:
    """What cannot be read cannot be held to anything: nobody knows what else is on offer there."""
    if after.complete:
        return _note("completeness", Severity.INFO, "everything could be read now")
    reasons = "; ".join(printable(note, 200, fold=True) for note in after.notes[:3])
    words = "not everything could be read, and what could not be is held to nothing"
    return _note("completeness", Severity.CRITICAL, f"{words}: {reasons}" if reasons else words)


def _note(name: str, severity: Severity, words: str) -> Drift:
    return Drift(DriftType.CAPABILITIES_CHANGED, "server", name, severity, words)

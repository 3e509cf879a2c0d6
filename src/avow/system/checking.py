"""Comparing what servers show with what was approved: the steps that several commands share."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from avow.core.artifact import artifact_drift
from avow.core.canonical import Digest
from avow.core.credentials import shown_target
from avow.core.drift.compare import diff
from avow.core.drift.model import Drift, DriftType, highest
from avow.core.drift.volatile import approval_drift
from avow.core.lockfile import Entry
from avow.core.mcptrust import MCPTrustLockfile, compare_with_mcptrust, not_compared
from avow.core.policy import Allowed, Policy, apply
from avow.core.secrets import Striking
from avow.core.severity import Severity
from avow.core.snapshot import Snapshot, Volatile
from avow.core.volatile import volatile_pointers, with_volatile
from avow.errors import AvowError
from avow.system.approved import Approved
from avow.system.configuration.preflight import ConfigurationNeededError
from avow.system.connect import Look, MalformedAnswerError, Observation
from avow.system.looking import Looked, Seen


@dataclass(frozen=True, slots=True)
class Compared:
    """A server that was looked at: how it differs from what was approved.

    `observed` is None when its answer was malformed: nothing in such an answer is hashed. `snapshot` is
    what was seen at the first look, to introduce what is new in it.
    """

    name: str
    approved: Digest | None
    observed: Digest | None
    drift: tuple[Drift, ...]
    allowed: tuple[Allowed, ...] = ()
    notes: tuple[str, ...] = ()
    snapshot: Snapshot | None = None

    @property
    def highest(self) -> Severity | None:
        """The highest severity of what is not allowed."""
        return highest(self.drift)

    @property
    def counts(self) -> str:
        """How much there is of which severity; empty when there is no drift."""
        counts = (
            (severity, sum(d.severity is severity for d in self.drift)) for severity in reversed(Severity)
        )
        return ", ".join(f"{count} {severity}" for severity, count in counts if count)


@dataclass(frozen=True, slots=True)
class Failed:
    """A server that could not be looked at, which is never the same as one without drift."""

    name: str
    error: AvowError


@dataclass(frozen=True, slots=True)
class NeedsConfiguration(Failed):
    """A server that was not started, since its configuration is not complete: that is something found."""


Outcome: TypeAlias = Compared | Failed
Variance: TypeAlias = Mapping[str, tuple[Drift, ...]]


@dataclass(frozen=True, slots=True)
class Judging:
    """What to make of drift: the user's policy, and the day on which its rules may expire."""

    policy: Policy
    today: str


def settle(seen: Observation, known: Iterable[Volatile] = ()) -> Observation:
    """The same looks with the values masked that differ between them and may, or are `known` to."""
    places = (*known, *volatile_pointers(seen.first, (look.snapshot for look in seen.others)))
    others = (replace(look, snapshot=with_volatile(look.snapshot, places)) for look in seen.others)
    return Observation(with_volatile(seen.first, places), tuple(others))


def struck(seen: Observation, given: Mapping[str, str]) -> Observation:
    """The same looks as anybody may see them: without secrets that the server repeats or is started with."""
    strike = Striking.of(given, (seen.first, *(look.snapshot for look in seen.others)))
    others = (replace(look, snapshot=strike.snapshot(look.snapshot)) for look in seen.others)
    first = replace(strike.snapshot(seen.first), target=shown_target(seen.first.target))
    return Observation(first, tuple(others))


def variance(seen: Observation) -> dict[str, tuple[Drift, ...]]:
    """What each further look showed that the first did not; empty for a server that is always the same."""
    found = {look.seen: diff(seen.first, comparable(look, seen.first)) for look in seen.others}
    return {circumstances: drifts for circumstances, drifts in found.items() if drifts}


def comparable(look: Look, first: Snapshot) -> Snapshot:
    """What a look showed; of one in the other era only what must be the same in both.

    These are the signature, the instructions and the server's name: the eras negotiate in other words.
    """
    if not look.other_era:
        return look.snapshot
    named = {"name": look.snapshot.server["name"]} if "name" in look.snapshot.server else {}
    return replace(
        look.snapshot,
        server={**{member: value for member, value in first.server.items() if member != "name"}, **named},
        protocol_version=first.protocol_version,
        protocol_versions=first.protocol_versions,
        era=first.era,
        capabilities=first.capabilities,
        configuration_schema=first.configuration_schema,
        source=first.source,
    )


def compare(name: str, approved: Approved, seen: Seen, judging: Judging) -> Compared:
    """Hold every look against what was approved; what only another look showed says which."""
    volatile = approved.snapshot.volatile if isinstance(approved, Entry) else ()
    first = with_volatile(seen.observation.first, volatile)
    others = [
        (look.seen, with_volatile(comparable(look, first), volatile)) for look in seen.observation.others
    ]
    differences = _Differences.to(approved, seen.given, (first, *(snapshot for _, snapshot in others)))
    drifts = [*differences(first), *artifact_drift(approved.artifact, seen.artifact)]
    known = _Known(drifts)
    for circumstances, snapshot in others:
        drifts += [replace(drift, seen=circumstances) for drift in differences(snapshot) if known.add(drift)]
    shown = differences.strike.snapshot(first)
    notes = shown.notes if isinstance(approved, Entry) else (*shown.notes, *not_compared(approved, shown))
    compared = Compared(name, approved_digest(approved), first.signature.digest, tuple(drifts))
    return judge(replace(compared, notes=notes, snapshot=shown), judging)


def approved_digest(approved: Approved) -> Digest | None:
    """The digest that was approved; MCPTrust has none for the whole."""
    return approved.snapshot.signature.digest if isinstance(approved, Entry) else None


def judge(compared: Compared, judging: Judging) -> Compared:
    """The same with the settings applied: other severities, and what is allowed set aside."""
    kept, allowed = apply(judging.policy, compared.name, compared.drift, today=judging.today)
    return replace(
        compared, drift=tuple(sorted(kept, key=lambda drift: -drift.severity.rank)), allowed=allowed
    )


def outcome(name: str, approved: Approved, looked: Looked, judging: Judging) -> Outcome:
    """What to report about one locked server; a failure to look is never the same as no drift."""
    match looked:
        case Seen():
            return compare(name, approved, looked, judging)
        case MalformedAnswerError():
            malformed = Drift(
                DriftType.SIGNATURE_MALFORMED,
                "server",
                "",
                Severity.CRITICAL,
                looked.message,
                hint=looked.hint,
            )
            return Compared(name, approved_digest(approved), None, (malformed,))
        case ConfigurationNeededError():
            return NeedsConfiguration(name, looked)
        case AvowError():
            return Failed(name, looked)


class _Known:
    """The differences told so far, by what they are about: thousands may be told, by every look."""

    def __init__(self, drifts: Iterable[Drift]) -> None:
        self._told: dict[tuple[str, str, str], list[Drift]] = {}
        for drift in drifts:
            self.add(drift)

    def add(self, drift: Drift) -> bool:
        """Remember a difference; say whether it is news."""
        told = self._told.setdefault((drift.type, drift.kind, drift.name), [])
        if drift in told:
            return False
        told.append(drift)
        return True


@dataclass(frozen=True, slots=True)
class _Differences:
    """Differences to what was approved, in words without the secrets that the server was given."""

    approved: Approved
    strike: Striking

    @classmethod
    def to(cls, approved: Approved, given: Mapping[str, str], seen: Iterable[Snapshot]) -> "_Differences":
        match approved:
            case Entry(snapshot=snapshot):
                strike = Striking.of(given, (snapshot, *seen))
                return cls(replace(approved, snapshot=strike.snapshot(snapshot)), strike)
            case MCPTrustLockfile():
                return cls(approved, Striking.of(given, seen))

    def __call__(self, seen: Snapshot) -> tuple[Drift, ...]:
        match self.approved:
            case Entry(snapshot=snapshot):
                return approval_drift(snapshot, self.strike.snapshot(seen))
            case MCPTrustLockfile():
                # Its hashes are of what the server really says.
                return tuple(map(self._struck, compare_with_mcptrust(self.approved, seen)))

    def _struck(self, drift: Drift) -> Drift:
        strike = self.strike
        changes = tuple(
            replace(
                change,
                path=strike.text(change.path),
                summary=strike.text(change.summary),
                before=strike.value(change.before),
                after=strike.value(change.after),
            )
            for change in drift.changes
        )
        return replace(
            drift, name=strike.text(drift.name), summary=strike.text(drift.summary), changes=changes
        )

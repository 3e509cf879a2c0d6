"""Which protocol versions a session may run on, and what an older one costs it."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from avow.core.severity import Severity
from avow.core.snapshot import Era
from avow.protocol.events import Event, event
from avow.protocol.versions import KNOWN, era_of, is_older


class Controls(StrEnum):
    """What compensates for a version below the security baseline."""

    RESTRICT = "restrict"
    REJECT = "reject"
    LOG = "log"


@dataclass(frozen=True, slots=True)
class VersionPolicy:
    """The three lines of a version policy, newest first; `None` draws no line.

    Without `preferred`, a session is measured by what was approved, or else by what the client asked for.
    """

    preferred: str | None = None
    baseline: str | None = None
    minimum: str | None = None
    controls: Controls = Controls.RESTRICT


class UnknownVersions(StrEnum):
    """What a server does with a version that it does not serve."""

    REFUSE = "refuse"
    COUNTER_OFFER = "counter-offer"


class Agreement(msgspec.Struct, frozen=True):
    """What a policy makes of the version that two peers agreed on."""

    version: str
    refused: bool
    restricted: bool
    events: tuple[Event, ...]


def judge_version(
    agreed: str, policy: VersionPolicy, *, requested: str, approved: str | None = None
) -> Agreement:
    """Judge the version that was agreed on; an unknown one counts as older than all.

    A client that cannot speak a newer version has a reason of its own, so an older version is `info` when
    the client asked for it, and critical when the server chose it.
    """
    below_minimum = policy.minimum is not None and is_older(agreed, policy.minimum)
    below_baseline = policy.baseline is not None and is_older(agreed, policy.baseline)
    refused = below_minimum or (below_baseline and policy.controls is Controls.REJECT)
    restricted = below_baseline and policy.controls is Controls.RESTRICT
    events = tuple(_events(agreed, policy, requested, approved))
    if refused:
        events += (
            event("protocol_refused", Severity.CRITICAL, detail="the version is below what policy allows"),
        )
    return Agreement(agreed, refused, restricted, events)


def served_versions(policy: VersionPolicy, era: Era) -> tuple[str, ...]:
    """The versions of an era that a policy lets in, newest first."""
    return tuple(
        version
        for version in reversed(KNOWN)
        if era_of(version) is era and not judge_version(version, policy, requested=version).refused
    )


def choose_version(requested: str, policy: VersionPolicy, unknown: UnknownVersions) -> str | None:
    """The version with which a server answers `initialize`; `None` when it refuses.

    The specification has a server answer with another version that it serves, best its newest, when it does
    not serve the one that was asked for. A client that does not speak that one leaves.
    """
    served = served_versions(policy, Era.LEGACY)
    if requested in served:
        return requested
    if unknown is UnknownVersions.REFUSE or not served:
        return None
    return policy.preferred if policy.preferred in served else served[0]


def _events(agreed: str, policy: VersionPolicy, requested: str, approved: str | None) -> Iterator[Event]:
    preferred = policy.preferred or approved or requested
    chosen_by_server = Severity.INFO if agreed == requested else Severity.CRITICAL
    if era_of(agreed) is None:
        yield event(
            "protocol_unknown", Severity.MODERATE, name=agreed, detail="nobody has released this version"
        )
    elif is_older(agreed, preferred):
        yield event(
            "protocol_downgrade", chosen_by_server, name=agreed, detail="older than the preferred version"
        )
    if policy.baseline is not None and is_older(agreed, policy.baseline):
        yield event(
            "protocol_below_baseline",
            Severity.MODERATE,
            name=agreed,
            detail=f"compensating controls: {policy.controls}",
        )

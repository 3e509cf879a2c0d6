"""A server's new declaration beside the contract that counts: what differs, and who says whether it may."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Final, TypeAlias

from avow.core.capability import Kind
from avow.core.contract import Contract
from avow.core.drift.compare import diff
from avow.core.drift.model import Drift
from avow.core.policy import Deny, Policy, apply, decide
from avow.core.severity import Severity
from avow.core.snapshot import Era, Snapshot
from avow.core.target import PythonTarget


@dataclass(frozen=True)
class Proposal:
    """What a server declares now, and what it is held to."""

    before: Contract
    after: Contract

    @cached_property
    def drift(self) -> tuple[Drift, ...]:
        """Every difference between the capabilities, most severe first."""
        return diff(_snapshot(self.before), _snapshot(self.after))

    @property
    def opened(self) -> frozenset[Kind]:
        """The kinds of which anything could appear from now on."""
        return self.after.open - self.before.open


@dataclass(frozen=True, slots=True)
class Renewal:
    """What came of it; the new contract counts when it is `approved`."""

    approved: bool
    proposal: Proposal

    @property
    def drift(self) -> tuple[Drift, ...]:
        """Every difference, most severe first."""
        return self.proposal.drift


Approve: TypeAlias = Policy | Callable[[Proposal], bool]

CAUTIOUS: Final = Policy(fail_on=Severity.MODERATE)
"""Nothing but what is `info` or `safe`."""


def consider(proposal: Proposal, approve: Approve, server: str) -> Renewal:
    """Ask a policy, or whoever is called instead of one, whether the new contract may count.

    No policy lets a server give up being complete; somebody has to say so.
    """
    if callable(approve):
        return Renewal(approve(proposal), proposal)
    today = datetime.now(UTC).date().isoformat()
    kept, _ = apply(approve, server, proposal.drift, today=today)
    return Renewal(not proposal.opened and not isinstance(decide(kept, approve), Deny), proposal)


def _snapshot(contract: Contract) -> Snapshot:
    return Snapshot(PythonTarget(""), {}, "", Era.LEGACY, {}, contract.signature)

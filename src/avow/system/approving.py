"""Preparing what a person may approve: look twice, set aside what is volatile, compare with the old entry."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from avow.core.artifact import artifact_drift
from avow.core.documents import snapshot_document
from avow.core.drift.model import Drift
from avow.core.drift.volatile import approval_drift
from avow.core.lockfile import Entry, Lockfile
from avow.core.mcptrust import MCPTrustLockfile, compare_with_mcptrust
from avow.core.secrets import refuse_secrets
from avow.errors import LockfileError, UsageError
from avow.system.checking import Variance, settle, struck, variance
from avow.system.looking import Looking, look_at
from avow.system.naming import suggest_name
from avow.system.targets import Reachable, same_place


@dataclass(frozen=True, slots=True)
class Candidate:
    """A server that could be approved: under which name, what it showed, and what that changes.

    `before` is the entry it would replace; `varies` is what it does not show everybody.
    """

    name: str
    entry: Entry
    before: Entry | None
    drift: tuple[Drift, ...]
    varies: Variance

    @property
    def moved(self) -> bool:
        """Whether the name would stand for another target than before."""
        return self.before is not None and self.before.snapshot.target != self.entry.snapshot.target

    @property
    def status(self) -> str:
        """What approving it does: `added`, `updated` or `unchanged`."""
        if self.before is None:
            return "added"
        return "updated" if self.moved or self.drift else "unchanged"

    @property
    def needs_approval(self) -> bool:
        """Whether a person has to say yes: something is new, differs, or is not the same for everybody."""
        return self.before is None or self.moved or bool(self.drift) or bool(self.varies)


def prepare(
    reachable: Reachable,
    servers: Mapping[str, Entry],
    looking: Looking,
    name: str = "",
    imported: MCPTrustLockfile | None = None,
) -> Candidate:
    """Look at a server as `avow lock` does: thoroughly, and with an eye on secrets.

    With `imported`, what MCPTrust approved is what the server is compared with.

    Raises:
        AvowError: it could not be looked at, its name is taken, or it would write a secret down.
    """
    looked = look_at(reachable, replace(looking, thorough=True))
    first = looked.observation.first
    chosen = name or reachable.name or suggest_name(reachable.target, first.name)
    before = servers.get(chosen)
    named = bool(name or reachable.name)
    if before is not None and not named and not same_place(before.snapshot.target, first.target):
        raise UsageError(
            f"{chosen!r} already names another server in the lockfile",
            hint=f"choose a name with --name, or replace it with --name {chosen}",
        )
    seen = settle(looked.observation, before.snapshot.volatile if before else ())
    snapshot = seen.first
    refuse_secrets(snapshot.target, snapshot_document(snapshot), looked.given)
    entry = Entry(snapshot, looked.artifact)
    return Candidate(
        chosen, entry, before, _drift(imported or before, entry), variance(struck(seen, looked.given))
    )


def approve(lockfile: Lockfile, candidates: list[Candidate]) -> Lockfile:
    """The lockfile with every candidate in it.

    Raises:
        LockfileError: an entry is no longer the one that the candidate was compared with.
    """
    for candidate in candidates:
        if lockfile.servers.get(candidate.name) != candidate.before:
            raise LockfileError(
                f"the entry {candidate.name!r} was changed while you were reading",
                hint="nothing was written; run `avow lock` again",
            )
        lockfile = lockfile.approve(candidate.name, candidate.entry.snapshot, candidate.entry.artifact)
    return lockfile


def _drift(before: Entry | MCPTrustLockfile | None, after: Entry) -> tuple[Drift, ...]:
    if before is None:
        return ()
    if isinstance(before, Entry):
        drifts = approval_drift(before.snapshot, after.snapshot)
    else:
        drifts = compare_with_mcptrust(before, after.snapshot)
    return (*drifts, *artifact_drift(before.artifact, after.artifact))

"""Looking at servers and comparing what they show with what was approved: steps that commands share."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, TypeVar

from avow.core.artifact import Artifact, artifact_drift
from avow.core.canonical import Digest
from avow.core.drift.compare import diff
from avow.core.drift.model import Drift, DriftType, highest
from avow.core.lockfile import Entry
from avow.core.mcptrust import MCPTrustLockfile, compare_with_mcptrust, not_compared
from avow.core.policy import Allowed, Policy, apply
from avow.core.severity import Severity
from avow.core.snapshot import Snapshot
from avow.core.target import StdioTarget
from avow.core.volatile import volatile_pointers, with_volatile
from avow.errors import AvowError
from avow.system.artifacts import find_artifact
from avow.system.connect import ConnectOptions, MalformedAnswerError, Observation, observe
from avow.system.naming import suggest_name
from avow.system.processes import child_environment, kill_every_process_group
from avow.system.targets import Reachable

# Each server is a process or two of its own; more at once would only make all of them slow.
_AT_ONCE: Final = 8

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Compared:
    """A server that was looked at: how it differs from what was approved.

    `observed` is None when its answer was malformed: nothing in such an answer is hashed.
    """

    name: str
    approved: Digest | None
    observed: Digest | None
    drift: tuple[Drift, ...]
    allowed: tuple[Allowed, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def highest(self) -> Severity | None:
        """The highest severity of what is not allowed."""
        return highest(self.drift)

    @property
    def verdict(self) -> str:
        """The outcome in a few words: `as approved`, or how much of which severity."""
        counts = (
            (severity, sum(d.severity is severity for d in self.drift)) for severity in reversed(Severity)
        )
        return ", ".join(f"{count} {severity}" for severity, count in counts if count) or "as approved"


@dataclass(frozen=True, slots=True)
class Failed:
    """A server that could not be looked at, which is never the same as one without drift."""

    name: str
    error: AvowError


Approved: TypeAlias = Entry | MCPTrustLockfile
Outcome: TypeAlias = Compared | Failed
Variance: TypeAlias = Mapping[str, tuple[Drift, ...]]


@dataclass(frozen=True, slots=True)
class Looking:
    """How to look: for how long, whether also with other eyes, and whom to tell about progress."""

    timeout: float
    thorough: bool = False
    on_progress: Callable[[str, str], None] | None = None


@dataclass(frozen=True, slots=True)
class Judging:
    """What to make of drift: the user's policy, and the day on which its rules may expire."""

    policy: Policy
    today: str


def look_at(reachable: Reachable, looking: Looking) -> Observation:
    """Connect to a server; what comes back says the target that may be stored.

    Raises:
        AvowError: it could not be looked at, or its answer is malformed.
    """
    tell = looking.on_progress
    options = ConnectOptions(
        timeout=looking.timeout,
        env=reachable.environment,
        headers=reachable.headers,
        on_progress=None if tell is None else lambda text: tell(label(reachable), text),
    )
    seen = observe(reachable.launch, options, thorough=looking.thorough)
    if reachable.launch == reachable.target:
        return seen
    others = tuple(
        replace(look, snapshot=replace(look.snapshot, target=reachable.target)) for look in seen.others
    )
    return Observation(replace(seen.first, target=reachable.target), others)


def package_of(reachable: Reachable) -> Artifact | None:
    """The installed package that the server's command starts; ask when it has been started once."""
    if not isinstance(reachable.launch, StdioTarget):
        return None
    environment = child_environment(reachable.launch.env, reachable.environment)
    return find_artifact(reachable.launch, environment)


def label(reachable: Reachable) -> str:
    """What to call a server that may have no name yet."""
    return reachable.name or suggest_name(reachable.target)


def settle(seen: Observation, known_volatile: Iterable[str] = ()) -> Observation:
    """The same looks with the values masked that differ between them and may, as DESIGN allows."""
    pointers = {*known_volatile, *volatile_pointers(seen.first, (look.snapshot for look in seen.others))}
    others = (replace(look, snapshot=with_volatile(look.snapshot, pointers)) for look in seen.others)
    return Observation(with_volatile(seen.first, pointers), tuple(others))


def variance(seen: Observation) -> dict[str, tuple[Drift, ...]]:
    """What each further look showed that the first did not; empty for a server that is always the same."""
    found = {look.seen: diff(seen.first, look.snapshot) for look in seen.others}
    return {circumstances: drifts for circumstances, drifts in found.items() if drifts}


def compare(
    name: str, approved: Approved, seen: Observation, artifact: Artifact | None, judging: Judging
) -> Compared:
    """Hold every look against what was approved; what only another look showed says which."""
    volatile = approved.snapshot.volatile if isinstance(approved, Entry) else ()
    first = with_volatile(seen.first, volatile)
    drifts = [*_differences(approved, first), *artifact_drift(approved.artifact, artifact)]
    for look in seen.others:
        again = _differences(approved, with_volatile(look.snapshot, volatile))
        drifts += [replace(drift, seen=look.seen) for drift in again if not _is_among(drift, drifts)]
    notes = first.notes if isinstance(approved, Entry) else (*first.notes, *not_compared(approved, first))
    compared = Compared(name, approved_digest(approved), first.signature.digest, tuple(drifts), notes=notes)
    return judge(compared, judging)


def approved_digest(approved: Approved) -> Digest | None:
    """The digest that was approved; MCPTrust has none for the whole."""
    return approved.snapshot.signature.digest if isinstance(approved, Entry) else None


def judge(compared: Compared, judging: Judging) -> Compared:
    """The same with the settings applied: other severities, and what is allowed set aside."""
    kept, allowed = apply(judging.policy, compared.name, compared.drift, today=judging.today)
    return replace(
        compared, drift=tuple(sorted(kept, key=lambda drift: -drift.severity.rank)), allowed=allowed
    )


def check(
    name: str, approved: Approved, reach: Callable[[], Reachable], looking: Looking, judging: Judging
) -> Outcome:
    """Look at a locked server and compare; every failure to look is an outcome."""
    try:
        reachable = replace(reach(), name=name)
        seen = look_at(reachable, looking)
        artifact = package_of(reachable) if approved.artifact else None
        return compare(name, approved, seen, artifact, judging)
    except MalformedAnswerError as error:
        malformed = Drift(
            DriftType.SIGNATURE_MALFORMED, "server", "", Severity.CRITICAL, error.message, hint=error.hint
        )
        return Compared(name, approved_digest(approved), None, (malformed,))
    except AvowError as error:
        return Failed(name, error)


def in_parallel(jobs: Mapping[str, Callable[[], Value]]) -> dict[str, Value]:
    """Run the jobs, several at a time, and return their results in the order given.

    Ctrl-C ends the servers that were started and does not wait for anything else.
    """
    if len(jobs) == 1:
        return {name: job() for name, job in jobs.items()}
    with ThreadPoolExecutor(max_workers=min(_AT_ONCE, max(len(jobs), 1))) as pool:
        waiting = {name: pool.submit(job) for name, job in jobs.items()}
        try:
            return {name: future.result() for name, future in waiting.items()}
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            kill_every_process_group()
            raise


def _is_among(drift: Drift, drifts: Sequence[Drift]) -> bool:
    return any(replace(known, seen="") == replace(drift, seen="") for known in drifts)


def _differences(approved: Approved, seen: Snapshot) -> tuple[Drift, ...]:
    match approved:
        case Entry(snapshot=snapshot):
            return diff(snapshot, seen)
        case MCPTrustLockfile():
            return compare_with_mcptrust(approved, seen)

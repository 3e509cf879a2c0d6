"""The audit of a running server: an ordinary session in each era, then every probe on a fresh connection."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from avow.audit.live import asking, grants, handshake, stateless
from avow.audit.live.carrying_out import Outcome, carry_out, confirm
from avow.audit.live.http import NeedsAuthorizationError
from avow.audit.live.meeting import Met, meet, meet_stateless
from avow.audit.live.probe import Comparison, Known, Probe
from avow.audit.live.verdicts import Looks
from avow.audit.live.visiting import NoTimeLeftError, Visitor
from avow.audit.model import Finding, Pattern, RuleInfo
from avow.audit.report import Report
from avow.core.target import FileTarget
from avow.errors import UnavailableError, UsageError
from avow.system.connect.options import ConnectOptions
from avow.system.naming import suggest_name
from avow.system.parallel import in_parallel
from avow.system.targets import Reachable

# Of all the time there is, what a server gets to say its first words in an era; the rest is for the probes.
_FIRST_WORDS: Final = 0.4


@dataclass(frozen=True, slots=True)
class Probing:
    """How long all probes of a server may take, which tools may be called, and whom to tell.

    A `moment` is how long we listen to a server that may do something unasked.
    """

    timeout: float
    allowed: frozenset[str] = frozenset()
    on_progress: Callable[[str, str], None] | None = None
    moment: float = 0.3


@dataclass(frozen=True, slots=True)
class _Job:
    """A probe or comparison, in one era of the server."""

    what: Probe | Comparison
    visitor: Visitor
    known: Known

    @property
    def unless(self) -> RuleInfo | None:
        return self.what.unless if isinstance(self.what, Probe) else None

    def run(self) -> Outcome:
        return carry_out(self.what, self.visitor, self.known)


@dataclass(slots=True)
class _Audit:
    """One server under audit: what was found, and what was looked at."""

    name: str
    probing: Probing
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    looks: Looks = field(default_factory=Looks)
    late: int = 0

    def tell(self, words: str) -> None:
        """Say what is going on, to whoever wants to know."""
        if self.probing.on_progress is not None:
            self.probing.on_progress(self.name, words)

    def report(self) -> Report:
        """All of it."""
        if self.late:
            self.notes.append(
                f"could not tell ({self.late} probes): no time was left for them; give it more with --timeout"
            )
        return Report(
            self.name, tuple(self.findings), self.looks.card(self.findings), notes=tuple(self.notes)
        )

    def add(self, findings: Iterable[Finding]) -> None:
        """Take in what the other era did not show already."""
        said = {(finding.rule, finding.message) for finding in self.findings}
        self.findings += [found for found in findings if (found.rule, found.message) not in said]


def probe(reachable: Reachable, probing: Probing) -> Report:
    """Audit one running server.

    One that is there and tells us nothing gets a score card of unknowns, with what it did instead.

    Raises:
        UsageError: it is a file, which nobody can talk to.
        AvowError: it cannot be started or reached, or leaves without a word.
    """
    target = reachable.launch
    if isinstance(target, FileTarget):
        raise UsageError("a snapshot cannot be probed", hint="name the server itself, or its source")
    options = ConnectOptions(
        env=reachable.environment, headers=reachable.headers, shown=reachable.target, timeout=probing.timeout
    )
    end, patience = time.monotonic() + probing.timeout, _FIRST_WORDS * probing.timeout
    visitor = Visitor(target, options, end, patience, moment=probing.moment)
    audit = _Audit(reachable.name or suggest_name(reachable.target), probing)
    legacy, modern = _meet(audit, visitor)
    if legacy.known is None and modern.known is None:
        return _strangers(audit, legacy, modern)
    jobs = [*_jobs(legacy, _legacy), *_jobs(modern, _modern)]
    audit.looks.has_handshake = modern.known is not None or (
        legacy.known is not None and legacy.known.has_session
    )
    _all(audit, [job for job in jobs if job.unless is None], visitor.at_once)
    broken = {finding.rule for finding in audit.findings}
    _all(audit, [job for job in jobs if job.unless and job.unless.id not in broken], visitor.at_once)
    audit.tell("")
    return audit.report()


def _meet(audit: _Audit, visitor: Visitor) -> tuple[Met, Met]:
    """Ordinary sessions; who is known from the first is not waited for as long in the second."""
    audit.tell("an ordinary session")
    legacy = meet(visitor, audit.probing.allowed)
    patience = legacy.visitor.patience if legacy.known else min(visitor.patience, visitor.left / 2)
    audit.tell("an ordinary request without a session")
    modern = _meet_stateless(replace(visitor, patience=patience), audit)
    for met in (legacy, modern):
        audit.add(met.findings)
        audit.looks.uses_client |= met.uses_client
        if met.known is not None:
            audit.looks.note(Pattern.MINIMAL_DECLARATION, is_conclusive=not met.is_doubtful)
            audit.looks.note(Pattern.CLIENT_CAPABILITIES, is_conclusive=True)
            if met.is_doubtful:
                audit.notes.append(
                    "could not tell (what it declares): a list that it declares was not answered"
                )
    if legacy.known is None and modern.known is not None:
        audit.notes.append(f"{legacy.why}: probes of the handshake were left out")
    return legacy, modern


def _meet_stateless(visitor: Visitor, audit: _Audit) -> Met:
    try:
        return meet_stateless(visitor, audit.probing.allowed)
    except NoTimeLeftError as late:
        audit.notes.append(f"could not tell (an ordinary request without a session): {late.message}")
        return Met(visitor, why=late.message)


def _strangers(audit: _Audit, legacy: Met, modern: Met) -> Report:
    """Nothing can be said about a server that opened no session; one that was never there is an error."""
    for met in (legacy, modern):
        if isinstance(met.failure, UnavailableError) and not isinstance(met.failure, NeedsAuthorizationError):
            raise met.failure
    audit.tell("")
    audit.notes += [f"could not tell anything: {why}" for why in dict.fromkeys((legacy.why, modern.why))]
    return audit.report()


def _jobs(met: Met, choose: Callable[[Visitor, Known], list[Probe | Comparison]]) -> list[_Job]:
    if met.known is None:
        return []
    return [_Job(what, met.visitor, met.known) for what in choose(met.visitor, met.known)]


def _legacy(visitor: Visitor, known: Known) -> list[Probe | Comparison]:
    """What there is to find out in the era of the handshake."""
    chosen: list[Probe | Comparison] = [*handshake.ALWAYS, *grants.LEGACY, asking.WITH_EVERYTHING]
    if known.has_session:
        chosen += handshake.IN_SESSIONS
    if visitor.is_over_http:
        chosen += handshake.OVER_HTTP
    if visitor.is_over_http and known.has_session:
        chosen += handshake.IN_SESSIONS_OVER_HTTP
    return [*chosen, asking.CALLED] if known.allowed else chosen


def _modern(visitor: Visitor, known: Known) -> list[Probe | Comparison]:
    """What there is to find out in the era of single requests."""
    chosen: list[Probe | Comparison] = [*stateless.ALWAYS, *grants.STATELESS]
    if visitor.is_over_http:
        chosen += stateless.OVER_HTTP
    return [*chosen, asking.CALLED_STATELESS] if known.allowed else chosen


def _all(audit: _Audit, jobs: list[_Job], at_once: int) -> None:
    """Carry out all of them, so many at a time; then look again where that was in the way."""
    outcomes: dict[int, Outcome] = {}
    waiting = list(enumerate(jobs))[::-1]

    def work() -> None:
        while waiting:
            place, job = waiting.pop()
            audit.tell(f"{place + 1} of {len(jobs)}: {job.what.name}")
            outcomes[place] = job.run()

    in_parallel({str(number): work for number in range(at_once)})
    for place, job in enumerate(jobs):
        _take(audit, job, _second_look(audit, job, outcomes[place]))


def _second_look(audit: _Audit, job: _Job, outcome: Outcome) -> Outcome:
    """Alone this time, where the first look may have suffered from another one at the same time."""
    if outcome.has_left and job.visitor.at_once > 1:
        audit.tell(f"{job.what.name}, once more")
        outcome = job.run()
    if outcome.suspects and isinstance(job.what, Comparison):
        audit.tell(f"{job.what.name}, once more")
        confirmed = confirm(job.what, outcome.suspects, job.visitor, job.known)
        return replace(confirmed, findings=[*outcome.findings, *confirmed.findings])
    return outcome


def _take(audit: _Audit, job: _Job, outcome: Outcome) -> None:
    audit.looks.note(job.what.pattern, is_conclusive=not outcome.why)
    audit.looks.uses_client |= outcome.uses_client
    if outcome.is_late:
        audit.late += 1
    elif outcome.why:
        audit.notes.append(f"could not tell ({job.what.name}): {outcome.why}")
    audit.add(outcome.findings)

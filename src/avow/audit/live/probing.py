"""The audit of a running server: first an ordinary session, then every probe, each on a fresh connection."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from avow.audit.live.headers import contradicting_header
from avow.audit.live.probes import LEGACY, MODERN, Known, Probe, UnansweredError, declared
from avow.audit.live.signature import outside_signature
from avow.audit.live.surface import Surface, look
from avow.audit.live.talk import Talk, envelope, talk
from avow.audit.model import Finding, Pattern
from avow.audit.report import Report
from avow.audit.scorecard import Scorecard, scorecard
from avow.core.target import FileTarget, HttpTarget
from avow.errors import AvowError, ServerTimeoutError, UsageError
from avow.system.connect.options import ConnectOptions
from avow.system.naming import suggest_name
from avow.system.targets import Reachable

_EXTRA: Final = 2.0
_FACTOR: Final = 3.0


@dataclass(frozen=True, slots=True)
class Probing:
    """How long all probes of a server may take, which tools may be called, and whom to tell."""

    timeout: float
    allowed: frozenset[str] = frozenset()
    on_progress: Callable[[str, str], None] | None = None


@dataclass(slots=True)
class _Run:
    """One server under audit: what was found, what was looked at, and when all has to be over."""

    name: str
    reachable: Reachable
    options: ConnectOptions
    end: float
    patience: float
    probing: Probing
    findings: list[Finding] = field(default_factory=list)
    looked: set[Pattern] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    has_asked: bool = False

    def tell(self, words: str) -> None:
        """Say what is going on, to whoever wants to know."""
        if self.probing.on_progress is not None:
            self.probing.on_progress(self.name, words)

    def left(self) -> ConnectOptions:
        """The options with the time that is left."""
        remaining = min(self.options.timeout, self.end - time.monotonic())
        if remaining <= 0:
            raise ServerTimeoutError("no time is left")
        return replace(self.options, timeout=remaining)


def probe(reachable: Reachable, probing: Probing) -> Report:
    """Audit one running server.

    Raises:
        UsageError: it is a file, which nobody can talk to.
        AvowError: it cannot be started or reached, or opens no session in either era.
    """
    target = reachable.launch
    if isinstance(target, FileTarget):
        raise UsageError("a snapshot cannot be probed", hint="name the server itself, or its source")
    name = reachable.name or suggest_name(reachable.target)
    options = ConnectOptions(
        timeout=probing.timeout,
        env=reachable.environment,
        headers=reachable.headers,
        shown=reachable.target,
    )
    run = _Run(name, reachable, options, time.monotonic() + probing.timeout, probing.timeout, probing)
    legacy = _legacy(run)
    modern = _modern(run)
    run.tell("")
    if legacy is None and modern is None:
        raise ServerTimeoutError(
            f"{run.name} opened no session in either era, so that nothing can be said about it",
            hint="`avow inspect` says what it answers; a slow server needs a longer --timeout",
        )
    return Report(run.name, tuple(run.findings), _card(run), notes=tuple(run.notes))


def _legacy(run: _Run) -> Known | None:
    run.tell("an ordinary session")
    began = time.monotonic()
    known: Known | None = None
    with talk(run.reachable.launch, run.left(), run.patience) as opened:
        reply = opened.initialize()
        if reply.result is None:
            run.notes.append("does not open a session with initialize: probes of the handshake were left out")
            return None
        opened.notify("notifications/initialized")
        capabilities = reply.result.get("capabilities")
        surface = look(opened, capabilities if isinstance(capabilities, dict) else {})
        known = _settled(run, opened, surface)
        run.findings.extend(outside_signature(opened, surface))
    # A probe waits as long as an ordinary session took, and some more: silence is an answer, too.
    run.patience = _FACTOR * (time.monotonic() - began) + _EXTRA
    _all(run, LEGACY, known)
    return known


def _settled(run: _Run, opened: Talk, surface: Surface) -> Known:
    again = look(opened, surface.capabilities)
    is_steady = not surface.differences(again)
    if not is_steady:
        run.notes.append("its lists change by themselves: whether they depend on the client cannot be told")
    known = Known(surface, is_steady, run.probing.allowed)
    run.findings.extend(declared(opened, known))
    run.has_asked |= bool(opened.asked)
    run.looked |= {Pattern.MINIMAL_DECLARATION, Pattern.CLIENT_CAPABILITIES}
    return known


def _modern(run: _Run) -> Known | None:
    run.tell("a stateless session")
    with talk(run.reachable.launch, run.left(), run.patience) as opened:
        reply = opened.request("server/discover", envelope())
        if reply.result is None:
            return None
        capabilities = reply.result.get("capabilities")
        params = envelope()
        surface = look(opened, capabilities if isinstance(capabilities, dict) else {}, params)
        is_steady = not surface.differences(look(opened, surface.capabilities, params))
        known = Known(surface, is_steady, run.probing.allowed)
        run.findings.extend(_new(run, declared(opened, known)))
        run.findings.extend(_new(run, outside_signature(opened, surface, params)))
        run.looked |= {Pattern.MINIMAL_DECLARATION, Pattern.CLIENT_CAPABILITIES}
    _all(run, MODERN, known)
    if isinstance(run.reachable.launch, HttpTarget):
        run.findings.extend(contradicting_header(run.reachable.launch, run.left()))
    return known


def _all(run: _Run, probes: Iterable[Probe], known: Known) -> None:
    for each in probes:
        if each.patterns == {Pattern.FEATURE_GRANTS} and not known.is_steady:
            continue
        run.tell(each.name)
        try:
            with talk(run.reachable.launch, run.left(), run.patience) as opened:
                run.findings.extend(_new(run, each.run(opened, known)))
                run.has_asked |= bool(opened.asked)
        except (UnansweredError, AvowError) as exc:
            why = exc.message if isinstance(exc, AvowError) else "the server did not answer"
            run.notes.append(f"could not tell ({each.name}): {why}")
        else:
            run.looked |= each.patterns


def _new(run: _Run, findings: Iterable[Finding]) -> list[Finding]:
    """Findings that the other era did not show already."""
    said = {(finding.rule, finding.message) for finding in run.findings}
    return [finding for finding in findings if (finding.rule, finding.message) not in said]


def _card(run: _Run) -> Scorecard:
    # Nobody can say how a server asks who asked for nothing while we looked.
    unused = frozenset() if run.has_asked else frozenset({Pattern.CLIENT_CAPABILITIES})
    return scorecard(run.findings, looked=run.looked, not_applicable=unused & run.looked)

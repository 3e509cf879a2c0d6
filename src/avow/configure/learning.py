"""Finding out what a server asks for: its declaration, as locked or as it says now, else a diagnosis."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from avow.configure.subject import Subject
from avow.configure.trying import Trial, start_once, with_values
from avow.core.canonical import JsonValue
from avow.core.configuration.model import Configuration
from avow.errors import ServerLaunchError
from avow.system.configuration.known import Known, known_needs
from avow.system.configuration.preflight import Ready, preflight
from avow.system.configuration.values import Sources, resolve
from avow.system.diagnosis.diagnosing import diagnose
from avow.system.diagnosis.starting import Tried
from avow.system.targets import Reachable


@dataclass(frozen=True, slots=True)
class Learning:
    """How to find out: what was locked, where settings are, which values are at hand, and for how long."""

    lockfile: Path
    sources: Sources = field(repr=False)
    timeout: float
    declared: JsonValue = None
    on_progress: Callable[[str], None] | None = field(default=None, repr=False)


def learn(name: str, reachable: Reachable, learning: Learning) -> Subject:
    """What a server asks for and what it has; it is started only when it did not say so when it was locked.

    Raises:
        ServerLaunchError: it does not start, and nobody can say what is missing.
        AvowError: something of it cannot be read.
    """

    def known_with(declared: JsonValue) -> Known:
        return known_needs(name, reachable.target, declared, lockfile=learning.lockfile)

    known, source = known_with(learning.declared), "Its lock entry says what it asks for"
    found, tried, declared = Configuration(), None, learning.declared
    if declared is None:
        tried = _start(reachable, known, learning)
        declared = tried.snapshot.configuration_schema if tried.snapshot else None
        known, source = known_with(declared), "It declares what it asks for"
        if declared is None:
            diagnosis = diagnose(tried.evidence, name)
            found = Configuration.of(diagnosis.parameters, diagnosis.groups)
            source = f"It declares nothing about its configuration. {diagnosis.message}"
    subject = Subject(name, reachable, known, resolve(known, learning.sources), source, declared is not None)
    if not found.parameters:
        if not known.configuration.parameters and tried is not None and tried.error is not None:
            raise ServerLaunchError(
                f"{name} does not start, and nothing says what it would need: {tried.error.message}",
                hint=tried.error.hint,
            )
        return subject
    subject = subject.with_needs(found, source)
    return replace(subject, resolution=resolve(subject.known, learning.sources))


def _start(reachable: Reachable, known: Known, learning: Learning) -> Tried:
    """Start the server with the values that it has."""
    ready = preflight(known, resolve(known, learning.sources))
    if isinstance(ready, Ready):
        reachable = with_values(reachable, ready)
    return start_once(reachable, Trial(learning.timeout, learning.on_progress))

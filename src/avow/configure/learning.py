"""Finding out what a server asks for: its declaration, as locked or as it says now, else a diagnosis."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from avow.configure.subject import Subject, with_needs
from avow.configure.trying import with_values
from avow.core.canonical import JsonValue
from avow.core.configuration.model import Binding, Configuration, Origin, Parameter, Source, Where
from avow.errors import ServerLaunchError
from avow.system.configuration.known import Known, known_needs
from avow.system.configuration.preflight import Ready, preflight
from avow.system.configuration.values import Sources, resolve
from avow.system.diagnosis.examining import Examination, Examined, examine
from avow.system.targets import Reachable

_TURNED_AWAY: Final = re.compile(r"answers HTTP 40[13]\b")


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

    declared, source = learning.declared, "Its lock entry says what it asks for"
    known = known_with(declared)
    if declared is not None:
        return Subject(name, reachable, known, resolve(known, learning.sources), source)
    examined = _examine(name, reachable, known, learning)
    declared = examined.snapshot.configuration_schema if examined.snapshot else None
    if declared is not None:
        known, source = known_with(declared), "It declares what it asks for"
        return Subject(name, reachable, known, resolve(known, learning.sources), source)
    found = examined.diagnosis
    known = with_needs(known, Configuration.of((*found.parameters, *_authorization(examined)), found.groups))
    if not known.configuration.parameters and examined.error is not None:
        raise ServerLaunchError(
            f"{name} does not start, and nothing says what it would need: {examined.error.message}",
            hint=found.message,
        )
    source = f"It declares nothing about its configuration; {found.message}"
    return Subject(name, reachable, known, resolve(known, learning.sources), source, is_declared=False)


def _authorization(examined: Examined) -> Iterator[Parameter]:
    """The header that an HTTP server wants which turns everybody away who has none."""
    error = examined.error
    if error is not None and _TURNED_AWAY.search(error.message):
        yield Parameter(
            "Authorization",
            Binding(Where.HEADER, "Authorization"),
            description="The server turns away who does not say who he is; most want `Bearer` and a token.",
            required=True,
            secret=True,
            source=Source(Origin.OUTPUT, "http", "the status of its answer"),
        )


def _examine(name: str, reachable: Reachable, known: Known, learning: Learning) -> Examined:
    """Start the server with the values that it has, and look at its package."""
    ready = preflight(known, resolve(known, learning.sources))
    if isinstance(ready, Ready):
        reachable = with_values(reachable, ready)
    return examine(reachable, Examination(learning.timeout, on_progress=learning.on_progress), name)

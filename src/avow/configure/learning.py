"""Finding out what a server asks for: its declaration, as locked or as it says now, else a diagnosis."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from avow.configure.subject import Subject
from avow.configure.trying import started_with
from avow.core.canonical import JsonValue
from avow.errors import AvowError
from avow.system.configuration.known import Known, known_needs
from avow.system.configuration.preflight import Ready, preflight
from avow.system.configuration.values import Sources, resolve
from avow.system.connect import ConnectOptions, take_snapshot
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
        AvowError: something of it cannot be read.
    """
    declared, source = learning.declared, "What it asks for is as it was locked"
    known = known_needs(name, reachable.target, declared, lockfile=learning.lockfile)
    if declared is None:
        declared, source = _declared_now(reachable, known, learning), "What it asks for is as it declares now"
        known = known_needs(name, reachable.target, declared, lockfile=learning.lockfile)
    if declared is None:
        source = "It declares nothing about its configuration"
    return Subject(name, reachable, known, resolve(known, learning.sources), source)


def _declared_now(reachable: Reachable, known: Known, learning: Learning) -> JsonValue:
    """What the server declares when it is started with the values that it has."""
    ready = preflight(known, resolve(known, learning.sources))
    if isinstance(ready, Ready):
        reachable = started_with(reachable, ready)
    options = ConnectOptions(
        timeout=learning.timeout,
        env=reachable.environment,
        headers=reachable.headers,
        shown=reachable.target,
        on_progress=learning.on_progress,
    )
    try:
        return take_snapshot(reachable.launch, options).configuration_schema
    except AvowError:
        return None

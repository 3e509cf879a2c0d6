"""Looking at a server: what it showed, and which package it is; nothing here compares anything.

What compares takes longer to import than many a server to start, so that a command can do the one while
it waits for the other.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from avow.core.artifact import Artifact
from avow.core.canonical import Digest
from avow.core.snapshot import Era
from avow.core.target import StdioTarget
from avow.errors import AvowError
from avow.system.connect import ConnectOptions, Observation, observe
from avow.system.naming import suggest_name
from avow.system.processes import child_environment
from avow.system.targets import Reachable


@dataclass(frozen=True, slots=True)
class Looking:
    """How to look: for how long, whether also with other eyes, and whom to tell about progress.

    An `era` that is known is the one in which the server is spoken to, as its clients do. Lists with the
    `expected` digest are believed without waiting long for news.
    """

    timeout: float
    thorough: bool = False
    era: Era | None = None
    expected: Digest | None = None
    on_progress: Callable[[str, str], None] | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """What a server showed, and the installed package it was started from, when that is known.

    `given` holds the values that it got from its user, by name: they must not show in any report.
    """

    observation: Observation
    artifact: Artifact | None = None
    given: Mapping[str, str] = field(default_factory=dict, repr=False)


Looked: TypeAlias = Seen | AvowError


def look_at(reachable: Reachable, looking: Looking) -> Seen:
    """Connect to a server; what comes back says the target that may be stored.

    Raises:
        AvowError: it could not be looked at, or its answer is malformed.
    """
    tell = looking.on_progress
    options = ConnectOptions(
        timeout=looking.timeout,
        env=reachable.environment,
        headers=reachable.headers,
        shown=reachable.target,
        era=looking.era,
        expected=looking.expected,
        on_progress=None if tell is None else lambda text: tell(label(reachable), text),
    )
    try:
        seen = observe(reachable.launch, options, thorough=looking.thorough)
    finally:
        options.progress("")
    if reachable.launch != reachable.target:
        others = (
            replace(look, snapshot=replace(look.snapshot, target=reachable.target)) for look in seen.others
        )
        seen = Observation(replace(seen.first, target=reachable.target), tuple(others))
    # Late, since the server was waiting to be started.
    from avow.system.given import given_to

    return Seen(seen, _package_of(reachable), given_to(reachable))


def try_to_look(reach: Callable[[], Reachable], looking: Looking) -> Looked:
    """The same, with every failure to look as a value."""
    try:
        return look_at(reach(), looking)
    except AvowError as error:
        return error


def label(reachable: Reachable) -> str:
    """What to call a server that may have no name yet."""
    return reachable.name or suggest_name(reachable.target)


def _package_of(reachable: Reachable) -> Artifact | None:
    """The installed package that the server's command starts; known only once it has been started."""
    if not isinstance(reachable.launch, StdioTarget):
        return None
    from avow.system.artifacts import find_artifact

    environment = child_environment(reachable.launch.env, reachable.environment)
    return find_artifact(reachable.launch, environment)

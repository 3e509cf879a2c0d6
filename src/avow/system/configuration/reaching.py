"""A server that can be reached, with what its user stored for it."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from avow.core.target import HttpTarget, StdioTarget, Target
from avow.errors import AvowError
from avow.system.configuration.starting import Start, filled, gather, prepare
from avow.system.naming import suggest_name
from avow.system.targets import Reachable

if TYPE_CHECKING:
    from avow.system.configuration.preflight import Ready


def configured(reachable: Reachable, start: Start, flags: Mapping[str, str]) -> Reachable:
    """The server with everything that it needs; of `flags` it gets what it declares.

    Raises:
        ConfigurationNeededError: something is missing, or does not fit.
        AvowError: what is known about it cannot be read.
    """
    ready = prepare(start, {**flags, **_given(reachable)})
    if isinstance(ready, AvowError):
        raise ready
    return _with(reachable, ready)


def with_stored(reachable: Reachable, lockfile: Path | None, name: str = "") -> Reachable:
    """The server with whatever there is for it, under `name`, its own name, or the one it would be given.

    What is stored belongs to one way to start a server, so that a name alone gets nobody anything.

    Raises:
        AvowError: what is known about it cannot be read.
    """
    called = name or reachable.name or suggest_name(reachable.target)
    start = Start(called, reachable.target, lockfile=lockfile)
    return _with(reachable, gather(start, _given(reachable)))


def _given(reachable: Reachable) -> dict[str, str]:
    return {**reachable.environment, **reachable.headers}


def _with(reachable: Reachable, ready: "Ready | None") -> Reachable:
    if ready is None:
        return reachable
    given = {name.lower() for name in reachable.headers}
    return replace(
        reachable,
        target=_naming(reachable.target, ready),
        launch=filled(reachable.launch, ready),
        environment={**ready.environment, **reachable.environment},
        headers={
            **{name: value for name, value in ready.headers.items() if name.lower() not in given},
            **reachable.headers,
        },
    )


def _naming(target: Target, ready: "Ready") -> Target:
    """The target with the names of what is filled in: whoever gets the lockfile sees what a server needs."""
    match target:
        case StdioTarget():
            return replace(target, env=tuple(sorted({*target.env, *ready.environment})))
        case HttpTarget():
            known = {name.lower() for name in target.headers}
            more = (name for name in ready.headers if name.lower() not in known)
            return replace(target, headers=(*target.headers, *sorted(more)))
        case _:
            return target

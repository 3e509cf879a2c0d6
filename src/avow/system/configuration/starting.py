"""What a server is started with, or why it is not started: the whole way from what is known to an answer.

Most servers have nothing stored, declared or set: for these nothing is loaded, since a client waits.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from avow.core.canonical import JsonValue
from avow.core.target import HttpTarget, StdioTarget, Target
from avow.system.configuration.places import files_of
from avow.system.configuration.variables import target_names
from avow.system.settings import has_server_settings

if TYPE_CHECKING:
    from avow.system.configuration.known import Known
    from avow.system.configuration.preflight import ConfigurationNeededError, Ready
    from avow.system.configuration.values import Resolution


@dataclass(frozen=True, slots=True)
class Start:
    """A server about to be started; `lockfile` is None where settings beside it must not count.

    With `one_of_many` a preset is asked for that only some of the servers have.
    """

    name: str
    target: Target
    declared: JsonValue = None
    lockfile: Path | None = None
    preset: str = ""
    one_of_many: bool = False


def prepare(start: Start, flags: Mapping[str, str]) -> "Ready | ConfigurationNeededError | None":
    """What the server gets besides its target and `flags`; None where that is nothing.

    Raises:
        AvowError: what is known about it cannot be read.
    """
    if _needs_nothing(start, flags):
        return None
    from avow.system.configuration.preflight import preflight

    return preflight(*_found(start, flags))


def gather(start: Start, flags: Mapping[str, str]) -> "Ready | None":
    """The same as far as it goes, for those who want to look at a server whatever it lacks.

    Raises:
        AvowError: what is known about it cannot be read.
    """
    if _needs_nothing(start, flags):
        return None
    from avow.system.configuration.preflight import as_far_as_known

    return as_far_as_known(*_found(start, flags))


def filled(target: Target, ready: "Ready | None") -> Target:
    """The target with the arguments and the variables of its address that the user gave."""
    if ready is None:
        return target
    match target:
        case StdioTarget() if ready.arguments or ready.runtime_arguments:
            from avow.system.naming import server_words

            place = server_words(target.command, target.args).start
            runtime = (*target.args[:place], *ready.runtime_arguments, *target.args[place:])
            return replace(target, args=(*runtime, *ready.arguments))
        case HttpTarget() if ready.url_variables:
            url = target.url
            for name, value in ready.url_variables.items():
                url = url.replace(f"{{{name}}}", value)
            return replace(target, url=url)
        case _:
            return target


def _found(start: Start, flags: Mapping[str, str]) -> "tuple[Known, Resolution]":
    from avow.system.configuration.known import known_needs
    from avow.system.configuration.values import Sources, resolve

    known = known_needs(start.name, start.target, start.declared, lockfile=start.lockfile)
    preset = "" if start.one_of_many and start.preset not in known.project.presets else start.preset
    return known, resolve(known, Sources(flags, os.environ, preset))


def _needs_nothing(start: Start, flags: Mapping[str, str]) -> bool:
    return (
        start.declared is None
        and not start.preset
        and not files_of(start.name)
        and all(name in flags or name in os.environ for name in target_names(start.target))
        and not (start.lockfile is not None and has_server_settings(start.lockfile))
    )

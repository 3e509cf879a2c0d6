"""What is known about a server's needs before it starts: its declaration, earlier answers, the project."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from avow.core.canonical import Digest, JsonValue
from avow.core.configuration.hazards import shown
from avow.core.configuration.model import (
    Binding,
    Configuration,
    Origin,
    Parameter,
    Source,
    Style,
    Where,
)
from avow.core.configuration.project import ProjectConfiguration
from avow.core.configuration.wire import read_schema
from avow.core.credentials import is_credential_name
from avow.core.target import HttpTarget, StdioTarget, Target
from avow.errors import DeclarationError, UsageError
from avow.system.configuration.identity import Identity, identify
from avow.system.configuration.remembered import Remembered, namesakes, recall
from avow.system.configuration.variables import target_names
from avow.system.naming import server_words
from avow.system.settings import read_server_settings

# The source of a parameter that only the target names: somebody approved that the server gets it.
OF_THE_TARGET: Final = Source(Origin.DECLARATION, "target")

_OF_THE_PROJECT: Final = Source(Origin.MANIFEST, "avow.toml")
_VARIABLE: Final = re.compile(r"[A-Z_][A-Z0-9_]*")


@dataclass(frozen=True, slots=True)
class Known:
    """A server's needs, and everything that was said about them earlier.

    What the command of the target says itself is not asked for. `namesake` is true when values are stored
    for another server of this name. `place` is the directory of the settings that `project` is from.
    """

    identity: Identity
    target: Target
    configuration: Configuration
    remembered: Remembered | None = None
    namesake: bool = False
    project: ProjectConfiguration = field(default_factory=ProjectConfiguration)
    place: Path | None = None

    @property
    def seen(self) -> dict[str, Digest]:
        """What somebody has seen who was shown this: the settings, by their directory."""
        return {} if self.place is None else {str(self.place): self.project.digest}

    @property
    def is_unseen(self) -> bool:
        """Whether there are values in the settings that nobody has agreed to beside what is stored."""
        speaks = self.project.values or any(self.project.presets.values())
        return (
            bool(speaks)
            and self.remembered is not None
            and not self.seen.items() <= self.remembered.seen.items()
        )


def known_needs(
    name: str, target: Target, declared: JsonValue = None, *, lockfile: Path | None = None
) -> Known:
    """Put together what is known of a server; `declared` is its configuration schema as it was locked.

    The settings beside `lockfile` count; without one, none do. A parameter that is declared is taken as
    declared; what was found out about others is added, and so is every variable, placeholder and header
    that the target names.

    Raises:
        AvowError: something of it cannot be read, or the settings set what the server does not have.
    """
    identity = identify(name, target)
    remembered = recall(identity)
    project = ProjectConfiguration() if lockfile is None else read_server_settings(lockfile, name)
    found = _merged(_declared(declared), remembered)
    found = _without(found, {one.key for one in found if _is_said(one, target)})
    return Known(
        identity,
        target,
        _with_project(_with_target(found, target), project, name),
        remembered,
        namesake=remembered is None and bool(namesakes(identity)),
        project=project,
        place=None if lockfile is None else lockfile.absolute().parent.resolve(),
    )


def _declared(schema: JsonValue) -> Configuration:
    """The declaration; one that cannot be read says nothing, and is nobody's reason to refuse a server."""
    try:
        return Configuration() if schema is None else read_schema(schema)
    except DeclarationError:
        return Configuration()


def _merged(declared: Configuration, remembered: Remembered | None) -> Configuration:
    if remembered is None:
        return declared
    others = remembered.configuration
    # What was declared when somebody answered, and is declared no more, is not needed any longer.
    added = {
        key: one
        for key, one in others.parameters.items()
        if key not in declared.parameters
        and (not declared.parameters or one.source.origin is not Origin.DECLARATION)
    }
    parameters = {**declared.parameters, **added}
    groups = (group for group in others.groups if all(key in parameters for way in group.ways for key in way))
    return Configuration(parameters, tuple(dict.fromkeys((*declared.groups, *groups))))


def _without(configuration: Configuration, keys: set[str]) -> Configuration:
    if not keys:
        return configuration
    groups = (
        replace(group, ways=tuple(tuple(key for key in way if key not in keys) for way in group.ways))
        for group in configuration.groups
    )
    return Configuration(
        {key: one for key, one in configuration.parameters.items() if key not in keys},
        # A way of which nothing is left to be given is one that is satisfied.
        tuple(group for group in groups if all(group.ways)),
    )


def _is_said(parameter: Parameter, target: Target) -> bool:
    """Whether the command itself gives the value; in doubt it does, since somebody approved it like that."""
    if not isinstance(target, StdioTarget):
        return False
    name, where = parameter.binding.name, parameter.binding.where
    if where is Where.ENV:
        return any(word.startswith(f"{name}=") for word in target.args)
    if where is not Where.ARGUMENT:
        return False
    place = server_words(target.command, target.args)
    if parameter.binding.style is Style.NAMED:
        return any(word == name or word.startswith(f"{name}=") for word in target.args)
    return not parameter.binding.runtime and any(
        not word.startswith("-") for word in target.args[place.stop :]
    )


def _with_target(configuration: Configuration, target: Target) -> Configuration:
    taken = {
        name
        for one in configuration
        for binding in (one.binding, *one.also)
        for name in (binding.name.lower(), *map(str.lower, one.aliases))
    }
    named = [one for one in _of_target(target) if one.binding.name.lower() not in taken]
    return Configuration(
        {**configuration.parameters, **{one.key: one for one in named}}, configuration.groups
    )


def _of_target(target: Target) -> Iterator[Parameter]:
    for name in target_names(target):
        secret = is_credential_name(name)
        yield Parameter(name, Binding(Where.ENV, name), required=True, secret=secret, source=OF_THE_TARGET)
    if isinstance(target, HttpTarget):
        for name in target.headers:
            yield Parameter(name, Binding(Where.HEADER, name), secret=True, source=OF_THE_TARGET)


def _with_project(configuration: Configuration, project: ProjectConfiguration, name: str) -> Configuration:
    """What the settings set: parameters of the server, and variables that nobody else knows of."""
    tables: tuple[Mapping[str, object], ...] = (project.values, *project.presets.values())
    added = {}
    for key in {key for table in tables for key in table} - configuration.parameters.keys():
        if _VARIABLE.fullmatch(key) is None:
            raise _unknown(key, configuration, name)
        added[key] = Parameter(key, Binding(Where.ENV, key), source=_OF_THE_PROJECT)
    if secrets := project.secrets(configuration):
        raise UsageError(
            f"the settings hold {shown(', '.join(secrets), 200)} of {name}, which is a secret",
            hint=f"remove it, and run `avow configure {name}`",
        )
    return Configuration({**configuration.parameters, **dict(sorted(added.items()))}, configuration.groups)


def _unknown(key: str, configuration: Configuration, name: str) -> UsageError:
    from difflib import get_close_matches

    close = get_close_matches(key, list(configuration.parameters), 1)
    hint = f"did you mean {shown(close[0], 60)!r}?" if close else "a variable is written in capital letters"
    return UsageError(f"{shown(key, 60)!r} in the settings is no parameter of {name}", hint=hint)

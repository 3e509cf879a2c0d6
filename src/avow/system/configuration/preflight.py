"""May this server start? The one answer, and the one message, for run, the gateway, check and doctor."""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from avow.core.canonical import JsonObject
from avow.core.configuration.constraints import broken
from avow.core.configuration.hazards import is_secret, is_secret_value, shown
from avow.core.configuration.model import Configuration, Group, Parameter, Where
from avow.core.configuration.values import Missing, apply, missing, problems, too_many
from avow.errors import AvowError, UsageError
from avow.system.configuration.known import OF_THE_TARGET, Known
from avow.system.configuration.paths import look
from avow.system.configuration.values import Layer, Resolution

# The number of JSON-RPC errors that Avow gives instead of a server; `data.avow.reason` says which.
CONFIGURATION_NEEDED: Final = -32010

_KINDS: Final = {Where.URL_VARIABLE: "other"}


@dataclass(frozen=True, slots=True)
class Problem:
    """A parameter that is missing or does not fit: what it is called, how it is given, and why in words.

    `kind` is one of `env`, `argument`, `header`, `file` and `other`; a parameter that is simply not there
    has no `reason`. With `ways` it is one of several ways to give the server what it needs. `source` is
    how we know that it is needed, as reports say it; `target` where only the command or address names it.
    """

    name: str
    kind: str
    sensitive: bool
    reason: str = ""
    description: str = ""
    ways: tuple[tuple[str, ...], ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class Ready:
    """Everything is there: what the server is started with, besides its target.

    `secrets` are those of the values, by key, that must not show in any report.
    """

    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    arguments: tuple[str, ...] = field(default=(), repr=False)
    runtime_arguments: tuple[str, ...] = field(default=(), repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    url_variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)


class ConfigurationNeededError(AvowError):
    """A server cannot be started as it is configured; the text and `data` name everything that is missing.

    `data` is the member of a JSON-RPC error with the code `CONFIGURATION_NEEDED`:
    `{"avow": {"reason": "configuration", "server", "missing": [{"name", "kind", "sensitive"}],
    "next": "avow configure NAME"}}`, with `"invalid": [{"name", "kind", "sensitive", "rule"}]` and
    `"violated": ["…"]` where there are such.
    """

    def __init__(
        self,
        server: str,
        missing: tuple[Problem, ...] = (),
        invalid: tuple[Problem, ...] = (),
        violated: tuple[str, ...] = (),
    ) -> None:
        """Put all of it into one message."""
        self.server = server
        self.missing = missing
        self.invalid = invalid
        self.violated = violated
        self.next = f"avow configure {shlex.quote(server)}"
        super().__init__(f"{server} cannot start: {self._text()}", hint=self._hint())

    @property
    def data(self) -> JsonObject:
        """What a client's program reads."""
        found: JsonObject = {
            "reason": "configuration",
            "server": self.server,
            "missing": [_document(one) for one in self.missing],
            "next": self.next,
        }
        if self.invalid:
            found["invalid"] = [{**_document(one), "rule": one.reason} for one in self.invalid]
        if self.violated:
            found["violated"] = list(self.violated)
        return {"avow": found}

    def _text(self) -> str:
        plain = [one.name for one in self.missing if not one.ways]
        parts = [f"{_listed(plain)} {'is' if len(plain) == 1 else 'are'} not set"] if plain else []
        choices = dict.fromkeys(one.ways for one in self.missing if one.ways)
        parts += [f"one of these has to be set: {', or '.join(map(_listed, ways))}" for ways in choices]
        reasons = dict.fromkeys(one.reason for one in self.missing if one.reason)
        return "; ".join((*parts, *reasons, *(one.reason for one in self.invalid), *self.violated))

    def _hint(self) -> str:
        variable = next((one.name for one in self.missing if one.kind == "env"), "")
        direct = f", or pass it with -e {variable}=..." if variable else ""
        return f"run `{self.next}`{direct}"


Preflight: TypeAlias = Ready | ConfigurationNeededError


def preflight(known: Known, resolution: Resolution) -> Preflight:
    """Whether the values suffice for the server to start, and what it is then started with."""
    configuration, given = known.configuration, resolution.given
    name = known.identity.name
    absent = tuple(
        _missing(one, resolution) for one in missing(configuration, given) if _can_tell(one.parameter)
    )
    # What comes from the server itself is not measured by its own rules.
    chosen = {key: one.value for key, one in resolution.values.items() if one.layer is not Layer.DEFAULT}
    wrong = problems(configuration, chosen, look=look)
    invalid = tuple(_problem(configuration.parameters[key], reason) for key, reason in wrong.items())
    violated = (
        *(one.message for one in broken(known.project.constraints, given)),
        *(_one_way(group) for group in too_many(configuration, given)),
    )
    if absent or invalid or violated:
        return ConfigurationNeededError(name, absent, invalid, violated)
    try:
        return _ready(known, resolution)
    except UsageError as error:
        return ConfigurationNeededError(name, violated=(error.message,))


def as_far_as_known(known: Known, resolution: Resolution) -> Ready:
    """What the server is started with by somebody who wants to see it whatever is missing."""
    try:
        return _ready(known, resolution)
    except UsageError:
        return Ready()


def _ready(known: Known, resolution: Resolution) -> Ready:
    handed = {key: one for key, one in resolution.values.items() if not one.comes_by_itself}
    own = Configuration(
        {
            # A default that was not found good enough to be a value is not handed over either.
            key: one if key in handed else replace(one, default=None, fixed=None)
            for key, one in known.configuration.parameters.items()
            if key in handed or key not in resolution.values
        }
    )
    given = {key: one.value for key, one in handed.items() if one.layer is not Layer.DEFAULT}
    remembered = known.remembered.insisted if known.remembered else ()
    flags = (key for key, one in handed.items() if one.layer is Layer.FLAG)
    applied = apply(own, given, insisted=frozenset((*remembered, *flags)))
    return Ready(
        applied.env,
        tuple(applied.arguments),
        tuple(applied.runtime_arguments),
        applied.headers,
        applied.url_variables,
        {
            key: one.value if isinstance(one.value, str) else "\n".join(one.value)
            for key, one in handed.items()
            if is_secret_value(one.parameter, one.value)
        },
    )


def _can_tell(parameter: Parameter) -> bool:
    """Whether we would know that a value is there: not, where a person puts it into a file or elsewhere."""
    places = (parameter.binding, *parameter.also)
    return any(place.where not in (Where.FILE, Where.OTHER) for place in places)


def _missing(one: Missing, resolution: Resolution) -> Problem:
    key = one.parameter.key
    reason = next((found.reason for found in resolution.withheld if found.key == key), "")
    return _problem(one.parameter, reason, one.group)


def _problem(parameter: Parameter, reason: str, group: Group | None = None) -> Problem:
    where = parameter.binding.where
    ways = () if group is None else tuple(tuple(shown(key, 80) for key in way) for way in group.ways)
    return Problem(
        shown(parameter.binding.name or parameter.key, 80),
        _KINDS.get(where, str(where)),
        is_secret(parameter),
        reason,
        shown(parameter.description, 300),
        ways,
        "target" if parameter.source == OF_THE_TARGET else str(parameter.source.origin),
    )


def _document(problem: Problem) -> JsonObject:
    return {"name": problem.name, "kind": problem.kind, "sensitive": problem.sensitive}


def _one_way(group: Group) -> str:
    ways = ", or ".join(_listed([shown(key, 80) for key in way]) for way in group.ways)
    return f"only one of these may be set: {ways}"


def _listed(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last

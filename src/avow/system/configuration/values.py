"""The value of each parameter and where it comes from: flag > environment > project > store > default."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Final

from avow.core.configuration.checks import Value
from avow.core.configuration.hazards import is_secret, is_secret_value, risky_default, sets_loader, shown
from avow.core.configuration.model import Parameter, Where
from avow.system.configuration.known import OF_THE_TARGET, Known
from avow.system.configuration.remembered import Remembered
from avow.system.configuration.variables import target_names
from avow.system.processes import INHERITED, INHERITED_PREFIXES
from avow.system.secret_store import SecretStore, SecretStoreError, StoreKind, open_store

_MASK: Final = "****"
# Of a long secret its owner recognises the end; of a short one that would be too much.
_LONG: Final = 16
_TAIL: Final = 4


class Layer(StrEnum):
    """Where a value comes from, the strongest first."""

    FLAG = "flag"
    ENVIRONMENT = "environment"
    PROJECT = "project"
    STORE = "store"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Resolved:
    """A parameter with its value; `place` says in words where that is from."""

    parameter: Parameter
    layer: Layer
    place: str
    value: Value = field(repr=False)

    @property
    def comes_by_itself(self) -> bool:
        """Whether the server gets it without us: inherited, or named by its target and found there."""
        if self.parameter.source == OF_THE_TARGET:
            return self.layer in (Layer.FLAG, Layer.ENVIRONMENT)
        return self.layer is Layer.ENVIRONMENT and is_inherited(self.parameter.binding.name)


@dataclass(frozen=True, slots=True)
class Withheld:
    """A value that is there and was not used, and why; the words never repeat it."""

    key: str
    layer: Layer
    reason: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """Every parameter that has a value, by key, and what was there but not used."""

    values: Mapping[str, Resolved] = field(default_factory=dict)
    withheld: tuple[Withheld, ...] = ()

    @property
    def given(self) -> dict[str, Value]:
        """The values alone."""
        return {key: resolved.value for key, resolved in self.values.items()}


@dataclass(frozen=True, slots=True)
class Sources:
    """Where to look besides what is known: values by key or by name, our environment, a preset's name.

    With `shows_defaults` somebody sees them before anything starts; else new ones stand beside no secret.
    """

    flags: Mapping[str, Value] = field(default_factory=dict, repr=False)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    preset: str = ""
    shows_defaults: bool = False


@dataclass(frozen=True, slots=True)
class Explained:
    """One line of `configure --where`: a parameter, where its value is from, and what may be shown of it.

    `layer` is None for a parameter without a value.
    """

    parameter: Parameter
    layer: Layer | None
    place: str
    shown: str
    withheld: tuple[Withheld, ...] = ()


def resolve(
    known: Known, sources: Sources, store: Callable[[StoreKind], SecretStore] = open_store
) -> Resolution:
    """Find the value of each parameter.

    Our environment is used only for variables that the target names or that somebody agreed to; stored
    values only for the server that they were stored for, and only beside settings that its owner has
    agreed to; those of loaders only where somebody insisted.

    Raises:
        UsageError: there is no such preset.
    """
    search = _Search(known, sources, store)
    values: dict[str, Resolved] = {}
    withheld: list[Withheld] = []
    for parameter in known.configuration:
        for found in search.all_of(parameter):
            if isinstance(found, Withheld):
                withheld.append(found)
            else:
                values[parameter.key] = found
                break
    return Resolution(values, tuple(withheld))


def explain(known: Known, resolution: Resolution) -> tuple[Explained, ...]:
    """Where each parameter's value comes from, in the order of the parameters; secrets are masked."""
    return tuple(_explained(parameter, resolution) for parameter in known.configuration)


def is_inherited(name: str) -> bool:
    """Whether every server gets this variable from our environment."""
    return name in INHERITED or name.startswith(INHERITED_PREFIXES)


class _Search:
    """One look for the values of one server."""

    def __init__(self, known: Known, sources: Sources, store: Callable[[StoreKind], SecretStore]) -> None:
        self._known = known
        self._sources = sources
        self._flags = {name.lower(): value for name, value in sources.flags.items()}
        self._project = known.project.values_in(sources.preset)
        self._remembered = known.remembered or Remembered(known.identity.name, known.identity.digest)
        self._named = target_names(known.target)
        self._store = cache(store)
        self._is_foreign = bool(self._project) and known.is_unseen

    def all_of(self, parameter: Parameter) -> Iterator[Resolved | Withheld]:
        """What there is for a parameter, the strongest first."""
        yield from self._flag(parameter)
        yield from self._variable(parameter)
        yield from self._of_project(parameter)
        yield from self._stored(parameter)
        yield from self._default(parameter)

    def _flag(self, parameter: Parameter) -> Iterator[Resolved]:
        for name in _names(parameter):
            if name in self._sources.flags:
                yield Resolved(parameter, Layer.FLAG, "given at start", self._sources.flags[name])
            elif parameter.binding.where is Where.HEADER and name.lower() in self._flags:
                yield Resolved(parameter, Layer.FLAG, "given at start", self._flags[name.lower()])

    def _variable(self, parameter: Parameter) -> Iterator[Resolved | Withheld]:
        if parameter.binding.where is not Where.ENV:
            return
        for name in (parameter.binding.name, *parameter.aliases):
            value = self._sources.environment.get(name)
            if value is None:
                continue
            if is_inherited(name) or name in self._named:
                yield Resolved(parameter, Layer.ENVIRONMENT, f"the variable {shown(name, 80)}", value)
            elif sets_loader(parameter) and parameter.key not in self._remembered.insisted:
                yield Withheld(parameter.key, Layer.ENVIRONMENT, _LOADER)
            elif name in self._remembered.environment and not self._is_foreign:
                yield Resolved(parameter, Layer.ENVIRONMENT, f"the variable {shown(name, 80)}", value)
            else:
                reason = (
                    f"{shown(name, 80)} is set in the environment, "
                    f"and nobody has agreed that {self._known.identity.name} gets it"
                )
                yield Withheld(parameter.key, Layer.ENVIRONMENT, reason)

    def _of_project(self, parameter: Parameter) -> Iterator[Resolved | Withheld]:
        if parameter.key not in self._project:
            return
        if sets_loader(parameter) and parameter.key not in self._remembered.insisted:
            yield Withheld(parameter.key, Layer.PROJECT, _LOADER)
        else:
            place = f"the settings in {self._known.place}"
            yield Resolved(parameter, Layer.PROJECT, place, self._project[parameter.key])

    def _stored(self, parameter: Parameter) -> Iterator[Resolved | Withheld]:
        key, remembered = parameter.key, self._remembered
        if key not in remembered.values and key not in remembered.secrets:
            if self._known.namesake:
                reason = (
                    f"what is stored under {self._known.identity.name} "
                    "is for another command, address or directory"
                )
                yield Withheld(key, Layer.STORE, reason)
        elif self._is_foreign:
            reason = (
                f"what is stored is not used with the settings in {self._known.place}: nobody has agreed to "
                "them yet, or they have changed since; `avow configure` shows them"
            )
            yield Withheld(key, Layer.STORE, reason)
        elif sets_loader(parameter) and key not in remembered.insisted:
            yield Withheld(key, Layer.STORE, _LOADER)
        elif not self._goes_where_it_went(parameter):
            reason = f"{shown(key, 80)} was stored to be handed over in another way than is declared now"
            yield Withheld(key, Layer.STORE, reason)
        elif key in remembered.values and not is_secret(parameter):
            yield Resolved(parameter, Layer.STORE, "stored by `avow configure`", remembered.values[key])
        elif key in remembered.secrets:
            yield self._secret(parameter, remembered.secrets[key])

    def _default(self, parameter: Parameter) -> Iterator[Resolved | Withheld]:
        """What the declaration says, which may be that of a lockfile that somebody else wrote."""
        for found in _default(parameter):
            before = self._remembered.configuration.parameters.get(parameter.key)
            is_known = before is not None and _gives(before) == _gives(parameter)
            is_alone = not self._remembered.secrets and not self._remembered.environment
            if is_known or is_alone or self._sources.shows_defaults:
                yield found
            else:
                reason = "the default is not the one that was there when somebody configured the server"
                yield Withheld(parameter.key, Layer.DEFAULT, reason)

    def _goes_where_it_went(self, parameter: Parameter) -> bool:
        """Whether a value is handed over as when it was stored: not as an argument, what was a variable."""
        before = self._remembered.configuration.parameters.get(parameter.key)
        return before is None or _places(before) == _places(parameter)

    def _secret(self, parameter: Parameter, kind: StoreKind) -> Resolved | Withheld:
        try:
            store = self._store(kind)
            value = store.get(str(self._known.identity), parameter.key)
            if value is not None:
                several = tuple(value.split("\n")) if parameter.multiple else value
                return Resolved(parameter, Layer.STORE, str(store.describe()), several)
        except SecretStoreError as error:
            reason = f"{error.message} ({error.hint})" if error.hint else error.message
            return Withheld(parameter.key, Layer.STORE, reason)
        return Withheld(parameter.key, Layer.STORE, "it was stored, and is there no more")


_LOADER: Final = "such a variable decides which code runs, what is trusted, or where traffic goes"


def _default(parameter: Parameter) -> Iterator[Resolved]:
    if parameter.fixed is not None:
        yield Resolved(parameter, Layer.DEFAULT, "fixed", parameter.fixed)
    elif parameter.default is not None and risky_default(parameter) is None:
        from avow.core.configuration.checks import written

        default = parameter.default
        value = (
            tuple(written(parameter, one) for one in default)
            if isinstance(default, tuple)
            else written(parameter, default)
        )
        yield Resolved(parameter, Layer.DEFAULT, "the server's default", value)


def _gives(parameter: Parameter) -> tuple[object, ...]:
    """What a declaration hands over by itself, and how."""
    return parameter.default, parameter.fixed, parameter.type, parameter.binding, parameter.also


def _places(parameter: Parameter) -> set[tuple[Where, str]]:
    return {(binding.where, binding.name) for binding in (parameter.binding, *parameter.also)}


def _names(parameter: Parameter) -> tuple[str, ...]:
    return tuple(dict.fromkeys((parameter.key, parameter.binding.name, *parameter.aliases)))


def _explained(parameter: Parameter, resolution: Resolution) -> Explained:
    withheld = tuple(one for one in resolution.withheld if one.key == parameter.key)
    resolved = resolution.values.get(parameter.key)
    if resolved is None:
        return Explained(parameter, None, "", "", withheld)
    return Explained(parameter, resolved.layer, resolved.place, masked(parameter, resolved.value), withheld)


def masked(parameter: Parameter, value: Value) -> str:
    """A value as it may be shown: of a secret only that there is one, and the end of a long one."""
    text = value if isinstance(value, str) else ", ".join(value)
    if not is_secret_value(parameter, value):
        return shown(text, 200)
    return _MASK + (shown(text[-_TAIL:]) if len(text) >= _LONG else "")

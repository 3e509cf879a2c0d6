"""Where a server's configuration comes from, and what is wrong with what is there. No value is ever told."""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ValidationError

from avow.core.configuration.checks import Value, parse, problem, problems, texts_of
from avow.core.configuration.hazards import is_secret, shown
from avow.core.configuration.model import Configuration, Parameter, Scalar, ValueType, Where
from avow.core.configuration.needs import missing, too_many
from avow.errors import DeclarationError
from avow.server.configuration_arguments import read_given
from avow.server.configuration_settings import Field, settings_fields
from avow.system.configuration.paths import look

if TYPE_CHECKING:
    from avow.system.configuration.preflight import ConfigurationNeededError, Problem

_KINDS: Final = {Where.URL_VARIABLE: "other"}
# What a program cannot see of itself is not its own to miss.
_UNSEEN: Final = (Where.HEADER, Where.URL_VARIABLE, Where.FILE, Where.OTHER)
_FIELD: Final = re.compile(r'field "([A-Za-z_][A-Za-z0-9_]{0,200})"')


@dataclass
class Findings:
    """What is missing, what breaks a rule, and what is wrong with the whole."""

    missing: list[Parameter] = field(default_factory=list)
    invalid: list[tuple[Parameter, str]] = field(default_factory=list)
    violated: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.missing or self.invalid or self.violated)

    @property
    def sentence(self) -> str:
        """All of it in words, every parameter by its name."""
        names = [_name(one) for one in self.missing]
        parts = [f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} not set"] if names else []
        return "; ".join((*parts, *(rule for _, rule in self.invalid), *self.violated))

    def error(self, server: str) -> "ConfigurationNeededError":
        """The same as `avow run` answers with when it does not start a server."""
        from avow.system.configuration.preflight import ConfigurationNeededError

        return ConfigurationNeededError(
            server,
            tuple(_problem(one) for one in self.missing),
            tuple(_problem(one, rule) for one, rule in self.invalid),
            tuple(self.violated),
        )


class FromSettings:
    """A pydantic-settings class."""

    def __init__(self, model: type[BaseModel]) -> None:
        """Work out what it reads.

        Raises:
            DeclarationError: it reads nothing from the environment.
        """
        if not hasattr(model, "settings_customise_sources"):
            raise DeclarationError(
                f"{model.__name__} is a model, but reads no environment",
                hint="derive it from pydantic_settings.BaseSettings",
            )
        self.model = model
        self.value: Any = None
        self._fields = settings_fields(model)
        self.configuration = Configuration.of(one.parameter for one in self._fields)

    def look(self, findings: Findings) -> None:
        """Read the settings, or add what is wrong with them."""
        try:
            value = self.model()
        except ValidationError as exc:
            for error in exc.errors(include_input=False, include_url=False, include_context=False):
                self._add(findings, tuple(map(str, error["loc"])), error["type"])
            return
        except ValueError as exc:
            # What pydantic-settings raises where the environment should hold JSON and does not.
            found = _FIELD.search(str(exc))
            self._add(findings, (found[1],) if found else (), "json")
            return
        unfit = list(self._unfit())
        findings.invalid += unfit
        self.value = None if unfit else value

    def _add(self, findings: Findings, location: tuple[str, ...], kind: str) -> None:
        about = [one.parameter for one in self._fields if _is_about(one, location)]
        if not about:
            findings.violated.append(f"{self.model.__name__} refuses its values ({kind})")
        elif kind == "missing":
            # Of a nested model of which nothing is there, all that it requires.
            needed = [one for one in about if one.required] or about
            findings.missing += [one for one in needed if one not in findings.missing]
        else:
            findings.invalid += [(one, self._rule(one, kind)) for one in about]

    def _rule(self, parameter: Parameter, kind: str) -> str:
        """Which rule a value breaks; pydantic's own messages may repeat the value."""
        text = next((os.environ[name] for name in _names(parameter) if name in os.environ), None)
        known = None if text is None else problem(parameter, text)
        return known or f"{shown(parameter.key, 80)} is refused ({kind})"

    def _unfit(self) -> Iterator[tuple[Parameter, str]]:
        """Values that do not match a declared pattern which the model itself does not check."""
        for one in self.configuration:
            text = next((os.environ[name] for name in _names(one) if name in os.environ), "")
            rule = (
                problem(replace(one, type=ValueType.STRING, choices=()), text)
                if text and one.pattern
                else None
            )
            if rule is not None:
                yield one, rule


class ByHand:
    """Parameters that the author wrote down."""

    def __init__(
        self,
        configuration: Configuration,
        arguments: Sequence[str] | None,
        environment: Mapping[str, str] | None,
    ) -> None:
        """Values come from the command line and the environment of the process, unless they are given."""
        self.configuration = configuration
        self._arguments = arguments
        self._environment = environment

    def look(self, findings: Findings) -> None:
        """Add what is missing or breaks a rule."""
        given = self._given()
        wrong = problems(self.configuration, given, look=look)
        findings.invalid += [(self.configuration.parameters[key], rule) for key, rule in wrong.items()]
        findings.missing += [
            one.parameter
            for one in missing(self.configuration, given)
            if one.parameter.default is None and one.parameter.binding.where not in _UNSEEN
        ]
        findings.violated += [
            f"only one of these may be set: {', or '.join(' and '.join(way) for way in group.ways)}"
            for group in too_many(self.configuration, given)
        ]

    def value(self, key: str) -> Scalar | tuple[Scalar, ...] | None:
        """A value in the type that it stands for.

        Raises:
            DeclarationError: nobody declared it.
        """
        parameter = self.configuration.parameters.get(key)
        if parameter is None:
            raise DeclarationError(f"{key!r} was not declared as configuration of this server")
        given = self._given().get(key)
        if given is None:
            return parameter.default
        values = tuple(parse(parameter, text) for text in texts_of(given))
        return values if parameter.multiple else values[0]

    def _given(self) -> dict[str, Value]:
        environment = os.environ if self._environment is None else self._environment
        arguments = sys.argv[1:] if self._arguments is None else self._arguments
        return read_given(self.configuration, environment, arguments)


def _is_about(one: Field, location: tuple[str, ...]) -> bool:
    """Whether an error at a location is about a field, or about the model that it is in, or inside it."""
    return bool(location) and any(
        location[: len(known)] == known or known[: len(location)] == location for known in one.locations
    )


def _names(parameter: Parameter) -> tuple[str, ...]:
    return (parameter.binding.name, *parameter.aliases)


def _name(parameter: Parameter) -> str:
    return shown(parameter.binding.name or parameter.key, 80)


def _problem(parameter: Parameter, rule: str = "") -> "Problem":
    from avow.system.configuration.preflight import Problem

    where = parameter.binding.where
    kind = _KINDS.get(where, str(where))
    return Problem(_name(parameter), kind, is_secret(parameter), rule, shown(parameter.description, 300))

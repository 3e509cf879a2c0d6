"""The configuration that a server declares: sent with its introduction, and asked for when a call needs it.

    avowed = declare(mcp, configuration=Settings)          # a pydantic-settings class
    avowed = declare(mcp, configuration=[argument("directory", "Where to look", type="path")])

A server that lacks something starts all the same, introduces itself and lists its tools; its calls are
refused with one error that names everything that is missing. A value is in no message, log or `repr`.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from pydantic import BaseModel

from avow.core.canonical import JsonObject
from avow.core.configuration.hazards import is_secret, shown
from avow.core.configuration.model import (
    Binding,
    Configuration,
    Group,
    Parameter,
    PathKind,
    Scalar,
    Style,
    ValueType,
    Where,
)
from avow.core.configuration.wire import EXTENSION, MEMBER, write_schema
from avow.core.snapshot import Era
from avow.errors import DeclarationError
from avow.server.configuration_sources import ByHand, Findings, FromSettings
from avow.server.seam import Part, Request, refused

FLAG: Final = "--describe-configuration"
NEEDED: Final = -32010
"""The code of the refusal; `data.avow.reason` is `configuration`."""

_CALLS: Final = {
    "tools/call": ("tool", "name"),
    "prompts/get": ("prompt", "name"),
    "resources/read": ("resource", "uri"),
    "resources/subscribe": ("resource", "uri"),
    "completion/complete": ("completion", ""),
}
Settings = TypeVar("Settings", bound=BaseModel)


def variable(name: str, description: str = "", **options: Any) -> Parameter:
    """An environment variable; required unless it has a default. `options` are members of a `Parameter`."""
    return _parameter(Binding(Where.ENV, name), description, options)


def argument(name: str, description: str = "", **options: Any) -> Parameter:
    """A command-line argument: a flag such as `--depth`, or the name of a positional one."""
    if not name.startswith("-"):
        return _parameter(Binding(Where.ARGUMENT, name), description, options)
    joiner = "" if options.get("type") == ValueType.BOOLEAN else " "
    binding = Binding(Where.ARGUMENT, name, Style.NAMED, joiner=joiner, repeat=bool(options.get("multiple")))
    return _parameter(binding, description, options)


class ServerConfiguration(Part):
    """What a server needs, from settings classes and parameters written by hand, and whether it has it.

    `arguments` and `environment` are where values come from: the command line and the environment of this
    process, unless they are given.
    """

    def __init__(
        self,
        *needs: type[BaseModel] | Parameter | Configuration,
        arguments: Sequence[str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Work out the declaration; nothing is read before a call needs it.

        Raises:
            DeclarationError: something is no need, or the declaration is larger than a client would read.
        """
        self._by_hand = ByHand(_gathered(needs), arguments, environment)
        self._sources: list[FromSettings | ByHand] = [
            *(FromSettings(one) for one in needs if isinstance(one, type)),
            self._by_hand,
        ]
        self.parameters = Configuration.of(
            (one for source in self._sources for one in source.configuration),
            self._by_hand.configuration.groups,
        )
        self._document = write_schema(
            Configuration.of(map(_told, self.parameters), self.parameters.groups)
        ).document
        self._is_complete = False
        self.server_name = "the server"

    @classmethod
    def of(cls, configuration: Any) -> "ServerConfiguration":
        """Whatever `declare` was given as the configuration."""
        if isinstance(configuration, ServerConfiguration):
            return configuration
        is_single = isinstance(configuration, type | Parameter | Configuration)
        return cls(configuration) if is_single else cls(*configuration)

    @property
    def document(self) -> JsonObject:
        """The declaration as clients get it: a `ConfigurationSchema`."""
        return self._document

    def load(self, settings: type[Settings]) -> Settings:
        """The settings, read once everything is there; inside a tool they always are.

        Raises:
            MCPError: something is missing; it names all of it.
        """
        self.require()
        for source in self._sources:
            if isinstance(source, FromSettings) and source.model is settings:
                value: Settings = source.value
                return value
        raise DeclarationError(f"{settings.__name__} was not declared as configuration of this server")

    def __getitem__(self, name: str) -> Scalar | tuple[Scalar, ...] | None:
        """The value of a parameter that was declared by hand, its default, or None. Raises as `load` does."""
        self.require()
        return self._by_hand.value(name)

    def values(self, name: str) -> tuple[Scalar, ...]:
        """All values of a parameter that was declared by hand; none at all are an empty tuple."""
        value = self[name]
        return value if isinstance(value, tuple) else () if value is None else (value,)

    def require(self, **facts: Any) -> None:
        """Refuse unless everything that is needed is there; looked at anew until it is.

        Raises:
            MCPError: it names everything that is missing, and no value.
        """
        if self._is_complete:
            return
        findings = Findings()
        for source in self._sources:
            source.look(findings)
        if findings.is_empty:
            self._is_complete = True
            return
        error = findings.error(self.server_name)
        message = f"{self.server_name} is not configured: {findings.sentence}"
        raise refused(NEEDED, message, **{**facts, **error.data["avow"]}) from None

    async def before(self, request: Request) -> None:
        """Refuse calls until the server is configured."""
        call = _CALLS.get(request.method)
        if call is not None:
            kind, member = call
            name = request.params.get(member)
            self.require(kind=kind, **({"name": shown(name, 200)} if isinstance(name, str) else {}))

    async def after(self, request: Request, result: JsonObject) -> None:
        """Declare it with the introduction, where the schema belongs and where typed clients keep it."""
        if not request.is_handshake:
            return
        result[MEMBER] = self._document
        capabilities = result["capabilities"] = dict(result.get("capabilities") or {})
        holder, member = ("extensions", EXTENSION) if request.era is Era.MODERN else ("experimental", MEMBER)
        capabilities[holder] = {**(capabilities.get(holder) or {}), member: self._document}


def describe_configuration(configuration: Any, arguments: Sequence[str] | None = None) -> None:
    """Answer `--describe-configuration`: print the declaration as JSON, and leave. Without it, do nothing.

    The first line of a server's `main`; `configuration` is what `declare` takes, or what it returned.
    """
    words = sys.argv[1:] if arguments is None else arguments
    if FLAG not in words:
        return
    document = ServerConfiguration.of(getattr(configuration, "configuration", configuration)).document
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    sys.stdout.flush()
    raise SystemExit(0)


def _parameter(binding: Binding, description: str, options: JsonObject) -> Parameter:
    options = {"required": options.get("default") is None, **options}
    if "type" in options:
        options["type"] = ValueType(options["type"])
    return Parameter(key=binding.name, binding=binding, description=description, **options)


def _gathered(needs: Iterable[object]) -> Configuration:
    """The parameters that were written by hand; positional arguments in the order in which they stand."""
    parameters: list[Parameter] = []
    groups: list[Group] = []
    for need in needs:
        if isinstance(need, Configuration):
            parameters += need
            groups += need.groups
        elif isinstance(need, Parameter):
            order = need.binding.order or len(parameters)
            parameters.append(replace(need, binding=replace(need.binding, order=order)))
        elif not (isinstance(need, type) and issubclass(need, BaseModel)):
            raise DeclarationError(
                f"{type(need).__name__} is nothing that a server can need",
                hint="pass a pydantic-settings class, argument(…) or variable(…), or a Configuration",
            )
    return Configuration.of(parameters, groups)


def _told(parameter: Parameter) -> Parameter:
    """The parameter with what the schema has no member for said in its description."""
    notes = " ".join(_notes(parameter))
    description = " ".join(part for part in (parameter.description or parameter.title, notes) if part)
    return replace(parameter, description=description, secret=is_secret(parameter))


def _notes(parameter: Parameter) -> Iterator[str]:
    if parameter.default is not None and is_secret(parameter):
        yield "It has a default."
    if parameter.choices:
        yield f"One of {', '.join(parameter.choices)}."
    if parameter.minimum is not None:
        yield f"At least {parameter.minimum:g}."
    if parameter.maximum is not None:
        yield f"At most {parameter.maximum:g}."
    if parameter.path_kind is not PathKind.ANY:
        yield f"{'An existing' if parameter.must_exist else 'A'} {parameter.path_kind}."
    if parameter.aliases:
        yield f"{' or '.join(parameter.aliases)} does as well."

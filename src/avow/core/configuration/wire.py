"""`ConfigurationSchema` and `ConfigurationParameter` as a server sends them: read strictly, written exactly.

A reader finds the declaration in any of three places, since clients of today drop members they do not know.
"""

import re
from dataclasses import replace
from typing import Final

from avow.core.canonical import JsonObject, JsonValue
from avow.core.configuration.exported import Exported, losses
from avow.core.configuration.hazards import is_secret
from avow.core.configuration.model import (
    Binding,
    Configuration,
    Origin,
    Parameter,
    Source,
    Style,
    ValueType,
    Where,
)
from avow.core.configuration.reading import Reader, checked_name, free_key, place_of, refuse_large
from avow.errors import DeclarationError

MEMBER: Final = "configurationSchema"
EXTENSION: Final = "dev.avow/configuration"
MAX_PARAMETERS: Final = 64
MAX_BYTES: Final = 65_536
ENVIRONMENT_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_LISTS: Final = {"environmentVariables": Where.ENV, "arguments": Where.ARGUMENT, "other": Where.OTHER}
_TYPES: Final = tuple(str(type_) for type_ in ValueType if type_ not in (ValueType.INTEGER, ValueType.ENUM))
_WRITTEN_TYPES: Final = {ValueType.INTEGER: "number", ValueType.ENUM: "string"}
_MAX_NAME: Final = 200
_SOURCE: Final = Source(Origin.DECLARATION, MEMBER)


def find_declaration(result: JsonObject) -> JsonValue:
    """The schema in the result of `initialize` or `server/discover`, from the first place that has one."""
    capabilities = result.get("capabilities")
    inner: JsonObject = capabilities if isinstance(capabilities, dict) else {}
    for holder, member in (
        (result, MEMBER),
        (inner.get("extensions"), EXTENSION),
        (inner.get("experimental"), MEMBER),
    ):
        if isinstance(holder, dict) and holder.get(member) is not None:
            return holder[member]
    return None


def read_schema(value: JsonValue) -> Configuration:
    """What a server declares; members that nobody knows are passed over.

    Raises:
        DeclarationError: it is too large, or a member is not what the schema says it is.
    """
    if not isinstance(value, dict):
        raise DeclarationError("the configuration schema is not an object")
    refuse_large(value, MAX_BYTES, "the configuration schema")
    entries = [
        (member, where, order, entry)
        for member, where in _LISTS.items()
        for order, entry in enumerate(_list(value, member))
    ]
    if len(entries) > MAX_PARAMETERS:
        raise DeclarationError(
            f"the configuration schema has {len(entries)} parameters; {MAX_PARAMETERS} is the limit"
        )
    parameters: dict[str, Parameter] = {}
    named: set[tuple[str, str]] = set()
    for member, where, order, entry in entries:
        parameter = _read(entry, member, where, order)
        name = parameter.binding.name
        if (member, name) in named:
            raise DeclarationError(f"{place_of(member, name)} is declared twice")
        named.add((member, name))
        key = free_key(name, where, parameters)
        parameters[key] = replace(parameter, key=key)
    return Configuration(parameters)


def write_schema(configuration: Configuration) -> Exported:
    """The schema to send, and what it cannot say.

    Raises:
        DeclarationError: no reader would take it: too many parameters, or too large.
    """
    document: dict[str, dict[str, JsonObject]] = {}
    for parameter in sorted(configuration, key=lambda one: one.binding.order):
        member, name = _written_place(parameter)
        entries = document.setdefault(member, {})
        if member == "environmentVariables" and name in entries:
            continue
        name = free_key(name, parameter.binding.where, entries)
        entries[name] = _written(parameter, name)
    ordered = {member: [*document[member].values()] for member in _LISTS if member in document}
    return Exported(ordered, losses(configuration, read_schema(ordered), by_key=False))


def _list(schema: JsonObject, member: str) -> list[JsonValue]:
    entries = schema.get(member, [])
    if not isinstance(entries, list):
        raise DeclarationError(f"{member} in the configuration schema is not a list")
    return entries


def _read(entry: JsonValue, member: str, where: Where, order: int) -> Parameter:
    if not isinstance(entry, dict):
        raise DeclarationError(f"an entry of {member} in the configuration schema is not an object")
    name = _name(entry, member, where)
    reader = Reader(entry, place_of(member, name))
    type_ = ValueType(reader.word("type", _TYPES))
    multiple = reader.flag("multiple")
    parameter = Parameter(
        key=name,
        binding=_binding(name, where, order, type_, multiple=multiple),
        type=type_,
        description=reader.text("description", default=None),
        required=reader.flag("required", default=None),
        secret=reader.flag("sensitive"),
        default=reader.scalar("default"),
        multiple=multiple,
        pattern=reader.text("pattern"),
        examples=reader.texts("examples"),
        source=_SOURCE,
    )
    # What everybody can read opens nothing, or should not.
    return replace(parameter, default=None) if is_secret(parameter) else parameter


def _name(entry: JsonObject, member: str, where: Where) -> str:
    name = checked_name(entry.get("name"), f"an entry of {member} in the configuration schema")
    if where is Where.ENV and ENVIRONMENT_NAME.fullmatch(name) is None:
        raise DeclarationError(f"{place_of(member, name)} cannot be the name of an environment variable")
    return name


def _binding(name: str, where: Where, order: int, type_: ValueType, *, multiple: bool) -> Binding:
    """How a value is most likely handed over: the schema gives a name and no more."""
    if where is not Where.ARGUMENT:
        return Binding(where, name)
    if not name.startswith("-"):
        return Binding(where, name, order=order)
    joiner = "" if type_ is ValueType.BOOLEAN else " "
    return Binding(where, name, Style.NAMED, order=order, joiner=joiner, repeat=multiple)


def _written_place(parameter: Parameter) -> tuple[str, str]:
    """The list and the name under which a parameter is declared; its key where the schema has no word."""
    binding = parameter.binding
    name = binding.name or parameter.key
    if not binding.part and binding.where is Where.ENV and ENVIRONMENT_NAME.fullmatch(name):
        return "environmentVariables", name
    if not binding.part and binding.where is Where.ARGUMENT:
        return "arguments", name
    return "other", name if binding.where is Where.OTHER else parameter.key


def _written(parameter: Parameter, name: str) -> JsonObject:
    entry: JsonObject = {
        "name": name,
        "description": parameter.description or parameter.title,
        "type": _WRITTEN_TYPES.get(parameter.type, str(parameter.type)),
        "required": parameter.required,
    }
    if parameter.secret:
        entry["sensitive"] = True
    default = parameter.default if parameter.fixed is None else parameter.fixed
    if default is not None and not isinstance(default, tuple) and not is_secret(parameter):
        entry["default"] = default
    if parameter.multiple:
        entry["multiple"] = True
    if pattern := parameter.pattern or choice_pattern(parameter.choices):
        entry["pattern"] = pattern
    if parameter.examples:
        entry["examples"] = list(parameter.examples)
    return entry


def choice_pattern(choices: tuple[str, ...]) -> str:
    """A pattern that only the choices fit, for a format that has patterns and no choices."""
    return f"^(?:{'|'.join(map(re.escape, choices))})$" if choices else ""

"""`ConfigurationSchema` and `ConfigurationParameter` as a server sends them: read strictly, written exactly.

A reader finds the declaration in any of three places, since clients of today drop members they do not know.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from avow.core.canonical import JsonObject, JsonValue, canonical
from avow.core.configuration.exported import Exported, losses
from avow.core.configuration.model import (
    Binding,
    Configuration,
    Origin,
    Parameter,
    Scalar,
    Source,
    Style,
    ValueType,
    Where,
)
from avow.core.printable import hidden_in_name, printable
from avow.errors import DeclarationError, MalformedInputError

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
    refuse_large(value)
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
            raise DeclarationError(f"{_place(member, name)} is declared twice")
        named.add((member, name))
        key = _free_key(name, where, parameters)
        parameters[key] = replace(parameter, key=key)
    return Configuration(parameters)


def write_schema(configuration: Configuration) -> Exported:
    """The schema to send, and what it cannot say.

    Raises:
        DeclarationError: no reader would take it: too many parameters, or too large.
    """
    document: dict[str, list[JsonObject]] = {}
    taken: set[tuple[str, str]] = set()
    for parameter in sorted(configuration, key=lambda one: one.binding.order):
        member, name = _written_place(parameter)
        if (member, name) in taken:
            continue
        taken.add((member, name))
        document.setdefault(member, []).append(_written(parameter, name))
    ordered = {member: document[member] for member in _LISTS if member in document}
    return Exported(ordered, losses(configuration, read_schema(ordered)))


def refuse_large(value: JsonValue, limit: int = MAX_BYTES) -> None:
    """Let nothing pass that is larger than the limit, in canonical bytes.

    Raises:
        DeclarationError: it is, or JSON cannot say it.
    """
    try:
        size = len(canonical(value))
    except MalformedInputError as exc:
        raise DeclarationError(f"the configuration schema cannot be read: {exc.message}") from exc
    if size > limit:
        raise DeclarationError(f"the configuration schema has {size} bytes; {limit} is the limit")


def _list(schema: JsonObject, member: str) -> list[JsonValue]:
    entries = schema.get(member, [])
    if not isinstance(entries, list):
        raise DeclarationError(f"{member} in the configuration schema is not a list")
    return entries


def _read(entry: JsonValue, member: str, where: Where, order: int) -> Parameter:
    if not isinstance(entry, dict):
        raise DeclarationError(f"an entry of {member} in the configuration schema is not an object")
    name = _name(entry, member, where)
    reader = _Reader(entry, _place(member, name))
    type_ = ValueType(reader.word("type", _TYPES))
    multiple = reader.flag("multiple", default=False)
    return Parameter(
        key=name,
        binding=_binding(name, where, order, type_, multiple=multiple),
        type=type_,
        description=reader.text("description", default=None),
        required=reader.flag("required", default=None),
        secret=reader.flag("sensitive", default=False),
        default=reader.scalar("default"),
        multiple=multiple,
        pattern=reader.text("pattern", default=""),
        examples=reader.texts("examples"),
        source=_SOURCE,
    )


def _name(entry: JsonObject, member: str, where: Where) -> str:
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        raise DeclarationError(f"an entry of {member} in the configuration schema has no name")
    if len(name) > _MAX_NAME:
        raise DeclarationError(f"a name in {member} has more than {_MAX_NAME} characters")
    if where is Where.ENV and ENVIRONMENT_NAME.fullmatch(name) is None:
        raise DeclarationError(f"{_place(member, name)} cannot be the name of an environment variable")
    if any(True for _ in hidden_in_name(name)):
        raise DeclarationError(f"{_place(member, name)} has a name with characters that do not show")
    return name


def _binding(name: str, where: Where, order: int, type_: ValueType, *, multiple: bool) -> Binding:
    """How a value is most likely handed over: the schema gives a name and no more."""
    if where is not Where.ARGUMENT:
        return Binding(where, name)
    if not name.startswith("-"):
        return Binding(where, name, order=order)
    joiner = "" if type_ is ValueType.BOOLEAN else " "
    return Binding(where, name, Style.NAMED, order=order, joiner=joiner, repeat=multiple)


def _free_key(name: str, where: Where, taken: Iterable[str]) -> str:
    """The name, or with its kind where a parameter of another kind has the same name."""
    key = name
    while key in taken:
        key = f"{where}:{key}"
    return key


def _written_place(parameter: Parameter) -> tuple[str, str]:
    """The list and the name under which a parameter is declared; its key where it is a part of something."""
    binding = parameter.binding
    name = binding.name or parameter.key
    if not binding.part and binding.where is Where.ENV and ENVIRONMENT_NAME.fullmatch(name):
        return "environmentVariables", name
    if not binding.part and binding.where is Where.ARGUMENT:
        return "arguments", name
    return "other", parameter.key if binding.part else name


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
    if default is not None and not isinstance(default, tuple):
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


def _place(member: str, name: str) -> str:
    return f"{printable(name, 60, fold=True)!r} in {member}"


class _Reader:
    """The members of one entry, each of the type that it should have."""

    def __init__(self, entry: JsonObject, place: str) -> None:
        self._entry = entry
        self._place = place

    def text(self, member: str, *, default: str | None) -> str:
        value = self._entry.get(member, default)
        if not isinstance(value, str):
            raise self._error(member, "text")
        return value

    def word(self, member: str, words: tuple[str, ...]) -> str:
        value = self._entry.get(member)
        if not isinstance(value, str) or value not in words:
            raise self._error(member, f"one of {', '.join(words)}")
        return value

    def flag(self, member: str, *, default: bool | None) -> bool:
        value = self._entry.get(member, default)
        if not isinstance(value, bool):
            raise self._error(member, "true or false")
        return value

    def scalar(self, member: str) -> Scalar | None:
        value = self._entry.get(member)
        if member in self._entry and not isinstance(value, str | int | float):
            raise self._error(member, "text, a number, true or false")
        return value

    def texts(self, member: str) -> tuple[str, ...]:
        return tuple(self._texts(member))

    def _texts(self, member: str) -> Iterator[str]:
        values = self._entry.get(member, [])
        if not isinstance(values, list):
            raise self._error(member, "a list of texts")
        for value in values:
            if not isinstance(value, str):
                raise self._error(member, "a list of texts")
            yield value

    def _error(self, member: str, expected: str) -> DeclarationError:
        missing = member not in self._entry
        return DeclarationError(
            f"{self._place}: {member} is missing" if missing else f"{self._place}: {member} is not {expected}"
        )

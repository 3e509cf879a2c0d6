"""Smithery-style configuration: a JSON Schema whose properties are asked for.

Nested objects are flattened, with dots between the names. `x-from` says which header or query parameter
carries a value; otherwise the schema does not say how a value reaches the server.
"""

from collections.abc import Iterator
from typing import Final

from avow.core.canonical import JsonObject, JsonValue
from avow.core.configuration.exported import Exported, losses
from avow.core.configuration.model import (
    Binding,
    Configuration,
    Group,
    GroupRule,
    Origin,
    Parameter,
    PathKind,
    Source,
    ValueType,
    Where,
)
from avow.core.configuration.reading import (
    Reader,
    checked_name,
    collected,
    objects,
    place_of,
    refuse_large,
    table,
)
from avow.errors import DeclarationError

FORMAT: Final = "smithery.yaml"
MAX_PARAMETERS: Final = 256
MAX_BYTES: Final = 1 << 20

_DEPTH: Final = 5
_TYPES: Final = {
    "string": ValueType.STRING,
    "number": ValueType.NUMBER,
    "integer": ValueType.INTEGER,
    "boolean": ValueType.BOOLEAN,
}
_FORMATS: Final = {
    "uri": (ValueType.URL, PathKind.ANY),
    "path": (ValueType.PATH, PathKind.ANY),
    "file-path": (ValueType.PATH, PathKind.FILE),
    "directory-path": (ValueType.PATH, PathKind.DIRECTORY),
}
_WRITTEN_FORMATS: Final = {kind: name for name, kind in _FORMATS.items()}
_RULES: Final = {"anyOf": GroupRule.ANY_OF, "oneOf": GroupRule.ONE_OF}
_FROM: Final = {"header": Where.HEADER, "query": Where.URL_VARIABLE}


def read(document: JsonValue, place: str = "") -> Configuration:
    """What a configuration schema asks for: the schema itself, or a `smithery.yaml`, already parsed.

    Raises:
        DeclarationError: it is no such schema, or too large.
    """
    whole = table(document, FORMAT)
    refuse_large(whole, MAX_BYTES, FORMAT)
    start = table(whole.get("startCommand"), f"startCommand in {FORMAT}") if "startCommand" in whole else None
    schema = whole if start is None else table(start.get("configSchema"), f"configSchema in {FORMAT}")
    source = Source(Origin.MANIFEST, FORMAT, place)
    found = _properties(schema, "", is_needed=True, source=source, depth=0)
    return collected(found, MAX_PARAMETERS, FORMAT, _groups(schema))


def write(configuration: Configuration) -> Exported:
    """The configuration schema, and what it cannot say."""
    schema: JsonObject = {
        "type": "object",
        "properties": {one.key: _written(one) for one in configuration},
        "required": [one.key for one in configuration if one.required],
    }
    choices = [
        {_word(group.rule): [{"required": list(way)} for way in group.ways]} for group in configuration.groups
    ]
    if len(choices) == 1:
        schema |= choices[0]
    elif choices:
        schema["allOf"] = choices
    return Exported(schema, losses(configuration, read(schema)))


def _properties(
    schema: JsonObject, prefix: str, *, is_needed: bool, source: Source, depth: int
) -> Iterator[Parameter]:
    required = Reader(schema, FORMAT).texts("required")
    for name, value in table(schema.get("properties"), f"properties in {FORMAT}").items():
        key = prefix + checked_name(name, f"a property in {FORMAT}")
        entry = _plain(table(value, place_of("properties", key)))
        needed = is_needed and name in required
        if entry.get("type") == "object" and "properties" in entry:
            if depth >= _DEPTH:
                raise DeclarationError(f"{place_of('properties', key)} is nested too deeply")
            yield from _properties(entry, f"{key}.", is_needed=needed, source=source, depth=depth + 1)
        else:
            yield _read(key, entry, is_needed=needed, source=source)


def _plain(entry: JsonObject) -> JsonObject:
    """A schema that also allows null, without that; a choice of one."""
    for word in _RULES:
        options = entry.get(word)
        if isinstance(options, list):
            real = [one for one in options if isinstance(one, dict) and one.get("type") != "null"]
            if len(real) == 1:
                return {**{name: value for name, value in entry.items() if name != word}, **real[0]}
    return entry


def _read(key: str, entry: JsonObject, *, is_needed: bool, source: Source) -> Parameter:
    place = place_of("properties", key)
    reader = Reader(entry, place)
    multiple = _type_name(entry) == "array"
    inner = _plain(table(entry.get("items"), f"items of {place}")) if multiple else entry
    of_each = Reader(inner, place)
    choices = _texts(inner, "enum")
    type_, path_kind = _type(inner)
    constant = entry.get("const")
    return Parameter(
        key=key,
        binding=_binding(key, entry),
        type=ValueType.ENUM if choices and type_ is ValueType.STRING else type_,
        description=reader.text("description"),
        title=reader.text("title"),
        required=is_needed,
        secret=reader.flag("writeOnly") or inner.get("format") == "password",
        default=None if entry.get("default") is None else reader.value("default"),
        fixed=constant if isinstance(constant, str) else None,
        choices=choices,
        multiple=multiple,
        minimum=of_each.number("minimum"),
        maximum=of_each.number("maximum"),
        pattern=of_each.text("pattern"),
        examples=_texts(entry, "examples"),
        path_kind=path_kind,
        source=source,
    )


def _binding(key: str, entry: JsonObject) -> Binding:
    origin = entry.get("x-from")
    for word, where in _FROM.items():
        if isinstance(origin, dict) and isinstance(name := origin.get(word), str):
            return Binding(where, name)
    return Binding(Where.OTHER, key)


def _type_name(entry: JsonObject) -> str:
    named = entry.get("type", "string")
    names = [one for one in named if one != "null"] if isinstance(named, list) else [named]
    return str(names[0]) if names else "string"


def _type(entry: JsonObject) -> tuple[ValueType, PathKind]:
    type_ = _TYPES.get(_type_name(entry), ValueType.STRING)
    if type_ is not ValueType.STRING:
        return type_, PathKind.ANY
    return _FORMATS.get(str(entry.get("format")), (ValueType.STRING, PathKind.ANY))


def _texts(entry: JsonObject, member: str) -> tuple[str, ...]:
    """What is text in a list that may hold anything."""
    values = entry.get(member)
    return tuple(one for one in values if isinstance(one, str)) if isinstance(values, list) else ()


def _groups(schema: JsonObject) -> Iterator[Group]:
    for holder in (schema, *objects(schema.get("allOf"), f"allOf in {FORMAT}")):
        for word, rule in _RULES.items():
            ways = [
                Reader(one, FORMAT).texts("required")
                for one in objects(holder.get(word), f"{word} in {FORMAT}")
            ]
            if ways and all(ways):
                yield Group(rule, tuple(ways))


def _written(parameter: Parameter) -> JsonObject:
    each = _written_type(parameter)
    optional = {
        "enum": list(parameter.choices),
        "minimum": parameter.minimum,
        "maximum": parameter.maximum,
        "pattern": parameter.pattern,
    }
    each |= {name: value for name, value in optional.items() if value is not None and value not in ("", [])}
    entry: JsonObject = {"type": "array", "items": each} if parameter.multiple else each
    default = parameter.default
    about = {
        "title": parameter.title,
        "description": parameter.description,
        "examples": list(parameter.examples),
        "x-from": _origin(parameter.binding),
    }
    entry |= {name: value for name, value in about.items() if value}
    if default is not None:
        entry["default"] = list(default) if isinstance(default, tuple) else default
    if parameter.secret:
        entry["writeOnly"] = True
    if parameter.fixed is not None:
        entry["const"] = parameter.fixed
    return entry


def _written_type(parameter: Parameter) -> JsonObject:
    named = parameter.type in (ValueType.NUMBER, ValueType.INTEGER, ValueType.BOOLEAN)
    entry: JsonObject = {"type": str(parameter.type) if named else "string"}
    if written := _WRITTEN_FORMATS.get((parameter.type, parameter.path_kind)):
        entry["format"] = written
    return entry


def _origin(binding: Binding) -> JsonObject:
    return {word: binding.name for word, where in _FROM.items() if binding.where is where}


def _word(rule: GroupRule) -> str:
    return "anyOf" if rule is GroupRule.ANY_OF else "oneOf"

"""One `Input` of a `server.json`: what it says about a value, apart from where that goes."""

import re
from typing import Final

from avow.core.canonical import JsonObject
from avow.core.configuration.model import Binding, Parameter, Scalar, Source, ValueType, text_of
from avow.core.configuration.reading import Reader, place_of

FORMAT: Final = "server.json"

_TYPES: Final = {
    "string": ValueType.STRING,
    "number": ValueType.NUMBER,
    "boolean": ValueType.BOOLEAN,
    "filepath": ValueType.PATH,
}
_WRITTEN: Final = {
    ValueType.NUMBER: "number",
    ValueType.INTEGER: "number",
    ValueType.BOOLEAN: "boolean",
    ValueType.PATH: "filepath",
}
_INTEGER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,14})")
_NUMBER: Final = re.compile(r"-?[0-9]{1,20}(?:\.[0-9]{1,20})?(?:e[+-]?[0-9]{1,3})?")
_UNDERLINED: Final = re.compile(r"_([a-z])")


def spelled(entry: JsonObject) -> JsonObject:
    """The entry with members in the spelling of today: `is_required` is `isRequired`."""
    return {_UNDERLINED.sub(lambda found: found[1].upper(), member): value for member, value in entry.items()}


def read_input(entry: JsonObject, key: str, binding: Binding, source: Source) -> Parameter:
    """The parameter that an input describes.

    Raises:
        DeclarationError: a member is not what it should be.
    """
    members = spelled(entry)
    reader = Reader(members, place_of(FORMAT, key))
    choices = reader.texts("choices")
    # The schema has four formats, and authors write others.
    type_ = _TYPES.get(reader.text("format", default="string"), ValueType.STRING)
    placeholder = reader.text("placeholder")
    return Parameter(
        key=key,
        binding=binding,
        type=ValueType.ENUM if choices and type_ is ValueType.STRING else type_,
        description=reader.text("description"),
        required=reader.flag("isRequired"),
        secret=reader.flag("isSecret"),
        default=_typed(reader.scalar("default"), type_),
        fixed=reader.text("value") if "value" in members else None,
        choices=choices,
        examples=(placeholder,) if placeholder else (),
        source=source,
    )


def written_input(parameter: Parameter) -> JsonObject:
    """The members of an input that describe a value."""
    entry: JsonObject = {}
    if parameter.description or parameter.title:
        entry["description"] = parameter.description or parameter.title
    if parameter.type in _WRITTEN:
        entry["format"] = _WRITTEN[parameter.type]
    if parameter.required:
        entry["isRequired"] = True
    if parameter.secret:
        entry["isSecret"] = True
    if parameter.default is not None and not isinstance(parameter.default, tuple):
        entry["default"] = text_of(parameter.default)
    if parameter.fixed is not None:
        entry["value"] = parameter.fixed
    if parameter.choices:
        entry["choices"] = list(parameter.choices)
    if parameter.examples:
        entry["placeholder"] = parameter.examples[0]
    return entry


def _typed(default: Scalar | None, type_: ValueType) -> Scalar | None:
    """A default in the type that its text stands for, where that is clear."""
    if not isinstance(default, str):
        return default
    if type_ is ValueType.BOOLEAN and default in ("true", "false"):
        return default == "true"
    if type_ is ValueType.NUMBER and _INTEGER.fullmatch(default):
        return int(default)
    if type_ is ValueType.NUMBER and _NUMBER.fullmatch(default):
        return float(default)
    return default

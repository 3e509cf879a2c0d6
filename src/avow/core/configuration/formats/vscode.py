"""VS Code's `mcp.json`: `inputs` that are asked for, and where a server's entry uses each.

An input says nothing about being required: the editor asks for all of them. One without a default is
therefore read as required.
"""

from typing import Final

from avow.core.canonical import JsonObject, JsonValue
from avow.core.configuration.exported import Exported, losses
from avow.core.configuration.formats.placeholders import Notation, bindings, settings_for
from avow.core.configuration.model import (
    Binding,
    Configuration,
    Origin,
    Parameter,
    Source,
    ValueType,
    Where,
    text_of,
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

FORMAT: Final = "mcp.json"
MAX_PARAMETERS: Final = 256
MAX_BYTES: Final = 1 << 20

_NOTATION: Final = Notation("${input:")
_TYPES: Final = ("promptString", "pickString", "command")


def read(document: JsonValue, server: str, place: str = "") -> Configuration:
    """The inputs that one server of the file uses; `place` says where the file is.

    Raises:
        DeclarationError: it is no such file, or too large.
    """
    whole = table(document, FORMAT)
    refuse_large(whole, MAX_BYTES, FORMAT)
    settings = table(
        table(whole.get("servers"), f"servers in {FORMAT}").get(server), f"the server in {FORMAT}"
    )
    places = bindings(settings, _NOTATION, "the server")
    address = settings.get("url", "")
    for key in _NOTATION.split(address)[1::2] if isinstance(address, str) else ():
        places[key] = (*places.get(key, ()), Binding(Where.URL_VARIABLE, key))
    source = Source(Origin.MANIFEST, FORMAT, place)
    entries = objects(whole.get("inputs"), f"inputs in {FORMAT}")
    found = (_read(entry, places, source) for entry in entries if str(entry.get("id")) in places)
    return collected(found, MAX_PARAMETERS, FORMAT)


def write(configuration: Configuration, server: str) -> Exported:
    """Inputs and the entry of a server that uses them, and what they cannot say."""
    settings = settings_for(configuration, _NOTATION)
    used = bindings(settings, _NOTATION, "the server")
    document: JsonObject = {
        "inputs": [_written(one) for one in configuration if one.key in used],
        "servers": {server: settings},
    }
    return Exported(document, losses(configuration, read(document, server)))


def _read(entry: JsonObject, places: dict[str, tuple[Binding, ...]], source: Source) -> Parameter:
    key = checked_name(entry.get("id"), f"an input in {FORMAT}")
    reader = Reader(entry, place_of("inputs", key))
    choices = tuple(_options(entry, key)) if reader.word("type", _TYPES) == "pickString" else ()
    default = reader.scalar("default")
    first, *others = places[key]
    return Parameter(
        key=key,
        binding=first,
        type=ValueType.ENUM if choices else ValueType.STRING,
        description=reader.text("description"),
        required=default is None,
        secret=reader.flag("password"),
        default=default,
        choices=choices,
        also=tuple(others),
        source=source,
    )


def _options(entry: JsonObject, key: str) -> tuple[str, ...]:
    """What can be picked; an option is a text, or has one as its value."""
    options = entry.get("options", [])
    plain = (
        [one.get("value") if isinstance(one, dict) else one for one in options]
        if isinstance(options, list)
        else None
    )
    return Reader({"options": plain}, place_of("inputs", key)).texts("options")


def _written(parameter: Parameter) -> JsonObject:
    entry: JsonObject = {
        "type": "pickString" if parameter.choices else "promptString",
        "id": parameter.key,
        "description": parameter.description or parameter.title,
    }
    if parameter.choices:
        entry["options"] = list(parameter.choices)
    if parameter.secret:
        entry["password"] = True
    if parameter.default is not None and not isinstance(parameter.default, tuple):
        entry["default"] = text_of(parameter.default)
    return entry

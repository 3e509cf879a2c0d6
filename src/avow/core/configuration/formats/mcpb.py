"""MCP bundles: `user_config` of a `manifest.json`, and where `server.mcp_config` puts each value."""

from typing import Final

from avow.core.canonical import JsonObject, JsonValue
from avow.core.configuration.exported import Exported, losses
from avow.core.configuration.formats.placeholders import Notation, bindings, literals, settings_for
from avow.core.configuration.model import (
    Binding,
    Configuration,
    Origin,
    Parameter,
    PathKind,
    Source,
    ValueType,
    Where,
    text_of,
)
from avow.core.configuration.reading import (
    Reader,
    checked_name,
    collected,
    free_key,
    place_of,
    refuse_large,
    table,
)

FORMAT: Final = "manifest.json"
MAX_PARAMETERS: Final = 256
MAX_BYTES: Final = 1 << 20

_NOTATION: Final = Notation("${user_config.")
_TYPES: Final = {
    "string": (ValueType.STRING, PathKind.ANY),
    "number": (ValueType.NUMBER, PathKind.ANY),
    "boolean": (ValueType.BOOLEAN, PathKind.ANY),
    "directory": (ValueType.PATH, PathKind.DIRECTORY),
    "file": (ValueType.PATH, PathKind.FILE),
}
_WRITTEN: Final = {kind: name for name, kind in _TYPES.items()}


def read(document: JsonValue, place: str = "") -> Configuration:
    """What a bundle asks for; `place` says where the manifest is.

    Variables that the bundle sets to a fixed text are parameters that nobody is asked for.

    Raises:
        DeclarationError: it is no such manifest, or too large.
    """
    manifest = table(document, FORMAT)
    refuse_large(manifest, MAX_BYTES, FORMAT)
    server = table(manifest.get("server"), f"server in {FORMAT}")
    settings = table(server.get("mcp_config"), f"mcp_config in {FORMAT}")
    places = bindings(settings, _NOTATION, "mcp_config")
    source = Source(Origin.MANIFEST, FORMAT, place)
    found: dict[str, Parameter] = {}
    for key, entry in table(manifest.get("user_config"), f"user_config in {FORMAT}").items():
        found[key] = _read(key, entry, places.get(key, ()), source)
    for name, text in literals(settings, "mcp_config").items():
        key = free_key(checked_name(name, f"a variable in {FORMAT}"), Where.ENV, found)
        found[key] = Parameter(key, Binding(Where.ENV, name), fixed=text, source=source)
    return collected(found.values(), MAX_PARAMETERS, FORMAT)


def write(configuration: Configuration) -> Exported:
    """The members of a manifest that concern configuration, and what they cannot say."""
    asked = [one for one in configuration if one.fixed is None]
    document: JsonObject = {"user_config": {one.key: _written(one) for one in asked}}
    if settings := settings_for(configuration, _NOTATION):
        settings.pop("headers", None)
        document["server"] = {"mcp_config": settings}
    return Exported(document, losses(configuration, read(document)))


def _read(key: str, value: JsonValue, places: tuple[Binding, ...], source: Source) -> Parameter:
    checked_name(key, f"an entry of user_config in {FORMAT}")
    entry = table(value, place_of("user_config", key))
    reader = Reader(entry, place_of("user_config", key))
    type_, path_kind = _TYPES[reader.word("type", _TYPES)]
    title = reader.text("title")
    first, *others = places or (Binding(Where.OTHER, key),)
    return Parameter(
        key=key,
        binding=first,
        type=type_,
        description=reader.text("description"),
        title="" if title == key else title,
        required=reader.flag("required"),
        secret=reader.flag("sensitive"),
        default=reader.value("default"),
        multiple=reader.flag("multiple"),
        minimum=reader.number("min"),
        maximum=reader.number("max"),
        path_kind=path_kind,
        also=tuple(others),
        source=source,
    )


def _written(parameter: Parameter) -> JsonObject:
    type_ = ValueType.NUMBER if parameter.type is ValueType.INTEGER else parameter.type
    entry: JsonObject = {
        "type": _WRITTEN.get((type_, parameter.path_kind), "string"),
        # Both are mandatory.
        "title": parameter.title or parameter.key,
        "description": parameter.description,
    }
    default = parameter.default
    flags = {"required": parameter.required, "sensitive": parameter.secret, "multiple": parameter.multiple}
    optional = {
        **{name: True for name, flag in flags.items() if flag},
        "default": [text_of(one) for one in default] if isinstance(default, tuple) else default,
        "min": parameter.minimum,
        "max": parameter.maximum,
    }
    return entry | {name: value for name, value in optional.items() if value is not None}

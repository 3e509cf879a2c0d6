"""What the manifests in an installed package say that its server needs."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from avow.core.canonical import JsonValue
from avow.core.configuration.formats import mcpb, server_json, smithery
from avow.core.configuration.model import Configuration, Parameter, Where
from avow.errors import AvowError, MalformedInputError
from avow.system.files import read_bounded

_LIMIT: Final = 1024 * 1024
_YAML_LIMIT: Final = 64 * 1024
_DEEPEST: Final = 64

_READERS: Final[dict[str, Callable[[JsonValue, str], Configuration]]] = {
    "server.json": lambda document, place: server_json.read(document, place=place),
    "manifest.json": mcpb.read,
    "smithery.yaml": smithery.read,
    "smithery.yml": smithery.read,
    "package.json": lambda document, place: _in_package_json(document, place),
}


def read_manifests(package: Path) -> tuple[Configuration, ...]:
    """Each manifest that can be read; a file of such a name that is something else is passed over."""
    return tuple(_found(package))


def _found(package: Path) -> Iterator[Configuration]:
    for name, read in _READERS.items():
        path = package / name
        if not path.is_file():
            continue
        try:
            configuration = read(_document(path), name)
        except (AvowError, ValueError, RecursionError):
            continue
        usable = [parameter for parameter in configuration if _is_usable(parameter)]
        keys = {parameter.key for parameter in usable}
        groups = (group for group in configuration.groups if all(keys.issuperset(way) for way in group.ways))
        if usable:
            yield Configuration.of(usable, groups)


def _document(path: Path) -> JsonValue:
    if path.suffix == ".json":
        document: JsonValue = json.loads(_text(path, _LIMIT))
        return document
    from avow.system.clients.yaml import loads

    text = _text(path, _YAML_LIMIT)
    _refuse_overgrown(text)
    return loads(text)


def _text(path: Path, limit: int) -> str:
    return read_bounded(path, limit).decode("utf-8", errors="replace")


def _refuse_overgrown(text: str) -> None:
    """A few lines of YAML that repeat each other by name can stand for more values than there is memory.

    The events of a parser come one by one, so that the first that goes too far is the last that is read.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent

    depth = 0
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
            if isinstance(event, AliasEvent) or depth > _DEEPEST:
                raise MalformedInputError("a manifest needs neither names for its parts nor such depth")
    except YAMLError as error:
        raise MalformedInputError(f"not YAML: {error}") from None


def _in_package_json(document: JsonValue, place: str) -> Configuration:
    """A schema that a package keeps for Smithery, or a registry entry, in its own manifest."""
    if isinstance(document, dict):
        for member in ("mcpServer", "mcp"):
            if isinstance(document.get(member), dict) and "packages" in document[member]:
                return server_json.read(document[member], place=place)
        for member in ("smithery", "configSchema"):
            if isinstance(document.get(member), dict) and "properties" in document[member]:
                return smithery.read(document[member], place)
    return Configuration()


def _is_usable(parameter: Parameter) -> bool:
    """Whether the manifest says how the value reaches the server, and leaves it to somebody to choose."""
    return parameter.binding.where is not Where.OTHER and parameter.fixed is None

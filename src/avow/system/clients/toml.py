"""TOML client files: read with the standard library, changed in place with tomlkit."""

import tomllib
from typing import Any

from avow.core.canonical import JsonValue
from avow.errors import MalformedInputError
from avow.system.clients.edits import Drop, Edit, Location, Prepend, Replace


def loads(text: str) -> JsonValue:
    """Read a document.

    Raises:
        MalformedInputError: it cannot be read; the message says at which line and column.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MalformedInputError(_located(str(error))) from None
    except (ValueError, RecursionError) as error:
        raise MalformedInputError(f"line 1, column 1: {error}") from None


def apply(text: str, edit: Edit) -> str:
    """Carry out one edit; what it does not name stays as it is.

    Raises:
        MalformedInputError: the text cannot be read, or the place is not there.
    """
    import tomlkit  # only when a TOML file is changed
    from tomlkit.exceptions import TOMLKitError

    loads(text)
    try:
        document = tomlkit.parse(text)
        _carry_out(document, edit)
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError, IndexError) as error:
        raise MalformedInputError(f"{'.'.join(map(str, edit.path))} cannot be changed: {error}") from None


def _carry_out(document: Any, edit: Edit) -> None:
    match edit:
        case Replace(path, value):
            _descend(document, path[:-1])[path[-1]] = value
        case Prepend(path, items):
            array = _array(document, path)
            for index, item in enumerate(items):
                array.insert(index, item)
        case Drop(path, count):
            array = _array(document, path)
            for _ in range(count):
                del array[0]


def _descend(place: Any, path: Location) -> Any:
    for step in path:
        place = place[step]
    return place


def _array(document: Any, path: Location) -> Any:
    array = _descend(document, path)
    if not isinstance(array, list):
        raise TypeError("it is not a list")
    return array


def _located(message: str) -> str:
    """Put "(at line 3, column 5)", which the parser says last, first."""
    what, mark, where = message.rpartition(" (at ")
    if not mark:
        return message
    where = where.rstrip(")")
    return f"{where if where.startswith('line') else 'at the end'}: {what}"

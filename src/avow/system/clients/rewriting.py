"""The edits that put an entry behind `avow run`, and the ones that take it out again."""

from collections.abc import Sequence

from avow.core.canonical import JsonValue
from avow.errors import MalformedInputError
from avow.system.clients.documents import Document
from avow.system.clients.edits import Drop, Edit, Location, Prepend, Replace
from avow.system.clients.table import Words
from avow.system.clients.wrapping import unwrap


def protecting(document: Document, entry: Location, words: Words, prefix: Sequence[str]) -> list[Edit]:
    """Put `prefix` before the command of a stdio entry."""
    command, args = _places(document, entry, words)
    program = entry_at(document.value, command)
    if isinstance(program, list):
        return [Prepend(command, tuple(prefix))]
    rest = (*prefix[1:], program)
    if isinstance(entry_at(document.value, args), list):
        return [Replace(command, prefix[0]), Prepend(args, rest)]
    return [Replace(command, prefix[0]), Replace(args, list(rest))]


def unprotecting(document: Document, entry: Location, words: Words) -> list[Edit]:
    """Take `avow run … --` off; nothing for an entry that does not run behind it in that form."""
    command, args = _places(document, entry, words)
    program, rest = entry_at(document.value, command), entry_at(document.value, args)
    wrapped = unwrap(program if isinstance(program, list) else [program, *(rest or ())])
    if wrapped is None:
        return []
    if isinstance(program, list):
        return [Drop(command, wrapped.prefix)]
    return [Replace(command, wrapped.command), Drop(args, wrapped.prefix)]


def _places(document: Document, entry: Location, words: Words) -> tuple[Location, Location]:
    """Where the command and its arguments are; Cline and older Zed nest them one level deeper."""
    for inner in ((), ("transport",), ("command",)):
        for word in (*words.command, "path"):
            place = (*entry, *inner, word)
            if isinstance(entry_at(document.value, place), str | list):
                return place, (*entry, *inner, words.args)
    raise MalformedInputError(f"{document.path}: {'.'.join(map(str, entry))} has no command")


def entry_at(value: JsonValue, path: Location) -> JsonValue:
    """What is at a place, or nothing."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int):
            value = value[step]
        else:
            return None
    return value

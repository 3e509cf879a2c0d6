"""JSON with comments and trailing commas: read it, and change one place while every other byte stays.

Clients read their settings this way (VS Code, Zed), and strict JSON is the same without comments. The
text is made strict by blanking comments and trailing commas in place, so offsets in the strict text
are offsets in the original, and the standard parser does the reading.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from avow.core.canonical import JsonValue
from avow.errors import MalformedInputError
from avow.system.clients.edits import Drop, Edit, Prepend, Replace, Step

# Every alternative that opens also matches at the end of the text: an unclosed string or comment is
# one match instead of a fresh attempt at each following quote, which keeps hostile files linear.
_STRING: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
_COMMENTS: Final = re.compile(
    _STRING + r"|(?P<line>//[^\r\n]*+)|(?P<block>/\*(?:[^*]++|\*(?!/))*+(?P<closed>\*/)?)", re.DOTALL
)
_TRAILING_COMMAS: Final = re.compile(
    _STRING + r"|(?P<stray>[\[{][ \t\r\n]*+,)|(?P<comma>,)(?=[ \t\r\n]*+[}\]])", re.DOTALL
)
_BRACKETS: Final = re.compile(_STRING + r"|[\[\]{}]", re.DOTALL)
_QUOTED: Final = re.compile(_STRING, re.DOTALL)
_BLANK: Final = re.compile(r"[ \t\r\n]*+")
_SCALAR: Final = re.compile(r"[^ \t\r\n,\]}]++")
_NOT_A_LINE_END: Final = re.compile(r"[^\r\n]")


class AmbiguousObject(dict[str, Any]):
    """An object with a key that occurs twice: readers disagree on what it says."""


def loads(text: str) -> JsonValue:
    """Read a document; an object with a duplicate key comes as an `AmbiguousObject`, last one winning.

    Raises:
        MalformedInputError: it cannot be read; the message starts with the line and the column.
    """
    return _read(text)[1]


def apply(text: str, edit: Edit) -> str:
    """Carry out one edit; every byte outside the place it names stays as it is.

    Raises:
        MalformedInputError: the text cannot be read, a key on the path occurs twice, or the place
            is not there.
    """
    strict, _ = _read(text)
    match edit:
        case Replace(path, value):
            return _replace(text, strict, path, value)
        case Prepend(path, items):
            return _prepend(text, strict, path, items)
        case Drop(path, count):
            return _drop(text, strict, path, count)


def _read(text: str) -> tuple[str, JsonValue]:
    """The strict text, with every offset as in the original, and its value."""
    try:
        return text, _parse(text)
    except MalformedInputError:
        strict = _strict(text)
        return strict, _parse(strict)


def _parse(text: str) -> JsonValue:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise MalformedInputError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except ValueError as error:
        raise MalformedInputError(f"line 1, column 1: {error}") from None
    except RecursionError:
        raise MalformedInputError("line 1, column 1: nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else AmbiguousObject(found)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _strict(text: str) -> str:
    without_comments = _COMMENTS.sub(lambda match: _blank_comment(text, match), text)
    return _TRAILING_COMMAS.sub(_blank_comma, without_comments)


def _blank_comment(text: str, match: re.Match[str]) -> str:
    if match["line"] is None and match["block"] is None:
        return match[0]
    if match["block"] is not None and match["closed"] is None:
        before = text[: match.start()]
        line, column = before.count("\n") + 1, match.start() - before.rfind("\n")
        raise MalformedInputError(f"line {line}, column {column}: this comment never ends")
    return _NOT_A_LINE_END.sub(" ", match[0])


def _blank_comma(match: re.Match[str]) -> str:
    return " " if match["comma"] is not None else match[0]


@dataclass(frozen=True, slots=True)
class _Child:
    """One member or item: where it starts (its key, if it has one), and where its value lies."""

    key: Step
    opens: int
    start: int
    end: int


def _children(strict: str, start: int) -> Iterator[_Child]:
    """What the object or array that opens at `start` holds, in order."""
    position = _skip(strict, start + 1)
    index = 0
    while strict[position] not in "}]":
        opens, key = position, index
        if strict[start] == "{":
            quoted = _QUOTED.match(strict, position)
            assert quoted is not None
            name: str = json.loads(quoted[0])
            position = _skip(strict, _skip(strict, quoted.end()) + 1)
            yield _Child(name, opens, position, end := _end(strict, position))
        else:
            yield _Child(key, opens, position, end := _end(strict, position))
        position, index = _skip(strict, end), index + 1
        if strict[position] == ",":
            position = _skip(strict, position + 1)


def _skip(strict: str, position: int) -> int:
    blank = _BLANK.match(strict, position)
    assert blank is not None
    return blank.end()


def _end(strict: str, start: int) -> int:
    """Just behind the value that starts here."""
    if strict[start] in "[{":
        depth = 0
        for token in _BRACKETS.finditer(strict, start):
            first = strict[token.start()]
            depth += (first in "[{") - (first in "]}")
            if depth == 0:
                return token.end()
    whole = (_QUOTED if strict[start] == '"' else _SCALAR).match(strict, start)
    assert whole is not None
    return whole.end()


def _locate(strict: str, path: Sequence[Step]) -> _Child | None:
    """The one place that `path` names, or nothing when its last step is missing."""
    here = _Child("", 0, start := _skip(strict, 0), _end(strict, start))
    for depth, step in enumerate(path):
        if strict[here.start] not in "[{":
            raise MalformedInputError(f"{_spell(path[:depth])} is neither an object nor a list")
        found = [child for child in _children(strict, here.start) if child.key == step]
        if len(found) > 1:
            raise MalformedInputError(
                f"{_spell(path[: depth + 1])} is there {len(found)} times", hint="keep one of them"
            )
        if not found:
            if depth == len(path) - 1:
                return None
            raise MalformedInputError(f"{_spell(path[: depth + 1])} is not there")
        here = found[0]
    return here


def _spell(path: Sequence[Step]) -> str:
    return "the document" if not path else ".".join(str(step) for step in path)


def _replace(text: str, strict: str, path: Sequence[Step], value: JsonValue) -> str:
    place = _locate(strict, path)
    if place is not None:
        return text[: place.start] + _dumps(value) + text[place.end :]
    parent = _locate(strict, path[:-1])
    if parent is None or strict[parent.start] != "{":
        raise MalformedInputError(f"{_spell(path[:-1])} is not an object")
    member = f"{_dumps(path[-1])}: {_dumps(value)}"
    last: _Child | None = None
    for last in _children(strict, parent.start):  # noqa: B007 - the last one is what we are after
        pass
    if last is None:
        return text[: parent.start + 1] + member + text[parent.start + 1 :]
    return text[: last.end] + "," + _gap(text, last.opens) + member + text[last.end :]


def _prepend(text: str, strict: str, path: Sequence[Step], items: Sequence[str]) -> str:
    array = _array(strict, path)
    first = next(_children(strict, array.start), None)
    written = [_dumps(item) for item in items]
    if first is None:
        return text[: array.start + 1] + ", ".join(written) + text[array.start + 1 :]
    gap = _gap(text, first.opens)
    return text[: first.opens] + "".join(f"{item},{gap}" for item in written) + text[first.opens :]


def _drop(text: str, strict: str, path: Sequence[Step], count: int) -> str:
    array = _array(strict, path)
    children = list(_children(strict, array.start))
    if count > len(children):
        raise MalformedInputError(f"{_spell(path)} has fewer than {count} items")
    if count == 0:
        return text
    if count == len(children):
        return text[: array.start + 1] + text[array.end - 1 :]
    return text[: children[0].opens] + text[children[count].opens :]


def _array(strict: str, path: Sequence[Step]) -> _Child:
    array = _locate(strict, path)
    if array is None or strict[array.start] != "[":
        raise MalformedInputError(f"{_spell(path)} is not a list")
    return array


def _gap(text: str, position: int) -> str:
    """What to put before another item so that it lines up with the one at `position`."""
    line = text.rfind("\n", 0, position) + 1
    indent = text[line:position]
    if line == 0 or indent.strip(" \t"):
        return " "
    return ("\r\n" if text[line - 2 : line] == "\r\n" else "\n") + indent


def _dumps(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)

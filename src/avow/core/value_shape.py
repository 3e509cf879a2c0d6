"""What kind of value a server makes up anew at each look: a time, a number, an identifier, words around one.

A shape is JSON: a text that names the kind, and for arrays and objects the same of each element. Whatever
is not made of digits, of the names of days and months, or of one short word stays as it was.
"""

import re
from collections.abc import Sequence
from typing import Final

from avow.core.canonical import JsonValue, canonical

# A time with words around it is short; nobody reviews a long text by its shape.
_LONGEST: Final = 4096

_WORD: Final = re.compile(r"[A-Za-z0-9_+=-]{1,64}")
_WORD_SHAPE: Final = re.compile(r"word of up to ([0-9]{1,2}) characters")
_TEXT: Final = "text: "
_MOVING: Final = re.compile(
    r"(?P<uuid>(?<![0-9A-Za-z])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Za-z]))"
    r"|(?P<date>[0-9]{4}([-/])[0-9]{2}\3[0-9]{2}(?![0-9]))"
    r"|(?P<time>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?: ?[AaPp][Mm]\b)?"
    r"(?: ?(?:Z|UTC|GMT)\b)?(?:[+-][0-9]{2}:?[0-9]{2}(?![0-9]))?)"
    r"|(?P<hex>(?<![0-9A-Za-z])(?=[0-9]*+[A-Fa-f])[0-9A-Fa-f]{12,}+(?![A-Za-z]))"
    r"|(?P<month>(?<![A-Za-z])(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)(?![A-Za-z]))"
    r"|(?P<day>(?<![A-Za-z])(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs?)?|Fri|Sat(?:ur)?|Sun)(?:day)?(?![A-Za-z]))"
    r"|(?P<number>(?:(?<![\w)\]-])-)?[0-9]++(?:[.,][0-9]++)*+)"
)


def shape_of(values: Sequence[JsonValue]) -> JsonValue:
    """The shape that all of the values have; None when they have none in common."""
    if any(len(canonical(value)) > _LONGEST for value in values):
        return None
    return _common(values)


def fits(shape: JsonValue, value: JsonValue) -> bool:
    """Whether a value has this shape; what is no shape fits nothing."""
    match shape, value:
        case dict(), dict():
            return shape.keys() == value.keys() and all(fits(shape[name], value[name]) for name in shape)
        case list(), list():
            return len(shape) == len(value) and all(map(fits, shape, value))
        case str(), str():
            return len(value) <= _LONGEST and (_TEXT + _template(value) == shape or _is_word(value, shape))
        case str(), bool():
            return shape in ("boolean", str(value).lower())
        case "number", int() | float():
            return True
        case "null", None:
            return True
        case _:
            return False


def in_words(shape: JsonValue) -> str:
    """A shape as a person reads it."""
    return shape if isinstance(shape, str) else canonical(shape).decode()


def _common(values: Sequence[JsonValue]) -> JsonValue:
    match values[0]:
        case dict(first) if all(isinstance(value, dict) and value.keys() == first.keys() for value in values):
            return _all({name: _common([value[name] for value in values]) for name in first})
        case list(first) if all(isinstance(value, list) and len(value) == len(first) for value in values):
            return _all([_common(column) for column in zip(*values, strict=True)])
        case str() if all(isinstance(value, str) for value in values):
            return _of_texts(values)
        case first:
            names = ("null", "number", "true", "false", "boolean")
            return next((name for name in names if all(fits(name, value) for value in values)), None)


def _all(shapes: JsonValue) -> JsonValue:
    """The shapes, when all of them are one."""
    inner = shapes.values() if isinstance(shapes, dict) else shapes
    return None if any(shape is None for shape in inner) else shapes


def _of_texts(values: Sequence[str]) -> str | None:
    templates = {_template(value) for value in values}
    if len(templates) == 1:
        return _TEXT + templates.pop()
    # To the next eight: identifiers are of one length, words of a few.
    limit = -(-max(map(len, values)) // 8) * 8
    return f"word of up to {limit} characters" if all(map(_WORD.fullmatch, values)) else None


def _template(text: str) -> str:
    """The text with a name in place of everything that a clock or a counter moves."""
    return _MOVING.sub(lambda found: f"<{found.lastgroup}>", text)


def _is_word(value: str, shape: str) -> bool:
    found = _WORD_SHAPE.fullmatch(shape)
    return found is not None and len(value) <= int(found[1]) and _WORD.fullmatch(value) is not None

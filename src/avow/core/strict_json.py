"""JSON read strictly: everything that two readers could understand differently is refused.

`parse_leniently` beside it says what a careless reader would have made of a refused document.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

import msgspec

from avow.errors import MalformedInputError

JsonValue: TypeAlias = Any
JsonObject: TypeAlias = dict[str, Any]

MAX_DEPTH: Final = 128
"""How many arrays and objects may be inside each other in what somebody sends us."""

MAX_FILE_DEPTH: Final = MAX_DEPTH + 32
"""The same for files of our own, which wrap what somebody sent in a few more objects."""

_LARGEST: Final = 2**1024 - 2**971  # of all doubles
_MAX_INTEGER_LENGTH: Final = len(str(-_LARGEST))
_BLANKS: Final = b" \t\r\n"

_fast_read: Final = msgspec.json.Decoder().decode
_fast_write: Final = msgspec.json.Encoder().encode


def parse_json(data: bytes | str, *, max_depth: int = MAX_DEPTH) -> JsonValue:
    """Read one JSON document, refusing everything that two readers could understand differently.

    Raises:
        MalformedInputError: not JSON, a duplicate key, invalid UTF-8, a lone surrogate, `NaN`,
            `Infinity`, a number beyond a double's range, or nesting too deep to be meant well.
    """
    try:
        compact = (data.encode() if isinstance(data, str) else data).strip(_BLANKS)
        value = _fast_read(compact)
        # A value that is written as the very bytes it was read from has no second reading: no key was
        # dropped, no character replaced, no number rounded. Most peers write the way msgspec does.
        if _fast_write(value) == compact and _is_within((value,), max_depth):
            return value
    except (ValueError, RecursionError):
        pass  # the careful reader finds out what is wrong, and says it better
    return _read_carefully(_strict_text(data), max_depth)


def _read_carefully(text: str, max_depth: int) -> JsonValue:
    try:
        value = _STRICT.decode(text)
    except json.JSONDecodeError as exc:
        reason = exc.msg.removesuffix(" at")
        raise MalformedInputError(f"not JSON: {reason} at line {exc.lineno} column {exc.colno}") from exc
    except RecursionError:
        raise _too_deep(max_depth) from None
    if not _is_within((value,), max_depth):
        raise _too_deep(max_depth)
    if "\\ud" in text or "\\uD" in text:
        _refuse_lone_surrogates(value)
    return value


def parse_leniently(data: bytes | str) -> JsonValue | None:
    """What a careless reader would make of a document that `parse_json` refuses; `None` when nothing.

    The last of several equal keys wins, invalid UTF-8 is replaced, any number will do. This is only
    for finding out which request a malformed answer belongs to; it must never be hashed or acted on.
    """
    text = data if isinstance(data, str) else data.decode("utf-8", "replace")
    try:
        value = _LENIENT.decode(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return value if _is_within((value,), MAX_DEPTH) else None


def _is_within(values: Iterable[JsonValue], room: int) -> bool:
    """Whether at most `room` arrays and objects are inside each other, and no integer is out of range."""
    for value in values:
        kind = type(value)
        if kind is str:
            continue
        if kind is dict:
            if not room or not _is_within(value.values(), room - 1):
                return False
        elif kind is list:
            if not room or not _is_within(value, room - 1):
                return False
        elif kind is int and not -_LARGEST <= value <= _LARGEST:
            return False
    return True


def _strict_text(data: bytes | str) -> str:
    try:
        text = data if isinstance(data, str) else data.decode()
        if text is data and not text.isascii():
            text.encode()
    except UnicodeDecodeError as exc:
        raise MalformedInputError(f"not UTF-8: {exc.reason} at byte {exc.start}") from exc
    except UnicodeEncodeError as exc:
        raise MalformedInputError(f"a lone surrogate at character {exc.start}") from exc
    if text.startswith("\ufeff"):
        raise MalformedInputError("not JSON: it starts with a byte order mark")
    return text


def _refuse_lone_surrogates(value: JsonValue) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as exc:
        surrogate = ord(exc.object[exc.start])
        raise MalformedInputError(f"a lone surrogate: \\u{surrogate:04x}") from exc


def _object(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    members = dict(pairs)
    if len(members) < len(pairs):
        times = Counter(key for key, _ in pairs)
        twice = next(key for key in members if times[key] > 1)
        raise MalformedInputError(f"the key {_shortened(repr(twice))} appears twice in one object")
    return members


def _integer(text: str) -> int:
    if len(text) > _MAX_INTEGER_LENGTH:  # before the conversion, whose cost grows with the square
        raise _out_of_range(text)
    value = int(text)
    if not -_LARGEST <= value <= _LARGEST:
        raise _out_of_range(text)
    return value


def _double(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _out_of_range(text)
    return value


def _constant(text: str) -> JsonValue:
    raise MalformedInputError(f"not JSON: {text} is not a number")


def _integer_or_infinity(text: str) -> int | float:
    try:
        return _integer(text)
    except MalformedInputError:
        return float(text)


def _too_deep(max_depth: int) -> MalformedInputError:
    return MalformedInputError(f"more than {max_depth} arrays and objects inside each other")


def _out_of_range(text: str) -> MalformedInputError:
    return MalformedInputError(f"the number {_shortened(text)} is beyond the range of a double")


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


_STRICT: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_double, parse_int=_integer, parse_constant=_constant
)
_LENIENT: Final = json.JSONDecoder(parse_int=_integer_or_infinity, strict=False)

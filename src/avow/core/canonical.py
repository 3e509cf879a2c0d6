"""Strict JSON in, canonical bytes and digests out: what every identity in Avow rests on.

RFC 8785 (JCS) with one addition: an integer outside ±(2^53-1) keeps its exact digits, so that
different numbers never share a digest. A number written with a fraction or an exponent is a double.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import Final, NewType

import msgspec

from avow.core._doubles import written_double
from avow.core.strict_json import (
    MAX_DEPTH,
    MAX_FILE_DEPTH,
    JsonObject,
    JsonValue,
    parse_json,
    parse_leniently,
)
from avow.errors import MalformedInputError

__all__ = [
    "MAX_DEPTH",
    "MAX_FILE_DEPTH",
    "Digest",
    "JsonObject",
    "JsonValue",
    "canonical",
    "digest",
    "digest_of",
    "parse_json",
    "parse_leniently",
]

DIGEST_PATTERN: Final = "sha256:[0-9a-f]{64}"
Digest = NewType("Digest", str)

# msgspec sorts keys with a quicksort that an adversary can make quadratic, and deeply recursive, in C.
# It does well on members that are in order already, and on few it cannot do much harm.
_MAX_MEMBERS: Final = 1_000

# The first bytes of characters beyond U+FFFF, the only ones that UTF-8 and UTF-16 order differently.
_ASTRAL_LEAD_BYTES: Final = bytes(range(0xF0, 0xF5))

# Strings come with the escapes of section 3.2.2.2 and integers with all their digits, but doubles in
# another notation than section 3.2.2.3 wants: they never get here.
_bytes_in_utf8_order: Final = msgspec.json.Encoder(order="deterministic").encode
_bytes_as_they_are: Final = msgspec.json.Encoder().encode


def canonical(value: JsonValue) -> bytes:
    """The canonical bytes of a JSON value: equal values, and only they, give equal bytes.

    Raises:
        MalformedInputError: JSON cannot say this: `NaN`, an infinity, a lone surrogate, a key that is
            not a string, a foreign type, an integer of thousands of digits, or endless nesting.
    """
    try:
        plain = value if _is_ordinary((value,)) else _written_out(value)
        data: bytes = _bytes_in_utf8_order(plain)
        if data.isascii() or len(data.translate(None, _ASTRAL_LEAD_BYTES)) == len(data):
            return data
        if not _has_astral_key((plain,)):
            return data
        return _bytes_as_they_are(_in_utf16_order(plain))
    except UnicodeEncodeError as exc:
        raise MalformedInputError("a text holds a lone surrogate, which is not a character") from exc
    except TypeError as exc:
        raise MalformedInputError("a key of an object is not a string") from exc
    except ValueError as exc:
        raise MalformedInputError("an integer has too many digits") from exc
    except RecursionError:
        raise MalformedInputError("too many arrays and objects inside each other") from None


def digest_of(data: bytes) -> Digest:
    """`sha256:` and 64 lowercase hexadecimal digits."""
    return Digest("sha256:" + sha256(data).hexdigest())


def digest(value: JsonValue) -> Digest:
    """The digest of a JSON value: over its canonical bytes."""
    return digest_of(canonical(value))


def _is_ordinary(values: Iterable[JsonValue]) -> bool:
    """Whether msgspec may write these values as they are."""
    for value in values:
        kind = type(value)
        if kind is str:
            continue
        if kind is dict:
            if len(value) > _MAX_MEMBERS or not _is_ordinary(value.values()):
                return False
        elif kind is list:
            if not _is_ordinary(value):
                return False
        elif kind is not bool and kind is not int and value is not None:
            return False
    return True


def _written_out(value: JsonValue) -> JsonValue:
    """A copy that msgspec writes correctly: doubles are bytes already, large objects in order."""
    # `type(...) is`, since Python takes True for an int, and an IntEnum for a number.
    kind = type(value)
    if kind is dict:
        # Sorted keys rather than items: ten thousand pairs would wake the garbage collector.
        keys = value if len(value) <= _MAX_MEMBERS else sorted(value)
        return {key: member if type(member := value[key]) is str else _written_out(member) for key in keys}
    if kind is list:
        return [_written_out(item) for item in value]
    if kind is float:
        return msgspec.Raw(written_double(value).encode())
    if kind is str or kind is bool or kind is int or value is None:
        return value
    raise MalformedInputError(f"JSON has no {kind.__name__}")


def _has_astral_key(values: Iterable[JsonValue]) -> bool:
    for value in values:
        if type(value) is dict:
            keys = "".join(value)
            if not keys.isascii() and max(keys) > "\uffff":
                return True
            value = value.values()
        elif type(value) is not list:
            continue
        if _has_astral_key(value):
            return True
    return False


def _in_utf16_order(value: JsonValue) -> JsonValue:
    """A copy whose members are in the order of their keys' UTF-16 code units (section 3.2.3)."""
    if type(value) is dict:
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return {key: _in_utf16_order(value[key]) for key in keys}
    if type(value) is list:
        return [_in_utf16_order(item) for item in value]
    return value

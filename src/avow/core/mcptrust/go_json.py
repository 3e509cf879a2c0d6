"""JSON as MCPTrust canonicalises it before hashing: two forms, both shaped by Go's standard library.

Every number is a double to it. That makes some different documents equal; `is_exact` tells them.
"""

import json
from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from avow.core.canonical import JsonValue

_SAFE: Final = 2**53 - 1
# What Go escapes so that JSON can stand inside HTML.
_HTML: Final = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def canonical_v1(value: JsonValue) -> bytes:
    """Go's `json.Marshal` with keys in the order of their UTF-8 bytes."""
    return _written_v1(value).encode()


def canonical_v2(value: JsonValue) -> bytes:
    """Nearly RFC 8785: keys by UTF-16 units and no HTML escapes, but Go's own way to write fractions."""
    return _written_v2(value).encode()


def go_text(document: JsonValue) -> str:
    """A document as Go writes it to a file: two spaces, HTML escapes, members in the order they have."""
    return json.dumps(document, indent=2, ensure_ascii=False).translate(_HTML)


def is_exact(value: JsonValue) -> bool:
    """Whether no other document has the same canonical form.

    Integers that a double cannot hold fall together with their neighbours, and broken characters with
    the replacement character.
    """
    match value:
        case str():
            return "\ufffd" not in value
        case bool() | None:
            return True
        case int():
            return -_SAFE <= value <= _SAFE
        case list():
            return all(is_exact(item) for item in value)
        case dict():
            return all(is_exact(name) and is_exact(item) for name, item in value.items())
        case _:
            return True


def _written_v1(value: JsonValue) -> str:
    match value:
        case dict():
            # Code points sort as their UTF-8 bytes do.
            return _object((_string_v1(name), _written_v1(value[name])) for name in sorted(value))
        case list():
            return f"[{','.join(map(_written_v1, value))}]"
        case str():
            return _string_v1(value)
        case bool() | None:
            return json.dumps(value)
        case _:
            return _plain_or_scientific(float(value), least=-7, most=21, exponent_digits=1)


def _written_v2(value: JsonValue) -> str:
    match value:
        case dict():
            names = sorted(value, key=lambda name: name.encode("utf-16-be"))
            return _object((_string(name), _written_v2(value[name])) for name in names)
        case list():
            return f"[{','.join(map(_written_v2, value))}]"
        case str():
            return _string(value)
        case bool() | None:
            return json.dumps(value)
        case _:
            return _number_v2(float(value))


def _number_v2(number: float) -> str:
    if number.is_integer() and abs(number) <= _SAFE:
        return str(int(number))
    # Go's 'g' in its shortest form turns to exponents far earlier than JavaScript, and writes two digits.
    return _plain_or_scientific(number, least=-5, most=6, exponent_digits=2)


def _plain_or_scientific(number: float, *, least: int, most: int, exponent_digits: int) -> str:
    """The shortest digits that give the double back, in plain notation for exponents between the bounds."""
    sign, digits, power = Decimal(repr(number)).normalize().as_tuple()
    text = "".join(map(str, digits))
    exponent = len(text) + int(power) - 1 if number else 0
    minus = "-" if sign else ""
    if least < exponent < most:
        return minus + format(Decimal(f"{text}e{power}"), "f")
    fraction = f".{text[1:]}" if len(text) > 1 else ""
    return f"{minus}{text[0]}{fraction}e{'-' if exponent < 0 else '+'}{abs(exponent):0{exponent_digits}d}"


def _object(members: Iterable[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{name}:{value}" for name, value in members) + "}"


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _string_v1(text: str) -> str:
    return _string(text).translate(_HTML)

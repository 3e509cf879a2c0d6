"""How RFC 8785 writes a double: the way ECMAScript does."""

import math

from avow.errors import MalformedInputError


def written_double(value: float) -> str:
    """The shortest notation that reads back as the same double (section 3.2.2.3; ECMA-262, Number::toString).

    Raises:
        MalformedInputError: JSON has neither infinities nor `NaN`.
    """
    if not math.isfinite(value):
        raise MalformedInputError(f"JSON has no {value}")
    if value == 0:
        return "0"  # for -0 too
    sign = "-" if value < 0 else ""
    digits, point = _digits_and_point(abs(value))
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    fraction = "." + digits[1:] if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{point - 1:+d}"


def _digits_and_point(value: float) -> tuple[str, int]:
    """The shortest digits that read back as `value`, and how many of them stand before the point."""
    mantissa, _, exponent = repr(value).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    significant = digits.lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(digits) - len(significant))
    return significant.rstrip("0"), point

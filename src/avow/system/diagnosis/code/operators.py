"""Following a program: operators on values that depend on nothing."""

from collections.abc import Sequence
from typing import Final

from avow.system.diagnosis.code.ground import IMPORTED, MAIN, plain_truth
from avow.system.diagnosis.code.values import NOTHING, Closure, Known, Native, Unknown, Value, depends_of

LONGEST_TEXT: Final = 10_000


def negated(value: Value) -> Value:
    """`not value`."""
    truth = plain_truth(value)
    return Unknown(depends=depends_of(value)) if truth is None else Known(not truth)


def type_name(value: Value) -> Value:
    """`typeof value`."""
    match value:
        case Known(None):
            return Known("undefined")
        case Known(bool()):
            return Known("boolean")
        case Known(str()):
            return Known("string")
        case Known():
            return Known("number")
        case Closure() | Native():
            return Known("function")
        case Unknown(is_text=True):
            return Known("string")
        case _:
            return Unknown(truth=True)


def binary(operator: str, left: Value, right: Value) -> Value:
    """A comparison or a calculation."""
    match operator:
        case "==":
            return _equal(left, right)
        case "!=":
            equal = _equal(left, right)
            return Known(not equal.value) if isinstance(equal, Known) else equal
        case "<" | "<=" | ">" | ">=" | "+" | "-" | "*":
            return _calculated(operator, left, right)
        case _:
            return Unknown(depends=depends_of(left, right))


def _equal(left: Value, right: Value) -> Value:
    if isinstance(left, Known) and isinstance(right, Known):
        return Known(left.value == right.value)
    for one, other in ((left, right), (right, left)):
        # A text that was given is neither nothing nor empty.
        if isinstance(one, Unknown) and one.truth and isinstance(other, Known) and not other.value:
            return Known(value=False)
        if other == NOTHING and not isinstance(one, Known | Unknown) and plain_truth(one):
            return Known(value=False)
    depends = depends_of(left, right)
    if depends & {MAIN, IMPORTED}:
        return Known(MAIN in depends)
    return Unknown(depends=depends)


def joined(parts: Sequence[str]) -> Value:
    """Text put together; of what doubles with each step only that there is some is known."""
    length = 0
    for part in parts:
        length += len(part)
        if length >= LONGEST_TEXT:
            return Unknown(truth=True, is_text=True)
    return Known("".join(parts))


def _calculated(operator: str, left: Value, right: Value) -> Value:
    if isinstance(left, Unknown) and left.truth and right == Known(0):
        # Something has a length, or was counted: more than none.
        return {">": Known(value=True), "<=": Known(value=False)}.get(operator, Unknown())
    if not isinstance(left, Known) or not isinstance(right, Known):
        is_text = operator == "+" and any(isinstance(each, Known) and each.value for each in (left, right))
        return Unknown(truth=True if is_text else None, depends=depends_of(left, right))
    one, two = left.value, right.value
    if isinstance(one, str) and isinstance(two, str) and operator == "+":
        return joined((one, two))
    if isinstance(one, int | float) and isinstance(two, int | float):
        return _number(operator, one, two)
    return Unknown()


def _number(operator: str, one: float, two: float) -> Value:
    match operator:
        case "<":
            return Known(one < two)
        case "<=":
            return Known(one <= two)
        case ">":
            return Known(one > two)
        case ">=":
            return Known(one >= two)
        case "+":
            return Known(one + two)
        case "-":
            return Known(one - two)
        case _:
            return Unknown()

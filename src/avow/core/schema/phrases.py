"""Words for schemas: how a difference is said to a person, with the server's own words made harmless."""

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from avow.core.canonical import JsonValue
from avow.core.printable import printable

_LENGTH: Final = 60
_LISTED: Final = 4

_THOSE: Final = {
    "null": "null",
    "boolean": "true and false",
    "number": "numbers",
    "string": "strings",
    "array": "lists",
    "object": "objects",
}
_NAMES: Final = {
    "minLength": "the least length",
    "maxLength": "its length",
    "minItems": "the least number of items",
    "maxItems": "the number of items",
    "minProperties": "the least number of members",
    "maxProperties": "the number of members",
}
_CONDITIONS: Final = {
    "pattern": "the pattern",
    "format": "the format",
    "not": "what it must not be",
    "if": "the condition (if, then, else)",
    "contains": "what its items must include",
    "oneOf": "the rule that exactly one alternative fits",
    "$ref": "the reference to another document",
    "patternProperties": "the rule for names that fit a pattern",
    "propertyNames": "the rule for names of members",
    "dependentRequired": "a rule that one member asks for another",
    "exclusiveMaximum": "the upper bound",
    "exclusiveMinimum": "the lower bound",
    "schema": "a part that nobody can compare",
    "dependentSchemas": "a rule that depends on a member",
}


def shown(value: object) -> str:
    """A value of a server, short and safe to print."""
    if isinstance(value, Fraction):
        value = int(value) if value.denominator == 1 else float(value)
    return printable(str(value), _LENGTH, fold=True)


def listed(values: Sequence[JsonValue]) -> str:
    """Some values as JSON, the first few of them."""
    words = [shown(json.dumps(value, ensure_ascii=False)) for value in values[:_LISTED]]
    if len(values) > _LISTED:
        words.append(f"{len(values) - _LISTED} more")
    return _joined(words)


def _joined(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def subject(name: str) -> str:
    """What a person calls the thing at a path of names; no path is the input as a whole."""
    if not name:
        return "the input"
    if name == "*":
        return "an undeclared argument"
    if name.endswith(".*"):
        return f"an undeclared member of {subject(name[:-2])}"
    if name.endswith("[]"):
        return f"an item of {subject(name[:-2])}"
    return f"argument '{shown(name)}'"


def those(kinds: Sequence[str]) -> str:
    """All values of some JSON types."""
    return _joined([_THOSE[kind] for kind in kinds])


def named(keyword: str) -> str:
    """What a keyword limits."""
    return _NAMES[keyword]


def phrase(keyword: str, who: str, state: str) -> str:
    """That something we do not reason about was `added`, `changed` or `removed`."""
    what = _CONDITIONS.get(keyword, f"`{keyword}`")
    if state == "changed":
        return f"{who}: {what} is another one now, and not proven to accept less"
    return f"{who}: {what} was {state}"

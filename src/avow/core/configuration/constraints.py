"""Rules about several parameters at once, which no declaration can state: source and destination must differ.

A constraint says something about which keys have values, or that values differ; with `when` it applies only
where other keys have certain values. A message may say it in the words of whoever wrote the rule.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from avow.core.canonical import JsonObject, JsonValue
from avow.core.configuration.checks import Value, texts_of
from avow.core.configuration.hazards import shown
from avow.core.configuration.model import Scalar, text_of
from avow.errors import UsageError

_SEPARATORS: Final = re.compile(r"[\\/]+")
_FEWEST: Final = 2


class Rule(StrEnum):
    """What can be asked of several keys."""

    DIFFER = "differ"
    REQUIRES = "requires"
    ONE_OF = "one_of"
    ANY_OF = "any_of"
    TOGETHER = "together"
    NEVER_TOGETHER = "never_together"


_MEMBERS: Final = (*(str(rule) for rule in Rule), "when", "message")


@dataclass(frozen=True, slots=True)
class Constraint:
    """One rule. Of `requires` the first key is the one that wants the others."""

    rule: Rule
    keys: tuple[str, ...]
    message: str = ""
    when: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Broken:
    """A constraint that values do not keep, which keys it is about, and what to say: never a value."""

    constraint: Constraint
    keys: tuple[str, ...]
    message: str


def broken(constraints: Iterable[Constraint], values: Mapping[str, Value]) -> tuple[Broken, ...]:
    """Every constraint that these values do not keep."""
    return tuple(found for constraint in constraints for found in _broken(constraint, values))


def read_constraints(data: JsonValue, place: str) -> tuple[Constraint, ...]:
    """The constraints that a settings file states for one server, already parsed.

    Raises:
        UsageError: a rule that does not exist, or says nothing.
    """
    if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
        raise UsageError(f"{place} is not a list of tables", hint=f"write [[{place}]], with two brackets")
    return tuple(constraint for entry in data for constraint in _read(entry, place))


def _read(entry: JsonObject, place: str) -> Iterator[Constraint]:
    for member in entry:
        if member not in _MEMBERS:
            raise UsageError(
                f"{shown(member, 60)!r} is not possible in {place}",
                hint=f"possible are {', '.join(_MEMBERS)}",
            )
    rules = [rule for rule in Rule if str(rule) in entry]
    if not rules:
        raise UsageError(f"an entry of {place} has no rule", hint=f"add one of {', '.join(Rule)}")
    message, when = entry.get("message", ""), entry.get("when", {})
    if not isinstance(message, str):
        raise UsageError(f"message in {place} is not text")
    if not isinstance(when, dict) or not all(isinstance(value, Scalar) for value in when.values()):
        raise UsageError(f"when in {place} is not a table of values", hint='write when = { MODE = "remote" }')
    conditions = tuple((key, text_of(value)) for key, value in when.items())
    for rule in rules:
        for keys in _keys(rule, entry[rule], f"{rule} in {place}"):
            yield Constraint(rule, keys, message, conditions)


def _keys(rule: Rule, data: JsonValue, place: str) -> Iterator[tuple[str, ...]]:
    if rule is not Rule.REQUIRES:
        yield _names(data, place, _FEWEST)
        return
    if not isinstance(data, dict) or not data:
        raise UsageError(f"{place} is not a table", hint='write requires = { USER = ["PASSWORD"] }')
    for key, wanted in data.items():
        yield (key, *_names([wanted] if isinstance(wanted, str) else wanted, place, 1))


def _names(data: JsonValue, place: str, fewest: int) -> tuple[str, ...]:
    if not isinstance(data, list) or not all(isinstance(name, str) for name in data):
        raise UsageError(f"{place} is not a list of keys")
    if len({*data}) != len(data) or len(data) < fewest:
        raise UsageError(f"{place} needs {'two keys or more' if fewest > 1 else 'a key'}, each of them once")
    return tuple(data)


def _broken(constraint: Constraint, values: Mapping[str, Value]) -> Iterator[Broken]:
    if any(values.get(key) != wanted for key, wanted in constraint.when):
        return
    there = tuple(key for key in constraint.keys if values.get(key))
    keys, words = _verdict(constraint, there, values)
    if keys:
        if len(keys) > 1:
            words = words.replace("is needed", "are needed")
        yield Broken(constraint, keys, shown(constraint.message) or f"{_listed(keys)} {words}")


def _verdict(
    constraint: Constraint, there: tuple[str, ...], values: Mapping[str, Value]
) -> tuple[tuple[str, ...], str]:
    """The keys that are at fault, and what is to be said of them."""
    keys = constraint.keys
    absent = tuple(key for key in keys if key not in there)
    match constraint.rule:
        case Rule.DIFFER:
            return _alike(there, values), "must differ"
        case Rule.REQUIRES:
            words = f"is needed as well where {_listed(keys[:1])} is given"
            return absent if keys[0] in there else (), words
        case Rule.ONE_OF:
            return () if len(there) == 1 else keys, "are a choice: give exactly one of them"
        case Rule.ANY_OF:
            return () if there else keys, "are a choice: give one of them at least"
        case Rule.TOGETHER:
            return absent if there else (), "is needed as well where the others are given"
        case _:
            return there if len(there) > 1 else (), "must not be given together"


def _alike(keys: tuple[str, ...], values: Mapping[str, Value]) -> tuple[str, ...]:
    """The keys that have a value which another one has too."""
    own = {key: {_plain(text) for text in texts_of(values[key])} for key in keys}
    return tuple(key for key in keys if any(own[key] & own[other] for other in keys if other != key))


def _plain(text: str) -> str:
    """Different spellings of one path are one value; links are not followed."""
    if not _SEPARATORS.search(text):
        return text
    start, *steps = _SEPARATORS.split(text)
    kept: list[str] = [start]
    for step in steps:
        if step == ".." and (len(kept) > 1 or not start):
            kept = kept[: max(len(kept) - 1, 1)]
        elif step not in ("", "."):
            kept.append(step)
    return "/".join(kept)


def _listed(keys: tuple[str, ...]) -> str:
    *first, last = (shown(key, 60) for key in keys)
    return f"{', '.join(first)} and {last}" if first else last

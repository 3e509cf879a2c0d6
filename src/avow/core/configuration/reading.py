"""Reading a declaration member by member, each of the type that it should have."""

from collections.abc import Iterable, Iterator
from typing import Final

from avow.core.canonical import JsonObject, JsonValue, canonical
from avow.core.configuration.model import Configuration, Group, Parameter, Scalar, Where
from avow.core.printable import hidden_in_name, printable
from avow.errors import DeclarationError, MalformedInputError

MAX_NAME: Final = 200


def refuse_large(value: JsonValue, limit: int, what: str) -> None:
    """Let nothing pass that is larger than the limit, in canonical bytes.

    Raises:
        DeclarationError: it is, or JSON cannot say it.
    """
    try:
        size = len(canonical(value))
    except MalformedInputError as exc:
        raise DeclarationError(f"{what} cannot be read: {exc.message}") from exc
    if size > limit:
        raise DeclarationError(f"{what} has {size} bytes; {limit} is the limit")


def free_key(name: str, where: Where, taken: Iterable[str]) -> str:
    """The name, or with its kind where another parameter has the name."""
    key = name
    while key in taken:
        key = f"{where}:{key}"
    return key


def checked_name(name: JsonValue, place: str) -> str:
    """A name that can be shown, stored and passed on.

    Raises:
        DeclarationError: there is none, it is very long, or a part of it does not show.
    """
    if not isinstance(name, str) or not name:
        raise DeclarationError(f"{place} has no name")
    if len(name) > MAX_NAME:
        raise DeclarationError(f"{place} has a name of more than {MAX_NAME} characters")
    if any(True for _ in hidden_in_name(name)):
        raise DeclarationError(f"{place} has a name with characters that do not show: {_shown(name)}")
    return name


def collected(
    parameters: Iterable[Parameter], limit: int, what: str, groups: Iterable[Group] = ()
) -> Configuration:
    """The parameters by key, without groups of which a key is not among them.

    Raises:
        DeclarationError: there are too many.
    """
    found: dict[str, Parameter] = {}
    for parameter in parameters:
        found[parameter.key] = parameter
        if len(found) > limit:
            raise DeclarationError(f"{what} has more than {limit} parameters")
    known = tuple(group for group in groups if all(key in found for way in group.ways for key in way))
    return Configuration(found, known)


def objects(value: JsonValue, place: str) -> list[JsonObject]:
    """A list of objects; one that is not there is empty.

    Raises:
        DeclarationError: it is something else.
    """
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise DeclarationError(f"{place} is not a list of objects")
    return value


def table(value: JsonValue, place: str) -> JsonObject:
    """An object; one that is not there is empty.

    Raises:
        DeclarationError: it is something else.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise DeclarationError(f"{place} is not an object")
    return value


class Reader:
    """The members of one entry. Each method raises a DeclarationError that says what is wrong, and where."""

    def __init__(self, entry: JsonObject, place: str) -> None:
        """Read from `entry`, which messages call `place`."""
        self._entry = entry
        self._place = place

    def text(self, member: str, *, default: str | None = "") -> str:
        """A text; without a default it has to be there."""
        value = self._entry.get(member, default)
        if not isinstance(value, str):
            raise self._error(member, "text")
        return value

    def word(self, member: str, words: Iterable[str], *, default: str | None = None) -> str:
        """One of some words; without a default it has to be there."""
        value = self._entry.get(member, default)
        if not isinstance(value, str) or value not in words:
            raise self._error(member, f"one of {', '.join(words)}")
        return value

    def flag(self, member: str, *, default: bool | None = False) -> bool:
        """True or false; without a default it has to be there."""
        value = self._entry.get(member, default)
        if not isinstance(value, bool):
            raise self._error(member, "true or false")
        return value

    def number(self, member: str) -> float | None:
        """A number, if it is there."""
        value = self._entry.get(member)
        if member in self._entry and (not isinstance(value, int | float) or isinstance(value, bool)):
            raise self._error(member, "a number")
        return value

    def scalar(self, member: str) -> Scalar | None:
        """Text, a number, true or false, if it is there."""
        value = self._entry.get(member)
        if member in self._entry and not isinstance(value, Scalar):
            raise self._error(member, "text, a number, true or false")
        return value

    def value(self, member: str) -> Scalar | tuple[Scalar, ...] | None:
        """A scalar, or a list of them, if it is there."""
        value = self._entry.get(member)
        if isinstance(value, list) and all(isinstance(one, Scalar) for one in value):
            return tuple(value)
        return self.scalar(member)

    def texts(self, member: str) -> tuple[str, ...]:
        """A list of texts; empty when it is not there."""
        return tuple(self._texts(member))

    def _texts(self, member: str) -> Iterator[str]:
        values = self._entry.get(member, [])
        if not isinstance(values, list):
            raise self._error(member, "a list of texts")
        for value in values:
            if not isinstance(value, str):
                raise self._error(member, "a list of texts")
            yield value

    def _error(self, member: str, expected: str) -> DeclarationError:
        said = f"is not {expected}" if member in self._entry else "is missing"
        return DeclarationError(f"{self._place}: {member} {said}")


def place_of(holder: str, name: str) -> str:
    """What messages call an entry."""
    return f"{_shown(name)!r} in {holder}"


def _shown(name: str) -> str:
    return printable(name, 60, fold=True)

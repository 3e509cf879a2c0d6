"""Values that a client puts into a command line, variables and headers where a placeholder stands.

MCP bundles write `${user_config.KEY}`, VS Code writes `${input:ID}`; what surrounds them is the same.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from avow.core.canonical import JsonObject
from avow.core.configuration.handover import lay_out
from avow.core.configuration.model import Binding, Configuration, Style, Where
from avow.core.configuration.reading import table
from avow.errors import DeclarationError

_FLAG: Final = re.compile(r"-{1,2}[A-Za-z0-9][^=\s]*")


@dataclass(frozen=True, slots=True)
class Notation:
    """How a placeholder begins; each ends with a brace."""

    begin: str

    def of(self, key: str) -> str:
        """The placeholder for the value of a key."""
        return f"{self.begin}{key}}}"

    def split(self, text: str) -> list[str]:
        """Text and keys by turns, beginning and ending with text."""
        return re.split(rf"{re.escape(self.begin)}([^{{}}]+)}}", text)


def bindings(settings: JsonObject, notation: Notation, place: str) -> dict[str, tuple[Binding, ...]]:
    """Where each key's value goes, by the arguments, variables and headers of a server's settings.

    Raises:
        DeclarationError: one of them is not what it should be.
    """
    found: dict[str, list[Binding]] = {}
    for key, binding in _bindings(settings, notation, place):
        found.setdefault(key, []).append(binding)
    # Which of several places counts as the first must not depend on the order of variables.
    return {key: tuple(sorted(places, key=_place_order)) for key, places in found.items()}


def literals(settings: JsonObject, place: str) -> dict[str, str]:
    """The variables that are set to a text without anything to be filled in.

    Raises:
        DeclarationError: the variables are not what they should be.
    """
    return {name: text for name, text in _texts(settings, "env", place) if "${" not in text}


def settings_for(configuration: Configuration, notation: Notation) -> JsonObject:
    """Arguments, variables and headers with placeholders in the places of values."""
    texts = {
        one.key: (one.fixed if one.fixed is not None else notation.of(one.key),) for one in configuration
    }
    applied = lay_out(configuration, texts)
    arguments = [*applied.runtime_arguments, *applied.arguments]
    members = {"args": arguments, "env": applied.env, "headers": applied.headers}
    return {member: value for member, value in members.items() if value}


def _bindings(settings: JsonObject, notation: Notation, place: str) -> Iterator[tuple[str, Binding]]:
    arguments = settings.get("args", [])
    if not isinstance(arguments, list) or not all(isinstance(one, str) for one in arguments):
        raise DeclarationError(f"args in {place} is not a list of texts")
    flag = ""
    for order, argument in enumerate(arguments):
        pieces = notation.split(argument)
        for key in dict.fromkeys(pieces[1::2]):
            yield key, _argument(pieces, key, flag, order)
        flag = argument if len(pieces) == 1 and _FLAG.fullmatch(argument) else ""
    for member, where in (("env", Where.ENV), ("headers", Where.HEADER)):
        for name, text in _texts(settings, member, place):
            pieces = notation.split(text)
            for key in dict.fromkeys(pieces[1::2]):
                yield key, _templated(Binding(where, name), pieces, key)


def _place_order(binding: Binding) -> tuple[int, int, str]:
    return (Where.ARGUMENT, Where.ENV, Where.HEADER).index(binding.where), binding.order, binding.name


def _texts(settings: JsonObject, member: str, place: str) -> Iterator[tuple[str, str]]:
    for name, text in table(settings.get(member), f"{member} in {place}").items():
        if not isinstance(text, str):
            raise DeclarationError(f"{member} in {place} has a value that is not text")
        yield name, text


def _argument(pieces: list[str], key: str, flag: str, order: int) -> Binding:
    name, equals, rest = pieces[0].partition("=")
    if equals and _FLAG.fullmatch(name):
        named = Binding(Where.ARGUMENT, name, Style.NAMED, order, "=")
        return _templated(named, [rest, *pieces[1:]], key)
    if flag:
        return _templated(Binding(Where.ARGUMENT, flag, Style.NAMED, order), pieces, key)
    # Those that fill one argument together are known by the first of them.
    return _templated(Binding(Where.ARGUMENT, pieces[1], order=order), pieces, key)


def _templated(binding: Binding, pieces: list[str], key: str) -> Binding:
    """The binding with the text around the value; `{}` where that is clear, otherwise the keys by name."""
    is_alone = len(pieces) == 3 and "{}" not in pieces[0] + pieces[2]
    marks = ["{}" if is_alone else f"{{{name}}}" for name in pieces[1::2]]
    template = "".join(text + mark for text, mark in zip(pieces[::2], [*marks, ""], strict=True))
    return Binding(
        binding.where,
        binding.name,
        binding.style,
        binding.order,
        binding.joiner,
        template=template,
        part="" if is_alone else key,
    )

"""Names of variables, flags and identifiers in a sentence, and how "and" and "or" join them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final, TypeAlias


class Form(StrEnum):
    """What a name looks like; an identifier may stand for a variable or for a flag."""

    VARIABLE = "variable"
    FLAG = "flag"
    POSITIONAL = "positional"
    IDENTIFIER = "identifier"
    FILE = "file"
    COMMAND = "command"
    HEADER = "header"


@dataclass(frozen=True, slots=True)
class Name:
    """One name, and what its surroundings say about it."""

    text: str
    form: Form
    choices: tuple[str, ...] = ()
    multiple: bool = False


Ways: TypeAlias = tuple[tuple[Name, ...], ...]

_WORD: Final = re.compile(r"[A-Za-z0-9_$.<>{}\[\]/\\~@:=-]{2,200}")
_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|_[A-Z0-9_]+")
_PREFIXED: Final = re.compile(
    r"(?:process\.env\.|os\.environ\.|env\.|\$env:|\$|env:)\{?([A-Za-z_][A-Za-z0-9_]*)\}?"
)
_FLAG: Final = re.compile(r"--[A-Za-z][\w-]*|-[A-Za-z]")
_IDENTIFIER: Final = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z]+[0-9]*(?:[A-Z][a-z0-9]+)+")
_FILE: Final = re.compile(
    r"[\w.~/-]*[\w-]\.(?:json|ya?ml|toml|pem|key|env|ini|conf|cfg|db|sqlite|p8|p12|txt)"
)
# Words in capitals that are error codes of systems and services and not anybody's variables.
_CODES: Final = re.compile(
    r"ERR_\w+|EAI_\w+|\w*NOT_FOUND|\w+_FAILED|\w+_ERROR|\w+_VERSION_\d\w*|INVALID_\w+|UNABLE_\w+"
    r"|SELF_SIGNED_\w+"
    r"|CERT_\w+|NODE_MODULE_VERSION|PERMISSION_DENIED|UTF_8|SIG_\w+|READ_ONLY|X86_64|GLIBC_\w+"
    r"|GLIBCXX_\w+|SQLITE_\w+"
    r"|DEPRECATION_\w+|MODULE_\w+|LAST_RESORT|UNKNOWN_\w+|NO_COLOR|FORCE_COLOR|NODE_ENV|NODE_OPTIONS"
    r"|PYTHONPATH|LD_\w+"
)
_SINGLE: Final = re.compile(
    r"(?:environment|env)[ -]?var(?:iable)?s?:? (?:called |named )?[`'\"]?([A-Za-z][A-Za-z0-9_]{1,60})[`'\"]?"
    r"|[`'\"]?(?<![A-Za-z0-9_])([A-Z][A-Z0-9]{2,60})[`'\"]? (?:environment|env)[ -]?var"
)
# Flags of every program, and of Node itself.
_EVERYBODYS: Final = frozenset(
    {"--help", "-h", "--version", "-v", "-V", "--trace-warnings", "--trace-deprecation", "--stdio"}
)
_NOT_NAMES: Final = frozenset(
    """
    is are not was must and or the a an for to in of with set required missing named called file files
    name names url variables variable value key found undefined such that which it this your please before
    when if API MCP HTTP
    """.split()  # noqa: SIM905 - words are easier to read without quotes
)
_OR: Final = re.compile(r"(?<![a-z])or(?![a-z])|\||或")
_ELSE: Final = re.compile(r"\((?:or|alternatively)(?![a-z])")
_EITHER: Final = re.compile(r"(?<![a-z])either(?![a-z])")
_AND: Final = re.compile(r"(?<![a-z])(?:and|with|plus)(?![a-z])|&|\+|和|以及")
_LONG_GAP: Final = 90


class _Joint(StrEnum):
    OR = "or"
    ELSE = "(or"
    AND = "and"
    COMMA = ","
    APART = " "


@dataclass(frozen=True, slots=True)
class _Found:
    name: Name
    start: int
    end: int


def names_in(sentence: str, *, identifiers: bool = False) -> tuple[Name, ...]:
    """Every name in the sentence, each once."""
    return tuple(dict.fromkeys(found.name for found in _find(sentence, identifiers=identifiers)))


def ways_in(sentence: str, *, identifiers: bool = False) -> Ways:
    """The ways to do what the sentence asks for, each with all the names that it takes.

    "and" binds closer than "or", and a list with commas is joined as its last two items are.
    """
    found = list(_find(sentence, identifiers=identifiers))
    if not found:
        return ()
    gaps = [sentence[a.end : b.start] for a, b in pairwise(found)]
    joints = _resolved([_joint(gap) for gap in gaps])
    # "A and either B or C": what stands before "either" goes with each of the ways behind it.
    split = next((place for place, gap in enumerate(gaps, start=1) if _EITHER.search(gap.lower())), 0)
    if split and _Joint.OR in joints[: split - 1]:
        split = 0
    common = [one.name for one in found[:split]]
    ways: list[list[Name]] = [[*common, found[split].name]]
    for joint, one in zip(joints[split:], found[split + 1 :], strict=True):
        if joint in (_Joint.OR, _Joint.ELSE):
            ways.append([*common, one.name])
        elif one.name not in ways[-1]:
            ways[-1].append(one.name)
    return tuple(dict.fromkeys(tuple(way) for way in ways))


def is_variable(text: str) -> bool:
    """Whether a text is written as variables are, and is no error code."""
    return _VARIABLE.fullmatch(text) is not None and _CODES.fullmatch(text) is None


def _find(sentence: str, *, identifiers: bool) -> Iterator[_Found]:
    singles = {
        found.span(group): found[group]
        for found in _SINGLE.finditer(sentence)
        for group in (1, 2)
        if found[group]
    }
    seen: set[tuple[int, int]] = set()
    for word in _WORD.finditer(sentence):
        for start, piece in _pieces(word[0], word.start()):
            span = (start, start + len(piece))
            name = _name(piece, identifiers=identifiers)
            if name is None and span in singles and piece not in _NOT_NAMES:
                name = Name(piece, Form.VARIABLE)
            if name is not None and span not in seen:
                seen.add(span)
                yield _Found(name, *span)


def _pieces(word: str, start: int) -> Iterator[tuple[int, str]]:
    """The parts of a word that may be names: `A_B/C_D` are two, `A_B=value` is one and its value."""
    if "://" in word:
        return
    bare = word.strip(".:=[]{}<>/\\") if not word.startswith("--") else word.rstrip(".:=[]{}<>/\\")
    start += word.find(bare) if bare else 0
    head, equals, _ = bare.partition("=")
    if equals:
        bare = head
    parts = bare.split("/")
    if len(parts) > 1 and all(_VARIABLE.fullmatch(part) or _FLAG.fullmatch(part) for part in parts):
        for part in parts:
            yield start, part
            start += len(part) + 1
        return
    if found := _PREFIXED.fullmatch(bare):
        yield start + found.start(1), found[1]
        return
    yield start, bare


def _name(piece: str, *, identifiers: bool) -> Name | None:
    if is_variable(piece):
        return Name(piece, Form.VARIABLE)
    if _FLAG.fullmatch(piece):
        return None if piece in _EVERYBODYS else Name(piece, Form.FLAG)
    if identifiers and _FILE.fullmatch(piece):
        return Name(piece, Form.FILE)
    if identifiers and _IDENTIFIER.fullmatch(piece):
        return Name(piece, Form.IDENTIFIER)
    return None


def _joint(gap: str) -> _Joint:
    lowered = gap.lower()
    if gap == "/":
        # "SOME_ID/SOME_SECRET" is a pair more often than a choice; a choice has spaces around it.
        return _Joint.AND
    if _ELSE.search(lowered):
        return _Joint.ELSE
    if _OR.search(lowered) or gap.strip() == "/":
        return _Joint.OR
    if _AND.search(lowered):
        return _Joint.AND
    if len(gap) > _LONG_GAP:
        return _Joint.APART
    return _Joint.COMMA if "," in gap or "、" in gap else _Joint.APART


def _resolved(joints: Sequence[_Joint]) -> list[_Joint]:
    """Each comma as what ends its list."""
    resolved: list[_Joint] = []
    following = _Joint.AND
    for joint in reversed(joints):
        if joint is not _Joint.COMMA:
            # A list that an aside gives another choice for is a list by itself.
            following = _Joint.AND if joint is _Joint.ELSE else joint
        resolved.append(joint if joint is not _Joint.COMMA else following)
    return resolved[::-1]

"""RFC 6570 URI templates, read backwards: is there an expansion of this template that gives that URI?

A template becomes a small automaton that runs over the URI with a set of states, so that the time is the
length of the URI times the size of the template, whatever a server writes. Two approximations: the values
of a variable that appears twice are not compared, and a prefix longer than `_LONG` is no limit.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from avow.errors import DeclarationError

MAX_TEMPLATE_LENGTH: Final = 2_048
MAX_VARIABLES: Final = 32
MAX_URI_LENGTH: Final = 8_192

_LONG: Final = 32
_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# What `encodeURIComponent` leaves as it is, and so clients in JavaScript send, beside the unreserved.
_LEFT_BY_JAVASCRIPT: Final = frozenset("!'()*")
_RESERVED: Final = frozenset(":/?#[]@!$&'()*+,;=")
_ENCODED: Final = frozenset(f"%{byte:02X}" for byte in range(256))
_SIMPLE: Final = _UNRESERVED | _LEFT_BY_JAVASCRIPT | _ENCODED
_ANY: Final = _UNRESERVED | _RESERVED | _ENCODED
# The later bytes of one character in UTF-8: a prefix counts characters.
_CONTINUATIONS: Final = frozenset(f"%{byte:02X}" for byte in range(0x80, 0xC0))
# A value that starts so is an absolute path to whoever joins it to another.
_ABSOLUTE: Final = frozenset({"/", "%2F", "%5C", "%25"})
_COMMA: Final = frozenset({","})
# What ends the name of a host, and what makes it another host's.
_ENDS_AUTHORITY: Final = frozenset("/?#")
_MOVES_AUTHORITY: Final = frozenset({"@", ".", ":", "%40", "%2E", "%3A", "%2F", "%5C", "%3F", "%23", "%25"})
_NETWORK: Final = frozenset({"ftp", "ftps", "git", "http", "https", "sftp", "ssh", "ws", "wss"})

_EXPRESSION: Final = re.compile(r"\{([+#./;?&]?)([^{}]*)\}")
_NAME_CHARACTER: Final = r"(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})"
_VARIABLE: Final = re.compile(rf"({_NAME_CHARACTER}(?:\.?{_NAME_CHARACTER})*)(\*|:[1-9][0-9]{{0,3}})?")
_UNIT: Final = re.compile(r"%[0-9A-Fa-f]{2}|(?s:.)")
_SEPARATORS: Final = re.compile(r"[/\\?#&=;,:]")
_TRIPLETS: Final = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_MAX_DECODINGS: Final = 8
# Two slashes in a row, which begin an absolute path anew; those of an address in a value (`x://y`) do not.
_DOUBLED: Final = re.compile(r"(?:^|[^:/\\])[/\\](?=[/\\])")


class _Operator(NamedTuple):
    """How an expression expands (RFC 6570, appendix A)."""

    first: str
    separator: str
    named: bool
    equals_when_empty: bool
    allowed: frozenset[str]


_OPERATORS: Final = {
    "": _Operator("", ",", False, False, _SIMPLE),
    "+": _Operator("", ",", False, False, _ANY),
    "#": _Operator("#", ",", False, False, _ANY),
    ".": _Operator(".", ".", False, False, _SIMPLE),
    "/": _Operator("/", "/", False, False, _SIMPLE),
    ";": _Operator(";", ";", True, False, _SIMPLE),
    "?": _Operator("?", "&", True, True, _SIMPLE),
    "&": _Operator("&", "&", True, True, _SIMPLE),
}


@dataclass(frozen=True, slots=True)
class UriTemplate:
    """A compiled template: per state its steps, and the states it reaches for free."""

    text: str
    _prefix: str
    _steps: tuple[tuple[tuple[frozenset[str], int], ...], ...]
    _free: tuple[frozenset[int], ...]
    _end: int
    _doubled: int

    def matches(self, uri: str) -> bool:
        """Whether some values for the variables expand the template to exactly this URI.

        Values that would lead elsewhere than the template does are none: absolute paths, and parts of a
        host's name that make it another host's.
        """
        if len(uri) > MAX_URI_LENGTH or not uri.startswith(self._prefix):
            return False
        if any(_doubled(form) > self._doubled for form in _decodings(_after_scheme(uri))):
            return False
        states = self._free[0]
        for unit in _units(uri):
            reached: set[int] = set()
            for state in states:
                for accepted, following in self._steps[state]:
                    if unit in accepted and following not in reached:
                        reached |= self._free[following]
            states = frozenset(reached)
        return self._end in states


def compile_template(text: str) -> UriTemplate:
    """Read a template.

    Raises:
        DeclarationError: it is not an RFC 6570 template, or larger than any that is meant well.
    """
    if len(text) > MAX_TEMPLATE_LENGTH or text.count("{") + text.count(",") > MAX_VARIABLES:
        raise DeclarationError("the URI template is too large to be meant well")
    builder = _Builder()
    place = 0
    for expression in _EXPRESSION.finditer(text):
        builder.literal(text[place : expression.start()])
        builder.expression(_OPERATORS[expression[1]], expression[2], _following(text[expression.end() :]))
        place = expression.end()
    builder.literal(text[place:])
    return builder.finish(text)


def is_escaping(uri: str) -> bool:
    r"""Whether a URI climbs out of where it seems to be, or hides something in control characters.

    It is decoded until nothing is left to decode, so `%2e%2e`, `..%2f` and `%252e` count; a backslash
    separates like a slash; a path parameter (`..;x`) does not hide the dots before it.
    """
    form = uri
    for form in _decodings(uri):
        if any(character < " " or character == "\x7f" for character in form):
            return True
        if any(part.strip(" ") == ".." for part in _SEPARATORS.split(form)):
            return True
    return _decoded(form) != form


class _Bounds(NamedTuple):
    """What a value may not begin with, may not hold, and may leave the host's name with."""

    refused: frozenset[str]
    shut: frozenset[str]
    leaves: frozenset[str]


def _bounds(operator: _Operator, before: str, following: str) -> _Bounds:
    """The bounds of the first value of an expression, after this text and before that character."""
    is_reserved = operator.allowed is _ANY
    begins_path = is_reserved and not operator.first and _may_begin_path(before)
    refused = _ABSOLUTE - {"/"} if begins_path else _ABSOLUTE
    scheme, marked, authority = (before + operator.first).partition("://")
    if not marked or not _ENDS_AUTHORITY.isdisjoint(authority):
        return _Bounds(refused, frozenset(), frozenset())
    ends_here = not following or following in _ENDS_AUTHORITY
    if not authority and ends_here:
        # The host is the value, whatever it is.
        return _Bounds(refused, frozenset(), frozenset())
    if not is_reserved and scheme.casefold() not in _NETWORK:
        return _Bounds(refused, frozenset(), frozenset())
    leaves = _ENDS_AUTHORITY & operator.allowed if ends_here else frozenset()
    return _Bounds(refused, _MOVES_AUTHORITY | _ENDS_AUTHORITY, leaves)


def _may_begin_path(before: str) -> bool:
    """Whether a slash after this text begins the path that the template leaves to a value."""
    if not before:
        return True
    return before[-1] in _UNRESERVED and "?" not in before and "#" not in before


class _Builder:
    """Writes the automaton from left to right; `_here` is the state that the next piece starts in."""

    def __init__(self) -> None:
        self._steps: list[list[tuple[frozenset[str], int]]] = [[]]
        self._free: list[set[int]] = [set()]
        self._here = 0
        self._before = ""

    def literal(self, text: str) -> None:
        if "{" in text or "}" in text:
            raise DeclarationError("the URI template has a brace without its other half")
        for unit in _units(text):
            self._here = self._character(unit)
        self._before += text

    def expression(self, operator: _Operator, names: str, following: str) -> None:
        """`following` is the first character of the next literal, if there is one."""
        bounds = _bounds(operator, self._before, following)
        end = self._state()
        self._skip(self._here, end)  # every variable may be undefined
        first = self._word(self._here, operator.first)
        joined: int | None = None
        for name in names.split(","):
            variable = _VARIABLE.fullmatch(name)
            if variable is None:
                raise DeclarationError("the URI template has an expression that RFC 6570 does not define")
            begin = self._state()
            self._skip(first, begin)
            after = self._state()
            if joined is not None:
                self._skip(joined, begin)
                self._skip(joined, after)
            done = self._variable(begin, operator, variable[1], variable[2] or "", bounds)
            bounds = bounds._replace(refused=_ABSOLUTE)
            self._skip(done, end)
            self._skip(self._word(done, operator.separator), after)
            joined = after
        self._here = end
        self._before += operator.first + "x"

    def finish(self, text: str) -> UriTemplate:
        free = tuple(frozenset(self._reach(state)) for state in range(len(self._free)))
        steps = tuple(map(tuple, self._steps))
        doubled = _doubled(_after_scheme(self._before))
        return UriTemplate(text, _plain_start(text), steps, free, self._here, doubled)

    def _variable(self, start: int, operator: _Operator, name: str, modifier: str, bounds: _Bounds) -> int:
        if modifier == "*":
            return self._items(start, operator, name, bounds)
        if not operator.named:
            return self._value(start, operator.allowed, bounds, modifier)
        return self._named(operator, self._word(start, name), bounds, modifier)

    def _named(self, operator: _Operator, named: int, bounds: _Bounds, modifier: str = "") -> int:
        """A value after its name and an equals sign, which `;` leaves out when the value is empty."""
        end = self._value(self._word(named, "="), operator.allowed, bounds, modifier)
        if not operator.equals_when_empty:
            self._skip(named, end)
        return end

    def _items(self, start: int, operator: _Operator, name: str, bounds: _Bounds) -> int:
        """An exploded variable: one or more values, each after its name, or pairs of a key and a value."""
        item, end = self._state(), self._state()
        self._skip(start, item)
        if operator.named:
            self._skip(self._named(operator, self._word(item, name), bounds), end)
        else:
            self._skip(self._value(item, operator.allowed, bounds), end)
        key = self._value(item, operator.allowed, bounds)
        self._skip(self._named(operator, key, bounds._replace(refused=_ABSOLUTE)), end)
        self._skip(self._word(end, operator.separator), item)
        return end

    def _value(self, start: int, allowed: frozenset[str], bounds: _Bounds, modifier: str = "") -> int:
        """Any value, several joined by commas, or at most as many characters as a prefix allows."""
        end = self._state()
        self._skip(start, end)
        limit = int(modifier[1:]) if modifier else 0
        inside = allowed - bounds.shut
        if 0 < limit <= _LONG:
            self._prefix(start, end, inside, bounds.refused, limit)
            return end
        states = self._text(start, end, inside | _COMMA, bounds.refused)
        if bounds.leaves:
            beyond = self._state()
            for state in (start, *states):
                refused = bounds.refused if state == start else _ABSOLUTE
                self._steps[state].append((bounds.leaves - refused, beyond))
            self._skip(beyond, end)
            self._text(beyond, end, allowed | _COMMA, frozenset())
        return end

    def _text(self, start: int, end: int, units: frozenset[str], refused: frozenset[str]) -> tuple[int, int]:
        """Text of any length that does not begin with `refused`, nor go on absolutely after a comma."""
        inside, comma = self._state(), self._state()
        rest = units - _COMMA
        for state, accepted in ((start, rest - refused), (inside, rest), (comma, rest - _ABSOLUTE)):
            self._steps[state].append((accepted, inside))
            self._steps[state].append((_COMMA, comma))
        self._skip(inside, end)
        self._skip(comma, end)
        return inside, comma

    def _prefix(
        self, start: int, end: int, units: frozenset[str], refused: frozenset[str], limit: int
    ) -> None:
        state = self._step(start, units - refused)
        for _ in range(limit - 1):
            self._skip(state, end)
            self._steps[state].append((_CONTINUATIONS, state))
            state = self._step(state, units)
        self._skip(state, end)
        self._steps[state].append((_CONTINUATIONS, state))

    def _character(self, unit: str) -> int:
        """One character of a literal: as it is, or encoded, which expansion does where a URI needs it."""
        end = self._step(self._here, frozenset({unit}))
        if (unit[0] == "%" and len(unit) > 1) or unit in _UNRESERVED or unit in _RESERVED:
            return end
        state = self._here
        *leading, last = (f"%{byte:02X}" for byte in unit.encode("utf-8", "surrogatepass"))
        for triplet in leading:
            state = self._step(state, frozenset({triplet}))
        self._steps[state].append((frozenset({last}), end))
        return end

    def _word(self, start: int, text: str) -> int:
        state = self._state()
        self._skip(start, state)
        for unit in _units(text):
            state = self._step(state, frozenset({unit}))
        return state

    def _step(self, start: int, accepted: frozenset[str]) -> int:
        end = self._state()
        self._steps[start].append((accepted, end))
        return end

    def _state(self) -> int:
        self._steps.append([])
        self._free.append(set())
        return len(self._steps) - 1

    def _skip(self, start: int, end: int) -> None:
        self._free[start].add(end)

    def _reach(self, state: int) -> set[int]:
        found = {state}
        waiting = [state]
        while waiting:
            new = self._free[waiting.pop()] - found
            found |= new
            waiting.extend(new)
        return found


def _units(text: str) -> Iterator[str]:
    """Characters, with each percent-encoded byte as one, in upper case."""
    for unit in _UNIT.findall(text):
        yield unit.upper() if len(unit) > 1 else unit


def _plain_start(text: str) -> str:
    """The first characters of a template, as far as no expansion writes them differently."""
    return "".join(itertools.takewhile((_UNRESERVED | _RESERVED).__contains__, text))


def _following(text: str) -> str:
    """The first character that no expression writes."""
    place = 0
    while (expression := _EXPRESSION.match(text, place)) is not None:
        place = expression.end()
    return text[place : place + 1]


def _decodings(text: str) -> Iterator[str]:
    """A text as it is, and decoded again and again until nothing changes, or too often."""
    for _ in range(_MAX_DECODINGS):
        yield text
        decoded = _decoded(text)
        if decoded == text:
            return
        text = decoded


def _decoded(text: str) -> str:
    return _TRIPLETS.sub(lambda run: bytes.fromhex(run[0].replace("%", "")).decode("utf-8", "replace"), text)


def _after_scheme(uri: str) -> str:
    _, marked, rest = uri.partition("://")
    return rest if marked else uri


def _doubled(text: str) -> int:
    return len(_DOUBLED.findall(text))

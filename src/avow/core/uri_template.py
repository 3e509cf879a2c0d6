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
# A value that starts so right after a slash is an absolute path to whoever joins the two.
_ABSOLUTE: Final = frozenset({"/", "%2F", "%5C", "%25"})

_EXPRESSION: Final = re.compile(r"\{([+#./;?&]?)([^{}]*)\}")
_NAME_CHARACTER: Final = r"(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})"
_VARIABLE: Final = re.compile(rf"({_NAME_CHARACTER}(?:\.?{_NAME_CHARACTER})*)(\*|:[1-9][0-9]{{0,3}})?")
_UNIT: Final = re.compile(r"%[0-9A-Fa-f]{2}|(?s:.)")
_SEPARATORS: Final = re.compile(r"[/\\?#&=;,:]")
_TRIPLETS: Final = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_MAX_DECODINGS: Final = 8


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

    def matches(self, uri: str) -> bool:
        """Whether some values for the variables expand the template to exactly this URI."""
        if len(uri) > MAX_URI_LENGTH or not uri.startswith(self._prefix):
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
        builder.expression(_OPERATORS[expression[1]], expression[2])
        place = expression.end()
    builder.literal(text[place:])
    return builder.finish(text)


def is_escaping(uri: str) -> bool:
    r"""Whether a URI climbs out of where it seems to be, or hides something in control characters.

    It is decoded until nothing is left to decode, so `%2e%2e`, `..%2f` and `%252e` count; a backslash
    separates like a slash; a path parameter (`..;x`) does not hide the dots before it.
    """
    for _ in range(_MAX_DECODINGS):
        if any(character < " " or character == "\x7f" for character in uri):
            return True
        if any(part.strip(" ") == ".." for part in _SEPARATORS.split(uri)):
            return True
        decoded = _TRIPLETS.sub(lambda run: _decoded(run[0]), uri)
        if decoded == uri:
            return False
        uri = decoded
    return True


class _Builder:
    """Writes the automaton from left to right; `_here` is the state that the next piece starts in."""

    def __init__(self) -> None:
        self._steps: list[list[tuple[frozenset[str], int]]] = [[]]
        self._free: list[set[int]] = [set()]
        self._here = 0
        self._after_slash = False

    def literal(self, text: str) -> None:
        if "{" in text or "}" in text:
            raise DeclarationError("the URI template has a brace without its other half")
        for unit in _units(text):
            self._here = self._character(unit)
        if text:
            self._after_slash = text.endswith("/")

    def expression(self, operator: _Operator, names: str) -> None:
        end = self._state()
        self._skip(self._here, end)  # every variable may be undefined
        first = self._word(self._here, operator.first)
        self._after_slash = self._after_slash if not operator.first else operator.first == "/"
        joined: int | None = None
        for name in names.split(","):
            variable = _VARIABLE.fullmatch(name)
            if variable is None:
                raise DeclarationError("the URI template has an expression that RFC 6570 does not define")
            begin = self._state()
            self._skip(first, begin)
            following = self._state()
            if joined is not None:
                self._skip(joined, begin)
                self._skip(joined, following)
            done = self._variable(begin, operator, variable[1], variable[2] or "")
            self._skip(done, end)
            self._skip(self._word(done, operator.separator), following)
            joined = following
        self._here = end
        self._after_slash = False

    def finish(self, text: str) -> UriTemplate:
        free = tuple(frozenset(self._reach(state)) for state in range(len(self._free)))
        return UriTemplate(text, _plain_start(text), tuple(map(tuple, self._steps)), free, self._here)

    def _variable(self, start: int, operator: _Operator, name: str, modifier: str) -> int:
        if modifier == "*":
            return self._items(start, operator, name)
        if not operator.named:
            return self._value(start, operator.allowed, modifier)
        return self._named(operator, self._word(start, name), modifier)

    def _named(self, operator: _Operator, named: int, modifier: str = "") -> int:
        """A value after its name and an equals sign, which `;` leaves out when the value is empty."""
        end = self._value(self._word(named, "="), operator.allowed, modifier)
        if not operator.equals_when_empty:
            self._skip(named, end)
        return end

    def _items(self, start: int, operator: _Operator, name: str) -> int:
        """An exploded variable: one or more values, each after its name, or pairs of a key and a value."""
        item, end = self._state(), self._state()
        self._skip(start, item)
        if operator.named:
            self._skip(self._named(operator, self._word(item, name)), end)
        else:
            self._skip(self._value(item, operator.allowed), end)
        self._skip(self._named(operator, self._value(item, operator.allowed)), end)
        self._skip(self._word(end, operator.separator), item)
        return end

    def _value(self, start: int, allowed: frozenset[str], modifier: str = "") -> int:
        """Any value, several joined by commas, or at most as many characters as a prefix allows."""
        end = self._state()
        self._skip(start, end)
        limit = int(modifier[1:]) if modifier else 0
        units = allowed if limit else allowed | {","}
        state = self._step(start, units - _ABSOLUTE if self._after_slash else units)
        self._skip(state, end)
        if not 0 < limit <= _LONG:
            self._steps[state].append((units, state))
            return end
        for _ in range(limit - 1):
            self._steps[state].append((_CONTINUATIONS, state))
            state = self._step(state, allowed)
            self._skip(state, end)
        self._steps[state].append((_CONTINUATIONS, state))
        return end

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


def _decoded(triplets: str) -> str:
    return bytes.fromhex(triplets.replace("%", "")).decode("utf-8", "replace")

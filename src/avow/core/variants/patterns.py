"""Patterns for one argument: a literal value, a text with wildcards, or a JSON Schema.

What a pattern is shows in its JSON type, so that nobody has to guess:

- an object is always a JSON Schema, and stands alone (no references); an object to be matched literally is
  written `{"const": {…}}`;
- a string with `*` (any characters, or none) or `?` (one character) is a glob; a string to be matched
  literally that contains one of them is written `{"const": "…"}`;
- anything else is a literal value, compared by its canonical JSON: `true` is not `1`, and `1.0` is `1`.

Servers write patterns, so time is bounded: globs run in linear time, and so do the patterns of schemas
(see `avow.core.arguments`). A value too large to be matched in a short time fits nothing but a literal.
"""

from dataclasses import dataclass, field
from typing import Final, TypeAlias

from avow.core.arguments import ArgumentChecker, compile_checker
from avow.core.canonical import JsonObject, JsonValue, canonical
from avow.core.printable import printable
from avow.core.schema.document import Budget, Document, TooLargeError
from avow.core.schema.vocabulary import DIALECTS, JUDGING, TELLING, knows
from avow.errors import DeclarationError

MAX_GLOB: Final = 256
MAX_VALUE: Final = 4_096
"""How many bytes of canonical JSON a value may have to be matched with a glob or a schema."""

_NEWEST: Final = DIALECTS[-1]
# References and addresses would lead out of the pattern; the others mean nothing in the newest dialect.
_REFUSED: Final = frozenset(
    {"$dynamicRef", "$recursiveRef", "$ref", "$id", "id", "disallow", "extends", "nullable"}
)
_ALLOWED: Final = frozenset(word for word in JUDGING | TELLING if knows(_NEWEST, word)) - _REFUSED


@dataclass(frozen=True, slots=True)
class Literal:
    """Exactly one value."""

    value: JsonValue = field(hash=False)
    identity: bytes

    def fits(self, _value: JsonValue, identity: bytes) -> bool:
        """Whether this is the value."""
        return identity == self.identity

    @property
    def schema(self) -> JsonObject:
        """The same as a JSON Schema."""
        return {"const": self.value}


@dataclass(frozen=True, slots=True)
class Glob:
    """A text with wildcards, as an automaton whose states are the bits of a number.

    State `i` means that the first `i` characters of the pattern, wildcards for many not counted, are found.
    """

    text: str
    length: int
    steps: dict[str, int] = field(hash=False)
    any_step: int
    loops: int

    @classmethod
    def read(cls, text: str) -> "Glob":
        """Build the automaton."""
        steps: dict[str, int] = {}
        any_step = loops = length = 0
        for character in text:
            if character == "*":
                loops |= 1 << length
                continue
            if character == "?":
                any_step |= 1 << length
            else:
                steps[character] = steps.get(character, 0) | 1 << length
            length += 1
        return cls(text, length, steps, any_step, loops)

    def fits(self, value: JsonValue, identity: bytes) -> bool:
        """Whether the value is a text that fits as a whole."""
        if not isinstance(value, str) or len(identity) > MAX_VALUE:
            return False
        steps, any_step, loops = self.steps, self.any_step, self.loops
        states = 1
        for character in value:
            states = (states & (steps.get(character, 0) | any_step)) << 1 | states & loops
        return bool(states >> self.length & 1)

    @property
    def schema(self) -> JsonObject:
        """A schema that stands for the glob: two are equal when the globs are."""
        return {"type": "string", "pattern": f"glob {self.text}"}


@dataclass(frozen=True, slots=True)
class Fragment:
    """A JSON Schema for the value."""

    schema: JsonObject = field(hash=False)
    checker: ArgumentChecker

    def fits(self, value: JsonValue, identity: bytes) -> bool:
        """Whether the schema accepts the value."""
        return len(identity) <= MAX_VALUE and self.checker.check({"value": value}) is None


Pattern: TypeAlias = Literal | Glob | Fragment


def read_pattern(value: JsonValue) -> Pattern:
    """Take one argument pattern as it came.

    Raises:
        DeclarationError: it is an object that is no JSON Schema of its own, or too large or too deep.
    """
    if isinstance(value, dict) and value.keys() != {"const"}:
        return _fragment(value)
    if isinstance(value, dict):
        return Literal(value["const"], canonical(value["const"]))
    if isinstance(value, str) and ("*" in value or "?" in value):
        if len(value) > MAX_GLOB:
            raise DeclarationError(f"a text with wildcards is longer than {MAX_GLOB} characters")
        return Glob.read(value)
    return Literal(value, canonical(value))


def _fragment(schema: JsonObject) -> Fragment:
    try:
        places = Document(schema, Budget()).places
    except TooLargeError:
        raise DeclarationError("a schema is too large or too deep") from None
    for place in places:
        unknown = place.schema.keys() - _ALLOWED if isinstance(place.schema, dict) else ()
        for word in sorted(unknown):
            raise DeclarationError(
                f"a schema has the keyword '{printable(word, 40, fold=True)}', which a pattern cannot have; "
                'an object to be matched literally is written {"const": …}'
            )
    wrapped: JsonObject = {"type": "object", "properties": {"value": schema}, "required": ["value"]}
    try:
        return Fragment(schema, compile_checker(wrapped))
    except DeclarationError as exc:
        raise DeclarationError("a schema does not compile") from exc

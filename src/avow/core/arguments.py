"""Arguments of a tool call, checked against the approved input schema.

Schemas and patterns come from servers, so the work is bounded: nothing is fetched, formats are not
asserted, a schema whose references multiply is not compiled, and patterns run on an engine whose time is
linear. Where a pattern needs look-around, which that engine lacks, matching backtracks at most a fixed
number of steps and counts as a mismatch beyond. The larger a pattern is, the less text it is tried on.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from avow.core.argument_places import REFERENCES, Place, Places, find_target
from avow.core.canonical import JsonObject, JsonValue, canonical
from avow.core.schema.vocabulary import dialect_of, subschemas
from avow.errors import DeclarationError, MalformedInputError

if TYPE_CHECKING:
    from jsonschema_rs import Validator

MAX_SCHEMA_BYTES: Final = 1_048_576
"""A larger schema is not compiled."""

MAX_EFFORT: Final = 500_000
"""How many places a schema may have with every reference written out."""

_EXPLAINED: Final = 10_000
_BACKTRACKS: Final = 2_000
# How large a compiled pattern may be, and how much text may then be matched: the time is one times the other.
_LINEAR: Final = ((16_384, 65_536), (65_536, 16_384), (1_048_576, 2_048))
# With look-around, the time of each attempt may be the length of the text, and so may their number.
_BACKTRACKING: Final = ((65_536, 4_096), (1_048_576, 512))
_TOO_LONG: Final = "pattern (more text than can be matched)"


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Where arguments leave the schema: the caller's own member, and the keyword that forbids it.

    Both are empty where finding out would take too long.
    """

    path: str = ""
    keyword: str = ""


@dataclass(frozen=True, slots=True)
class ArgumentChecker:
    """A compiled schema."""

    _validator: "Validator"
    _place: Place
    _is_flat: bool
    _text_limit: int
    _explains: bool

    def check(self, arguments: JsonValue) -> Mismatch | None:
        """The first place where the arguments are not what was approved; `None` when they are.

        An undeclared member that differs from a declared one in case only is a mismatch: a server that
        reads members in any case would take it for the declared one, unchecked. So is more text than the
        patterns of the schema can be tried on in a short time.
        """
        if type(arguments) is not dict:
            return Mismatch("", "type")
        if not (self._is_flat and arguments.keys() <= self._place.names):
            try:
                objection = self._look(arguments)
            except DeclarationError:
                return Mismatch()
            if objection is not None:
                return objection
        if self._validator.is_valid(arguments):
            return None
        return self._explain(arguments) if self._explains else Mismatch()

    def _look(self, arguments: JsonObject) -> Mismatch | None:
        """Walk through the arguments with all that the schema may say about them."""
        allowance = self._text_limit
        waiting: list[tuple[Place, JsonValue, str]] = [(self._place, arguments, "")]
        while waiting:
            place, value, path = waiting.pop()
            if isinstance(value, str):
                allowance -= place.patterns * len(value)
            elif isinstance(value, list):
                items = place.items()
                if not items.is_silent:
                    waiting.extend((items, item, f"{path}/{number}") for number, item in enumerate(value))
            elif isinstance(value, dict):
                for name, member in value.items():
                    if name not in place.names and name.casefold() in place.folded:
                        return Mismatch(f"{path}/{name}", "properties")
                    allowance -= place.key_patterns * len(name)
                    inner = place.member(name)
                    if not inner.is_silent:
                        waiting.append((inner, member, f"{path}/{name}"))
            if allowance < 0:
                return Mismatch(path, _TOO_LONG)
        return None

    def _explain(self, arguments: JsonObject) -> Mismatch:
        error = next(iter(self._validator.iter_errors(arguments)))
        return Mismatch("".join(f"/{step}" for step in error.instance_path), error.kind.name)


def compile_checker(schema: JsonValue) -> ArgumentChecker:
    """Compile an approved input schema; none at all approves any object.

    Raises:
        DeclarationError: it is no JSON Schema, refers to something outside itself, has a part that
            readers read differently, or is too large.
    """
    if schema is None:
        schema = {}
    if not isinstance(schema, dict | bool):
        raise DeclarationError("the input schema is not an object")
    try:
        size = len(canonical(schema))
    except MalformedInputError as exc:
        raise DeclarationError(f"the input schema cannot be read: {exc.message}") from exc
    if size > MAX_SCHEMA_BYTES:
        raise DeclarationError(f"the input schema is larger than {MAX_SCHEMA_BYTES} bytes")
    _refuse_ambiguous(schema)
    effort = _Effort(schema)
    places = effort.of(schema)
    if places > MAX_EFFORT:
        raise DeclarationError("the references of the input schema multiply beyond measure")
    found = Places(schema)
    validator, text_limit = _validator(schema)
    # Listing the errors of a recursive schema takes time exponential in the depth of the arguments.
    explains = places <= _EXPLAINED and not effort.recursive
    return ArgumentChecker(validator, found.of([schema]), found.is_flat, text_limit, explains)


def _validator(schema: JsonObject | bool) -> "tuple[Validator, int]":
    """The compiled schema, and how much text its patterns may be tried on."""
    # Imported late: it takes longer to load than all the rest, and not every session calls a tool.
    from jsonschema_rs import FancyRegexOptions, RegexOptions, validator_for

    engines: list[tuple[FancyRegexOptions | RegexOptions, int]] = [
        *((RegexOptions(size_limit=size, dfa_size_limit=size), text) for size, text in _LINEAR),
        *(
            (FancyRegexOptions(backtrack_limit=_BACKTRACKS, size_limit=size, dfa_size_limit=size), text)
            for size, text in _BACKTRACKING
        ),
    ]
    for options, text_limit in engines:
        with suppress(ValueError):
            compiled = validator_for(schema, pattern_options=options, validate_formats=False, offline=True)
            return compiled, text_limit
    # What the library says may quote the schema, which a server wrote.
    raise DeclarationError("the input schema does not compile")


def _refuse_ambiguous(schema: JsonObject | bool) -> None:
    """Refuse a part in another dialect, where keywords silently lose their meaning, or with its own address.

    References below such an address lead elsewhere than they seem to, and how far cannot be measured.
    """
    dialect = dialect_of(schema)
    addresses = ("$id", "id") if "draft-04" in dialect else ("$id",)
    waiting: list[JsonValue] = [schema]
    seen = set()
    while waiting:
        place = waiting.pop()
        if not isinstance(place, dict) or id(place) in seen:
            continue
        seen.add(id(place))
        if place is not schema:
            own = next((str(place[word]) for word in addresses if word in place), "#")
            if not own.startswith("#") or ("$schema" in place and dialect_of(place) != dialect):
                raise DeclarationError("a part of the input schema has a dialect or an address of its own")
        waiting.extend(inner for _, inner in subschemas(place))
        # A reference may lead to a part that is no schema by its place.
        waiting.extend(
            _target(schema, place[word]) for word in REFERENCES if isinstance(place.get(word), str)
        )


class _Effort:
    """Counts the places of a schema with its references written out; one that leads to itself counts once."""

    def __init__(self, schema: JsonValue) -> None:
        self.recursive = False
        self._root = schema
        self._targets: dict[str, int] = {}

    def of(self, schema: JsonValue) -> int:
        try:
            return self._of(schema)
        except RecursionError:
            raise DeclarationError("the references of the input schema are nested too deeply") from None

    def _of(self, schema: JsonValue) -> int:
        if isinstance(schema, list):
            return 1 + sum(map(self._of, schema))
        if not isinstance(schema, dict):
            return 1
        places = 1 + sum(map(self._of, schema.values()))
        for keyword in REFERENCES:
            if isinstance(reference := schema.get(keyword), str):
                places += self._of_target(reference)
        return min(places, MAX_EFFORT + 1)

    def _of_target(self, reference: str) -> int:
        if reference not in self._targets:
            self._targets[reference] = -1
            self._targets[reference] = self._of(_target(self._root, reference))
        elif self._targets[reference] < 0:
            self.recursive = True
            return 1
        return self._targets[reference]


def _target(root: JsonValue, reference: str) -> JsonValue:
    """What a JSON pointer refers to; the whole schema for any other kind of reference."""
    found = find_target(root, reference)
    return root if found is None else found

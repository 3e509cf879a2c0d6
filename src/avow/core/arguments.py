"""Arguments of a tool call, checked against the approved input schema.

Schemas and patterns come from servers, so the work is bounded: nothing is fetched, formats are not
asserted, a schema whose references multiply is not compiled, and patterns run on an engine whose time is
linear. Where a pattern needs look-around, which that engine lacks, matching backtracks at most a fixed
number of steps and counts as a mismatch beyond.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from avow.core.canonical import JsonObject, JsonValue, canonical
from avow.core.schema.vocabulary import dialect_of, subschemas
from avow.errors import DeclarationError, MalformedInputError

if TYPE_CHECKING:
    from jsonschema_rs import Validator

MAX_SCHEMA_BYTES: Final = 1_048_576
"""A larger schema is not compiled."""

MAX_EFFORT: Final = 500_000
"""How many places a schema may have with every reference written out."""

_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_EXPLAINED: Final = 10_000
_BACKTRACKS: Final = 10_000
_PATTERN_BYTES: Final = 1_048_576


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
    _properties: frozenset[str]
    _folded: frozenset[str]
    _explains: bool

    def check(self, arguments: JsonValue) -> Mismatch | None:
        """The first place where the arguments are not what was approved; `None` when they are.

        An undeclared member that differs from a declared one in case only is a mismatch: a server that
        reads members in any case would take it for the declared one, unchecked.
        """
        if type(arguments) is not dict:
            return Mismatch("", "type")
        if not arguments.keys() <= self._properties:
            for name in arguments:
                if name not in self._properties and name.casefold() in self._folded:
                    return Mismatch("/" + name, "properties")
        if self._validator.is_valid(arguments):
            return None
        return self._explain(arguments) if self._explains else Mismatch()

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
    declared = _declared(schema)
    folded = frozenset(name.casefold() for name in declared)
    # Listing the errors of a recursive schema takes time exponential in the depth of the arguments.
    return ArgumentChecker(
        _validator(schema), declared, folded, _explains=places <= _EXPLAINED and not effort.recursive
    )


def _validator(schema: JsonObject | bool) -> "Validator":
    # Imported late: it takes longer to load than all the rest, and not every session calls a tool.
    from jsonschema_rs import FancyRegexOptions, RegexOptions, validator_for

    linear = RegexOptions(size_limit=_PATTERN_BYTES, dfa_size_limit=_PATTERN_BYTES)
    bounded = FancyRegexOptions(
        backtrack_limit=_BACKTRACKS, size_limit=_PATTERN_BYTES, dfa_size_limit=_PATTERN_BYTES
    )
    with suppress(ValueError):
        return validator_for(schema, pattern_options=linear, validate_formats=False, offline=True)
    try:
        return validator_for(schema, pattern_options=bounded, validate_formats=False, offline=True)
    except ValueError as exc:
        # What the library says may quote the schema, which a server wrote.
        raise DeclarationError("the input schema does not compile") from exc


def _declared(schema: JsonObject | bool) -> frozenset[str]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return frozenset(properties) if isinstance(properties, dict) else frozenset()


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
            _target(schema, place[word]) for word in _REFERENCES if isinstance(place.get(word), str)
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
        for keyword in _REFERENCES:
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
    found = root
    if not reference.startswith("#/"):
        return root
    for step in reference[2:].split("/"):
        key = step.replace("%25", "%").replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and key in found:
            found = found[key]
        elif isinstance(found, list) and key.isdecimal() and int(key) < len(found):
            found = found[int(key)]
        else:
            return root
    return found

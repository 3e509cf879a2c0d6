"""What the arguments of a tool can be, as far as its input schema tells."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import Final

from avow.core.argument_places import Places
from avow.core.arguments import compile_checker
from avow.core.canonical import JsonObject, JsonValue, canonical
from avow.core.schema.document import Budget, Document, TooLargeError
from avow.core.schema.normalise import Reader
from avow.core.schema.shapes import Branch, Node, Numbers, Objects, Shape, Strings, Values
from avow.core.schema.subset import objects_only
from avow.core.variants.selecting import defaults
from avow.errors import DeclarationError

_SAME_VALUE: Final = ("allOf", "anyOf", "else", "if", "oneOf", "then")
_MOST: Final = 256
_LONGEST: Final = 1_000
_GUESSES: Final[tuple[JsonValue, ...]] = ("", "avow", "a b/c.d", 0, 1, -1, 0.5, True, False, None, [], {})


class Domain:
    """The arguments that an input schema accepts, one by one."""

    def __init__(self, definition: JsonObject, budget: Budget) -> None:
        """Read the schema of a tool.

        Raises:
            DeclarationError: it does not compile.
        """
        schema = definition.get("inputSchema")
        self.schema: JsonValue = {} if schema is None else schema
        self.defaults = defaults(definition)
        self._budget = budget
        self._schemas = tuple(Places(self.schema).reach([self.schema]).values())
        try:
            alone = _without_required(self.schema)
        except RecursionError:
            raise DeclarationError("the input schema is nested too deeply") from None
        self._checker = compile_checker(alone)

    @cached_property
    def names(self) -> frozenset[str]:
        """Every argument that the schema declares by name."""
        return frozenset(name for schema in self._schemas for name in _members(schema, "properties"))

    def may_be_absent(self, name: str) -> bool:
        """Whether a call may leave an argument out, and the tool does not say what it takes it for then.

        `False` where that is not sure.
        """
        required = any(name in _listed(schema.get("required")) for schema in self._schemas)
        return not required and name not in self.defaults and self._checker.check({}) is None

    def accepts(self, name: str, value: JsonValue) -> bool:
        """Whether a call may have this value, as far as no other argument has a say in it."""
        return self._checker.check({name: value}) is None

    def candidates(self, name: str) -> Iterator[JsonValue]:
        """Some values of every kind that the schema might accept."""
        with suppress(TooLargeError):
            for value in islice(self._guesses(name), _MOST):
                # Trying a value takes longer the larger it is.
                self._budget.step(count=1 + len(canonical(value)) // 16)
                yield value

    def _guesses(self, name: str) -> Iterator[JsonValue]:
        yield from _GUESSES
        for schema in self._schemas:
            inner = _members(schema, "properties").get(name)
            yield from _listed(inner.get("examples")) if isinstance(inner, dict) else ()
        yield from (self.defaults[name],) if name in self.defaults else ()
        for node in self.nodes(name):
            for branch in self.reader.shape(node):
                yield from _samples(branch)

    def values(self, name: str) -> tuple[JsonValue, ...] | None:
        """All values that an argument can have, perhaps with some that it cannot; `None` where they are many.

        Raises:
            TooLargeError: the budget does not allow to find out.
        """
        found: dict[bytes, JsonValue] = {}
        for node in self.nodes(name):
            for branch in self.reader.shape(node):
                if not isinstance(branch, Values):
                    return None
                found.update(branch.values)
        return tuple(found.values()) if len(found) <= _MOST else None

    def must_be_there(self, name: str) -> bool:
        """Whether it is proven that a call cannot leave an argument out. Raises `TooLargeError`."""
        return all(isinstance(branch, Objects) and name in branch.required for branch in self._alternatives)

    def nodes(self, name: str, *more: Node) -> Iterator[Node]:
        """What the schema says about one argument, in each alternative of the whole, with `more` beside it.

        Raises:
            TooLargeError: the budget does not allow to find out.
        """
        beside = tuple(place for node in more for place in node)
        for branch in self._alternatives:
            if isinstance(branch, Objects) and (name in branch.properties or not branch.patterns):
                yield (*branch.member(name), *beside)
            else:
                # Whether it has this argument, and what it is, takes more than looking at names.
                yield beside

    @cached_property
    def _alternatives(self) -> Shape:
        return objects_only(self.reader.shape((self.reader.document.root,)))

    @cached_property
    def reader(self) -> Reader:
        """The shapes of the schema. Raises `TooLargeError`."""
        return Reader(Document(self.schema, self._budget))


def _samples(branch: Branch) -> Iterator[JsonValue]:
    if isinstance(branch, Values):
        yield from branch.values.values()
    elif isinstance(branch, Strings):
        yield "a" * min(branch.low, _LONGEST)
    elif isinstance(branch, Numbers):
        for limit in (branch.low, branch.high):
            for number in (limit, limit + 1, limit - 1) if limit is not None else ():
                yield int(number) if number.denominator == 1 else float(number)


def _without_required(schema: JsonValue) -> JsonValue:
    """The schema where no argument has to be there, so that each can be looked at alone."""
    if isinstance(schema, list):
        return [_without_required(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        word: _without_required(value) if word in _SAME_VALUE else value
        for word, value in schema.items()
        if word != "required"
    }


def _members(schema: JsonObject, keyword: str) -> JsonObject:
    value = schema.get(keyword)
    return value if isinstance(value, dict) else {}


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []

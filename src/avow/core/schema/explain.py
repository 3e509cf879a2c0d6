"""Where two schemas differ, and what each difference lets in or keeps out, in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from avow.core.canonical import JsonValue
from avow.core.schema.document import Place
from avow.core.schema.normalise import Reader
from avow.core.schema.phrases import listed, named, phrase, shown, subject, those
from avow.core.schema.shapes import (
    Arrays,
    Branch,
    Node,
    Numbers,
    Objects,
    Shape,
    Strings,
    Values,
    is_integer,
    type_of,
)
from avow.core.schema.subset import Prover, limits, objects_only

_LIMIT: Final = 60
_KINDS: Final = {Numbers: "number", Strings: "string", Arrays: "array", Objects: "object"}


class Direction(Enum):
    """What a difference does to the set of accepted inputs."""

    WIDENS = "widens"
    NARROWS = "narrows"
    NOTATION = "notation"


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two schemas differ: a JSON pointer, what happened there, and what it does."""

    path: str
    change: str
    direction: Direction
    summary: str
    before: JsonValue = None
    after: JsonValue = None


@dataclass(frozen=True, slots=True)
class Spot:
    """Two nodes that correspond, and what a person calls them."""

    old: Node
    new: Node
    name: str
    depth: int


class Explainer:
    """Walks two documents side by side, as far as they are not proven to accept the same."""

    def __init__(self, before: Reader, after: Reader) -> None:
        """Prepare proofs in both directions."""
        self._before = before
        self._after = after
        self._forward = Prover(after, before)
        self._backward = Prover(before, after)
        self._found: list[Difference] = []
        self._seen: set[tuple[Node, Node]] = set()

    def explain(self) -> list[Difference]:
        """All differences between the two roots that let something in or keep something out."""
        spot = Spot((self._before.document.root,), (self._after.document.root,), "", 0)
        if self._forward.proves_at_the_top(spot.new, spot.old):
            if not self._backward.proves_at_the_top(spot.old, spot.new):
                self._shapes(spot, is_narrower=True)
        else:
            self._shapes(spot, is_narrower=False)
        return self._found

    def _node(self, spot: Spot) -> None:
        pair = (spot.old, spot.new)
        if pair in self._seen or len(self._found) >= _LIMIT:
            return
        self._seen.add(pair)
        is_narrower = self._forward.proves(spot.new, spot.old, spot.depth)
        if not is_narrower or not self._backward.proves(spot.old, spot.new, spot.depth):
            self._shapes(spot, is_narrower=is_narrower)

    def _shapes(self, spot: Spot, *, is_narrower: bool) -> None:
        """Explain two nodes that differ; what the proof says is what the words must say."""
        start = len(self._found)
        old, new = self._before.shape(spot.old, spot.depth), self._after.shape(spot.new, spot.depth)
        if not spot.name:
            old, new = objects_only(old), objects_only(new)
        self._types(spot, _by_type(old), _by_type(new))
        found = self._found[start:]
        if is_narrower:
            if not found or any(one.direction is Direction.WIDENS for one in found):
                del self._found[start:]
                self._add(spot, "", Direction.NARROWS, f"{subject(spot.name)} accepts less than before")
        elif not any(one.direction is Direction.WIDENS for one in found):
            text = f"{subject(spot.name)} changed, and is not proven to accept only what it did"
            self._add(spot, "", Direction.WIDENS, text)

    def _types(self, spot: Spot, old: dict[str, list[Branch]], new: dict[str, list[Branch]]) -> None:
        for kind in ("null", "boolean", "number", "string", "array", "object"):
            before, after = old.get(kind, []), new.get(kind, [])
            who = subject(spot.name)
            if after and not before:
                self._add(spot, "type", Direction.WIDENS, f"{who} now also accepts {_those(kind, after)}")
            elif before and not after:
                self._add(spot, "type", Direction.NARROWS, f"{who} no longer accepts {_those(kind, before)}")
            elif before:
                self._same_type(spot, before, after)

    def _same_type(self, spot: Spot, old: list[Branch], new: list[Branch]) -> None:
        old_values, old_shapes = _split(old)
        new_values, new_shapes = _split(new)
        who = subject(spot.name)
        if not old_shapes and not new_shapes:
            added = [value for identity, value in new_values.items() if identity not in old_values]
            gone = [value for identity, value in old_values.items() if identity not in new_values]
            if added:
                self._add(spot, "enum", Direction.WIDENS, f"{who} now also accepts {listed(added)}")
            if gone:
                self._add(spot, "enum", Direction.NARROWS, f"{who} no longer accepts {listed(gone)}")
        elif not old_shapes:
            text = f"{who} is no longer limited to {listed(list(old_values.values()))}"
            self._add(spot, "enum", Direction.WIDENS, text)
        elif not new_shapes:
            text = f"{who} is now limited to {listed(list(new_values.values()))}"
            self._add(spot, "enum", Direction.NARROWS, text)
        else:
            self._alternatives(spot, old_shapes, new_shapes)

    def _alternatives(self, spot: Spot, old: list[Branch], new: list[Branch]) -> None:
        """Pair the branches that differ; as many on both sides are the same ones, changed."""
        if len(old) > 1 or len(new) > 1:
            olds, news = tuple(old), tuple(new)
            new = [one for one in news if not self._forward.contains((one,), olds, spot.depth)]
            old = [one for one in olds if not self._backward.contains((one,), news, spot.depth)]
        who = subject(spot.name)
        if len(old) == len(new):
            for before, after in zip(old, new, strict=True):
                self._branches(spot, before, after)
        elif len(new) > len(old):
            self._add(spot, "anyOf", Direction.WIDENS, f"{who} accepts another alternative")
        else:
            self._add(spot, "anyOf", Direction.NARROWS, f"{who} no longer accepts one of its alternatives")

    def _branches(self, spot: Spot, old: Branch, new: Branch) -> None:
        self._conditions(spot, old, new)
        match old, new:
            case Numbers(), Numbers():
                self._numbers(spot, old, new)
            case Strings(), Strings():
                self._counts(spot, ("minLength", "maxLength"), old, new)
            case Arrays(), Arrays():
                self._arrays(spot, old, new)
            case Objects(), Objects():
                self._objects(spot, old, new)
            case _:
                raise TypeError("branches of one type are of one class")

    def _conditions(self, spot: Spot, old: Branch, new: Branch) -> None:
        gone, added = _keywords(old, new), _keywords(new, old)
        for keyword in gone:
            text = phrase(keyword, subject(spot.name), "changed" if keyword in added else "removed")
            self._add(spot, keyword, Direction.WIDENS, text)
        for keyword in added:
            if keyword not in gone:
                text = phrase(keyword, subject(spot.name), "added")
                self._add(spot, keyword, Direction.NARROWS, text)

    def _numbers(self, spot: Spot, old: Numbers, new: Numbers) -> None:
        who = subject(spot.name)
        if is_integer(old) and not is_integer(new):
            self._add(spot, "type", Direction.WIDENS, f"{who} now also accepts numbers that are not whole")
        elif is_integer(new) and not is_integer(old):
            self._add(spot, "type", Direction.NARROWS, f"{who} now accepts whole numbers only")
        elif old.multiples != new.multiples:
            is_finer = Direction.NARROWS if new.multiples >= old.multiples else Direction.WIDENS
            self._add(spot, "multipleOf", is_finer, f"{who} now has another step between numbers")
        (old_low, old_high), (new_low, new_high) = limits(old), limits(new)
        if old_low != new_low:
            direction = Direction.WIDENS if new_low < old_low else Direction.NARROWS
            self._add(spot, "minimum", direction, _limit(who, "minimum", old_low, new_low))
        if old_high != new_high:
            direction = Direction.WIDENS if new_high > old_high else Direction.NARROWS
            self._add(spot, "maximum", direction, _limit(who, "maximum", old_high, new_high))

    def _counts(self, spot: Spot, keywords: tuple[str, str], old: "_Counted", new: "_Counted") -> None:
        who = subject(spot.name)
        if old.low != new.low:
            direction = Direction.WIDENS if new.low < old.low else Direction.NARROWS
            text = f"{who}: {named(keywords[0])} {old.low} is now {new.low}"
            self._add(spot, keywords[0], direction, text)
        if old.high != new.high:
            is_wider = new.high is None or (old.high is not None and new.high > old.high)
            direction = Direction.WIDENS if is_wider else Direction.NARROWS
            text = f"{who}: {named(keywords[1])} {_none(old.high)} is now {_none(new.high)}"
            self._add(spot, keywords[1], direction, text)

    def _arrays(self, spot: Spot, old: Arrays, new: Arrays) -> None:
        self._counts(spot, ("minItems", "maxItems"), old, new)
        who = subject(spot.name)
        if old.is_unique and not new.is_unique:
            self._add(spot, "uniqueItems", Direction.WIDENS, f"{who} may now hold the same item twice")
        elif new.is_unique and not old.is_unique:
            self._add(spot, "uniqueItems", Direction.NARROWS, f"{who} may no longer hold the same item twice")
        for position in range(max(len(old.first), len(new.first))):
            name = f"{spot.name}[{position}]"
            self._node(Spot(old.item(position), new.item(position), name, spot.depth + 1))
        self._node(Spot(old.rest, new.rest, f"{spot.name}[]", spot.depth + 1))

    def _objects(self, spot: Spot, old: Objects, new: Objects) -> None:
        known = {*old.properties, *old.required}
        now = self._forward.declared(new, spot.depth)
        for name in [name for name in new.properties if name in now and name not in known]:
            self._new(spot, new.properties[name], name, is_required=name in new.required)
        for name in sorted(new.required - known - new.properties.keys()):
            self._add(spot, "required", Direction.WIDENS, _asks(spot, name, "required"))
        gone = self._backward.declared(old, spot.depth) - now
        for name in sorted(gone):
            place = old.properties[name][0].pointer if old.properties.get(name) else ""
            text = f"{subject(_inside(spot, name))} is gone"
            value = old.properties[name][0].schema if place else None
            path = place or self._located(spot, "required")[0]
            self._record(Difference(path, "removed", Direction.NARROWS, text, value))
        for name in sorted((new.required & known) - old.required):
            text = f"{subject(_inside(spot, name))} is now required"
            self._add(spot, "required", Direction.NARROWS, text)
        for name in sorted(old.required - new.required - gone):
            text = f"{subject(_inside(spot, name))} may now be left out"
            self._add(spot, "required", Direction.WIDENS, text)
        for name in [name for name in old.properties if name in now]:
            self._node(Spot(old.member(name), new.member(name), _inside(spot, name), spot.depth + 1))
        self._others(spot, old, new)

    def _others(self, spot: Spot, old: Objects, new: Objects) -> None:
        what = "undeclared arguments" if not spot.name else f"undeclared members in {subject(spot.name)}"
        was_shut = self._before.accepts_nothing(old.additional, spot.depth)
        is_shut = self._after.accepts_nothing(new.additional, spot.depth)
        if was_shut and not is_shut:
            self._add(spot, "additionalProperties", Direction.WIDENS, f"now admits {what}")
        elif is_shut and not was_shut:
            self._add(spot, "additionalProperties", Direction.NARROWS, f"no longer admits {what}")
        elif not was_shut:
            self._node(Spot(old.additional, new.additional, _inside(spot, "*"), spot.depth + 1))
        for pattern in {**old.patterns, **new.patterns}:
            before, after = old.patterns.get(pattern), new.patterns.get(pattern)
            if before is not None and after is not None:
                self._node(Spot(before, after, _inside(spot, f"/{pattern}/"), spot.depth + 1))
            else:
                direction = Direction.NARROWS if after is None and is_shut else Direction.WIDENS
                state = "removed" if after is None else "added"
                text = phrase("patternProperties", subject(spot.name), state)
                self._add(spot, "patternProperties", direction, text)
        if not self._forward.proves(new.names, old.names, spot.depth):
            text = phrase("propertyNames", subject(spot.name), "changed")
            self._add(spot, "propertyNames", Direction.WIDENS, text)
        elif not self._backward.proves(old.names, new.names, spot.depth):
            text = phrase("propertyNames", subject(spot.name), "added")
            self._add(spot, "propertyNames", Direction.NARROWS, text)
        self._counts(spot, ("minProperties", "maxProperties"), old, new)

    def _new(self, spot: Spot, node: Node, name: str, *, is_required: bool) -> None:
        text = _asks(spot, name, "required" if is_required else "optional")
        self._record(Difference(node[0].pointer, "added", Direction.WIDENS, text, after=node[0].schema))

    def _add(self, spot: Spot, keyword: str, direction: Direction, summary: str) -> None:
        path, change, before, after = self._located(spot, keyword)
        self._record(Difference(path, change, direction, summary, before, after))

    def _record(self, difference: Difference) -> None:
        if len(self._found) < _LIMIT:
            self._found.append(difference)
        elif difference.direction is Direction.WIDENS:
            # Whatever else is left out, never the reason for the word critical.
            widening = [one for one in self._found if one.direction is Direction.WIDENS]
            if not widening:
                self._found[-1] = difference

    def _located(self, spot: Spot, keyword: str) -> tuple[str, str, JsonValue, JsonValue]:
        """The pointer to a keyword in the later document if it is there, else in the earlier one."""
        old = _holder(self._before, spot.old, keyword)
        new = _holder(self._after, spot.new, keyword)
        if keyword and old is None and new is None:
            return self._located(spot, "")
        place = new or old
        path = "" if place is None else place.pointer + (f"/{keyword}" if keyword else "")
        change = "added" if old is None else "removed" if new is None else "changed"
        return path, change, _value(old, keyword), _value(new, keyword)


_Counted = Strings | Arrays | Objects


def _by_type(shape: Shape) -> dict[str, list[Branch]]:
    found: dict[str, list[Branch]] = {}
    for branch in shape:
        if not isinstance(branch, Values):
            found.setdefault(_KINDS[type(branch)], []).append(branch)
            continue
        for identity, value in branch.values.items():
            part = replace(branch, values={identity: value})
            found.setdefault(type_of(value), []).append(part)
    return found


def _split(branches: Sequence[Branch]) -> tuple[dict[bytes, JsonValue], list[Branch]]:
    values: dict[bytes, JsonValue] = {}
    for branch in branches:
        if isinstance(branch, Values):
            values.update(branch.values)
    return values, [branch for branch in branches if not isinstance(branch, Values)]


def _those(kind: str, branches: Sequence[Branch]) -> str:
    values, shapes = _split(branches)
    if shapes or kind in ("null", "boolean"):
        return those(kind)
    return listed(list(values.values()))


def _keywords(one: Branch, other: Branch) -> list[str]:
    return sorted({condition.split(" ")[0] for condition in one.conditions - other.conditions})


def _limit(who: str, keyword: str, old: tuple[object, bool], new: tuple[object, bool]) -> str:
    if abs(float(str(_float(new[0])))) == float("inf"):
        return f"{who} no longer has a {keyword} ({keyword} {shown(old[0])} removed)"
    if abs(float(str(_float(old[0])))) == float("inf"):
        return f"{who} now has a {keyword} of {shown(new[0])}"
    return f"{who}: {keyword} {shown(old[0])} is now {shown(new[0])}"


def _float(value: object) -> object:
    return value if isinstance(value, float) else 0.0


def _asks(spot: Spot, name: str, how: str) -> str:
    if not spot.name:
        return f"accepts a new {how} argument '{shown(name)}'"
    return f"{subject(spot.name)} accepts a new {how} member '{shown(name)}'"


def _inside(spot: Spot, name: str) -> str:
    return f"{spot.name}.{name}" if spot.name else name


def _none(limit: int | None) -> str:
    return "unlimited" if limit is None else str(limit)


def _holder(reader: Reader, node: Node, keyword: str) -> Place | None:
    """The place among a node's, or right behind their references and alternatives, that has a keyword."""
    for place in node:
        for candidate in _nearby(reader, place, 3):
            if not keyword or (isinstance(candidate.schema, dict) and keyword in candidate.schema):
                return candidate
    return None


def _nearby(reader: Reader, place: Place, reach: int) -> Iterator[Place]:
    yield place
    if not reach or not isinstance(place.schema, dict):
        return
    if (target := reader.document.resolve(place.schema.get("$ref"))) is not None:
        yield from _nearby(reader, target, reach - 1)
    for keyword in ("allOf", "anyOf", "oneOf"):
        inner = place.schema.get(keyword)
        for position, schema in enumerate(inner[:8] if isinstance(inner, list) else ()):
            yield from _nearby(reader, place.at(f"/{keyword}/{position}", schema), reach - 1)


def _value(place: Place | None, keyword: str) -> JsonValue:
    if place is None:
        return None
    return place.schema.get(keyword) if keyword else place.schema

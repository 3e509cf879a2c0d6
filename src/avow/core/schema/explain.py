"""Where two schemas differ, and what each difference lets in or keeps out, in words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from avow.core.canonical import JsonValue
from avow.core.schema.differences import Difference, Direction, either
from avow.core.schema.locate import located
from avow.core.schema.mentions import ANY_NAME
from avow.core.schema.normalise import Reader
from avow.core.schema.phrases import listed, phrase, shown, subject, those
from avow.core.schema.remarks import remarks
from avow.core.schema.shapes import Arrays, Branch, Node, Numbers, Objects, Shape, Strings, Values, type_of
from avow.core.schema.subset import Prover, objects_only

_LIMIT: Final = 60
_TYPES: Final = ("null", "boolean", "number", "string", "array", "object")
_KINDS: Final = {Numbers: "number", Strings: "string", Arrays: "array", Objects: "object"}


@dataclass(frozen=True, slots=True)
class Spot:
    """Two nodes that correspond, and what a person calls them."""

    old: Node
    new: Node
    name: str
    depth: int

    @property
    def who(self) -> str:
        """The subject of a sentence."""
        return subject(self.name)

    def inside(self, name: str) -> str:
        """The name of a member."""
        return f"{self.name}.{name}" if self.name else name


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
        self._repeated = 0

    def explain(self) -> list[Difference]:
        """All differences between the two roots that let something in or keep something out."""
        spot = Spot((self._before.document.root,), (self._after.document.root,), "", 0)
        is_narrower = self._forward.proves_at_the_top(spot.new, spot.old)
        if not is_narrower or not self._backward.proves_at_the_top(spot.old, spot.new):
            self._shapes(spot, is_narrower=is_narrower)
            self._repeated = 0
            self._agree(spot, 0, is_narrower=is_narrower)
        return self._found

    @property
    def is_cut(self) -> bool:
        """Whether there may be more differences than were listed."""
        return len(self._found) >= _LIMIT

    def _node(self, spot: Spot) -> None:
        pair = (spot.old, spot.new)
        if pair in self._seen or self.is_cut:
            self._repeated += 1  # told elsewhere, or there is no room to tell
            return
        self._seen.add(pair)
        is_narrower = self._forward.proves(spot.new, spot.old, spot.depth)
        if not is_narrower or not self._backward.proves(spot.old, spot.new, spot.depth):
            self._shapes(spot, is_narrower=is_narrower)

    def _shapes(self, spot: Spot, *, is_narrower: bool) -> None:
        start, repeated = len(self._found), self._repeated
        old, new = self._before.shape(spot.old, spot.depth), self._after.shape(spot.new, spot.depth)
        if not spot.name:
            old, new = objects_only(old), objects_only(new)
        self._types(spot, _by_type(old), _by_type(new))
        self._brought(spot)
        if self._repeated == repeated:
            self._agree(spot, start, is_narrower=is_narrower)

    def _agree(self, spot: Spot, start: int, *, is_narrower: bool) -> None:
        """Make the words since `start` say what the proof says."""
        found = self._found[start:]
        is_wider = any(one.direction is Direction.WIDENS for one in found)
        if is_narrower and (is_wider or not found):
            del self._found[start:]
            self._add(spot, (), Direction.NARROWS, f"{spot.who} accepts less than before")
        elif not is_narrower and not is_wider:
            text = f"{spot.who} changed, and is not proven to accept only what it did"
            self._add(spot, (), Direction.WIDENS, text)

    def _types(self, spot: Spot, old: dict[str, list[Branch]], new: dict[str, list[Branch]]) -> None:
        words = ("type", "anyOf", "oneOf", "nullable")
        if gained := [kind for kind in _TYPES if kind in new and kind not in old]:
            text = f"{spot.who} now also accepts {_those(gained, new)}"
            self._add(spot, words, Direction.WIDENS, text)
        if lost := [kind for kind in _TYPES if kind in old and kind not in new]:
            text = f"{spot.who} no longer accepts {_those(lost, old)}"
            self._add(spot, words, Direction.NARROWS, text)
        for kind in _TYPES:
            if kind in old and kind in new:
                self._same_type(spot, old[kind], new[kind])

    def _same_type(self, spot: Spot, old: list[Branch], new: list[Branch]) -> None:
        old_values, old_shapes = _split(old)
        new_values, new_shapes = _split(new)
        words = ("enum", "const", "anyOf", "oneOf")
        if old_shapes and new_shapes:
            self._alternatives(spot, old_shapes, new_shapes)
        elif new_shapes:
            text = f"{spot.who} is no longer limited to {listed(list(old_values.values()))}"
            self._add(spot, words, Direction.WIDENS, text)
        elif old_shapes:
            text = f"{spot.who} is now limited to {listed(list(new_values.values()))}"
            self._add(spot, words, Direction.NARROWS, text)
        else:
            added = [value for identity, value in new_values.items() if identity not in old_values]
            gone = [value for identity, value in old_values.items() if identity not in new_values]
            if added:
                self._add(spot, words, Direction.WIDENS, f"{spot.who} now also accepts {listed(added)}")
            if gone:
                self._add(spot, words, Direction.NARROWS, f"{spot.who} no longer accepts {listed(gone)}")

    def _alternatives(self, spot: Spot, old: list[Branch], new: list[Branch]) -> None:
        """Pair the branches that differ: as many on both sides are the same ones, changed."""
        olds, news = tuple(old), tuple(new)
        if len(olds) > 1 or len(news) > 1:
            new = [one for one in news if not self._forward.contains((one,), olds, spot.depth)]
            old = [one for one in olds if not self._backward.contains((one,), news, spot.depth)]
        if not new:
            new = list(news[: len(old)])  # nothing is new: what else became of the old ones?
        elif not old and len(olds) == len(news):
            old = [olds[news.index(one)] for one in new]  # nothing is gone: which ones were they?
        if len(old) == len(new):
            for before, after in zip(old, new, strict=True):
                self._branches(spot, before, after)
            return
        is_wider = len(new) > len(old)
        text = "accepts another alternative" if is_wider else "no longer accepts one of its alternatives"
        self._add(spot, ("anyOf", "oneOf"), either(widens=is_wider), f"{spot.who} {text}")

    def _branches(self, spot: Spot, old: Branch, new: Branch) -> None:
        for remark in remarks(spot.who, old, new):
            self._add(spot, remark.keywords, remark.direction, remark.text)
        if isinstance(old, Arrays) and isinstance(new, Arrays):
            for position in range(max(len(old.first), len(new.first))):
                name = f"{spot.name}[{position}]"
                self._node(Spot(old.item(position), new.item(position), name, spot.depth + 1))
            self._node(Spot(old.rest, new.rest, f"{spot.name}[]", spot.depth + 1))
        elif isinstance(old, Objects) and isinstance(new, Objects):
            self._members(spot, old, new)
            self._others(spot, old, new)

    def _members(self, spot: Spot, old: Objects, new: Objects) -> None:
        known = {*old.properties, *old.required}
        now = self._forward.declared(new, spot.depth)
        gone = (self._backward.declared(old, spot.depth) & old.properties.keys()) - now
        for name in [*new.properties, *sorted(new.required - new.properties.keys())]:
            if name in now and name not in known:
                self._new(spot, new, name)
        for name in sorted(gone):
            self._gone(spot, old, new, name)
        for name in sorted((new.required & known) - old.required):
            text = f"{subject(spot.inside(name))} is now required"
            self._add(spot, ("required",), Direction.NARROWS, text)
        for name in sorted(old.required - new.required - gone):
            text = f"{subject(spot.inside(name))} may now be left out"
            self._add(spot, ("required",), Direction.WIDENS, text)
        for name in old.properties:
            if name in now:
                self._node(Spot(old.member(name), new.member(name), spot.inside(name), spot.depth + 1))

    def _new(self, spot: Spot, new: Objects, name: str) -> None:
        how = "required" if name in new.required else "optional"
        text = f"accepts a new {how} argument '{shown(name)}'"
        if spot.name:
            text = f"{spot.who} accepts a new {how} member '{shown(name)}'"
        if name in new.properties:
            place = new.properties[name][0]
            found = Difference(place.pointer, "added", Direction.WIDENS, text, None, place.schema)
            self._record(found)
        else:
            self._add(spot, ("required",), Direction.WIDENS, text)

    def _brought(self, spot: Spot) -> None:
        """Members that came up in a condition."""
        told = set()
        for path, pointer in self._forward.brought(spot.new, spot.old, spot.depth):
            name = "".join(path).removeprefix(".")
            if ANY_NAME not in path and name not in told:
                told.add(name)
                text = f"accepts a new argument '{shown(spot.inside(name))}' under a condition"
                self._record(Difference(pointer, "added", Direction.WIDENS, text))

    def _gone(self, spot: Spot, old: Objects, new: Objects, name: str) -> None:
        place, who = old.properties[name][0], subject(spot.inside(name))
        text = (
            f"{who} is no longer declared, and a pattern of names may take it"
            if new.patterns
            else f"{who} is gone"
        )
        direction = either(widens=bool(new.patterns))
        self._record(Difference(place.pointer, "removed", direction, text, place.schema))

    def _others(self, spot: Spot, old: Objects, new: Objects) -> None:
        what = f"undeclared members in {spot.who}" if spot.name else "undeclared arguments"
        words = ("additionalProperties", "unevaluatedProperties")
        was_shut = self._before.accepts_nothing(old.additional, spot.depth)
        is_shut = self._after.accepts_nothing(new.additional, spot.depth)
        if was_shut is not is_shut:
            text = f"now admits {what}" if was_shut else f"no longer admits {what}"
            self._add(spot, words, either(widens=was_shut), text)
        elif not was_shut:
            self._node(Spot(old.additional, new.additional, spot.inside("*"), spot.depth + 1))
        for pattern in {**old.patterns, **new.patterns}:
            self._pattern(spot, old.patterns.get(pattern), new.patterns.get(pattern), pattern)
        if not self._forward.names(new.names, old.names, spot.depth):
            text = phrase("propertyNames", spot.who, "changed")
            self._add(spot, ("propertyNames",), Direction.WIDENS, text)
        elif not self._backward.names(old.names, new.names, spot.depth):
            text = phrase("propertyNames", spot.who, "added")
            self._add(spot, ("propertyNames",), Direction.NARROWS, text)

    def _pattern(self, spot: Spot, old: Node | None, new: Node | None, pattern: str) -> None:
        if old is not None and new is not None:
            self._node(Spot(old, new, spot.inside(f"/{pattern}/"), spot.depth + 1))
            return
        text = phrase("patternProperties", spot.who, "removed" if new is None else "added")
        self._add(spot, ("patternProperties",), either(widens=new is not None), text)

    def _add(self, spot: Spot, keywords: Sequence[str], direction: Direction, summary: str) -> None:
        path, change, before, after = located(self._before, self._after, spot.old, spot.new, keywords)
        self._record(Difference(path, change, direction, summary, before, after))

    def _record(self, difference: Difference) -> None:
        if len(self._found) < _LIMIT:
            self._found.append(difference)
        elif difference.direction is Direction.WIDENS and not any(
            one.direction is Direction.WIDENS for one in self._found
        ):
            # Whatever else is left out, never the reason for the word critical.
            self._found[-1] = difference


def _by_type(shape: Shape) -> dict[str, list[Branch]]:
    found: dict[str, list[Branch]] = {}
    for branch in shape:
        if isinstance(branch, Values):
            for identity, value in branch.values.items():
                part = replace(branch, values={identity: value})
                found.setdefault(type_of(value), []).append(part)
        else:
            found.setdefault(_KINDS[type(branch)], []).append(branch)
    return found


def _split(branches: Sequence[Branch]) -> tuple[dict[bytes, JsonValue], list[Branch]]:
    values: dict[bytes, JsonValue] = {}
    for branch in branches:
        if isinstance(branch, Values):
            values.update(branch.values)
    return values, [branch for branch in branches if not isinstance(branch, Values)]


def _those(kinds: Sequence[str], shapes: dict[str, list[Branch]]) -> str:
    """The values themselves where they are few, else their types."""
    split = [_split(shapes[kind]) for kind in kinds]
    values = [value for few, _ in split for value in few.values()]
    if list(kinds) in (["null"], ["boolean"]) or any(wide for _, wide in split):
        return those(kinds)
    return listed(values)

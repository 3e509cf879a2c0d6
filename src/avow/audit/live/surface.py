"""What a server shows in one session: what it declares, and its lists."""

from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from avow.audit.live.talk import Reply, Talk
from avow.core.canonical import Digest, JsonObject, JsonValue, canonical, digest
from avow.core.capability import Kind
from avow.core.printable import printable
from avow.errors import MalformedInputError

# Where something is declared or listed: a dotted path of the capabilities, or a kind and a name.
Place: TypeAlias = tuple[Kind | None, str]

_HOLDERS: Final = {
    Kind.TOOL: "tools",
    Kind.PROMPT: "prompts",
    Kind.RESOURCE: "resources",
    Kind.TEMPLATE: "resources",
}
_VOLATILE: Final = frozenset({"default", "examples"})
_MOST_PAGES: Final = 10
_MOST_NAMED: Final = 5
_LONGEST_NAME: Final = 60


@dataclass(frozen=True, slots=True)
class Difference:
    """How one surface differs from another: `what` has `places`, in words that follow "it"."""

    what: str
    places: tuple[Place, ...]
    is_growth: bool

    def __str__(self) -> str:
        """A sentence without its beginning."""
        names = ", ".join(printable(name, _LONGEST_NAME, fold=True) for _, name in self.places[:_MOST_NAMED])
        return f"{self.what} {names}" + (", …" if len(self.places) > _MOST_NAMED else "")

    @property
    def names(self) -> frozenset[str]:
        """What it is about."""
        return frozenset(name for _, name in self.places)


@dataclass(frozen=True, slots=True)
class Surface:
    """The declared capabilities, and by kind the number of the request for its list, the reply and the items.

    It remembers how it was asked for: the request that declared the capabilities, and the parameters.
    """

    capabilities: JsonObject
    opened: int = 0
    params: JsonObject | None = None
    asked: dict[Kind, int] = field(default_factory=dict)
    replies: dict[Kind, Reply] = field(default_factory=dict)
    items: dict[Kind, dict[str, JsonObject]] = field(default_factory=dict)

    def declares(self, kind: Kind) -> bool:
        """Whether the capability that the kind belongs to is declared."""
        return _HOLDERS[kind] in self.capabilities

    def differences(self, other: "Surface", ignoring: Set[Place] = frozenset()) -> list[Difference]:
        """What the other one has more of, less of, or otherwise."""
        mine, theirs = dict(self._places()), dict(other._places())
        found: list[Difference] = []
        for kind in (None, *Kind):
            more = _sorted(theirs.keys() - mine.keys() - ignoring, kind)
            fewer = _sorted(mine.keys() - theirs.keys() - ignoring, kind)
            common = _sorted((mine.keys() & theirs.keys()) - ignoring, kind)
            changed = [place for place in common if mine[place] != theirs[place]]
            found += _differences(kind, more, fewer, changed)
        return found

    def proving(self, difference: Difference) -> list[int]:
        """The numbers of the requests whose answers show a difference."""
        kinds = {kind for kind, _ in difference.places if kind is not None}
        return [self.opened, *(self.asked[kind] for kind in kinds)]

    def volatile(self, again: "Surface") -> frozenset[Place]:
        """What differs between two looks that should have shown the same."""
        return frozenset(place for difference in self.differences(again) for place in difference.places)

    def _places(self) -> Iterator[tuple[Place, Digest | str]]:
        for path in _paths(self.capabilities):
            yield (None, path), ""
        for kind, items in self.items.items():
            for name, item in items.items():
                yield (kind, name), _digest(item)


def look(talk: Talk, answer: JsonObject, params: JsonObject | None = None) -> Surface:
    """Ask for every list, declared or not, right after this answer to `initialize` or `server/discover`."""
    declared = answer.get("capabilities")
    return look_again(talk, Surface(declared if isinstance(declared, dict) else {}, talk.last, params))


def look_again(talk: Talk, seen: Surface) -> Surface:
    """Ask for every list again, as before."""
    surface, params = Surface(seen.capabilities, seen.opened, seen.params), seen.params
    surface.asked.update({kind: talk.ask(kind.list_method, params) for kind in Kind})
    talk.settle(surface.asked.values())
    for kind, number in surface.asked.items():
        surface.replies[kind] = reply = talk.reply(number)
        surface.items[kind] = _items(talk, kind, reply, params or {})
    return surface


def _items(talk: Talk, kind: Kind, reply: Reply, params: JsonObject) -> dict[str, JsonObject]:
    """The items of all pages by name; the first of two with one name."""
    found: dict[str, JsonObject] = {}
    for _ in range(_MOST_PAGES):
        result = reply.result or {}
        listed = result.get(kind.collection)
        for item in listed if isinstance(listed, list) else ():
            if isinstance(item, dict) and isinstance(item.get(kind.identifier), str):
                found.setdefault(item[kind.identifier], item)
        cursor = result.get("nextCursor")
        if not isinstance(cursor, str):
            break
        reply = talk.request(kind.list_method, {**params, "cursor": cursor})
    return found


def _differences(
    kind: Kind | None, more: list[Place], fewer: list[Place], changed: list[Place]
) -> Iterator[Difference]:
    if kind is None:
        words = [("declares", more, True), ("does not declare", fewer, False)]
    else:
        word = kind.collection if kind is not Kind.TEMPLATE else "resource templates"
        words = [
            (f"lists {len(more)} more {word}:", more, True),
            (f"lists {len(fewer)} fewer {word}:", fewer, False),
            (f"defines {len(changed)} {word} in another way:", changed, True),
        ]
    for what, places, is_growth in words:
        if places:
            yield Difference(what, tuple(places), is_growth)


def _sorted(places: Set[Place], kind: Kind | None) -> list[Place]:
    return sorted((place for place in places if place[0] is kind), key=lambda place: place[1])


def _digest(item: JsonObject) -> Digest | str:
    try:
        return digest(_lasting(item))
    except MalformedInputError:
        return "malformed"


def _lasting(value: JsonValue) -> JsonValue:
    """A definition without defaults and examples: some servers write the current time into them."""
    match value:
        case dict():
            kept = {name: inner for name, inner in value.items() if name not in _VOLATILE}
            return {name: _lasting(inner) for name, inner in kept.items()}
        case list():
            return [_lasting(inner) for inner in value]
        case _:
            return value


def _paths(value: JsonObject, prefix: str = "") -> set[str]:
    """Every member that says yes, as a dotted path."""
    found: set[str] = set()
    for name, inner in value.items():
        path = f"{prefix}{name}"
        if isinstance(inner, dict):
            found |= {path} | _paths(inner, f"{path}.")
        elif inner not in (False, None):
            found.add(path if inner is True else f"{path}={canonical(inner).decode()[:60]}")
    return found

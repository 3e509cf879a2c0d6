"""Walking the members of two definitions: what is the same on both sides is nobody's concern."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias

from avow.core.canonical import JsonObject, JsonValue, canonical
from avow.core.drift.model import Change, Effect
from avow.core.drift.wording import text_change
from avow.core.printable import printable
from avow.core.severity import Severity

_ACTIVE: Final = ("javascript:", "vbscript:", "data:text/html", "data:application/")


class Member(NamedTuple):
    """A member that differs: its name, and whether it was `added`, `removed` or `changed`."""

    name: str
    change: str
    before: JsonValue
    after: JsonValue

    @property
    def path(self) -> str:
        """The pointer to it."""
        return "/" + self.name.replace("~", "~0").replace("/", "~1")


Rule: TypeAlias = Callable[[Member], Iterator[Change]]


def differing(before: JsonObject, after: JsonObject) -> Iterator[Member]:
    """The members that differ by their canonical bytes, in a fixed order."""
    for name in sorted({**before, **after}):
        if name not in after:
            yield Member(name, "removed", before[name], None)
        elif name not in before:
            yield Member(name, "added", None, after[name])
        elif canonical(before[name]) != canonical(after[name]):
            yield Member(name, "changed", before[name], after[name])


def member_changes(before: JsonObject, after: JsonObject, rules: dict[str, Rule]) -> list[Change]:
    """The changes of all members, each by its rule; a member without one by `other`."""
    return [change for member in differing(before, after) for change in rules.get(member.name, other)(member)]


def text(member: Member) -> Iterator[Change]:
    """A member that people and models read; one that is no text counts like an unknown member."""
    if isinstance(member.before, str | None) and isinstance(member.after, str | None):
        yield text_change(member.path, f"the {member.name}", member.change, member.before, member.after)
    else:
        yield from other(member)


def icons(member: Member) -> Iterator[Change]:
    """Pictures, critical where one is a program instead."""
    sources = [icon.get("src") for icon in _objects(member.after)]
    for source in sources:
        if isinstance(source, str) and source.lstrip().casefold().startswith(_ACTIVE):
            words = f"an icon is not a picture but {printable(source, 40, fold=True)}"
            yield _change(member, Severity.CRITICAL, words)
            return
    yield _change(member, Severity.MODERATE, f"the icons were {member.change}")


def other(member: Member) -> Iterator[Change]:
    """A member that nobody has a rule for: somebody may act on it."""
    words = f"the member '{printable(member.name, 60, fold=True)}' was {member.change}"
    yield _change(member, Severity.MODERATE, words)


def fact(member: Member) -> Iterator[Change]:
    """A member that follows what it describes, such as a size."""
    words = f"the {member.name} {'were' if member.name.endswith('s') else 'was'} {member.change}"
    yield _change(member, Severity.SAFE, words)


def _change(member: Member, severity: Severity, words: str) -> Change:
    return Change(member.path, member.change, Effect.OTHER, severity, words, member.before, member.after)


def _objects(value: JsonValue) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []

"""Prompts: what changed in one, and in its arguments."""

from collections.abc import Iterator

from avow.core.canonical import JsonObject, JsonValue
from avow.core.capability import Capability
from avow.core.drift.members import Member, Rule, differing, icons, member_changes, other, text
from avow.core.drift.model import Change, Effect
from avow.core.drift.wording import text_change
from avow.core.printable import printable
from avow.core.severity import Severity


def prompt_changes(before: Capability, after: Capability) -> list[Change]:
    """Every change between two definitions of a prompt that are not the same."""
    rules: dict[str, Rule] = {"title": text, "description": text, "icons": icons, "arguments": _arguments}
    return member_changes(before.definition, after.definition, rules)


def _arguments(member: Member) -> Iterator[Change]:
    old, new = _named(member.before), _named(member.after)
    if old is None or new is None:
        yield from other(member)
        return
    found = False
    positions = {name: position for side in (old, new) for position, name in enumerate(side)}
    for argument in differing(old, new):
        found = True
        yield from _argument(argument, positions[argument.name])
    if not found:
        words = "the arguments are in another order"
        yield _rated("/arguments", "changed", Severity.SAFE, words, member.before, member.after)


def _argument(argument: Member, position: int) -> Iterator[Change]:
    path = f"/arguments/{position}"
    name = printable(argument.name, 60, fold=True)
    if argument.change != "changed":
        words = f"argument '{name}' was {argument.change}"
        yield _rated(path, argument.change, Severity.MODERATE, words, argument.before, argument.after)
        return
    for inner in differing(argument.before, argument.after):
        if inner.name in ("description", "title") and all(
            isinstance(value, str | None) for value in (inner.before, inner.after)
        ):
            what = f"the {inner.name} of argument '{name}'"
            yield text_change(path + inner.path, what, inner.change, inner.before, inner.after)
        else:
            words = f"'{printable(inner.name, 60, fold=True)}' of argument '{name}' was {inner.change}"
            yield _rated(path + inner.path, inner.change, Severity.MODERATE, words, inner.before, inner.after)


def _rated(
    path: str, change: str, severity: Severity, words: str, before: JsonValue, after: JsonValue
) -> Change:
    return Change(path, change, Effect.OTHER, severity, words, before, after)


def _named(value: JsonValue) -> JsonObject | None:
    """The arguments by name; None when they are not what the protocol says they are."""
    if value is None:
        return {}
    if not isinstance(value, list):
        return None
    names = [item.get("name") if isinstance(item, dict) else None for item in value]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        return None
    return {str(name): item for name, item in zip(names, value, strict=True)}

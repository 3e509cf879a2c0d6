"""Input and output schemas: what each difference weighs."""

from collections.abc import Iterator
from typing import Final

from avow.core.canonical import JsonValue
from avow.core.drift.model import Change, Effect
from avow.core.drift.notation import notation_change
from avow.core.drift.wording import default_change, place_of, text_change
from avow.core.printable import printable
from avow.core.schema.compare import Comparison, compare
from avow.core.schema.differences import Difference, Direction
from avow.core.schema.document import Budget
from avow.core.schema.raw import Edit
from avow.core.severity import Severity

# Clients of 2026-07-28 copy the value of such an argument into a header, for whoever stands in between.
_HEADER: Final = "x-mcp-header"
_RATED: Final = {
    Direction.WIDENS: (Effect.WIDENS, Severity.CRITICAL),
    Direction.NARROWS: (Effect.NARROWS, Severity.MODERATE),
}


def input_changes(change: str, before: JsonValue, after: JsonValue, budget: Budget) -> Iterator[Change]:
    """What changed in an input schema; one that is not there accepts every object."""
    old, new = {} if change == "added" else before, {} if change == "removed" else after
    if not isinstance(old, dict | bool) or not isinstance(new, dict | bool):
        text = "the input schema is not a schema, or was not one"
        yield Change("/inputSchema", change, Effect.WIDENS, Severity.CRITICAL, text, before, after)
        return
    comparison = compare(old, new, budget)
    yield from (_input(difference) for difference in comparison.differences)
    yield from _rest("/inputSchema", comparison)
    if change != "changed":
        how = f"an input schema {'left out' if change == 'removed' else 'spelled out'}"
        yield notation_change("/inputSchema", change, how, before, after)


def output_changes(change: str, before: JsonValue, after: JsonValue, budget: Budget) -> Iterator[Change]:
    """What changed in an output schema: not what a caller may send, but what a client makes of the answer."""
    if change != "changed" or not isinstance(before, dict | bool) or not isinstance(after, dict | bool):
        text = f"the output schema was {change}"
        yield Change("/outputSchema", change, Effect.OTHER, Severity.MODERATE, text, before, after)
        return
    comparison = compare(before, after, budget)
    yield from (_output(difference) for difference in comparison.differences)
    yield from _rest("/outputSchema", comparison)


def _input(found: Difference) -> Change:
    path = f"/inputSchema{found.path}"
    if found.direction is Direction.NOTATION:
        return notation_change(path, found.change, found.summary, found.before, found.after)
    effect, severity = _RATED[found.direction]
    return Change(path, found.change, effect, severity, found.summary, found.before, found.after)


def _output(found: Difference) -> Change:
    path = f"/outputSchema{found.path}"
    if found.direction is Direction.NOTATION:
        how = f"{found.summary} of the output"
        return notation_change(path, found.change, how, found.before, found.after)
    where = place_of(found.path).replace(" of argument", " at", 1)
    text = f"the output schema was changed{where}"
    return Change(path, found.change, Effect.OTHER, Severity.MODERATE, text, found.before, found.after)


def _rest(root: str, comparison: Comparison) -> Iterator[Change]:
    for edit in comparison.told:
        yield _told(root, edit)
    for edit in comparison.foreign:
        path, text = root + edit.path, _foreign(edit)
        yield Change(path, edit.change, Effect.OTHER, Severity.MODERATE, text, edit.before, edit.after)


def _foreign(edit: Edit) -> str:
    keyword, place = printable(edit.keyword, 60, fold=True), place_of(edit.path)
    if keyword == _HEADER and edit.change != "removed":
        header = printable(str(edit.after), 60, fold=True)
        return f"the value{place} is now also sent as the HTTP header Mcp-Param-{header} ({keyword})"
    return f"`{keyword}`{place}, which JSON Schema does not know, was {edit.change}"


def _told(root: str, edit: Edit) -> Change:
    place = place_of(edit.path) or f" of the {'input' if root == '/inputSchema' else 'output'} schema"
    what = f"the {edit.keyword}{place}"
    rule = default_change if edit.keyword == "default" else text_change
    return rule(root + edit.path, what, edit.change, edit.before, edit.after)

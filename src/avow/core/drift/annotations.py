"""What a tool promises about itself, compared with the specification's defaults for what it leaves out."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from avow.core.canonical import JsonObject, JsonValue, canonical
from avow.core.capability import Capability, Kind
from avow.core.drift.model import Change, Effect
from avow.core.drift.notation import notation_change
from avow.core.drift.wording import text_change
from avow.core.printable import printable
from avow.core.severity import Severity

# The value that applies when a hint is absent, and the value that promises more safety.
_HINTS: Final = {
    "readOnlyHint": (False, True),
    "destructiveHint": (True, False),
    "idempotentHint": (False, True),
    "openWorldHint": (True, False),
}
_LESS: Final = {
    "readOnlyHint": "no longer promises to be read-only",
    "destructiveHint": "no longer promises not to destroy anything",
    "idempotentHint": "no longer promises that repeating a call changes nothing",
    "openWorldHint": "no longer promises to stay within a closed world",
}
_MORE: Final = {
    "readOnlyHint": "now promises to be read-only",
    "destructiveHint": "now promises not to destroy anything",
    "idempotentHint": "now promises that repeating a call changes nothing",
    "openWorldHint": "now promises to stay within a closed world",
}


def annotation_changes(before: JsonValue, after: JsonValue) -> Iterator[Change]:
    """What changed in a tool's annotations; none at all are all defaults."""
    old, new = ({} if before is None else before), ({} if after is None else after)
    if not isinstance(old, dict) or not isinstance(new, dict):
        text = "the annotations are not what the protocol says they are"
        yield Change("/annotations", "changed", Effect.PROMISE, Severity.CRITICAL, text, before, after)
        return
    for name in sorted({**old, **new}):
        if name in old and name in new and canonical(old[name]) == canonical(new[name]):
            continue
        yield _hint(name, old, new) if name in _HINTS else _other(name, old, new)
    if not old and not new:
        change = "added" if before is None else "removed"
        yield notation_change("/annotations", change, "empty annotations", before, after)


def without_defaults(capability: Capability) -> Capability:
    """The capability without hints that only spell out a default: they are no evidence of anything new."""
    annotations = capability.definition.get("annotations")
    if capability.kind is not Kind.TOOL or not isinstance(annotations, dict):
        return capability
    rest = {n: v for n, v in annotations.items() if n not in _HINTS or v is not _HINTS[n][0]}
    if len(rest) == len(annotations):
        return capability
    return replace(capability, definition={**capability.definition, "annotations": rest})


def _hint(name: str, old: JsonObject, new: JsonObject) -> Change:
    default, safer = _HINTS[name]
    before, after = old.get(name, default), new.get(name, default)
    if not isinstance(after, bool) or (not isinstance(before, bool) and after is not safer):
        text = f"{name} is not true or false: what it promises is not understood"
        return _change(name, old, new, Effect.PROMISE, Severity.CRITICAL, text)
    if before is after:
        state = _state(name, old, new)
        how = f"{name} {'left out' if state == 'removed' else 'spelled out'}"
        return notation_change(f"/annotations/{name}", state, how, old.get(name), new.get(name))
    if after is safer:
        return _change(name, old, new, Effect.PROMISE, Severity.SAFE, f"{_MORE[name]} ({name})")
    return _change(name, old, new, Effect.PROMISE, Severity.CRITICAL, f"{_LESS[name]} ({name})")


def _other(name: str, old: JsonObject, new: JsonObject) -> Change:
    path, change = f"/annotations/{name.replace('~', '~0').replace('/', '~1')}", _state(name, old, new)
    before, after = old.get(name), new.get(name)
    if name == "title" and isinstance(before, str | None) and isinstance(after, str | None):
        return text_change(path, "the title in the annotations", change, before, after)
    text = f"the annotation '{printable(name, 60, fold=True)}' was {change}"
    return Change(path, change, Effect.OTHER, Severity.MODERATE, text, before, after)


def _change(
    name: str, old: JsonObject, new: JsonObject, effect: Effect, severity: Severity, text: str
) -> Change:
    state = _state(name, old, new)
    return Change(f"/annotations/{name}", state, effect, severity, text, old.get(name), new.get(name))


def _state(name: str, old: JsonObject, new: JsonObject) -> str:
    return "changed" if name in old and name in new else "added" if name in new else "removed"

"""The same thing said in another way."""

from typing import Final

from avow.core.canonical import JsonValue
from avow.core.drift.model import Change, Effect
from avow.core.severity import Severity

NOTATION: Final = "the same inputs in another notation"


def notation_change(path: str, change: str, how: str, before: JsonValue, after: JsonValue) -> Change:
    """A change that changes nothing; `how` it is written now tells a few words."""
    return Change(path, change, Effect.NOTATION, Severity.SAFE, f"{NOTATION} ({how})", before, after)


def how_written(change: Change) -> str:
    """The few words that `notation_change` was given."""
    return change.summary.removeprefix(f"{NOTATION} (").removesuffix(")")

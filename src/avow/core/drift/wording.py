"""Changes of what people and models read: descriptions, titles, examples, defaults."""

import re
from typing import Final

from avow.core.canonical import JsonValue, canonical
from avow.core.drift.model import Change, Effect
from avow.core.drift.notation import notation_change
from avow.core.drift.text import is_longer, rate_text
from avow.core.printable import printable
from avow.core.severity import Severity

_STEP: Final = re.compile(r"/(properties/[^/]+|items)(?=/|$)")


def text_change(path: str, what: str, change: str, before: JsonValue, after: JsonValue) -> Change:
    """One text that was added, removed or changed; `what` is what a person calls it."""
    severity, reason = rate_text(_text(before), _text(after))
    were = "were" if what.split(" of ")[0].endswith("s") else "was"
    if change != "changed":
        summary = f"{what} {were} {change}"
    elif reason:
        summary = f"{what} {were} edited and {reason}"
    elif severity is Severity.SAFE:
        summary = f"small edit to {what}"
    elif is_longer(_text(before), _text(after)):
        summary = f"more was said in {what}"
    else:
        summary = f"{what} {were} rewritten"
    return Change(path, change, Effect.WORDING, severity, printable(summary, fold=True), before, after)


def default_change(path: str, what: str, change: str, before: JsonValue, after: JsonValue) -> Change:
    """A default decides what happens when the model leaves the argument out; null says nothing."""
    if before is None and after is None:
        how = "a default of null left out" if change == "removed" else "a default of null spelled out"
        return notation_change(path, change, how, before, after)
    shown = printable(_text(after), 40, fold=True)
    summary = f"{what} is now {shown}" if after is not None else f"{what} is gone"
    summary += ": it decides what happens when the argument is left out"
    return Change(path, change, Effect.WORDING, Severity.MODERATE, summary, before, after)


def place_of(path: str) -> str:
    """What a pointer into a schema leads to, as a person calls it: ` of argument 'edits[].text'`."""
    name = ""
    for step in _STEP.findall(path):
        if step == "items":
            name += "[]"
        else:
            inner = step.removeprefix("properties/").replace("~1", "/").replace("~0", "~")
            name = f"{name}.{inner}" if name else inner
    return f" of argument '{printable(name, 60, fold=True)}'" if name.strip("[]") else ""


def _text(value: JsonValue) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else canonical(value).decode()

"""Harmless reasons for a difference in a text: servers write facts of the machine into what they declare."""

import re
from collections.abc import Iterable
from typing import Final

from avow.core.canonical import JsonValue, canonical
from avow.core.drift.model import Change, Effect

_TOKEN: Final = re.compile(r"[^\s'\"`,;()<>\[\]{}=]+")
_MOST: Final = 20_000
_HINTS: Final = (
    (
        re.compile(r"(?:Etc/)?(?:UTC|GMT)(?:[+-]\d{1,2})?|[A-Z][A-Za-z]+(?:/[A-Z][A-Za-z_+-]+\d{0,2}){1,2}"),
        "the server writes this machine's time zone into its text",
    ),
    (
        re.compile(
            r"\d{4}-\d\d(?:-\d\d)?(?:[T_]?\d\d:\d\d\S*)?|\d{1,2}:\d\d(?::\d\d)?\S{0,8}|1[5-9]\d{8}(?:\d{3})?"
        ),
        "the server writes the current date or time into its text",
    ),
    (
        re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
        "the server makes up a new identifier at each start",
    ),
    (
        re.compile(r"(?:file://)?(?:/[\w.@+~-]+){1,40}/?|~(?:/[\w.@+-]+){0,40}/?|[A-Za-z]:\\\S*"),
        "the server writes a path of this machine into its text",
    ),
    (
        re.compile(r"(?:https?://)?(?:localhost|127\.0\.0\.1|\[?::1\]?|0\.0\.0\.0):\d{2,5}\S{0,40}|\d{2,7}"),
        "the server writes a port or a process number into its text",
    ),
)
_NAMING: Final = frozenset({"host", "host:", "hostname", "hostname:", "machine", "user", "user:", "username"})
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_NAME_HINT: Final = "the server writes the name of this machine or its user into its text"


def hint_for(changes: Iterable[Change]) -> str:
    """The likely reason, when all that differs in one of the texts is a fact of the machine; else nothing."""
    for change in changes:
        is_edit = change.effect is Effect.WORDING and change.change == "changed"
        if is_edit and (found := _reason(_text(change.before), _text(change.after))):
            return found
    return ""


def _reason(before: str, after: str) -> str:
    old, new = _TOKEN.findall(before[:_MOST]), _TOKEN.findall(after[:_MOST])
    if len(old) != len(new):
        return ""
    different = [i for i, (one, other) in enumerate(zip(old, new, strict=True)) if one != other]
    pairs = [token.rstrip(".:!?") for i in different for token in (old[i], new[i])]
    if not pairs:
        return ""
    for pattern, reason in _HINTS:
        if all(pattern.fullmatch(token) for token in pairs):
            return reason
    if all(i and old[i - 1].casefold() in _NAMING for i in different) and all(map(_NAME.fullmatch, pairs)):
        return _NAME_HINT
    return ""


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else canonical(value).decode()

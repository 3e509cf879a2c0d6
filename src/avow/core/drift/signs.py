"""Signs that a text is more than a description, where they were not before."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from avow.core.canonical import JsonValue
from avow.core.drift.model import Change, Effect
from avow.core.severity import Severity
from avow.core.suspicion import Suspicion, name_suspicions, suspicions

# What a capability, or an argument of a prompt, is called and asked for by.
_NAMED: Final = re.compile(r"(?:/arguments/\d+)?/name|/uri(?:Template)?")
_SHOWN: Final = {
    "instruction": "instructions to the model",
    "credential-path": "the path of credentials",
    "encoded": "encoded text",
    "invisible": "invisible characters",
    "bidirectional": "characters that reorder text",
    "tag-characters": "hidden tag characters",
    "terminal-escape": "a terminal escape",
    "homoglyph": "letters that look like others",
}


def escalated(changes: list[Change], before: JsonValue, after: JsonValue) -> list[Change]:
    """The changes, critical where the new value shows a sign that the old one did not show anywhere.

    Every text counts, wherever it stands; a sign at a place that nobody reported becomes a change.
    """
    result = list(changes)
    # The first of several changes of one place speaks for it.
    places = {change.path: place for place, change in reversed(list(enumerate(changes)))}
    for path, sign in _new_signs(before, after):
        place = next((places[around] for around in _around(path) if around in places), None)
        if place is None:
            text = f"the new text shows {in_words(sign)}"
            places[path] = len(result)
            result.append(Change(path, "changed", Effect.WORDING, Severity.CRITICAL, text))
        elif result[place].severity is not Severity.CRITICAL:
            text = f"{result[place].summary}; it shows {in_words(sign)}"
            result[place] = replace(result[place], severity=Severity.CRITICAL, summary=text)
    return result


def signs_of(value: JsonValue) -> tuple[Suspicion, ...]:
    """Every sign in a value that was not there before."""
    return tuple(dict.fromkeys(sign for _, sign in _new_signs(None, value)))


def in_words(sign: Suspicion) -> str:
    """What a sign says, with its evidence."""
    return f"{_SHOWN.get(sign.sign, sign.sign)}: {sign.evidence}"


def _new_signs(before: JsonValue, after: JsonValue) -> Iterator[tuple[str, Suspicion]]:
    known = {(text, is_name) for _, text, is_name in _located(before)}
    found = [
        (path, sign)
        for path, text, is_name in _located(after)
        if (text, is_name) not in known
        for sign in _signs(text, is_name=is_name)
    ]
    if found:
        # An old text with the same sign was approved with it: not every edit beside it is an alarm.
        approved = {sign for text, is_name in known for sign in _signs(text, is_name=is_name)}
        yield from ((path, sign) for path, sign in found if sign not in approved)


def _signs(text: str, *, is_name: bool) -> tuple[Suspicion, ...]:
    return tuple(dict.fromkeys((*suspicions(text), *(name_suspicions(text) if is_name else ()))))


def _located(value: JsonValue) -> Iterator[tuple[str, str, bool]]:
    """Every text with a pointer to it, and whether it is the name of something."""
    waiting: list[tuple[str, JsonValue]] = [("", value)]
    while waiting:
        path, item = waiting.pop()
        if isinstance(item, str):
            yield path, item, _NAMED.fullmatch(path) is not None
        elif isinstance(item, dict):
            for name, inner in item.items():
                inside = f"{path}/{name.replace('~', '~0').replace('/', '~1')}"
                yield inside, name, True
                waiting.append((inside, inner))
        elif isinstance(item, list):
            waiting.extend((f"{path}/{position}", inner) for position, inner in enumerate(item))


def _around(path: str) -> Iterator[str]:
    """A place and those around it, the nearest first."""
    while path:
        yield path
        path = path.rpartition("/")[0]

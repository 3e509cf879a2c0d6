"""Signs that a text is more than a description, where they were not before."""

from collections.abc import Iterator
from dataclasses import replace

from avow.core.canonical import JsonValue
from avow.core.drift.model import Change, Effect
from avow.core.severity import Severity
from avow.core.suspicion import Suspicion, suspicions
from avow.core.texts import texts


def escalated(changes: list[Change], before: JsonValue, after: JsonValue) -> list[Change]:
    """The changes, critical where the new value shows a sign that the old one did not show anywhere.

    Every text counts, wherever it stands; a sign at a place that nobody reported becomes a change.
    """
    result = list(changes)
    for path, sign in _new_signs(before, after):
        words = f"the new text shows signs of {sign.sign}: {sign.evidence}"
        near = [i for i, change in enumerate(result) if _is_inside(path, change.path)]
        if near:
            place = max(near, key=lambda i: len(result[i].path))
            if result[place].severity is not Severity.CRITICAL:
                result[place] = replace(result[place], severity=Severity.CRITICAL, summary=words)
            continue
        result.append(Change(path, "changed", Effect.WORDING, Severity.CRITICAL, words))
    return result


def signs_of(value: JsonValue) -> tuple[Suspicion, ...]:
    """Every sign in a value that was not there before."""
    return tuple(dict.fromkeys(sign for _, sign in _new_signs(None, value)))


def _new_signs(before: JsonValue, after: JsonValue) -> Iterator[tuple[str, Suspicion]]:
    known_texts = set(texts(before))
    found = [(path, s) for path, t in _located(after) if t not in known_texts for s in suspicions(t)]
    if found:
        known = {sign for text in known_texts for sign in suspicions(text)}
        yield from ((path, sign) for path, sign in found if sign not in known)


def _located(value: JsonValue) -> Iterator[tuple[str, str]]:
    waiting: list[tuple[str, JsonValue]] = [("", value)]
    while waiting:
        path, item = waiting.pop()
        if isinstance(item, str):
            yield path, item
        elif isinstance(item, dict):
            for name, inner in item.items():
                inside = f"{path}/{name.replace('~', '~0').replace('/', '~1')}"
                yield inside, name
                waiting.append((inside, inner))
        elif isinstance(item, list):
            waiting.extend((f"{path}/{position}", inner) for position, inner in enumerate(item))


def _is_inside(path: str, other: str) -> bool:
    return path == other or path.startswith(f"{other}/")

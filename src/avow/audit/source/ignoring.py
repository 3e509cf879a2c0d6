"""Remarks in the code that ask to ignore a finding: `avow: ignore[AVW012] reason`, in a comment.

A remark counts for its own line, and for the next one when it stands alone. It needs a reason: without
one it does nothing, and that is said.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from avow.audit.model import Finding

_REMARK: Final = re.compile(r"(?:#|//|/\*)\s*avow:\s*ignore\[([A-Za-z0-9, ]{1,200})\][ \t]*([^\n]{0,300})")
_RULE: Final = re.compile(r"AVW\d{3}$")


@dataclass(frozen=True, slots=True)
class Remark:
    """One remark: the rules it names, why, and the lines for which it counts."""

    path: str
    line: int
    rules: frozenset[str]
    reason: str
    covers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ignored:
    """A finding that somebody accepts, and why; in the source itself, or in settings."""

    finding: Finding
    reason: str
    in_source: bool = True


def remarks_in(path: str, text: str) -> tuple[Remark, ...]:
    """The remarks of one file."""
    if "avow:" not in text:
        return ()
    return tuple(_remarks(path, text))


def without_ignored(
    findings: Iterable[Finding], remarks: Mapping[str, tuple[Remark, ...]]
) -> tuple[tuple[Finding, ...], tuple[Ignored, ...], tuple[str, ...]]:
    """What is left, what is ignored, and notes on remarks that have no reason or no use."""
    kept: list[Finding] = []
    ignored: list[Ignored] = []
    used: set[Remark] = set()
    for finding in findings:
        remark = _covering(finding, remarks)
        if remark is None:
            kept.append(finding)
        else:
            used.add(remark)
            ignored.append(Ignored(finding, remark.reason))
    notes = tuple(note for found in remarks.values() for remark in found for note in _notes(remark, used))
    return tuple(kept), tuple(ignored), notes


def _remarks(path: str, text: str) -> Iterator[Remark]:
    for number, line in enumerate(text.splitlines(), 1):
        found = _REMARK.search(line) if "avow:" in line else None
        if found is None:
            continue
        rules = frozenset(name.strip().upper() for name in found[1].split(",") if name.strip())
        reason = found[2].removesuffix("*/").strip()
        is_alone = not line[: found.start()].strip()
        yield Remark(path, number, rules, reason, (number, number + 1) if is_alone else (number,))


def _covering(finding: Finding, remarks: Mapping[str, tuple[Remark, ...]]) -> Remark | None:
    if finding.place is None:
        return None
    for remark in remarks.get(finding.place.path, ()):
        if remark.reason and finding.rule in remark.rules and finding.place.line in remark.covers:
            return remark
    return None


def _notes(remark: Remark, used: set[Remark]) -> Iterator[str]:
    rules = ", ".join(sorted(remark.rules))
    if unknown := sorted(name for name in remark.rules if not _RULE.match(name)):
        yield f"{remark.path}:{remark.line}: {', '.join(unknown)} is no rule"
    if not remark.reason:
        yield f"{remark.path}:{remark.line}: ignore[{rules}] has no reason, and ignores nothing"
    elif remark not in used:
        yield f"{remark.path}:{remark.line}: ignore[{rules}] fits no finding; remove it"

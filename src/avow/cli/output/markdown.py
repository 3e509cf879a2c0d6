"""Markdown for a pull request: tables people can skim, and nothing of a server's text that could act.

What a server wrote must not become a link, a mention, markup or HTML in somebody's repository: unless it
consists of plain words it is set as code, in a fence that it cannot close.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from avow.cli.output import facts
from avow.cli.output.report import DriftReport, SnapshotReport
from avow.core.capability import Kind
from avow.core.drift.grouping import group_alike
from avow.core.drift.model import Drift, Effect
from avow.core.printable import printable
from avow.core.snapshot import Snapshot
from avow.core.word_diff import word_diff
from avow.system.checking import Compared, Failed

_PLAIN: Final = re.compile(r"(?:(?!www\.)[A-Za-z0-9 ,.;:'()/=-])*")
_BACKTICKS: Final = re.compile(r"`+")


def drift(report: DriftReport) -> str:
    """A drift report."""
    blocks: list[str] = []
    for outcome in report.outcomes:
        match outcome:
            case Failed():
                blocks += _failed(outcome)
            case Compared():
                blocks += _compared(outcome, report.verdict(outcome))
    if report.closing:
        blocks.append(inert(report.closing))
    return "\n\n".join(blocks) + "\n"


def snapshot(report: SnapshotReport) -> str:
    """What a server is and can do."""
    return "\n\n".join((*_snapshot_blocks(report), *_needs_blocks(report))) + "\n"


def inert(text: str, limit: int | None = 400) -> str:
    """Text as it is when it is made of plain words, and as code otherwise; safe in a table either way."""
    shown = printable(text, limit, fold=True)
    if _PLAIN.fullmatch(shown) and "//" not in shown:
        return shown
    fence = _fence(shown, 1)
    gap = " " if shown.startswith("`") or shown.endswith("`") else ""
    # Inside a table a bar ends the cell, even in code.
    return f"{fence}{gap}{shown}{gap}{fence}".replace("|", "\\|")


def _failed(failed: Failed) -> Iterator[str]:
    yield f"### {inert(failed.name)}: could not be looked at"
    yield _block("text", failed.error.message)
    if failed.error.hint:
        yield f"Hint: {inert(failed.error.hint)}"


def _compared(compared: Compared, verdict: str) -> Iterator[str]:
    yield f"### {inert(compared.name)}: {verdict}"
    if compared.drift:
        yield table(("severity", "what", "difference"), _drift_rows(compared.drift, compared.snapshot))
        wordings = [wording for drift in compared.drift for wording in _wordings(drift)]
        yield from wordings[:20]
    for allowed in compared.allowed:
        what = _subject(allowed.drift)
        yield f"Allowed until {allowed.rule.expires}: {what}, because {inert(allowed.rule.reason)}"
    for note in compared.notes:
        yield f"Note: {inert(note)}"


def _drift_rows(drifts: tuple[Drift, ...], seen_now: Snapshot | None) -> Iterator[tuple[str, ...]]:
    for group in group_alike(drifts):
        first = group.drifts[0]
        severity = f"**{first.severity}**" if first.severity == "critical" else str(first.severity)
        if len(group.drifts) > 1:
            names = ", ".join(inert(drift.name, 60) for drift in group.drifts)
            yield severity, f"{len(group.drifts)} {first.kind}s", f"{inert(group.summary)}: {names}"
        else:
            seen = f" (seen {inert(first.seen)})" if first.seen else ""
            hint = f" Hint: {inert(first.hint)}" if first.hint else ""
            more = "".join(f"<br>{inert(words)}" for words in facts.introduction(first, seen_now))
            yield severity, _subject(first), f"{inert(first.summary)}{more}{seen}{hint}"


def _wordings(drift: Drift) -> Iterator[str]:
    for change in drift.changes:
        if change.effect is Effect.WORDING:
            words = word_diff(
                *(text if isinstance(text, str) else "" for text in (change.before, change.after))
            )
            sides = (("-", words.old), ("+", words.new))
            lines = [f"{sign} {' '.join(piece.text for piece in side)}" for sign, side in sides if side]
            yield f"{_subject(drift)} {inert(change.path)}\n\n{_block('diff', *lines)}"


def _subject(drift: Drift) -> str:
    return f"{drift.kind} {inert(drift.name, 80)}" if drift.name else drift.kind


def _snapshot_blocks(report: SnapshotReport) -> Iterator[str]:
    shown = report.snapshot
    yield f"## {inert(facts.server_words(shown))}"
    yield table(("", ""), ((label, inert(value)) for label, value in facts.identity(shown)))
    yield from _capability_blocks(shown)
    if shown.instructions:
        yield "### Instructions"
        yield _block("text", printable(shown.instructions, 2000))
    if wanted := list(facts.parameters(shown.configuration_schema)):
        yield "### Configuration"
        rows = ((inert(one.name), one.kind, one.need, inert(one.description)) for one in wanted)
        yield table(("name", "kind", "need", "description"), rows)
    if found := facts.findings(shown):
        yield "### Suspicious text"
        yield table(
            ("where", "sign", "evidence"), ((inert(f.where), f.sign, inert(f.evidence)) for f in found)
        )
    for seen, drifts in (report.variance or {}).items():
        yield f"### It does not always show the same: {inert(seen)}"
        yield table(("severity", "what", "difference"), _drift_rows(drifts, None))
    for note in shown.notes:
        yield f"Note: {inert(note)}"


def _needs_blocks(report: SnapshotReport) -> Iterator[str]:
    if wanted := [need for need in report.needs if need.required]:
        yield "### What it needs"
        rows = (
            (inert(one.name), one.kind, "is set" if one.present else "missing", one.source) for one in wanted
        )
        yield table(("name", "kind", "state", "source"), rows)


def _capability_blocks(shown: Snapshot) -> Iterator[str]:
    for kind in Kind:
        found = shown.signature.of_kind(kind)
        if not found:
            continue
        yield f"### {facts.TITLES[kind]}"
        if kind is Kind.TOOL:
            rows = (
                (str(risk.level), inert(tool.name, 80), inert("; ".join(risk.reasons)))
                for tool, risk in facts.rated(found)
            )
            yield table(("risk", "tool", "because"), rows)
        else:
            ordered = sorted(found.values(), key=lambda capability: capability.name)
            yield table((str(kind), "about"), ((inert(one.name), inert(facts.about(one))) for one in ordered))


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table; its cells are written as they are."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _block(language: str, *lines: str) -> str:
    text = printable("\n".join(lines))
    fence = _fence(text, 3)
    return f"{fence}{language}\n{text}\n{fence}"


def _fence(text: str, least: int) -> str:
    """Backticks that the text cannot close."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    return "`" * max(least, longest + 1)

"""Drift as people read it: it leads with what matters and ends with what to do."""

from collections.abc import Iterator
from typing import Final

from avow.cli.output.console import BLANK, Line, Part, Styled, line, plural, styled
from avow.cli.output.facts import introduction, one_line
from avow.cli.output.report import DriftReport
from avow.core.drift.grouping import Group, group_alike
from avow.core.drift.model import Change, Drift, Effect
from avow.core.printable import printable
from avow.core.severity import Severity
from avow.core.snapshot import Snapshot
from avow.core.word_diff import Piece, word_diff
from avow.system.checking import Compared, Failed

STYLES: Final = {
    Severity.CRITICAL: "bold red",
    Severity.MODERATE: "yellow",
    Severity.SAFE: "green",
    Severity.INFO: "blue",
}
_DETAIL: Final = 12
_MOST_CHANGES: Final = 8
_MOST_NAMES: Final = 10
_MANY: Final = 4


def report_lines(report: DriftReport) -> Iterator[Line]:
    """The whole report."""
    for outcome in report.outcomes:
        match outcome:
            case Compared():
                is_refused = outcome.name in report.refused
                yield from compared_lines(outcome, report.verdict(outcome), is_refused=is_refused)
            case Failed():
                yield from failed_lines(outcome)
    if report.closing:
        yield BLANK
        yield line(one_line(report.closing))


def failed_lines(failed: Failed) -> Iterator[Line]:
    """A server that could not be looked at."""
    yield line((one_line(failed.name), "bold"), "  ", ("could not be looked at", "bold red"))
    for row in printable(failed.error.message).splitlines():
        yield line(row, indent=2)
    if failed.error.hint:
        yield line(("hint: ", "dim"), one_line(failed.error.hint), indent=2)


def compared_lines(compared: Compared, verdict: str, *, is_refused: bool = False) -> Iterator[Line]:
    """One server: a heading, then its drift from the most severe down."""
    style = STYLES[compared.highest] if compared.highest else "green"
    # A refusal looks like one, however little the server differs.
    shown = (verdict, STYLES[Severity.CRITICAL] if is_refused else style)
    yield line((one_line(compared.name), "bold"), "  ", shown)
    yield from drift_lines(compared.drift, compared.snapshot)
    for allowed in compared.allowed:
        yield _headline(
            "allowed", "dim", allowed.drift, f"until {allowed.rule.expires}: {allowed.rule.reason}"
        )
    for note in compared.notes:
        yield Line(styled(("  note      ", "dim")), styled(one_line(note)))


def drift_lines(drifts: tuple[Drift, ...], snapshot: Snapshot | None) -> Iterator[Line]:
    """Every difference; what many share is told once, and what is new in `snapshot` introduced."""
    for group in group_alike(drifts):
        if _is_told_once(group):
            yield from _group_lines(group)
        else:
            for drift in group.drifts:
                yield from _one(drift, snapshot)


def _one(drift: Drift, snapshot: Snapshot | None) -> Iterator[Line]:
    yield _headline(drift.severity, STYLES[drift.severity], drift, drift.summary)
    for words in introduction(drift, snapshot):
        yield line(words, indent=_DETAIL)
    if drift.seen:
        yield line(("seen: ", "dim"), one_line(drift.seen), indent=_DETAIL)
    for change in drift.changes[:_MOST_CHANGES]:
        yield from _change(change, told=len(drift.changes) == 1 and change.summary == drift.summary)
    if len(drift.changes) > _MOST_CHANGES:
        yield line((f"and {len(drift.changes) - _MOST_CHANGES} more places", "dim"), indent=_DETAIL)
    if drift.hint:
        yield line(("hint: ", "dim"), one_line(drift.hint), indent=_DETAIL)


def _is_told_once(group: Group) -> bool:
    """Whether one line does for all; a few texts that were reworded are better read one by one."""
    wording = any(change.effect is Effect.WORDING for drift in group.drifts for change in drift.changes)
    return len(group.drifts) >= (_MANY if wording else 2)


def _group_lines(group: Group) -> Iterator[Line]:
    drifts, first = group.drifts, group.drifts[0]
    names = ", ".join(one_line(drift.name, 60) for drift in drifts[:_MOST_NAMES])
    more = f" and {len(drifts) - _MOST_NAMES} more" if len(drifts) > _MOST_NAMES else ""
    yield Line(
        styled((f"  {first.severity:8}  ", STYLES[first.severity])),
        styled((plural(len(drifts), first.kind), "bold"), "  ", one_line(group.summary)),
    )
    yield line((names + more, "dim"), indent=_DETAIL)


def _headline(word: str, style: str, drift: Drift, summary: str) -> Line:
    subject = f"{drift.kind} {one_line(drift.name, 80)}" if drift.name else drift.kind
    return Line(styled((f"  {word:8}  ", style)), styled((subject, "bold"), "  ", one_line(summary)))


def _change(change: Change, *, told: bool) -> Iterator[Line]:
    where = one_line(change.path, 120)
    if told:
        yield line((where, "dim"), indent=_DETAIL)
    else:
        yield line((where, "dim"), "  ", one_line(change.summary), indent=_DETAIL)
    if change.effect is Effect.WORDING:
        yield from _wording(change.before, change.after)


def _wording(before: object, after: object) -> Iterator[Line]:
    old, new = (value if isinstance(value, str) else "" for value in (before, after))
    if old.split() == new.split():
        return
    words = word_diff(old, new)
    for sign, style, pieces in (("- ", "red", words.old), ("+ ", "green", words.new)):
        if pieces:
            yield Line(styled((" " * _DETAIL + sign, style)), _marked(pieces, style))


def _marked(pieces: tuple[Piece, ...], style: str) -> Styled:
    parts: list[Part] = []
    for piece in pieces:
        parts += [" "] if parts else []
        parts.append((piece.text, f"bold {style}" if piece.differs else "dim"))
    return styled(*parts)

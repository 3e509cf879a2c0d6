"""A server as people read about it: who it is, what it can do and how risky that is, what it needs."""

from collections.abc import Iterator, Mapping
from typing import Final

from avow.cli.output import facts
from avow.cli.output.console import BLANK, Line, Part, columns, line, plural
from avow.cli.output.drift_lines import drift_lines
from avow.cli.output.facts import one_line
from avow.core.capability import Capability, Kind
from avow.core.risk import Level
from avow.core.snapshot import Snapshot
from avow.system.checking import Variance

_STYLES: Final = {Level.HIGH: "bold red", Level.MEDIUM: "yellow", Level.LOW: "green"}
_MOST_RESOURCES: Final = 20


def snapshot_lines(snapshot: Snapshot, variance: Variance) -> Iterator[Line]:
    """Everything `avow inspect` tells about a server."""
    yield line((facts.server_words(snapshot), "bold"))
    yield from columns([[(label, "dim"), value] for label, value in facts.identity(snapshot)])
    yield from _capabilities(snapshot)
    yield from _instructions(snapshot)
    yield from _configuration(snapshot)
    yield from warning_lines(snapshot)
    yield from variance_lines(variance)
    if snapshot.notes:
        yield BLANK
    for note in snapshot.notes:
        yield line(("note: ", "yellow"), one_line(note))


def warning_lines(snapshot: Snapshot) -> Iterator[Line]:
    """Text that tries something."""
    found = facts.findings(snapshot)
    if not found:
        return
    yield BLANK
    yield line(("Suspicious text", "bold red"))
    yield from columns([[one.where, (one.sign, "red"), one.evidence] for one in found])


def variance_lines(variance: Variance) -> Iterator[Line]:
    """What the server shows to others, or a moment later, and not to us at first."""
    for seen, drifts in variance.items():
        yield BLANK
        yield line(("It does not always show the same", "bold red"), f"  {one_line(seen)}:")
        yield from drift_lines(drifts, None)


def _capabilities(snapshot: Snapshot) -> Iterator[Line]:
    for kind in Kind:
        found = snapshot.signature.of_kind(kind)
        if not found:
            continue
        yield BLANK
        yield line((facts.TITLES[kind], "bold"), f"  {_counts(kind, found)}")
        yield from columns(_tools(found) if kind is Kind.TOOL else _others(found))
        if kind is not Kind.TOOL and len(found) > _MOST_RESOURCES:
            yield line((f"and {len(found) - _MOST_RESOURCES} more", "dim"), indent=2)


def _counts(kind: Kind, found: Mapping[str, Capability]) -> str:
    if kind is not Kind.TOOL:
        return str(len(found))
    levels = [risk.level for _, risk in facts.rated(found)]
    counts = ((levels.count(level), level) for level in facts.LEVELS)
    return f"{len(found)}: " + ", ".join(f"{count} {level}" for count, level in counts if count)


def _tools(found: Mapping[str, Capability]) -> list[list[Part]]:
    return [
        [
            (risk.level, _STYLES[risk.level]),
            one_line(tool.name, 48),
            (facts.reason(risk), "dim"),
        ]
        for tool, risk in facts.rated(found)
    ]


def _others(found: Mapping[str, Capability]) -> list[list[Part]]:
    shown = sorted(found.values(), key=lambda capability: capability.name)[:_MOST_RESOURCES]
    return [[one_line(capability.name, 72), (facts.about(capability), "dim")] for capability in shown]


def _instructions(snapshot: Snapshot) -> Iterator[Line]:
    if snapshot.instructions:
        yield BLANK
        yield line(("Instructions", "bold"), f"  {plural(len(snapshot.instructions), 'character')}")
        yield line(one_line(snapshot.instructions, 400), indent=2)


def _configuration(snapshot: Snapshot) -> Iterator[Line]:
    wanted = list(facts.parameters(snapshot.configuration_schema))
    if wanted:
        yield BLANK
        yield line(("Configuration", "bold"))
        yield from columns(
            [
                [
                    one.name,
                    (one.kind, "dim"),
                    (one.need, "yellow" if one.need.startswith("required") else ""),
                    (one.description, "dim"),
                ]
                for one in wanted
            ]
        )

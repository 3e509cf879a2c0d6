"""Lists that commands of the registry print: columns with colour on a terminal, plain text in a pipe."""

from collections.abc import Sequence

from avow.cli.output import write
from avow.cli.output.console import Part, columns, line, to_string
from avow.cli.output.drift_lines import STYLES
from avow.core.canonical import JsonObject
from avow.core.printable import printable
from avow.core.severity import Severity

GOOD = "green"
BAD = "bold red"
RISKS = {"high": BAD, "medium": "yellow", "low": GOOD}
STATES = {"approved": GOOD, "rejected": BAD, "pending": "yellow"}


def print_table(titles: Sequence[str], rows: Sequence[Sequence[Part]], nothing: str) -> None:
    """Print rows below their titles; where there are none, say so, and what to do about it."""
    if not rows:
        write(to_string([line(nothing)]))
        return
    heads: list[Sequence[Part]] = [[(title, "dim") for title in titles]]
    write(to_string(columns([*heads, *rows], indent=0)))


def print_list(
    found: JsonObject, format_name: str, titles: Sequence[str], rows: Sequence[Sequence[Part]], nothing: str
) -> int:
    """Print a list that a registry answered, as it came or as a table; the answer is the exit code."""
    if format_name == "json":
        from avow.cli.output.json import dumps

        write(dumps(found))
    else:
        print_table(titles, rows, nothing)
    return 0


def safe(text: object) -> str:
    """Text that others wrote, on one line and without what a terminal would act on."""
    return printable(str(text), 300, fold=True)


def risks(version: JsonObject) -> str:
    """How risky what a version offers is, in a few words."""
    counts = version["counts"]
    rated = [f"{counts[each]} {each}" for each in ("high", "medium", "low") if counts[each]]
    return ", ".join(rated) or "nothing"


def drift_counts(version: JsonObject) -> str:
    """How many differences of each severity there are to the version before, the worst first."""
    counts = version["driftCounts"]
    told = [f"{counts[each]} {each}" for each in sorted(Severity, reverse=True) if counts.get(each)]
    return ", ".join(told) or "no drift"


def level(text: str) -> Part:
    """A severity in its colour."""
    return (text, STYLES[Severity(text)]) if text in list(Severity) else safe(text)

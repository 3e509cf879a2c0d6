"""Lists that commands of the registry print: columns with colour on a terminal, plain text in a pipe."""

from collections.abc import Sequence

from avow.cli.output import write
from avow.cli.output.console import Part, columns, line, to_string
from avow.cli.output.drift_lines import STYLES
from avow.core.printable import printable
from avow.core.severity import Severity

GOOD = "green"
BAD = "bold red"


def print_table(titles: Sequence[str], rows: Sequence[Sequence[Part]], nothing: str) -> None:
    """Print rows below their titles; where there are none, say so, and what to do about it."""
    if not rows:
        write(to_string([line(nothing)]))
        return
    heads: list[Sequence[Part]] = [[(title, "dim") for title in titles]]
    write(to_string(columns([*heads, *rows], indent=0)))


def safe(text: object) -> str:
    """Text that others wrote, on one line and without what a terminal would act on."""
    return printable(str(text), 300, fold=True)


def level(text: str) -> Part:
    """A severity in its colour."""
    return (text, STYLES[Severity(text)]) if text in list(Severity) else safe(text)

"""Lines of styled text, laid out for the terminal they are printed on, or plain for a pipe."""

import io
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text


@dataclass(frozen=True, slots=True)
class Line:
    """A head that stays where it is and a body that wraps beside it."""

    head: Text = field(default_factory=Text)
    body: Text = field(default_factory=Text)


BLANK = Line()


def line(*parts: str | tuple[str, str], indent: int = 0) -> Line:
    """A line of text; a part is a string, or a string with a style."""
    return Line(Text(" " * indent), Text.assemble(*parts))


def columns(rows: Sequence[Sequence[Text]], indent: int = 2, gap: int = 2) -> list[Line]:
    """Rows with their cells below each other; the last cell of a row wraps."""
    if not rows:
        return []
    widths = [
        max(cell_len(cell.plain) for cell in column)
        for column in zip(*(row[:-1] for row in rows), strict=True)
    ]
    lines = []
    for *cells, last in rows:
        head = Text(" " * indent)
        for cell, width in zip(cells, widths, strict=True):
            head.append_text(cell)
            head.append(" " * (width - cell_len(cell.plain) + gap))
        lines.append(Line(head, last))
    return lines


def to_string(lines: Iterable[Line]) -> str:
    """The lines as stdout should get them: wrapped and coloured on a terminal, one per row in a pipe."""
    if not sys.stdout.isatty():
        return "".join(f"{(each.head + each.body).plain.rstrip()}\n" for each in lines)
    buffer = io.StringIO()
    # rich would also colour a pipe when FORCE_COLOR is set; ours has colour on a terminal only.
    console = Console(file=buffer, force_terminal=True, width=Console().width, highlight=False, emoji=False)
    for each in lines:
        for row in _rows(each, console):
            console.print(row, soft_wrap=True)
    return buffer.getvalue()


def _rows(each: Line, console: Console) -> Iterable[Text]:
    indent = cell_len(each.head.plain)
    if " " not in each.body.plain:
        # A digest or a path is copied from the screen: the terminal breaks it without adding anything.
        yield each.head + each.body
        return
    wrapped = each.body.wrap(console, max(console.width - indent, 24), no_wrap=False)
    for number, row in enumerate(wrapped):
        row.rstrip()
        yield (each.head if number == 0 else Text(" " * indent)) + row
    if not wrapped:
        yield each.head


def plural(count: int, noun: str) -> str:
    """`1 tool`, `2 tools`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

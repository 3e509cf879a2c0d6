"""Lines of styled text, laid out for the terminal they are printed on, or plain for a pipe.

Only a terminal needs the toolkit that knows colours and widths; it is loaded when there is one.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias
from unicodedata import east_asian_width

from avow.core.printable import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Part: TypeAlias = str | tuple[str, str]


@dataclass(frozen=True, slots=True)
class Styled:
    """Text in pieces, each with the name of a style; an empty name is plain."""

    pieces: tuple[tuple[str, str], ...] = ()

    @property
    def plain(self) -> str:
        """The text alone."""
        return "".join(text for text, _ in self.pieces)

    @property
    def width(self) -> int:
        """How many columns it takes: characters of East Asian scripts take two."""
        return sum(2 if east_asian_width(character) in "WF" else 1 for character in self.plain)


def styled(*parts: Part) -> Styled:
    """Put parts together; each is a string, or a string with a style.

    Whoever wrote it, nothing in it is an order to the terminal.
    """
    pairs = ((part, "") if isinstance(part, str) else part for part in parts)
    return Styled(tuple((printable(text), style) for text, style in pairs))


@dataclass(frozen=True, slots=True)
class Line:
    """A head that stays where it is and a body that wraps beside it."""

    head: Styled = Styled()
    body: Styled = Styled()


BLANK = Line()


def line(*parts: Part, indent: int = 0) -> Line:
    """A line of text that wraps to its own indentation."""
    return Line(styled(" " * indent), styled(*parts))


def columns(rows: Sequence[Sequence[Part]], indent: int = 2, gap: int = 2) -> list[Line]:
    """Rows with their cells below each other; the last cell of a row wraps."""
    cells = [[styled(part) for part in row] for row in rows]
    if not cells:
        return []
    widths = [max(cell.width for cell in column) for column in zip(*(row[:-1] for row in cells), strict=True)]
    lines = []
    for *heads, last in cells:
        pieces = [(" " * indent, "")]
        for cell, width in zip(heads, widths, strict=True):
            pieces += [*cell.pieces, (" " * (width - cell.width + gap), "")]
        lines.append(Line(Styled(tuple(pieces)), last))
    return lines


def to_string(lines: Iterable[Line]) -> str:
    """The lines as stdout should get them: wrapped and coloured on a terminal, one per row in a pipe."""
    if not sys.stdout.isatty():
        return "".join(f"{(each.head.plain + each.body.plain).rstrip()}\n" for each in lines)
    import io

    from rich.console import Console

    buffer = io.StringIO()
    # rich would also colour a pipe when FORCE_COLOR is set; ours has colour on a terminal only.
    console = Console(file=buffer, force_terminal=True, width=Console().width, highlight=False, emoji=False)
    for each in lines:
        for row in _rows(each, console):
            console.print(row, soft_wrap=True)
    return buffer.getvalue()


def plural(count: int, noun: str) -> str:
    """`1 tool`, `2 tools`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _rows(each: Line, console: "Console") -> Iterator["Text"]:
    from rich.text import Text

    head, body = (Text.assemble(*side.pieces) for side in (each.head, each.body))
    if " " not in body.plain:
        # A digest or a path is copied from the screen: the terminal breaks it without adding anything.
        yield head + body
        return
    indent = head.cell_len
    for number, row in enumerate(body.wrap(console, max(console.width - indent, 24))):
        row.rstrip()
        yield (head if number == 0 else Text(" " * indent)) + row

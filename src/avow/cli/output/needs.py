"""What a server needs, as `avow inspect` shows it for servers that declare nothing about that."""

from collections.abc import Iterator, Sequence
from typing import Final

from avow.cli.output.console import BLANK, Line, Part, columns, line
from avow.cli.output.facts import one_line
from avow.cli.output.report import Need
from avow.core.configuration.hazards import is_secret
from avow.core.configuration.model import Parameter, Where

_KINDS: Final = {Where.ENV: "env", Where.ARGUMENT: "argument", Where.HEADER: "header", Where.FILE: "file"}
_WORDS: Final = {"env": "variable"}
_SOURCES: Final = {
    "declaration": "it declares this",
    "manifest": "its manifest says so",
    "code": "its code asks for it",
    "output": "it said so",
}
_MOST_OPTIONAL: Final = 8


def need_of(parameter: Parameter, *, required: bool, present: bool) -> Need:
    """One parameter as reports show it."""
    return Need(
        parameter.binding.name,
        _KINDS.get(parameter.binding.where, "other"),
        str(parameter.type),
        required,
        is_secret(parameter),
        present,
        str(parameter.source.origin),
        parameter.description,
    )


def needs_lines(needs: Sequence[Need]) -> Iterator[Line]:
    """A table of what is required, and the names of the rest."""
    if not needs:
        return
    yield BLANK
    yield line(("Configuration", "bold"), "  it declares nothing; this was found in its package")
    yield from columns([cells(need) for need in needs if need.required])
    yield from others_line(needs, indent=2)


def others_line(needs: Sequence[Need], indent: int) -> Iterator[Line]:
    """The names of what may be left out, as many as fit."""
    others = [one_line(need.name, 40) for need in needs if not need.required]
    if others:
        more = f" and {len(others) - _MOST_OPTIONAL} more" if len(others) > _MOST_OPTIONAL else ""
        names = ", ".join(others[:_MOST_OPTIONAL])
        yield line(("may also be set: ", "dim"), (f"{names}{more}", "dim"), indent=indent)


def cells(need: Need) -> list[Part]:
    """One row: the name, whether it is set, what it is, and how we know."""
    mark: Part = ("is set", "green") if need.present else ("missing", "yellow")
    kind = f"{_WORDS.get(need.kind, need.kind)}{', secret' if need.sensitive else ''}"
    told = _SOURCES[need.source]
    about = f"{need.description}  {told}" if need.description else told
    return [one_line(need.name, 60), mark, (kind, "dim"), (one_line(about, 160), "dim")]

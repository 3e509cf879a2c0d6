"""The report of `avow doctor` as JSON, as text for people, and as Markdown."""

from collections.abc import Callable, Iterator
from typing import Final

from avow.cli.output import write
from avow.cli.output.console import BLANK, Line, Part, columns, line, to_string
from avow.cli.output.doctor_report import DoctorReport, Row, Visited
from avow.cli.output.facts import one_line
from avow.cli.output.json import dumps
from avow.cli.output.markdown import inert
from avow.core.canonical import JsonObject
from avow.system.diagnosis.model import Status

_STYLES: Final = {
    Status.OK: "green",
    Status.NEEDS_CONFIGURATION: "yellow",
    Status.DRIFTED: "bold red",
}
_MOST_OPTIONAL: Final = 8


def print_report(report: DoctorReport, format_name: str) -> None:
    """Print the report on stdout."""
    write(_FORMATS[format_name](report))


def to_json(report: DoctorReport) -> str:
    """One document: each server by its name."""
    document: JsonObject = {"servers": {one.name: server_document(one) for one in report.visited}}
    if report.unreadable:
        document["unreadable"] = list(report.unreadable)
    return dumps(document)


def server_document(visited: Visited) -> JsonObject:
    """One server; `alternatives` is there when some of its parameters can take the place of others."""
    diagnosis = visited.diagnosis
    document: JsonObject = {
        "status": str(diagnosis.status),
        "message": diagnosis.message,
        "next": diagnosis.next,
        "parameters": [row_document(row) for row in visited.rows()],
    }
    if diagnosis.groups:
        document["alternatives"] = [[list(way) for way in group.ways] for group in diagnosis.groups]
    return document


def row_document(row: Row) -> JsonObject:
    """One parameter; values are no part of it."""
    return {
        "name": row.name,
        "kind": row.kind,
        "type": str(row.parameter.type),
        "required": row.required,
        "sensitive": row.sensitive,
        "present": row.present,
        "source": str(row.parameter.source.origin),
    }


def to_text(report: DoctorReport) -> str:
    """A screen for people: what is missing, and what to do."""
    return to_string(_lines(report))


def to_markdown(report: DoctorReport) -> str:
    """A table for each server that is not well."""
    return "\n\n".join(_blocks(report)) + "\n"


def _lines(report: DoctorReport) -> Iterator[Line]:
    well = [one for one in report.visited if one.is_well]
    ill = [one for one in report.visited if not one.is_well]
    for one in ill:
        yield from _ill(one)
        yield BLANK
    if well:
        yield from columns(
            [[(_status(one), "green"), one_line(one.name, 40), (_about(one), "dim")] for one in well],
            indent=0,
        )
        yield BLANK
    for reason in report.unreadable:
        yield line(("could not be read  ", "red"), one_line(reason))
    yield line((report.closing, "bold"))


def _ill(visited: Visited) -> Iterator[Line]:
    diagnosis = visited.diagnosis
    yield line(
        (one_line(visited.name, 60), "bold"), "  ", (_status(visited), _STYLES.get(diagnosis.status, "red"))
    )
    yield line(one_line(_sentence(diagnosis.message), 600), indent=2)
    rows = visited.rows()
    shown = [row for row in rows if row.required]
    yield from columns([_cells(row) for row in shown], indent=4)
    others = [row for row in rows if not row.required]
    if others and shown:
        names = ", ".join(one_line(row.name, 40) for row in others[:_MOST_OPTIONAL])
        more = f" and {len(others) - _MOST_OPTIONAL} more" if len(others) > _MOST_OPTIONAL else ""
        yield line(("may also be set: ", "dim"), (f"{names}{more}", "dim"), indent=4)
    for place in dict.fromkeys(row.parameter.help_url for row in shown if row.parameter.help_url):
        yield line(("where to get it: ", "dim"), one_line(place, 200), indent=4)
    if diagnosis.next:
        yield line(("next: ", "dim"), one_line(diagnosis.next), indent=2)


def _cells(row: Row) -> list[Part]:
    mark: Part = ("is set", "green") if row.present else ("missing", "yellow")
    kind = f"{_KIND_WORDS.get(row.kind, row.kind)}{', secret' if row.sensitive else ''}"
    return [one_line(row.name, 60), mark, (kind, "dim"), (one_line(_source(row), 160), "dim")]


def _source(row: Row) -> str:
    parameter = row.parameter
    told = _SOURCE_WORDS[parameter.source.origin]
    place = (
        f" ({parameter.source.place})" if parameter.source.place and parameter.source.origin == "code" else ""
    )
    return f"{parameter.description}  {told}{place}" if parameter.description else f"{told}{place}"


def _blocks(report: DoctorReport) -> Iterator[str]:
    for one in report.visited:
        yield f"### {inert(one.name)}: {_status(one)}"
        if one.is_well:
            continue
        yield inert(_sentence(one.diagnosis.message))
        rows = [row for row in one.rows() if row.required]
        if rows:
            table = ["| name | kind | state | source |", "|---|---|---|---|"]
            for row in rows:
                state = "is set" if row.present else "missing"
                kind = f"{row.kind}{', secret' if row.sensitive else ''}"
                table.append(f"| {inert(row.name)} | {kind} | {state} | {row.parameter.source.origin} |")
            yield "\n".join(table)
        if one.diagnosis.next:
            yield f"Next: {inert(one.diagnosis.next)}"
    for reason in report.unreadable:
        yield f"Could not be read: {inert(reason)}"
    yield report.closing


def _status(visited: Visited) -> str:
    return str(visited.diagnosis.status).replace("_", " ")


def _about(visited: Visited) -> str:
    return one_line(visited.diagnosis.message, 200)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


_KIND_WORDS: Final = {"env": "variable"}
_SOURCE_WORDS: Final = {
    "declaration": "it declares this",
    "manifest": "its manifest says so",
    "code": "its code asks for it",
    "output": "it said so",
}
_FORMATS: Final[dict[str, Callable[[DoctorReport], str]]] = {
    "json": to_json,
    "text": to_text,
    "markdown": to_markdown,
}

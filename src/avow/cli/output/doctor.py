"""The report of `avow doctor` as JSON, as text for people, and as Markdown."""

from collections.abc import Callable, Iterator
from typing import Final

from avow.cli.output import write
from avow.cli.output.console import BLANK, Line, columns, line, to_string
from avow.cli.output.doctor_report import DoctorReport, Visited
from avow.cli.output.facts import one_line
from avow.cli.output.json import dumps, need_document
from avow.cli.output.markdown import inert, table
from avow.cli.output.needs import cells, others_line
from avow.cli.output.report import Need
from avow.core.canonical import JsonObject
from avow.system.diagnosis.model import Status

_STYLES: Final = {
    Status.OK: "green",
    Status.NEEDS_CONFIGURATION: "yellow",
    Status.DRIFTED: "bold red",
}


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
        "parameters": [need_document(need) for need in visited.needs],
    }
    if diagnosis.groups:
        document["alternatives"] = [[list(way) for way in group.ways] for group in diagnosis.groups]
    return document


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
    needs = visited.needs
    yield from columns([cells(need) for need in needs if need.required], indent=4)
    for way in visited.instead:
        yield line(("or instead: ", "dim"), one_line(way, 200), indent=4)
    if any(need.required for need in needs):
        yield from others_line([need for need in needs if need.name not in visited.grouped], indent=4)
    for link in visited.links:
        yield line(("where to get it: ", "dim"), one_line(link, 200), indent=4)
    if diagnosis.next:
        yield line(("next: ", "dim"), one_line(diagnosis.next), indent=2)


def _blocks(report: DoctorReport) -> Iterator[str]:
    for one in report.visited:
        yield f"### {inert(one.name)}: {_status(one)}"
        if one.is_well:
            continue
        yield inert(_sentence(one.diagnosis.message))
        needed = [need for need in one.needs if need.required]
        if needed:
            yield table(("name", "kind", "state", "source"), map(_markdown_cells, needed))
        if one.diagnosis.next:
            yield f"Next: {inert(one.diagnosis.next)}"
    for reason in report.unreadable:
        yield f"Could not be read: {inert(reason)}"
    yield report.closing


def _markdown_cells(need: Need) -> tuple[str, ...]:
    kind = f"{need.kind}{', secret' if need.sensitive else ''}"
    return inert(need.name), kind, "is set" if need.present else "missing", need.source


def _status(visited: Visited) -> str:
    return str(visited.diagnosis.status).replace("_", " ")


def _about(visited: Visited) -> str:
    return one_line(visited.diagnosis.message, 200)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


_FORMATS: Final[dict[str, Callable[[DoctorReport], str]]] = {
    "json": to_json,
    "text": to_text,
    "markdown": to_markdown,
}

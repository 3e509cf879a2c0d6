"""From the files of a tree to the facts that rules judge."""

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from avow.audit.facts import Facts
from avow.audit.source.claims import flows
from avow.audit.source.code import Unit
from avow.audit.source.declarations import declared
from avow.audit.source.handshake import initialized, negotiations, session_states
from avow.audit.source.project import Project
from avow.audit.source.registrations import registrations
from avow.audit.source.tree import Language, SourceFile
from avow.audit.source.uses import uses
from avow.audit.source.vocabulary import MARKERS
from avow.errors import MalformedInputError


def gather(files: Iterable[SourceFile]) -> Facts:
    """Everything that the files say about negotiation."""
    notes: list[str] = []
    project = Project.of(_units(files, notes))
    found = registrations(project)
    return Facts(
        servers=tuple(found.servers),
        declared=tuple(declared(project, found)),
        handlers=tuple(found.handlers(project)),
        sent=tuple(found.sent),
        flows=tuple(flows(project, found)),
        uses=tuple(uses(project)),
        negotiations=tuple(negotiations(project, found)),
        session_states=tuple(session_states(project)),
        initialized=tuple(initialized(project, found)),
        is_dynamic=found.is_dynamic,
        notes=tuple(notes),
    )


def _units(files: Iterable[SourceFile], notes: list[str]) -> Iterator[Unit]:
    kept = list(files)
    wanted = [file for file in kept if MARKERS.search(file.text)]
    # A file that says nothing itself may hold a helper of one that does.
    near = {str(PurePosixPath(file.path).parent) for file in wanted}
    for file in kept:
        if file in wanted or str(PurePosixPath(file.path).parent) in near:
            try:
                yield _read(file)
            except MalformedInputError as exc:
                notes.append(f"{file.path}: {exc.message}")


def _read(file: SourceFile) -> Unit:
    # Each language brings a parser along: one that has nothing to read is not loaded.
    if file.language is Language.PYTHON:
        from avow.audit.source.python import read_unit

        return read_unit(file.path, file.text)
    from avow.audit.source.javascript import read_unit as read_script

    return read_script(file.path, file.text, file.language)

"""From the files of a tree to the facts that rules judge."""

from collections.abc import Iterable, Mapping
from typing import Final

from avow.audit.facts import Facts
from avow.audit.source.bounds import Budget
from avow.audit.source.claims import flows
from avow.audit.source.code import Unit
from avow.audit.source.declarations import declared
from avow.audit.source.handshake import initialized, negotiations, session_states
from avow.audit.source.modules import Modules
from avow.audit.source.phases import Phases
from avow.audit.source.project import Project
from avow.audit.source.registrations import registrations
from avow.audit.source.tree import Language, SourceFile
from avow.audit.source.uses import uses
from avow.audit.source.vocabulary import MARKERS
from avow.errors import MalformedInputError

# How many imports away from a file that speaks of MCP a helper may be.
_FARTHEST: Final = 2


def gather(files: Iterable[SourceFile]) -> Facts:
    """Everything that the files say about negotiation."""
    notes: list[str] = []
    kept = {file.path: file for file in files}
    modules = Modules(kept)
    project = Project.of(_units(kept, modules, notes), modules)
    # So far there is one for each file that could not be read, or only in part.
    is_whole = not notes
    found, phases = registrations(project), Phases(project)
    declarations = tuple(declared(project, found))
    return Facts(
        servers=tuple(found.servers),
        declared=declarations,
        handlers=tuple(found.handlers(phases)),
        sent=tuple(found.sent),
        flows=tuple(flows(project, found)),
        uses=tuple(uses(project, found)),
        negotiations=tuple(negotiations(project, found)),
        session_states=tuple(session_states(project)),
        initialized=tuple(initialized(phases, found)),
        is_dynamic=found.is_dynamic,
        units=len(project.scopes),
        follows_declarations=not found.unfollowed,
        is_whole=is_whole and not found.is_cut,
        notes=(*notes, *found.notes()),
    )


def _units(files: Mapping[str, SourceFile], modules: Modules, notes: list[str]) -> list[Unit]:
    """The files that say something themselves, and those that they import: helpers say nothing of MCP."""
    units: dict[str, Unit | None] = {}
    budget = Budget()
    waiting = [path for path, file in files.items() if MARKERS.search(file.text)]
    for _ in range(_FARTHEST + 1):
        fresh = [path for path in dict.fromkeys(waiting) if path not in units]
        waiting = []
        for path in fresh:
            units[path] = unit = _unit(files[path], notes, budget)
            if unit is not None:
                waiting.extend(modules.imported_by(unit))
    return [unit for path in files if (unit := units.get(path)) is not None]


def _unit(file: SourceFile, notes: list[str], budget: Budget) -> Unit | None:
    try:
        unit = _read(file, budget)
    except MalformedInputError as exc:
        notes.append(f"{file.path}: not read: {exc.message}")
        return None
    if not unit.is_whole:
        notes.append(f"{file.path}: read in part; some of it is no valid code, or nested too deep")
    return unit


def _read(file: SourceFile, budget: Budget) -> Unit:
    # Each language brings a parser along: one that has nothing to read is not loaded.
    if file.language is Language.PYTHON:
        from avow.audit.source.python import read_unit

        return read_unit(file.path, file.text, budget)
    from avow.audit.source.javascript import read_unit as read_script

    return read_script(file.path, file.text, file.language, budget)

"""Puts the servers of MCP clients behind `avow run`, and takes them out again.

First a plan, which reads and writes nothing but values; then one file after the other is written, each
only if it is still what the plan was made from.
"""

import difflib
import json
import shutil
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from avow.core.canonical import JsonValue, digest_of
from avow.core.credentials import shown_command
from avow.core.printable import printable
from avow.core.target import StdioTarget
from avow.errors import StorageError, UsageError
from avow.system.clients.backups import Backups
from avow.system.clients.documents import Document, parse_document
from avow.system.clients.edits import Edit
from avow.system.clients.find import ClientFile
from avow.system.clients.rewriting import entry_at, protecting, unprotecting
from avow.system.clients.servers import ConfiguredServer, SkippedServer
from avow.system.clients.wrapping import wrap
from avow.system.files import read_bounded, write_atomically

_HIDDEN: Final = "***"
_SHOWN: Final = frozenset({"command", "cmd", "path", "args", "type", "name"})
# Shorter values are no secrets, and striking them out would tear the text apart.
_SHORTEST_SECRET: Final = 6


@dataclass(frozen=True, slots=True)
class FileChange:
    """What is to become of one client file, and what to keep of it; contents stay out of the `repr`."""

    path: Path
    client: str
    servers: tuple[str, ...]
    before: bytes = field(repr=False)
    after: bytes = field(repr=False)
    original: bytes | None = field(repr=False)
    """What to go back to one day; nothing when that is what `after` is."""
    diff: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes, and the servers that stay as they are, with the reason."""

    changes: tuple[FileChange, ...]
    untouched: tuple[SkippedServer, ...]


def plan_protection(
    files: Iterable[ClientFile],
    *,
    launcher: Sequence[str],
    lockfile: Path,
    backups: Backups,
    names: Collection[str] = (),
    client: str = "",
) -> Plan:
    """How to put the stdio servers of these files, or those of them that are named, behind `avow run`.

    Raises:
        UsageError: a name is not there.
        MalformedInputError: a file cannot be changed safely.
        StorageError: the backup of a file cannot be read.
    """
    changes: list[FileChange] = []
    untouched: list[SkippedServer] = []
    chosen = _chosen(files, names, client)
    for file, document, servers in chosen:
        wanted: list[ConfiguredServer] = []
        for server in servers:
            if reason := _reason_to_leave(server):
                untouched.append(_left(server, reason))
            else:
                wanted.append(server)
        edits = [edit for server in wanted for edit in _protect(document, file, server, launcher, lockfile)]
        if edits:
            original = _original(document, file, backups)
            changes.append(_change(document, file, wanted, document.edited(edits), original))
    untouched += [skipped for file, _, _ in chosen for skipped in _relevant(file, names)]
    return Plan(tuple(changes), tuple(untouched))


def plan_removal(
    files: Iterable[ClientFile], *, backups: Backups, names: Collection[str] = (), client: str = ""
) -> Plan:
    """How to take servers out from behind `avow run`: byte for byte where nobody edited the file since.

    Raises:
        UsageError: a name is not there.
        MalformedInputError: a file cannot be changed safely.
        StorageError: the backup of a file cannot be read.
    """
    changes: list[FileChange] = []
    untouched: list[SkippedServer] = []
    for file, document, servers in _chosen(files, names, client):
        ours = [server for server in file.found.servers if _removal(document, file, server)]
        wanted = [server for server in servers if server in ours]
        untouched += [
            _left(server, "it names a lock entry, so its own command is not in the file")
            for server in servers
            if server.protected and server not in ours
        ]
        if not wanted:
            continue
        original = _original(document, file, backups)
        if len(wanted) == len(ours):
            restored = parse_document(document.path, original.decode(), document.format)
            changes.append(_change(document, file, wanted, restored, None))
        else:
            edits = [edit for server in wanted for edit in _removal(document, file, server)]
            changes.append(_change(document, file, wanted, document.edited(edits), original))
    return Plan(tuple(changes), tuple(untouched))


def carry_out(change: FileChange, backups: Backups) -> None:
    """Write one file, its backup first.

    Raises:
        StorageError: it cannot be written, or has changed since the plan was made; it stays as it is.
    """
    if read_bounded(change.path) != change.before:
        raise StorageError(
            f"{change.path} was changed in the meantime", hint="nothing was written; run it again"
        )
    if change.original is not None:
        backups.keep(change.path, change.original, change.after)
    write_atomically(change.path, change.after)
    if change.original is None:
        backups.forget(change.path)


def this_program() -> tuple[str, ...]:
    """The words that start Avow from anywhere: programs with a window have another search path."""
    called = shutil.which(sys.argv[0]) if sys.argv and Path(sys.argv[0]).stem == "avow" else None
    beside = Path(sys.executable).with_name("avow")
    if called is not None:
        return (str(Path(called).absolute()),)
    if beside.is_file():
        return (str(beside),)
    # Not from the directory that a client starts us in: a module there would run instead of ours.
    return (sys.executable, "-P", "-m", "avow")


def _chosen(
    files: Iterable[ClientFile], names: Collection[str], client: str
) -> list[tuple[ClientFile, Document, list[ConfiguredServer]]]:
    chosen = []
    seen: set[str] = set()
    for file in files:
        if file.document is None or (client and file.client.name != client):
            continue
        seen |= {server.name for server in file.found.servers} | {each.name for each in file.found.skipped}
        servers = [server for server in file.found.servers if not names or server.name in names]
        chosen.append((file, file.document, servers))
    if absent := sorted(set(names) - seen):
        raise UsageError(
            f"no configuration has a server called {absent[0]!r}",
            hint=f"these are configured: {', '.join(sorted(seen))}" if seen else "give a file with --config",
        )
    return chosen


def _reason_to_leave(server: ConfiguredServer) -> str:
    if not isinstance(server.target, StdioTarget):
        return "it is reached over HTTP: put it behind `avow gateway`"
    if server.scope == "managed":
        return "an administrator manages this file"
    return "it is protected already" if server.protected else ""


def _left(server: ConfiguredServer, reason: str) -> SkippedServer:
    return SkippedServer(server.name, reason, server.path, server.client, server.scope)


def _relevant(file: ClientFile, names: Collection[str]) -> list[SkippedServer]:
    return [skipped for skipped in file.found.skipped if not names or skipped.name in names]


def _protect(
    document: Document, file: ClientFile, server: ConfiguredServer, launcher: Sequence[str], lockfile: Path
) -> list[Edit]:
    assert isinstance(server.target, StdioTarget)
    prefix = wrap(launcher, server.name, lockfile.absolute(), server.target.env)
    return protecting(document, server.location, file.client.words, prefix)


def _removal(document: Document, file: ClientFile, server: ConfiguredServer) -> list[Edit]:
    if not server.protected:
        return []
    return unprotecting(document, server.location, file.client.words)


def _original(document: Document, file: ClientFile, backups: Backups) -> bytes:
    """The file without any of our changes: what we kept if it is as we left it, else undone by entry."""
    current = document.text.encode()
    kept = backups.find(document.path)
    if kept is not None and kept.left == digest_of(current):
        return kept.original
    edits = [edit for server in file.found.servers for edit in _removal(document, file, server)]
    return document.edited(edits).text.encode() if edits else current


def _change(
    document: Document,
    file: ClientFile,
    servers: Sequence[ConfiguredServer],
    after: Document,
    original: bytes | None,
) -> FileChange:
    before = document.text.encode()
    names = tuple(server.name for server in servers)
    diff = "".join(_diff(document, after, server) for server in servers)
    return FileChange(document.path, file.client.name, names, before, after.text.encode(), original, diff)


def _diff(before: Document, after: Document, server: ConfiguredServer) -> str:
    """The change of one entry, as a unified diff in which no value of a variable or header shows."""
    title = f"{before.path}: {'.'.join(map(str, server.location))}"
    lines = difflib.unified_diff(
        _lines(before.value, server), _lines(after.value, server), title, title, n=99, lineterm=""
    )
    return "".join(f"{printable(line)}\n" for line in lines)


def _lines(value: JsonValue, server: ConfiguredServer) -> list[str]:
    text = json.dumps(_redacted(entry_at(value, server.location)), indent=2, ensure_ascii=False)
    for secret in server.env.values():
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(json.dumps(secret, ensure_ascii=False)[1:-1], _HIDDEN)
    return text.splitlines()


def _redacted(value: JsonValue, *, shown: bool = False) -> JsonValue:
    """The entry with its words visible and everything else, down to numbers, hidden."""
    match value:
        case dict():
            return {key: _redacted(part, shown=key in _SHOWN) for key, part in value.items()}
        case list() if shown and all(isinstance(part, str) for part in value):
            return list(shown_command(StdioTarget("", tuple(value)))[1:])
        case list():
            return [_redacted(part, shown=shown) for part in value]
        case _:
            return value if shown or value is None or isinstance(value, bool) else _HIDDEN

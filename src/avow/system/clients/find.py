"""Finds the servers that MCP clients on this machine are configured with."""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from avow.core.canonical import JsonValue
from avow.errors import AvowError, MalformedInputError, UsageError
from avow.system.clients.documents import Document, read_document
from avow.system.clients.edits import Location
from avow.system.clients.entries import disabled_reason, is_disabled, read_entry
from avow.system.clients.jsonc import AmbiguousObject
from avow.system.clients.placeholders import Surroundings
from avow.system.clients.places import Machine, all_files, client_of
from avow.system.clients.servers import ConfiguredServer, FoundServers, SkippedServer
from avow.system.clients.table import CURRENT_PROJECT, SHAPES, UNKNOWN, Client, Place


@dataclass(frozen=True, slots=True)
class ClientFile:
    """One file of one client, and what it says; without a document it could not be read."""

    document: Document | None
    client: Client
    found: FoundServers


def find_servers(
    config: Path | None = None,
    *,
    home: Path | None = None,
    cwd: Path | None = None,
    platform: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> list[ConfiguredServer]:
    """The servers that can be used; `read_clients` also says which cannot, and why.

    Raises:
        AvowError: as for `read_clients`.
    """
    found = read_clients(config, home=home, cwd=cwd, platform=platform, environ=environ)
    return list(found.servers)


def read_clients(
    config: Path | None = None,
    *,
    home: Path | None = None,
    cwd: Path | None = None,
    platform: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> FoundServers:
    """Read one configuration file, or without one every file of every known client.

    Raises:
        AvowError: as for `read_files`.
    """
    files = list(read_files(config, machine_here(home=home, cwd=cwd, platform=platform, environ=environ)))
    return FoundServers(
        tuple(server for file in files for server in file.found.servers),
        tuple(skipped for file in files for skipped in file.found.skipped),
    )


def read_files(config: Path | None, machine: Machine, *, every_entry: bool = False) -> Iterator[ClientFile]:
    """Each file with the servers in it.

    With `every_entry` also those that are switched off or need something that only the client can
    fill in: they can be rewritten, though not started from here.
    A file that nobody asked for by name and that cannot be read comes with nothing but the reason;
    the others still count.

    Raises:
        StorageError: `config` cannot be read.
        MalformedInputError: `config` is not what its name says; the message has line and column.
        UsageError: `config` has no servers in any shape that we know.
    """
    if config is not None:
        document = read_document(config)
        client, place = client_of(config, machine) or (_by_shape(document), Place(UNKNOWN, ()))
        yield _client_file(document, client, place, _Reading(machine, every_entry, every_project=True))
        return
    for client, place, path in all_files(machine):
        try:
            yield _client_file(read_document(path), client, place, _Reading(machine, every_entry))
        except AvowError as error:
            unreadable = SkippedServer("", error.message, path, client.name, place.scope, error.hint)
            yield ClientFile(None, client, FoundServers((), (unreadable,)))


@dataclass(frozen=True, slots=True)
class _Reading:
    """How to read a file: on which machine, and how much of it."""

    machine: Machine
    every_entry: bool
    every_project: bool = False


def _client_file(document: Document, client: Client, place: Place, reading: _Reading) -> ClientFile:
    outcomes = list(_read_servers(document, client, place, reading))
    servers = tuple(outcome for outcome in outcomes if isinstance(outcome, ConfiguredServer))
    skipped = tuple(outcome for outcome in outcomes if isinstance(outcome, SkippedServer))
    return ClientFile(document, client, FoundServers(servers, skipped))


def machine_here(
    *,
    home: Path | None = None,
    cwd: Path | None = None,
    platform: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> Machine:
    """This machine, with whatever is given taking the place of what it would say itself."""
    return Machine(
        home or Path.home(),
        (cwd or Path.cwd()).absolute(),
        platform or sys.platform,
        os.environ if environ is None else environ,
    )


def _by_shape(document: Document) -> Client:
    for shape in SHAPES:
        if isinstance(_at(document.value, shape.key), dict | list):
            return shape
    keys = ", ".join(".".join(map(str, shape.key)) for shape in SHAPES)
    raise UsageError(f"{document.path} has no MCP servers in it", hint=f"looked for one of: {keys}")


def _read_servers(
    document: Document, client: Client, place: Place, reading: _Reading
) -> Iterator[ConfiguredServer | SkippedServer]:
    machine = reading.machine
    for scope, key in place.keys or ((place.scope, client.key),):
        for real_key, project in _projects(document.value, key, reading):
            surroundings = Surroundings(machine.environ, machine.home, project, reading.every_entry)
            for name, location, entry in _named_entries(document, real_key):
                yield _read_one(document, client, scope, name, location, entry, surroundings)


def _projects(value: JsonValue, key: Location, reading: _Reading) -> Iterator[tuple[Location, Path]]:
    """The key as it is in this file, once per project where it names one."""
    if CURRENT_PROJECT not in key:
        yield key, reading.machine.project
        return
    at = key.index(CURRENT_PROJECT)
    projects = _at(value, key[:at])
    for project in projects if isinstance(projects, dict) else ():
        here = (reading.machine.project, reading.machine.project.resolve())
        if reading.every_project or Path(project) in here:
            yield (*key[:at], project, *key[at + 1 :]), Path(project)


def _at(value: JsonValue, key: Location) -> JsonValue:
    for step in key:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _named_entries(document: Document, key: Location) -> Iterator[tuple[str, Location, JsonValue]]:
    """Name, place and value of every entry; Continue has a list whose items carry their names."""
    for depth in range(len(key) + 1):
        if isinstance(_at(document.value, key[:depth]), AmbiguousObject):
            where = ".".join(map(str, key[:depth])) or "the document"
            raise MalformedInputError(
                f"{document.path}: a key in {where} is there twice, and readers disagree on which counts",
                hint="keep one of them",
            )
    match _at(document.value, key):
        case None:
            return
        case dict() as entries:
            for name, entry in entries.items():
                yield name, (*key, name), entry
        case list() as items:
            for index, item in enumerate(items):
                name = item.get("name") if isinstance(item, dict) else None
                yield str(name or f"#{index + 1}"), (*key, index), item
        case _:
            raise MalformedInputError(f"{document.path}: {'.'.join(map(str, key))} is not an object")


def _read_one(
    document: Document,
    client: Client,
    scope: str,
    name: str,
    location: Location,
    entry: JsonValue,
    surroundings: Surroundings,
) -> ConfiguredServer | SkippedServer:
    reason, disabled = disabled_reason(entry), is_disabled(entry)
    skipped = SkippedServer(name, reason, document.path, client.name, scope, disabled=disabled)
    if skipped.reason and not surroundings.lenient:
        return skipped
    try:
        read = read_entry(entry, client, surroundings)
    except AvowError as error:
        return replace(skipped, reason=skipped.reason or error.message, hint=error.hint)
    return ConfiguredServer(
        name=name,
        target=read.target,
        env=read.env,
        headers=read.headers,
        path=document.path,
        client=client.name,
        scope=scope,
        launch=read.launch,
        location=location,
        protected=read.protected,
        missing=read.missing,
    )

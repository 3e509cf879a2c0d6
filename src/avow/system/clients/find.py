"""Finds the servers that MCP clients on this machine are configured with."""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from avow.core.canonical import JsonValue
from avow.errors import AvowError, MalformedInputError, UsageError
from avow.system.clients.documents import Document, read_document
from avow.system.clients.edits import Location
from avow.system.clients.entries import disabled_reason, read_entry
from avow.system.clients.jsonc import AmbiguousObject
from avow.system.clients.placeholders import Surroundings
from avow.system.clients.places import Machine, all_files, client_of
from avow.system.clients.servers import ConfiguredServer, FoundServers, SkippedServer
from avow.system.clients.table import CURRENT_PROJECT, SHAPES, Client, Place


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

    A file that nobody asked for by name and that cannot be read is reported as skipped; the
    others still count.

    Raises:
        StorageError: `config` cannot be read.
        MalformedInputError: `config` is not what its name says; the message has line and column.
        UsageError: `config` has no servers in any shape that we know.
    """
    machine = machine_here(home=home, cwd=cwd, platform=platform, environ=environ)
    if config is not None:
        outcomes = list(_read_given(config, machine))
    else:
        outcomes = [
            outcome
            for client, place, path in all_files(machine)
            for outcome in _read_known(path, client, place, machine)
        ]
    return FoundServers(
        tuple(outcome for outcome in outcomes if isinstance(outcome, ConfiguredServer)),
        tuple(outcome for outcome in outcomes if isinstance(outcome, SkippedServer)),
    )


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


def _read_given(path: Path, machine: Machine) -> Iterator[ConfiguredServer | SkippedServer]:
    document = read_document(path)
    known = client_of(path, machine)
    if known is None:
        client, place = _by_shape(document), Place(UNKNOWN_SCOPE, ())
    else:
        client, place = known
    yield from _read_servers(document, client, place, machine, every_project=True)


UNKNOWN_SCOPE = "file"


def _by_shape(document: Document) -> Client:
    for shape in SHAPES:
        if isinstance(_at(document.value, shape.key), dict | list):
            return shape
    keys = ", ".join(".".join(map(str, shape.key)) for shape in SHAPES)
    raise UsageError(f"{document.path} has no MCP servers in it", hint=f"looked for one of: {keys}")


def _read_known(
    path: Path, client: Client, place: Place, machine: Machine
) -> Iterator[ConfiguredServer | SkippedServer]:
    try:
        yield from _read_servers(read_document(path), client, place, machine, every_project=False)
    except AvowError as error:
        yield SkippedServer("", error.message, path, client.name, place.scope, error.hint)


def _read_servers(
    document: Document, client: Client, place: Place, machine: Machine, *, every_project: bool
) -> Iterator[ConfiguredServer | SkippedServer]:
    for scope, key in place.keys or ((place.scope, client.key),):
        for real_key, project in _projects(document.value, key, machine, every_project=every_project):
            surroundings = Surroundings(machine.environ, machine.home, project)
            for name, location, entry in _named_entries(document, real_key):
                yield _read_one(document, client, scope, name, location, entry, surroundings)


def _projects(
    value: JsonValue, key: Location, machine: Machine, *, every_project: bool
) -> Iterator[tuple[Location, Path]]:
    """The key as it is in this file, once per project where it names one."""
    if CURRENT_PROJECT not in key:
        yield key, machine.project
        return
    at = key.index(CURRENT_PROJECT)
    projects = _at(value, key[:at])
    for project in projects if isinstance(projects, dict) else ():
        if every_project or Path(project) in (machine.project, machine.project.resolve()):
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
    skipped = SkippedServer(name, disabled_reason(entry), document.path, client.name, scope)
    if skipped.reason:
        return skipped
    try:
        read = read_entry(entry, client, surroundings)
    except AvowError as error:
        return replace(skipped, reason=error.message, hint=error.hint)
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

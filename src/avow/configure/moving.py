"""Secrets that stand in clear in a client's configuration: found, and taken out once they are kept."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from avow.configure.subject import Subject
from avow.core.configuration.hazards import is_secret
from avow.core.configuration.model import Where
from avow.core.credentials import is_credential, is_credential_name
from avow.core.target import StdioTarget
from avow.errors import StorageError
from avow.system.clients.documents import Document
from avow.system.clients.edits import Edit, Location, Replace
from avow.system.clients.find import ClientFile
from avow.system.clients.rewriting import entry_at, protecting
from avow.system.clients.servers import ConfiguredServer
from avow.system.clients.wrapping import wrap
from avow.system.files import read_bounded, write_atomically
from avow.system.targets import same_place

_REFERENCES: Final = ("${", "{env:", "$env:")


@dataclass(frozen=True, slots=True)
class Exposed:
    """An entry of a client's file with secrets in clear, by the names of their variables."""

    server: ConfiguredServer
    file: ClientFile
    document: Document = field(repr=False)
    secrets: tuple[str, ...]
    place: Location

    @property
    def path(self) -> Path:
        """The file."""
        return self.document.path


def entries_of(
    subject: Subject, files: Iterable[ClientFile]
) -> Iterator[tuple[ClientFile, ConfiguredServer]]:
    """The entries of client files that start this server."""
    for file in files:
        for server in file.found.servers:
            if server.name == subject.name and same_place(server.target, subject.reachable.target):
                yield file, server


def exposed(subject: Subject, files: Iterable[ClientFile]) -> Iterator[Exposed]:
    """The entries of this server that hold a secret in clear and may be changed."""
    names = _secret_names(subject)
    for file, server in entries_of(subject, files):
        if file.document is None or server.scope == "managed" or not isinstance(server.target, StdioTarget):
            continue
        for inner in ((), ("transport",)):
            place = (*server.location, *inner, file.client.words.env)
            written = entry_at(file.document.value, place)
            found = tuple(_in_clear(written, names)) if isinstance(written, dict) else ()
            if found:
                yield Exposed(server, file, file.document, found, place)


def take_out(found: Exposed, keys: Collection[str], launcher: Sequence[str], lockfile: Path) -> None:
    """Remove the variables `keys` from an entry, and start its server behind `avow run`, which knows them.

    Raises:
        MalformedInputError: the file cannot be changed safely.
        StorageError: it cannot be written, or has changed meanwhile; it stays as it is.
    """
    written = entry_at(found.document.value, found.place)
    rest = {name: value for name, value in written.items() if name not in keys}
    edits: list[Edit] = [Replace(found.place, rest)]
    if not found.server.protected:
        assert isinstance(found.server.target, StdioTarget)
        variables = [name for name in found.server.target.env if name not in keys]
        prefix = wrap(launcher, found.server.name, lockfile.absolute(), variables)
        edits += protecting(found.document, found.server.location, found.file.client.words, prefix)
    after = found.document.edited(edits)
    if read_bounded(found.path) != found.document.text.encode():
        raise StorageError(
            f"{found.path} was changed in the meantime", hint="nothing was written; run it again"
        )
    # No backup: it would hold what was just taken out.
    write_atomically(found.path, after.text.encode())


def _secret_names(subject: Subject) -> frozenset[str]:
    return frozenset(
        parameter.binding.name
        for parameter in subject.configuration
        if parameter.binding.where is Where.ENV and is_secret(parameter)
    )


def _in_clear(written: dict[str, object], names: frozenset[str]) -> Iterator[str]:
    for name, value in written.items():
        if not isinstance(value, str) or not value or any(mark in value for mark in _REFERENCES):
            continue
        if name in names or is_credential_name(name) or is_credential(value):
            yield name

"""A registry with the releases of real servers in it, for tests of what people see of one."""

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from avow.core import dsse
from avow.core.keys import PrivateKey
from avow.core.publication import PUBLICATION_TYPE, ServerName, publication_payload
from avow.core.snapshot import Snapshot
from avow.core.tlog.notes import Signer
from avow.registry import tokens
from avow.registry.approvals import decide
from avow.registry.limits import Limits
from avow.registry.metrics import Metrics
from avow.registry.model import ApprovalState, Environment, Role
from avow.registry.publishing import publish
from avow.registry.service import Service
from avow.registry.settings import Settings
from avow.registry.store.interface import Store
from avow.registry.store.opening import open_store
from small_server import snapshot

HISTORY = Path(__file__).parent / "data" / "history"
ORIGIN = "registry.example/log"
SIGNER = Signer(ORIGIN, PrivateKey(bytes(range(32))))
KEY = PrivateKey(bytes(range(32, 64)))
START = datetime(2026, 10, 5, 9, 0, tzinfo=UTC)
END = START + timedelta(days=41, hours=3)
SHOWN = (
    ("io.github.modelcontextprotocol/filesystem", "server-filesystem"),
    ("io.github.modelcontextprotocol/git", "mcp-server-git"),
    ("io.github.modelcontextprotocol/sequential-thinking", "server-sequential-thinking"),
    ("io.github.upstash/context7", "context7-mcp"),
    ("io.github.haris-musa/excel", "excel-mcp-server"),
)
NEEDS: dict[str, Any] = {
    "environmentVariables": [
        {
            "name": "NOTES_API_TOKEN",
            "type": "string",
            "description": "Made at https://notes.example/settings.",
            "required": True,
            "sensitive": True,
        },
        {
            "name": "NOTES_REGION",
            "type": "string",
            "description": "Where the notes are kept.",
            "required": False,
            "default": "eu",
        },
    ],
    "arguments": [
        {"name": "vault", "type": "string", "description": "Which vault to open.", "required": True}
    ],
}
NOTES = {
    "name": "add_note",
    "description": "Add a note to the vault.",
    "inputSchema": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "text": {"type": "string"}},
        "required": ["path", "text"],
    },
}


@dataclass(frozen=True)
class Release:
    """A snapshot under the version it was published with."""

    version: str
    snapshot: Snapshot


@dataclass(frozen=True)
class Showcase:
    """A service, and texts of tokens by role."""

    service: Service
    tokens: Mapping[Role, str]


def releases(package: str) -> list[Release]:
    """The recorded releases of a package, oldest first."""
    recording = json.loads((HISTORY / f"{package}.json").read_text(encoding="utf-8"))
    collections = ("tools", "prompts", "resources", "resourceTemplates")
    found = []
    for version, release in recording["releases"].items():
        lists = [[recording["definitions"][i] for i in release.get(kind, [])] for kind in collections]
        answer = release["initialize"]
        taken = snapshot(
            *lists,
            server=answer["serverInfo"],
            protocol_version=answer["protocolVersion"],
            capabilities=answer["capabilities"],
            instructions=answer.get("instructions"),
        )
        found.append(Release(version, taken))
    return found


async def add(store: Store, name: str, release: Release, at: datetime) -> None:
    """Publish a release, claiming its namespace where nobody has."""
    read = ServerName.read(name)
    if await store.namespace(read.namespace) is None:
        await store.claim(read.namespace, KEY.public, "administrator", at)
    payload = publication_payload(read, release.version, release.snapshot)
    await publish(store, dsse.dumps(dsse.sign(payload, PUBLICATION_TYPE, [KEY])), at)


async def service_of(store: Store, settings: Settings | None = None) -> Service:
    """A service around a store, with a clock that stands still."""
    return Service(
        store,
        settings or Settings(),
        ORIGIN,
        str(SIGNER.verifier()),
        Metrics(),
        Limits(0, 0, 0, 600),
        clock=lambda: END,
    )


@asynccontextmanager
async def showcase(place: Path | str, *, settings: Settings | None = None) -> AsyncIterator[Showcase]:
    """The servers of `SHOWN`, one that needs configuration and one that could replace it.

    The place is the address of a database, or a directory for one in SQLite.
    """
    address = place if isinstance(place, str) else f"sqlite:///{place / 'registry.db'}"
    store = await open_store(address, SIGNER)
    try:
        await store.set_environment(Environment("production", 2))
        await store.set_environment(Environment("staging"))
        for at, name, release in sorted(_schedule(), key=lambda each: each[0]):
            await add(store, name, release, at)
        await _decided(store)
        made = {role: (await tokens.issue(store, f"{role} person", role, START)).text for role in Role}
        yield Showcase(await service_of(store, settings), made)
    finally:
        await store.close()


def _schedule() -> Iterator[tuple[datetime, str, Release]]:
    """The releases of all servers, spread over the same weeks."""
    for place, (name, package) in enumerate(SHOWN):
        published = releases(package)
        step = timedelta(days=40 - place) / len(published)
        yield from ((START + step * i, name, release) for i, release in enumerate(published, 1))
    noted = snapshot([NOTES], configuration_schema=NEEDS, server={"name": "notes", "version": "1.0.0"})
    yield END - timedelta(hours=2), "dev.example/notes", Release("1.0.0", noted)
    listing = {"name": "list_notes", "description": "List all notes.", "inputSchema": {"type": "object"}}
    more = snapshot([NOTES, listing], server={"name": "vault", "version": "0.3.0"})
    yield END - timedelta(hours=5), "dev.example/vault", Release("0.3.0", more)


async def _decided(store: Store) -> None:
    files = ServerName.read("io.github.modelcontextprotocol/filesystem")
    newest = await store.version(files)
    assert newest is not None
    for by, reason in (("Ada", "Only reads what the project needs."), ("Grace", "Same as the last one.")):
        await decide(
            store,
            files,
            newest.version,
            environment="production",
            state=ApprovalState.APPROVED,
            by=by,
            reason=reason,
            at=END - timedelta(hours=1),
        )

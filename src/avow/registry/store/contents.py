"""Questions for what was signed, and for what the next publication of a server builds on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from avow.core import dsse
from avow.core.canonical import Digest, JsonObject
from avow.core.capability import Capability, Kind
from avow.core.keys import PublicKey
from avow.core.publication import ServerName
from avow.registry.store.conditions import MAX_CAPABILITY_NAME
from avow.registry.store.database import Database, Row
from avow.registry.store.joining import payload_of
from avow.registry.store.keeping import namespace
from avow.registry.store.packing import Stored, restored
from avow.registry.store.rows import KINDS, LEVELS, bounded, digest_text

_DOCUMENT: Final = (
    "SELECT v.id, v.server_id, v.sequence, v.content, d.body, d.signatures, v.version FROM servers s "
    "CROSS JOIN versions v CROSS JOIN version_documents d WHERE v.server_id = s.id AND d.version_id = v.id "
    "AND s.name = $1"
)
_CAPABILITIES: Final = (
    "SELECT c.kind, c.digest, c.risk, c.reasons, d.definition FROM offers o "
    "CROSS JOIN capabilities c CROSS JOIN definitions d "
    "WHERE c.id = o.capability_id AND d.capability_id = c.id AND o.server_id = $1"
)


@dataclass(frozen=True, slots=True)
class Predecessor:
    """The newest version of a server: its body, and what the store has of its capabilities."""

    sequence: int
    body: bytes
    capabilities: dict[tuple[Kind, Digest], Stored]


@dataclass(frozen=True, slots=True)
class Basis:
    """What a publication is prepared from: the keys of the namespace, and the version before."""

    keys: tuple[PublicKey, ...] | None
    predecessor: Predecessor | None


@dataclass(frozen=True, slots=True)
class Contents:
    """What was signed, to the byte, and what the store has of the capabilities in it."""

    payload: bytes
    capabilities: Mapping[tuple[Kind, Digest], Stored]


async def basis(database: Database, name: ServerName) -> Basis:
    """What the next publication of a server builds on; no keys where nobody claimed the namespace."""
    owner = await namespace(database, name.namespace)
    if owner is None:
        return Basis(None, None)
    rows = await database.fetch(f"{_DOCUMENT} AND v.id = s.latest_id", str(name))
    if not rows:
        return Basis(owner.active, None)
    _, server, sequence, _, body, *_ = rows[0]
    found = _stored(await database.fetch(f"{_CAPABILITIES} AND o.until = 0", server))
    return Basis(owner.active, Predecessor(sequence, bytes(body), found))


async def drifts_of(database: Database, versions: Sequence[int]) -> Mapping[int, tuple[JsonObject, ...]]:
    """The drift of each of these versions to the one before, as documents."""
    sql = "SELECT version_id, drift FROM version_documents WHERE version_id IN ($many)"
    rows = await database.fetch_each(sql, versions) if versions else ()
    return {number: tuple(msgspec.json.decode(restored(drift))) for number, drift in rows}


async def payload(database: Database, name: ServerName, version: str) -> bytes | None:
    """The very bytes that were signed."""
    found = await contents(database, name, version)
    return None if found is None else found.payload


async def contents(database: Database, name: ServerName, version: str) -> Contents | None:
    """The bytes that were signed, with the ratings of what they offer."""
    rows = await database.fetch(f"{_DOCUMENT} AND v.version = $2", str(name), version)
    return await _contents(database, rows[0]) if rows else None


async def _contents(database: Database, row: Row) -> Contents:
    _, server, sequence, content, body, *_ = row
    sql = f"{_CAPABILITIES} AND o.since <= $2 AND (o.until = 0 OR o.until >= $2)"
    stored = _stored(await database.fetch(sql, server, sequence))
    return Contents(payload_of(bytes(body), digest_text(content), stored), stored)


def _stored(rows: Sequence[Row]) -> dict[tuple[Kind, Digest], Stored]:
    return {
        (KINDS[kind], digest_text(digest)): Stored(bytes(definition), LEVELS[risk], reasons)
        for kind, digest, risk, reasons, definition in rows
    }


async def offered(
    database: Database, versions: Sequence[int], wanted: Sequence[Capability]
) -> dict[int, dict[tuple[Kind, Digest], bytes]]:
    """What the servers of these versions have today under the names that are wanted: definitions, compressed.

    What is the very thing that is wanted is there without its definition.
    """
    same = {(one.kind, one.digest) for one in wanted}
    names = {(one.kind, bounded(one.name, MAX_CAPABILITY_NAME)) for one in wanted}
    sql = (
        "SELECT v.id, c.id, c.kind, c.digest, c.name FROM versions v CROSS JOIN offers o "
        "CROSS JOIN capabilities c WHERE o.server_id = v.server_id AND o.until = 0 "
        "AND c.id = o.capability_id AND v.id IN ($many)"
    )
    found: dict[int, dict[tuple[Kind, Digest], bytes]] = {number: {} for number in versions}
    others: dict[int, list[int]] = {}
    keys = {}
    for number, capability, kind, data, name in await database.fetch_each(sql, versions):
        if (KINDS[kind], name) in names:
            keys[capability] = key = (KINDS[kind], digest_text(data))
            found[number][key] = b""
            if key not in same:
                others.setdefault(capability, []).append(number)
    sql = "SELECT capability_id, definition FROM definitions WHERE capability_id IN ($many)"
    for capability, definition in await database.fetch_each(sql, others):
        packed = bytes(definition)
        for number in others[capability]:
            found[number][keys[capability]] = packed
    return found


async def envelope(database: Database, name: ServerName, version: str) -> bytes | None:
    """The envelope around a payload, as JSON."""
    rows = await database.fetch(f"{_DOCUMENT} AND v.version = $2", str(name), version)
    if not rows:
        return None
    found = await _contents(database, rows[0])
    return dsse.dumps(replace(dsse.loads(restored(rows[0][5])), payload=found.payload))

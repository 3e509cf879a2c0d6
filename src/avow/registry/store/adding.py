"""Writes publications, many in one go: what is there is asked once, and each table is written once."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from avow.core.tlog.entry import PublicationEntry
from avow.errors import AvowError, UntrustedKeyError
from avow.registry.model import ConflictError, PublishedVersion, Receipt
from avow.registry.store import log
from avow.registry.store.database import Database, Row
from avow.registry.store.prepared import Prepared, PreparedCapability, StaleError
from avow.registry.store.rows import KINDS, LEVELS, SEVERITIES, VERSION, digest_bytes, version_of
from avow.registry.store.sequencer import Append, Sealed, milliseconds, moment, rfc3339

_VERSIONS: Final = f"SELECT {VERSION} FROM versions v CROSS JOIN servers s WHERE s.id = v.server_id AND "  # noqa: S608
_KEYS: Final = (
    "SELECT n.name, n.id, k.key_id FROM namespaces n CROSS JOIN namespace_keys k "
    "WHERE k.namespace_id = n.id AND k.revoked_ms IS NULL AND n.name IN ($many)"
)
_SERVERS: Final = "SELECT name, id, latest_id, versions, first_ms, words FROM servers WHERE name IN ($many)"
_OFFERS: Final = "SELECT server_id, capability_id FROM offers WHERE until = 0 AND server_id IN ($many)"
_CAPABILITIES: Final = "SELECT digest, kind, id FROM capabilities WHERE digest IN ($many)"

_PLACES: Final = ", ".join(f"${number}" for number in range(1, 28))
_INSERTS: Final = {
    "servers": (
        "INSERT INTO servers (id, namespace_id, name, latest_id, versions, first_ms, title, description, "
        "needs_secret, words) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO UPDATE "
        "SET latest_id = excluded.latest_id, versions = excluded.versions, title = excluded.title, "
        "description = excluded.description, needs_secret = excluded.needs_secret, words = excluded.words"
    ),
    "versions": (
        "INSERT INTO versions (id, server_id, version, sequence, digest, content, published_ms, "  # noqa: S608
        "log_index, key_id, tools, prompts, resources, templates, low, medium, high, declared, "
        "parameters, required, secrets, required_secrets, predecessor, highest, info, safe, "
        f"moderate, critical) VALUES ({_PLACES})"
    ),
    "documents": (
        "INSERT INTO version_documents (version_id, body, signatures, drift) VALUES ($1, $2, $3, $4)"
    ),
    "capabilities": (
        "INSERT INTO capabilities (id, digest, kind, name, title, description, risk, reasons, servers) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0)"
    ),
    "definitions": "INSERT INTO definitions (capability_id, definition) VALUES ($1, $2)",
    "arguments": "INSERT INTO arguments (name, type, capability_id) VALUES ($1, $2, $3)",
    "annotations": "INSERT INTO annotations (name, value, capability_id) VALUES ($1, $2, $3)",
    "closed": ("UPDATE offers SET until = $3 WHERE capability_id = $1 AND server_id = $2 AND until = 0"),
    "opened": "INSERT INTO offers (capability_id, server_id, since, until) VALUES ($1, $2, $3, 0)",
    "counted": "UPDATE capabilities SET servers = servers + $2 WHERE id = $1",
}
_LEXEMES: Final = "array_to_tsvector(string_to_array($2, ' '))"
_WORDS: Final = {
    "sqlite": {
        "capability": "INSERT INTO capability_words (rowid, words) VALUES ($1, $2)",
        "old": "INSERT INTO server_words (server_words, rowid, words) VALUES ('delete', $1, $2)",
        "new": "INSERT INTO server_words (rowid, words) VALUES ($1, $2)",
    },
    "postgresql": {
        "capability": f"INSERT INTO capability_words (id, words) VALUES ($1, {_LEXEMES})",  # noqa: S608
        "old": "DELETE FROM server_words WHERE id = $1 AND $2::text IS NOT NULL",
        "new": f"INSERT INTO server_words (id, words) VALUES ($1, {_LEXEMES})",  # noqa: S608
    },
}


@dataclass(frozen=True, slots=True)
class Added:
    """A publication that is written, or was there before; the receipt follows when the log is sealed."""

    version: PublishedVersion
    is_new: bool


@dataclass(slots=True)
class _Present:
    """What is there of all that a batch speaks of, kept up to date while the batch is planned."""

    keys: dict[str, tuple[int, set[str]]] = field(default_factory=dict)
    servers: dict[str, Row] = field(default_factory=dict)
    versions: dict[tuple[int, str], PublishedVersion] = field(default_factory=dict)
    latest: dict[int, str] = field(default_factory=dict)
    offers: dict[int, set[int]] = field(default_factory=dict)
    capabilities: dict[tuple[bytes, int], int] = field(default_factory=dict)


class Batch:
    """Publications that are written together."""

    def __init__(self, database: Database, append: Append) -> None:
        """Nothing is read or written yet."""
        self._database = database
        self._append = append
        self._present = _Present()
        self._rows: dict[str, list[Sequence[Any]]] = {name: [] for name in (*_INSERTS, *_WORDS["sqlite"])}
        self._counts: dict[int, int] = {}

    async def write(self, publications: Sequence[Prepared]) -> list[Added | AvowError]:
        """Write what may be written; the answers are in the same order."""
        await self._read(publications)
        answers: list[Added | AvowError] = []
        for prepared in publications:
            try:
                answers.append(self._plan(prepared))
            except AvowError as error:
                answers.append(error)
        await self._store()
        return answers

    async def receipt(self, added: Added, sealed: Sealed) -> Receipt:
        """The answer to one publication, once the log is sealed."""
        index = added.version.log_index
        place = index - (self._append.size - len(self._append.entries))
        entry = self._append.entries[place] if place >= 0 else await log.entry(self._database, index)
        proof = await self._append.proof(index, sealed)
        return Receipt(added.version, entry, proof, sealed.checkpoint, added.is_new)

    async def _read(self, publications: Sequence[Prepared]) -> None:
        each, here = self._database.fetch_each, self._present
        for namespace, number, key in await each(_KEYS, {p.name.namespace for p in publications}):
            here.keys.setdefault(namespace, (number, set()))[1].add(key)
        for row in await each(_SERVERS, {str(p.name) for p in publications}):
            here.servers[row[0]] = tuple(row)
        servers = {row[1]: row for row in here.servers.values()}
        asked = {
            (here.servers[str(p.name)][1], p.version) for p in publications if str(p.name) in here.servers
        }
        if asked:
            await self._read_versions(asked)
            for row in await each(_VERSIONS + "v.id IN ($many)", {row[2] for row in servers.values()}):
                here.latest[here.servers[row[1]][1]] = row[2]
            for server, capability in await each(_OFFERS, servers):
                here.offers.setdefault(server, set()).add(capability)
        digests = {digest_bytes(digest) for p in publications for _, digest in p.offered}
        for digest, kind, number in await each(_CAPABILITIES, digests):
            here.capabilities[bytes(digest), kind] = number

    async def _read_versions(self, asked: set[tuple[int, str]]) -> None:
        for server, version in asked:
            sql = _VERSIONS + "v.server_id = $1 AND v.version = $2"
            for row in await self._database.fetch(sql, server, version):
                self._present.versions[server, version] = version_of(row)

    def _plan(self, prepared: Prepared) -> Added:
        namespace, keys = self._present.keys.get(prepared.name.namespace, (0, set()))
        if prepared.key not in keys:
            raise UntrustedKeyError(
                f"the key {prepared.key} does not belong to {prepared.name.namespace} any more"
            )
        server = self._present.servers.get(str(prepared.name))
        if server is not None and (there := self._present.versions.get((server[1], prepared.version))):
            return _same(there, prepared)
        if prepared.predecessor != (server[3] if server else 0):
            raise StaleError(f"another version of {prepared.name} was published at the same moment")
        self._check_known(prepared)
        return self._add(prepared, namespace, server)

    def _check_known(self, prepared: Prepared) -> None:
        fresh = {(capability.kind, capability.digest) for capability in prepared.fresh}
        for kind, digest in prepared.offered:
            known = (digest_bytes(digest), KINDS.index(kind)) in self._present.capabilities
            if not known and (kind, digest) not in fresh:
                raise StaleError(f"a capability of {prepared.name} is not stored any more")

    def _add(self, prepared: Prepared, namespace: int, server: Row | None) -> Added:
        append, here = self._append, self._present
        ms = append.time(prepared.published_at)
        index = append.add(
            PublicationEntry(
                time=rfc3339(ms),
                name=str(prepared.name),
                version=prepared.version,
                digest=prepared.digest,
                content=prepared.content,
                key=prepared.key,
            )
        )
        append.versions += 1
        if server is None:
            append.servers += 1
            server = (str(prepared.name), append.servers, 0, 0, ms, "")
        elif server[5]:
            self._rows["old"].append((server[2], server[5]))
        number, sequence = server[1], server[3] + 1
        before = here.latest.get(number)
        version = _version(prepared, append.versions, sequence, ms, index, before)
        secret = int(prepared.needs.required_secrets > 0)
        texts = (prepared.title, prepared.description, secret, prepared.words)
        here.servers[server[0]] = (server[0], number, version.id, sequence, server[4], prepared.words)
        self._rows["servers"].append((number, namespace, server[0], version.id, sequence, server[4], *texts))
        self._rows["new"].append((version.id, prepared.words))
        self._rows["versions"].append(_version_row(version, number))
        document = (version.id, prepared.body, prepared.signatures, prepared.drift_document)
        self._rows["documents"].append(document)
        here.versions[number, prepared.version], here.latest[number] = version, prepared.version
        self._offer(prepared, number, sequence)
        return Added(version, is_new=True)

    def _offer(self, prepared: Prepared, server: int, sequence: int) -> None:
        here = self._present
        for capability in prepared.fresh:
            key = (digest_bytes(capability.digest), KINDS.index(capability.kind))
            if key not in here.capabilities:
                self._append.capabilities += 1
                here.capabilities[key] = self._append.capabilities
                self._describe(self._append.capabilities, key, capability)
        offered = {
            here.capabilities[digest_bytes(digest), KINDS.index(kind)] for kind, digest in prepared.offered
        }
        before = here.offers.get(server, set())
        for number in sorted(before - offered):
            self._rows["closed"].append((number, server, sequence - 1))
            self._counts[number] = self._counts.get(number, 0) - 1
        for number in sorted(offered - before):
            self._rows["opened"].append((number, server, sequence))
            self._counts[number] = self._counts.get(number, 0) + 1
        here.offers[server] = offered

    def _describe(self, number: int, key: tuple[bytes, int], capability: PreparedCapability) -> None:
        texts = (capability.name, capability.title, capability.description)
        risk = (LEVELS.index(capability.risk), capability.reasons)
        self._rows["capabilities"].append((number, *key, *texts, *risk))
        self._rows["definitions"].append((number, capability.definition))
        self._rows["arguments"] += [(*each, number) for each in capability.arguments]
        self._rows["annotations"] += [(*each, number) for each in capability.annotations]
        self._rows["capability"].append((number, capability.words))

    async def _store(self) -> None:
        self._rows["counted"] = [(capability, by) for capability, by in sorted(self._counts.items()) if by]
        for name, sql in {**_INSERTS, **_WORDS[self._database.dialect]}.items():
            if rows := self._rows[name]:
                await self._database.run(sql, rows)


def _same(there: PublishedVersion, prepared: Prepared) -> Added:
    if there.content == prepared.content:
        return Added(there, is_new=False)
    raise ConflictError(
        f"{prepared.name} {prepared.version} has been published with another content",
        hint="a version is published once: give the new content a new version",
    )


def _version(
    prepared: Prepared, number: int, sequence: int, ms: int, index: int, before: str | None
) -> PublishedVersion:
    return PublishedVersion(
        id=number,
        name=prepared.name,
        version=prepared.version,
        sequence=sequence,
        digest=prepared.digest,
        content=prepared.content,
        published_at=moment(ms),
        log_index=index,
        key=prepared.key,
        counts=prepared.counts,
        needs=prepared.needs,
        predecessor=before,
        highest=prepared.highest,
        drift=prepared.drift,
    )


def _version_row(version: PublishedVersion, server: int) -> tuple[Any, ...]:
    counts, needs = version.counts, version.needs
    return (
        version.id,
        server,
        version.version,
        version.sequence,
        digest_bytes(version.digest),
        digest_bytes(version.content),
        milliseconds(version.published_at),
        version.log_index,
        version.key,
        *(counts.tools, counts.prompts, counts.resources, counts.templates),
        *(counts.low, counts.medium, counts.high),
        *(int(needs.declared), needs.parameters, needs.required, needs.secrets, needs.required_secrets),
        version.predecessor,
        SEVERITIES.index(version.highest) + 1 if version.highest else 0,
        *(version.drift.get(severity, 0) for severity in SEVERITIES),
    )

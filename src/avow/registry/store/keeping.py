"""What is kept about namespaces and people: questions and changes."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from avow.core.keys import KeyId, PublicKey
from avow.core.publication import ServerName, read_namespace
from avow.core.tlog.decisions import Decision, newest_of_each, same_person, standing
from avow.core.tlog.entry import ApprovalEntry, KeyEntry, NamespaceEntry
from avow.errors import MalformedInputError
from avow.registry.model import (
    Approval,
    ApprovalState,
    ConflictError,
    Environment,
    Namespace,
    NamespaceKey,
    NotFoundError,
    Page,
    PublishedVersion,
)
from avow.registry.store import seals
from avow.registry.store.database import Database, Row
from avow.registry.store.reading import END, page_limit
from avow.registry.store.rows import VERSION, cursor_of, digest_text, name_of, read_cursor, version_of
from avow.registry.store.sequencer import Append, moment, rfc3339

MAX_KEYS: Final = 20
"""How many keys may be active in a namespace: whoever verifies a publication may have to look at all."""

_NAMESPACES: Final = (
    "SELECT n.id, n.name, n.claimed_ms, k.key_id, k.raw, k.added_ms, k.revoked_ms "
    "FROM namespaces n CROSS JOIN namespace_keys k WHERE k.namespace_id = n.id"
)
_APPROVALS: Final = (
    "SELECT a.log_index, s.name, v.version, v.digest, a.environment, a.state, a.person, a.reason, a.at_ms, "
    "a.needed FROM approvals a CROSS JOIN servers s CROSS JOIN versions v "
    "WHERE s.id = a.server_id AND v.id = a.version_id"
)

# By whether somebody has decided about it: of what nobody has, only the newest version of a server is due.
_UNDECIDED: Final = {
    False: (
        f"SELECT {VERSION} FROM servers s CROSS JOIN versions v WHERE v.id = s.latest_id "  # noqa: S608
        "AND s.latest_id < $2 AND NOT EXISTS (SELECT 1 FROM standings d WHERE d.version_id = s.latest_id "
        "AND d.environment = $1) ORDER BY s.latest_id DESC LIMIT $3"
    ),
    True: (
        f"SELECT {VERSION} FROM standings d CROSS JOIN versions v CROSS JOIN servers s "  # noqa: S608
        "WHERE d.environment = $1 AND d.state = 'pending' AND d.version_id < $2 AND v.id = d.version_id "
        "AND s.id = v.server_id ORDER BY d.version_id DESC LIMIT $3"
    ),
}


async def namespace(database: Database, name: str) -> Namespace | None:
    """One namespace."""
    found = _namespaces(await database.fetch(f"{_NAMESPACES} AND n.name = $1", name))
    return found[0] if found else None


async def namespaces(database: Database, cursor: str | None, limit: int) -> Page[Namespace]:
    """All namespaces, in the order in which they were claimed."""
    (after,) = read_cursor(cursor, (0,))
    limit = page_limit(limit)
    rows = await database.fetch(
        "SELECT id FROM namespaces WHERE id > $1 ORDER BY id LIMIT $2", after, limit + 1
    )
    numbers = [row[0] for row in rows[:limit]]
    found = await database.fetch_each(f"{_NAMESPACES} AND n.id IN ($many)", numbers)
    return Page(_namespaces(found), cursor_of(numbers[-1]) if len(rows) > limit else None)


def _namespaces(rows: Sequence[Row]) -> tuple[Namespace, ...]:
    found: dict[int, tuple[Row, list[NamespaceKey]]] = {}
    for row in sorted(rows, key=lambda row: (row[0], row[5], row[3])):
        revoked = moment(row[6]) if row[6] is not None else None
        key = NamespaceKey(PublicKey(bytes(row[4])), moment(row[5]), revoked)
        found.setdefault(row[0], (row, []))[1].append(key)
    return tuple(Namespace(row[1], moment(row[2]), tuple(keys)) for row, keys in found.values())


async def claim(
    database: Database, append: Append, name: str, key: PublicKey, by: str, at: datetime
) -> Namespace:
    """Give a namespace that nobody has to a key."""
    read_namespace(name)
    if await namespace(database, name) is not None:
        raise ConflictError(f"{name} has been claimed", hint="its keys can be changed by who has them")
    ms = append.time(at)
    append.add(NamespaceEntry(time=rfc3339(ms), namespace=name, key=key.identifier, by=by))
    append.namespaces += 1
    row = (append.namespaces, name, ms)
    await database.run("INSERT INTO namespaces (id, name, claimed_ms) VALUES ($1, $2, $3)", [row])
    await _add_keys(database, append.namespaces, [key], ms)
    return Namespace(name, moment(ms), (NamespaceKey(key, moment(ms)),))


async def change_keys(
    database: Database,
    append: Append,
    name: str,
    by: str,
    at: datetime,
    add: Sequence[PublicKey],
    revoke: Sequence[KeyId],
) -> Namespace:
    """Add and revoke keys at once; a key whose word it is has to be active still."""
    there = await namespace(database, name)
    if there is None:
        raise NotFoundError(f"nobody has claimed {name[:80]!r}", hint="an administrator's token claims it")
    known = {each.key.identifier for each in there.keys}
    active = {key.identifier for key in there.active}
    if by in known - active:
        raise ConflictError(f"the key {by} was revoked meanwhile", hint="sign with a key that is active")
    if unknown := [key for key in revoke if key not in active]:
        raise NotFoundError(f"{name} has no active key {unknown[0][:80]}")
    if again := [key.identifier for key in add if key.identifier in known]:
        raise ConflictError(f"{name} has had the key {again[0]} before", hint="make a new one: avow keygen")
    if not (active - {*revoke}) and not add:
        raise ConflictError(f"{name} would be left without a key", hint="add the new key at the same time")
    if len((active - {*revoke}) | {key.identifier for key in add}) > MAX_KEYS:
        raise ConflictError(f"{name} would have more than {MAX_KEYS} keys", hint="revoke those not in use")
    ms = append.time(at)
    added = tuple(dict.fromkeys(key.identifier for key in add))
    revoked = tuple(dict.fromkeys(revoke))
    append.add(KeyEntry(time=rfc3339(ms), namespace=name, added=added, revoked=revoked, by=by))
    (row,) = await database.fetch("SELECT id FROM namespaces WHERE name = $1", name)
    await _add_keys(database, row[0], list(dict.fromkeys(add)), ms)
    sql = "UPDATE namespace_keys SET revoked_ms = $3 WHERE namespace_id = $1 AND key_id = $2"
    await database.run(sql, [(row[0], key, ms) for key in revoked])
    after = await namespace(database, name)
    assert after is not None
    return after


async def _add_keys(database: Database, number: int, keys: Sequence[PublicKey], ms: int) -> None:
    sql = "INSERT INTO namespace_keys (namespace_id, key_id, raw, added_ms) VALUES ($1, $2, $3, $4)"
    await database.run(sql, [(number, key.identifier, key.raw, ms) for key in keys])


async def decide(database: Database, append: Append, approval: Approval) -> Approval:
    """Record a decision."""
    if "\0" in f"{approval.environment}{approval.by}{approval.reason}":
        raise MalformedInputError("a decision cannot hold the character U+0000")
    sql = (
        "SELECT s.id, v.id, v.digest FROM servers s CROSS JOIN versions v "
        "WHERE s.name = $1 AND v.server_id = s.id AND v.version = $2"
    )
    rows = await database.fetch(sql, str(approval.name), approval.version)
    if not rows:
        raise NotFoundError(f"{approval.name} {approval.version[:80]} has not been published here")
    server, version, digest = rows[0]
    if digest_text(digest) != approval.digest:
        raise ConflictError(f"{approval.name} {approval.version} has the digest {digest_text(digest)}")
    known = {each.name: each.needed for each in await environments(database)}
    needed = known.get(approval.environment, 1)
    ms = append.time(approval.at)
    index = append.add(
        ApprovalEntry(
            time=rfc3339(ms),
            name=str(approval.name),
            version=approval.version,
            digest=approval.digest,
            environment=approval.environment,
            state=str(approval.state),
            needed=needed,
            by=approval.by,
            reason=approval.reason,
        )
    )
    sql = (
        "INSERT INTO approvals (log_index, server_id, version_id, environment, state, person, reason, at_ms, "
        "needed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
    )
    words = (approval.environment, str(approval.state), approval.by, approval.reason)
    await database.run(sql, [(index, server, version, *words, ms, needed)])
    await _stand(database, version, approval.environment)
    if approval.environment not in known:
        await set_environment(database, append, Environment(approval.environment, needed))
    return _approval((index, str(approval.name), approval.version, digest, *words, ms, needed))


async def decide_once(database: Database, append: Append, approval: Approval) -> Approval | None:
    """Record a decision that says something new; only here, where nobody else writes, can that be known."""
    sql = (
        "SELECT a.person, a.state, a.reason, a.needed FROM servers s CROSS JOIN versions v "
        "CROSS JOIN approvals a WHERE s.name = $1 AND v.server_id = s.id AND v.version = $2 "
        "AND a.version_id = v.id AND a.environment = $3 ORDER BY a.log_index"
    )
    made = await database.fetch(sql, str(approval.name), approval.version, approval.environment)
    last = newest_of_each(made, lambda row: str(row[0])).get(same_person(approval.by))
    if last is None:
        # Who has not decided has nothing to take back.
        is_new = approval.state is not ApprovalState.PENDING
    else:
        known = {each.name: each.needed for each in await environments(database)}
        now = (str(approval.state), approval.reason, known.get(approval.environment, 1))
        is_new = (last[1], last[2], made[-1][3]) != now
    return await decide(database, append, approval) if is_new else None


async def _stand(database: Database, version: int, environment: str) -> None:
    """Write down what all decisions about a version come to, so that what is due can be listed."""
    sql = (
        "SELECT person, state, needed FROM approvals WHERE version_id = $1 AND environment = $2 "
        "ORDER BY log_index"
    )
    state = standing(Decision(*row) for row in await database.fetch(sql, version, environment))
    sql = (
        "INSERT INTO standings (version_id, environment, state) VALUES ($1, $2, $3) "
        "ON CONFLICT (version_id, environment) DO UPDATE SET state = excluded.state"
    )
    await database.run(sql, [(version, environment, state)])


def _approval(row: Row) -> Approval:
    index, name, version, digest, environment, state, person, reason, ms, needed = row
    about = (name_of(name), version, digest_text(digest), environment)
    return Approval(*about, ApprovalState(state), person, reason, moment(ms), index, needed)


async def approvals(
    database: Database, name: ServerName, version: str | None, environment: str | None
) -> tuple[Approval, ...]:
    """Every decision about a server."""
    rows = await database.fetch(f"{_APPROVALS} AND s.name = $1 ORDER BY a.log_index", str(name))
    found = [_approval(row) for row in rows]
    return tuple(
        each for each in found if version in (None, each.version) and environment in (None, each.environment)
    )


async def undecided(
    database: Database, environment: str, cursor: str | None, limit: int, begun: bool | None = None
) -> Page[PublishedVersion]:
    """What is to be decided: what nobody has decided about, what not enough people have, or both."""
    (before,) = read_cursor(cursor, (END,))
    limit = page_limit(limit)
    rows = [
        version_of(row)
        for is_begun, sql in _UNDECIDED.items()
        if begun in (None, is_begun)
        for row in await database.fetch(sql, environment, before, limit + 1)
    ]
    found = sorted(rows, key=lambda each: each.id, reverse=True)
    return Page(tuple(found[:limit]), cursor_of(found[limit - 1].id) if len(found) > limit else None)


async def environments(database: Database) -> tuple[Environment, ...]:
    """All environments, by name."""
    rows = await database.fetch("SELECT name, needed FROM environments")
    return tuple(Environment(name, needed) for name, needed in sorted(tuple(row) for row in rows))


async def set_environment(database: Database, append: Append, environment: Environment) -> None:
    """Set up an environment."""
    sql = (
        "INSERT INTO environments (name, needed) VALUES ($1, $2) "
        "ON CONFLICT (name) DO UPDATE SET needed = excluded.needed"
    )
    async with seals.changing(database, append.sealing_key, "environments", [environment.name]):
        await database.run(sql, [(environment.name, environment.needed)])

"""Tokens, watches and webhooks: questions and changes; the key of the log seals what it does not record."""

import json
from datetime import datetime
from typing import Any, Final

from avow.core.severity import Severity
from avow.registry.model import ConflictError, Role, Token, Watch, Webhook
from avow.registry.store import seals
from avow.registry.store.database import Database, Row
from avow.registry.store.sequencer import Append, milliseconds, moment

_TOKENS: Final = "SELECT id, role, person, hashed, created_ms, revoked_ms FROM tokens"
_WATCHES: Final = "SELECT id, person, target, level, created_ms FROM watches"
_WEBHOOK: Final = (
    "id, person, url, secret, targets, level, created_ms, position, attempts, next_attempt_ms, last_error"
)
_WEBHOOKS: Final = f"SELECT {_WEBHOOK} FROM webhooks"  # noqa: S608
_MAX_ERROR: Final = 500


async def add_token(database: Database, append: Append, token: Token) -> None:
    """Remember a token."""
    if await find_token(database, token.id) is not None:
        raise ConflictError("there is a token with this identifier")
    sql = "INSERT INTO tokens (id, role, person, hashed, created_ms) VALUES ($1, $2, $3, $4, $5)"
    row = (token.id, str(token.role), token.person, token.hashed, milliseconds(token.created_at))
    async with seals.changing(database, append.sealing_key, "tokens", [token.id]):
        await database.run(sql, [row])


async def add_first_token(database: Database, append: Append, token: Token) -> bool:
    """Remember a token where there is none; only one process writes at a time, so nobody is faster."""
    if await tokens(database):
        return False
    await add_token(database, append, token)
    return True


async def find_token(database: Database, identifier: str) -> Token | None:
    """One token."""
    rows = await database.fetch(f"{_TOKENS} WHERE id = $1", identifier)
    return _token(rows[0]) if rows else None


async def tokens(database: Database) -> tuple[Token, ...]:
    """All tokens, oldest first."""
    return tuple(_token(row) for row in await database.fetch(f"{_TOKENS} ORDER BY created_ms, id"))


def _token(row: Row) -> Token:
    identifier, role, person, hashed, created_ms, revoked_ms = row
    revoked = moment(revoked_ms) if revoked_ms is not None else None
    return Token(identifier, Role(role), person, bytes(hashed), moment(created_ms), revoked)


async def revoke_token(database: Database, append: Append, identifier: str, at: datetime) -> bool:
    """End a token; one that has ended keeps the time when it did."""
    if await find_token(database, identifier) is None:
        return False
    sql = "UPDATE tokens SET revoked_ms = $2 WHERE id = $1 AND revoked_ms IS NULL"
    async with seals.changing(database, append.sealing_key, "tokens", [identifier]):
        await database.run(sql, [(identifier, milliseconds(at))])
    return True


async def add_watch(database: Database, append: Append, watch: Watch) -> None:
    """Remember a wish."""
    sql = "INSERT INTO watches (id, person, target, level, created_ms) VALUES ($1, $2, $3, $4, $5)"
    row = (watch.id, watch.person, watch.target, str(watch.level), milliseconds(watch.created_at))
    async with seals.changing(database, append.sealing_key, "watches", [watch.id]):
        await database.run(sql, [row])


async def watches(database: Database, person: str | None) -> tuple[Watch, ...]:
    """The wishes of one person, or of everybody."""
    chosen, values = ("", ()) if person is None else ("WHERE person = $1", (person,))
    rows = await database.fetch(f"{_WATCHES} {chosen} ORDER BY created_ms, id", *values)
    return tuple(Watch(row[0], row[1], row[2], Severity(row[3]), moment(row[4])) for row in rows)


async def remove_watch(database: Database, append: Append, identifier: str) -> bool:
    """Forget a wish."""
    found = await database.fetch("SELECT 1 FROM watches WHERE id = $1", identifier)
    async with seals.changing(database, append.sealing_key, "watches", [identifier]):
        await database.run("DELETE FROM watches WHERE id = $1", [(identifier,)])
    return bool(found)


async def add_webhook(database: Database, append: Append, webhook: Webhook) -> None:
    """Remember a webhook."""
    sql = (
        f"INSERT INTO webhooks ({_WEBHOOK}, leased_ms) "  # noqa: S608
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0)"
    )
    targets = json.dumps(webhook.targets)
    texts = (webhook.id, webhook.person, webhook.url, webhook.secret, targets, str(webhook.level))
    times = (
        milliseconds(webhook.created_at),
        webhook.position,
        webhook.attempts,
        _due(webhook.next_attempt_at),
    )
    async with seals.changing(database, append.sealing_key, "webhooks", [webhook.id]):
        await database.run(sql, [(*texts, *times, webhook.last_error[:_MAX_ERROR])])


def _due(at: datetime | None) -> int:
    return milliseconds(at) if at is not None else 0


async def webhooks(database: Database, person: str | None) -> tuple[Webhook, ...]:
    """Webhooks, oldest first."""
    rows = await database.fetch(f"{_WEBHOOKS} ORDER BY created_ms, id")
    return tuple(_webhook(row) for row in rows if person in (None, row[1]))


def _webhook(row: Row) -> Webhook:
    values: list[Any] = list(row)
    values[3], values[4] = bytes(row[3]), tuple(json.loads(row[4]))
    values[5], values[6] = Severity(row[5]), moment(row[6])
    values[9] = moment(row[9]) if row[9] else None
    return Webhook(*values)


async def lease_webhooks(
    database: Database, append: Append, now: datetime, until: datetime, limit: int
) -> tuple[Webhook, ...]:
    """Webhooks with something to be told, for one teller only; without the log's key nobody tells."""
    if not append.has_key:
        return ()
    at = milliseconds(now)
    sql = (
        f"{_WEBHOOKS} WHERE leased_ms <= $1 AND next_attempt_ms <= $1 "  # noqa: S608
        "AND position < (SELECT versions FROM registry_log WHERE one = 1) "
        "ORDER BY next_attempt_ms, id LIMIT $2"
    )
    found = tuple(_webhook(row) for row in await database.fetch(sql, at, limit))
    leases = [(each.id, milliseconds(until)) for each in found]
    if found:
        leased = [each.id for each in found]
        async with seals.changing(database, append.sealing_key, "webhooks", leased, is_delivery=True):
            await database.run("UPDATE webhooks SET leased_ms = $2 WHERE id = $1", leases)
    return found


async def settle_webhook(
    database: Database,
    append: Append,
    identifier: str,
    position: int,
    attempts: int,
    next_attempt_at: datetime | None,
    error: str,
) -> None:
    """Say how telling went, and end the lease."""
    sql = (
        "UPDATE webhooks SET position = $2, attempts = $3, next_attempt_ms = $4, last_error = $5, "
        "leased_ms = 0 WHERE id = $1"
    )
    row = (identifier, position, attempts, _due(next_attempt_at), error[:_MAX_ERROR])
    async with seals.changing(database, append.sealing_key, "webhooks", [identifier], is_delivery=True):
        await database.run(sql, [row])


async def remove_webhook(database: Database, append: Append, identifier: str) -> bool:
    """Forget a webhook."""
    found = await database.fetch("SELECT 1 FROM webhooks WHERE id = $1", identifier)
    async with seals.changing(database, append.sealing_key, "webhooks", [identifier]):
        await database.run("DELETE FROM webhooks WHERE id = $1", [(identifier,)])
    return bool(found)

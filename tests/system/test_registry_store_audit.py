"""A store is a function of its log: whatever is changed behind its back is found."""

import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

from avow.core.publication import ServerName
from avow.core.severity import Severity
from avow.registry.auditing import audit
from avow.registry.model import Approval, ApprovalState, Role, Token, Watch, Webhook
from avow.registry.publishing import publish
from avow.registry.store.base import SqlStore
from avow.registry.store.interface import Store
from avow.registry.store.opening import open_store
from registry_samples import (
    FILES,
    KEY,
    NAMESPACE,
    NOW,
    OTHER_KEY,
    READ,
    SIGNER,
    WRITE,
    claimed,
    envelope,
    snapshot,
    tool,
)
from registry_stores import *  # noqa: F403  fixtures

pytestmark = pytest.mark.anyio


async def problems(store: Store) -> list[str]:
    assert isinstance(store, SqlStore)
    return [each async for each in audit(store, SIGNER.verifier())]


async def story(store: Store) -> None:
    """A little of everything that a registry records."""
    other = ServerName(NAMESPACE, "other")
    await publish(store, envelope(snapshot(READ), "1"), NOW)
    await publish(store, envelope(snapshot(READ, WRITE), "2"), NOW)
    await publish(store, envelope(snapshot(WRITE, prompts=[{"name": "ask"}]), "1", other), NOW)
    found = await store.version(FILES, "2")
    assert found is not None
    state = ApprovalState.APPROVED
    await store.decide(Approval(FILES, "2", found.digest, "production", state, "ann", "fine", NOW))
    revoke = [KEY.public.identifier]
    await store.change_keys(NAMESPACE, "admin", NOW, add=[OTHER_KEY.public], revoke=revoke)
    await publish(store, envelope(snapshot(tool("x", when="string")), "3", key=OTHER_KEY), NOW)
    await store.add_token(Token("abc", Role.READ, "ann", b"hash", NOW))
    await store.add_watch(Watch("w1", "ann", str(FILES), Severity.MODERATE, NOW))
    await store.add_webhook(
        Webhook("h1", "ann", "https://x.example/", b"secret", (str(FILES),), Severity.SAFE, NOW)
    )


async def test_a_good_store_has_no_problems(store: Store) -> None:
    """In either database: computed again, it is the same to the last row."""
    await story(store)
    assert await problems(store) == []


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM log_entries WHERE number = 2",
        "DELETE FROM versions WHERE id = 2",
        "DELETE FROM version_documents WHERE version_id = 1",
        "DELETE FROM offers WHERE capability_id = 1",
        "DELETE FROM approvals",
        "DELETE FROM namespace_keys",
        "DELETE FROM log_checkpoints",
        "DELETE FROM log_nodes WHERE place = 3",
        "INSERT INTO log_entries VALUES (99, x'00')",
        "INSERT INTO arguments VALUES ('hidden', 'string', 1)",
        "UPDATE log_checkpoints SET size = size + 1 WHERE size = (SELECT max(size) FROM log_checkpoints)",
        "UPDATE namespace_keys SET raw = zeroblob(32)",
        "UPDATE approvals SET state = 'rejected'",
        "UPDATE log_checkpoints SET root = zeroblob(32) WHERE size = 2",
        "UPDATE registry_log SET last_ms = last_ms + 1",
        "UPDATE tokens SET role = 'administer'",
        "UPDATE environments SET needed = 0",
        "UPDATE watches SET level = 'critical'",
        "UPDATE webhooks SET position = 9",
        "DELETE FROM webhooks",
        "DELETE FROM table_seals",
        "INSERT INTO capability_words (rowid, words) VALUES (1, 'forged')",
        "DELETE FROM server_words_idx",
        "DROP INDEX offers_by_server",
    ],
)
async def test_rows_that_are_missing_or_too_many_are_found(tmp_path: Path, statement: str) -> None:
    """Nobody can take a version out of the history, or put one in beside the log."""
    path = tmp_path / "registry.db"
    store = await claimed(await open_store(f"sqlite:///{path}", SIGNER))
    try:
        await story(store)
        with sqlite3.connect(path) as connection:
            connection.execute(statement)
        connection.close()
        assert await problems(store)
    finally:
        await store.close()


async def test_a_change_does_not_seal_what_somebody_else_changed(tmp_path: Path) -> None:
    """A token that was made more powerful stays conspicuous when it is revoked, a webhook when it is told."""
    path = tmp_path / "registry.db"
    store = await claimed(await open_store(f"sqlite:///{path}", SIGNER))
    try:
        await story(store)
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE tokens SET person = 'eve'")
            connection.execute("UPDATE webhooks SET url = 'https://eve.example/'")
        connection.close()
        await store.revoke_token("abc", NOW)
        await store.lease_webhooks(NOW, NOW + timedelta(minutes=1))
        await store.settle_webhook("h1", position=1, attempts=0, next_attempt_at=None)
        assert [each.partition(":")[0] for each in await problems(store)] == ["tokens", "webhooks"]
    finally:
        await store.close()

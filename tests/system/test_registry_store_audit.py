"""A store is a function of its log: whatever is changed behind its back is found."""

import sqlite3
from pathlib import Path

import pytest

from avow.core.publication import ServerName
from avow.registry.auditing import audit
from avow.registry.model import Approval, ApprovalState
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

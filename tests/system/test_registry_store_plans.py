"""The hot questions are answered from indexes: one that is missing turns milliseconds into minutes."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from avow.core.canonical import Digest
from avow.core.capability import Capability, Kind
from avow.core.risk import Level
from avow.core.severity import Severity
from avow.core.tlog.tree import nodes_of_inclusion
from avow.registry.model import Search
from avow.registry.store import adding, contents, keeping, log, reading, searching, standing, telling
from avow.registry.store import postgres as postgres_module
from avow.registry.store.database import Database, Row, at_once
from avow.registry.store.opening import open_store
from avow.registry.store.postgres import PostgresDatabase
from avow.registry.store.sqlite import SqliteDatabase
from registry_postgres import Postgres
from registry_samples import FILES, NAMESPACE, READ, SIGNER
from registry_stores import *  # noqa: F403  fixtures

DIGEST = Digest("sha256:" + "ab" * 32)
SEARCHES = {
    "tool": Search(tool="read_file"),
    "argument": Search(argument="path", argument_type="string"),
    "argument of any type": Search(argument="path"),
    "annotation": Search(annotation=("readOnlyHint", "true")),
    "risk": Search(risk=Level.HIGH),
    "kind": Search(kind=Kind.PROMPT),
    "risk and kind": Search(risk=Level.LOW, kind=Kind.TOOL),
    "words": Search(text="word7 word9"),
    "words and argument": Search(text="word7", argument="path", argument_type="string", risk=Level.HIGH),
    "argument without secrets": Search(argument="path", argument_type="string", needs_no_secret=True),
    "everything": Search(),
    "namespace": Search(tool="read_file", namespace=NAMESPACE),
}


async def _search(search: Search, database: Database) -> Any:
    return await searching.search(database, search, None, 50)


Question = Callable[[Database], Awaitable[Any]]
QUESTIONS: dict[str, Question] = {
    **{f"search by {name}": partial(_search, search) for name, search in SEARCHES.items()},
    "facets": lambda database: searching.facets(database, SEARCHES["tool"]),
    "next page": lambda database: searching.search(database, SEARCHES["argument"], "MTAwMA", 50),
    "capability": lambda database: searching.capability(database, DIGEST),
    "holders": lambda database: searching.holders(database, DIGEST, None, 50),
    "digests that begin so": lambda database: searching.digests(database, "ab" * 6, 10),
    "approved versions of a server": lambda database: standing.approved(database, FILES),
    "candidates": lambda database: searching.candidates(database, [(Kind.TOOL, "read_file")], None, 50),
    "server": lambda database: reading.server(database, FILES),
    "servers": lambda database: reading.servers(database, "", None, None, 50),
    "servers of a namespace": lambda database: reading.servers(database, "", NAMESPACE, None, 50),
    "servers by words": lambda database: reading.servers(database, "word7", None, None, 50),
    "version": lambda database: reading.version(database, FILES, "1.0.0"),
    "versions": lambda database: reading.versions(database, FILES, None, 50),
    "drifts": lambda database: reading.drifts(database, FILES, ["1.0.0"]),
    "changes": lambda database: reading.changes(database, 5, 50, (), Severity.MODERATE),
    "changes of a server": lambda database: reading.changes(database, 5, 50, (str(FILES),), None),
    "changes of a namespace": lambda database: reading.changes(database, 5, 50, (f"{NAMESPACE}/*",), None),
    "recent": lambda database: reading.recent(database, None, None, 50),
    "recent of a server": lambda database: reading.recent(database, Severity.SAFE, None, 50, str(FILES)),
    "recent of a namespace": lambda database: reading.recent(database, None, None, 50, f"{NAMESPACE}/*"),
    "recent at a level": lambda database: reading.recent(database, Severity.MODERATE, None, 50),
    "payload": lambda database: contents.payload(database, FILES, "1.0.0"),
    "basis": lambda database: contents.basis(database, FILES),
    "offered": lambda database: contents.offered(database, [7, 9], [Capability.read(Kind.TOOL, READ)]),
    "nodes of a proof": lambda database: log.nodes(database, nodes_of_inclusion(77, 1000)),
    "entries": lambda database: log.entries(database, 0, 256),
    "checkpoint": lambda database: log.checkpoint(database),
    "approvals": lambda database: keeping.approvals(database, FILES, None, None),
    "undecided": lambda database: keeping.undecided(database, "production", None, 50),
    "begun": lambda database: keeping.undecided(database, "production", None, 50, True),
    "drifts of versions": lambda database: contents.drifts_of(database, [90_007, 90_009]),
    "usable": lambda database: standing.usable(database, "production", None, 50),
    "decided": lambda database: standing.decided(database, [7, 9]),
    "token": lambda database: telling.find_token(database, "abc"),
}
# What every publication asks, with a few values in the place of many.
WRITING = (adding._KEYS, adding._SERVERS, adding._OFFERS, adding._CAPABILITIES)
SMALL = ("registry_log", "environments")


# What leads in SQLite, which has no figures to choose by: it has to be the most telling of what was asked.
LEADING = {
    "search by tool": "capabilities_by_name",
    "search by namespace": "capabilities_by_name",
    "search by argument": "SEARCH arguments USING PRIMARY KEY (name=? AND type=? AND capability_id<?)",
    "search by annotation": "SEARCH annotations USING PRIMARY KEY (name=? AND value=? AND capability_id<?)",
    "search by risk and kind": "capabilities_by_risk",
    "search by kind": "capabilities_by_kind",
    "search by words and argument": "VIRTUAL TABLE INDEX",
    "candidates": "capabilities_by_name",
    "servers": "servers_by_change",
    "servers of a namespace": "servers_by_namespace",
    "changes of a server": "versions_in_order",
    "changes of a namespace": "servers_by_namespace",
    "recent at a level": "versions_by_severity",
    "recent of a server": "versions_in_order",
    "recent of a namespace": "servers_by_namespace",
    "holders": "versions_by_digest",
    "versions": "versions_in_order",
    "begun": "standings_by_state",
    "usable": "standings_by_state",
}
_OF_SQLITE = {"versions_in_order": "sqlite_autoindex_versions_2"}


class Asked:
    """A database that remembers what it was asked."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.dialect = database.dialect
        self.questions: list[tuple[str, tuple[Any, ...]]] = []

    async def fetch(self, sql: str, *values: Any) -> Sequence[Row]:
        self.questions.append((sql, values))
        return await self._database.fetch(sql, *values)

    async def fetch_each(self, sql: str, wanted: Iterable[Any]) -> Sequence[Row]:
        values = list(wanted)
        if values and self.dialect == "postgresql":
            self.questions.append((sql.replace("IN ($many)", "= ANY($1)"), (values,)))
        elif values:
            places = ", ".join(f"${place}" for place in range(1, len(values) + 1))
            self.questions.append((sql.replace("$many", places), tuple(values)))
        return await self._database.fetch_each(sql, values)

    async def run(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        raise AssertionError("a question changes nothing")


FILL = """
INSERT INTO namespaces SELECT n, 'io.github.n' || n, 0 FROM numbers WHERE n <= 3000;
INSERT INTO namespaces VALUES (5000, 'io.github.owner', 0);
INSERT INTO namespace_keys SELECT n, 'sha256:' || n, CONTENT, 0, NULL FROM numbers WHERE n <= 3000;
INSERT INTO version_documents SELECT n, CONTENT, CONTENT, CONTENT FROM numbers WHERE n <= 20000;
INSERT INTO servers
  SELECT n, 1 + n % 3000, 'io.github.owner/s' || n, n * 5, 5, 0, '', '', n % 2, 'word' || (n % 100)
  FROM numbers WHERE n <= 4000;
INSERT INTO servers VALUES (5000, 1, 'io.github.owner/files', 25000, 1, 0, '', '', 0, '');
INSERT INTO versions SELECT n, 1 + (n - 1) / 5, '1.' || (n % 5), 1 + n % 5, DIGEST, CONTENT, 0, n, 'k', NULL,
  1,1,1,1, 1,1,1, 0,0,0,0,0, n % 5, 0,0,0,0 FROM numbers WHERE n <= 20000;
INSERT INTO versions SELECT 25000, 5000, '1.0.0', 1, DIGEST, CONTENT, 0, 0, 'k', NULL,
  1,1,1,1, 1,1,1, 0,0,0,0,0, 0, 0,0,0,0 FROM numbers WHERE n = 25000;
INSERT INTO capabilities SELECT n, DIGEST, n % 50 / 48, 'tool' || (n % 3000), '', '', n % 3, '[]', n % 4
  FROM numbers WHERE n <= 20000;
INSERT INTO definitions SELECT n, CONTENT FROM numbers WHERE n <= 20000;
INSERT INTO arguments SELECT CASE n % 7 WHEN 0 THEN 'path' ELSE 'argument' || (n % 60) END, t.type, n
  FROM numbers CROSS JOIN (SELECT 'string' AS type UNION SELECT '' UNION SELECT 'integer') t WHERE n <= 20000;
INSERT INTO annotations SELECT 'readOnlyHint', CASE n % 3 WHEN 0 THEN 'true' ELSE 'false' END, n
  FROM numbers WHERE n <= 20000;
INSERT INTO annotations SELECT 'other' || (n % 40), 'true', n FROM numbers WHERE n <= 20000;
INSERT INTO offers SELECT n, 1 + n % 4000, 1, n % 2 FROM numbers WHERE n <= 20000;
INSERT INTO log_entries SELECT n - 1, CONTENT FROM numbers WHERE n <= 20000;
INSERT INTO log_nodes SELECT n - 1, CONTENT FROM numbers WHERE n <= 40000;
INSERT INTO log_checkpoints SELECT n, CONTENT, CONTENT FROM numbers WHERE n <= 20000;
INSERT INTO approvals SELECT n, 1 + n % 4000, n, 'production',
  CASE n % 3 WHEN 0 THEN 'approved' ELSE 'rejected' END, 'ann', '', 0, 1 FROM numbers WHERE n <= 2000;
INSERT INTO standings SELECT n, 'production', CASE n % 3 WHEN 0 THEN 'approved' ELSE 'pending' END
  FROM numbers WHERE n <= 2000;
INSERT INTO tokens SELECT 't' || n, 'read', 'ann', '', 0, NULL, '' FROM numbers WHERE n <= 5000;
"""
WORDS = {
    "sqlite": """
INSERT INTO capability_words (rowid, words) SELECT n, 'word' || (n % 100) || ' word' || (n % 77) FROM numbers
  WHERE n <= 20000;
INSERT INTO server_words (rowid, words) SELECT n * 5, 'word' || (n % 100) FROM numbers WHERE n <= 4000;
""",
    "postgresql": """
INSERT INTO capability_words
  SELECT n, array_to_tsvector(ARRAY['word' || (n % 100), 'w' || (n % 77)]) FROM numbers
  WHERE n <= 20000;
INSERT INTO server_words SELECT n * 5, array_to_tsvector(ARRAY['word' || (n % 100)]) FROM numbers
  WHERE n <= 4000;
""",
}
MANY = """
CREATE TEMP TABLE numbers AS
  WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 40000) SELECT n FROM c;
"""
# Thirty-two bytes that are different in every row.
BYTES = {
    "sqlite": "CAST(printf('%032d', n) AS BLOB)",
    "postgresql": "convert_to(lpad(n::text, 32, '0'), 'UTF8')",
}


def filled(dialect: str) -> str:
    """Tables of a middling registry, without publishing anything."""
    text = f"{MANY}{FILL}{WORDS[dialect]}"
    return text.replace("DIGEST", BYTES[dialect]).replace("CONTENT", BYTES[dialect])


@pytest.fixture(scope="module")
def sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plans") / "registry.db"
    asyncio.run(_created(f"sqlite:///{path}"))
    with sqlite3.connect(path) as connection:
        connection.executescript(filled("sqlite"))
    connection.close()
    return path


async def _created(address: str) -> None:
    store = await open_store(address, SIGNER)
    await store.close()


@pytest.mark.parametrize("name", QUESTIONS)
def test_sqlite_looks_things_up(name: str, sqlite_file: Path) -> None:
    """No table is read through, and nothing is sorted that an index has in order."""
    connection = sqlite3.connect(sqlite_file)
    asked = Asked(SqliteDatabase(connection))
    at_once(_ask(QUESTIONS[name], asked))
    try:
        assert asked.questions
        plans = [assert_looked_up(connection, sql, values) for sql, values in asked.questions]
        leading = LEADING.get(name, "")
        assert any(_OF_SQLITE.get(leading, leading) in plan for plan in plans), plans
    finally:
        connection.close()


def assert_looked_up(connection: sqlite3.Connection, sql: str, values: tuple[Any, ...]) -> str:
    spelled = sql.replace("$", "?")
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {spelled}", values)]
    for line in plan:
        is_small = any(table in line for table in SMALL) or "VIRTUAL TABLE INDEX" in line
        # The derived table of counts, and a walk along an index from its end that stops at the limit.
        is_walk = line.startswith("SCAN") and ("hits" in line or " USING " in line or "ORDER BY" in sql)
        assert not line.startswith("SCAN") or is_small or is_walk, (sql, plan)
        # Facets are few, and so is what a bounded number of servers has published.
        is_few = "GROUP BY kind, " in sql or "s.namespace_id = (SELECT" in sql
        assert "TEMP B-TREE" not in line or is_few, (sql, plan)
    return "\n".join(plan)


@pytest.mark.parametrize("sql", WRITING)
def test_what_a_publication_asks_is_looked_up(sql: str, sqlite_file: Path) -> None:
    """Publishing does not become slower with what is there."""
    connection = sqlite3.connect(sqlite_file)
    try:
        assert_looked_up(connection, sql.replace("$many", "$1, $2"), ("a", "b"))
    finally:
        connection.close()


async def _ask(question: Question, asked: Asked) -> None:
    await question(asked)


@pytest.fixture(scope="module")
def postgres_address(postgres: Postgres) -> str:
    address = postgres.address()
    asyncio.run(_created(address))
    asyncio.run(_execute(address, filled("postgresql") + "; ANALYZE"))
    return address


async def _execute(address: str, script: str) -> None:
    async with connected(address) as connection:
        await connection.execute(script)


@asynccontextmanager
async def connected(address: str) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(address, server_settings=postgres_module._SETTINGS)
    try:
        yield connection
    finally:
        await connection.close()


@pytest.mark.anyio
@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS.keys())
async def test_postgresql_looks_things_up(question: Question, postgres_address: str) -> None:
    """With the figures of a middling registry, no large table is read through."""
    async with connected(postgres_address) as connection:
        asked = Asked(PostgresDatabase(connection))
        await question(asked)
        assert asked.questions
        for sql, values in asked.questions:
            rows = await connection.fetch(f"EXPLAIN {sql}", *values)
            plan = "\n".join(row[0] for row in rows)
            scanned = [line for line in plan.splitlines() if "Seq Scan" in line]
            assert not [line for line in scanned if not any(table in line for table in SMALL)], plan

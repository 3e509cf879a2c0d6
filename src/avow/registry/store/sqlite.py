"""A registry in one file: SQLite in WAL mode, one thread that writes and a few that read.

The standard library's module in threads: it answers many times faster than layers that await it.
"""

import asyncio
import contextlib
import re
import sqlite3
import threading
from collections.abc import Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from avow.core.tlog.notes import Signer
from avow.errors import StorageError
from avow.registry.store.base import SqlStore
from avow.registry.store.database import Database, Row, at_once
from avow.registry.store.group import Change, Group, Outcome, write
from avow.registry.store.migrating import CURRENT, HEAD, statements
from avow.registry.store.sequencer import Append, Edge, missing_key, wrong_key

READERS: Final = 4
PATIENCE: Final = 10.0
"""How many seconds to wait for another process that writes."""

_PLACE: Final = re.compile(r"\$(\d+)")
_SIZES: Final = (1, 4, 16, 64, 256, 1_000)
# FULL: a commit is on the disk before anybody is told. Readers share the page cache of the system.
_SETTINGS: Final = ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "cache_size = -8000")

P = ParamSpec("P")
T = TypeVar("T")


class SqliteStore(SqlStore):
    """Everything a registry keeps, in one file."""

    def __init__(self, path: Path, signer: Signer | None, *, is_durable: bool = True) -> None:
        """Nothing is opened yet."""
        self._path = path
        self._is_durable = is_durable
        self._signer = signer
        self._edge = Edge()
        self._local = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="registry-read")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="registry-write")
        self._group = Group(self._commit)

    @classmethod
    async def open(cls, path: Path, signer: Signer | None, *, is_durable: bool = True) -> "SqliteStore":
        """Open the file, with its tables up to date; one that is not durable is for now, and faster.

        Raises:
            StorageError: it cannot be opened, or its log belongs to another key.
        """
        store = cls(path, signer, is_durable=is_durable)
        try:
            await store._in_writer(store._prepare)
        except BaseException:
            await store.close()
            raise
        return store

    async def check(self) -> None:
        """Whether the file can be read and written, without writing."""
        await self._in_writer(self._probe)
        await self.totals()
        if self._signer is None:
            raise missing_key()

    async def close(self) -> None:
        """Finish what was begun and let go."""
        await self._group.close()
        for executor in (self._readers, self._writer):
            await asyncio.to_thread(executor.shutdown)
        for connection in self._opened:
            connection.close()
        self._opened.clear()

    async def _ask(
        self,
        question: Callable[Concatenate[Database, P], Coroutine[Any, Any, T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        def answer() -> T:
            database = SqliteDatabase(self._connection())
            return at_once(self._reading(database, question(database, *args, **kwargs)))

        return await asyncio.get_running_loop().run_in_executor(self._readers, answer)

    async def _reading(self, database: "SqliteDatabase", question: Coroutine[Any, Any, T]) -> T:
        with explained(self._path):
            database.begin("BEGIN")
            try:
                return await question
            finally:
                database.end("ROLLBACK")

    async def _commit(self, changes: Sequence[Change]) -> list[Outcome]:
        return await self._in_writer(self._commit_now, changes)

    def _commit_now(self, changes: Sequence[Change]) -> list[Outcome]:
        database = SqliteDatabase(self._connection())
        append = Append(database, self._signer, self._edge)
        with explained(self._path):
            database.begin("BEGIN IMMEDIATE")
            try:
                outcomes, sealed = at_once(write(database, changes, append))
                database.end("COMMIT")
            except BaseException:
                database.abandon()
                raise
        append.committed(sealed)
        return outcomes

    async def _in_writer(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._writer, lambda: function(*args, **kwargs))

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            with explained(self._path):
                connection = connect(self._path)
                if not self._is_durable:
                    connection.execute("PRAGMA synchronous = OFF")
            self._local.connection = connection
            self._opened.append(connection)
        return connection

    def _probe(self) -> None:
        database = SqliteDatabase(self._connection())
        with explained(self._path):
            database.begin("BEGIN IMMEDIATE")
            database.end("ROLLBACK")

    def _prepare(self) -> None:
        """Create or migrate the tables, and begin the log."""
        with contextlib.suppress(OSError):
            # For its owner alone: it holds secrets of webhooks. SQLite makes the files beside it alike.
            self._path.touch(mode=0o600)
        with explained(self._path):
            connection = self._connection()
            if _step(connection) != HEAD:
                _migrate(connection)
            database = SqliteDatabase(connection)
            database.begin("BEGIN IMMEDIATE")
            try:
                begin_log(connection, self._signer)
                database.end("COMMIT")
            except BaseException:
                database.abandon()
                raise


class SqliteDatabase:
    """One connection; every answer is there at once."""

    dialect = "sqlite"

    def __init__(self, connection: sqlite3.Connection) -> None:
        """The connection is that of the thread we are in."""
        self._connection = connection

    async def fetch(self, sql: str, *values: Any) -> Sequence[Row]:
        """All rows of an answer."""
        return self._connection.execute(_spelled(sql), values).fetchall()

    async def fetch_each(self, sql: str, wanted: Iterable[Any]) -> Sequence[Row]:
        """All rows for any number of values; a few lengths only, so that statements can be kept."""
        values = list(dict.fromkeys(wanted))
        rows: list[Row] = []
        for first in range(0, len(values), _SIZES[-1]):
            part = values[first : first + _SIZES[-1]]
            size = next(size for size in _SIZES if size >= len(part))
            part += [part[-1]] * (size - len(part))
            rows += self._connection.execute(_spread(sql, size), part).fetchall()
        return rows

    async def run(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for each of these rows."""
        self._connection.executemany(_spelled(sql), rows)

    def begin(self, how: str) -> None:
        """Begin a transaction."""
        self._connection.execute(how)

    def end(self, how: str) -> None:
        """End it, if it is not over already: SQLite ends one itself when the disk is full."""
        if self._connection.in_transaction or how == "COMMIT":
            self._connection.execute(how)

    def abandon(self) -> None:
        """Take everything back, whatever happened."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


class explained:  # noqa: N801  reads as a sentence: with explained(path)
    """Turns what SQLite says about a file into what to do about it."""

    def __init__(self, path: Path) -> None:
        """Remember which file it is about."""
        self._path = path

    def __enter__(self) -> None:
        """Nothing to do yet."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Explain what the machine could not do; our own mistakes pass."""
        if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError | sqlite3.DataError):
            return
        if isinstance(error, sqlite3.DatabaseError):
            name = getattr(error, "sqlite_errorname", "")
            raise StorageError(f"cannot use {self._path}: {error}", hint=_hint(name)) from error


def _hint(name: str) -> str:
    if name.startswith("SQLITE_BUSY"):
        return "another process is writing to it: try again, or stop the other one"
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
        return "the disk is full or fails: make room, then try again; nothing half-written is kept"
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return "it is damaged: restore a backup"
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return "check that the file and its directory exist and may be written"
    return ""


def connect(path: Path) -> sqlite3.Connection:
    """A connection as this registry uses them."""
    connection = sqlite3.connect(
        path, timeout=PATIENCE, isolation_level=None, check_same_thread=False, cached_statements=300
    )
    for setting in _SETTINGS:
        connection.execute(f"PRAGMA {setting}")
    return connection


def begin_log(connection: sqlite3.Connection, signer: Signer | None) -> None:
    """Begin the log with this key, or see that it is the one it was begun with.

    Raises:
        StorageError: it is another one, or there is neither a log nor a key.
    """
    row = connection.execute("SELECT verifier FROM registry_log WHERE one = 1").fetchone()
    if row is None:
        if signer is None:
            raise missing_key()
        sql = "INSERT INTO registry_log VALUES (1, ?, ?, 0, 0, 0, 0, 0, 0)"
        connection.execute(sql, (signer.name, str(signer.verifier())))
    elif signer is not None and row[0] != str(signer.verifier()):
        raise wrong_key(row[0])


def _step(connection: sqlite3.Connection) -> str | None:
    known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone()
    row = connection.execute(CURRENT).fetchone() if known else None
    return row[0] if row else None


def _migrate(connection: sqlite3.Connection) -> None:
    """Run the steps that are missing, in one transaction; another process may have been first."""
    script = statements("sqlite", _step(connection))
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _step(connection) != HEAD:
            for statement in _split(script):
                connection.execute(statement)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _split(script: str) -> list[str]:
    return [part for part in script.split(";\n") if part.strip()]


@lru_cache(maxsize=500)
def _spelled(sql: str) -> str:
    return _PLACE.sub(r"?\1", sql)


@lru_cache(maxsize=500)
def _spread(sql: str, size: int) -> str:
    return sql.replace("$many", ", ".join("?" * size))

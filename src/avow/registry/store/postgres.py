"""A registry on PostgreSQL: any number of processes, each with one connection that writes, a few that read.

Who writes holds the one row of the log until its transaction is durable: the log cannot fork.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Sequence
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import asyncpg

from avow.core.tlog.notes import Signer
from avow.errors import StorageError
from avow.registry.store.base import SqlStore
from avow.registry.store.database import Database, Row
from avow.registry.store.group import Change, Group, Outcome, write
from avow.registry.store.migrating import CURRENT, HEAD, statements
from avow.registry.store.rows import bounded
from avow.registry.store.sequencer import Append, Edge, missing_key, wrong_key

READERS: Final = 8
PATIENCE: Final = 10.0
"""How many seconds to wait for a connection, or for another process that writes."""

# One number for everybody who migrates this kind of database: "avow" in ASCII.
_MIGRATING: Final = 0x61766F77
# A commit is on the disk before anybody is told, whatever the server's own settings say.
_SETTINGS: Final = {
    "synchronous_commit": "on",
    "lock_timeout": f"{PATIENCE:.0f}s",
    "idle_in_transaction_session_timeout": "60s",
    "application_name": "avow registry",
    "jit": "off",
    # Disks without moving parts: reading here and there costs little more than reading on.
    "random_page_cost": "1.1",
}
_UNAVAILABLE: Final = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.LockNotAvailableError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.PostgresSystemError,
    asyncpg.InternalServerError,
    asyncpg.InsufficientPrivilegeError,
)

P = ParamSpec("P")
T = TypeVar("T")


class PostgresStore(SqlStore):
    """Everything a registry keeps, on a server that several processes share."""

    def __init__(self, address: str, signer: Signer | None) -> None:
        """Nothing is opened yet."""
        self._address = address
        self._signer = signer
        self._edge = Edge()
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None
        self._writer: asyncpg.Connection[asyncpg.Record] | None = None
        self._group = Group(self._commit)

    @classmethod
    async def open(cls, address: str, signer: Signer | None) -> "PostgresStore":
        """Connect, with the tables up to date.

        Raises:
            StorageError: the server cannot be reached, or the log belongs to another key.
        """
        store = cls(address, signer)
        try:
            with explained():
                await _prepare(await store._connection(), signer)
                store._pool = await asyncpg.create_pool(
                    address,
                    min_size=0,
                    max_size=READERS,
                    timeout=PATIENCE,
                    server_settings=_SETTINGS,
                    statement_cache_size=300,
                )
        except BaseException:
            await store.close()
            raise
        return store

    async def check(self) -> None:
        """Whether the server can be read and written, without writing."""
        rows = await self._ask(_is_read_only)
        if rows:
            raise StorageError("the database is read-only", hint="point the registry at the primary server")
        if self._signer is None:
            raise missing_key()

    async def close(self) -> None:
        """Finish what was begun and let go."""
        await self._group.close()
        self._let_go()
        if self._pool is not None:
            try:
                await asyncio.wait_for(self._pool.close(), PATIENCE)
            except (*_UNAVAILABLE, asyncpg.PostgresError):
                self._pool.terminate()

    async def _ask(
        self,
        question: Callable[Concatenate[Database, P], Coroutine[Any, Any, T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        assert self._pool is not None
        with explained():
            try:
                return await self._answer(question, *args, **kwargs)
            except _UNAVAILABLE:
                # The server may have been restarted since: what waits in the pool leads nowhere.
                await self._pool.expire_connections()
                return await self._answer(question, *args, **kwargs)

    async def _answer(
        self,
        question: Callable[Concatenate[Database, P], Coroutine[Any, Any, T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        assert self._pool is not None
        async with (
            self._pool.acquire(timeout=PATIENCE) as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            return await question(PostgresDatabase(connection), *args, **kwargs)

    async def _commit(self, changes: Sequence[Change]) -> list[Outcome]:
        with explained():
            try:
                connection, transaction = await self._begun()
                database = PostgresDatabase(connection)
                append = Append(database, self._signer, self._edge)
                try:
                    outcomes, sealed = await write(database, changes, append)
                    await transaction.commit()
                except BaseException:
                    await _abandon(connection, transaction)
                    raise
            except _UNAVAILABLE:
                # Whether a commit arrived may be unknown: a new connection starts from what the server has.
                self._let_go()
                raise
        append.committed(sealed)
        return outcomes

    async def _begun(self) -> "tuple[asyncpg.Connection[asyncpg.Record], asyncpg.transaction.Transaction]":
        """A connection in a new transaction; one that the server dropped meanwhile is replaced."""
        connection = await self._connection()
        transaction = connection.transaction()
        try:
            await transaction.start()
        except _UNAVAILABLE:
            self._let_go()
            connection = await self._connection()
            transaction = connection.transaction()
            await transaction.start()
        return connection, transaction

    async def _connection(self) -> "asyncpg.Connection[asyncpg.Record]":
        if self._writer is None or self._writer.is_closed():
            self._writer = await asyncpg.connect(
                self._address, timeout=PATIENCE, server_settings=_SETTINGS, statement_cache_size=300
            )
        return self._writer

    def _let_go(self) -> None:
        if self._writer is not None:
            self._edge.size = -1
            self._writer.terminate()
            self._writer = None


class PostgresDatabase:
    """One connection, inside a transaction."""

    dialect = "postgresql"

    def __init__(self, connection: Any) -> None:
        """The connection is ours until the transaction ends."""
        self._connection = connection

    async def fetch(self, sql: str, *values: Any) -> Sequence[Row]:
        """All rows of an answer."""
        rows: Sequence[Row] = await self._connection.fetch(sql, *map(_storable, values))
        return rows

    async def fetch_each(self, sql: str, wanted: Iterable[Any]) -> Sequence[Row]:
        """All rows for any number of values, in one array."""
        rows: Sequence[Row] = await self._connection.fetch(
            sql.replace("IN ($many)", "= ANY($1)"), list(dict.fromkeys(map(_storable, wanted)))
        )
        return rows

    async def run(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for each of these rows."""
        await self._connection.executemany(sql, rows)


def _storable(value: Any) -> Any:
    """What may be looked for: no text here has the character U+0000, and PostgreSQL does not take it."""
    return bounded(value, len(value)) if isinstance(value, str) and "\0" in value else value


async def _abandon(connection: Any, transaction: Any) -> None:
    """Take everything back, if there is still somebody to tell."""
    if not connection.is_closed():
        with contextlib.suppress(*_UNAVAILABLE, asyncpg.PostgresError):
            await transaction.rollback()


async def _is_read_only(database: Database) -> bool:
    rows = await database.fetch("SELECT pg_is_in_recovery()")
    return bool(rows[0][0])


async def _prepare(connection: Any, signer: Signer | None) -> None:
    """Create or migrate the tables, and begin the log; other processes wait for the first."""
    async with _alone(connection), connection.transaction():
        if (step := await _step(connection)) != HEAD:
            await connection.execute(await asyncio.to_thread(statements, "postgresql", step))
        found = await connection.fetchval("SELECT verifier FROM registry_log WHERE one = 1")
        if found is None:
            if signer is None:
                raise missing_key()
            sql = "INSERT INTO registry_log VALUES (1, $1, $2, 0, 0, 0, 0, 0, 0)"
            await connection.execute(sql, signer.name, str(signer.verifier()))
        elif signer is not None and found != str(signer.verifier()):
            raise wrong_key(found)


@contextlib.asynccontextmanager
async def _alone(connection: Any) -> AsyncIterator[None]:
    await connection.execute(f"SELECT pg_advisory_lock({_MIGRATING})")
    try:
        yield
    finally:
        if not connection.is_closed():
            await connection.execute(f"SELECT pg_advisory_unlock({_MIGRATING})")


async def _step(connection: Any) -> str | None:
    if await connection.fetchval("SELECT to_regclass('alembic_version')") is None:
        return None
    step: str | None = await connection.fetchval(CURRENT)
    return step


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """Turn what PostgreSQL says about itself into what to do about it; our own mistakes pass."""
    try:
        yield
    except _UNAVAILABLE as error:
        raise StorageError(f"cannot use PostgreSQL: {_said(error)}", hint=_hint(error)) from error


def _said(error: BaseException) -> str:
    """What it says, without the address, which may hold a password."""
    return str(error).split("\n", 1)[0][:300] or type(error).__name__


def _hint(error: BaseException) -> str:
    if isinstance(error, asyncpg.DiskFullError):
        return "its disk is full: make room, then try again; nothing half-written is kept"
    if isinstance(error, asyncpg.LockNotAvailableError):
        return "another process has been writing for long: try again, or look at what it does"
    if isinstance(error, asyncpg.InvalidAuthorizationSpecificationError | asyncpg.InsufficientPrivilegeError):
        return "check the user and the password in the address, and what the user may do"
    if isinstance(error, asyncpg.InvalidCatalogNameError):
        return "create the database first: createdb NAME"
    return "check that it runs and can be reached; then try again: publishing twice is harmless"

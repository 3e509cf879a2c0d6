"""What both databases can do for a question: one spelling of SQL, asked in one way.

Questions are written once, as coroutines over a `Database`. That of SQLite answers at once, in a thread that
runs the whole coroutine with `at_once`; that of PostgreSQL waits for its server.
"""

from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

Row: TypeAlias = Sequence[Any]
T = TypeVar("T")


class Database(Protocol):
    """One connection, inside a transaction. Parameters are `$1`, `$2`, …"""

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""

    async def fetch(self, sql: str, *values: Any) -> Sequence[Row]:
        """All rows of an answer."""

    async def fetch_each(self, sql: str, wanted: Iterable[Any]) -> Sequence[Row]:
        """All rows for any number of values, which stand in the question as `IN ($many)`."""

    async def run(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for each of these rows."""


def at_once(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never waits to its end."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        answer: T = end.value
        return answer
    coroutine.close()
    raise TypeError("a question to SQLite waited for something")

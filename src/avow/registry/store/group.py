"""Group commit: what arrives while one transaction becomes durable goes into the next, all of it at once."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from avow.errors import AvowError, StorageError
from avow.registry.store.adding import Added, Batch
from avow.registry.store.database import Database
from avow.registry.store.prepared import Prepared
from avow.registry.store.sequencer import Append, Sealed

MAX_BATCH: Final = 64
MAX_WAITING: Final = 10_000

Change: TypeAlias = Prepared | Callable[[Database, Append], Coroutine[Any, Any, Any]]
"""A publication, or a function that makes any other change."""

Outcome: TypeAlias = Any
"""What a change returned, or the error that it ended with."""


async def write(
    database: Database, changes: Sequence[Change], append: Append
) -> tuple[list[Outcome], Sealed]:
    """Make changes inside a transaction that the caller commits; one that is refused leaves the others alone.

    A change checks first, adds to the log second and writes last: when it is refused, nothing has happened.
    """
    await append.begin()
    outcomes: dict[int, Outcome] = {}
    for place, change in enumerate(changes):
        if not isinstance(change, Prepared):
            try:
                outcomes[place] = await change(database, append)
            except AvowError as error:
                outcomes[place] = error
    publications = {place: change for place, change in enumerate(changes) if isinstance(change, Prepared)}
    batch = Batch(database, append)
    answers = await batch.write(list(publications.values())) if publications else []
    sealed = await append.seal()
    for place, answer in zip(publications, answers, strict=True):
        outcomes[place] = await batch.receipt(answer, sealed) if isinstance(answer, Added) else answer
    return [outcomes[place] for place in range(len(changes))], sealed


@dataclass(frozen=True, slots=True)
class _Waiting:
    change: Change
    answer: "asyncio.Future[Outcome]"


class Group:
    """Gathers changes and hands them on together, one transaction after the other."""

    def __init__(self, commit: Callable[[Sequence[Change]], Awaitable[list[Outcome]]]) -> None:
        """`commit` makes changes durable, all or none, and answers in the same order."""
        self._commit = commit
        self._waiting: deque[_Waiting] = deque()
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    async def submit(self, change: Change) -> Any:
        """Wait until a change is durable; what it returned, or raised."""
        if self._closed:
            raise StorageError("the store is closed")
        if len(self._waiting) >= MAX_WAITING:
            raise StorageError("too many changes are waiting to be written", hint="try again in a moment")
        answer: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(change, answer))
        if self._task is None:
            self._task = asyncio.create_task(self._run())
        outcome = await answer
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    async def close(self) -> None:
        """Refuse what comes, and finish what is there."""
        self._closed = True
        if self._task is not None:
            await self._task

    async def _run(self) -> None:
        try:
            while self._waiting:
                batch = [self._waiting.popleft() for _ in range(min(MAX_BATCH, len(self._waiting)))]
                await self._settle(batch)
        finally:
            self._task = None

    async def _settle(self, batch: Sequence[_Waiting]) -> None:
        try:
            outcomes = await self._commit([each.change for each in batch])
        except AvowError as error:
            # The machine's fault: nothing of this was written, and it would not go better one by one.
            outcomes = [error] * len(batch)
        except Exception as error:  # noqa: BLE001  one of them may be to blame: the others are tried without it
            if len(batch) > 1:
                for each in batch:
                    await self._settle([each])
                return
            outcomes = [error]
        for each, outcome in zip(batch, outcomes, strict=True):
            if not each.answer.done():
                each.answer.set_result(outcome)

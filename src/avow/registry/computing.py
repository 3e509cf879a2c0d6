"""What takes long for large documents, beside the event loop: nobody else waits for it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from functools import partial
from typing import Any, Final, TypeVar, TypeVarTuple

from avow.errors import UnavailableError
from avow.registry.service import Service

SMALL: Final = 256 * 1024
"""How many bytes are read in a thread."""

_Given = TypeVarTuple("_Given")
_Result = TypeVar("_Result")


async def compute(
    service: Service, size: int, function: Callable[[*_Given], _Result], *given: *_Given
) -> _Result:
    """What a function answers for documents of so many bytes; small ones are read in a thread.

    Raises:
        UnavailableError: the process was killed.
    """
    if size <= SMALL:
        return await asyncio.to_thread(function, *given)
    return await compute_large(service, function, *given)


async def compute_large(service: Service, function: Callable[[*_Given], _Result], *given: *_Given) -> _Result:
    """What a function answers in a process.

    Threads would take turns with the event loop. One waits for the other: of the processes one is left for
    publications.

    Raises:
        UnavailableError: the process was killed.
    """
    await service.large.acquire()
    try:
        work = asyncio.get_running_loop().run_in_executor(service.executor, function, *given)
    except BaseException:
        service.large.release()
        raise
    work.add_done_callback(partial(_ended, service))
    try:
        # Whoever asked may be gone before it is done: the process is still at it, and the next one waits.
        return await asyncio.shield(work)
    except BrokenExecutor as error:
        raise UnavailableError("a process that compares was killed", hint="try again") from error


def _ended(service: Service, work: "asyncio.Future[Any]") -> None:
    service.large.release()
    if not work.cancelled():
        # Looked at, so that nobody is told that an error of somebody who left was not.
        work.exception()

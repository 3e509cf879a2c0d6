"""What takes long for large documents, beside the event loop: nobody else waits for it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from typing import Final, TypeVar, TypeVarTuple

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
    async with service.large:
        try:
            return await asyncio.get_running_loop().run_in_executor(service.executor, function, *given)
        except BrokenExecutor as error:
            raise UnavailableError("a process that compares was killed", hint="try again") from error

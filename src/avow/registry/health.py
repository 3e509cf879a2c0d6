"""Whether the store is well, looked at once in a while however often anybody wants to know."""

import asyncio
import math
import time
from typing import Final

from avow.errors import UnavailableError
from avow.registry.store.interface import Store

_SECONDS: Final = 1.0


class Health:
    """The last answer of a store; looking stands in the queue of publications.

    A good one is remembered for a second. A bad one is for those who waited for it: whoever asks later wants
    to know whether it is over.
    """

    def __init__(self) -> None:
        """Nobody has looked yet."""
        self._turn = asyncio.Lock()
        self._at = -math.inf
        self._error: UnavailableError | None = None

    async def check(self, store: Store) -> None:
        """Whether the store can be read and written, or could be less than a second ago.

        Raises:
            UnavailableError: it cannot.
        """
        asked = time.monotonic()
        async with self._turn:
            if self._at < (asked - _SECONDS if self._error is None else asked):
                await self._look(store)
        if self._error is not None:
            raise self._error.with_traceback(None)

    async def _look(self, store: Store) -> None:
        try:
            await store.check()
            self._error = None
        except UnavailableError as error:
            self._error = error
        self._at = time.monotonic()

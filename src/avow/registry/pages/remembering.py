"""Answers that took long and never change: two published versions differ in the same way for good."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeVar

MOST_BYTES: Final = 16 * 1024 * 1024

Key = TypeVar("Key")
Value = TypeVar("Value")


class Remembered(Generic[Key, Value]):
    """The newest answers, as long as what they were made from comes to no more than so many bytes."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        """Nothing is known yet."""
        self._most = most
        self._size = 0
        self._known: OrderedDict[Key, tuple[Value, int]] = OrderedDict()

    async def get(self, key: Key, make: Callable[[], Awaitable[tuple[Value, int]]]) -> Value:
        """What was answered before; or else it is made now, with how many bytes it was made from."""
        if (known := self._known.get(key)) is not None:
            self._known.move_to_end(key)
            return known[0]
        value, size = await make()
        if key not in self._known:
            self._known[key] = (value, size)
            self._size += size
        while self._size > self._most:
            _, (_, freed) = self._known.popitem(last=False)
            self._size -= freed
        return value

"""How much of what people send is held in memory at once, whoever and however many they are."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Room:
    """So many bytes for everybody together."""

    def __init__(self, size: int) -> None:
        """All of it is free."""
        self._free = size

    @contextmanager
    def hold(self) -> Iterator[Callable[[int], bool]]:
        """Until the end of a block, hold what the function given takes; it answers whether there was room."""
        held = 0

        def take(size: int) -> bool:
            nonlocal held
            if size > self._free:
                return False
            self._free -= size
            held += size
            return True

        try:
            yield take
        finally:
            self._free += held

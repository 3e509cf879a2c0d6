"""How much code an audit reads: what is written to exhaust a reader is given up, and said to be."""

from typing import Final

from avow.errors import MalformedInputError

LONGEST_CHAIN: Final = 200
"""How many operands one expression may join, and how many names one assignment may set."""

_EXPRESSIONS: Final = 2_000_000


class Budget:
    """How many expressions may still be read, of all files together."""

    def __init__(self, expressions: int = _EXPRESSIONS) -> None:
        """So many."""
        self.left = expressions

    def spend(self, count: int = 1) -> None:
        """Read one more, or the same ones again.

        Raises:
            MalformedInputError: there are too many.
        """
        self.left -= count
        if self.left < 0:
            raise MalformedInputError("there is more code than an audit reads")

"""What can be wrong with the variants of a tool."""

from dataclasses import dataclass
from enum import StrEnum


class Trouble(StrEnum):
    """The kinds of problem; only `unreachable` does no harm."""

    MALFORMED = "malformed"
    PATTERN = "pattern"
    UNSELECTIVE = "unselective"
    EXCEEDS = "exceeds"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class VariantProblem:
    """One problem: which variant it is about, counted from 1 (0: all of them), and what to change."""

    trouble: Trouble
    number: int
    message: str

    @property
    def is_harmless(self) -> bool:
        """Whether calls are still described as the author meant it: a variant that no call meets."""
        return self.trouble is Trouble.UNREACHABLE

    def __str__(self) -> str:
        """The problem as a sentence."""
        return f"variant {self.number} {self.message}" if self.number else self.message

"""Text that tries something: instructions aimed at the model, hidden characters, terminal escapes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One sign in a text: which one, and the evidence, made safe to print."""

    sign: str
    evidence: str


def suspicions(text: str) -> tuple[Suspicion, ...]:
    """Every sign that a text is more than a description, in the order of their places."""
    raise NotImplementedError

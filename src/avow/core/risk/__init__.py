"""What a single call can do when an attacker chooses the arguments: `low`, `medium` or `high`."""

from dataclasses import dataclass
from enum import StrEnum

from avow.core.capability import Capability


class Level(StrEnum):
    """The three levels of DESIGN's rubric."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Risk:
    """A level, and reasons that a person can check."""

    level: Level
    reasons: tuple[str, ...]


def assess(capability: Capability) -> Risk:
    """Rate one capability on the evidence of its whole definition."""
    raise NotImplementedError

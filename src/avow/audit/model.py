"""What an audit says: findings by rule, each with its severity, its place and its proof."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from avow.core.canonical import JsonValue


class Pattern(StrEnum):
    """The five patterns of negotiation security."""

    MINIMAL_DECLARATION = "minimal-declaration"
    FEATURE_GRANTS = "feature-grants"
    CLIENT_CAPABILITIES = "client-capabilities"
    DOWNGRADE = "downgrade"
    INITIALIZATION = "initialization"


class Level(StrEnum):
    """How bad something is, or how sure we are of it; ordered by rank, not by the alphabet."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    @property
    def rank(self) -> int:
        """Position in the order, lowest first."""
        return _RANKS[self]


_RANKS: Final = {level: rank for rank, level in enumerate(Level)}


class Verdict(StrEnum):
    """What a score card says about one pattern."""

    PASS = "pass"  # noqa: S105 - a verdict
    FAIL = "fail"
    NOT_APPLICABLE = "not-applicable"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where something stands in a source tree; lines and columns count from 1, the end is exclusive."""

    path: str
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1


@dataclass(frozen=True, slots=True)
class Finding:
    """One violation: by which rule, how bad, how sure, where, and what proves it.

    A finding in source code has a `place`; one from a probe has the messages that prove it as `evidence`.
    """

    rule: str
    pattern: Pattern
    severity: Level
    confidence: Level
    message: str
    place: Place | None = None
    evidence: tuple[JsonValue, ...] = field(default=(), hash=False)


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """What is known about a rule before it looks at anything: the list, the docs and SARIF show this."""

    id: str
    name: str
    pattern: Pattern
    severity: Level
    summary: str
    live: bool = False

    def finding(
        self,
        message: str,
        place: Place | None = None,
        *,
        confidence: Level = Level.HIGH,
        severity: Level | None = None,
        evidence: Iterable[JsonValue] = (),
    ) -> Finding:
        """A finding by this rule."""
        return Finding(
            self.id, self.pattern, severity or self.severity, confidence, message, place, tuple(evidence)
        )

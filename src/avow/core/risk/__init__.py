"""What a single call can do when an attacker chooses the arguments: `low`, `medium` or `high`."""

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from avow.core.capability import Capability, Kind
from avow.core.risk.model import Finding, Level, Risk

__all__ = ["Level", "Rating", "Risk", "assess", "level_of"]

Rating: TypeAlias = Callable[[Capability], Level]
"""Answers what `level_of` answers, perhaps from memory."""

REASON_LIMIT: Final = 6
# How much of each text is searched for signs; the level does not depend on them.
_TEXT_LIMIT: Final = 20_000


def assess(capability: Capability) -> Risk:
    """Rate one capability on the evidence of its whole definition."""
    ranked = sorted(_findings(capability), key=lambda finding: -finding.level.rank)
    reasons = list(dict.fromkeys(finding.reason for finding in ranked))
    warnings = _warnings(capability)
    return Risk(ranked[0].level, (*reasons[: REASON_LIMIT - len(warnings)], *warnings))


def level_of(capability: Capability) -> Level:
    """The level alone, in less time: signs in the texts say nothing about it."""
    return max((finding.level for finding in _findings(capability)), key=lambda level: level.rank)


def _findings(capability: Capability) -> Iterator[Finding]:
    # Late: the vocabulary takes a while to load, and whoever only reads a lockfile rates nothing.
    from avow.core.risk.others import other_findings
    from avow.core.risk.tools import tool_findings

    is_tool = capability.kind is Kind.TOOL
    return tool_findings(capability.definition) if is_tool else other_findings(capability)


def _warnings(capability: Capability) -> tuple[str, ...]:
    """Signs in the texts: they do not say what a call can do, but whoever reads the reasons should know."""
    from avow.core.suspicion import name_suspicions, suspicions

    texts = (capability.definition.get(member) for member in ("title", "description"))
    found = [*name_suspicions(capability.name[:_TEXT_LIMIT])]
    for text in texts:
        found += suspicions(text[:_TEXT_LIMIT]) if isinstance(text, str) else ()
    signs = ", ".join(dict.fromkeys(suspicion.sign for suspicion in found))
    return (f"suspicious text: {signs}",) if signs else ()

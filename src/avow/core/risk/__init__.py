"""What a single call can do when an attacker chooses the arguments: `low`, `medium` or `high`."""

from typing import Final

from avow.core.capability import Capability, Kind
from avow.core.risk.model import Level, Risk
from avow.core.risk.others import other_findings
from avow.core.risk.tools import tool_findings

__all__ = ["Level", "Risk", "assess"]

REASON_LIMIT: Final = 6


def assess(capability: Capability) -> Risk:
    """Rate one capability on the evidence of its whole definition."""
    is_tool = capability.kind is Kind.TOOL
    findings = tool_findings(capability.definition) if is_tool else other_findings(capability)
    ranked = sorted(findings, key=lambda finding: -finding.level.rank)
    reasons = dict.fromkeys(finding.reason for finding in ranked)
    return Risk(ranked[0].level, tuple(reasons)[:REASON_LIMIT])

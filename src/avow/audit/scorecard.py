"""The five patterns at a glance: passed, failed, not applicable, or could not tell."""

from collections.abc import Iterable, Mapping, Set
from typing import TypeAlias

from avow.audit.model import Finding, Level, Pattern, Verdict

Scorecard: TypeAlias = Mapping[Pattern, Verdict]


def scorecard(
    findings: Iterable[Finding], *, looked: Set[Pattern], not_applicable: Set[Pattern] = frozenset()
) -> Scorecard:
    """One verdict a pattern: a finding that is more than a remark fails it, a look without one passes it.

    A pattern that nobody could look at is `unknown`, whatever else was found: no news is not good news.
    """
    failed = {finding.pattern for finding in findings if finding.severity is not Level.LOW}
    return {pattern: _verdict(pattern, failed, looked, not_applicable) for pattern in Pattern}


def combined(cards: Iterable[Scorecard]) -> Scorecard:
    """Several looks at one server as one: a failure anywhere counts, then that one of them could not tell.

    Somebody asked for each of these looks: that another went well does not make up for one that failed.
    """
    ranked = (Verdict.FAIL, Verdict.UNKNOWN, Verdict.PASS, Verdict.NOT_APPLICABLE)
    kept = list(cards)
    return {
        pattern: min((card[pattern] for card in kept), key=ranked.index, default=Verdict.UNKNOWN)
        for pattern in Pattern
    }


def _verdict(
    pattern: Pattern, failed: Set[Pattern], looked: Set[Pattern], not_applicable: Set[Pattern]
) -> Verdict:
    if pattern in failed:
        return Verdict.FAIL
    if pattern in not_applicable:
        return Verdict.NOT_APPLICABLE
    return Verdict.PASS if pattern in looked else Verdict.UNKNOWN

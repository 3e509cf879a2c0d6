"""The score card of a running server.

fail
    a probe of the pattern proved something that is more than a remark (a severity above low);
not-applicable
    there was nothing to look at: the server asked its client for nothing, neither when we declared that we
    can do it nor when we did not (client-capabilities), or it keeps no sessions over HTTP and speaks no
    version without them (initialization);
pass
    every probe of the pattern was carried out, in each era that the server speaks, was answered one way or
    the other, and found nothing but remarks;
unknown
    all else: a probe was not answered, or not in time, or the server's lists change by themselves, so that
    nobody can tell what they depend on. A failure to look is never a pass.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from avow.audit.model import Finding, Pattern
from avow.audit.scorecard import Scorecard, scorecard


@dataclass(slots=True)
class Looks:
    """Which patterns were looked at, of which a look failed, and what there was to look at."""

    taken: set[Pattern] = field(default_factory=set)
    failed: set[Pattern] = field(default_factory=set)
    uses_client: bool = False
    has_handshake: bool = True

    def note(self, pattern: Pattern, *, is_conclusive: bool) -> None:
        """A look was taken, or failed."""
        (self.taken if is_conclusive else self.failed).add(pattern)

    def card(self, findings: Iterable[Finding]) -> Scorecard:
        """The verdicts."""
        sure = self.taken - self.failed
        nothing_there = set()
        if not self.uses_client:
            nothing_there.add(Pattern.CLIENT_CAPABILITIES)
        if not self.has_handshake:
            nothing_there.add(Pattern.INITIALIZATION)
        return scorecard(findings, looked=sure, not_applicable=nothing_there & sure)

"""How what a server shows stands in an environment of a registry: who decided what when, in words."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from avow.core.canonical import JsonObject
from avow.core.printable import printable
from avow.core.tlog.decisions import APPROVED, PENDING, REJECTED
from avow.core.tlog.entry import ApprovalEntry
from avow.errors import AvowError
from avow.system.registry_client.approved_state import Approved, approved_document
from avow.system.registry_client.remembered import write_time

UNKNOWN: Final = "unknown"
"""The state of what nobody has published or decided about, as far as is known."""

_MOST_WORDS: Final = 200
_DEEDS: Final = {APPROVED: "approved it", REJECTED: "rejected it", PENDING: "took the decision back"}


class NotApprovedError(AvowError):
    """What would be started is not approved: no failure to look, but an answer."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How what a server shows stands: its state, the version it was published as, and who said so.

    `decisions` holds the newest of each person about that version, the oldest first.
    """

    state: str
    digest: str
    version: str
    decisions: tuple[ApprovalEntry, ...]
    approved: Approved = field(repr=False)
    now: datetime

    @property
    def is_approved(self) -> bool:
        """Whether it may be used there."""
        return self.state == APPROVED

    @property
    def sentence(self) -> str:
        """Who decided what when, for a person."""
        name, environment = self.approved.name, self.approved.environment
        if self.state == APPROVED:
            return f"{name} {self.version} is approved in {environment}: {self._said(APPROVED)}"
        return f"{self._refusal(f'{name} {self.version}', environment)}; {self._instead()}"

    @property
    def age(self) -> str:
        """How old the answer is, when it is not of now; else empty."""
        if not self.approved.is_offline:
            return ""
        old, when = ago(self.approved.age(self.now)), write_time(self.approved.verified_at)
        return f"the registry did not answer: this was verified {old} ago, at {when}"

    @property
    def gap(self) -> str:
        """That a decision could have been left out, where the log was not read to its end yet; else empty."""
        if not self.approved.unread:
            return ""
        return (
            f"{self.approved.unread} entries of the log were not read yet: a decision in them could have "
            "been left out of the answer; asking again reads on"
        )

    @property
    def newest(self) -> str:
        """Up to when the registry has shown what happened, as far as that is known."""
        fresh = self.approved.freshness
        grew = "" if fresh.grew_at is None else f"its log last grew at {write_time(fresh.grew_at)}"
        if fresh.witnessed_at is None:
            return grew
        signed = f"witnesses have signed it at {write_time(fresh.witnessed_at)}"
        return f"{grew}, and {signed}" if grew else signed

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why the answer may not be all there is to know now; empty for one that is."""
        return tuple(filter(None, (self.age, self.gap)))

    @property
    def told(self) -> str:
        """All of it on one line."""
        return "; ".join(filter(None, (self.sentence, self.newest, *self.doubts)))

    @property
    def error(self) -> NotApprovedError:
        """The refusal of what is not approved.

        A model may read the hint, and follow it: it never says how to approve something.
        """
        return NotApprovedError(self.told, self._hint())

    def _hint(self) -> str:
        if self.state == UNKNOWN:
            return "a person has to publish it with `avow registry publish`, and another has to approve it"
        if self.state == PENDING:
            where = f"--environment {self.approved.environment} --state pending"
            return (
                f"somebody who may approve has to decide; `avow registry approvals {where}` lists what waits"
            )
        people = ", ".join(each.by for each in self.decisions if each.state == REJECTED)
        who = printable(people, _MOST_WORDS, fold=True)
        return f"it stays rejected until {who} decides otherwise: ask them, or use a version that is approved"

    def document(self) -> JsonObject:
        """The answer for machines."""
        return {
            **approved_document(self.approved, self.now),
            "state": self.state,
            "version": self.version or None,
            "decisions": [
                {"by": each.by, "state": each.state, "at": each.time, "reason": each.reason}
                for each in self.decisions
            ],
            "message": self.sentence,
        }

    def _refusal(self, what: str, environment: str) -> str:
        if self.state == REJECTED:
            return f"{what} is rejected in {environment}: {self._said(REJECTED)}"
        if self.state == PENDING:
            agree = sum(each.state == APPROVED for each in self.decisions)
            needed = self.decisions[-1].needed if self.decisions else 1
            count = f" ({agree} of {needed} approve)" if needed > 1 else ""
            return f"{what} is pending in {environment}: {self._said()}{count}"
        if not self.digest:
            return f"nobody has decided about any version of {self.approved.name} for {environment}"
        if self.approved.is_offline:
            return f"nobody had decided about {self.digest} for {environment}"
        return f"nobody has published {self.digest} as {self.approved.name}"

    def _said(self, *states: str) -> str:
        made = [each for each in self.decisions if not states or each.state in states]
        return ", ".join(map(deed, made)) or "nobody has decided about it yet"

    def _instead(self) -> str:
        listed = ", ".join(
            f"{each.version}, {deed(each.decision, reasoned=False)}" for each in self.approved.versions[-3:]
        )
        return f"approved there: {listed}" if listed else "nothing is approved there"


def deed(decision: ApprovalEntry, *, reasoned: bool = True) -> str:
    """One decision in words, with the reason that was given."""
    who = printable(decision.by, _MOST_WORDS, fold=True)
    said = f"{who} {_DEEDS[decision.state]} on {decision.time[:10]} at {decision.time[11:16]} UTC"
    reason = printable(decision.reason, _MOST_WORDS, fold=True) if reasoned else ""
    return f"{said} ({reason})" if reason else said


def ago(age: timedelta) -> str:
    """An age as people say it, in its largest unit."""
    seconds = int(age.total_seconds())
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return "a moment"

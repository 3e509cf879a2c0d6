"""Whether what a server shows is approved in an environment of a registry, and who decided what when."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from avow.core.canonical import Digest, JsonObject
from avow.core.printable import printable
from avow.core.publication import Publication, ServerName
from avow.core.tlog.checkpoint import VerifiedCheckpoint
from avow.core.tlog.decisions import APPROVED, PENDING, REJECTED
from avow.core.tlog.entry import ApprovalEntry
from avow.core.tlog.notes import VerifierKey
from avow.errors import AvowError, RegistryUnavailableError, VerificationError
from avow.system.registry_client.approved_publication import approved_publication
from avow.system.registry_client.approved_state import (
    Approved,
    ApprovedVersion,
    approved_document,
    learn_approved,
    recall_approved,
)
from avow.system.registry_client.client import RegistryClient
from avow.system.registry_client.contact import meet
from avow.system.registry_client.freshness import Freshness, learn_freshness
from avow.system.registry_client.known_log import KnownLog, recall_log
from avow.system.registry_client.proving import verified_publications_of
from avow.system.registry_client.remembered import Memory, write_time
from avow.system.registry_client.transport import RefusedError
from avow.system.registry_proofs import Proved, Recording, changed, keep_proofs, proofs_file, recall_proofs

UNKNOWN: Final = "unknown"
"""The state of what nobody has published or decided about, as far as is known."""

PATIENCE: Final = 60.0
"""How many seconds a registry has to answer all that is asked about one server; then memory counts."""

_MOST_WORDS: Final = 200
_DEEDS: Final = {APPROVED: "approved it", REJECTED: "rejected it", PENDING: "took the decision back"}


@dataclass(frozen=True, slots=True)
class Asking:
    """Where to ask, about which environment, and when; without a `key` the first that was seen is trusted.

    What is shown may have been all there was `max_age` ago, by the `witnesses` if there are some; they all
    have to have signed the log.
    """

    client: RegistryClient
    memory: Memory
    environment: str
    now: datetime
    key: VerifierKey | None = None
    max_age: timedelta | None = None
    witnesses: tuple[VerifierKey, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What is approved for a server, the entries behind it, and the checkpoint if the registry answered."""

    approved: Approved
    proved: Proved
    checkpoint: VerifiedCheckpoint | None = None


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


def ask(asking: Asking, name: ServerName) -> Answer:
    """What is approved for a server: proved now, or the last time when the registry cannot be reached.

    Raises:
        VerificationError: the log was changed, or says something else than the registry.
        StorageError: what is remembered was changed.
        MalformedInputError: the answer makes no sense.
        UnavailableError: the registry does not answer, and never did.
    """
    client, memory = Recording(asking.client), asking.memory
    try:
        with asking.client.within(PATIENCE):
            contact = meet(client, memory, asking.now, key=asking.key)
            # Not by the one that records: what it asks for is kept as the proof of the answer.
            contact, freshness = learn_freshness(asking.client, memory, contact, asking.witnesses, asking.now)
            _require_fresh(asking, freshness)
            approved = learn_approved(
                client, memory, contact.checkpoint, name, asking.environment, asking.now, freshness
            )
    except RegistryUnavailableError as exc:
        try:
            return _recall(asking, name)
        except RegistryUnavailableError:
            raise exc from None
    keep_proofs(memory, contact.checkpoint, name, asking.environment, client)
    return Answer(approved, Proved.of(client.proofs), contact.checkpoint)


def _require_fresh(asking: Asking, freshness: Freshness, verified_at: datetime | None = None) -> None:
    """Refuse what may be older than is allowed; a remembered answer has to be of that time, too."""
    age, now, witnessed = asking.max_age, asking.now, bool(asking.witnesses)
    if age is None:
        return
    if freshness.is_within(age, now, witnessed=witnessed) and (verified_at or now) >= now - age:
        return
    at = freshness.witnessed_at if witnessed else freshness.grew_at
    when = "nobody knows when" if at is None else f"at {write_time(at)}"
    what = "was last signed by all witnesses" if witnessed else "last grew"
    raise VerificationError(
        f"what {asking.client.url} shows may be too old: its log {what} {when}, and {ago(age)} is allowed",
        hint="somebody may show old answers again, or nothing has happened since: a witness tells which",
    )


def _recall(asking: Asking, name: ServerName) -> Answer:
    approved = recall_approved(asking.memory, name, asking.environment)
    proved = recall_proofs(asking.memory, name, asking.environment)
    if not proved.supports(approved):
        raise changed(name, proofs_file(asking.memory, name, asking.environment))
    _require_fresh(asking, approved.freshness, approved.verified_at)
    return Answer(approved, proved)


def judge(asking: Asking, answer: Answer, digest: Digest | None) -> Standing:
    """How a signature stands; without one, what was approved last, or else decided about last.

    Raises:
        VerificationError: the log says something else than the registry.
        MalformedInputError: the answer makes no sense.
    """
    approved, decisions = answer.approved, answer.proved.decisions
    about = digest or next((each.digest for each in reversed(approved.versions)), None)
    about = about or next((each.digest for each in reversed(decisions)), "")
    version = _approved_as(approved, about)
    if version is None:
        decided = [each.version for each in decisions if each.digest == about]
        version = decided[-1] if decided else _published_as(asking, answer, about)
    newest: dict[str, ApprovalEntry] = {}
    for each in answer.proved.about(version, about):
        # Who decides again goes to the end.
        newest.pop(each.by, None)
        newest[each.by] = each
    state = answer.proved.state(version, about) if version else UNKNOWN
    return Standing(state, about, version, tuple(newest.values()), approved, asking.now)


def publication_of(asking: Asking, answer: Answer, standing: Standing) -> Publication | None:
    """What an approved version holds: kept of the last one, of an earlier only where the registry answers.

    Raises:
        VerificationError: it is not what was approved.
        MalformedInputError: the answer makes no sense.
        UnavailableError: the registry does not answer any more.
    """
    last = answer.approved.publication
    if last is not None and last.version == standing.version:
        return last
    if answer.checkpoint is None:
        return None
    memory, (version, digest) = asking.memory, (standing.version, standing.digest)
    with asking.client.within(PATIENCE):
        return approved_publication(
            asking.client,
            memory,
            answer.checkpoint,
            recall_log(memory) or KnownLog(answer.checkpoint),
            answer.approved.name,
            version,
            digest,
            answer.proved.approved_at[version, digest],
        )


def _approved_as(approved: Approved, digest: str) -> str | None:
    found: list[ApprovedVersion] = [each for each in approved.versions if each.digest == digest]
    return found[-1].version if found else None


def _published_as(asking: Asking, answer: Answer, digest: str) -> str:
    """The version of this server with a signature nobody has decided about; empty when there is none."""
    if not digest or answer.checkpoint is None:
        return ""
    name = answer.approved.name
    try:
        with asking.client.within(PATIENCE):
            found = list(verified_publications_of(asking.client, answer.checkpoint, Digest(digest), name))
    except RefusedError as error:
        if error.status != 404:
            raise
        return ""
    except RegistryUnavailableError:
        # It matters for the words only: the answer is no already.
        return ""
    return next((entry.version for entry, _ in found), "")


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

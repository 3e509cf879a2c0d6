"""Asks a registry whether what a server shows is approved in an environment, or memory where it is silent."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from avow.core.canonical import Digest
from avow.core.publication import Publication, ServerName
from avow.core.tlog.checkpoint import VerifiedCheckpoint
from avow.core.tlog.notes import VerifierKey
from avow.errors import RegistryUnavailableError, VerificationError
from avow.system.registry_client.approved_publication import approved_publication
from avow.system.registry_client.approved_state import (
    Approved,
    ApprovedVersion,
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
from avow.system.registry_standing import UNKNOWN, Standing, ago

PATIENCE: Final = 60.0
"""How many seconds a registry has to answer all that is asked about one server; then memory counts."""


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
    state = answer.proved.state(version, about) if version else UNKNOWN
    newest = answer.proved.newest(version, about)
    return Standing(state, about, version, newest, approved, asking.now)


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

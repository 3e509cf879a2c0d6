"""What is approved for a server in an environment: as the registry answers, or as it did the last time.

Kept are the entries of the log, each proved when it was written down, and the publication that was approved
last. What they come to is computed anew at each look, by the rule that the registry follows.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from avow.core.canonical import JsonObject, parse_json
from avow.core.publication import Publication, ServerName
from avow.core.readable_json import readable_json
from avow.core.tlog import entry as entries
from avow.core.tlog.checkpoint import VerifiedCheckpoint
from avow.core.tlog.decisions import APPROVED, standing
from avow.core.tlog.entry import ApprovalEntry, Entry
from avow.errors import RegistryUnavailableError, StorageError
from avow.system.files import read_bounded
from avow.system.registry_client.approved_publication import approved_publication, kept_publication
from avow.system.registry_client.client import RegistryClient
from avow.system.registry_client.freshness import NOT_KNOWN, Freshness
from avow.system.registry_client.known_decisions import require_all
from avow.system.registry_client.proving import verified_decisions
from avow.system.registry_client.remembered import Memory, place, read_time, reading, write_time

_MAX_FILE: Final = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ApprovedVersion:
    """A version that is approved, and the newest decision that made it so."""

    version: str
    digest: str
    decision: ApprovalEntry


@dataclass(frozen=True, slots=True)
class Approved:
    """What is approved for a server, and when that was last proved.

    `versions` ends with the one that was approved last, and `publication` is what that one holds. Both are
    empty when nothing is approved, which is an answer too. In the `unread` entries of the log there may be
    decisions that were left out.
    """

    name: ServerName
    environment: str
    versions: tuple[ApprovedVersion, ...]
    publication: Publication | None
    verified_at: datetime
    freshness: Freshness = NOT_KNOWN
    unread: int = 0
    is_offline: bool = False

    def age(self, now: datetime) -> timedelta:
        """How old the answer is."""
        return max(timedelta(0), now - self.verified_at)


def learn_approved(
    client: RegistryClient,
    memory: Memory,
    checkpoint: VerifiedCheckpoint,
    name: ServerName,
    environment: str,
    now: datetime,
    freshness: Freshness,
) -> Approved:
    """Ask the registry, prove the answer by its log, and keep it for when the registry does not answer.

    Raises:
        ForkError: a decision that is known of is left out.
        VerificationError: the log says something else.
        MalformedInputError: the answer makes no sense.
        UnavailableError: the registry does not answer, or nothing can be kept.
    """
    found = verified_decisions(client, checkpoint, name, environment)
    known = require_all(client, memory, checkpoint, name, environment, [index for _, index in found])
    decisions = [decision for decision, _ in found]
    approved = _approved_versions(decisions)
    publication = None
    if approved:
        last = approved[-1]
        at = first_approvals(found)[last.version, last.digest]
        publication = approved_publication(
            client, memory, checkpoint, known, name, last.version, last.digest, at
        )
    document = {
        "avow": 1,
        "name": str(name),
        "environment": environment,
        "verifiedAt": write_time(now),
        "checkpoint": checkpoint.note.decode(),
        "decisions": [entries.dumps(each).decode() for each in decisions],
        "content": None if publication is None else publication.content,
        "unread": known.unread,
        "logGrewAt": _written(freshness.grew_at),
        "witnessedAt": _written(freshness.witnessed_at),
    }
    memory.write(_file(memory, name, environment), readable_json(document))
    return Approved(name, environment, approved, publication, now, freshness, known.unread)


def recall_approved(memory: Memory, name: ServerName, environment: str) -> Approved:
    """What was approved the last time the registry was asked.

    Raises:
        RegistryUnavailableError: it was never asked.
        StorageError: what was kept cannot be read, or is damaged.
    """
    file = _file(memory, name, environment)
    if not file.exists():
        raise RegistryUnavailableError(
            f"nothing is known of what is approved for {name} in {environment}",
            hint=f"ask once while {memory.url} can be reached",
        )
    damaged = StorageError(
        f"what is remembered of {name} in {file} is damaged", hint="remove it, and ask the registry again"
    )
    with reading(damaged):
        document = parse_json(read_bounded(file, _MAX_FILE))
        decisions = [_read_decision(text, name, environment) for text in document["decisions"]]
        content, at = document["content"], read_time(document["verifiedAt"])
        publication = None if content is None else kept_publication(memory, content)
        unread = int(document["unread"])
        times = [document["logGrewAt"], document["witnessedAt"]]
        freshness = Freshness(*(None if each is None else read_time(each) for each in times))
    return Approved(
        name, environment, _approved_versions(decisions), publication, at, freshness, unread, is_offline=True
    )


def first_approvals(found: Iterable[tuple[Entry, int]]) -> dict[tuple[str, str], int]:
    """The entry that was the first to approve each version and digest, of entries and their places."""
    return {
        (entry.version, entry.digest): index
        for entry, index in sorted(found, key=lambda each: -each[1])
        if isinstance(entry, ApprovalEntry) and entry.state == APPROVED
    }


def _approved_versions(decisions: Iterable[ApprovalEntry]) -> tuple[ApprovedVersion, ...]:
    """The approved versions, in the order of their newest decisions."""
    by_version: dict[tuple[str, str], list[ApprovalEntry]] = {}
    for each in decisions:
        # A version that is decided about again goes to the end.
        made = by_version.pop((each.version, each.digest), [])
        by_version[each.version, each.digest] = [*made, each]
    return tuple(
        ApprovedVersion(version, digest, made[-1])
        for (version, digest), made in by_version.items()
        if standing(each.decision for each in made) == APPROVED
    )


def _read_decision(text: str, name: ServerName, environment: str) -> ApprovalEntry:
    entry = entries.loads(text.encode())
    if not isinstance(entry, ApprovalEntry) or (entry.name, entry.environment) != (str(name), environment):
        raise ValueError("a decision about something else")
    return entry


def _file(memory: Memory, name: ServerName, environment: str) -> Path:
    return memory.directory / "approved" / f"{place(str(name), environment)}.json"


def _written(at: datetime | None) -> str | None:
    return None if at is None else write_time(at)


def approved_document(approved: Approved, now: datetime) -> JsonObject:
    """The answer for machines."""
    return {
        "name": str(approved.name),
        "environment": approved.environment,
        "versions": [
            {"version": each.version, "digest": each.digest, "by": each.decision.by, "at": each.decision.time}
            for each in approved.versions
        ],
        "verifiedAt": write_time(approved.verified_at),
        "ageSeconds": int(approved.age(now).total_seconds()),
        "offline": approved.is_offline,
        "complete": not approved.unread,
        "logGrewAt": _written(approved.freshness.grew_at),
        "witnessedAt": _written(approved.freshness.witnessed_at),
    }

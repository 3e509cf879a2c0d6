"""How fresh the word of a registry is: whoever is in between can show answers of last week again.

A checkpoint has no time. What has one is the newest entry of the log, by the registry's clock, and what a
witness has signed, by its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from avow.core.tlog.checkpoint import VerifiedCheckpoint
from avow.core.tlog.notes import VerifierKey
from avow.errors import VerificationError
from avow.system.registry_client.client import RegistryClient
from avow.system.registry_client.contact import Contact, meet
from avow.system.registry_client.proving import verified_newest
from avow.system.registry_client.remembered import Memory
from avow.system.registry_client.witnessing import require_witnesses

_AHEAD: Final = timedelta(hours=1)
"""A clock may be wrong by so much; a time that is later still says nothing about now."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """When the log last grew, and when all the witnesses that were asked for had signed it; None: unknown."""

    grew_at: datetime | None = None
    witnessed_at: datetime | None = None

    def is_within(self, age: timedelta, now: datetime, *, witnessed: bool) -> bool:
        """Whether what is shown was all there was not longer ago, by what witnesses say or by the log."""
        known = self.witnessed_at if witnessed else self.grew_at
        return known is not None and now - age <= known <= now + _AHEAD


NOT_KNOWN: Final = Freshness()


def learn_freshness(
    client: RegistryClient, memory: Memory, met: Contact, witnesses: Sequence[VerifierKey], now: datetime
) -> tuple[Contact, Freshness]:
    """How fresh a log is that was met; met again where a witness has seen more of it by now.

    Raises:
        UsageError: one of the keys is not that of a witness.
        ForkError: a witness has signed another log.
        VerificationError: a proof does not hold, or a witness has not signed.
        MalformedInputError: an answer makes no sense.
        UnavailableError: the registry does not answer.
    """
    seen = require_witnesses(client, memory, met, witnesses, len(set(witnesses)), now)
    if any(each.size > met.checkpoint.checkpoint.size for each in seen):
        met = meet(client, memory, now, key=met.key)
    if any(each.size > met.checkpoint.checkpoint.size for each in seen):
        raise VerificationError(f"{client.url} shows less of its log than a witness has signed")
    witnessed_at = min((each.at for each in seen), default=None)
    return met, Freshness(_grew_at(client, met.checkpoint), witnessed_at)


def _grew_at(client: RegistryClient, checkpoint: VerifiedCheckpoint) -> datetime | None:
    newest = verified_newest(client, checkpoint)
    try:
        return None if newest is None else datetime.fromisoformat(newest.time)
    except ValueError:
        # A day that no month has.
        return None

"""What witnesses have seen of a registry's log: the one that is shown here has to continue it.

A witness signs a checkpoint now and then, and the log grows meanwhile. What it signed last says that all are
shown the same log up to that size; of the entries since then it says nothing yet.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from avow.core.tlog.notes import SignatureType, VerifierKey
from avow.errors import UsageError, VerificationError
from avow.system.registry_client.client import RegistryClient
from avow.system.registry_client.contact import Contact, continued, open_shown
from avow.system.registry_client.remembered import Memory, Remembered
from avow.system.registry_client.transport import RefusedError

# A signature may name any second; this is the last one that can be told as a time.
_LATEST: Final = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp())


@dataclass(frozen=True, slots=True)
class Witnessed:
    """How much of the log a witness has signed, and when it says it did."""

    key: VerifierKey
    size: int
    at: datetime


def require_witnesses(
    client: RegistryClient,
    memory: Memory,
    contact: Contact,
    witnesses: Sequence[VerifierKey],
    needed: int,
    now: datetime,
) -> tuple[Witnessed, ...]:
    """Who of some witnesses has signed a log that the one met here continues; the best seen first.

    Raises:
        UsageError: one of the keys is not that of a witness.
        ForkError: a witness has signed another log; both checkpoints are kept as evidence.
        VerificationError: a signature does not fit, or fewer than needed have signed.
        MalformedInputError: the answer makes no sense.
        UnavailableError: the registry does not answer.
    """
    for key in witnesses:
        if key.type is not SignatureType.WITNESS:
            raise UsageError(
                f"the key of {key.name} is not that of a witness", hint="ask it for its cosignature/v1 key"
            )
    met = Remembered(contact.key, contact.checkpoint, now)
    seen = [_seen(client, memory, met, key) for key in dict.fromkeys(witnesses)]
    found = sorted((each for each in seen if each is not None), key=lambda each: -each.size)
    if len(found) < needed:
        raise VerificationError(
            f"{len(found)} of the {needed} witnesses needed have signed the log of {client.url}",
            hint="the operator names witnesses with --witness; each has to send what it signs",
        )
    return tuple(found)


def _seen(client: RegistryClient, memory: Memory, met: Remembered, witness: VerifierKey) -> Witnessed | None:
    try:
        data = client.cosigned(witness)
    except RefusedError as exc:
        if exc.status == 404:
            return None
        raise
    cosigned = open_shown(client, data, met.key, [witness])
    times = [each.time for each in cosigned.witnessed if each.time is not None and each.time <= _LATEST]
    if not times:
        return None
    continued(client, memory, met, cosigned)
    return Witnessed(witness, cosigned.checkpoint.size, datetime.fromtimestamp(times[0], UTC))

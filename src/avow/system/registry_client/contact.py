"""Meeting a registry: its log has to continue the one that is remembered, or nothing it says is believed."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from avow.core.canonical import JsonObject
from avow.core.tlog.checkpoint import VerifiedCheckpoint, open_checkpoint
from avow.core.tlog.encoding import to_base64
from avow.core.tlog.notes import VerifierKey
from avow.core.tlog.proofs import verify_consistency
from avow.errors import MalformedInputError, UntrustedKeyError, VerificationError
from avow.system.registry_client.client import RegistryClient
from avow.system.registry_client.remembered import Memory, Remembered
from avow.system.registry_client.transport import RefusedError


class ForkError(VerificationError):
    """A registry has shown two logs that cannot both be honest."""


@dataclass(frozen=True, slots=True)
class Contact:
    """A checkpoint that continues what was remembered; `is_first` when nothing was."""

    checkpoint: VerifiedCheckpoint
    key: VerifierKey
    is_first: bool


def meet(client: RegistryClient, memory: Memory, now: datetime, *, key: VerifierKey | None = None) -> Contact:
    """Fetch the checkpoint, prove that it continues the remembered one, and remember it.

    A log is the same one wherever it is met: what another address has shown of it counts as well.
    Without a `key` the one that was seen first is trusted for good.

    Raises:
        ForkError: the log was changed, shortened or forked; both checkpoints are kept as evidence.
        VerificationError: another key signed.
        MalformedInputError: the answer makes no sense.
        UnavailableError: the registry does not answer, or nothing can be remembered.
    """
    known = memory.recall()
    trusted = _trusted(client, memory, known, key)
    elsewhere = memory.recall_log(trusted)
    try:
        data = client.checkpoint()
    except RefusedError as exc:
        before = known or elsewhere
        if before is not None and exc.status == 404:
            raise _fork(client, memory, before, None, ()) from exc
        raise
    believed = open_shown(client, data, trusted)
    if known is not None:
        believed = continued(client, memory, known, believed)
    if elsewhere is not None and (known is None or elsewhere.checkpoint != known.checkpoint):
        believed = continued(client, memory, elsewhere, believed)
    memory.remember(Remembered(trusted, believed, now))
    return Contact(believed, trusted, known is None)


def _trusted(
    client: RegistryClient, memory: Memory, known: Remembered | None, given: VerifierKey | None
) -> VerifierKey:
    if known is None:
        return given or client.log_key()
    if given is not None and given != known.key:
        raise UntrustedKeyError(
            f"the key given is not the one that {client.url} has had so far, {known.key}",
            hint=f"if the log really began anew, remove {memory.file}",
        )
    return known.key


def open_shown(
    client: RegistryClient, data: bytes, key: VerifierKey, witnesses: Iterable[VerifierKey] = ()
) -> VerifiedCheckpoint:
    """A checkpoint that a registry shows.

    Raises:
        VerificationError: another key signed, or a signature does not fit.
        MalformedInputError: it is none.
    """
    try:
        return open_checkpoint(data, key, witnesses)
    except VerificationError as exc:
        raise type(exc)(
            f"the checkpoint of {client.url} cannot be trusted: {exc.message}",
            hint=f"the key that is trusted is {key}: ask its operator why another one signs",
        ) from exc


def continued(
    client: RegistryClient, memory: Memory, known: Remembered, seen: VerifiedCheckpoint
) -> VerifiedCheckpoint:
    """The longer of two checkpoints, of which one continues the other.

    What is shown may be the shorter, where a cache is old; the registry then has to have the rest still.

    Raises:
        ForkError: it cannot prove it; both checkpoints are kept as evidence.
        UnavailableError: the registry does not answer.
    """
    shorter, longer = sorted((known.checkpoint, seen), key=lambda each: each.checkpoint.size)
    before, after = shorter.checkpoint, longer.checkpoint
    proof: tuple[bytes, ...] = ()
    # Every log begins with the empty one, and that needs no proof; but no honest log is ever emptied.
    if seen.checkpoint.size == 0 < known.checkpoint.checkpoint.size:
        raise _fork(client, memory, known, seen, proof)
    try:
        if 0 < before.size < after.size:
            proof = client.consistency(before.size, after.size)
        verify_consistency(before.size, after.size, proof, before.root, after.root)
    except (VerificationError, MalformedInputError) as exc:
        # Not to prove it is no better than to prove it wrongly, unless we have no right to ask.
        if isinstance(exc, RefusedError) and exc.status in (401, 403):
            raise
        raise _fork(client, memory, known, seen, proof) from exc
    return longer


def refusal(
    client: RegistryClient, memory: Memory, checkpoint: VerifiedCheckpoint, what: str, shown: JsonObject
) -> ForkError:
    """The error of a registry whose answers its own log contradicts; what it showed is kept as evidence."""
    told = {"avow": 1, "url": client.url, "what": what, "checkpoint": checkpoint.note.decode()}
    evidence = memory.keep_evidence({**told, **shown})
    return ForkError(
        f"DO NOT TRUST {client.url}: {what}", hint=f"what it showed is kept in {evidence}: show it to others"
    )


def _fork(
    client: RegistryClient,
    memory: Memory,
    known: Remembered,
    seen: VerifiedCheckpoint | None,
    proof: tuple[bytes, ...],
) -> ForkError:
    old, new = known.checkpoint.checkpoint.size, 0 if seen is None else seen.checkpoint.size
    there = f" at {known.url}" if known.url not in ("", client.url) else ""
    if seen is None:
        what = f"had {old} entries{there}, and now shows none"
    elif new == old:
        what = f"has two different logs of {new} entries{there and ', the other'}{there}"
    elif new < old:
        what = f"had {old} entries{there}, now shows {new}, and cannot prove that these are the first of them"
    else:
        what = f"cannot prove that its {new} entries begin with the {old} known ones{there}"
    evidence = memory.keep_evidence(
        {
            "avow": 1,
            "url": client.url,
            "rememberedFrom": known.url or client.url,
            "key": str(known.key),
            "what": f"the registry {what}",
            "remembered": known.checkpoint.note.decode(),
            "shown": None if seen is None else seen.note.decode(),
            "proof": [to_base64(each) for each in proof],
        }
    )
    return ForkError(
        f"DO NOT TRUST {client.url}: it {what}",
        hint=f"what its key has signed is kept in {evidence}: show it to others",
    )

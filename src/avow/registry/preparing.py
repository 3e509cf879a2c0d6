"""Everything about a publication that can be computed before it is written; no clock, no store.

A pure function of bytes, so that it can run in another process: rating and comparing take most of the time.
"""

import json
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from avow.core import dsse
from avow.core.canonical import Digest, canonical
from avow.core.capability import Capability, Kind, Signature
from avow.core.configuration.wire import read_schema
from avow.core.documents import read_snapshot_document
from avow.core.drift.compare import diff
from avow.core.drift.model import Drift, drift_document, highest
from avow.core.keys import PublicKey
from avow.core.publication import MAX_ENVELOPE, PUBLICATION_TYPE, Publication, ServerName, read_publication
from avow.core.risk import Level, Rating, Risk, assess, level_of
from avow.core.snapshot import Snapshot, Volatile
from avow.errors import DeclarationError, MalformedInputError, StorageError, UntrustedKeyError
from avow.registry import indexing
from avow.registry.model import Counts, Needs
from avow.registry.store.contents import Predecessor
from avow.registry.store.packing import Stored, outline, pack, read_stored, squeeze
from avow.registry.store.prepared import Prepared, PreparedCapability
from avow.registry.store.rows import bounded
from avow.registry.store.searching import MAX_CAPABILITY_NAME

_MAX_DRIFT: Final = 2_000
_MAX_INDEXED_ARGUMENTS: Final = 20_000
_REMEMBERED: Final = 20_000

Key = tuple[Kind, Digest]


class Ratings:
    """Ratings of capabilities by digest: what many servers share is rated once."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._known: OrderedDict[Key, Risk] = OrderedDict()

    def of(self, capability: Capability) -> Risk:
        """The rating of a capability."""
        key = (capability.kind, capability.digest)
        risk = self._known.pop(key, None) or assess(capability)
        self._known[key] = risk
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return risk


_ratings: Final = Ratings()


def prepare(
    data: bytes, name: ServerName, keys: Sequence[PublicKey], before: Predecessor | None, at: datetime
) -> Prepared:
    """Verify an envelope by the keys of the namespace, and compute all that is stored of it.

    Raises:
        MalformedInputError: it is too large, not an envelope, no publication, or a digest does not fit.
        SignatureError, UntrustedKeyError: no key of the namespace has signed exactly this.
    """
    # 1. A key of the namespace has signed these very bytes ...
    envelope = read_envelope(data)
    verified = dsse.verify(envelope, PUBLICATION_TYPE, keys)
    # 2. ... which are read only now, with every digest computed again ...
    publication = read_publication(verified.payload)
    # 3. ... and are about a server of this namespace.
    if publication.name != name:
        raise UntrustedKeyError(f"{publication.name} was announced as {name}")
    return _prepared(publication, verified, envelope, before, at)


def read_envelope(data: bytes) -> dsse.Envelope:
    """The envelope, if it is not too large.

    Raises:
        MalformedInputError: it is, or is no envelope.
    """
    if len(data) > MAX_ENVELOPE:
        raise MalformedInputError(
            f"the envelope has {len(data)} bytes; {MAX_ENVELOPE} is the limit",
            hint="a signature this large cannot be used by any client",
        )
    return dsse.loads(data)


def _prepared(
    publication: Publication,
    verified: dsse.VerifiedPayload,
    envelope: dsse.Envelope,
    before: Predecessor | None,
    at: datetime,
) -> Prepared:
    snapshot, signature = publication.snapshot, publication.snapshot.signature
    known = before.capabilities if before is not None else {}
    ratings = {(one.kind, one.digest): _rating(one, known) for one in signature}
    fresh = [one for one in signature if (one.kind, one.digest) not in known]
    drift = diff(_predecessor(before, signature), snapshot, _levels(fresh, ratings)) if before else ()
    return Prepared(
        name=publication.name,
        version=publication.version,
        digest=signature.digest,
        content=publication.content,
        published_at=at,
        key=verified.key.identifier,
        counts=_counts(signature, ratings),
        needs=_needs(snapshot),
        predecessor=before.sequence if before is not None else 0,
        highest=highest(drift),
        drift=Counter(each.severity for each in drift),
        drift_document=_drift_document(drift),
        body=pack(publication, verified.payload, ratings),
        signatures=squeeze(dsse.dumps(replace(envelope, payload=b""))),
        offered=tuple(ratings),
        fresh=_fresh(fresh, ratings),
        title=indexing.title_of(snapshot),
        description=indexing.description_of(snapshot),
        words=indexing.server_words(str(publication.name), snapshot),
    )


def _rating(capability: Capability, known: Mapping[Key, Stored]) -> Risk:
    stored = known.get((capability.kind, capability.digest))
    if stored is None:
        return _ratings.of(capability)
    return Risk(stored.risk, tuple(json.loads(stored.reasons)))


def _levels(fresh: Sequence[Capability], ratings: Mapping[Key, Risk]) -> Rating:
    """Levels of what was rated just now; what is stored may have been rated by older rules, and is again."""
    levels = {(one.kind, one.digest): ratings[one.kind, one.digest].level for one in fresh}
    return lambda one: levels.get((one.kind, one.digest)) or level_of(one)


def _predecessor(before: Predecessor, after: Signature) -> Snapshot:
    """The snapshot of the version before; what has not changed is taken from the new one.

    Raises:
        StorageError: what is stored of it is damaged.
    """
    same = {(one.kind, one.digest): one for one in after}
    try:
        document = outline(before.body)["snapshot"]
        shapes = document.pop("volatileShapes", {})
        volatile = tuple(Volatile(pointer, shapes[pointer]) for pointer in document.pop("volatile", ()))
        capabilities = []
        for kind in Kind:
            for key in [(kind, entry["digest"]) for entry in document[kind.collection]]:
                there = same.get(key)
                capabilities.append(there or read_stored(*key, before.capabilities[key].definition))
            document[kind.collection] = []
        # The digests of the capabilities were checked when they came, and again just now where they differ.
        document["digest"] = Signature().digest
        snapshot = read_snapshot_document(document)
        return replace(snapshot, signature=Signature.of(capabilities), volatile=volatile)
    except (MalformedInputError, KeyError, TypeError, AttributeError) as error:
        raise StorageError("the version before is damaged in the store", hint="restore a backup") from error


def _counts(signature: Signature, ratings: Mapping[Key, Risk]) -> Counts:
    levels = Counter(risk.level for risk in ratings.values())
    kinds = (len(signature.of_kind(kind)) for kind in Kind)
    return Counts(*kinds, *(levels[level] for level in Level))


def _needs(snapshot: Snapshot) -> Needs:
    if snapshot.configuration_schema is None:
        return Needs()
    try:
        parameters = list(read_schema(snapshot.configuration_schema))
    except DeclarationError as error:
        raise MalformedInputError(f"the configuration schema cannot be read: {error.message}") from error
    return Needs(
        declared=True,
        parameters=len(parameters),
        required=sum(one.required for one in parameters),
        secrets=sum(one.secret for one in parameters),
        required_secrets=sum(one.required and one.secret for one in parameters),
    )


def _drift_document(drift: Sequence[Drift]) -> bytes:
    """The drift as machine output writes it; of very many differences the most severe."""
    return squeeze(json.dumps([drift_document(each) for each in drift[:_MAX_DRIFT]]).encode())


def _fresh(capabilities: Sequence[Capability], ratings: Mapping[Key, Risk]) -> tuple[PreparedCapability, ...]:
    prepared, left = [], _MAX_INDEXED_ARGUMENTS
    for one in capabilities:
        arguments = indexing.arguments_of(one)[: max(left, 0)]
        left -= len(arguments)
        risk = ratings[one.kind, one.digest]
        prepared.append(
            PreparedCapability(
                digest=one.digest,
                kind=one.kind,
                name=bounded(one.name, MAX_CAPABILITY_NAME),
                title=bounded(one.definition.get("title"), indexing.MAX_TITLE),
                description=bounded(one.definition.get("description"), indexing.MAX_DESCRIPTION),
                risk=risk.level,
                reasons=json.dumps(risk.reasons),
                definition=squeeze(canonical(one.definition)),
                arguments=arguments,
                annotations=indexing.annotations_of(one),
                words=indexing.capability_words(one, arguments),
            )
        )
    return tuple(prepared)

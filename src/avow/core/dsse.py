"""DSSE envelopes: a payload, what type it is of, and signatures over both.

The protocol is that of DSSE 1.0. Beside each signature stands the public key that made it, so that a key
can be trusted by its identifier alone; readers that do not know the member ignore it.
"""

import base64
import binascii
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from avow.core.canonical import JsonValue, canonical, parse_json
from avow.core.keys import KeyId, PrivateKey, PublicKey, read_public_der
from avow.errors import MalformedInputError, SignatureError, UntrustedKeyError

MAX_SIGNATURES: Final = 16
MAX_TRIES: Final = 16
"""How many keys are tried, in all, for the signatures of an envelope that name none that is trusted."""

Trusted: TypeAlias = PublicKey | KeyId
"""A key that somebody trusts: the key itself, or its identifier."""


@dataclass(frozen=True, slots=True)
class EnvelopeSignature:
    """One signature; the identifier is a hint, and neither it nor the key is proof of anything."""

    signature: bytes
    identifier: str = ""
    key: PublicKey | None = None


@dataclass(frozen=True, slots=True)
class Envelope:
    """What somebody says they signed; `verify` finds out."""

    payload: bytes
    payload_type: str
    signatures: tuple[EnvelopeSignature, ...]


@dataclass(frozen=True, slots=True)
class VerifiedPayload:
    """A payload that a trusted key signed; only `verify` makes one."""

    payload: bytes
    key: PublicKey


def encoding(payload_type: str, payload: bytes) -> bytes:
    """The bytes that are signed: the pre-authentication encoding of type and payload."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def sign(payload: bytes, payload_type: str, keys: Sequence[PrivateKey]) -> Envelope:
    """Sign a payload with each of these keys."""
    message = encoding(payload_type, payload)
    return Envelope(
        payload,
        payload_type,
        tuple(EnvelopeSignature(key.sign(message), key.public.identifier, key.public) for key in keys),
    )


def verify(envelope: Envelope, payload_type: str, trusted: Iterable[Trusted]) -> VerifiedPayload:
    """Check the signatures first; only then may anybody read the payload.

    Raises:
        SignatureError: the payload is of another type, or a signature does not fit.
        UntrustedKeyError: nobody here trusts a key that signed; an empty list trusts nobody.
    """
    # 1. The type is part of what was signed: a snapshot must not pass for a lockfile.
    if envelope.payload_type != payload_type:
        raise SignatureError(
            f"the signature is for {envelope.payload_type[:80]!r}, and {payload_type!r} is needed"
        )
    message = encoding(envelope.payload_type, envelope.payload)
    known = tuple(trusted)
    keys = {each.identifier: each for each in known if isinstance(each, PublicKey)}
    identifiers = {each.identifier if isinstance(each, PublicKey) else each for each in known}
    # 2. One good signature by one trusted key is enough. A signature is tried with the keys that it names:
    #    each try hashes the whole payload, and whoever sends it chooses how many signatures there are.
    tries = MAX_TRIES
    for each in envelope.signatures:
        named = [each.key] if each.key is not None and each.key.identifier in identifiers else []
        if (hinted := keys.get(KeyId(each.identifier))) is not None:
            named.append(hinted)
        if not named:
            named = list(keys.values())[:tries]
            tries -= len(named)
        for key in dict.fromkeys(named):
            if key.verifies(each.signature, message):
                return VerifiedPayload(envelope.payload, key)
    # 3. None: say whether the signature is bad or the signer unknown, since the next step differs.
    raise _refusal(envelope, message, identifiers)


def _refusal(
    envelope: Envelope, message: bytes, identifiers: set[KeyId]
) -> SignatureError | UntrustedKeyError:
    for each in envelope.signatures:
        if each.identifier in identifiers:
            return SignatureError("the signature does not fit what it is said to sign")
    for each in envelope.signatures:
        if each.key is not None and not each.key.verifies(each.signature, message):
            return SignatureError("the signature does not fit what it is said to sign")
    names = ", ".join(sorted({_name(each) for each in envelope.signatures})) or "nobody"
    return UntrustedKeyError(
        f"it is signed by {names}, which is not trusted here",
        hint="if you know the signer, name the key with --trust KEY.pub",
    )


def _name(signature: EnvelopeSignature) -> str:
    return signature.key.identifier if signature.key is not None else repr(signature.identifier[:80])


def dumps(envelope: Envelope) -> bytes:
    """The envelope as JSON."""
    signatures = []
    for each in envelope.signatures:
        document = {"keyid": each.identifier, "sig": _encode(each.signature)}
        if each.key is not None:
            document["publicKey"] = _encode(each.key.der)
        signatures.append(document)
    payload = _encode(envelope.payload)
    return canonical({"payload": payload, "payloadType": envelope.payload_type, "signatures": signatures})


def loads(data: bytes) -> Envelope:
    """The inverse of `dumps`; envelopes of other tools are read too.

    Raises:
        MalformedInputError: it is not an envelope.
    """
    match parse_json(data):
        case {"payload": str(payload), "payloadType": str(kind), "signatures": list(signatures)}:
            if not 0 < len(signatures) <= MAX_SIGNATURES:
                raise MalformedInputError(f"an envelope has 1 to {MAX_SIGNATURES} signatures")
            return Envelope(_decode(payload), kind, tuple(_read_signature(each) for each in signatures))
        case _:
            raise MalformedInputError("this is not a DSSE envelope", hint="`avow sign` writes one")


def _read_signature(document: JsonValue) -> EnvelopeSignature:
    match document:
        case {"sig": str(signature)}:
            identifier, key = document.get("keyid", ""), document.get("publicKey")
            if not isinstance(identifier, str) or not (key is None or isinstance(key, str)):
                raise MalformedInputError("keyid and publicKey of a signature are strings")
            public = None if key is None else read_public_der(_decode(key))
            return EnvelopeSignature(_decode(signature), identifier, public)
        case _:
            raise MalformedInputError("an entry of the envelope's signatures has no sig")


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _decode(text: str) -> bytes:
    """Standard or URL-safe base64: the specification lets a writer choose."""
    try:
        return base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError):
        raise MalformedInputError("the envelope holds something that is not base64") from None

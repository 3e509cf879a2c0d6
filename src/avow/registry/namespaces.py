"""Namespaces belong to keys: who may give one away, and who may change its keys."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from avow.core import dsse
from avow.core.canonical import JsonValue, canonical, parse_json
from avow.core.dsse import Envelope
from avow.core.keys import KeyId, PrivateKey, PublicKey, read_public_key
from avow.core.publication import read_namespace
from avow.errors import MalformedInputError, UntrustedKeyError
from avow.registry.model import ConflictError, Namespace, NotFoundError
from avow.registry.store.interface import Store

KEYS_TYPE: Final = "application/vnd.avow.keys+json"
"""The payload type of the DSSE envelope around a change of keys."""

_MOST: Final = 20


@dataclass(frozen=True, slots=True)
class KeyChange:
    """Keys to add to a namespace and to revoke, at once; `origin` is the log of the registry it is for."""

    origin: str
    namespace: str
    add: tuple[PublicKey, ...] = ()
    revoke: tuple[KeyId, ...] = ()


def sign_change(change: KeyChange, key: PrivateKey) -> bytes:
    """The envelope that a holder of a key of the namespace sends."""
    payload = canonical(
        {
            "origin": change.origin,
            "namespace": change.namespace,
            "add": [each.pem.decode("ascii") for each in change.add],
            "revoke": list(change.revoke),
        }
    )
    return dsse.dumps(dsse.sign(payload, KEYS_TYPE, [key]))


def read_change(document: JsonValue) -> KeyChange:
    """Read a change as it is sent, in an envelope or by an administrator.

    Raises:
        MalformedInputError: it is none.
    """
    match document:
        case {"origin": str(origin), "namespace": str(namespace), "add": list(add), "revoke": list(revoke)}:
            if len(add) + len(revoke) > _MOST or not add + revoke:
                raise MalformedInputError(f"a change is about 1 to {_MOST} keys")
            if not all(isinstance(each, str) for each in add + revoke):
                raise MalformedInputError("keys are added as PEM and revoked by their identifiers")
            keys = tuple(read_public_key(each.encode()) for each in add)
            return KeyChange(origin, read_namespace(namespace), keys, tuple(KeyId(each) for each in revoke))
        case _:
            raise MalformedInputError("a change of keys has origin, namespace, add and revoke")


async def claim(store: Store, namespace: str, key: PublicKey, by: str, at: datetime) -> Namespace:
    """Give a namespace that nobody has to a key, on an administrator's word.

    Raises:
        ConflictError: somebody has it.
        MalformedInputError: there can be no such namespace.
    """
    return await store.claim(read_namespace(namespace), key, by, at)


async def change(
    store: Store, namespace: str, by: str, at: datetime, *, add: Sequence[PublicKey], revoke: Sequence[KeyId]
) -> Namespace:
    """Change the keys of a namespace, on the word of an administrator or of one of its keys.

    Raises:
        NotFoundError: there is no such namespace, or no such key in it.
        ConflictError: a key has been there before, or none would be left.
    """
    known = {each.key.identifier: each for each in (await found(store, namespace)).keys}
    for key in add:
        if key.identifier in known:
            gone = known[key.identifier].revoked_at is not None
            raise ConflictError(
                f"the key {key.identifier} {'was revoked' if gone else 'is there already'}",
                hint="a revoked key stays revoked: make another with `avow keygen`" if gone else "",
            )
    return await store.change_keys(namespace, by, at, add=add, revoke=revoke)


async def change_signed(
    store: Store, namespace: str, origin: str, envelope: Envelope, at: datetime
) -> Namespace:
    """Change the keys of a namespace when one of them signed the change, for this namespace and this log.

    Raises:
        VerificationError: none of its keys signed it, or it is for something else.
        AvowError: as for `change`.
    """
    owner = await found(store, namespace)
    # Anybody may send one: nobody else waits while its signatures are tried.
    proven = await asyncio.to_thread(dsse.verify, envelope, KEYS_TYPE, owner.active)
    wanted = read_change(parse_json(proven.payload))
    if wanted.namespace != namespace or wanted.origin != origin:
        raise UntrustedKeyError(
            f"this change was signed for {wanted.namespace} in the log {wanted.origin[:80]!r}",
            hint="sign it again, for this registry",
        )
    by = proven.key.identifier
    return await change(store, namespace, by, at, add=wanted.add, revoke=wanted.revoke)


async def found(store: Store, namespace: str) -> Namespace:
    """One namespace.

    Raises:
        NotFoundError: nobody has claimed it.
    """
    known = await store.namespace(namespace)
    if known is None:
        raise NotFoundError(
            f"nobody has claimed the namespace {namespace[:80]!r}",
            hint="an administrator gives it to a key: `avow registry namespace claim`",
        )
    return known

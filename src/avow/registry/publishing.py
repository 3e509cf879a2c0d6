"""Takes a signed publication in: who may, what it is, how it differs, and then for good."""

import asyncio
import base64
import binascii
from concurrent.futures import BrokenExecutor, Executor
from datetime import datetime
from typing import Final
from weakref import WeakKeyDictionary, WeakValueDictionary

import msgspec

from avow.core.publication import MAX_ENVELOPE, ServerName
from avow.errors import MalformedInputError, UnavailableError, UntrustedKeyError
from avow.registry.model import Receipt
from avow.registry.preparing import prepare, read_envelope
from avow.registry.store.interface import Store
from avow.registry.store.prepared import StaleError

_ATTEMPTS: Final = 20

_turns: Final[WeakKeyDictionary[Store, WeakValueDictionary[ServerName, asyncio.Lock]]] = WeakKeyDictionary()


class _Announced(msgspec.Struct):
    name: str


class _Sent(msgspec.Struct):
    payload: str


async def publish(store: Store, data: bytes, now: datetime, executor: Executor | None = None) -> Receipt:
    """Publish what an envelope holds; when this returns it is durable, and the receipt proves it.

    Verifying, rating and comparing run in `executor`, a thread unless given.

    Raises:
        MalformedInputError: it is too large, malformed, or a digest in it does not fit.
        SignatureError, UntrustedKeyError: no key of the namespace has signed it.
        ConflictError: this version is there with another content.
        StorageError: it could not be made durable.
    """
    name = announced(data)
    # Versions of one server come one after the other: each is compared with the one before.
    async with _turn(store, name):
        return await _publish(store, data, name, now, executor)


def _turn(store: Store, name: ServerName) -> asyncio.Lock:
    turns = _turns.get(store)
    if turns is None:
        turns = _turns[store] = WeakValueDictionary()
    turn = turns.get(name)
    if turn is None:
        turn = turns[name] = asyncio.Lock()
    return turn


async def _publish(
    store: Store, data: bytes, name: ServerName, now: datetime, executor: Executor | None
) -> Receipt:
    loop = asyncio.get_running_loop()
    for attempt in range(_ATTEMPTS):
        basis = await store.basis(name)
        if basis.keys is None:
            raise UntrustedKeyError(
                f"nobody has claimed the namespace {name.namespace}",
                hint="an administrator's token claims it",
            )
        try:
            prepared = await loop.run_in_executor(
                executor, prepare, data, name, basis.keys, basis.predecessor, now
            )
            return await store.publish(prepared)
        except StaleError:
            # Another process published a version of this server in the same moment: compare with that one.
            if attempt == _ATTEMPTS - 1:
                raise
        except BrokenExecutor as error:
            raise UnavailableError("a process that verifies was killed", hint="try again") from error
    raise AssertionError("unreachable")


def announced(data: bytes) -> ServerName:
    """Which server an envelope says it is about, before anybody has verified it: only good for looking it up.

    Raises:
        MalformedInputError: it is too large, or does not say.
    """
    if len(data) <= MAX_ENVELOPE:
        try:
            payload = base64.b64decode(msgspec.json.decode(data, type=_Sent).payload)
            return ServerName.read(msgspec.json.decode(payload, type=_Announced).name)
        except (msgspec.MsgspecError, binascii.Error, ValueError, RecursionError):
            pass
    # It is too large, no envelope, or in URL-safe base64: the careful reader says it better.
    payload = read_envelope(data).payload
    try:
        return ServerName.read(msgspec.json.decode(payload, type=_Announced).name)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise MalformedInputError(
            "a publication has a name, a version and a snapshot", hint="`avow registry publish` makes one"
        ) from None

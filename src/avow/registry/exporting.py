"""All that a registry was told, as JSON lines that another one reads.

An export follows the log: each line holds an entry, with what it only names by its digest. The first line has
the signed checkpoint of exactly these entries, so that whoever has the key of the log can tell that
nothing was changed, added or left out. Tokens and webhooks stay behind: what they are good for is a secret.
"""

import json
from collections.abc import AsyncIterator
from typing import Final

from avow.core.canonical import JsonObject
from avow.core.publication import ServerName
from avow.core.tlog import entry as entries
from avow.core.tlog.entry import ApprovalEntry, Entry, KeyEntry, NamespaceEntry, PublicationEntry
from avow.errors import StorageError
from avow.registry.store.interface import Store

FORMAT: Final = 1
_BATCH: Final = 256


async def export(store: Store) -> AsyncIterator[bytes]:
    """Everything that the log records, then what people watch.

    Raises:
        StorageError: something that the log names is not there.
    """
    newest = await store.checkpoint()
    size = 0 if newest is None else newest.size
    yield _line(
        {
            "avow": FORMAT,
            "type": "export",
            "entries": size,
            "checkpoint": None if newest is None else newest.note.decode(),
            "environments": {each.name: each.needed for each in await store.environments()},
        }
    )
    for first in range(0, size, _BATCH):
        for data in await store.entries(first, min(first + _BATCH, size)):
            yield _line({"entry": json.loads(data), **await _named(store, entries.loads(data))})
    for watch in await store.watches():
        told = {"person": watch.person, "target": watch.target, "level": str(watch.level)}
        yield _line({"watch": told})


async def _named(store: Store, entry: Entry) -> JsonObject:
    """What an entry only names: the envelope of a publication, the keys that a namespace got."""
    match entry:
        case PublicationEntry():
            envelope = await store.envelope(ServerName.read(entry.name), entry.version)
            if envelope is None:
                raise StorageError(f"the envelope of {entry.name} {entry.version} is missing")
            return {"envelope": json.loads(envelope)}
        case NamespaceEntry():
            return {"keys": await _keys(store, entry.namespace, (entry.key,))}
        case KeyEntry():
            return {"keys": await _keys(store, entry.namespace, entry.added)}
        case ApprovalEntry():
            return {}


async def _keys(store: Store, namespace: str, wanted: tuple[str, ...]) -> list[str]:
    found = await store.namespace(namespace)
    keys = found.keys if found else ()
    known: dict[str, str] = {each.key.identifier: each.key.pem.decode("ascii") for each in keys}
    if missing := [each for each in wanted if each not in known]:
        raise StorageError(f"the key {missing[0]} of {namespace} is missing")
    return [known[each] for each in wanted]


def _line(document: JsonObject) -> bytes:
    return json.dumps(document, separators=(",", ":"), sort_keys=True).encode() + b"\n"

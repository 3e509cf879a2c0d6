"""The log: its newest entries, and for each the proof that it is there, to be checked in the page."""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final

from avow.core.publication import ServerName
from avow.core.tlog import entry as entries
from avow.core.tlog.encoding import to_base64
from avow.core.tlog.entry import ApprovalEntry, Entry, KeyEntry, NamespaceEntry, PublicationEntry
from avow.core.tlog.hashing import leaf_hash
from avow.errors import MalformedInputError
from avow.registry.api.endpoints import Call
from avow.registry.api.log import inclusion
from avow.registry.model import NotFoundError
from avow.registry.pages.showing import server_path
from avow.registry.pages.site import View, Visit

PAGE: Final = 25


@dataclass(frozen=True, slots=True)
class Row:
    """One entry in a few words: `subject` links to `path`."""

    index: int
    at: datetime
    type: str
    subject: str
    path: str
    words: str


async def log(visit: Visit) -> View:
    """The newest entries, or those before one."""
    store = visit.service.store
    checkpoint = await store.checkpoint()
    size = checkpoint.size if checkpoint else 0
    before = visit.number("before")
    last = size if before is None else min(before, size)
    first = max(last - PAGE, 0)
    found = await store.entries(first, last)
    rows = [_row(first + place, data) for place, data in enumerate(found)]
    return View(
        "log.html",
        {
            "rows": rows[::-1],
            "size": size,
            "root": to_base64(checkpoint.root) if checkpoint else "",
            "note": checkpoint.note.decode() if checkpoint else "",
            "key": visit.service.log_key,
            "older": first if first else None,
        },
    )


async def log_entry(visit: Visit) -> View:
    """One entry with its proof."""
    text = visit.request.path_params["index"]
    index = int(text) if text.isascii() and text.isdigit() and len(text) <= 15 else -1
    checkpoint = await visit.service.store.checkpoint()
    if checkpoint is None or not 0 <= index < checkpoint.size:
        raise NotFoundError(f"the log has no entry {text[:20]}", hint="the first one is entry 0")
    proof: Any = (await inclusion(Call(visit.service, arguments={"index": index}))).content
    data = proof["entry"].encode()
    return View(
        "entry.html",
        {
            "row": _row(index, data),
            "entry": entries.loads(data),
            "members": _members(entries.loads(data)),
            "proof": proof,
            "leaf": to_base64(leaf_hash(data)),
            "key": visit.service.log_key,
        },
    )


def _row(index: int, data: bytes) -> Row:
    entry = entries.loads(data)
    at = datetime.fromisoformat(entry.time)
    match entry:
        case PublicationEntry():
            path = _version_path(entry.name, entry.version)
            return Row(index, at, "published", f"{entry.name} {entry.version}", path, "")
        case ApprovalEntry():
            path = _version_path(entry.name, entry.version)
            words = f"in {entry.environment} by {entry.by}"
            return Row(index, at, entry.state, f"{entry.name} {entry.version}", path, words)
        case NamespaceEntry():
            return Row(index, at, "claimed", entry.namespace, "", f"by {entry.by}")
        case KeyEntry():
            words = f"{len(entry.added)} added, {len(entry.revoked)} revoked, by {entry.by}"
            return Row(index, at, "keys", entry.namespace, "", words)


def _version_path(name: str, version: str) -> str:
    try:
        return server_path(ServerName.read(name), "versions", version)
    except MalformedInputError:
        return ""


def _members(entry: Entry) -> list[tuple[str, str]]:
    found = ((each.name, getattr(entry, each.name)) for each in fields(entry))
    return [(name, ", ".join(value) if isinstance(value, tuple) else str(value)) for name, value in found]

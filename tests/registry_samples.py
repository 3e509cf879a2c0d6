"""Servers, keys and envelopes for tests of the registry."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from avow.core import dsse
from avow.core.canonical import JsonObject
from avow.core.capability import Capability, Kind, Signature
from avow.core.keys import PrivateKey
from avow.core.publication import PUBLICATION_TYPE, ServerName, publication_payload
from avow.core.snapshot import Era, Snapshot
from avow.core.target import read_target
from avow.core.tlog.notes import Signer
from avow.registry.store.interface import Store

NOW = datetime(2026, 11, 15, 12, 0, 0, 123_000, tzinfo=UTC)
KEY = PrivateKey(b"k" * 32)
OTHER_KEY = PrivateKey(b"o" * 32)
LOG_KEY = PrivateKey(b"l" * 32)
SIGNER = Signer("registry.example/log", LOG_KEY)
NAMESPACE = "io.github.owner"
FILES = ServerName(NAMESPACE, "files")


def tool(name: str, description: str = "Reads a file.", **arguments: Any) -> JsonObject:
    """A tool whose arguments are given as name=type; the first is required."""
    properties = {argument: {"type": kind} for argument, kind in arguments.items()}
    schema = {"type": "object", "properties": properties, "required": list(arguments)[:1]}
    return {"name": name, "description": description, "inputSchema": schema}


READ = tool("read_file", path="string")
WRITE = tool("write_file", "Overwrites a file.", path="string", content="string")


def snapshot(*tools: JsonObject, prompts: Sequence[JsonObject] = (), **changes: Any) -> Snapshot:
    """What a server showed that offers these."""
    offered = [Capability.read(Kind.TOOL, each) for each in tools]
    offered += [Capability.read(Kind.PROMPT, each) for each in prompts]
    shown = Snapshot(
        target=read_target({"type": "stdio", "command": "files", "args": [], "env": []}),
        server={"name": "files", "version": "1.0.0"},
        protocol_version="2025-11-25",
        era=Era.LEGACY,
        capabilities={"tools": {}},
        signature=Signature.of(offered),
    )
    return replace(shown, **changes)


def envelope(
    shown: Snapshot, version: str = "1.0.0", name: ServerName = FILES, key: PrivateKey = KEY
) -> bytes:
    """A signed publication, as it is sent."""
    return sealed(publication_payload(name, version, shown), key)


def sealed(payload: bytes, key: PrivateKey = KEY, kind: str = PUBLICATION_TYPE) -> bytes:
    """Any bytes in an envelope."""
    return dsse.dumps(dsse.sign(payload, kind, [key]))


async def claimed(store: Store) -> Store:
    """The store, with the namespace of these tests claimed."""
    await store.claim(NAMESPACE, KEY.public, "admin", NOW)
    return store

"""The read endpoints of the official MCP registry, so that its clients can read from here too."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from avow.core.canonical import JsonObject
from avow.core.printable import printable
from avow.core.target import HttpTarget
from avow.registry.api import documents, schemas
from avow.registry.api.endpoints import Answer, Call, Endpoint, Parameter
from avow.registry.api.problems import RefusedError
from avow.registry.api.reading import CURSOR, NAME_IN_PATH, VERSION_IN_PATH, name_of, payload
from avow.registry.approvals import found_version
from avow.registry.computing import compute
from avow.registry.model import NotFoundError, PublishedVersion, Server
from avow.registry.snapshots import stored_snapshot
from avow.registry.store.interface import Store
from avow.registry.store.reading import MAX_PAGE
from avow.registry.times import rfc3339

_SCHEMA: Final = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
_OFFICIAL: Final = "io.modelcontextprotocol.registry/official"
_OURS: Final = "dev.avow/registry"
_LONGEST: Final = 100
_PAGE: Final = 30
_MOST: Final = 5_000


async def list_servers(call: Call) -> Answer:
    """Versions of all servers, newest first; of each server the newest when that is asked for."""
    asked, store = call.arguments, call.service.store
    limit, cursor = asked.get("limit", _PAGE), asked.get("cursor")
    since = _moment(asked["updated_since"]) if "updated_since" in asked else None
    wanted = asked.get("version")
    if wanted is not None or "search" in asked:
        page = await store.servers_named(asked.get("search", ""), cursor=cursor, limit=limit)
        found = [
            (each, version)
            for each in page.items
            if (version := await _version(store, each, wanted or "latest")) is not None
        ]
        following = page.next
    else:
        changes = await store.recent(cursor=cursor, limit=limit)
        found = [(await _server(store, each.version), each.version) for each in changes.items]
        following = changes.next
    if since is not None and found and found[-1][1].published_at < since:
        following = None
    entries = [
        _entry(server, version) for server, version in found if since is None or version.published_at >= since
    ]
    return Answer(_listed(entries, following))


async def list_versions(call: Call) -> Answer:
    """All versions of a server, newest first."""
    name, store = name_of(call), call.service.store
    server = await store.server(name)
    if server is None:
        raise NotFoundError("Server not found")
    cursor, entries = call.arguments.get("cursor"), list[JsonObject]()
    # Its clients do not ask for a second page here.
    while len(entries) < _MOST:
        page = await store.versions(name, cursor=cursor, limit=MAX_PAGE)
        entries += (_entry(server, each) for each in page.items)
        cursor = page.next
        if cursor is None:
            break
    return Answer(_listed(entries, cursor))


async def one_version(call: Call) -> Answer:
    """One version, or `latest`."""
    store = call.service.store
    version = await found_version(store, name_of(call), call.arguments["version"])
    data = await payload(store, version)
    address = await compute(call.service, len(data), _address, data)
    return Answer(_entry(await _server(store, version), version, address))


async def _version(store: Store, server: Server, wanted: str) -> PublishedVersion | None:
    if wanted in ("latest", server.latest.version):
        return server.latest
    return await store.version(server.name, wanted)


async def _server(store: Store, version: PublishedVersion) -> Server:
    found = await store.server(version.name)
    if found is None:
        raise NotFoundError("Server not found")
    return found


def _listed(entries: Iterable[JsonObject], following: str | None) -> JsonObject:
    listed = list(entries)
    metadata: JsonObject = {"count": len(listed)}
    return {
        "servers": listed,
        "metadata": {**metadata, "nextCursor": following} if following else metadata,
    }


def _entry(server: Server, version: PublishedVersion, address: str = "") -> JsonObject:
    described = printable(server.description or server.title or str(server.name), _LONGEST, fold=True)
    document: JsonObject = {
        "$schema": _SCHEMA,
        "name": str(version.name),
        "description": described or str(server.name),
        "version": version.version,
        "_meta": {_OURS: documents.version(version)},
    }
    if title := printable(server.title, _LONGEST, fold=True):
        document["title"] = title
    if address:
        document["remotes"] = [{"type": "streamable-http", "url": address}]
    published = rfc3339(version.published_at)
    return {
        "server": document,
        "_meta": {
            _OFFICIAL: {
                "status": "active",
                "statusChangedAt": published,
                "publishedAt": published,
                "updatedAt": published,
                "isLatest": version.version == server.latest.version,
            }
        },
    }


def _address(payload: bytes) -> str:
    """Where a server is reached that is reached over the web."""
    target = stored_snapshot(payload).target
    is_web = isinstance(target, HttpTarget) and urlsplit(target.url).scheme in ("http", "https")
    return target.url if is_web and isinstance(target, HttpTarget) else ""


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise RefusedError(400, "updated_since is a time with a zone, as RFC 3339 writes it")
    return moment


_ENTRY: Final = schemas.objects(
    {
        "server": schemas.objects(
            {
                "name": schemas.NAME,
                "description": {"type": "string", "minLength": 1, "maxLength": _LONGEST},
                "version": schemas.VERSION,
                "_meta": {"type": "object"},
            }
        ),
        "_meta": {"type": "object"},
    }
)
_LIST: Final = schemas.objects(
    {"servers": schemas.lists(_ENTRY), "metadata": schemas.objects({"count": schemas.COUNT})}
)
_DELETED: Final = Parameter("include_deleted", {"type": "boolean"}, "Nothing is ever deleted here.")

ENDPOINTS: Final = (
    Endpoint(
        "GET",
        "/v0.1/servers",
        "As in the official MCP registry: versions of all servers",
        list_servers,
        _LIST,
        parameters=(
            CURSOR,
            Parameter(
                "limit", {"type": "integer", "minimum": 1, "maximum": 100}, "How many, 30 unless said."
            ),
            Parameter("search", schemas.WORDS, "A part of the name, in any case."),
            Parameter(
                "updated_since",
                {"type": "string", "format": "date-time", "maxLength": 40},
                "Only what changed since, as RFC 3339 writes it.",
            ),
            Parameter("version", schemas.VERSION, "`latest`, or an exact version."),
            _DELETED,
        ),
        is_strict=False,
    ),
    Endpoint(
        "GET",
        "/v0.1/servers/{namespace}/{server}/versions",
        "As in the official MCP registry: all versions of a server",
        list_versions,
        _LIST,
        parameters=(*NAME_IN_PATH, CURSOR, _DELETED),
        is_strict=False,
    ),
    Endpoint(
        "GET",
        "/v0.1/servers/{namespace}/{server}/versions/{version}",
        "As in the official MCP registry: one version",
        one_version,
        _ENTRY,
        parameters=(*NAME_IN_PATH, VERSION_IN_PATH, _DELETED),
        is_strict=False,
    ),
)

"""Servers: all of them, and each with its history, what it offers and what it needs."""

import asyncio
from typing import Final

from avow.core.capability import Signature
from avow.core.publication import ServerName, read_namespace
from avow.registry.api.reading import payload
from avow.registry.approvals import found_version, standings
from avow.registry.matching import match
from avow.registry.model import NotFoundError
from avow.registry.pages.chart import chart
from avow.registry.pages.home import told
from avow.registry.pages.offering import read_offering
from avow.registry.pages.site import View, Visit
from avow.registry.snapshots import stored_snapshot

PAGE: Final = 30
TIMELINE: Final = 6
CHARTED: Final = 30


def name_of(visit: Visit) -> ServerName:
    """The server that the path names."""
    parts = visit.request.path_params
    return ServerName.read(f"{parts['namespace']}/{parts['server']}")


async def servers(visit: Visit) -> View:
    """Servers, the one that changed last first."""
    text, store = visit.asked("q")[:200], visit.service.store
    namespace = read_namespace(visit.asked("namespace")) if visit.asked("namespace") else None
    page = await store.servers(text, namespace=namespace, cursor=visit.asked("cursor") or None, limit=PAGE)
    is_known = namespace is None or bool(page.items) or await store.namespace(namespace) is not None
    values = {
        "servers": page.items,
        "decided": await store.decided([each.latest.id for each in page.items]),
        "next": page.next,
        "q": text,
        "namespace": namespace,
        "is_known": is_known,
    }
    return View("servers.html", values, 200 if is_known else 404)


async def server(visit: Visit) -> View:
    """The page of one server, or of one version of it."""
    name, store = name_of(visit), visit.service.store
    found = await store.server(name)
    if found is None:
        raise NotFoundError(f"{name} has not been published here", hint="the search finds what has been")
    version = await found_version(store, name, visit.request.path_params.get("version"))
    history = await store.versions(name, limit=CHARTED)
    contents = await store.contents(name, version.version)
    assert contents is not None  # a version that was published stays
    return View(
        "server.html",
        {
            "server": found,
            "version": version,
            "is_latest": version.version == found.latest.version,
            "offering": await asyncio.to_thread(read_offering, contents),
            "chart": chart(history.items),
            "timeline": await told(store, history.items[:TIMELINE]),
            "versions": [each.version for each in history.items],
            "standings": await standings(store, version),
            "decided": (await store.decided([version.id])).get(version.id, ()),
            "approved": await store.approved(name),
        },
    )


async def history(visit: Visit) -> View:
    """Every version of a server."""
    name, store = name_of(visit), visit.service.store
    page = await store.versions(name, cursor=visit.asked("cursor") or None, limit=PAGE)
    if not page.items and not visit.asked("cursor"):
        raise NotFoundError(f"{name} has not been published here", hint="the search finds what has been")
    return View("history.html", {"name": name, "timeline": await told(store, page.items), "next": page.next})


async def replacements(visit: Visit) -> View:
    """Servers that offer at least what this one offers."""
    name, store = name_of(visit), visit.service.store
    version = await found_version(store, name, visit.asked("version") or None)
    data = await payload(store, version)
    # To read it takes less than to hand it over to a process and back.
    wanted = await asyncio.to_thread(_signature, data)
    page = await match(visit.service, wanted, len(data), cursor=visit.asked("cursor") or None, limit=PAGE)
    others = [each for each in page.items if each.name != name]
    return View("replacements.html", {"name": name, "version": version, "found": others, "next": page.next})


def _signature(payload: bytes) -> Signature:
    return stored_snapshot(payload).signature

"""What agents may ask, as functions of plain values; whoever composes the service puts them behind MCP.

A model reads the answers. They hold names, digests, ratings and decisions, and never the descriptions that
servers wrote: what a server says about itself is the oldest way to give a model orders.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.types import Message, Receive, Scope, Send

from avow.core.canonical import Digest, JsonObject
from avow.core.capability import Kind
from avow.core.printable import printable
from avow.core.publication import ServerName, read_publication
from avow.errors import AvowError, MalformedInputError
from avow.registry.api.access import admit
from avow.registry.api.bodies import read_body
from avow.registry.api.endpoints import JSON
from avow.registry.api.problems import RefusedError, problem
from avow.registry.api.reading import compare as compare_versions
from avow.registry.api.reading import contents
from avow.registry.api.searching import read_search
from avow.registry.approvals import found_version, read_environment, standings
from avow.registry.computing import compute
from avow.registry.service import Service

MOST_BYTES: Final = 256 * 1024
"""How large a question may be."""

_FOUND: Final = 20
_LISTED: Final = 200
_NAME: Final = 200


class Desk:
    """Answers the questions of agents from one registry."""

    def __init__(self, service: Service) -> None:
        """Answer from this registry."""
        self._service = service

    async def search(self, text: str = "", tool: str = "", argument: str = "", risk: str = "") -> JsonObject:
        """Find tools, prompts and resources that servers offer today.

        Give words, the exact name of a tool, an argument as `name:type`, or a risk level (low, medium, high).
        """
        asked = {"text": text, "tool": tool, "argument": argument, "risk": risk}
        given = {name: value for name, value in asked.items() if value}
        if not given:
            raise MalformedInputError("say what to look for")
        if risk and risk not in ("low", "medium", "high"):
            raise MalformedInputError("a risk level is low, medium or high")
        page = await self._service.store.search(read_search(given), limit=_FOUND)
        return {
            "capabilities": [
                {
                    "kind": str(hit.kind),
                    "name": _shown(hit.name),
                    "digest": hit.digest,
                    "risk": str(hit.risk),
                    "servers": [f"{offer.name} {offer.version}" for offer in hit.offers],
                }
                for hit in page.items
            ],
            "more": page.next is not None,
        }

    async def get_signature(self, name: str, version: str = "latest") -> JsonObject:
        """Everything that a version of a server can do: names, digests and risk, without descriptions."""
        found = await found_version(self._service.store, ServerName.read(name), version)
        stored = await contents(self._service.store, found)
        ratings = {key: str(each.risk) for key, each in stored.capabilities.items()}
        listed = await compute(self._service, len(stored.payload), _outline, stored.payload, ratings)
        return {
            "name": str(found.name),
            "version": found.version,
            "digest": found.digest,
            "logIndex": found.log_index,
            "capabilities": listed[:_LISTED],
            "more": len(listed) > _LISTED,
        }

    async def compare(self, name: str, before: str, after: str = "latest") -> JsonObject:
        """How two versions of a server differ: the drift with its severities, most severe first."""
        store, server = self._service.store, ServerName.read(name)
        one, other = await found_version(store, server, before), await found_version(store, server, after)
        document = await compare_versions(self._service, one, other)
        return {
            "highest": document["highest"],
            "drift": [
                {
                    "type": each["type"],
                    "kind": each["kind"],
                    "name": _shown(each["name"]),
                    "severity": each["severity"],
                }
                for each in document["drift"][:_LISTED]
            ],
        }

    async def is_approved(self, name: str, environment: str, version: str = "latest") -> JsonObject:
        """Whether people have approved a version of a server in an environment, and who."""
        store = self._service.store
        found = await found_version(store, ServerName.read(name), version)
        [standing] = await standings(store, found, read_environment(environment))
        return {
            "name": str(found.name),
            "version": found.version,
            "digest": found.digest,
            "environment": environment,
            "state": str(standing.state),
            "needed": standing.needed,
            "by": [_shown(each.by) for each in standing.decisions],
        }


def _outline(payload: bytes, ratings: Mapping[tuple[Kind, Digest], str]) -> list[JsonObject]:
    """Names with our ratings: what a publisher wrote beside them is its own opinion."""
    document = read_publication(payload).document["snapshot"]
    return [
        {
            "kind": str(kind),
            "name": _shown(each["name"]),
            "digest": each["digest"],
            "risk": ratings[kind, each["digest"]],
        }
        for kind in Kind
        for each in document[kind.collection]
    ]


def _shown(text: str) -> str:
    return printable(text, _NAME, fold=True)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body that was read, and after it what the connection says."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


class Agents:
    """An application that is made when the first agent comes: most registries never load the SDK."""

    def __init__(self, build: Callable[[], Starlette], service: Service) -> None:
        """Nothing is built yet."""
        self._build = build
        self._service = service
        self._starting = asyncio.Lock()
        self._ending = asyncio.Event()
        self._app: Starlette | None = None
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the caller in, and pass the request on."""
        scope["avow.route"] = "/mcp"
        try:
            await admit(HTTPConnection(scope), self._service, None)
            if scope["method"] != "POST":
                # There are no sessions to end, and nothing is ever announced.
                raise RefusedError(405, "this path takes POST alone", headers={"allow": "POST"})
            bounds = self._service.settings.bounds
            body = await read_body(Request(scope, receive), (JSON,), MOST_BYTES, bounds.body_seconds)
            async with self._starting:
                if self._app is None:
                    await self._start()
        except AvowError as error:
            await problem(error)(scope, receive, send)
            return
        assert self._app is not None
        await self._app(scope, _replayed(body, receive), send)

    async def _start(self) -> None:
        app = await asyncio.to_thread(self._build)
        started: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def run() -> None:
            # Begun and ended in one task, as the SDK's groups of tasks want it.
            async with app.router.lifespan_context(app):
                started.set_result(None)
                await self._ending.wait()

        self._running = asyncio.create_task(run())
        waiting: set[asyncio.Future[Any]] = {self._running, started}
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if not started.done():
            self._running.result()
        self._app = app

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Until the end of a block; then what was started ends."""
        try:
            yield
        finally:
            self._ending.set()
            if self._running is not None:
                await asyncio.gather(self._running, return_exceptions=True)

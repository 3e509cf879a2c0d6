"""The registry as one ASGI application: composes what others do, and decides nothing."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from avow.registry.agents import Agents
from avow.registry.api import (
    log,
    official,
    openapi,
    people,
    publishing,
    reading,
    searching,
    telling,
    watching,
)
from avow.registry.api.endpoints import Answer, Call, Endpoint
from avow.registry.api.problems import RefusedError, problem
from avow.registry.api.routing import routes
from avow.registry.guarding import Guard
from avow.registry.service import Service
from avow.registry.webhooks import Deliveries

DESCRIBED: Final = (
    *reading.ENDPOINTS,
    *searching.ENDPOINTS,
    *publishing.ENDPOINTS,
    *people.ENDPOINTS,
    *telling.ENDPOINTS,
    *log.ENDPOINTS,
    *official.ENDPOINTS,
    watching.HEALTH,
)
"""What the OpenAPI document tells of."""

_BESIDE: Final = (log.TILE, telling.FEED, watching.METRICS)


def create_app(
    service: Service, *, pages: Sequence[BaseRoute] = (), agents: Callable[[], Starlette] | None = None
) -> ASGIApp:
    """The application; `agents` makes what answers at /mcp, `pages` are for people."""
    description = _description(service)
    listed: list[BaseRoute] = [*routes((*DESCRIBED, *_BESIDE, description), service), *pages]
    desk = None if agents is None else Agents(agents, service)
    if desk is not None:
        listed.append(Route("/mcp", desk))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            if desk is not None:
                await stack.enter_async_context(desk.open())
            deliveries = asyncio.create_task(Deliveries(service).run())
            yield
            deliveries.cancel()
            await asyncio.gather(deliveries, return_exceptions=True)

    handlers = {404: _missing, 405: _wrong_method, Exception: _mistake}
    app = Starlette(routes=listed, lifespan=lifespan, exception_handlers=handlers)
    app.router.redirect_slashes = False
    return Guard(app, service)


def _description(service: Service) -> Endpoint:
    document = openapi.document(DESCRIBED, private=service.settings.private, url=service.settings.url)

    async def describe(_: Call) -> Answer:
        return Answer(document)

    return Endpoint(
        "GET", "/api/v1/openapi.json", "This description", describe, {"type": "object"}, is_always_public=True
    )


async def _missing(request: Request, error: Exception) -> Response:  # noqa: ARG001  Starlette calls it so
    return problem(
        RefusedError(404, "nothing is at this path", "the API is described at /api/v1/openapi.json")
    )


async def _wrong_method(request: Request, error: Exception) -> Response:  # noqa: ARG001
    allowed = getattr(error, "headers", None) or {}
    return problem(RefusedError(405, "this path takes other methods", headers=allowed))


async def _mistake(request: Request, error: Exception) -> Response:  # noqa: ARG001
    return problem(RefusedError(500, f"unexpected {type(error).__name__}", "please report it"))

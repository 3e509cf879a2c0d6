"""The registry as one ASGI application: composes what others do, and decides nothing."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
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
from avow.registry.pages.site import Pages
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
    service: Service, *, pages: Pages | None = None, agents: Callable[[], Starlette] | None = None
) -> ASGIApp:
    """The application; `agents` makes what answers at /mcp, `pages` are for people."""
    description = _description(service)
    listed: list[BaseRoute] = [*routes((*DESCRIBED, *_BESIDE, description), service)]
    listed += pages.routes if pages is not None else ()
    desk = None if agents is None else Agents(agents, service)
    if desk is not None:
        listed.append(Route("/mcp", desk))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            if desk is not None:
                await stack.enter_async_context(desk.open())
            deliveries = asyncio.create_task(Deliveries(service).run())
            try:
                yield
            finally:
                deliveries.cancel()
                await asyncio.gather(deliveries, return_exceptions=True)

    refused = partial(_refused, pages)
    handlers = {404: refused, 405: refused, Exception: refused}
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


async def _refused(pages: Pages | None, request: Request, error: Exception) -> Response:
    """A page for whoever wants one, a problem document for everybody else."""
    told = _told(error)
    is_page = pages is not None and "text/html" in request.headers.get("accept", "")
    answer = await pages.refused(request, told) if pages is not None and is_page else problem(told)
    answer.headers["vary"] = "Accept"
    return answer


def _told(error: Exception) -> RefusedError:
    match error:
        case HTTPException(status_code=404):
            return RefusedError(
                404, "nothing is at this path", "the API is described at /api/v1/openapi.json"
            )
        case HTTPException(status_code=405):
            return RefusedError(405, "this path takes other methods", headers=dict(error.headers or {}))
        case _:
            # What went wrong is in the log of the service; here it could tell too much.
            return RefusedError(
                500, "the registry made a mistake", "whoever runs it finds the place in its log"
            )

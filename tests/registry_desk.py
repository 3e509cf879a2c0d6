"""A registry with one server, and somebody who looks at its pages over HTTP, without a browser."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from avow.core.publication import ServerName
from avow.registry import tokens
from avow.registry.limits import Limits
from avow.registry.model import Environment, Role
from avow.registry.pages.routes import pages
from avow.registry.service import Service
from avow.registry.settings import Settings
from avow.registry.store.opening import open_store
from registry_showcase import END, SIGNER, Release, add, service_of
from small_server import READ, snapshot

NAME = "dev.example/files"
KEY = b"k" * 32
PEOPLE = (Role.READ, Role.PUBLISH, Role.APPROVE)


@dataclass
class Clock:
    now: datetime = END


@dataclass(frozen=True)
class Desk:
    """A registry with one server, and somebody who looks at it."""

    client: httpx.AsyncClient
    service: Service
    clock: Clock
    tokens: dict[Role, str]
    identifiers: dict[Role, str]

    async def sign_in(self, role: Role = Role.APPROVE) -> httpx.Response:
        return await self.client.post("/login", data={"token": self.tokens[role], "next": "/approvals"})

    async def word(self) -> str:
        found = re.search(r'name="word" value="([0-9a-f]+)"', (await self.client.get("/approvals")).text)
        assert found is not None
        return found[1]

    async def decide(self, **changed: str) -> httpx.Response:
        version = await self.service.store.version(SERVER)
        assert version is not None
        fields = {
            "word": await self.word(),
            "name": NAME,
            "version": "1.0",
            "digest": version.digest,
            "environment": "production",
            "reason": "Only reads.",
            "decision": "approve",
        }
        return await self.client.post("/approvals", data={**fields, **changed})


SERVER = ServerName.read(NAME)
Story = Callable[[Desk], Awaitable[None]]


@asynccontextmanager
async def desk(
    directory: Path, settings: Settings, address: str, limits: Limits | None
) -> AsyncIterator[Desk]:
    store = await open_store(f"sqlite:///{directory / 'registry.db'}", SIGNER)
    clock = Clock()
    service = replace(await service_of(store, settings), clock=lambda: clock.now)
    service = replace(service, limits=limits or service.limits)
    app = Starlette(routes=pages(service, KEY).routes)
    app.router.redirect_slashes = False
    transport = httpx.ASGITransport(app, client=(address, 1))
    try:
        await store.set_environment(Environment("production"))
        await add(store, NAME, Release("1.0", snapshot([READ])), END - timedelta(days=1))
        issued = {role: await tokens.issue(store, f"{role} person", role, END) for role in PEOPLE}
        async with httpx.AsyncClient(
            transport=transport, base_url=settings.url or "http://registry"
        ) as client:
            yield Desk(
                client,
                service,
                clock,
                {role: each.text for role, each in issued.items()},
                {role: each.token.id for role, each in issued.items()},
            )
    finally:
        await store.close()


@pytest.fixture
def at_a_desk(tmp_path: Path) -> Callable[..., None]:
    def play(
        story: Story,
        settings: Settings | None = None,
        address: str = "127.0.0.1",
        limits: Limits | None = None,
    ) -> None:
        async def whole() -> None:
            async with desk(tmp_path, settings or Settings(), address, limits) as made:
                await story(made)

        asyncio.run(whole())

    return play


Play = Callable[..., None]

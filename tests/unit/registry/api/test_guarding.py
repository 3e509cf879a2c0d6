"""Around all requests: time limits, and what is told of a mistake of ours."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest
from starlette.applications import Starlette

from avow.registry.app import create_app
from avow.registry.model import Role
from avow.registry.settings import Bounds, Settings
from registry_running import Running, envelope, running

pytestmark = pytest.mark.anyio


async def test_a_body_that_does_not_come_is_not_waited_for(address: str) -> None:
    async def dripping() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(30)
        yield b"}"

    async with running(address, Settings(bounds=Bounds(body_seconds=0.2))) as registry:
        headers = {"content-type": "application/json"}
        answer = await registry.ask(
            "POST", "/api/v1/publish", Role.PUBLISH, content=dripping(), headers=headers
        )

    assert (answer.status_code, answer.headers["connection"]) == (408, "close")


async def test_at_the_agents_desk_it_is_not_waited_for_either(address: str) -> None:
    async def dripping() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(30)

    async with running(address, Settings(bounds=Bounds(body_seconds=0.2))) as registry:
        transport = httpx.ASGITransport(create_app(registry.service, agents=Starlette))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            headers = {"content-type": "application/json"}
            answer = await client.post("/mcp", content=dripping(), headers=headers)

    assert (answer.status_code, answer.headers["connection"]) == (408, "close")


async def test_only_so_much_is_held_of_what_people_without_a_token_send(address: str) -> None:
    """Who publishes has room of their own, and what is held is let go."""
    arrived, go_on = asyncio.Event(), asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield b" " * 800
        arrived.set()
        await go_on.wait()
        yield b"{}"

    wanted = {"tools": [{"name": "read_file", "description": "x" * 300}]}
    async with running(address, Settings(bounds=Bounds(open_room_bytes=1_000))) as registry:
        headers = {"content-type": "application/json"}
        first = asyncio.create_task(
            registry.ask("POST", "/api/v1/match", content=slow(), headers=headers),
        )
        await arrived.wait()
        refused = await registry.post("/api/v1/match", wanted)
        published = await registry.send(envelope("1.0.0"))
        go_on.set()
        await first
        answered = await registry.post("/api/v1/match", wanted)

    assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")
    assert (published.status_code, answered.status_code) == (201, 200)


async def test_an_answer_that_takes_too_long_is_given_up(registry: Running) -> None:
    class Stuck:
        async def servers(self, *_: object, **__: object) -> None:
            await asyncio.sleep(30)

    bounds = Bounds(answer_seconds=0.2)
    settings = replace(registry.service.settings, bounds=bounds)
    service = replace(registry.service, settings=settings, store=Stuck())  # type: ignore[arg-type]

    async with asyncio.timeout(10):
        answer = await asked(create_app(service))

    assert (answer.status_code, answer.json()["detail"]) == (503, "this took too long")


async def test_a_mistake_of_ours_is_told_without_what_is_inside(
    registry: Running, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        async def servers(self, *_: object, **__: object) -> None:
            raise RuntimeError("the password is hunter2")

    service = replace(registry.service, store=Broken())  # type: ignore[arg-type]

    answer = await asked(create_app(service))

    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert "hunter2" not in answer.text + caplog.text
    assert '"event": "mistake"' in caplog.text
    assert 'status="500"' in service.metrics.text({})


async def asked(app: object) -> httpx.Response:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        return await client.get("/api/v1/servers")

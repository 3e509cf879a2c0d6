"""What is not there, or went wrong: a page for people, a problem document for programs."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from avow.errors import StorageError
from avow.registry import tokens
from avow.registry.app import create_app
from avow.registry.model import Role
from avow.registry.pages.routes import pages
from avow.registry.store.opening import open_store
from registry_showcase import END, SIGNER, service_of

BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
PROGRAM = {"accept": "application/json"}
KEY = bytes(32)


class Breaking:
    """A store that answers until it is told to break, with an error of a certain kind."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.error: Exception | None = None

    def __getattr__(self, name: str) -> Any:
        async def fail(*_: object, **__: object) -> None:
            assert self.error is not None
            raise self.error

        return fail if self.error is not None else getattr(self._store, name)


Story = Callable[[httpx.AsyncClient, Breaking, str], Awaitable[None]]


@pytest.fixture
def told(tmp_path: Path) -> Callable[[Story], None]:
    async def run(story: Story) -> None:
        store = await open_store(f"sqlite:///{tmp_path}/registry.db", SIGNER)
        try:
            token = (await tokens.issue(store, "Ada", Role.READ, END)).text
            breaking = Breaking(store)
            service = replace(await service_of(store), store=breaking)
            app = create_app(service, pages=pages(service, KEY))
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://registry") as client:
                await story(client, breaking, token)
        finally:
            await store.close()

    return lambda story: asyncio.run(run(story))


@pytest.mark.parametrize("path", ["/nothing", "/servers/a/b/c/d", "/api/v1/nothing", "/assets/x/y/z"])
def test_a_path_where_nothing_is(told: Callable[[Story], None], path: str) -> None:
    async def story(client: httpx.AsyncClient, _: Breaking, __: str) -> None:
        page = await client.get(path, headers=BROWSER)
        assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
        assert "nothing is at this path" in page.text
        assert "script-src 'self'" in page.headers["content-security-policy"]
        for headers in (PROGRAM, {"accept": "*/*"}):
            answer = await client.get(path, headers=headers)
            assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")

    told(story)


def test_a_method_that_a_page_does_not_take(told: Callable[[Story], None]) -> None:
    """Both answers name those it does."""

    async def story(client: httpx.AsyncClient, _: Breaking, __: str) -> None:
        for headers, kind in ((BROWSER, "text/html; charset=utf-8"), (PROGRAM, "application/problem+json")):
            answer = await client.post("/servers", headers=headers)
            assert (answer.status_code, answer.headers["content-type"]) == (405, kind)
            assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD"}

    told(story)


def test_a_mistake_tells_nobody_what_is_inside(told: Callable[[Story], None]) -> None:
    async def story(client: httpx.AsyncClient, store: Breaking, _: str) -> None:
        store.error = RuntimeError("the password is hunter2")
        for headers, kind in ((BROWSER, "text/html; charset=utf-8"), (PROGRAM, "application/problem+json")):
            answer = await client.get("/servers", headers=headers)
            assert (answer.status_code, answer.headers["content-type"]) == (500, kind)
            assert "the registry made a mistake" in answer.text
            assert not any(word in answer.text for word in ("hunter2", "RuntimeError", "Traceback", ".py"))

    told(story)


def test_a_store_that_is_down_is_told_to_somebody_who_signed_in(told: Callable[[Story], None]) -> None:
    """Who they are cannot be found out either; the page does without."""

    async def story(client: httpx.AsyncClient, store: Breaking, token: str) -> None:
        await client.post("/login", data={"token": token, "next": "/"})
        assert "Ada" in (await client.get("/nothing", headers=BROWSER)).text
        store.error = StorageError("the disk is gone")
        answer = await client.get("/servers", headers=BROWSER)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert "the disk is gone" in answer.text
        assert "Ada" not in answer.text

    told(story)

"""The pages are the same on both databases, to the letter."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from avow.registry.app import create_app
from avow.registry.pages.routes import pages
from registry_hostile import ATTACKS, LINKS, hostile_showcase
from registry_postgres import Postgres, running_postgres
from registry_showcase import Showcase, showcase

FILES = "/servers/io.github.modelcontextprotocol/filesystem"
PATHS = [
    "/",
    "/?level=moderate",
    "/servers",
    "/servers?q=excel",
    "/servers?namespace=dev.example",
    FILES,
    f"{FILES}/versions",
    f"{FILES}/versions/0.6.2",
    f"{FILES}/compare",
    f"{FILES}/compare?from=0.5.1&to=2025.8.21",
    "/servers/dev.example/notes/replacements",
    "/search",
    "/search?q=overwrite+file&risk=high",
    "/search?argument=path&type=string&kind=tool&annotation=readOnlyHint:true&secrets=none",
    "/approvals",
    "/approvals?environment=staging",
    "/log",
    "/log?before=20",
    "/log/7",
]


ATTACKED = [path.replace("{}", quote(attack, safe="")) for path in LINKS for attack in ATTACKS]
Shown = Callable[[str], AbstractAsyncContextManager[Showcase]]


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as server:
        yield server


async def _pages(shown: Shown, address: str, paths: Sequence[str]) -> dict[str, httpx.Response]:
    async with shown(address) as showcase:
        app = create_app(showcase.service, pages=pages(showcase.service, b"k" * 32))
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        headers = {"accept": "text/html"}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://registry", headers=headers
        ) as client:
            return {path: await client.get(path) for path in paths}


@pytest.mark.parametrize(
    ("shown", "paths", "statuses"),
    [(showcase, PATHS, {200}), (hostile_showcase, ATTACKED, {200, 404, 422})],
    ids=["ordinary", "hostile"],
)
def test_pages_are_the_same_on_both_databases(
    shown: Shown, paths: Sequence[str], statuses: set[int], postgres: Postgres, tmp_path: Path
) -> None:
    there = asyncio.run(_pages(shown, postgres.address(), paths))
    here = asyncio.run(_pages(shown, f"sqlite:///{tmp_path}/registry.db", paths))

    assert [path for path in paths if here[path].text != there[path].text] == []
    assert {each.status_code for each in here.values()} == statuses

"""The pages are the same on both databases, to the letter."""

import asyncio
from pathlib import Path

import httpx
from starlette.applications import Starlette

from avow.registry.pages.routes import pages
from registry_postgres import running_postgres
from registry_showcase import showcase

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


async def _pages(place: Path | str) -> dict[str, str]:
    async with showcase(place) as shown:
        app = Starlette(routes=pages(shown.service).routes)
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://registry"
        ) as client:
            answers = {path: await client.get(path) for path in PATHS}
    assert {answer.status_code for answer in answers.values()} == {200}
    return {path: answer.text for path, answer in answers.items()}


def test_pages_are_the_same_on_both_databases(tmp_path: Path) -> None:
    with running_postgres() as postgres:
        there = asyncio.run(_pages(postgres.address()))
    here = asyncio.run(_pages(tmp_path))

    assert [path for path in PATHS if here[path] != there[path]] == []

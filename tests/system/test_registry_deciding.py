"""What waits for a second person is found, by API and page, however much is decided afterwards."""

import httpx
import pytest

from avow.registry.app import create_app
from avow.registry.model import Role
from avow.registry.pages.access import session_key
from avow.registry.pages.routes import pages
from registry_running import NAME, SIGNER, Running, envelope, running
from registry_stores import *  # noqa: F403  fixtures

pytestmark = pytest.mark.anyio
LATER = 25


async def approve(registry: Running, name: str, role: Role) -> str:
    decision = {"name": name, "version": "1.0.0", "environment": "production", "state": "approved"}
    answer = await registry.post("/api/v1/approvals", {**decision, "reason": "fine"}, role)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["state"])


async def shown(registry: Running) -> str:
    """The page of approvals."""
    app = create_app(registry.service, pages=pages(registry.service, session_key(SIGNER.key)))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as client:
        return (await client.get("/approvals?environment=production")).text


async def test_a_half_approved_version_is_listed_until_it_is_decided(address: str) -> None:
    """Dozens of others are approved by both meanwhile."""
    async with running(address) as registry:
        await registry.ask("PUT", "/api/v1/environments/production", Role.ADMINISTER, json={"needed": 2})
        await registry.send(envelope("1.0.0"))
        assert await approve(registry, NAME, Role.APPROVE) == "pending"
        for number in range(LATER):
            other = f"io.github.owner/other{number}"
            await registry.send(envelope("1.0.0", name=other))
            await approve(registry, other, Role.APPROVE)
            assert await approve(registry, other, Role.ADMINISTER) == "approved"

        pending = (await registry.get("/api/v1/approvals?state=pending&environment=production")).json()
        page = await shown(registry)

        assert [each["name"] for each in pending["versions"]] == [NAME]
        waiting = page.partition('id="waiting"')[2].partition("</section>")[0]
        assert f"/servers/{NAME}" in waiting
        assert "the approve" in waiting

        assert await approve(registry, NAME, Role.ADMINISTER) == "approved"
        assert 'id="waiting"' not in await shown(registry)

"""Who somebody is: what a transport proves, and nothing else."""

from types import SimpleNamespace
from typing import Any

import pytest
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from avow.server import Evidence, Identity
from avow.server.guard import authenticated
from avow.server.guard.identity import identity_of
from avow.server.seam import Request

pytestmark = pytest.mark.anyio
TOKEN = AccessToken(token="s3cret", client_id="app", scopes=["a", "b"], claims={"sub": "ada", "iss": "us"})


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def request(scope: Any) -> Request:
    sdk: Any = SimpleNamespace(request=None if scope is None else SimpleNamespace(scope=scope))
    return Request("tools/list", {"_meta": {"clientInfo": {"name": "admin"}}}, "2025-11-25", sdk)


def certified(**facts: Any) -> dict[str, Any]:
    return {"extensions": {"tls": facts}}


async def test_an_access_token_is_an_identity() -> None:
    found = await identity_of(request({"user": AuthenticatedUser(TOKEN)}), authenticated)

    assert found == Identity("oauth", "ada", "app", frozenset({"a", "b"}), {"sub": "ada", "iss": "us"})
    assert found.is_authenticated
    assert "s3cret" not in repr(found)


async def test_a_verified_certificate_is_an_identity() -> None:
    found = await identity_of(request(certified(client_cert_name="CN=ada")), authenticated)

    assert found == Identity("mtls", subject="CN=ada")


@pytest.mark.parametrize(
    "scope",
    [
        None,
        {},
        {"user": None, "extensions": None},
        certified(client_cert_name=None),
        certified(client_cert_name="CN=ada", client_cert_error="expired"),
        {"extensions": {"tls": None}},
        {"headers": [(b"X-User", b"admin")]},
    ],
)
async def test_without_proof_nobody_is_anybody(scope: Any) -> None:
    found = await identity_of(request(scope), authenticated)

    assert found == Identity()
    assert not found.is_authenticated


async def test_evidence_has_no_message_in_it() -> None:
    scope = {"headers": [(b"X-User", b"ada")], "client": ("10.0.0.1", 5), "user": AuthenticatedUser(TOKEN)}

    found = Evidence.of(request(scope))

    assert (found.headers, found.address, found.certificate) == ({"x-user": "ada"}, "10.0.0.1", None)
    assert found.token is TOKEN
    assert "s3cret" not in repr(found)
    assert not hasattr(found, "params")


async def test_an_answer_that_is_no_identity_is_nobody() -> None:
    assert await identity_of(request(None), lambda evidence: "admin") == Identity()  # type: ignore[arg-type, return-value]

"""Who somebody is: what a transport proves, and nothing else."""

from types import SimpleNamespace
from typing import Any

import pytest
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from avow.server import Evidence, Identity, guard
from avow.server.guard import authenticated
from avow.server.guard.identity import identity_of
from avow.server.seam import Request
from hardened.http import post
from hardened.servers import FEATURES, bare
from hardened.wire import hello

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


@pytest.mark.parametrize("name", ["CN=ada", "CN=eve"])
async def test_a_client_certificate_decides_over_http(name: str) -> None:
    """The web server has verified it; what the client calls itself is something else."""
    server = bare("lowlevel")
    guard(server, features=FEATURES, grants=lambda who: {"maintenance"} if who.subject == "CN=ada" else ())
    app = server.streamable_http_app()
    proof = certified(client_cert_name=name)["extensions"]
    claims = {"name": "CN=ada", "version": "1"}
    async with server.session_manager.run():
        opening = {"id": 1, "method": "initialize", "params": hello(clientInfo=claims)}
        _, opened, headers = await post(app, opening, extensions=proof)
        session: Any = {"mcp_session_id": headers["mcp-session-id"], "mcp_protocol_version": "2025-11-25"}
        await post(app, {"method": "notifications/initialized"}, extensions=proof, **session)
        _, listed, _ = await post(app, {"id": 2, "method": "tools/list"}, extensions=proof, **session)
        _, alone, _ = await post(app, {"id": 3, "method": "tools/list"}, **session)

    is_ada = name == "CN=ada"
    assert ("experimental" in opened["result"]["capabilities"]) is is_ada
    assert ("delete_note" in [tool["name"] for tool in listed["result"]["tools"]]) is is_ada
    # Without its proof a request is nobody's, whoever opened the session.
    assert "delete_note" not in [tool["name"] for tool in alone["result"]["tools"]]

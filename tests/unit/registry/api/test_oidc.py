"""Trusted publishing, against an issuer of our own on this machine."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from avow.errors import MalformedInputError
from avow.registry.model import Role
from avow.registry.oidc import Issuer, Publisher, read_issuers
from avow.registry.settings import Settings
from registry_running import STRANGER, Running, envelope, running

pytestmark = pytest.mark.anyio
AUDIENCE = "avow-registry"


@dataclass
class LocalIssuer:
    """Tells its keys, and signs tokens; `asked` counts how often it was asked for the keys."""

    key: Any
    algorithm: str = "RS256"
    port: int = 0
    asked: int = 0
    about: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1]
        if path == b"/keys":
            self.asked += 1
            document: Any = {"keys": [self.jwk()]}
        else:
            document = {"issuer": self.url, "jwks_uri": f"{self.url}/keys", **self.about}
        body = json.dumps(document).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    def jwk(self) -> dict[str, Any]:
        algorithm = jwt.get_algorithm_by_name(self.algorithm)
        found: dict[str, Any] = json.loads(algorithm.to_jwk(self.key.public_key()))
        return {**found, "kid": "one", "alg": self.algorithm, "use": "sig"}

    def token(self, key: Any = None, algorithm: str = "", **claims: Any) -> str:
        now = datetime.now(UTC)
        said = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": "repo:owner/files:ref:refs/heads/main",
            "repository_owner": "owner",
            "iat": now,
            "exp": now + timedelta(minutes=5),
            **claims,
        }
        kept = {name: value for name, value in said.items() if value is not None}
        return jwt.encode(kept, key or self.key, algorithm or self.algorithm, headers={"kid": "one"})


@pytest.fixture(params=["RS256", "ES256", "EdDSA"])
async def issuer(request: pytest.FixtureRequest) -> AsyncIterator[LocalIssuer]:
    made = {
        "RS256": lambda: rsa.generate_private_key(65537, 2048),
        "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
        "EdDSA": ed25519.Ed25519PrivateKey.generate,
    }
    local = LocalIssuer(made[request.param](), request.param)
    server = await asyncio.start_server(local.answer, "127.0.0.1", 0)
    local.port = server.sockets[0].getsockname()[1]
    async with server:
        yield local


@pytest.fixture
async def trusting(address: str, issuer: LocalIssuer) -> AsyncIterator[Running]:
    publisher = Publisher("io.github.owner", {"repository_owner": "owner"})
    issuers = (Issuer(issuer.url, AUDIENCE, (publisher,)),)
    async with running(address, Settings(issuers=issuers)) as registry:
        yield registry


async def send(registry: Running, token: str, data: bytes | None = None) -> httpx.Response:
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    content = data or envelope("1.0.0")
    return await registry.ask("POST", "/api/v1/publish", content=content, headers=headers)


async def test_an_identity_publishes_without_a_token_of_the_registry(
    trusting: Running, issuer: LocalIssuer
) -> None:
    assert (await send(trusting, issuer.token())).status_code == 201
    assert (await send(trusting, issuer.token())).status_code == 200
    assert issuer.asked == 1


async def test_it_publishes_where_it_may_and_the_key_still_has_to_have_signed(
    trusting: Running, issuer: LocalIssuer
) -> None:
    await trusting.claim("io.github.stranger", STRANGER)
    elsewhere = envelope("1.0.0", name="io.github.stranger/x", key=STRANGER)

    assert (await send(trusting, issuer.token(), elsewhere)).status_code == 403
    assert (await send(trusting, issuer.token(), envelope("1.0.0", key=STRANGER))).status_code == 403


async def test_an_identity_does_nothing_else(trusting: Running, issuer: LocalIssuer) -> None:
    headers = {"authorization": f"Bearer {issuer.token()}"}

    assert (await trusting.get("/api/v1/tokens", headers=headers)).status_code == 403
    assert (await trusting.get("/api/v1/servers", headers=headers)).status_code == 200


async def test_whatever_is_wrong_with_an_identity_it_is_nobodys(
    trusting: Running, issuer: LocalIssuer
) -> None:
    """Another key, audience, owner or issuer; expired, not yet valid, without a signature or an end."""
    long_ago, later = (datetime.now(UTC) + timedelta(hours=hours) for hours in (-2, 2))
    other = type(issuer)(rsa.generate_private_key(65537, 2048), "RS256")
    secret = "a secret that is long enough for the library that signs"
    wrong = [
        issuer.token(other.key, "RS256"),
        issuer.token(aud="another-service"),
        issuer.token(repository_owner="somebody"),
        issuer.token(repository_owner=None),
        issuer.token(iss="https://issuer.example"),
        issuer.token(exp=long_ago),
        issuer.token(nbf=later),
        issuer.token(exp=None),
        issuer.token(sub=None),
        issuer.token(secret, "HS256"),
        ".".join([*issuer.token().split(".")[:2], ""]),
        "a.b.c",
    ]

    answers = [await send(trusting, each) for each in wrong]

    assert [each.status_code for each in answers] == [401] * len(wrong)
    assert len({each.text for each in answers}) == 1


async def test_an_issuer_that_does_not_answer_is_not_the_callers_fault(
    trusting: Running, issuer: LocalIssuer
) -> None:
    issuer.about = {"issuer": "https://another.example"}

    assert (await send(trusting, issuer.token())).status_code == 503


async def test_the_list_of_issuers_is_read_and_what_is_loose_in_it_refused() -> None:
    text = """
    [[issuer]]
    url = "https://token.actions.githubusercontent.com"
    audience = "avow"
    [[issuer.publisher]]
    namespace = "io.github.owner"
    claims = {repository_owner = "owner"}
    """
    [found] = read_issuers(text.encode())

    assert found.publishers == (Publisher("io.github.owner", {"repository_owner": "owner"}),)
    for before, after in (
        ("https:", "http:"),
        ('{repository_owner = "owner"}', "{}"),
        ('"avow"', '""'),
        ("[[issuer]]", "[[issue]]"),
        ('"io.github.owner"', '"../x"'),
        ("url", "= url"),
    ):
        with pytest.raises(MalformedInputError):
            read_issuers(text.replace(before, after, 1).encode())


async def test_an_identity_that_is_called_like_a_person_is_somebody_else(
    trusting: Running, issuer: LocalIssuer
) -> None:
    watch = {"target": "io.github.owner/*", "level": "info"}
    assert (await trusting.post("/api/v1/watches", watch, Role.READ)).status_code == 201
    for name in ("the read", "x" * 500):
        headers = {"authorization": f"Bearer {issuer.token(sub=name)}"}
        assert (await trusting.get("/api/v1/watches", headers=headers)).json() == {"watches": []}
    assert len((await trusting.get("/api/v1/watches", Role.READ)).json()["watches"]) == 1

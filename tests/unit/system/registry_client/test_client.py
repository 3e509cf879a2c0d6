"""Which question goes where."""

from collections.abc import Callable

import httpx
import pytest

from avow.core.canonical import JsonObject
from avow.core.publication import ServerName
from avow.core.tlog.tiles import Bundle, Tile
from avow.errors import AvowError, MalformedInputError, PeerProtocolError
from avow.system.registry_client.client import RegistryClient, read_hashes
from small_registry import NAME, SmallRegistry

DIGEST = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("question", "path"),
    [
        (lambda c: c.publish(b"{}"), "publish"),
        (lambda c: c.servers(), "servers"),
        (lambda c: c.servers("read files", cursor="c", limit=3), "servers?q=read+files&cursor=c&limit=3"),
        (lambda c: c.versions(NAME, cursor="c"), "servers/io.github.owner/files/versions?cursor=c"),
        (lambda c: c.version(NAME), "servers/io.github.owner/files/versions/latest"),
        (lambda c: c.version(NAME, "1+2"), "servers/io.github.owner/files/versions/1%2B2"),
        (lambda c: c.search(argument="path:string"), "search?argument=path%3Astring"),
        (lambda c: c.match({"tools": []}), "match"),
        (lambda c: c.digest(DIGEST), f"digests/{DIGEST}"),
        (
            lambda c: c.approvals(NAME, environment="production"),
            "approvals?name=io.github.owner%2Ffiles&environment=production",
        ),
        (lambda c: c.decide({"state": "approved"}), "approvals"),
    ],
)
def test_each_question_has_its_place(question: Callable[[RegistryClient], JsonObject], path: str) -> None:
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.raw_path.decode().removeprefix("/api/v1/"))
        return httpx.Response(200, json={"answer": 1})

    with RegistryClient("https://registry.example", over=httpx.MockTransport(answer)) as client:
        assert question(client) == {"answer": 1}

    assert asked == [path]


def test_a_version_cannot_lead_elsewhere() -> None:
    with SmallRegistry().client() as client, pytest.raises(MalformedInputError):
        client.version(NAME, "../../tokens")
    with pytest.raises(MalformedInputError):
        ServerName.read("../tokens")


def test_the_log_is_read_as_it_is() -> None:
    registry = SmallRegistry()
    registry.publish("1.0.0")
    registry.publish("1.1.0")
    with registry.client() as client:
        assert client.checkpoint() == registry.log.checkpoint()
        assert client.log_key() == registry.log.signer.verifier()
        assert client.served(Tile(0, 0, 2)) == registry.log.serve(Tile(0, 0, 2))
        assert client.served(Bundle(0, 2)) == registry.log.serve(Bundle(0, 2))
        assert client.inclusion(1, 2) == (registry.log.entries[1], registry.log.inclusion(1))
        assert client.consistency(1, 2) == registry.log.consistency(1)
        assert client.envelope(NAME, "1.0.0") == registry.envelopes["1.0.0"]


@pytest.mark.parametrize(
    ("path", "question"),
    [
        ("log/key", lambda c: c.log_key()),
        ("log/inclusion", lambda c: c.inclusion(0, 1)),
        ("log/consistency", lambda c: c.consistency(0, 1)),
    ],
)
def test_an_answer_without_what_was_asked_for(
    path: str, question: Callable[[RegistryClient], object]
) -> None:
    registry = SmallRegistry(lies={path: lambda request: httpx.Response(200, json={})})
    with registry.client() as client, pytest.raises(PeerProtocolError):
        question(client)


def test_a_tile_that_is_too_long_is_not_read() -> None:
    registry = SmallRegistry(lies={"tile/0/000": lambda request: httpx.Response(200, content=b"x" * 9000)})
    with registry.client() as client, pytest.raises(AvowError, match="more than 8192 bytes"):
        client.served(Tile(0, 0))


@pytest.mark.parametrize("values", [[1], ["x"], ["AAAA"], [None], ["A" * 43 + "="] * 65])
def test_what_is_not_a_proof(values: list[object]) -> None:
    with pytest.raises(MalformedInputError, match="not a list of hashes"):
        read_hashes(values)

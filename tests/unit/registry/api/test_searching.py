"""Finding capabilities and servers over the API."""

from typing import Any

import pytest

from avow.core.documents import snapshot_document
from registry_running import DELETE, NAME, OWNER, READ, Running, envelope
from small_server import snapshot

pytestmark = pytest.mark.anyio
WIDER = {
    **READ,
    "inputSchema": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "encoding": {"type": "string"}},
        "required": ["path"],
    },
}


@pytest.fixture
async def filled(registry: Running) -> Running:
    await registry.send(envelope("1.0.0", READ, DELETE))
    await registry.send(envelope("2.0.0", WIDER, name="io.github.owner/other"))
    await registry.send(envelope("1.0.0", DELETE, name="io.github.owner/third"))
    return registry


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"tool": "delete_file"}, ["delete_file"]),
        ({"text": "delete good"}, ["delete_file"]),
        ({"argument": "encoding"}, ["read_file"]),
        ({"argument": "path:string", "risk": "high"}, ["delete_file"]),
        ({"argument": "path:integer"}, []),
        ({"kind": "prompt"}, []),
        ({"text": "read", "secrets": "none", "namespace": "io.github.owner"}, ["read_file", "read_file"]),
        ({"text": "read", "namespace": "io.github.nobody"}, []),
    ],
)
async def test_everything_that_is_asked_for_has_to_hold(
    filled: Running, query: dict[str, str], names: list[str]
) -> None:
    answer = (await filled.get("/api/v1/search", params=query)).json()

    assert [each["name"] for each in answer["capabilities"]] == names


async def test_a_hit_names_its_risk_and_the_servers_that_offer_it(filled: Running) -> None:
    query: dict[str, Any] = {"tool": "delete_file", "facets": "true"}

    answer = (await filled.get("/api/v1/search", params=query)).json()

    [hit] = answer["capabilities"]
    assert hit["risk"]["level"] == "high"
    assert hit["risk"]["reasons"]
    assert {each["name"] for each in hit["offers"]} == {NAME, "io.github.owner/third"}
    assert hit["servers"] == 2
    assert answer["facets"]["risks"]["high"] == 1


async def test_a_replacement_accepts_at_least_the_same(filled: Running) -> None:
    lists = (await filled.post("/api/v1/match", {"tools": [READ]})).json()
    whole = (await filled.post("/api/v1/match", snapshot_document(snapshot([READ])))).json()
    wider = (await filled.post("/api/v1/match", {"tools": [WIDER]})).json()

    assert {each["name"] for each in lists["matches"]} == {NAME, "io.github.owner/other"}
    assert whole == lists
    assert [each["name"] for each in wider["matches"]] == ["io.github.owner/other"]


async def test_nobody_offers_two_tools_of_one_name(filled: Running) -> None:
    answer = await filled.post("/api/v1/match", {"tools": [READ, WIDER]})

    assert answer.json() == {"matches": [], "next": None}


@pytest.mark.parametrize("document", [{}, [], {"tools": []}, {"tools": [{}]}, {"tools": 1}, {"avow": 1}])
async def test_what_is_no_signature_is_refused(filled: Running, document: Any) -> None:
    assert (await filled.post("/api/v1/match", document)).status_code == 422


async def test_exact_copies_are_found_by_digest(filled: Running) -> None:
    digest = snapshot([DELETE]).signature.tools["delete_file"].digest
    whole = snapshot([DELETE]).signature.digest

    copies = (await filled.get(f"/api/v1/digests/{digest}")).json()
    servers = (await filled.get(f"/api/v1/digests/{whole}")).json()
    nobody = await filled.get(f"/api/v1/digests/sha256:{'0' * 64}")

    assert [each["name"] for each in copies["holders"]] == [NAME, "io.github.owner/third"]
    assert copies["capability"]["name"] == "delete_file"
    assert [each["name"] for each in servers["holders"]] == ["io.github.owner/third"]
    assert servers["capability"] is None
    assert nobody.status_code == 404


async def test_a_cursor_that_is_none_leads_nowhere(filled: Running) -> None:
    answer = await filled.get("/api/v1/search", params={"text": "read", "cursor": "AAAA"})

    assert answer.status_code == 404


async def test_servers_are_found_by_words_of_their_names(filled: Running) -> None:
    answer = (await filled.get("/api/v1/servers", params={"q": "third"})).json()

    assert [each["name"] for each in answer["servers"]] == ["io.github.owner/third"]
    assert OWNER.public.identifier == answer["servers"][0]["latest"]["key"]

"""Strangers at /mcp: they take no places, no time, and no publisher's word for its own risk."""

import json
from collections.abc import Iterator

import anyio
import httpx
import pytest
from mcp import Client

from avow.core import dsse
from avow.core.canonical import JsonObject
from avow.core.publication import PUBLICATION_TYPE
from registry_running import DELETE, NAME, OWNER, Program, envelope, program


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with program(tmp_path_factory.mktemp("agents")) as registry:
        headers = {"authorization": f"Bearer {registry.token}", "content-type": "application/json"}
        claim = {"namespace": "io.github.owner", "key": OWNER.public.pem.decode()}
        httpx.post(f"{registry.url}/api/v1/namespaces", json=claim, headers=headers).raise_for_status()
        sent = praised(envelope("1.0.0", DELETE))
        httpx.post(f"{registry.url}/api/v1/publish", content=sent, headers=headers).raise_for_status()
        yield registry


def praised(data: bytes) -> bytes:
    """The same publication, whose publisher finds everything in it harmless."""
    document = json.loads(dsse.loads(data).payload)
    for tool in document["snapshot"]["tools"]:
        tool["risk"] = {"level": "low", "reasons": ["audited, harmless"]}
    return dsse.dumps(dsse.sign(json.dumps(document).encode(), PUBLICATION_TYPE, [OWNER]))


def test_the_rating_is_ours_whatever_its_publisher_wrote(registry: Program) -> None:
    async def ask() -> str:
        with anyio.fail_after(60):
            async with Client(f"{registry.url}/mcp") as client:
                answer = await client.call_tool("get_signature", {"name": NAME})
                return str(answer.content[0].text)  # type: ignore[union-attr]

    [tool] = json.loads(anyio.run(ask))["capabilities"]

    assert (tool["name"], tool["risk"]) == ("delete_file", "high")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_no_number_of_strangers_keeps_others_out(registry: Program, mode: str) -> None:
    hello: JsonObject = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "stranger", "version": "1"},
        },
    }
    accepts = {"accept": "application/json, text/event-stream"}
    with httpx.Client(timeout=30) as client:
        for _ in range(50):
            answer = client.post(f"{registry.url}/mcp", json=hello, headers=accepts)
            assert (answer.status_code, answer.headers.get("mcp-session-id")) == (200, None)

    async def names() -> list[str]:
        with anyio.fail_after(60):
            async with Client(f"{registry.url}/mcp", mode=mode) as client:
                return [tool.name for tool in (await client.list_tools()).tools]

    assert "is_approved" in anyio.run(names)


def test_nothing_there_is_without_end(registry: Program) -> None:
    answer = httpx.get(f"{registry.url}/mcp", headers={"accept": "text/event-stream"})

    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_told_to_stop_as_soon_as_it_began_it_stops(tmp_path_factory: pytest.TempPathFactory) -> None:
    with program(tmp_path_factory.mktemp("brief")) as registry:
        registry.process.terminate()
        assert registry.process.wait(15) == 0

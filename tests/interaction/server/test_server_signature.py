"""The `signature` method and its announcement, in every protocol version."""

from typing import Any

import mcp_types
import pytest
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer

from avow.core.capability import Kind
from avow.core.snapshot import Era
from avow.errors import DeclarationError
from avow.protocol.gate.signature import read_declaration
from avow.protocol.versions import KNOWN, era_of
from avow.server import declare
from declaring.servers import FRAMEWORKS, server
from declaring.wire import talk

pytestmark = pytest.mark.anyio
Json = dict[str, Any]


@pytest.mark.parametrize("era", list(Era))
async def test_a_client_that_knows_the_signature_does_not_get_it_again(era: Era) -> None:
    mcp, _ = server("official")

    async with talk(mcp, era) as wire:
        digest = wire.hello["capabilities"]["signature"]["digest"]
        known = await wire.result("signature", {"knownDigest": digest})
        other = await wire.result("signature", {"knownDigest": "sha256:" + "0" * 64})

    assert known["digest"] == digest
    assert known["unchanged"] is True
    assert "tools" not in known
    assert "unchanged" not in other
    assert other["digest"] == digest


@pytest.mark.parametrize(
    "known", [5, True, "", "sha256:", "sha256:" + "A" * 64, "a" * 1_000_000, ["sha256:"], {}]
)
async def test_a_known_digest_that_is_none_is_refused(known: object) -> None:
    mcp, _ = server("official")

    async with talk(mcp, Era.MODERN) as wire:
        error = await wire.error("signature", {"knownDigest": known})

    assert error["code"] == -32602
    assert "knownDigest is not a digest" in error["message"]
    assert len(str(error)) < 500


@pytest.mark.parametrize("version", KNOWN)
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_the_digest_is_over_what_lists_carry_in_that_version(framework: str, version: str) -> None:
    """An older version drops members from its lists; the signature has what a client of it can see."""
    mcp, _ = server(framework)
    era = era_of(version)
    assert era is not None

    async with talk(mcp, era, version, scopes=("admin",)) as wire:
        signature = await wire.result("signature")
        announced = wire.hello["capabilities"]["signature"]["digest"]
        for kind in Kind:
            assert (await wire.result(kind.list_method))[kind.collection] == signature[kind.collection]

    assert read_declaration(signature, 100).signature.digest == announced


@pytest.mark.parametrize("era", list(Era))
async def test_what_cannot_be_enumerated_is_said_and_let_through(era: Era) -> None:
    async def resources(ctx: Any, params: Any) -> mcp_types.ListResourcesResult:
        listed.append(mcp_types.Resource(name="file", uri=f"file:///{len(listed)}"))
        return mcp_types.ListResourcesResult(resources=listed)

    async def read(ctx: Any, params: Any) -> mcp_types.ReadResourceResult:
        return mcp_types.ReadResourceResult(
            contents=[mcp_types.TextResourceContents(uri=params.uri, text="something")]
        )

    listed: list[mcp_types.Resource] = []
    mcp: Server[Any] = Server("files", on_list_resources=resources, on_read_resource=read)
    declare(mcp, incomplete=["resources"])

    async with talk(mcp, era) as wire:
        signature = await wire.result("signature")
        found = await wire.listed("resources/list")
        contents = await wire.result("resources/read", {"uri": "file:///etc/motd"})

    assert signature["complete"] is False
    assert signature["incomplete"] == ["resources"]
    assert len(found) > len(signature["resources"])
    assert contents["contents"][0]["text"] == "something"


async def test_before_the_handshake_there_is_no_signature() -> None:
    mcp, _ = server("official")

    async with talk(mcp, Era.LEGACY, shake_hands=False) as wire:
        assert (await wire.error("signature"))["code"] == -32602


def test_a_server_is_declared_once() -> None:
    mcp = MCPServer("twice")
    declare(mcp)

    with pytest.raises(DeclarationError, match="'twice' is declared twice"):
        declare(mcp)


def test_a_kind_that_does_not_exist_is_refused() -> None:
    with pytest.raises(DeclarationError, match="'files' is no kind of capability"):
        declare(MCPServer("files"), incomplete=["files"])


def test_only_servers_are_declared() -> None:
    with pytest.raises(DeclarationError, match=r"builtins\.dict is not a server that Avow knows"):
        declare({})

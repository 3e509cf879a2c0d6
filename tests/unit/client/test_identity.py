"""Which server it is, for the cache: as a digest, without secrets, and not more than can be told."""

import anyio
from mcp import StdioServerParameters
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer

from avow.client.identity import identity_of, named


def test_addresses_are_told_apart_and_credentials_are_not() -> None:
    plain = identity_of("https://example.org/mcp")
    assert plain == identity_of("https://user:secret@example.org/mcp")
    others = {
        identity_of(url)
        for url in ("http://example.org/mcp", "https://example.org/a", "https://example.org/mcp?team=1")
    }
    assert len({plain, *others}) == 4


def test_programs_are_told_apart_by_how_they_are_started() -> None:
    first = identity_of(StdioServerParameters(command="npx", args=["a"]))
    assert first == identity_of(StdioServerParameters(command="npx", args=["a"], env={"TOKEN": "x"}))
    assert first != identity_of(StdioServerParameters(command="npx", args=["b"]))
    assert first != identity_of(StdioServerParameters(command="npx", args=["a"], cwd="/tmp"))


def test_objects_go_by_their_name_and_transports_by_none() -> None:
    assert identity_of(MCPServer("a")) == identity_of(MCPServer("a")) != identity_of(MCPServer("b"))
    assert identity_of(Server("a")) != identity_of(MCPServer("a"))
    assert identity_of(anyio) is None
    assert named("a") == named("a") != named("b")

"""Resolved variants: declared in the signature, checked at registration, picked by `tools/resolve`."""

from typing import Any

import mcp_types
import pytest
from fastmcp import FastMCP
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer

from avow.core.snapshot import Era
from avow.errors import DeclarationError
from avow.server import Declared, Variant, declare
from declaring.wire import talk

pytestmark = pytest.mark.anyio

READ = Variant({"operation": "read"}, {"readOnlyHint": True, "destructiveHint": False}, ("files:read",))
WRITE = Variant({"operation": "write"}, {"destructiveHint": True}, ("files:write",))
SCHEMA = {
    "type": "object",
    "properties": {"operation": {"type": "string"}, "path": {"type": "string"}},
    "required": ["operation", "path"],
}


def manage_files(operation: str, path: str) -> str:
    """Read or write a file."""
    return f"{operation} {path}"


def managing(framework: str, **options: Any) -> tuple[Any, Declared]:
    if framework == "lowlevel":
        low: Server[Any] = Server("files")
        avowed = declare(low, **options)
        tool = mcp_types.Tool(name="manage_files", input_schema=SCHEMA)
        avowed.possible_tool(tool, available=lambda context: True)(manage_files)
        return low, avowed
    mcp: Any = MCPServer("files") if framework == "official" else FastMCP("files")
    avowed = declare(mcp, **options)
    mcp.tool()(manage_files)
    return mcp, avowed


@pytest.mark.parametrize("era", list(Era))
@pytest.mark.parametrize("framework", ["official", "lowlevel", "fastmcp"])
async def test_the_signature_has_the_variants_and_resolve_picks_one(framework: str, era: Era) -> None:
    mcp, avowed = managing(framework)
    avowed.variants("manage_files", READ, WRITE)

    async with talk(mcp, era) as wire:
        signature = await wire.result("signature")
        listed = await wire.result("tools/list")
        params = {"name": "manage_files", "arguments": {"operation": "read", "path": "a"}}
        read = await wire.result("tools/resolve", params)
        params["arguments"] = {"operation": "burn", "path": "a"}
        unrefined = await wire.result("tools/resolve", params)

    (tool,) = signature["tools"]
    assert tool["resolvedVariants"] == [READ.document, WRITE.document]
    assert listed["tools"] == [{key: value for key, value in tool.items() if key != "resolvedVariants"}]
    assert read["tool"]["annotations"]["readOnlyHint"] is True
    assert read["tool"]["requiredScopes"] == ["files:read"]
    assert "resolvedVariants" not in read["tool"]
    assert unrefined["tool"] == tool


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({}, "needs the name of a tool"),
        ({"name": 5}, "needs the name of a tool"),
        ({"name": "nothing"}, "tool 'nothing' is not in the signature"),
        ({"name": "manage_files", "arguments": "all"}, "are not an object"),
        ({"name": "manage_files", "arguments": None}, "are not an object"),
    ],
)
async def test_resolve_refuses_what_it_cannot_resolve(params: dict[str, Any], words: str) -> None:
    mcp, _ = managing("official")

    async with talk(mcp, Era.MODERN) as wire:
        error = await wire.error("tools/resolve", params)

    assert error["code"] == -32602
    assert words in error["message"]


@pytest.mark.parametrize("framework", ["official", "lowlevel", "fastmcp"])
def test_a_variant_that_promises_too_much_is_refused_where_it_is_registered(framework: str) -> None:
    """It claims to be harmless for every call there is."""
    _, avowed = managing(framework)

    with pytest.raises(DeclarationError, match="the tool 'manage_files': variant 1"):
        avowed.variants("manage_files", Variant({}, {"readOnlyHint": True}))


async def test_a_variant_is_checked_before_it_is_served_where_the_tool_comes_later() -> None:
    mcp = MCPServer("files")
    avowed = declare(mcp)
    avowed.variants("manage_files", Variant({}, {"readOnlyHint": True}))
    mcp.tool()(manage_files)

    async with talk(mcp, Era.MODERN, shake_hands=False) as wire:
        error = await wire.error("server/discover")

    assert "the tool 'manage_files': variant 1" in error["message"]


async def test_variants_need_a_tool() -> None:
    mcp, avowed = managing("official")
    avowed.variants("manage_flies", READ)

    async with talk(mcp, Era.MODERN, shake_hands=False) as wire:
        error = await wire.error("server/discover")

    assert "the tool 'manage_flies' has variants but is not registered" in error["message"]


def test_a_variant_that_no_call_meets_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    _, avowed = managing("official")

    avowed.variants("manage_files", READ, READ)

    assert "the tool 'manage_files': variant 2" in caplog.text


def test_under_strict_a_variant_that_no_call_meets_is_an_error() -> None:
    _, avowed = managing("official", strict=True)

    with pytest.raises(DeclarationError, match="the tool 'manage_files': variant 2"):
        avowed.variants("manage_files", READ, READ)


async def test_variants_come_before_the_signature_is_served() -> None:
    mcp, avowed = managing("official")

    async with talk(mcp, Era.MODERN):
        with pytest.raises(DeclarationError, match="variants of the tool 'manage_files' are declared after"):
            avowed.variants("manage_files", READ)

"""Talking to a server object: requests both ways, refusals, and servers that stop."""

from typing import Any

import anyio
import pytest
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError

from avow.core.snapshot import Era
from avow.errors import DeclarationError
from avow.server.inprocess import Caller, RefusedError, StoppedError, converse


def curious() -> MCPServer:
    """A server that asks its client for its roots."""
    mcp = MCPServer("curious", log_level="CRITICAL")

    @mcp.tool()
    async def ask(context: Context[Any, Any]) -> str:
        try:
            await context.session.list_roots()
        except MCPError as exc:
            return str(exc.error.code)
        return "roots"

    return mcp


@pytest.mark.filterwarnings("ignore:.*roots.*")
def test_a_server_that_asks_for_something_is_told_that_there_is_nothing() -> None:
    async def test() -> None:
        async with converse(curious(), Era.LEGACY, Caller(), seconds=20) as conversation:
            answer = await conversation.request("tools/call", name="ask", arguments={})
        assert answer["content"][0]["text"] == "-32601"

    anyio.run(test)


@pytest.mark.parametrize("era", Era)
def test_a_refusal_is_raised_with_its_code(era: Era) -> None:
    async def test() -> None:
        async with converse(curious(), era, Caller(), seconds=20) as conversation:
            with pytest.raises(RefusedError, match="no/such") as caught:
                await conversation.request("no/such")
        assert caught.value.code == -32601

    anyio.run(test)


def test_a_server_that_stops_answers_nobody() -> None:
    server: Server[Any] = Server("brief")

    async def stop(*_: Any, **__: Any) -> None:
        return None

    server.run = stop  # type: ignore[method-assign]

    async def test() -> None:
        with pytest.raises(StoppedError):
            async with converse(server, Era.LEGACY, Caller(), seconds=20):
                pass

    anyio.run(test)


def test_a_failure_of_the_server_comes_before_that_of_the_conversation() -> None:
    server: Server[Any] = Server("broken")

    async def fail(*_: Any, **__: Any) -> None:
        raise KeyError("database")

    server.run = fail  # type: ignore[method-assign]

    async def test() -> None:
        with pytest.raises(KeyError, match="database"):
            async with converse(server, Era.MODERN, Caller(), seconds=20):
                pass

    anyio.run(test)


def test_a_server_that_takes_too_long_is_given_up() -> None:
    server: Server[Any] = Server("slow")

    async def sleep(*_: Any, **__: Any) -> None:
        await anyio.sleep_forever()

    server.run = sleep  # type: ignore[method-assign]

    async def test() -> None:
        with pytest.raises(TimeoutError):
            async with converse(server, Era.MODERN, Caller(), seconds=0.05):
                pass

    anyio.run(test)


def test_only_servers_are_spoken_to() -> None:
    async def test() -> None:
        with pytest.raises(DeclarationError, match="is not a server that Avow knows"):
            async with converse("server", Era.LEGACY, Caller()):
                pass

    anyio.run(test)


def test_callers_are_told_apart_in_words() -> None:
    assert str(Caller()) == "an anonymous client"
    assert str(Caller(scopes=("b", "a"))) == "somebody with the scopes a, b"
    assert str(Caller(subject="ann", claims={"role": "admin"})) == "ann with the claims {'role': 'admin'}"
    assert Caller().user is None

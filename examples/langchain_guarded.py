"""LangChain tools from an MCP server that is held to what it declares.

LangChain reaches MCP servers through FastMCP's client, and so does PydanticAI: both take the transport that
is defined here in the place of a URL. Nothing else changes for them. The tools are listed and called without
a model; an agent would be given `tools` as they are.

Run it with `python examples/langchain_guarded.py`; it needs `langchain`, `fastmcp` and `avow[client]`.
"""

import sys
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from fastmcp.client.transports import ClientTransport
from langchain_core._api import LangChainBetaWarning
from mcp import ClientSession, StdioServerParameters

from avow.client import guarded_transport

SERVER = Path(__file__).parent / "notes" / "release_1.py"


class Guarded(ClientTransport):
    """A transport of FastMCP with Avow's gate in it."""

    def __init__(self, server: StdioServerParameters | str, **guarding: Any) -> None:
        """Reach `server`, and hold it as the options of `guarded_transport` say."""
        self._server = server
        self._guarding = guarding

    @asynccontextmanager
    async def connect_session(self, **session_options: Any) -> AsyncIterator[ClientSession]:
        """A session over guarded streams."""
        session_options.pop("transport_options", None)
        async with (
            guarded_transport(self._server, **self._guarding) as (read, write),
            ClientSession(read, write, **session_options) as session,
        ):
            yield session


async def tell(server: StdioServerParameters | str) -> list[str]:
    """List the tools of a server and call one of them; what happened, in lines."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LangChainBetaWarning)
        from langchain.mcp import MCPAdapter

    lines: list[str] = []
    events: list[str] = []
    guarded = Guarded(
        server,
        on_violation="drop",
        on_event=lambda event: events.append(f"{event.event}: {event.detail or event.name}"),
    )
    async with MCPAdapter(guarded) as adapter:
        tools = {tool.name: tool for tool in await adapter.list_tools()}
        lines.append(f"LangChain sees {', '.join(sorted(tools))}")
        found = await tools["search_notes"].ainvoke({"word": "olives"})
        lines.append(f"search_notes found {found[0]['text']}")
    return [*lines, *events]


def main() -> None:
    """Tell it about the notes that ship with Avow."""
    server = StdioServerParameters(command=sys.executable, args=[str(SERVER)])
    sys.stdout.write("\n".join(anyio.run(tell, server)) + "\n")


if __name__ == "__main__":
    main()

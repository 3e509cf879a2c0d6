"""The small declared server as a process: `avowed.py FRAMEWORK stdio` or `avowed.py FRAMEWORK http`.

Over HTTP it prints its port, and the bearer token `boss` is an administrator's, `guest` is not. The tool
`promote` makes `late_feature` available to everybody and says so.
"""

import asyncio
import socket
import sys
from pathlib import Path
from typing import Any

import mcp_types
import uvicorn
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.stdio import stdio_server

sys.path.insert(0, str(Path(__file__).parents[2] / "interaction"))
from declaring.servers import server

SCOPES = {"boss": ["admin"], "guest": ["report"]}
AUTH = AuthSettings.model_validate({"issuer_url": "https://issuer.example", "resource_server_url": None})
PROMOTED: list[bool] = []


class Verifier:
    """Knows two people."""

    async def verify_token(self, token: str) -> AccessToken | None:
        if token not in SCOPES:
            return None
        return AccessToken(token=token, client_id="tester", scopes=SCOPES[token], subject=token)


def make(framework: str, transport: str) -> tuple[Any, Any]:
    construction: dict[str, Any] = {}
    if transport == "http" and framework == "official":
        construction = {"auth": AUTH, "token_verifier": Verifier()}
    if transport == "http" and framework == "fastmcp":
        from fastmcp.server.auth import StaticTokenVerifier

        people = {
            token: {"client_id": "tester", "scopes": scopes, "sub": token} for token, scopes in SCOPES.items()
        }
        construction = {"auth": StaticTokenVerifier(people)}
    mcp, avowed = server(framework, construction)

    def named(name: str) -> Any:
        if framework != "lowlevel":
            return name
        return mcp_types.Tool(name=name, input_schema={"type": "object"})

    async def promote(*_: Any) -> Any:
        PROMOTED.append(True)
        await avowed.availability_changed("tool")
        return mcp_types.CallToolResult(content=[]) if framework == "lowlevel" else "done"

    async def simple() -> str:
        return str(await promote())

    function = promote if framework == "lowlevel" else simple
    avowed.possible_tool(named("promote"), available=lambda context: True)(function)
    avowed.possible_tool(named("late_feature"), available=lambda context: bool(PROMOTED))(function)
    return mcp, avowed


async def over_stdio(framework: str) -> None:
    mcp, _ = make(framework, "stdio")
    if framework == "lowlevel":
        async with stdio_server() as (read, write):
            await mcp.run(read, write, mcp.create_initialization_options())
    elif framework == "fastmcp":
        await mcp.run_async("stdio", show_banner=False)
    else:
        await mcp.run_stdio_async()


def over_http(framework: str) -> None:
    mcp, _ = make(framework, "http")
    if framework == "lowlevel":
        app = mcp.streamable_http_app(auth=AUTH, token_verifier=Verifier())
    else:
        app = mcp.http_app() if framework == "fastmcp" else mcp.streamable_http_app()
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    print(listening.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets=[listening])


if __name__ == "__main__":
    if sys.argv[2] == "stdio":
        asyncio.run(over_stdio(sys.argv[1]))
    else:
        over_http(sys.argv[1])

"""A server of any framework as a process, over stdio or HTTP, where two people have bearer tokens."""

import asyncio
import socket
import sys
from collections.abc import Callable
from typing import Any

import uvicorn
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.stdio import stdio_server

SCOPES = {"boss": ["admin"], "guest": ["report"]}
AUTH = AuthSettings.model_validate({"issuer_url": "https://issuer.example", "resource_server_url": None})


class Verifier:
    """Knows two people."""

    async def verify_token(self, token: str) -> AccessToken | None:
        if token not in SCOPES:
            return None
        return AccessToken(token=token, client_id="tester", scopes=SCOPES[token], subject=token)


def construction(framework: str, transport: str) -> dict[str, Any]:
    """What a framework's server is constructed with, so that it knows the two."""
    if transport == "http" and framework == "official":
        return {"auth": AUTH, "token_verifier": Verifier()}
    if transport == "http" and framework == "fastmcp":
        from fastmcp.server.auth import StaticTokenVerifier

        people = {
            token: {"client_id": "tester", "scopes": scopes, "sub": token} for token, scopes in SCOPES.items()
        }
        return {"auth": StaticTokenVerifier(people)}
    return {}


def serve(make: Callable[[str, str], Any]) -> None:
    """Serve what `make` gives for the framework and the transport that the command line names."""
    framework, transport = sys.argv[1:3]
    mcp = make(framework, transport)
    if transport == "stdio":
        asyncio.run(_over_stdio(mcp, framework))
    else:
        _over_http(mcp, framework)


async def _over_stdio(mcp: Any, framework: str) -> None:
    if framework == "lowlevel":
        async with stdio_server() as (read, write):
            await mcp.run(read, write, mcp.create_initialization_options())
    elif framework == "fastmcp":
        await mcp.run_async("stdio", show_banner=False)
    else:
        await mcp.run_stdio_async()


def _over_http(mcp: Any, framework: str) -> None:
    if framework == "lowlevel":
        app = mcp.streamable_http_app(auth=AUTH, token_verifier=Verifier())
    else:
        app = mcp.http_app() if framework == "fastmcp" else mcp.streamable_http_app()
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    print(listening.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets=[listening])

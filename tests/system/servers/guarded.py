"""The guarded server as a process: `guarded.py FRAMEWORK stdio`, or `guarded.py FRAMEWORK http`.

Over HTTP it prints its port; the bearer token `boss` is an administrator's, `guest` is not. Audit events are
lines of JSON on standard error.
"""

import asyncio
import json
import logging
import socket
import sys
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.stdio import stdio_server

sys.path.insert(0, str(Path(__file__).parents[2] / "interaction"))
from hardened.servers import hardened

SCOPES = {"boss": ["admin"], "guest": ["report"]}
AUTH = AuthSettings.model_validate({"issuer_url": "https://issuer.example", "resource_server_url": None})


class Verifier:
    """Knows two people."""

    async def verify_token(self, token: str) -> AccessToken | None:
        if token not in SCOPES:
            return None
        return AccessToken(token=token, client_id="tester", scopes=SCOPES[token], subject=token)


def written(event: Any) -> None:
    sys.stderr.write(json.dumps(event) + "\n")
    sys.stderr.flush()


def make(framework: str, transport: str) -> Any:
    construction: dict[str, Any] = {}
    if transport == "http" and framework == "official":
        construction = {"auth": AUTH, "token_verifier": Verifier()}
    if transport == "http" and framework == "fastmcp":
        from fastmcp.server.auth import StaticTokenVerifier

        people = {
            token: {"client_id": "tester", "scopes": scopes, "sub": token} for token, scopes in SCOPES.items()
        }
        construction = {"auth": StaticTokenVerifier(people)}
    logging.disable(logging.CRITICAL)
    return hardened(framework, construction, on_event=written, max_half_open=5)[0]


async def over_stdio(framework: str) -> None:
    mcp = make(framework, "stdio")
    if framework == "lowlevel":
        async with stdio_server() as (read, write):
            await mcp.run(read, write, mcp.create_initialization_options())
    elif framework == "fastmcp":
        await mcp.run_async("stdio", show_banner=False)
    else:
        await mcp.run_stdio_async()


def over_http(framework: str) -> None:
    mcp = make(framework, "http")
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

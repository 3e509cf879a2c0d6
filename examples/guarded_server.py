"""A server whose negotiation is guarded: what administrators may use is hidden from everybody else.

Run it over stdio with `python examples/guarded_server.py`, or over HTTP with `python
examples/guarded_server.py --http [PORT]`. Over HTTP the bearer token `letmein` is an administrator's; over
stdio whoever sets NOTES_ADMIN in the environment is one. Nothing that a client says of itself makes it one.
"""

import os
import sys

from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import Context, MCPServer

from avow.server import Evidence, Feature, Identity, guard
from avow.server.guard import authenticated


class Verifier:
    """Knows two people; a real server asks its authorization server."""

    async def verify_token(self, token: str) -> AccessToken | None:
        """The token's meaning, or None."""
        scopes = {"letmein": ["admin"], "guest": []}.get(token)
        return None if scopes is None else AccessToken(token=token, client_id="notes", scopes=scopes)


def identify(evidence: Evidence) -> Identity | None:
    """The access token's owner over HTTP; over stdio, who started the process."""
    if evidence.headers or not os.environ.get("NOTES_ADMIN"):
        return authenticated(evidence)
    return Identity("environment", subject="administrator", scopes=frozenset({"admin"}))


def grants(identity: Identity) -> set[str]:
    """Administrators may maintain the notes."""
    return {"maintenance"} if "admin" in identity.scopes else set()


def make(*, with_tokens: bool = False) -> MCPServer:
    """The server; `with_tokens` lets nobody in who has none."""
    auth = AuthSettings.model_validate({"issuer_url": "https://issuer.example", "resource_server_url": None})
    mcp = (
        MCPServer("notes", version="1.0.0", auth=auth, token_verifier=Verifier())
        if with_tokens
        else MCPServer("notes", version="1.0.0")
    )
    notes = {"shopping": "tea, bread"}

    @mcp.tool()
    def count_words(text: str) -> int:
        """Count the words of a text."""
        return len(text.split())

    @mcp.tool()
    async def name_note(context: Context) -> str:
        """Ask the user for a title; refused unless the client can ask."""
        answer = await context.session.elicit(
            "What is it about?", {"type": "object", "properties": {"title": {"type": "string"}}}
        )
        return str(answer.content)

    @mcp.tool()
    def delete_note(name: str) -> str:
        """Delete a note."""
        return f"deleted {notes.pop(name)}"

    features = {"maintenance": Feature(tools=("delete_note",), experimental={"maintenance": {}})}
    guard(mcp, features=features, grants=grants, identify=identify)
    return mcp


if __name__ == "__main__":
    if "--http" in sys.argv:
        port = int(sys.argv[sys.argv.index("--http") + 1]) if len(sys.argv) > 2 else 8765
        make(with_tokens="--tokens" in sys.argv).run("streamable-http", host="127.0.0.1", port=port)
    else:
        make().run()

"""Which server a client talks to, as far as that can be told before it answers; for the cache alone.

What is made here may be derived from a command line or an address, which can hold a secret: it is kept
only as a digest.
"""

import hashlib
import json
from typing import Any
from urllib.parse import urlsplit

from mcp import StdioServerParameters
from mcp.server import Server
from mcp.server.mcpserver import MCPServer


def identity_of(server: object) -> str | None:
    """A digest that stands for the server; `None` for a transport, which could lead anywhere."""
    match server:
        case str():
            parts = urlsplit(server)
            host = parts.netloc.rpartition("@")[2]
            return _digest("http", parts.scheme, host, parts.path, parts.query)
        case StdioServerParameters():
            # Not the values of the environment: they are secrets, and change without another server.
            return _digest("stdio", server.command, server.args, str(server.cwd or ""))
        case Server() | MCPServer():
            return _digest("python", type(server).__module__, server.name)
        case _:
            return None


def named(name: str) -> str:
    """The digest for a name that the user gave."""
    return _digest("named", name)


def _digest(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

"""What agents are told at /mcp: a small MCP server that declares itself, like those it knows about."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from avow.registry.service import Service


def agents_app(service: "Service") -> "Starlette | None":
    """The application that answers at /mcp; None until there is one."""
    del service
    return None

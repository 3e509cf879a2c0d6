"""The MCP server at /mcp: it declares its own signature, and is guarded like everybody's."""

from typing import TYPE_CHECKING, Any

import avow

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from avow.registry.service import Service

_INSTRUCTIONS = (
    "Ask this registry about MCP servers before you use them: what they offer, how risky each capability is, "
    "how versions differ, and whether people have approved a version."
)


def agents_app(service: "Service") -> "Starlette":
    """The application that answers at /mcp."""
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.transport_security import TransportSecuritySettings
    from mcp_types import ToolAnnotations

    from avow.errors import AvowError
    from avow.registry.agents import MOST_BYTES, Desk
    from avow.server import declare, guard

    desk = Desk(service)
    server = MCPServer(
        "avow-registry", version=avow.__version__, instructions=_INSTRUCTIONS, log_level="WARNING"
    )
    declare(server)
    guard(server, allow_sessionless=True)
    reads_only = ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )

    def tool(function: Any) -> None:
        server.tool(annotations=reads_only, structured_output=False)(function)

    def failed(error: AvowError) -> ToolError:
        return ToolError(
            f"{error.message}{' (' if error.hint else ''}{error.hint}{')' if error.hint else ''}"
        )

    @tool
    async def search(text: str = "", tool: str = "", argument: str = "", risk: str = "") -> dict[str, Any]:
        """Find tools, prompts and resources that MCP servers offer today.

        Give words (text), the exact name of a tool, an argument as name:type, or a risk: low, medium, high.
        """
        try:
            return await desk.search(text, tool, argument, risk)
        except AvowError as error:
            raise failed(error) from error

    @tool
    async def get_signature(name: str, version: str = "latest") -> dict[str, Any]:
        """Everything that a version of a server (namespace/server) can do, with digests and risk levels."""
        try:
            return await desk.get_signature(name, version)
        except AvowError as error:
            raise failed(error) from error

    @tool
    async def compare(name: str, before: str, after: str = "latest") -> dict[str, Any]:
        """How two versions of a server (namespace/server) differ, most severe first."""
        try:
            return await desk.compare(name, before, after)
        except AvowError as error:
            raise failed(error) from error

    @tool
    async def is_approved(name: str, environment: str, version: str = "latest") -> dict[str, Any]:
        """Whether people have approved a version of a server (namespace/server) in an environment."""
        try:
            return await desk.is_approved(name, environment, version)
        except AvowError as error:
            raise failed(error) from error

    # Names of hosts are checked before a request comes this far.
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    # Four questions need no session, and sessions are places that strangers could fill.
    app: Starlette = server.streamable_http_app(
        stateless_http=True, json_response=True, max_request_body_size=MOST_BYTES, transport_security=security
    )
    return app

"""`MCPServer`, the high-level server of the official SDK."""

from collections.abc import Sequence
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.resources import Resource
from pydantic import BaseModel

from avow.core.canonical import JsonObject
from avow.core.capability import Kind
from avow.server.frameworks import (
    Announce,
    Author,
    PlainNames,
    intercept,
    name_of,
    parsed_template,
    template_matches,
    uri_of,
)
from avow.server.seam import Request


class OfficialFramework(PlainNames):
    """Capabilities of an `MCPServer`: its registries, which do not depend on who asks."""

    def __init__(self, server: MCPServer[Any]) -> None:
        """Look at this server."""
        self._server = server

    async def definitions(self, kind: Kind, request: Request) -> Sequence[BaseModel]:  # noqa: ARG002
        """Everything registered."""
        match kind:
            case Kind.TOOL:
                return await self._server.list_tools()
            case Kind.PROMPT:
                return await self._server.list_prompts()
            case Kind.RESOURCE:
                return await self._server.list_resources()
            case Kind.TEMPLATE:
                return await self._server.list_resource_templates()

    def register(self, kind: Kind, what: object, function: Author, options: JsonObject) -> tuple[str, Any]:
        """Register a function as the SDK's decorators do."""
        if kind in (Kind.RESOURCE, Kind.TEMPLATE):
            uri = uri_of(kind, what)
            return uri, self._server.resource(uri, **options)(function)
        name = name_of(what, function)
        decorator = self._server.tool if kind is Kind.TOOL else self._server.prompt
        return name, decorator(name, **options)(function)

    def watch(self, announce: Announce) -> None:
        """Watch the public ways to register something, which the decorators use too."""

        def tool(fn: Author, name: str | None = None, *_: Any, **__: Any) -> None:
            announce(Kind.TOOL, name_of(name, fn))

        def prompt(prompt: Prompt) -> None:
            announce(Kind.PROMPT, prompt.name)

        def resource(resource: Resource) -> None:
            announce(Kind.RESOURCE, str(resource.uri))

        def by_uri(uri: str, **_: Any) -> None:
            announce(Kind.TEMPLATE if "{" in uri else Kind.RESOURCE, uri)

        intercept(self._server, "add_tool", tool)
        intercept(self._server, "add_prompt", prompt)
        intercept(self._server, "add_resource", resource)
        intercept(self._server, "resource", by_uri)

    async def registered_tool(self, name: str) -> BaseModel | None:
        """The tool with that name."""
        return next((tool for tool in await self._server.list_tools() if tool.name == name), None)

    def is_template(self, text: str) -> bool:
        """As the SDK reads templates."""
        return parsed_template(text) is not None

    def matches(self, template: str, uri: str) -> bool:
        """As the SDK's resource manager decides."""
        return template_matches(template, uri)

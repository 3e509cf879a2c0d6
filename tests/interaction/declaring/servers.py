"""The same small server in each framework: `greet` for everybody, `admin_dashboard` for administrators."""

from typing import Any, Final

import mcp_types
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer

from avow.server import AvailabilityContext, Declared, declare

FRAMEWORKS: Final = ("official", "lowlevel", "fastmcp")
KINDS: Final = {
    "tool": ("tools/list", "greet", "admin_dashboard"),
    "prompt": ("prompts/list", "summarize", "audit"),
    "resource": ("resources/list", "note://public", "note://secret"),
    "template": ("resources/templates/list", "note://public/{number}", "note://secret/{number}"),
}
"""Per kind: how it is listed, what everybody gets, and what administrators get."""


def is_admin(context: AvailabilityContext) -> bool:
    return "admin" in context.scopes


async def is_admin_later(context: AvailabilityContext) -> bool:
    return "admin" in context.scopes


def server(framework: str, construction: Any = None, **options: Any) -> tuple[Any, Declared]:
    """A fresh server with all four kinds, and its declaration; `construction` is for the framework."""
    match framework:
        case "official":
            official = MCPServer("small", version="1.0", log_level="CRITICAL", **(construction or {}))
            return official, _decorated(official, declare(official, **options))
        case "fastmcp":
            # Only who needs it waits for it.
            from fastmcp import FastMCP

            fast: FastMCP[Any] = FastMCP("small", version="1.0", **(construction or {}))
            return fast, _decorated(fast, declare(fast, **options))
        case _:
            return _lowlevel(**options)


def _decorated(mcp: Any, avowed: Declared) -> Declared:
    @mcp.tool()  # type: ignore[untyped-decorator]
    def greet(name: str) -> str:
        """Greet somebody."""
        return f"Hello, {name}."

    @avowed.possible_tool(available=is_admin)
    def admin_dashboard() -> str:
        """Access the admin dashboard."""
        return "42 users"

    @mcp.prompt()  # type: ignore[untyped-decorator]
    def summarize() -> str:
        """Summarize."""
        return "Summarize this."

    @avowed.possible_prompt(available=is_admin_later)
    def audit() -> str:
        """Audit."""
        return "Audit this."

    @mcp.resource("note://public")  # type: ignore[untyped-decorator]
    def public() -> str:
        return "everybody's"

    @avowed.possible_resource("note://secret", available=is_admin)
    def secret() -> str:
        return "the administrators'"

    @mcp.resource("note://public/{number}")  # type: ignore[untyped-decorator]
    def numbered(number: str) -> str:
        return f"note {number}"

    @avowed.possible_template("note://secret/{number}", available=is_admin_later)
    def numbered_secret(number: str) -> str:
        return f"secret {number}"

    return avowed


def _tool(name: str, /, **properties: Any) -> mcp_types.Tool:
    return mcp_types.Tool(name=name, input_schema={"type": "object", "properties": properties})


def _said(text: str) -> mcp_types.CallToolResult:
    return mcp_types.CallToolResult(content=[mcp_types.TextContent(text=text)])


def _read(uri: str, text: str) -> mcp_types.ReadResourceResult:
    return mcp_types.ReadResourceResult(contents=[mcp_types.TextResourceContents(uri=uri, text=text)])


def _asked(text: str) -> mcp_types.GetPromptResult:
    message = mcp_types.PromptMessage(role="user", content=mcp_types.TextContent(text=text))
    return mcp_types.GetPromptResult(messages=[message])


def _lowlevel(**options: Any) -> tuple[Any, Declared]:
    async def list_tools(ctx: Any, params: Any) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult(tools=[_tool("greet", name={"type": "string"})])

    async def call_tool(ctx: Any, params: Any) -> mcp_types.CallToolResult:
        return _said(f"Hello, {params.arguments['name']}.")

    async def list_prompts(ctx: Any, params: Any) -> mcp_types.ListPromptsResult:
        return mcp_types.ListPromptsResult(prompts=[mcp_types.Prompt(name="summarize")])

    async def get_prompt(ctx: Any, params: Any) -> mcp_types.GetPromptResult:
        return _asked("Summarize this.")

    async def list_resources(ctx: Any, params: Any) -> mcp_types.ListResourcesResult:
        return mcp_types.ListResourcesResult(
            resources=[mcp_types.Resource(name="public", uri="note://public")]
        )

    async def list_templates(ctx: Any, params: Any) -> mcp_types.ListResourceTemplatesResult:
        template = mcp_types.ResourceTemplate(name="numbered", uri_template="note://public/{number}")
        return mcp_types.ListResourceTemplatesResult(resource_templates=[template])

    async def read(ctx: Any, params: Any) -> mcp_types.ReadResourceResult:
        return _read(params.uri, "everybody's")

    mcp: Server[Any] = Server(
        "small",
        version="1.0",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read,
    )
    avowed = declare(mcp, **options)

    @avowed.possible_tool(_tool("admin_dashboard"), available=is_admin)
    async def admin_dashboard(ctx: Any, params: Any) -> mcp_types.CallToolResult:
        return _said("42 users")

    @avowed.possible_prompt(mcp_types.Prompt(name="audit"), available=is_admin_later)
    async def audit(ctx: Any, params: Any) -> mcp_types.GetPromptResult:
        return _asked("Audit this.")

    @avowed.possible_resource(mcp_types.Resource(name="secret", uri="note://secret"), available=is_admin)
    async def secret(ctx: Any, params: Any) -> mcp_types.ReadResourceResult:
        return _read(params.uri, "the administrators'")

    @avowed.possible_template(
        mcp_types.ResourceTemplate(name="numbered_secret", uri_template="note://secret/{number}"),
        available=is_admin_later,
    )
    async def numbered_secret(ctx: Any, params: Any) -> mcp_types.ReadResourceResult:
        return _read(params.uri, f"secret {params.uri.rsplit('/', 1)[1]}")

    return mcp, avowed

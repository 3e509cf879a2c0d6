"""The same guarded server in each framework: words for everybody, deletions and an experiment for some.

It has tools and nothing else, though two of the frameworks declare more; its tool `ask` asks the client for
something, over its channel or with its result.
"""

import warnings
from typing import Any, Final

import mcp_types
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Context, MCPServer

from avow.server import Feature, Guard, Identity, guard

FRAMEWORKS: Final = ("official", "lowlevel", "fastmcp")
EVERYBODY: Final = ["ask", "count_words"]
FEATURES: Final = {
    "maintenance": Feature(tools=("delete_note",), experimental={"advancedMode": {"on": True}})
}
FORM: Final[Any] = {"type": "object", "properties": {"title": {"type": "string"}}}


def grants(identity: Identity) -> set[str]:
    return {"maintenance"} if "admin" in identity.scopes else set()


def hardened(framework: str, construction: Any = None, **options: Any) -> tuple[Any, Guard]:
    """A fresh server and its guard; `options` are the guard's, `construction` the framework's."""
    server = bare(framework, construction)
    return server, guard(server, **{"features": FEATURES, "grants": grants, **options})


def bare(framework: str, construction: Any = None) -> Any:
    """The server without its guard."""
    match framework:
        case "official":
            return _official(**(construction or {}))
        case "fastmcp":
            return _fast(**(construction or {}))
        case _:
            return _lowlevel()


def count_words(text: str) -> int:
    """Count the words of a text."""
    return len(text.split())


def delete_note(name: str) -> str:
    """Delete a note."""
    return f"deleted {name}"


async def asking(session: Any, what: str, way: str) -> Any:
    """Ask the client for something."""
    if way == "result":
        return mcp_types.InputRequiredResult(input_requests={"one": _request(what)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Sampling and roots are on their way out.
        match what:
            case "elicitation":
                answer = await session.elicit("A title?", FORM)
            case "sampling":
                text = mcp_types.TextContent(type="text", text="Hello")
                message = mcp_types.SamplingMessage(role="user", content=text)
                answer = await session.create_message([message], max_tokens=5)
            case _:
                answer = await session.list_roots()
    return answer.model_dump_json(by_alias=True)


def _request(what: str) -> Any:
    match what:
        case "elicitation":
            return mcp_types.ElicitRequest(
                params=mcp_types.ElicitRequestFormParams(message="A title?", requested_schema=FORM)
            )
        case "sampling":
            text = mcp_types.TextContent(type="text", text="Hello")
            message = mcp_types.SamplingMessage(role="user", content=text)
            params = mcp_types.CreateMessageRequestParams(messages=[message], max_tokens=5)
            return mcp_types.CreateMessageRequest(params=params)
        case _:
            return mcp_types.ListRootsRequest()


def _official(**construction: Any) -> Any:
    mcp = MCPServer("hardened", version="1.0", log_level="CRITICAL", **construction)

    @mcp.tool()
    async def ask(what: str, context: Context, way: str = "channel") -> str | mcp_types.InputRequiredResult:
        """Ask for something."""
        answer: Any = await asking(context.session, what, way)
        return answer  # type: ignore[no-any-return]

    mcp.tool()(count_words)
    mcp.tool()(delete_note)
    return mcp


def _fast(**construction: Any) -> Any:
    from fastmcp import Context as FastContext
    from fastmcp import FastMCP

    mcp: FastMCP[Any] = FastMCP("hardened", version="1.0", **construction)

    async def ask(what: str, context: FastContext, way: str = "channel") -> Any:
        """Ask for something."""
        return await asking(context.session, what, way)

    mcp.tool(ask)
    mcp.tool(count_words)
    mcp.tool(delete_note)
    return mcp


def _tool(name: str, description: str, *properties: str) -> mcp_types.Tool:
    schema = {"type": "object", "properties": {each: {"type": "string"} for each in properties}}
    return mcp_types.Tool(name=name, description=description, input_schema=schema)


def _lowlevel() -> Any:
    tools = [
        _tool("ask", "Ask for something.", "what", "way"),
        _tool("count_words", "Count the words of a text.", "text"),
        _tool("delete_note", "Delete a note.", "name"),
    ]

    async def list_tools(context: Any, params: Any) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult(tools=tools)

    async def call_tool(context: Any, params: Any) -> Any:
        arguments = params.arguments or {}
        match params.name:
            case "ask":
                answer = await asking(context.session, arguments["what"], arguments.get("way", "channel"))
                if isinstance(answer, mcp_types.InputRequiredResult):
                    return answer
            case "count_words":
                answer = count_words(**arguments)
            case _:
                answer = delete_note(**arguments)
        return mcp_types.CallToolResult(content=[mcp_types.TextContent(type="text", text=str(answer))])

    server: Server[Any] = Server("hardened", version="1.0", on_list_tools=list_tools, on_call_tool=call_tool)
    return server

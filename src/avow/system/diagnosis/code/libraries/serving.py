"""The point at which a program serves MCP over its standard streams."""

from collections.abc import Callable
from typing import Final

from avow.system.diagnosis.code.values import (
    NOTHING,
    Closure,
    Program,
    Record,
    Request,
    Unknown,
    Value,
    text_of,
)

_TRANSPORTS: Final = ("StdioServerTransport", "stdio_server")
_SERVERS: Final = ("FastMCP()", "MCPServer()", "Server()", "McpServer()")
_RUNNING: Final = frozenset({"run", "run_async", "run_stdio_async", "start", "listen"})


def recognise(path: str) -> Callable[[Program, Request], Value] | None:
    """A transport over standard streams, or a server that is run."""
    if path.endswith(_TRANSPORTS):
        return _serve
    owner, _, name = path.rpartition(".")
    if name in _RUNNING and owner.endswith(_SERVERS):
        return _run
    if name in {"FastMCP", "MCPServer", "Server"} and "mcp" in path.lower():
        return None
    return None


def _serve(program: Program, _request: Request) -> Value:
    program.serves = True
    return Unknown(truth=True)


def _run(program: Program, request: Request) -> Value:
    options = program.settle(request.argument(0) or NOTHING)
    kind = request.keywords.get("transport", request.argument(0))
    if isinstance(options, Record):
        kind = options.fields.get("transportType", options.fields.get("transport"))
    word = text_of(program.settle(kind)) if kind is not None else "stdio"
    if word is None or word == "stdio":
        program.serves = True
    for argument in request.arguments:
        if isinstance(argument, Closure):
            program.call(argument, Request((), {}, request.line, request.module))
    return NOTHING

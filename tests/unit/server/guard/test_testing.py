"""The helper for authors: it finds servers that believe what a client says, and no others."""

from typing import Any

import mcp_types
import pytest
from mcp.server.lowlevel import Server

from avow.core.snapshot import Era
from avow.server.guard.testing import (
    Caller,
    assert_claims_change_nothing,
    check_claims,
    find_claim_problems,
)
from hardened.servers import FRAMEWORKS, hardened

CALLERS = (Caller(), Caller(scopes=("admin",)))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


CLAIMED: dict[str, Any] = {
    "extension": lambda session: "admin" in (session.client_capabilities.extensions or {}),
    "tasks": lambda session: session.client_capabilities.tasks is not None,
    "roots": lambda session: getattr(session.client_capabilities.roots, "list_changed", None),
    "context": lambda session: getattr(session.client_capabilities.sampling, "context", None) is not None,
    "version": lambda session: session.client_params.client_info.version > "9",
    "title": lambda session: session.client_params.client_info.title,
}


def believing(member: str) -> Any:
    """Seed 001's vulnerable server: what it lists depends on a claim."""

    async def list_tools(context: Any, params: Any) -> mcp_types.ListToolsResult:
        client = context.session.client_params
        names = ["greet"]
        if member == "name" and client.client_info.name == "admin":
            names.append("shutdown")
        flags = (context.session.client_capabilities.experimental or {}) if member == "flag" else {}
        if "secretMode" in flags:
            names.append("shutdown")
        if member in CLAIMED and CLAIMED[member](context.session):
            names.append("shutdown")
        if member == "sampling" and context.session.client_capabilities.sampling:
            names.remove("greet")
        return mcp_types.ListToolsResult(
            tools=[mcp_types.Tool(name=name, input_schema={"type": "object"}) for name in names]
        )

    async def call(context: Any, params: Any) -> Any:
        return mcp_types.CallToolResult(content=[])

    server: Server[Any] = Server("believing", on_list_tools=list_tools, on_call_tool=call)
    return server


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_claims_change_nothing_about_a_guarded_server(framework: str) -> None:
    server, _ = hardened(framework)

    assert_claims_change_nothing(server, contexts=CALLERS, names=("admin",))


@pytest.mark.parametrize(
    ("member", "message"),
    [
        ("name", "that calls itself 'admin', the server lists the tool 'shutdown' too"),
        ("flag", "that claims features, the server lists the tool 'shutdown' too"),
        ("sampling", "that can be asked for everything, the server lists the tool 'greet' no more"),
        ("extension", "that claims features, the server lists the tool 'shutdown' too"),
        ("tasks", "that claims features, the server lists the tool 'shutdown' too"),
        ("roots", "that can be asked for everything, the server lists the tool 'shutdown' too"),
        ("context", "that can be asked for everything, the server lists the tool 'shutdown' too"),
        ("version", "that is of another version, the server lists the tool 'shutdown' too"),
        ("title", "that is of another version, the server lists the tool 'shutdown' too"),
    ],
)
def test_a_server_that_believes_is_found(member: str, message: str) -> None:
    with pytest.raises(AssertionError) as raised:
        assert_claims_change_nothing(believing(member), flags=("secretMode",))

    for era in Era:
        assert f"to an anonymous client ({era}) {message}" in str(raised.value)
    assert str(raised.value).startswith("2 thing(s) depend")


@pytest.mark.anyio
async def test_a_declaration_that_believes_is_found() -> None:
    """The guard itself lets nothing through: what another middleware declares by claim is found."""
    server, _ = hardened("lowlevel")

    async def declaring(context: Any, call_next: Any) -> Any:
        result = await call_next(context)
        if context.method == "initialize" and "maintenance" in str(context.params["capabilities"]):
            return {**result, "instructions": "Welcome back."}
        return result

    server.middleware.append(declaring)

    problems = await find_claim_problems(server, eras=[Era.LEGACY], names=())
    assert problems == (
        "to an anonymous client (legacy) that claims features, the server declares another 'instructions'",
    )
    with pytest.raises(AssertionError):
        await check_claims(server, names=())

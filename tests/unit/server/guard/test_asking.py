"""What a server asks of its client, and when: each rule by itself, and over HTTP."""

from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from avow.core.snapshot import Era
from avow.protocol.gate.session import Phase
from avow.server.guard.asking import Asking
from avow.server.guard.sessions import Session
from avow.server.guard.trail import Trail
from hardened.http import post
from hardened.servers import FRAMEWORKS, hardened
from hardened.wire import hello

pytestmark = pytest.mark.anyio
EVERYTHING: Any = {"sampling": {}, "roots": {}, "elicitation": {}}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def refusal(phase: Phase, method: str, params: Any = None) -> int | None:
    """The code with which a question is kept back; None when it is sent."""
    session = Session("x", Era.LEGACY, phase, client_capabilities=EVERYTHING)
    try:
        Asking(Trail("notes", None))._check(session, method, params)
    except MCPError as error:
        return error.error.code
    return None


@pytest.mark.parametrize("phase", [Phase.AWAITING_INIT, Phase.INIT_SENT, Phase.TERMINATED])
def test_nothing_but_ping_is_asked_outside_of_an_active_session(phase: Phase) -> None:
    assert refusal(phase, "elicitation/create") == -32600
    assert refusal(phase, "ping") is None


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("elicitation/create", {"mode": "form"}, None),
        ("elicitation/create", {"mode": "url"}, -32601),
        ("elicitation/create", {"Mode": "url"}, -32602),
        ("sampling/createMessage", {"tools": []}, -32601),
        ("roots/list", None, None),
        ("tasks/get", {}, None),
    ],
)
def test_details_count(method: str, params: Any, code: int | None) -> None:
    """A mode or tools that were not declared; a spelling that two readers would understand differently."""
    assert refusal(Phase.ACTIVE, method, params) == code


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("what", ["elicitation", "sampling", "roots"])
async def test_over_http_there_is_no_channel_and_still_the_right_error(framework: str, what: str) -> None:
    server, _ = hardened(framework)
    app: Any = server.http_app() if framework == "fastmcp" else server.streamable_http_app()
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "ask", "arguments": {"what": what, "way": "channel"}, "_meta": meta}
    headers: Any = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call", "mcp_name": "ask"}
    async with app.router.lifespan_context(app):
        _, answer, _ = await post(app, {"id": 1, "method": "tools/call", "params": params}, **headers)

    assert answer["error"]["code"] == -32021
    assert answer["error"]["data"] == {"requiredCapabilities": {what: {}}}


async def test_a_session_over_http_stays_in_its_era_and_version() -> None:
    server, _ = hardened("lowlevel")
    app = server.streamable_http_app()
    envelope = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
    async with server.session_manager.run():
        _, _, told = await post(app, {"id": 1, "method": "initialize", "params": hello()})
        session: Any = {"mcp_session_id": told["mcp-session-id"]}
        await post(app, {"method": "notifications/initialized"}, **session)
        plain = await post(app, {"id": 2, "method": "tools/list"}, **session)
        mixed = await post(app, {"id": 3, "method": "tools/list", "params": envelope}, **session)
        session["mcp_protocol_version"] = "2025-06-18"
        other = await post(app, {"id": 4, "method": "tools/list"}, **session)

    assert "result" in plain[1]
    assert mixed[1]["error"]["message"] == "avow: this session began with initialize"
    assert other[1]["error"]["message"] == "avow: the header names another protocol version than the session"

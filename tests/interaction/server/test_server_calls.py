"""Calls on what a client may not use: refused before the server sees them, with a clear error."""

from typing import Any

import mcp_types
import pytest
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer

from avow.core.snapshot import Era
from avow.server import declare
from declaring.servers import FRAMEWORKS, is_admin, server
from declaring.wire import HELLO, Wire, talk

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("era", list(Era))]
Json = dict[str, Any]

GUARDED: list[tuple[str, Json, str]] = [
    ("tools/call", {"name": "admin_dashboard", "arguments": {}}, "tool 'admin_dashboard'"),
    ("prompts/get", {"name": "audit"}, "prompt 'audit'"),
    ("resources/read", {"uri": "note://secret"}, "resource 'note://secret'"),
    ("resources/read", {"uri": "note://secret/7"}, "resource 'note://secret/7'"),
]


@pytest.mark.parametrize(("method", "params", "what"), GUARDED)
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_a_call_needs_availability(
    framework: str, era: Era, method: str, params: Json, what: str
) -> None:
    mcp, _ = server(framework)

    async with talk(mcp, era, scopes=("report",)) as wire:
        refusal = await wire.error(method, params)
    async with talk(mcp, era, scopes=("admin",)) as wire:
        await wire.result(method, params)

    assert refusal["code"] == -32602
    assert refusal["message"] == f"avow: {what} is not available to you now"
    assert refusal["data"]["avow"]["reason"] == "unavailable"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "nothing", "arguments": {}}),
        ("prompts/get", {"name": "nothing"}),
        ("resources/read", {"uri": "note://nothing/at/all"}),
        ("resources/read", {"uri": "note://secret#fragment"}),
    ],
)
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_what_the_signature_does_not_have_cannot_be_called(
    framework: str, era: Era, method: str, params: Json
) -> None:
    mcp, _ = server(framework)

    async with talk(mcp, era, scopes=("admin",)) as wire:
        refusal = await wire.error(method, params)

    assert refusal["code"] == -32602
    assert "is not in the signature of this server" in refusal["message"]


@pytest.mark.parametrize("params", [{}, {"name": 5}, {"name": None}, {"name": ["greet"]}])
async def test_a_call_that_names_nothing_is_left_to_the_sdk(era: Era, params: Json) -> None:
    mcp, _ = server("official")

    async with talk(mcp, era) as wire:
        assert (await wire.error("tools/call", params))["code"] == -32602


async def test_a_long_name_is_not_sent_back_whole(era: Era) -> None:
    mcp, _ = server("official")

    async with talk(mcp, era) as wire:
        refusal = await wire.error("tools/call", {"name": "\x1b[2J" + "x" * 100_000, "arguments": {}})

    assert len(str(refusal)) < 1_000
    assert "\x1b" not in refusal["message"]


def _completing(era: Era) -> MCPServer:
    mcp = MCPServer("completing", log_level="CRITICAL")
    avowed = declare(mcp)

    @mcp.completion()  # type: ignore[no-untyped-call, untyped-decorator]
    async def complete(ref: Any, argument: Any, context: Any) -> mcp_types.Completion:
        return mcp_types.Completion(values=["secret value"])

    @avowed.possible_prompt(available=is_admin)
    def audit(what: str) -> str:
        """Audit."""
        return what

    @avowed.possible_template("note://{number}", available=is_admin)
    def note(number: str) -> str:
        return number

    return mcp


@pytest.mark.parametrize(
    "reference",
    [
        {"type": "ref/prompt", "name": "audit"},
        {"type": "ref/resource", "uri": "note://{number}"},
        {"type": "ref/resource", "uri": "note://5"},
    ],
)
async def test_completions_need_availability_too(era: Era, reference: Json) -> None:
    mcp = _completing(era)
    params = {"ref": reference, "argument": {"name": "what", "value": ""}}

    async with talk(mcp, era) as wire:
        refusal = await wire.error("completion/complete", params)
    async with talk(mcp, era, scopes=("admin",)) as wire:
        completed = await wire.result("completion/complete", params)

    assert "is not available to you now" in refusal["message"]
    assert completed["completion"]["values"] == ["secret value"]


async def test_a_malformed_completion_is_left_to_the_sdk(era: Era) -> None:
    async with talk(_completing(era), era) as wire:
        assert (await wire.error("completion/complete", {"ref": 5}))["code"] == -32602


async def test_one_of_two_templates_is_not_a_way_around_the_other(era: Era) -> None:
    """Which template the server would take does not matter: what is closed is closed."""
    mcp = MCPServer("overlapping", log_level="CRITICAL")
    avowed = declare(mcp)

    @avowed.possible_template("note://{number}", available=is_admin)
    def narrow(number: str) -> str:
        return f"secret {number}"

    @mcp.resource("note://{+path}")
    def wide(path: str) -> str:
        return f"public {path}"

    async with talk(mcp, era) as wire:
        closed = await wire.error("resources/read", {"uri": "note://5"})
        public = await wire.result("resources/read", {"uri": "note://5/6"})

    assert "not available" in closed["message"]
    assert public["contents"][0]["text"] == "public 5/6"


async def _subscribed(wire: Wire, uri: str) -> Json:
    if wire.era is Era.LEGACY:
        return await wire.error("resources/subscribe", {"uri": uri})
    return await wire.error("subscriptions/listen", {"notifications": {"resourceSubscriptions": [uri]}})


@pytest.mark.parametrize("uri", ["note://secret", "note://secret/7", "note://unknown"])
async def test_nobody_subscribes_to_what_is_closed(era: Era, uri: str) -> None:
    mcp, _ = server("official")

    async with talk(mcp, era) as wire:
        refusal = await _subscribed(wire, uri)

    assert refusal["code"] == -32602
    assert uri in refusal["message"]


async def test_a_low_level_server_without_handlers_gets_them_with_its_first_possible_capability(
    era: Era,
) -> None:
    mcp: Server[Any] = Server("empty")
    avowed = declare(mcp)
    template = mcp_types.ResourceTemplate(name="note", uri_template="note://{number}")

    @avowed.possible_template(template, available=lambda context: True)
    async def note(ctx: Any, params: Any) -> mcp_types.ReadResourceResult:
        return mcp_types.ReadResourceResult(
            contents=[mcp_types.TextResourceContents(uri=params.uri, text="a note")]
        )

    async with talk(mcp, era) as wire:
        listed = await wire.listed("resources/templates/list")
        note_5 = await wire.result("resources/read", {"uri": "note://5"})

    assert "resources" in wire.hello["capabilities"]
    assert listed == ["note"]
    assert note_5["contents"][0]["text"] == "a note"


async def test_a_check_can_be_given_to_what_the_server_lists_itself(era: Era) -> None:
    mcp, avowed = server("lowlevel")
    avowed.restrict("tool", "greet", available=is_admin)

    async with talk(mcp, era) as wire:
        assert await wire.listed() == []
        assert "not available" in (await wire.error("tools/call", {"name": "greet"}))["message"]


async def test_a_check_for_nothing_is_a_mistake(era: Era, caplog: pytest.LogCaptureFixture) -> None:
    """A name that was mistyped would leave the real one open, so nobody is served."""
    mcp, avowed = server("official")
    avowed.restrict("tool", "admin_dashbord", available=is_admin)

    async with talk(mcp, era, shake_hands=False) as wire:
        error = await wire.error("initialize" if era is Era.LEGACY else "server/discover", HELLO)

    mistake = "the tool 'admin_dashbord' has an availability check but is not registered"
    assert error["message"] == f"avow: this server cannot declare itself: {mistake}"
    assert mistake in caplog.text

"""The seam: parts in their order, what they may change, and what nobody touches."""

from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from mcp.server.auth.middleware.auth_context import auth_context_var
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp_types import ErrorData, SubscriptionsListenRequestParams
from starlette.authentication import UnauthenticatedUser

from avow.core.canonical import JsonObject
from avow.core.snapshot import Era
from avow.errors import DeclarationError
from avow.server.seam import Part, Request, Seam, lowlevel_of, refused, serve_subscriptions, subscriptions_of
from declaring.wire import talk

pytestmark = pytest.mark.anyio

BOSS = AccessToken(token="1", client_id="tester", scopes=[], subject="boss")
OPENER = AccessToken(token="2", client_id="tester", scopes=[], subject="opener")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Noting(Part):
    """Writes down what it sees, and adds a member to handshakes."""

    def __init__(self, name: str, notes: list[str]) -> None:
        self._name = name
        self._notes = notes

    async def before(self, request: Request) -> None:
        self._notes.append(f"{self._name} before {request.method} {request.is_notification}")

    async def after(self, request: Request, result: JsonObject) -> None:
        self._notes.append(f"{self._name} after {request.method}")
        if request.is_handshake:
            result[self._name] = {"era": str(request.era)}


class Refusing(Part):
    """Refuses every ping."""

    async def before(self, request: Request) -> None:
        if request.method == "ping":
            raise refused(-32600, "no", reason="because")


@pytest.mark.parametrize("era", list(Era))
async def test_parts_are_asked_in_order_and_on_the_way_back_in_reverse(era: Era) -> None:
    server: Server[Any] = Server("plain")
    notes: list[str] = []
    Seam(server).parts += [Noting("first", notes), Noting("second", notes)]

    async with talk(server, era) as wire:
        await wire.error("tools/list")

    hello = "initialize" if era is Era.LEGACY else "server/discover"
    assert notes[:4] == [
        f"first before {hello} False",
        f"second before {hello} False",
        f"second after {hello}",
        f"first after {hello}",
    ]
    assert notes[-2:] == ["first before tools/list False", "second before tools/list False"]
    assert ("first before notifications/initialized True" in notes) is (era is Era.LEGACY)
    assert wire.hello["first"] == wire.hello["second"] == {"era": str(era)}


@pytest.mark.parametrize("era", list(Era))
async def test_what_a_part_adds_survives_fastmcp(era: Era) -> None:
    """FastMCP reads handshakes into models that drop what they do not know; the seam is outside of that."""
    from fastmcp import FastMCP

    server: FastMCP[Any] = FastMCP("fast")
    Seam(lowlevel_of(server)).parts.append(Noting("extra", []))

    async with talk(server, era) as wire:
        assert wire.hello["extra"] == {"era": str(era)}


async def test_a_refusal_says_why_to_people_and_programs() -> None:
    server: Server[Any] = Server("plain")
    Seam(server).parts.append(Refusing())

    async with talk(server, Era.LEGACY) as wire:
        error = await wire.error("ping")

    assert error == {"code": -32600, "message": "avow: no", "data": {"avow": {"reason": "because"}}}
    assert refused(-1, "no").error.data is None


async def test_an_error_that_a_middleware_returns_stays_one() -> None:
    async def failing(ctx: Any, call_next: Any) -> Any:
        return ErrorData(code=-5, message="mine") if ctx.method == "ping" else await call_next(ctx)

    server: Server[Any] = Server("plain")
    server.middleware.append(failing)
    notes: list[str] = []
    Seam(server).parts.append(Noting("part", notes))

    async with talk(server, Era.LEGACY) as wire:
        error = await wire.error("ping")

    assert (error["code"], error["message"]) == (-5, "mine")
    assert "part after ping" not in notes


async def test_a_method_is_served_with_its_params_as_they_came() -> None:
    async def answer(request: Request) -> JsonObject:
        return {"said": request.params["unknown"]}

    server: Server[Any] = Server("plain")
    Seam(server).serve("extra/method", answer)

    async with talk(server, Era.LEGACY) as wire:
        assert await wire.result("extra/method", {"unknown": {"deep": [1]}}) == {"said": {"deep": [1]}}


def test_a_method_that_is_served_is_not_taken_over() -> None:
    async def answer(request: Request) -> JsonObject:
        return {}

    seam = Seam(Server("plain"))

    with pytest.raises(DeclarationError, match="'plain' already answers 'ping'"):
        seam.serve("ping", answer)


def test_changes_are_published_where_the_author_listens() -> None:
    bus = InMemorySubscriptionBus()
    server: Server[Any] = Server("plain", on_subscriptions_listen=ListenHandler(bus))

    serve_subscriptions(server)

    assert subscriptions_of(server) is bus
    assert subscriptions_of(Server("silent")) is None
    assert subscriptions_of(lowlevel_of(MCPServer("high"))) is not None


def test_an_author_who_serves_subscriptions_otherwise_publishes_alone() -> None:
    async def listen(ctx: Any, params: SubscriptionsListenRequestParams) -> Any:
        await anyio.sleep_forever()

    server: Server[Any] = Server("own", on_subscriptions_listen=listen)

    serve_subscriptions(server)

    assert subscriptions_of(server) is None


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ({"user": AuthenticatedUser(BOSS)}, "boss"),
        ({"user": UnauthenticatedUser()}, None),
        ({}, "opener"),
    ],
)
def test_who_opened_a_session_does_not_speak_for_a_later_request(scope: Any, expected: str | None) -> None:
    sdk: Any = SimpleNamespace(
        method="ping", params=None, protocol_version="2025-11-25", request=SimpleNamespace(scope=scope)
    )
    opened = auth_context_var.set(AuthenticatedUser(OPENER))
    try:
        token = Request.of(sdk).token
    finally:
        auth_context_var.reset(opened)

    assert (token.subject if token else None) == expected


@pytest.mark.parametrize("thing", [None, 5, object(), "server"])
def test_other_things_are_no_servers(thing: object) -> None:
    with pytest.raises(DeclarationError, match="is not a server that Avow knows"):
        lowlevel_of(thing)

"""Grants: prompts, resources and templates, spellings of a URI, and decisions that cannot be made."""

import logging
from typing import Any

import mcp_types
import pytest
from mcp.server.mcpserver import MCPServer

from avow.core.snapshot import Era
from avow.server import Evidence, Feature, Identity, declare, guard
from declaring.wire import Wire, talk
from hardened.servers import FEATURES, bare, grants

pytestmark = pytest.mark.anyio
BOTH = pytest.mark.parametrize("era", list(Era))
ADMIN = ("admin",)
MINE = Feature(
    prompts=("audit",),
    resources=("note://secret",),
    templates=("note://drawer/{number}",),
    experimental={"audits": {}},
)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def notes(framework: str) -> Any:
    """Two of everything but tools: one for everybody, one for administrators."""
    mcp: Any
    if framework == "official":
        mcp = MCPServer("notes", log_level="CRITICAL")
    else:
        from fastmcp import FastMCP

        mcp = FastMCP("notes")

    @mcp.prompt()  # type: ignore[untyped-decorator]
    def summarize() -> str:
        return "Summarize."

    @mcp.prompt()  # type: ignore[untyped-decorator]
    def audit() -> str:
        return "Audit."

    @mcp.resource("note://public")  # type: ignore[untyped-decorator]
    def public() -> str:
        return "everybody's"

    @mcp.resource("note://drawer/1")  # type: ignore[untyped-decorator]
    def first() -> str:
        return "open"

    @mcp.resource("note://secret")  # type: ignore[untyped-decorator]
    def secret() -> str:
        return "ours"

    @mcp.resource("note://drawer/{number}")  # type: ignore[untyped-decorator]
    def drawer(number: str) -> str:
        return f"drawer {number}"

    guard(mcp, features={"mine": MINE}, grants=lambda who: {"mine"} if "admin" in who.scopes else ())
    return mcp


async def read(wire: Wire, uri: str) -> bool:
    return "result" in await wire.request("resources/read", {"uri": uri})


@BOTH
@pytest.mark.parametrize("framework", ["official", "fastmcp"])
async def test_what_is_not_granted_is_not_there(framework: str, era: Era) -> None:
    server = notes(framework)

    async with talk(server, era) as wire:
        lists = [
            await wire.listed(method)
            for method in ("prompts/list", "resources/list", "resources/templates/list")
        ]
        refused = await wire.error("prompts/get", {"name": "audit"})
        readable = [await read(wire, uri) for uri in ("note://public", "note://drawer/1")]
        closed = [await read(wire, uri) for uri in ("note://secret", "note://drawer/2")]
        raw = await wire.result("resources/list")

    assert lists == [["summarize"], ["note://public", "note://drawer/1"], []]
    assert refused["data"]["avow"] == {"reason": "not_granted", "kind": "prompt", "name": "audit"}
    assert readable == [True, True]
    assert closed == [False, False]
    assert "experimental" not in wire.hello["capabilities"]
    assert raw.get("cacheScope", "private") == "private"


@BOTH
@pytest.mark.parametrize("framework", ["official", "fastmcp"])
async def test_what_is_granted_is(framework: str, era: Era) -> None:
    server = notes(framework)

    async with talk(server, era, scopes=ADMIN) as wire:
        assert await wire.listed("prompts/list") == ["summarize", "audit"]
        assert await read(wire, "note://secret")
        assert await read(wire, "note://drawer/2")
        assert wire.hello["capabilities"]["experimental"] == {"audits": {}}


@pytest.mark.parametrize("framework", ["official", "fastmcp"])
@pytest.mark.parametrize(
    "uri", ["NOTE://secret", "note://SECRET", "note://secret/", "note://s%65cret", "note://secret//"]
)
async def test_no_other_spelling_opens_a_resource(framework: str, uri: str) -> None:
    """Whatever a framework makes of it: without a grant, no answer has the secret."""
    server = notes(framework)

    async with talk(server, Era.LEGACY) as wire:
        answer = await wire.request("resources/read", {"uri": uri})

    assert answer["error"]["data"]["avow"]["reason"] == "not_granted"


@BOTH
async def test_completions_and_subscriptions_are_uses_too(era: Era) -> None:
    server = notes("official")

    @server.completion()  # type: ignore[untyped-decorator]
    async def complete(ref: Any, argument: Any, context: Any) -> mcp_types.Completion:
        return mcp_types.Completion(values=["42"])

    argument = {"name": "number", "value": "4"}
    refs = [
        {"type": "ref/prompt", "name": "audit"},
        {"type": "ref/resource", "uri": "note://drawer/{number}"},
        {"type": "ref/prompt", "name": "summarize"},
    ]
    async with talk(server, era) as wire:
        answers = [
            await wire.request("completion/complete", {"ref": ref, "argument": argument}) for ref in refs
        ]
        if era is Era.MODERN:
            wanted = {"notifications": {"resourceSubscriptions": ["note://public", "note://secret"]}}
            listening = await wire.error("subscriptions/listen", wanted)
            assert listening["data"]["avow"]["name"] == "note://secret"

    assert ["error" in answer for answer in answers] == [True, True, False]


@BOTH
async def test_malformed_requests_are_the_servers_to_refuse(era: Era) -> None:
    server = notes("official")

    async with talk(server, era) as wire:
        for method, params in (
            ("prompts/get", {"name": 5}),
            ("resources/read", {"uri": ["note://secret"]}),
            ("completion/complete", {"ref": "audit"}),
            ("subscriptions/listen", {"notifications": 5}),
        ):
            assert "error" in await wire.request(method, params)


async def test_what_belongs_to_two_features_needs_one_of_them() -> None:
    server = bare("official")
    shared = Feature(tools=("ask", "delete_note"))
    guard(
        server,
        features={"one": shared, "two": Feature(tools=("ask",))},
        grants=lambda who: who.scopes,
    )

    shown = []
    for scopes in ((), ("one",), ("two",)):
        async with talk(server, Era.MODERN, scopes=scopes) as wire:
            shown.append(sorted(await wire.listed()))

    assert shown == [["count_words"], ["ask", "count_words", "delete_note"], ["ask", "count_words"]]


async def test_a_decision_that_fails_grants_nothing(caplog: pytest.LogCaptureFixture) -> None:
    async def failing(identity: Identity) -> set[str]:
        raise OSError("the database is away")

    server = bare("official")
    guard(server, features=FEATURES, grants=failing)

    async with talk(server, Era.MODERN, scopes=ADMIN) as wire:
        assert sorted(await wire.listed()) == ["ask", "count_words"]

    assert "no feature is granted" in caplog.text


async def test_a_feature_that_does_not_exist_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    server = bare("official")
    guard(server, features=FEATURES, grants=lambda identity: ["upkeep"])

    with caplog.at_level(logging.ERROR):
        async with talk(server, Era.MODERN) as wire:
            await wire.listed()
            await wire.listed()

    assert [record.getMessage() for record in caplog.records].count(
        "there is no feature 'upkeep' to grant"
    ) == 1


async def test_an_author_may_say_who_somebody_is() -> None:
    """Over stdio there is no token; the environment, a socket's owner or a header can vouch for somebody."""
    seen: list[Evidence] = []

    async def identify(evidence: Evidence) -> Identity:
        seen.append(evidence)
        return Identity("environment", scopes=frozenset(ADMIN))

    server = bare("lowlevel")
    guard(server, features=FEATURES, grants=grants, identify=identify)

    async with talk(server, Era.LEGACY) as wire:
        assert "delete_note" in await wire.listed()
    assert seen[0] == Evidence()


@BOTH
async def test_a_signature_shows_everything_and_lists_what_is_granted(era: Era) -> None:
    """`declare` tells everybody what there could be; the guard says who may use it."""
    server = bare("official")
    declare(server)
    guard(server, features=FEATURES, grants=grants)

    async with talk(server, era) as wire:
        signature = await wire.result("signature")
        refused = await wire.error("tools/resolve", {"name": "delete_note", "arguments": {}})
        assert sorted(await wire.listed()) == ["ask", "count_words"]

    assert "delete_note" in [tool["name"] for tool in signature["tools"]]
    assert refused["data"]["avow"]["reason"] == "not_granted"

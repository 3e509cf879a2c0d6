"""The requirements of the signature proposal (seed 000) that a server meets, by their names and numbers.

Each runs in both eras and in each framework, on the raw messages.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from avow.core.capability import Capability, Kind, Signature
from avow.core.snapshot import Era
from avow.errors import DeclarationError
from avow.server import AvailabilityContext, Declared
from declaring.servers import FRAMEWORKS, KINDS, server
from declaring.wire import talk

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("era", list(Era)),
    pytest.mark.parametrize("framework", FRAMEWORKS),
]
Json = dict[str, Any]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Switch:
    """An availability check that a test turns on and off."""

    def __init__(self) -> None:
        self.on = False

    def __call__(self, context: AvailabilityContext) -> bool:
        return self.on


def names(result: Json) -> dict[str, list[str]]:
    kinds: Iterator[Kind] = iter(Kind)
    return {
        kind.collection: [item[kind.identifier] for item in result[kind.collection]]
        for kind in kinds
        if kind.collection in result
    }


def smuggle(mcp: Any, avowed: Declared, name: str) -> None:
    """Bring a tool into the server's lists past every door that Avow watches."""
    original = avowed.seam.server.get_request_handler("tools/list")
    assert original is not None

    async def more(ctx: Any, params: Any) -> Any:
        result = await original.handler(ctx, params)
        assert result is not None
        assert not isinstance(result, dict)
        tool = result.tools[0].model_copy(update={"name": name})  # type: ignore[attr-defined]
        return result.model_copy(update={"tools": [*result.tools, tool]})  # type: ignore[attr-defined]

    avowed.seam.server.add_request_handler("tools/list", original.params_type, more)


async def test_behavioral_requirement_1_completeness(framework: str, era: Era) -> None:
    """The signature has every item of every kind that somebody could be shown."""
    mcp, _ = server(framework)

    async with talk(mcp, era) as wire:
        signature = await wire.result("signature")
    async with talk(mcp, era, scopes=("admin",)) as wire:
        listed: Json = {}
        for method, *_ in KINDS.values():
            listed |= await wire.result(method)

    assert signature["complete"] is True
    assert names(signature) == names(listed)
    assert sum(map(len, names(signature).values())) == 8


async def test_behavioral_requirement_1_items_outside_do_not_appear(
    framework: str, era: Era, caplog: pytest.LogCaptureFixture
) -> None:
    """What the signature does not have is not listed and not called, and the author hears of it."""
    mcp, avowed = server(framework)

    async with talk(mcp, era) as wire:
        smuggle(mcp, avowed, "smuggled")
        listed = await wire.listed()
        refusal = await wire.error("tools/call", {"name": "smuggled", "arguments": {}})

    assert listed == ["greet"]
    assert "not in the signature" in refusal["message"]
    assert "the server lists the tool 'smuggled', which its signature does not have" in caplog.text


async def test_behavioral_requirement_2_stability(framework: str, era: Era) -> None:
    """Once returned, the signature stays, and nothing can be registered that it does not have."""
    mcp, avowed = server(framework)

    async with talk(mcp, era) as wire:
        before = await wire.result("signature")
        with pytest.raises(DeclarationError, match="late"):
            _register_late(framework, mcp, avowed)
        after = await wire.result("signature")
        listed = await wire.listed()

    assert after == before
    assert "late" not in listed


def _register_late(framework: str, mcp: Any, avowed: Declared) -> None:
    def late() -> str:
        return "too late"

    if framework == "lowlevel":
        definition = {"name": "late", "inputSchema": {"type": "object"}}
        avowed.possible_tool(definition, available=lambda context: True)(late)
    else:
        mcp.tool()(late)


async def test_behavioral_requirement_3_subsets_permitted(framework: str, era: Era) -> None:
    """A list may leave out any item of the signature, even all of them."""
    mcp, avowed = server(framework)
    avowed.restrict("tool", "greet", available=lambda context: False)

    async with talk(mcp, era) as wire:
        signature = await wire.result("signature")
        listed = [await wire.listed(method) for method, *_ in KINDS.values()]

    assert listed[0] == []
    assert [len(items) for items in listed[1:]] == [1, 1, 1]
    assert names(signature)["tools"] == ["greet", "admin_dashboard"]


async def test_behavioral_requirement_4_list_changed_compatibility(framework: str, era: Era) -> None:
    """Lists change and say so; what they then show is still a subset of the same signature."""
    switch = Switch()
    mcp, avowed = server(framework)
    avowed.restrict("tool", "admin_dashboard", available=switch)

    async with talk(mcp, era) as wire:
        signature = await wire.result("signature")
        if era is Era.MODERN:
            await wire.ask("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
            await wire.notification("notifications/subscriptions/acknowledged")
        before = await wire.listed()
        switch.on = True
        await avowed.availability_changed()
        await wire.notification("notifications/tools/list_changed")
        after = await wire.listed()

    assert wire.hello["capabilities"]["tools"]["listChanged"] is True
    assert before == ["greet"]
    assert after == names(signature)["tools"] == ["greet", "admin_dashboard"]


async def test_behavioral_requirement_5_metadata_consistency(framework: str, era: Era) -> None:
    """Names in lists are the names of the signature, and here the rest is the same too."""
    mcp, _ = server(framework)

    async with talk(mcp, era, scopes=("admin",)) as wire:
        signature = await wire.result("signature")
        for kind in Kind:
            listed = await wire.result(kind.list_method)
            assert listed[kind.collection] == signature[kind.collection]


async def test_reference_implementation_1_generation_from_registered_capabilities(
    framework: str, era: Era
) -> None:
    """The signature is made from what is registered; its digest can be recomputed from its parts."""
    mcp, _ = server(framework)

    async with talk(mcp, era) as wire:
        signature = await wire.result("signature")

    read = Signature.of(Capability.read(kind, item) for kind in Kind for item in signature[kind.collection])
    assert signature["digest"] == read.digest
    assert wire.hello["capabilities"]["signature"] == {"digest": read.digest}
    extensions = wire.hello["capabilities"].get("extensions", {})
    assert ("dev.avow/signature" in extensions) is (era is Era.MODERN)


async def test_reference_implementation_2_validation_that_lists_respect_the_signature(
    framework: str, era: Era
) -> None:
    """Under `strict`, in an author's tests, a list that goes beyond the signature is an error."""
    mcp, avowed = server(framework, strict=True)

    async with talk(mcp, era) as wire:
        smuggle(mcp, avowed, "smuggled")
        error = await wire.error("tools/list")

    assert "smuggled" in error["message"]
    assert error["data"]["avow"]["reason"] == "outside_signature"


async def test_reference_implementation_4_integration_with_list_changed(framework: str, era: Era) -> None:
    """A change of availability reaches every client that asked for it, for each kind that can change."""
    mcp, avowed = server(framework)
    wanted = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}

    async with talk(mcp, era) as one, talk(mcp, era) as other:
        for wire in (one, other):
            await wire.listed()
            if era is Era.MODERN:
                await wire.ask("subscriptions/listen", {"notifications": wanted})
                await wire.notification("notifications/subscriptions/acknowledged")
        await avowed.availability_changed()
        for wire in (one, other):
            for kind in ("tools", "prompts", "resources"):
                await wire.notification(f"notifications/{kind}/list_changed")


async def test_the_example_of_the_seed(framework: str, era: Era) -> None:
    """The signature has `admin_dashboard` for all users; `tools/list` only when the check passes."""
    mcp, _ = server(framework)

    async with talk(mcp, era) as wire:
        assert "admin_dashboard" in names(await wire.result("signature"))["tools"]
        assert "admin_dashboard" not in await wire.listed()
        refusal = await wire.error("tools/call", {"name": "admin_dashboard", "arguments": {}})
    async with talk(mcp, era, scopes=("admin",)) as wire:
        assert "admin_dashboard" in await wire.listed()
        allowed = await wire.result("tools/call", {"name": "admin_dashboard", "arguments": {}})

    assert refusal["message"] == "avow: tool 'admin_dashboard' is not available to you now"
    assert allowed["content"][0]["text"] == "42 users"

"""Checks one by one: plain ones, coroutines, and those that misbehave."""

from types import SimpleNamespace
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from avow.core.capability import Kind
from avow.core.snapshot import Era
from avow.server.availability import Availability, AvailabilityContext

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def asking(**claims: Any) -> Any:
    """A request with a token that has these claims and no subject of its own."""
    token = SimpleNamespace(subject=None, client_id="tester", scopes=["a", "a"], claims=claims)
    session = SimpleNamespace(client_params=None)
    return SimpleNamespace(
        token=token, era=Era.MODERN, protocol_version="2026-07-28", sdk=SimpleNamespace(session=session)
    )


async def later(context: AvailabilityContext) -> bool:
    return context.subject == "ada"


@pytest.mark.parametrize(("subject", "expected"), [("ada", True), ("bob", False), (5, False)])
async def test_the_subject_may_be_a_claim(subject: object, expected: bool) -> None:
    availability = Availability(strict=False)
    availability.add(Kind.TOOL, "tool", later)

    assert await availability.is_available(Kind.TOOL, "tool", asking(sub=subject)) is expected


async def test_without_a_check_all_is_available() -> None:
    availability = Availability(strict=False)

    assert await availability.is_available(Kind.TOOL, "tool", asking())
    assert await availability.unavailable(Kind.TOOL, ["tool"], asking()) == frozenset()
    assert availability.kinds == ()


def test_an_author_may_remember_answers_by_who_asked() -> None:
    contexts = {AvailabilityContext.of(asking(sub="ada")), AvailabilityContext.of(asking(sub="ada"))}

    assert len(contexts) == 1


async def test_only_what_has_a_check_is_asked_about() -> None:
    availability = Availability(strict=False)
    availability.add(Kind.TOOL, "closed", lambda context: False)
    availability.add(Kind.TOOL, "open", lambda context: True)
    availability.add(Kind.PROMPT, "plain", lambda context: False)

    found = await availability.unavailable(Kind.TOOL, ["closed", "open", "plain"], asking())

    assert found == {"closed"}
    assert availability.kinds == (Kind.TOOL, Kind.PROMPT)
    assert availability.names(Kind.TOOL) == {"closed", "open"}


async def test_what_a_check_answers_counts_as_a_truth() -> None:
    """A set of missing scopes, an empty text: authors write such checks."""
    availability = Availability(strict=False)
    nothing: Any = lambda context: None  # noqa: E731
    something: Any = lambda context: {"admin"}  # noqa: E731
    availability.add(Kind.TOOL, "nothing", nothing)
    availability.add(Kind.TOOL, "something", something)

    assert await availability.unavailable(Kind.TOOL, ["nothing", "something"], asking()) == {"nothing"}


async def test_under_strict_the_author_sees_what_went_wrong() -> None:
    async def failing(context: AvailabilityContext) -> bool:
        raise KeyError("secret detail")

    availability = Availability(strict=True)
    availability.add(Kind.TOOL, "tool", failing)

    with pytest.raises(MCPError, match="the availability check of tool 'tool' failed: KeyError") as caught:
        await availability.is_available(Kind.TOOL, "tool", asking())

    assert "secret detail" not in str(caught.value)

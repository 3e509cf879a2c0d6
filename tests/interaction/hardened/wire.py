"""Clients that claim things: what they say of themselves, word by word."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio

from avow.core.snapshot import Era
from declaring.wire import CLIENT, LATEST, PATIENCE, Json, Wire, talk

ASKS: dict[str, tuple[str, Json]] = {
    "elicitation": ("elicitation/create", {"action": "decline"}),
    "sampling": (
        "sampling/createMessage",
        {"role": "assistant", "content": {"type": "text", "text": "Hi"}, "model": "small"},
    ),
    "roots": ("roots/list", {"roots": []}),
}


def hello(version: str = LATEST[Era.LEGACY], **claims: Any) -> Json:
    """The parameters of `initialize`."""
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT, **claims}


async def say(wire: Wire, method: str, params: Json | None = None, **claims: Any) -> Json:
    """The whole answer to a request; on 2026-07-28 with these claims, where `None` leaves one out."""
    wire._number += 1
    number = wire._number
    body = dict(params or {})
    if wire.era is Era.MODERN:
        names = {"version": "protocolVersion", "client": "clientInfo", "capabilities": "clientCapabilities"}
        said = {"version": LATEST[Era.MODERN], "client": CLIENT, "capabilities": {}, **claims}
        body["_meta"] = {
            f"io.modelcontextprotocol/{names[key]}": value for key, value in said.items() if value is not None
        }
    await wire.send({"id": number, "method": method, "params": body})
    with anyio.fail_after(PATIENCE):
        while number not in wire._answers:
            await wire._news.wait()
    return wire._answers[number]


@asynccontextmanager
async def session(
    server: Any, era: Era, *, scopes: tuple[str, ...] | None = None, **claims: Any
) -> AsyncIterator[Wire]:
    """A whole session of a client that claims things: `capabilities`, `clientInfo`, `version`."""
    async with talk(server, era, scopes=scopes, shake_hands=False) as wire:
        if era is Era.LEGACY:
            answer = await say(wire, "initialize", hello(**claims))
            await wire.send({"method": "notifications/initialized"})
        else:
            answer = await say(wire, "server/discover", **_modern(claims))
        wire.hello = answer["result"]
        yield wire


async def tools(wire: Wire, **claims: Any) -> list[str]:
    """The names of the tools that somebody who claims this is shown."""
    answer = await say(wire, "tools/list", **_modern(claims))
    return sorted(tool["name"] for tool in answer["result"]["tools"])


async def call(wire: Wire, tool: str, claims: Any = None, **arguments: Any) -> Json:
    """The whole answer to a call."""
    return await say(wire, "tools/call", {"name": tool, "arguments": arguments}, **_modern(claims or {}))


def _modern(claims: Json) -> Json:
    return {{"clientInfo": "client"}.get(name, name): value for name, value in claims.items()}

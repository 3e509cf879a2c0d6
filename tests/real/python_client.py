"""The client of the official Python SDK follows a talk, and every message of it is written down."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

Json = dict[str, Any]


class Tap:
    """A stream that writes down what passes."""

    def __init__(self, stream: Any, way: str, messages: list[tuple[str, Json]]) -> None:
        self._stream = stream
        self._way = way
        self._messages = messages

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __aiter__(self) -> "Tap":
        return self

    async def __anext__(self) -> Any:
        return self._note(await self._stream.__anext__())

    async def receive(self) -> Any:
        return self._note(await self._stream.receive())

    async def send(self, item: Any) -> None:
        await self._stream.send(self._note(item))

    async def __aenter__(self) -> "Tap":
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *ended: Any) -> Any:
        return await self._stream.__aexit__(*ended)

    def _note(self, item: Any) -> Any:
        if not isinstance(item, Exception):
            message = item.message.model_dump(mode="json", by_alias=True, exclude_unset=True)
            self._messages.append((self._way, message))
        return item


@asynccontextmanager
async def tapped(plan: Json, messages: list[tuple[str, Json]]) -> AsyncIterator[Any]:
    """The SDK's own transport for a program or an address."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        if "url" in plan:
            transport: Any = streamable_http_client(plan["url"])
        else:
            transport = stdio_client(StdioServerParameters(**plan["start"]), errlog=nowhere)
        async with transport as (incoming, outgoing):
            yield Tap(incoming, "received", messages), Tap(outgoing, "sent", messages)


async def follow(client: Client, plan: Json, messages: list[tuple[str, Json]]) -> list[Any]:
    """Take each step; what came of it."""

    def perform(step: Json) -> Any:
        match step["do"]:
            case "tools":
                return client.list_tools()
            case "prompts":
                return client.list_prompts()
            case "resources":
                return client.list_resources()
            case "templates":
                return client.list_resource_templates()
            case "call":
                return call(client, step)
            case "read":
                return client.read_resource(step["uri"])
            case "prompt":
                return client.get_prompt(step["name"], step.get("arguments"))
            case "complete":
                return complete(client, step)
            case "subscribe":
                return ask(
                    client, types.SubscribeRequest(params=types.SubscribeRequestParams(uri=step["uri"]))
                )
            case "level":
                return ask(
                    client, types.SetLevelRequest(params=types.SetLevelRequestParams(level=step["level"]))
                )
            case "heard":
                return heard(messages, step["method"])
            case _:
                raise ValueError(step["do"])

    steps = []
    for step in plan["steps"]:
        try:
            outcome = await perform(step)
        except MCPError as error:
            steps.append({"error": dumped(error.error)})
        else:
            steps.append(dumped(outcome))
    return steps


def dumped(value: Any) -> Any:
    """A model of the SDK as JSON."""
    if not hasattr(value, "model_dump"):
        return value
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


async def call(client: Client, step: Json) -> Json:
    """Call a tool, perhaps only until it reports progress."""
    reports: list[Any] = []
    scope = anyio.CancelScope()

    async def report(progress: float, total: float | None, message: str | None) -> None:
        reports.append((progress, total, message))
        if step.get("cancel"):
            scope.cancel()

    callback = report if step.get("progress") or step.get("cancel") else None
    with scope:
        result = await client.call_tool(step["name"], step.get("arguments", {}), progress_callback=callback)
        return {"result": dumped(result), "progress": reports}
    return {"cancelled": True}


async def ask(client: Client, request: Any) -> Any:
    """What the newer era no longer has: the client's own methods for it warn."""
    return await client.session.send_request(request, types.EmptyResult)


async def complete(client: Client, step: Json) -> Any:
    """Complete an argument of a prompt or template."""
    ref: Any = (
        types.PromptReference(type="ref/prompt", name=step["ref"]["name"])
        if "name" in step["ref"]
        else types.ResourceTemplateReference(type="ref/resource", uri=step["ref"]["uri"])
    )
    return await client.complete(ref, step["argument"], step.get("context"))


async def heard(messages: list[tuple[str, Json]], method: str) -> bool:
    """Whether the server says something in time."""
    with anyio.move_on_after(10):
        while not any(way == "received" and each.get("method") == method for way, each in messages):
            await anyio.sleep(0.01)
        return True
    return False


def converse(plan: Json) -> Json:
    """Follow a talk from the handshake to the end."""
    messages: list[tuple[str, Json]] = []

    async def sample(context: Any, params: Any) -> types.CreateMessageResult:
        content = types.TextContent(type="text", text="Forty-two.")
        return types.CreateMessageResult(
            model="oracle", role="assistant", stop_reason="endTurn", content=content
        )

    async def elicit(context: Any, params: Any) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content=plan["elicited"])

    async def roots(context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=uri, name="root") for uri in plan["roots"]])

    async def talk() -> Json:
        with anyio.fail_after(60):
            client = Client(
                tapped(plan, messages),
                mode=plan["mode"],
                sampling_callback=sample,
                elicitation_callback=elicit,
                list_roots_callback=roots,
                log_level="info",
            )
            async with client:
                steps = await follow(client, plan, messages)
                facts = {
                    "version": client.protocol_version,
                    "server": dumped(client.server_info),
                    "capabilities": dumped(client.server_capabilities),
                    "instructions": client.instructions,
                }
        return {"facts": facts, "steps": steps, "messages": messages}

    return anyio.run(talk)

"""What a tool returns, checked against the output schema that it declared, in bounded time.

The SDK does so with patterns that a server wrote and an engine that tries every way to match them: one
answer can keep it busy for years. So its check is never used: the schema, which is that of the contract, or
of the server's list where the contract is open, is compiled for an engine whose time is linear.
"""

from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from mcp_types import CallToolResult

from avow.core.arguments import ArgumentChecker, compile_checker
from avow.core.canonical import JsonObject, JsonValue
from avow.core.capability import Kind
from avow.errors import DeclarationError
from avow.protocol.events import shown
from avow.protocol.gate import Gate

Listed: TypeAlias = Callable[[str], Awaitable[JsonValue]]
"""The output schema of a tool as the server lists it; None when it has none."""

_CONTENT: Final = "content"
_INSIDE: Final = f"/properties/{_CONTENT}"


class OutputChecks:
    """Checks results in place of the SDK's session, with the same errors for the same reasons."""

    def __init__(self, gate: Gate, listed: Listed) -> None:
        """Check against the contract of the moment; `listed` is asked about tools that it does not have."""
        self._gate = gate
        self._listed = listed
        self._checkers: dict[tuple[str, bool], tuple[JsonValue, ArgumentChecker | None]] = {}

    async def validate(self, name: str, result: CallToolResult) -> None:
        """Check what a tool returned.

        Raises:
            RuntimeError: it is not what the output schema says, or the schema is none.
        """
        contract = self._gate.contract
        tool = contract.find(Kind.TOOL, name) if contract is not None else None
        schema = await self._listed(name) if tool is None else tool.definition.get("outputSchema")
        if schema is None:
            return
        content = result.structured_content
        if content is None and "structured_content" not in result.model_fields_set:
            raise RuntimeError(
                f"Tool {shown(name)} has an output schema but did not return structured content"
            )
        is_object = isinstance(content, dict)
        checker = self._checker(name, schema, is_object=is_object)
        # What we cannot check in bounded time, the SDK cannot either: it would only try.
        if checker is None:
            raise RuntimeError(f"Invalid schema for tool {shown(name)}: it cannot be checked in bounded time")
        mismatch = checker.check(content if is_object else {_CONTENT: content})
        if mismatch is not None:
            path = mismatch.path if is_object else mismatch.path.removeprefix(f"/{_CONTENT}")
            where = shown(f"{path or 'the content'}: {mismatch.keyword or 'it is too complex'}")
            raise RuntimeError(f"Invalid structured content returned by tool {shown(name)}: {where}")

    def _checker(self, name: str, schema: JsonValue, *, is_object: bool) -> ArgumentChecker | None:
        known = self._checkers.get((name, is_object))
        if known is None or known[0] is not schema:
            try:
                known = schema, compile_checker(schema if is_object else _of_member(schema))
            except (DeclarationError, RecursionError):
                known = schema, None
            self._checkers[name, is_object] = known
        return known[1]


def _of_member(schema: JsonValue) -> JsonValue:
    """A schema for objects whose only member is what this one is for: checkers take nothing but objects.

    Raises:
        DeclarationError: it refers to itself in a way that would mean something else there.
    """
    inner = _moved(schema)
    whole: JsonObject = {"properties": {_CONTENT: inner}}
    if isinstance(inner, dict) and "$schema" in inner:
        whole["$schema"] = inner["$schema"]
    return whole


def _moved(schema: JsonValue) -> JsonValue:
    """The schema with references that lead to where its parts are then."""
    if isinstance(schema, list):
        return [_moved(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if isinstance(schema.get("$recursiveRef"), str) or schema.get("$dynamicRef") == "#":
        raise DeclarationError("a recursive reference leads to the whole schema, whichever that is")
    moved = {keyword: _moved(part) for keyword, part in schema.items()}
    reference = moved.get("$ref")
    if isinstance(reference, str) and (reference == "#" or reference.startswith("#/")):
        moved["$ref"] = f"#{_INSIDE}{reference[1:]}"
    return moved

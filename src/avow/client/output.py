"""What a tool returns, checked against the output schema that it declared, in bounded time.

The SDK does so with patterns that a server wrote and an engine that tries every way to match them: one
answer can keep it busy for years. Where the contract knows the tool, its schema is compiled for an engine
whose time is linear.
"""

import json
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

from mcp_types import CallToolResult

from avow.core.arguments import ArgumentChecker, compile_checker
from avow.core.capability import Capability, Kind
from avow.errors import DeclarationError
from avow.protocol.events import shown
from avow.protocol.gate import Gate

Validate: TypeAlias = Callable[[str, CallToolResult], Awaitable[None]]

_PATTERNS: Final = ("pattern", "patternProperties")


class OutputChecks:
    """Checks results in place of the SDK's session, with the same errors for the same reasons."""

    def __init__(self, gate: Gate, otherwise: Validate) -> None:
        """Check against the contract of the moment; `otherwise` is the SDK's own check."""
        self._gate = gate
        self._otherwise = otherwise
        self._checkers: dict[str, tuple[Capability, ArgumentChecker | None]] = {}

    async def validate(self, name: str, result: CallToolResult) -> None:
        """Check what a tool returned.

        Raises:
            RuntimeError: it is not what the output schema says, or the schema is none.
        """
        contract = self._gate.contract
        tool = contract.find(Kind.TOOL, name) if contract is not None else None
        if tool is None:
            await self._otherwise(name, result)
            return
        schema = tool.definition.get("outputSchema")
        if schema is None:
            return
        content = result.structured_content
        if content is None and "structured_content" not in result.model_fields_set:
            raise RuntimeError(
                f"Tool {shown(name)} has an output schema but did not return structured content"
            )
        checker = self._checker(tool)
        # What we cannot check in bounded time, the SDK cannot either: it would only try.
        if checker is None:
            raise RuntimeError(f"Invalid schema for tool {shown(name)}: it cannot be checked in bounded time")
        if isinstance(content, dict):
            mismatch = checker.check(content)
            if mismatch is not None:
                where = shown(f"{mismatch.path or 'the content'}: {mismatch.keyword or 'it is too complex'}")
                raise RuntimeError(f"Invalid structured content returned by tool {shown(name)}: {where}")
        elif _has_patterns(schema):
            raise RuntimeError(f"Invalid schema for tool {shown(name)}: it cannot be checked in bounded time")
        else:
            await self._otherwise(name, result)

    def _checker(self, tool: Capability) -> ArgumentChecker | None:
        known = self._checkers.get(tool.name)
        if known is None or known[0] is not tool:
            try:
                known = tool, compile_checker(tool.definition.get("outputSchema"))
            except DeclarationError:
                known = tool, None
            self._checkers[tool.name] = known
        return known[1]


def _has_patterns(schema: Any) -> bool:
    text = json.dumps(schema)
    return any(f'"{word}"' in text for word in _PATTERNS)

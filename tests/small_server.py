"""Snapshots for tests of drift: a small server, and the same server after a change."""

from typing import Any

from avow.core.capability import Capability, Kind, Signature
from avow.core.drift.compare import diff
from avow.core.drift.model import Drift
from avow.core.snapshot import Era, Snapshot
from avow.core.target import FileTarget

READ: dict[str, Any] = {
    "name": "read_file",
    "description": "Read a file of the project.",
    "inputSchema": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "mode": {"type": "string", "enum": ["text", "base64"]}},
        "required": ["path"],
    },
    "annotations": {"readOnlyHint": True, "openWorldHint": False},
}


def snapshot(
    tools: list[dict[str, Any]] | None = None,
    prompts: list[dict[str, Any]] | None = None,
    resources: list[dict[str, Any]] | None = None,
    templates: list[dict[str, Any]] | None = None,
    **members: Any,
) -> Snapshot:
    """What a server showed that offers these."""
    kinds = zip(Kind, (tools, prompts, resources, templates), strict=True)
    signature = Signature.of(Capability.read(kind, item) for kind, items in kinds for item in items or [])
    defaults: dict[str, Any] = {
        "target": FileTarget("demo.json"),
        "server": {"name": "demo", "version": "1.0.0"},
        "protocol_version": "2025-11-25",
        "era": Era.LEGACY,
        "capabilities": {},
    }
    return Snapshot(**{**defaults, **members, "signature": signature})


def tool_drift(after: dict[str, Any], before: dict[str, Any] = READ) -> Drift:
    """The one drift that is about the tool's definition."""
    found = diff(snapshot([before]), snapshot([after]))
    (drift,) = (one for one in found if one.type == "tool_changed")
    return drift

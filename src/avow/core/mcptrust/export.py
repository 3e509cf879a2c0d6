"""A snapshot as MCPTrust's lockfile version 3, and a word about what that format cannot say."""

from avow.core.artifact import Artifact
from avow.core.canonical import JsonObject
from avow.core.capability import Capability
from avow.core.mcptrust import hashes
from avow.core.mcptrust.compare import not_compared
from avow.core.mcptrust.go_json import go_text, is_exact
from avow.core.mcptrust.lockfile import MCPTrustLockfile
from avow.core.snapshot import Snapshot
from avow.errors import UsageError


def dumps_mcptrust(
    snapshot: Snapshot, artifact: Artifact | None, *, generator: str, updated_at: str
) -> bytes:
    """The bytes of an `mcp-lock.json`; `updated_at` is the time in RFC 3339, UTC.

    Raises:
        UsageError: a definition has a shape that MCPTrust cannot hold.
    """
    signature = snapshot.signature
    server: JsonObject = {"name": snapshot.name}
    if artifact is not None and artifact.type == "npm":
        pin = {
            "type": "npm",
            "name": artifact.name,
            "version": artifact.version,
            "integrity": artifact.integrity,
        }
        server["artifact"] = {member: value for member, value in pin.items() if value}
    document = {
        "lockFileVersion": "3.0",
        "meta": {"generator": generator, "updatedAt": updated_at},
        "server": server,
        "prompts": {"definitions": {name: _prompt(p) for name, p in sorted(signature.prompts.items())}},
        "resources": {"templates": [_template(t) for _, t in sorted(signature.templates.items())]},
        "tools": {name: _tool(tool) for name, tool in sorted(signature.tools.items())},
    }
    return go_text(document).encode() + b"\n"


def not_exported(snapshot: Snapshot) -> tuple[str, ...]:
    """What the snapshot holds and version 3 cannot, in words for a person."""
    whole = MCPTrustLockfile("3.0", {}, {}, {})
    notes = [note.replace("compared", "exported") for note in not_compared(whole, snapshot)]
    inexact = [tool.name for tool in snapshot.signature.tools.values() if not is_exact(tool.definition)]
    if inexact:
        notes.append(f"MCPTrust cannot tell some values from others in: {', '.join(sorted(inexact))}")
    if snapshot.volatile:
        notes.append(
            f"MCPTrust will see {len(snapshot.volatile)} volatile value(s) as a change each time: "
            + ", ".join(place.pointer for place in snapshot.volatile)
        )
    return tuple(notes)


def _tool(tool: Capability) -> JsonObject:
    return {
        "description_hash": _held(tool, hashes.description_hash(tool)),
        "input_schema_hash": _held(tool, hashes.schema_hash(tool)),
        "risk_level": hashes.risk_level(tool),
    }


def _prompt(prompt: Capability) -> JsonObject:
    definition = {"argumentsHash": _held(prompt, hashes.arguments_hash(prompt))}
    description = _held(prompt, hashes.text_hash(prompt, "description"))
    return {**definition, **({"descriptionHash": description} if description else {})}


def _template(template: Capability) -> JsonObject:
    mime = _held(template, hashes.mime_type(template))
    optional = {
        "nameHash": _held(template, hashes.text_hash(template, "name")),
        "descriptionHash": _held(template, hashes.text_hash(template, "description")),
        "mimeType": mime,
    }
    return {
        "uriTemplate": template.name,
        "templateHash": hashes.template_hash(template.name, mime),
        **{member: value for member, value in optional.items() if value},
    }


def _held(capability: Capability, value: str | None) -> str:
    if value is None:
        raise UsageError(
            f"the {capability.kind} {capability.name!r} has a shape that MCPTrust's format cannot hold"
        )
    return value

"""What MCPTrust writes down about a capability: its hashes, and its own idea of risk.

Definitions come from a server and may have any shape. One that MCPTrust itself cannot read has no
hash, which is written None and equals nothing.
"""

from typing import Final

from avow.core.canonical import JsonObject, JsonValue, digest_of
from avow.core.capability import Capability
from avow.core.mcptrust.go_json import canonical_v1, canonical_v2

_RISKY: Final = (
    *("exec", "shell", "write", "delete", "fs", "run", "execute", "bash", "command", "sudo", "rm", "remove"),
    *("kill", "spawn", "eval", "system", "popen", "subprocess", "terminal"),
)


def description_hash(capability: Capability) -> str | None:
    """The hash of a tool's description, byte for byte."""
    text = _text(capability.definition, "description")
    return None if text is None else digest_of(text.encode())


def schema_hash(capability: Capability) -> str | None:
    """The hash of a tool's input schema; empty when it has none, or one that says nothing."""
    schema = capability.definition.get("inputSchema")
    if schema is None or schema == {}:
        return ""
    return digest_of(canonical_v1(schema)) if isinstance(schema, dict) else None


def arguments_hash(capability: Capability) -> str | None:
    """The hash of a prompt's arguments: names, descriptions, and which are required."""
    arguments = capability.definition.get("arguments")
    if arguments is None:
        arguments = []
    if not isinstance(arguments, list):
        return None
    read = [found for found in map(_argument, arguments) if found is not None]
    if len(read) != len(arguments):
        return None
    return digest_of(canonical_v2(sorted(read, key=lambda argument: str(argument["name"]))))


def text_hash(capability: Capability, member: str) -> str | None:
    """The hash of a text whose line ends and trailing spaces do not count; empty for no text."""
    text = _text(capability.definition, member)
    if not text:
        return text
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return digest_of("\n".join(line.rstrip(" \t") for line in lines).encode())


def template_hash(uri_template: str, mime_type: str) -> str:
    """The hash of a template's address and type."""
    type_ = {"mimeType": mime_type} if mime_type else {}
    return digest_of(canonical_v2({"uriTemplate": uri_template, **type_}))


def mime_type(capability: Capability) -> str | None:
    """The type that a template declares; empty when it declares none."""
    return _text(capability.definition, "mimeType")


def risk_level(capability: Capability) -> str:
    """How MCPTrust rates a tool: by parts of words in its name and description."""
    text = f"{capability.name} {_text(capability.definition, 'description') or ''}".lower()
    return ("LOW", "MEDIUM", "HIGH")[min(sum(word in text for word in _RISKY), 2)]


def _argument(argument: JsonValue) -> JsonObject | None:
    if not isinstance(argument, dict):
        return None
    name, description = _text(argument, "name"), _text(argument, "description")
    required = argument.get("required")
    if name is None or description is None or not (required is None or isinstance(required, bool)):
        return None
    members = {"name": name, "description": description, "required": required}
    return {member: value for member, value in members.items() if value or member == "name"}


def _text(definition: JsonObject, member: str) -> str | None:
    """A text that may be missing or null, which Go reads as empty."""
    value = definition.get(member)
    return "" if value is None else value if isinstance(value, str) else None

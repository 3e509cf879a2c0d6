"""MCPTrust's `mcp-lock.json`, versions 1.0 to 3.0, read strictly: all readers must see the same."""

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from avow.core.artifact import Artifact
from avow.core.canonical import JsonObject, JsonValue, parse_json
from avow.core.mcptrust.hashes import template_hash
from avow.core.target import StdioTarget
from avow.errors import LockfileError, MalformedInputError

_HASH: Final = re.compile(r"sha256:[0-9a-f]{64}")
_LEVELS: Final = ("LOW", "MEDIUM", "HIGH")
_AGAIN: Final = "make it again with MCPTrust, or start afresh with `avow lock`"


@dataclass(frozen=True, slots=True)
class LockedTool:
    """The hashes of one tool; an empty schema hash stands for no schema."""

    description: str
    schema: str
    risk: str


@dataclass(frozen=True, slots=True)
class LockedPrompt:
    """The hashes of one prompt; an empty description hash stands for no description."""

    arguments: str
    description: str


@dataclass(frozen=True, slots=True)
class LockedTemplate:
    """The hashes of one resource template; empty ones stand for nothing there."""

    template: str
    name: str
    description: str


@dataclass(frozen=True, slots=True)
class MCPTrustLockfile:
    """What an `mcp-lock.json` holds; prompts and templates are None before version 3, which added them."""

    version: str
    tools: Mapping[str, LockedTool]
    prompts: Mapping[str, LockedPrompt] | None = None
    templates: Mapping[str, LockedTemplate] | None = None
    server: str = ""
    command: str = ""
    artifact: Artifact | None = None

    @property
    def target(self) -> StdioTarget | None:
        """The server to start; None when the file does not say, as from version 3 on.

        Raises:
            LockfileError: the command has an open quote.
        """
        try:
            words = shlex.split(self.command)
        except ValueError as exc:
            raise LockfileError(
                f"its server_command cannot be split: {exc}", hint="give the command after --"
            ) from exc
        return StdioTarget(words[0], tuple(words[1:])) if words else None


def is_mcptrust(document: JsonValue) -> bool:
    """Whether a document means to be a lockfile of MCPTrust."""
    match document:
        case {"lockFileVersion": _} | {"version": str(), "tools": _}:
            return True
        case _:
            return False


def loads_mcptrust(data: bytes) -> MCPTrustLockfile:
    """Read an `mcp-lock.json`.

    Raises:
        LockfileError: it is malformed, incomplete, of an unknown version, or its parts do not fit.
    """
    try:
        document = parse_json(data)
    except MalformedInputError as exc:
        raise LockfileError(f"the MCPTrust lockfile is not valid: {exc.message}", hint=_AGAIN) from exc
    if not isinstance(document, dict) or not is_mcptrust(document):
        raise LockfileError("this is not a lockfile of MCPTrust", hint=_AGAIN)
    match document.get("lockFileVersion", document.get("version")):
        case "1.0" | "2.0" as version if "lockFileVersion" not in document:
            return _read_v2(document, version)
        case "3.0" if "version" not in document:
            return _read_v3(document)
        case version:
            raise LockfileError(
                f"it is of version {version!r}; Avow reads MCPTrust's 1.0, 2.0 and 3.0", hint="upgrade Avow"
            )


def _read_v2(document: JsonObject, version: str) -> MCPTrustLockfile:
    _exact(document, ("version", "server_command", "artifact", "tools"), "the lockfile")
    return MCPTrustLockfile(
        version=version,
        tools=_tools(document),
        command=_text(document, "server_command", "the lockfile"),
        artifact=_artifact(document),
    )


def _read_v3(document: JsonObject) -> MCPTrustLockfile:
    _exact(document, ("lockFileVersion", "meta", "server", "prompts", "resources", "tools"), "the lockfile")
    server = _exact(_table(document, "server"), ("name", "artifact"), "server")
    prompts = _exact(_table(document, "prompts"), ("definitions",), "prompts")
    resources = _exact(_table(document, "resources"), ("templates",), "resources")
    return MCPTrustLockfile(
        version="3.0",
        tools=_tools(document),
        prompts={n: _prompt(n, prompts["definitions"]) for n in _table(prompts, "definitions")},
        templates=_templates(resources),
        server=_text(server, "name", "server"),
        artifact=_artifact(server),
    )


def _tools(document: JsonObject) -> dict[str, LockedTool]:
    return {name: _tool(name, _table(_table(document, "tools"), name)) for name in _table(document, "tools")}


def _tool(name: str, tool: JsonObject) -> LockedTool:
    place = f"tool {name!r}"
    _exact(tool, ("description_hash", "input_schema_hash", "risk_level"), place)
    risk = _text(tool, "risk_level", place)
    if risk not in _LEVELS:
        raise _malformed(f"the risk_level of {place} is none of {', '.join(_LEVELS)}")
    # Only the schema's hash may be empty: MCPTrust hashes an absent description as an empty one.
    return LockedTool(
        _hash(tool, "description_hash", place),
        _hash(tool, "input_schema_hash", place, may_be_empty=True),
        risk,
    )


def _prompt(name: str, definitions: JsonObject) -> LockedPrompt:
    place = f"prompt {name!r}"
    prompt = _exact(_table(definitions, name), ("argumentsHash", "titleHash", "descriptionHash"), place)
    return LockedPrompt(
        _hash(prompt, "argumentsHash", place), _optional_hash(prompt, "descriptionHash", place)
    )


def _templates(resources: JsonObject) -> dict[str, LockedTemplate]:
    entries = resources.get("templates")
    if not isinstance(entries, list):
        raise _malformed("'templates' is missing or not a list")
    found: dict[str, LockedTemplate] = {}
    for entry in entries:
        address, template = _template(entry)
        if address in found:
            raise _malformed(f"template {address!r} is there twice")
        found[address] = template
    return found


def _template(entry: JsonValue) -> tuple[str, LockedTemplate]:
    if not isinstance(entry, dict):
        raise _malformed("an entry of 'templates' is not an object")
    address = _text(entry, "uriTemplate", "a template")
    place = f"template {address!r}"
    _exact(entry, ("uriTemplate", "templateHash", "nameHash", "descriptionHash", "mimeType"), place)
    hashed = _hash(entry, "templateHash", place)
    if hashed != template_hash(address, _text(entry, "mimeType", place) if "mimeType" in entry else ""):
        raise _malformed(f"the templateHash of {place} does not fit: somebody edited it")
    name, description = (_optional_hash(entry, member, place) for member in ("nameHash", "descriptionHash"))
    return address, LockedTemplate(hashed, name, description)


def _artifact(holder: JsonObject) -> Artifact | None:
    """The pinned package, when it is one that can be compared."""
    if holder.get("artifact") is None:
        return None
    pin = _table(holder, "artifact")
    match _text(pin, "type", "artifact"):
        case "npm":
            name, version = _text(pin, "name", "artifact"), _text(pin, "version", "artifact")
            integrity = _text(pin, "integrity", "artifact") if "integrity" in pin else ""
            return Artifact("npm", name, version, integrity, pinned=True)
        case "oci":
            image, content = _text(pin, "image", "artifact"), _text(pin, "digest", "artifact")
            return Artifact("oci", image, content, content, pinned=True)
        case _:
            return None


def _exact(document: JsonObject, members: Iterable[str], place: str) -> JsonObject:
    """Refuse `Tools` beside or in place of `tools`: Go would read it, a strict reader would not."""
    known = {member.lower(): member for member in members}
    for member in document:
        if known.get(member.lower(), member) != member:
            raise _malformed(f"{place} has a member {member!r}, which is not {known[member.lower()]!r}")
    return document


def _table(document: JsonObject, member: str) -> JsonObject:
    value = document.get(member)
    if not isinstance(value, dict):
        raise _malformed(f"{member!r} is missing or not an object")
    return value


def _text(document: JsonObject, member: str, place: str) -> str:
    value = document.get(member)
    if not isinstance(value, str):
        raise _malformed(f"{member!r} of {place} is missing or not a string")
    return value


def _hash(document: JsonObject, member: str, place: str, *, may_be_empty: bool = False) -> str:
    value = _text(document, member, place)
    if not (value == "" and may_be_empty) and _HASH.fullmatch(value) is None:
        raise _malformed(f"{member!r} of {place} is not a hash")
    return value


def _optional_hash(document: JsonObject, member: str, place: str) -> str:
    return _hash(document, member, place, may_be_empty=True) if member in document else ""


def _malformed(message: str) -> LockfileError:
    return LockfileError(f"the MCPTrust lockfile is not valid: {message}", hint=_AGAIN)

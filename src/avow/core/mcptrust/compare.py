"""A server against an `mcp-lock.json`: drift as far as its hashes reach, and a word about the rest."""

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from avow.core.capability import Capability, Kind
from avow.core.drift.model import Change, Drift, DriftType, Effect
from avow.core.mcptrust import hashes
from avow.core.mcptrust.go_json import is_exact
from avow.core.mcptrust.lockfile import LockedPrompt, LockedTemplate, LockedTool, MCPTrustLockfile
from avow.core.severity import Severity
from avow.core.snapshot import Snapshot
from avow.core.suspicion import suspicions
from avow.core.texts import texts

_HINT: Final = (
    "MCPTrust keeps hashes only, so nobody can say what it was before; "
    "`avow lock --import` keeps the whole definitions"
)
# The approved hash and the one of what is there, by member.
Observed: TypeAlias = Mapping[str, tuple[str, str | None]]

_LEVELS: Final = ("LOW", "MEDIUM", "HIGH")
_HELD: Final = {
    Kind.TOOL: frozenset({"name", "description", "inputSchema"}),
    Kind.PROMPT: frozenset({"name", "description", "arguments"}),
    Kind.TEMPLATE: frozenset({"uriTemplate", "name", "description", "mimeType"}),
}


def compare_with_mcptrust(locked: MCPTrustLockfile, snapshot: Snapshot) -> tuple[Drift, ...]:
    """Every difference that the hashes can show, most severe first."""
    found = [*_server_drift(locked, snapshot), *_tools_drift(locked.tools, snapshot)]
    if locked.prompts is not None:
        found += _prompts_drift(locked.prompts, snapshot)
    if locked.templates is not None:
        found += _templates_drift(locked.templates, snapshot)
    return tuple(sorted(found, key=lambda drift: (-drift.severity.rank, drift.kind, drift.name)))


def not_compared(locked: MCPTrustLockfile, snapshot: Snapshot) -> tuple[str, ...]:
    """What the server declares and the lockfile does not hold, in words for a person."""
    notes = []
    for kind in Kind:
        count = len(snapshot.signature.of_kind(kind))
        if count and kind not in _kinds(locked):
            notes.append(f"{kind.collection} were not compared: MCPTrust {locked.version} does not hold any")
    members = sorted({m for c in snapshot.signature if c.kind in _kinds(locked) for m in _beyond(c)})
    if members:
        notes.append(f"these members were not compared: {', '.join(members)}")
    if snapshot.instructions:
        notes.append("the server's instructions were not compared")
    notes.append("capabilities, protocol version and configuration were not compared")
    return tuple(notes)


def _kinds(locked: MCPTrustLockfile) -> frozenset[Kind]:
    kinds = {Kind.TOOL}
    if locked.prompts is not None:
        kinds.add(Kind.PROMPT)
    if locked.templates is not None:
        kinds.add(Kind.TEMPLATE)
    return frozenset(kinds)


def _beyond(capability: Capability) -> Iterator[str]:
    for member, value in capability.definition.items():
        if member not in _HELD[capability.kind]:
            yield member
        elif member == "arguments" and isinstance(value, list):
            inner = {m for argument in value if isinstance(argument, dict) for m in argument}
            yield from (f"arguments/{m}" for m in inner - {"name", "description", "required"})


def _server_drift(locked: MCPTrustLockfile, snapshot: Snapshot) -> Iterator[Drift]:
    if locked.server and locked.server != snapshot.name:
        summary = f"the server calls itself {snapshot.name!r}; {locked.server!r} was approved"
        yield Drift(DriftType.SERVER_CHANGED, "server", snapshot.name, Severity.CRITICAL, summary)


def _tools_drift(locked: Mapping[str, LockedTool], snapshot: Snapshot) -> Iterator[Drift]:
    tools = snapshot.signature.tools
    for name in sorted(tools.keys() - locked.keys()):
        yield _drift(DriftType.TOOL_ADDED, Kind.TOOL, name, Severity.CRITICAL, "was not approved")
    yield from _gone(DriftType.TOOL_REMOVED, Kind.TOOL, locked, tools)
    for name, approved in locked.items():
        if (tool := tools.get(name)) is None:
            continue
        observed = {
            "description": (approved.description, hashes.description_hash(tool)),
            "inputSchema": (approved.schema, hashes.schema_hash(tool)),
        }
        # Whether the new wording or schema is harmless cannot be shown without the old one.
        yield from _changed(DriftType.TOOL_CHANGED, tool, observed, Severity.CRITICAL)
        yield from _risk_drift(approved, tool)


def _prompts_drift(locked: Mapping[str, LockedPrompt], snapshot: Snapshot) -> Iterator[Drift]:
    prompts = snapshot.signature.prompts
    for name in sorted(prompts.keys() - locked.keys()):
        yield _drift(DriftType.PROMPT_ADDED, Kind.PROMPT, name, Severity.MODERATE, "was not approved")
    yield from _gone(DriftType.PROMPT_REMOVED, Kind.PROMPT, locked, prompts)
    for name, approved in locked.items():
        if (prompt := prompts.get(name)) is not None:
            observed = {
                "arguments": (approved.arguments, hashes.arguments_hash(prompt)),
                "description": (approved.description, hashes.text_hash(prompt, "description")),
            }
            yield from _changed(DriftType.PROMPT_CHANGED, prompt, observed, Severity.MODERATE)


def _templates_drift(locked: Mapping[str, LockedTemplate], snapshot: Snapshot) -> Iterator[Drift]:
    templates = snapshot.signature.templates
    reach = {_origin(address) for address in locked}
    for address in sorted(templates.keys() - locked.keys()):
        severity = Severity.MODERATE if _origin(address) in reach else Severity.CRITICAL
        yield _drift(DriftType.TEMPLATE_ADDED, Kind.TEMPLATE, address, severity, "was not approved")
    yield from _gone(DriftType.TEMPLATE_REMOVED, Kind.TEMPLATE, locked, templates)
    for address, approved in locked.items():
        if (template := templates.get(address)) is not None:
            mime = hashes.mime_type(template)
            observed = {
                "mimeType": (
                    approved.template,
                    None if mime is None else hashes.template_hash(address, mime),
                ),
                "name": (approved.name, hashes.text_hash(template, "name")),
                "description": (approved.description, hashes.text_hash(template, "description")),
            }
            yield from _changed(DriftType.TEMPLATE_CHANGED, template, observed, Severity.MODERATE)


def _gone(
    type_: DriftType, kind: Kind, locked: Mapping[str, object], there: Mapping[str, object]
) -> Iterator[Drift]:
    for name in sorted(locked.keys() - there.keys()):
        yield _drift(type_, kind, name, Severity.INFO, "is no longer there")


def _changed(
    type_: DriftType, capability: Capability, observed: Observed, severity: Severity
) -> Iterator[Drift]:
    changes = (*_differences(capability, observed, severity), *_look_alikes(capability))
    if changes:
        worst = max((change.severity for change in changes), key=lambda rated: rated.rank)
        summary = "; ".join(change.summary for change in changes)
        yield Drift(type_, str(capability.kind), capability.name, worst, summary, changes, _HINT)


def _differences(capability: Capability, observed: Observed, severity: Severity) -> Iterator[Change]:
    for member, (before, after) in observed.items():
        value = capability.definition.get(member)
        if before == after and not is_exact(value):
            summary = f"the {member} holds values that MCPTrust's hash cannot tell from others"
            yield Change(f"/{member}", "changed", Effect.OTHER, Severity.CRITICAL, summary, before, after)
        elif before != after:
            signs = sorted({found.sign for text in texts(value) for found in suspicions(text)})
            rated = Severity.CRITICAL if signs else severity
            summary = f"the {member} is not the approved one" + (f" ({', '.join(signs)})" if signs else "")
            effect = Effect.WORDING if member in {"description", "name"} else Effect.OTHER
            yield Change(f"/{member}", "changed", effect, rated, summary, before, after)


def _look_alikes(capability: Capability) -> Iterator[Change]:
    """A `Description` beside the `description` that is hashed: some clients read one, some the other."""
    exact = {member.lower(): member for member in _HELD[capability.kind]}
    for member in capability.definition:
        meant = exact.get(member.lower(), member)
        if meant != member:
            summary = f"has a member {member!r}, which some clients take for {meant!r}"
            yield Change(f"/{member}", "added", Effect.OTHER, Severity.CRITICAL, summary)


def _risk_drift(approved: LockedTool, tool: Capability) -> Iterator[Drift]:
    level = hashes.risk_level(tool)
    if level != approved.risk:
        rises = _LEVELS.index(level) > _LEVELS.index(approved.risk)
        severity = Severity.CRITICAL if rises else Severity.INFO
        summary = f"MCPTrust's rule rates it {level}; {approved.risk} was approved"
        yield _drift(DriftType.RISK_LEVEL_CHANGED, Kind.TOOL, tool.name, severity, summary)


def _drift(type_: DriftType, kind: Kind, name: str, severity: Severity, summary: str) -> Drift:
    return Drift(type_, str(kind), name, severity, summary)


def _origin(address: str) -> str:
    """The scheme and authority of a template: how far its resources can reach."""
    scheme, separator, rest = address.partition("://")
    return scheme + separator + rest.split("/", 1)[0] if separator else address.split(":", 1)[0]

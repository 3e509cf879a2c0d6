"""Tools: what changed in one, member by member."""

from collections.abc import Iterator

from avow.core.canonical import JsonValue, canonical
from avow.core.capability import Capability
from avow.core.drift.annotations import annotation_changes
from avow.core.drift.members import Member, Rule, icons, member_changes, other, text
from avow.core.drift.model import Change
from avow.core.drift.notation import notation_change
from avow.core.drift.schemas import input_changes, output_changes
from avow.core.schema.document import Budget


def tool_changes(before: Capability, after: Capability, budget: Budget) -> list[Change]:
    """Every change between two definitions of a tool that are not the same."""
    rules: dict[str, Rule] = {
        "title": text,
        "description": text,
        "inputSchema": lambda member: input_changes(member.change, member.before, member.after, budget),
        "outputSchema": lambda member: output_changes(member.change, member.before, member.after, budget),
        "annotations": lambda member: annotation_changes(member.before, member.after),
        "icons": icons,
        "execution": _execution,
    }
    return member_changes(before.definition, after.definition, rules)


def _execution(member: Member) -> Iterator[Change]:
    """How a tool runs; to leave `taskSupport` out is to forbid it (2025-11-25, Tool Execution)."""
    if canonical(_with_default(member.before)) == canonical(_with_default(member.after)):
        how = "taskSupport left out" if member.change == "removed" else "taskSupport spelled out"
        yield notation_change(member.path, member.change, how, member.before, member.after)
    else:
        yield from other(member)


def _with_default(value: JsonValue) -> JsonValue:
    if value is None:
        return {"taskSupport": "forbidden"}
    return {"taskSupport": "forbidden", **value} if isinstance(value, dict) else value

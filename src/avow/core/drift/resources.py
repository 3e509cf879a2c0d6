"""Resources and templates: what changed in one, and what comes within reach with a new one."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from avow.core.capability import Capability
from avow.core.drift.members import Member, Rule, differing, fact, icons, member_changes, other, text
from avow.core.drift.model import Change

# RFC 3986, section 3; an expression of a template may stand anywhere.
_URI: Final = re.compile(r"([^:/?#]*):(?://([^/?#]*))?")


def _annotations(member: Member) -> Iterator[Change]:
    """Who a resource is for and how much it matters; when it was last modified is a fact."""
    old, new = ({} if value is None else value for value in (member.before, member.after))
    is_known = isinstance(old, dict) and isinstance(new, dict)
    if is_known and {inner.name for inner in differing(old, new)} <= {"lastModified"}:
        yield from fact(member)
    else:
        yield from other(member)


_RULES: Final[dict[str, Rule]] = {
    "annotations": _annotations,
    "name": text,
    "title": text,
    "description": text,
    "icons": icons,
    "size": fact,
}


def resource_changes(before: Capability, after: Capability) -> list[Change]:
    """Every change between two definitions of a resource or template that are not the same."""
    return member_changes(before.definition, after.definition, _RULES)


def reach(uri: str) -> tuple[str, str]:
    """The scheme and the authority that a URI or a template leads to; an expression there leads anywhere."""
    found = _URI.match(uri)
    if found is None:
        return "", ""
    return found[1].casefold(), (found[2] or "").casefold()


def reached(capabilities: Iterable[Capability]) -> frozenset[tuple[str, str]]:
    """All schemes and authorities that these lead to."""
    return frozenset(reach(capability.name) for capability in capabilities)

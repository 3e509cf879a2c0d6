"""What a server shows in one session: what it declares, and the names in its lists."""

from dataclasses import dataclass, field
from typing import Final

from avow.audit.live.talk import Reply, Talk
from avow.core.canonical import JsonObject, canonical, digest
from avow.core.capability import Kind

_HOLDERS: Final = {
    Kind.TOOL: "tools",
    Kind.PROMPT: "prompts",
    Kind.RESOURCE: "resources",
    Kind.TEMPLATE: "resources",
}


@dataclass(frozen=True, slots=True)
class Surface:
    """The declared capabilities, and by kind the reply to its list and the digests of its items by name."""

    capabilities: JsonObject
    replies: dict[Kind, Reply] = field(default_factory=dict)
    items: dict[Kind, dict[str, str]] = field(default_factory=dict)

    def declares(self, kind: Kind) -> bool:
        """Whether the capability that the kind belongs to is declared."""
        return _HOLDERS[kind] in self.capabilities

    def differences(self, other: "Surface") -> list[str]:
        """What the other one has more of, or otherwise, in words."""
        found = []
        declared = sorted(_paths(other.capabilities) - _paths(self.capabilities))
        if declared:
            found.append(f"declares {', '.join(declared[:5])}")
        for kind in Kind:
            mine, theirs = self.items.get(kind, {}), other.items.get(kind, {})
            more = sorted(theirs.keys() - mine.keys())
            less = sorted(mine.keys() - theirs.keys())
            changed = sorted(name for name in mine.keys() & theirs.keys() if mine[name] != theirs[name])
            for words, names in (("more", more), ("fewer", less), ("other", changed)):
                if names:
                    found.append(f"lists {len(names)} {words} {kind.collection}: {', '.join(names[:5])}")
        return found


def look(talk: Talk, capabilities: JsonObject, params: JsonObject | None = None) -> Surface:
    """Ask for every list once, declared or not; only the first page, which is enough to tell."""
    surface = Surface(capabilities)
    asked = {kind: talk.ask(kind.list_method, params) for kind in Kind}
    for kind, number in asked.items():
        reply = talk.wait(number)
        surface.replies[kind] = reply
        surface.items[kind] = _items(kind, reply)
    return surface


def _items(kind: Kind, reply: Reply) -> dict[str, str]:
    listed = reply.result.get(kind.collection) if reply.result else None
    return {
        item[kind.identifier]: digest(item)
        for item in (listed if isinstance(listed, list) else ())
        if isinstance(item, dict) and isinstance(item.get(kind.identifier), str)
    }


def _paths(value: JsonObject, prefix: str = "") -> set[str]:
    """Every member that says yes, as a dotted path."""
    found: set[str] = set()
    for name, inner in value.items():
        path = f"{prefix}{name}"
        if isinstance(inner, dict):
            found |= {path} | _paths(inner, f"{path}.")
        elif inner not in (False, None):
            found.add(path if inner is True else f"{path}={canonical(inner).decode()[:60]}")
    return found

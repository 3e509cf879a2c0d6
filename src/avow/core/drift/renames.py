"""Capabilities that went away and came back under another name."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from avow.core.canonical import digest
from avow.core.capability import Capability

Trait: TypeAlias = tuple[str, str]


def renamed(removed: Iterable[Capability], added: Iterable[Capability]) -> Mapping[str, str]:
    """The names that look like an older one with a new name, and that older name.

    Alike are those with the same words in their name, the same description, or the same members of
    some size; only what is alike to exactly one counts.
    """
    by_trait: dict[Trait, set[str]] = {}
    for capability in removed:
        for trait in _traits(capability):
            by_trait.setdefault(trait, set()).add(capability.name)
    found = {}
    for capability in added:
        for trait in _traits(capability):
            if len(names := by_trait.get(trait, set())) == 1:
                found[capability.name] = next(iter(names))
                break
    return found


def _traits(capability: Capability) -> list[Trait]:
    definition = capability.definition
    traits = []
    letters = "".join(letter for letter in capability.name.casefold() if letter.isalnum())
    if letters:
        traits.append(("name", letters))
    description = definition.get("description")
    if isinstance(description, str) and len(description) >= 12:
        traits.append(("description", description))
    schema = definition.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if isinstance(properties, dict) and len(properties) >= 2:
        traits.append(("inputSchema", digest(schema)))
    return traits

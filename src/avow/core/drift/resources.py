"""Resources and templates: what changed in one, and what comes within reach with a new one."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from avow.core.capability import Capability
from avow.core.drift.members import Member, Rule, differing, fact, icons, member_changes, other, text
from avow.core.drift.model import Change

# RFC 3986, section 3, as lenient readers have it: they drop line ends and take a backslash for a slash.
_DROPPED: Final = re.compile(r"[\t\r\n]+")
_SCHEME: Final = re.compile(r"([^:/?#{]+):")
# An expression of a template that begins with one of `/?#` cannot be part of the authority.
_AUTHORITY: Final = re.compile(r"//((?:[^/?#{]|\{(?![/?#]))*)")
# Windows reads an address of another machine here: `file:////machine/share`.
_MACHINE: Final = re.compile(r"//(//[^/?#]+)")
# What a variable right behind the scheme expands to may begin with slashes and an authority.
_VARIABLE: Final = re.compile(r"/?\{[^}]*\}?")


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
    plain = _DROPPED.sub("", uri).replace("\\", "/")
    scheme = _SCHEME.match(plain)
    if scheme is None:
        return "", plain if plain.startswith("{") else ""
    for pattern in (_MACHINE, _AUTHORITY):
        if found := pattern.match(plain, scheme.end()):
            return scheme[1].casefold(), found[1].casefold()
    variable = _VARIABLE.match(plain, scheme.end())
    return scheme[1].casefold(), variable[0] if variable else ""


def in_reach(uri: str) -> str:
    """What a URI or a template leads to, as a person would say it."""
    scheme, authority = reach(uri)
    if not scheme:
        return f"whatever {uri} stands for"
    is_variable = "://" not in uri and authority.startswith(("/", "{"))
    return f"{scheme}:{authority}" if is_variable or not authority else f"{scheme}://{authority}"


def reached(capabilities: Iterable[Capability]) -> frozenset[tuple[str, str]]:
    """All schemes and authorities that these lead to."""
    return frozenset(reach(capability.name) for capability in capabilities)

"""The entries of a registry's log, version 1: digests and names of what happened, never documents.

The format is frozen: an entry has exactly the members listed here and is written as canonical JSON, so that
each fact has one spelling. `docs/registry-log.md` explains it to those who read logs with something else.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import ClassVar, Final, TypeAlias

from avow.core.canonical import DIGEST_PATTERN, JsonValue, canonical, parse_json
from avow.core.tlog.decisions import APPROVED, PENDING, REJECTED, Decision
from avow.core.tlog.tiles import MAX_ENTRY
from avow.errors import MalformedInputError

MAX_NAME: Final = 255
MAX_REASON: Final = 8_192
STATES: Final = (PENDING, APPROVED, REJECTED)
MAX_PEOPLE: Final = 100
MAX_KEYS: Final = 100

_DIGEST: Final = re.compile(DIGEST_PATTERN)
_TIME: Final = re.compile(
    r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationEntry:
    """A version of a server was published."""

    type: ClassVar[str] = "publication"

    time: str
    name: str
    version: str
    digest: str  # of the signature: what the server may offer
    content: str  # of the canonical bytes of all that was signed: name, version and snapshot
    key: str  # that signed


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalEntry:
    """Somebody decided about a version of a server in an environment."""

    type: ClassVar[str] = "approval"

    time: str
    name: str
    version: str
    digest: str
    environment: str
    state: str  # in the eyes of this person
    needed: int  # how many people have to agree there, at that time
    by: str
    reason: str

    @property
    def decision(self) -> Decision:
        """What counts of it."""
        return Decision(self.by, self.state, self.needed)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceEntry:
    """A namespace was given to a key."""

    type: ClassVar[str] = "namespace"

    time: str
    namespace: str
    key: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyEntry:
    """Keys of a namespace were added, revoked or, when both at once, replaced."""

    type: ClassVar[str] = "key"

    time: str
    namespace: str
    added: tuple[str, ...]
    revoked: tuple[str, ...]
    by: str


Entry: TypeAlias = PublicationEntry | ApprovalEntry | NamespaceEntry | KeyEntry

_TYPES: Final[Mapping[str, type[Entry]]] = {
    each.type: each for each in (PublicationEntry, ApprovalEntry, NamespaceEntry, KeyEntry)
}


def dumps(entry: Entry) -> bytes:
    """The bytes of an entry.

    Raises:
        MalformedInputError: a member is not what the format wants.
    """
    members = {member.name: getattr(entry, member.name) for member in fields(entry)}
    _check(members)
    listed = {name: list(value) for name, value in members.items() if isinstance(value, tuple)}
    data = canonical({"avow": 1, "type": entry.type, **members, **listed})
    assert len(data) <= MAX_ENTRY  # the limits of the members add up to less
    return data


def loads(data: bytes) -> Entry:
    """Read an entry of somebody's log.

    Raises:
        MalformedInputError: it is not an entry of version 1, or not written as such entries are.
    """
    if len(data) > MAX_ENTRY:
        raise MalformedInputError(f"an entry has at most {MAX_ENTRY} bytes")
    document = parse_json(data, max_depth=2)
    if not isinstance(document, dict) or document.pop("avow", None) != 1:
        raise _unreadable("it is not of version 1")
    kind = document.pop("type", None)
    if not isinstance(kind, str) or kind not in _TYPES:
        raise _unreadable("it is of no type known here")
    known = _TYPES[kind]
    if set(document) != {member.name for member in fields(known)}:
        raise _unreadable(f"these are not the members of a {kind}")
    listed = {name: tuple(value) for name, value in document.items() if isinstance(value, list)}
    entry = known(**{**document, **listed})
    if dumps(entry) != data:
        raise _unreadable("it is not in canonical JSON")
    return entry


def _check(document: Mapping[str, JsonValue]) -> None:
    for name, value in document.items():
        if not _RULES[name](value):
            raise MalformedInputError(f"the {name} of an entry of the log cannot be {value!r:.100}")


def _unreadable(reason: str) -> MalformedInputError:
    return MalformedInputError(
        f"cannot read an entry of the log: {reason}", hint="a newer version of Avow may be needed"
    )


def _text(limit: int, least: int = 1) -> Callable[[JsonValue], bool]:
    return lambda value: isinstance(value, str) and least <= len(value) <= limit


def _matching(pattern: re.Pattern[str]) -> Callable[[JsonValue], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def _are_digests(value: JsonValue) -> bool:
    return isinstance(value, tuple) and len(value) <= MAX_KEYS and all(map(_is_digest, value))


_is_digest: Final = _matching(_DIGEST)

# A member means the same in every type of entry.
_RULES: Final[Mapping[str, Callable[[JsonValue], bool]]] = {
    "time": _matching(_TIME),
    "name": _text(MAX_NAME),
    "namespace": _text(MAX_NAME),
    "version": _text(MAX_NAME),
    "environment": _text(MAX_NAME),
    "by": _text(MAX_NAME),
    "reason": _text(MAX_REASON, least=0),
    "state": lambda value: isinstance(value, str) and value in STATES,
    "needed": lambda value: type(value) is int and 1 <= value <= MAX_PEOPLE,
    "digest": _is_digest,
    "content": _is_digest,
    "key": _is_digest,
    "added": _are_digests,
    "revoked": _are_digests,
}

"""Pages of a list, cut down to the contract; what stays is copied byte for byte."""

from collections import Counter
from collections.abc import Callable, Iterator, Set
from enum import Enum
from typing import Final

import msgspec

from avow.core.canonical import parse_json
from avow.core.capability import Capability, Kind
from avow.core.contract import Contract
from avow.core.severity import Severity
from avow.errors import MalformedInputError
from avow.protocol.events import Event, event
from avow.protocol.gate.policy import OnChanged
from avow.protocol.messages import elements, encode, join, members, refuse_variants

_CURSOR: Final = "nextCursor"
_MAX_EVENTS: Final = 50


class Page(msgspec.Struct, frozen=True):
    """One page as it came: its members and items in bytes, and the items read."""

    kind: Kind
    members: dict[str, bytes]
    items: tuple[bytes, ...]
    capabilities: tuple[Capability, ...]
    cursor: str | None

    @property
    def names(self) -> frozenset[str]:
        """Everything that the page names."""
        return frozenset(capability.name for capability in self.capabilities)


class JudgedPage(msgspec.Struct, frozen=True):
    """What becomes of a page: the bytes to show instead (`None`: what came), and how its items compare."""

    body: bytes | None
    names: frozenset[str]
    cursor: str | None
    unchanged: frozenset[str]
    changed: frozenset[str]
    events: tuple[Event, ...]

    def again(self) -> "JudgedPage":
        """The same judgement for the same bytes; the log has heard of it."""
        return msgspec.structs.replace(self, events=()) if self.events else self


class _Verdict(Enum):
    KEEP = "keep"
    OUTSIDE = "outside"
    CHANGED = "changed"
    TWICE = "twice"
    RESTRICTED = "restricted"


_DETAILS: Final = {
    _Verdict.OUTSIDE: ("capability_outside_contract", Severity.CRITICAL, "nobody approved it: left out"),
    _Verdict.CHANGED: ("capability_changed", Severity.CRITICAL, "it differs from what was approved"),
    _Verdict.TWICE: ("capability_repeated", Severity.CRITICAL, "the list names it twice: left out"),
    _Verdict.RESTRICTED: (
        "capability_restricted",
        Severity.MODERATE,
        "not rated low: left out below the baseline",
    ),
}


def read_page(kind: Kind, body: bytes) -> Page:
    """Take the result of a list request apart.

    Raises:
        MalformedInputError: two readers could understand it differently, or it is no list of this kind.
    """
    value = parse_json(body)
    refuse_variants(value, frozenset({kind.collection, _CURSOR}))
    definitions = value.get(kind.collection)
    if not isinstance(definitions, list):
        raise MalformedInputError(f"the answer has no list of {kind.collection}")
    cursor = value.get(_CURSOR)
    if cursor is not None and not isinstance(cursor, str):
        raise MalformedInputError("the cursor of the next page is not a string")
    capabilities = tuple(Capability.read(kind, definition) for definition in definitions)
    parts = members(body)
    return Page(kind, parts, elements(parts[kind.collection]), capabilities, cursor)


def judge_page(
    page: Page,
    contract: Contract,
    on_changed: OnChanged,
    *,
    seen: Set[str] = frozenset(),
    is_allowed: Callable[[Capability], bool] | None = None,
) -> JudgedPage:
    """Compare a page with the contract.

    `seen` are the names on earlier pages of the same walk; `is_allowed` says which approved tools remain
    when the session is restricted.
    """
    counts = Counter(capability.name for capability in page.capabilities)
    verdicts = []
    for capability in page.capabilities:
        twice = counts[capability.name] > 1 or capability.name in seen
        verdicts.append(_Verdict.TWICE if twice else _verdict(capability, contract, is_allowed))
    unchanged = frozenset(_names(page, verdicts, _Verdict.KEEP, _Verdict.RESTRICTED))
    changed = frozenset(_names(page, verdicts, _Verdict.CHANGED, _Verdict.TWICE))
    events = tuple(
        event(what, severity, kind=page.kind, name=capability.name, detail=detail)
        for capability, verdict in zip(page.capabilities, verdicts, strict=True)
        if verdict is not _Verdict.KEEP
        for what, severity, detail in (_DETAILS[verdict],)
    )
    if not events:
        return JudgedPage(None, page.names, page.cursor, unchanged, changed, ())
    shown = b"[" + b",".join(_shown(page, verdicts, contract, on_changed)) + b"]"
    body = join({**page.members, page.kind.collection: shown})
    return JudgedPage(body, page.names, page.cursor, unchanged, changed, _few(page.kind, events))


def _few(kind: Kind, events: tuple[Event, ...]) -> tuple[Event, ...]:
    """At most `_MAX_EVENTS`: a server decides how long its list is, not how long our log is."""
    if len(events) <= _MAX_EVENTS:
        return events
    detail = f"{len(events) - _MAX_EVENTS} more of this list are not named here"
    return (*events[:_MAX_EVENTS], event("list_withheld", Severity.CRITICAL, kind=kind, detail=detail))


def _verdict(
    capability: Capability, contract: Contract, is_allowed: Callable[[Capability], bool] | None
) -> _Verdict:
    approved = contract.find(capability.kind, capability.name)
    if approved is None and not contract.is_open(capability.kind):
        return _Verdict.OUTSIDE
    if approved is not None and not contract.accepts(capability):
        return _Verdict.CHANGED
    if is_allowed is not None and capability.kind is Kind.TOOL and not is_allowed(approved or capability):
        return _Verdict.RESTRICTED
    return _Verdict.KEEP


def _shown(
    page: Page, verdicts: list[_Verdict], contract: Contract, on_changed: OnChanged
) -> Iterator[bytes]:
    for item, capability, verdict in zip(page.items, page.capabilities, verdicts, strict=True):
        if verdict is _Verdict.KEEP:
            yield item
        elif verdict is _Verdict.CHANGED and on_changed is OnChanged.PIN:
            yield encode(contract.of_kind(capability.kind)[capability.name].definition)


def _names(page: Page, verdicts: list[_Verdict], *wanted: _Verdict) -> Iterator[str]:
    for capability, verdict in zip(page.capabilities, verdicts, strict=True):
        if verdict in wanted:
            yield capability.name

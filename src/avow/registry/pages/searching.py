"""Searching capabilities, with facets; and who has published a digest."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeVar

from starlette.responses import RedirectResponse, Response

from avow.core.canonical import DIGEST_PATTERN, Digest, parse_json
from avow.core.capability import Kind
from avow.core.risk import Level
from avow.errors import MalformedInputError
from avow.registry.model import Facets, NotFoundError, Search, Server
from avow.registry.pages.offering import arguments_of
from avow.registry.pages.showing import with_query
from avow.registry.pages.site import View, Visit
from avow.registry.store.interface import Store

PAGE: Final = 20
LONGEST: Final = 200
TYPES: Final = ("string", "number", "integer", "boolean", "array", "object")
HINTS: Final = {"readOnlyHint:true": "only reads", "destructiveHint:false": "destroys nothing"}
T = TypeVar("T", bound=StrEnum)

_DIGEST: Final = re.compile(DIGEST_PATTERN)
# As pages and commands cut them; fewer digits than these would be words.
_CUT: Final = re.compile(r"(?:sha256:)?([0-9a-f]{8,64})(?:…|\.\.\.)?")
_SERVERS: Final = 5
_DIGESTS: Final = 10


@dataclass(frozen=True, slots=True)
class Facet:
    """One value to narrow a search down to, and how many hits there would be."""

    value: str
    label: str
    count: int
    is_chosen: bool


async def search(visit: Visit) -> View | Response:
    """The form with its facets, and what was found."""
    text = visit.asked("q").strip()[:LONGEST]
    if _DIGEST.fullmatch(text):
        return RedirectResponse(f"/digests/{text}", 303)
    store, is_first = visit.service.store, not visit.asked("cursor")
    digests = await _digests(store, text) if is_first else ()
    if len(digests) == 1:
        return RedirectResponse(f"/digests/{digests[0]}", 303)
    wanted = _wanted(visit, text)
    page = await store.search(wanted, cursor=visit.asked("cursor") or None, limit=PAGE)
    found = await store.facets(replace(wanted, kind=None, risk=None))
    kinds, risks = _counted(found, wanted)
    counted = _facets(Kind, kinds, wanted.kind)
    fields = {name: value for name, value in visit.request.query_params.items() if name != "cursor"}
    return View(
        "search.html",
        {
            "wanted": wanted,
            "q": text,
            "hits": page.items,
            "next": with_query("/search", {**fields, "cursor": page.next}) if page.next else None,
            "is_first": is_first,
            "servers": await _servers(store, text) if is_first else (),
            "digests": digests,
            "kinds": counted,
            "risks": _facets(reversed(Level), risks, wanted.risk),
            "total": next(each.count for each in counted if each.is_chosen),
            "is_exact": found.is_exact,
            "types": TYPES,
            "hints": HINTS,
            "hint": visit.asked("annotation"),
        },
    )


async def digest(visit: Visit) -> View:
    """What a digest stands for, and who has published it."""
    text, store = visit.request.path_params["digest"], visit.service.store
    if not _DIGEST.fullmatch(text):
        raise MalformedInputError("this is not a digest", hint="sha256: and 64 digits, as Avow prints them")
    wanted = Digest(text)
    page = await store.holders(wanted, cursor=visit.asked("cursor") or None)
    if not page.items:
        raise NotFoundError(
            f"nobody has published {text}", hint="a digest changes with every character that the server does"
        )
    values = {"digest": text, "holders": page.items, "next": page.next}
    found = await store.capability(wanted)
    if found is None:
        return View("digest.html", {**values, "hit": None, "definition": None, "arguments": ()})
    hit, data = found
    definition = parse_json(data)
    arguments = arguments_of(hit.kind, definition)
    return View("digest.html", {**values, "hit": hit, "definition": definition, "arguments": arguments})


async def _digests(store: Store, text: str) -> tuple[Digest, ...]:
    """What begins as a digest that was cut."""
    cut = _CUT.fullmatch(text.lower())
    return await store.digests(cut[1], limit=_DIGESTS) if cut else ()


async def _servers(store: Store, text: str) -> list[Server]:
    """The first few servers whose names or descriptions have this; what is in a name comes first."""
    if not text:
        return []
    found = list(await store.servers(text, limit=_SERVERS))
    if len(found) < _SERVERS and len(text.split()) == 1:
        found += await store.servers_named(text, limit=_SERVERS)
    once = {each.name: each for each in found}.values()
    return sorted(once, key=lambda each: _likeness(str(each.name), text.lower()))[:_SERVERS]


def _likeness(name: str, text: str) -> int:
    return 0 if name == text else 1 if text in name.lower() else 2


def _wanted(visit: Visit, text: str) -> Search:
    hint, _, value = visit.asked("annotation").partition(":")
    return Search(
        tool=visit.asked("tool").strip()[:LONGEST] or None,
        text=text or None,
        argument=visit.asked("argument").strip()[:LONGEST] or None,
        argument_type=_one_of(visit.asked("type"), TYPES) if visit.asked("argument").strip() else None,
        annotation=(hint, value) if visit.asked("annotation") in HINTS else None,
        risk=Level(visit.asked("risk")) if visit.asked("risk") in list(Level) else None,
        kind=Kind(visit.asked("kind")) if visit.asked("kind") in list(Kind) else None,
        needs_no_secret=visit.asked("secrets") == "none",
    )


def _one_of(text: str, choices: tuple[str, ...]) -> str | None:
    return text if text in choices else None


def _counted(found: Facets, wanted: Search) -> tuple[dict[Kind, int], dict[Level, int]]:
    """What each kind and each risk would leave of the hits, with all else as it is wanted."""
    kinds: Counter[Kind] = Counter()
    risks: Counter[Level] = Counter()
    for (kind, risk), count in found.pairs.items():
        kinds[kind] += count if wanted.risk in (None, risk) else 0
        risks[risk] += count if wanted.kind in (None, kind) else 0
    return kinds, risks


def _facets(values: Iterable[T], counts: Mapping[T, int], chosen: T | None) -> list[Facet]:
    total = sum(counts.values())
    listed = [Facet(str(each), str(each), counts.get(each, 0), each == chosen) for each in values]
    return [Facet("", "any", total, chosen is None), *listed]

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
from avow.registry.model import Facets, NotFoundError, Search
from avow.registry.pages.offering import arguments_of
from avow.registry.pages.showing import with_query
from avow.registry.pages.site import View, Visit

PAGE: Final = 20
LONGEST: Final = 200
TYPES: Final = ("string", "number", "integer", "boolean", "array", "object")
HINTS: Final = {"readOnlyHint:true": "only reads", "destructiveHint:false": "destroys nothing"}
T = TypeVar("T", bound=StrEnum)

_DIGEST: Final = re.compile(DIGEST_PATTERN)


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
    wanted = _wanted(visit, text)
    store = visit.service.store
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
            "is_first": not visit.asked("cursor"),
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

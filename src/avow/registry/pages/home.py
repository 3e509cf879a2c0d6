"""What changed lately, in all servers."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Final

from avow.core.canonical import JsonObject
from avow.core.severity import Severity
from avow.registry.model import Change, Page, PublishedVersion
from avow.registry.pages.site import View, Visit
from avow.registry.store.interface import Store
from avow.registry.store.standing import Decided

PAGE: Final = 20
HEADLINES: Final = 3


@dataclass(frozen=True, slots=True)
class Headline:
    """One difference in a few words."""

    severity: str
    kind: str
    name: str
    summary: str


@dataclass(frozen=True, slots=True)
class News:
    """A version with what is most important about it."""

    version: PublishedVersion
    headlines: tuple[Headline, ...]
    decided: tuple[Decided, ...] = ()

    @property
    def more(self) -> int:
        """How many differences the headlines leave out."""
        return sum(self.version.drift.values()) - len(self.headlines)


async def home(visit: Visit) -> View:
    """The newest publications, by day."""
    store = visit.service.store
    level = Severity(visit.asked("level")) if visit.asked("level") in list(Severity) else None
    page = await store.recent(level=level, cursor=visit.asked("cursor") or None, limit=PAGE)
    return View(
        "home.html",
        {
            "days": await _days(store, page),
            "next": page.next,
            "level": level,
            "totals": await store.totals(),
            "environments": [each.name for each in await store.environments()],
        },
    )


async def told(store: Store, versions: Sequence[PublishedVersion]) -> list[News]:
    """Versions with their headlines, and with how they stand."""
    decided = await store.decided([each.id for each in versions])
    drifts = await store.drifts_of([each.id for each in versions if each.drift])
    return [News(each, headlines(drifts.get(each.id, ())), decided.get(each.id, ())) for each in versions]


def headlines(drifts: Iterable[JsonObject], most: int = HEADLINES) -> tuple[Headline, ...]:
    """The first few of differences that are sorted by severity already."""
    return tuple(
        Headline(drift["severity"], drift["kind"], drift["name"], drift["summary"])
        for _, drift in zip(range(most), drifts, strict=False)
    )


async def _days(store: Store, page: Page[Change]) -> list[tuple[date, list[News]]]:
    news = await told(store, [change.version for change in page.items])
    return list(_by_day(news))


def _by_day(news: Iterable[News]) -> Iterator[tuple[date, list[News]]]:
    """The most severe drift of each day first, and of the same severity the newest."""
    for day, found in groupby(news, key=lambda each: each.version.published_at.date()):
        yield day, sorted(found, key=lambda each: -_rank(each.version.highest))


def _rank(severity: Severity | None) -> int:
    return -1 if severity is None else severity.rank

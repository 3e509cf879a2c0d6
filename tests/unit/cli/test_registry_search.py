"""`avow registry search` goes on until it has as many as were wanted, and never for ever."""

from typing import Any

from avow.cli.registry.search import _MOST_PAGES, _gathered
from avow.core.canonical import JsonObject


class Pages:
    """A registry whose pages are shorter than they could be; some are empty."""

    def __init__(self, sizes: list[int]) -> None:
        self.sizes = sizes
        self.asked: list[Any] = []

    def __call__(self, *, cursor: str | None, limit: int) -> JsonObject:
        self.asked.append((cursor, limit))
        place = int(cursor or 0)
        hits = [{"name": f"{place}-{number}"} for number in range(min(self.sizes[place], limit))]
        return {"capabilities": hits, "next": str(place + 1) if place + 1 < len(self.sizes) else None}


def test_short_and_empty_pages_are_followed_until_there_is_enough() -> None:
    pages = Pages([2, 0, 1, 5])

    answer = _gathered("capabilities", 5, pages)

    assert [each["name"] for each in answer["capabilities"]] == ["0-0", "0-1", "2-0", "3-0", "3-1"]
    assert pages.asked == [(None, 5), ("1", 3), ("2", 3), ("3", 2)]
    assert answer["next"] is None


def test_what_is_left_is_said() -> None:
    answer = _gathered("capabilities", 2, Pages([2, 9]))

    assert (len(answer["capabilities"]), answer["next"]) == (2, "1")


def test_a_registry_that_always_has_another_empty_page_is_not_followed_for_ever() -> None:
    pages = Pages([0] * 1_000)

    assert _gathered("capabilities", 5, pages)["capabilities"] == []
    assert len(pages.asked) == _MOST_PAGES

"""How values look on a page."""

from datetime import UTC, datetime, timedelta

import pytest
from jinja2 import Environment, StrictUndefined

from avow.core.printable import printable
from avow.core.publication import ServerName
from avow.core.tlog.decisions import Decision
from avow.registry.model import Counts
from avow.registry.pages import showing

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def test_every_text_that_a_template_prints_shows_what_is_hidden_in_it() -> None:
    """Even where its author forgot a filter; what is exact stays, and is escaped all the same."""
    environment = Environment(autoescape=True, finalize=showing.shown, undefined=StrictUndefined)
    environment.filters["exact"] = showing.Exact
    template = environment.from_string('<i title="{{ name }}">{{ name }}</i>{{ name | exact }}')

    text = template.render(name="<b>\u202e'\"")

    shown = "&lt;b&gt;\\u{202e}&#39;&#34;"
    assert text == f'<i title="{shown}">{shown}</i>&lt;b&gt;\u202e&#39;&#34;'


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=23, minutes=59), "23 hours ago"),
        (timedelta(days=29), "29 days ago"),
        (timedelta(days=364), "12 months ago"),
        (timedelta(days=800), "2 years ago"),
    ],
)
def test_times_are_told_in_the_largest_unit(passed: timedelta, words: str) -> None:
    assert showing.ago(NOW - passed, NOW) == words


def test_dates_are_the_same_in_every_language_of_the_system() -> None:
    assert showing.moment(NOW) == "15 Nov 2026, 12:00 UTC"


def test_counts_name_only_what_is_there() -> None:
    assert showing.capabilities(Counts(tools=1200, prompts=1)) == "1,200 tools, 1 prompt"
    assert showing.capabilities(Counts()) == "nothing"


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org/",
        "javascript:alert(1)",
        "https:alert(1)",
        "https://user@example.org/",
        "https://example.org/\u202e",
        "https://example.org/ x",
        'https://example.org/"',
        "https://[::1",
        "https://" + "e" * 300,
        "HTTPS",
        "",
        None,
        7,
    ],
)
def test_only_an_address_that_can_be_shown_whole_is_linked(address: object) -> None:
    assert showing.safe_link(address) is None


def test_a_plain_https_address_is_linked() -> None:
    assert showing.safe_link("https://example.org/a?b=c#d") == "https://example.org/a?b=c#d"


def test_what_somebody_said_is_found_however_their_name_is_spelled() -> None:
    made = [Decision("Ada", "rejected", 1), Decision("Eve", "approved", 1), Decision("ada", "approved", 1)]

    assert [showing.last_said(made, each) for each in ("ADA", "Eve", "Bob")] == [
        "approved",
        "approved",
        "pending",
    ]


def test_long_texts_are_cut() -> None:
    """A server may write megabytes."""
    assert len(showing.line("x" * 10**6, 80)) == 80
    assert len(showing.passage("x\n" * 10**6)) <= showing.LONG_TEXT
    assert len(showing.definition({"x": "y" * 10**6})) <= showing.LONG_TEXT


def test_addresses_of_pages_hold_what_they_are_given() -> None:
    name = ServerName.read("dev.example/files")

    assert showing.server_path(name, "versions", "1.0+a") == "/servers/dev.example/files/versions/1.0%2Ba"
    assert showing.with_query("/x", {"a": "b&c", "d": None, "e": "", "f": 0}) == "/x?a=b%26c&f=0"
    assert showing.with_query("/x", {"a": None}) == "/x"
    assert showing.short("sha256:" + "ab" * 32) == "abababababab…"


@pytest.mark.parametrize("limit", [3, 40])
@pytest.mark.parametrize("part", ["word ", "x", "a\x1b", " \n" * 30 + "y", "é ", "z" + " " * 500, "\u2003"])
def test_of_a_long_text_only_the_beginning_is_read(part: str, limit: int) -> None:
    """And the line is the same as if all of it had been."""
    for count in (0, 1, limit // len(part), limit, 50 * limit):
        text = part * count
        assert showing.line(text, limit) == printable(text, limit, fold=True)

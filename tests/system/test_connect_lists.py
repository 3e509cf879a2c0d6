"""Lists: pages, limits, lists that change by themselves, and lists that nobody announced."""

import time

import pytest

from avow.core.canonical import Digest
from avow.system.connect import ConnectOptions, Limits, observe, take_snapshot
from connect_helpers import look, sample, tools


@pytest.mark.parametrize("way", ["one", "many", "null", "empty_cursor"])
def test_paging_makes_no_difference(way: str) -> None:
    """One page or many, and whatever a server writes for "no more": the same signature."""
    snapshot = look("pages", way, "250")

    assert len(snapshot.signature.tools) == 250
    assert snapshot.complete
    assert snapshot.signature.digest == look("pages", "one", "250").signature.digest


def test_ten_thousand_tools_are_no_problem() -> None:
    snapshot = look("pages", "many", "10000", timeout=30.0)

    assert len(snapshot.signature.tools) == 10_000
    assert snapshot.complete


@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("same_cursor", "it gave the same cursor twice"),
        ("same_page", "it gives the same pages again and again"),
    ],
)
def test_a_list_that_goes_round_in_a_circle_is_left(way: str, reason: str) -> None:
    """What was seen is kept, and the snapshot says that it may not be all."""
    snapshot = look("pages", way, "1")

    assert tools(snapshot) == ["tool_0"]
    assert not snapshot.complete
    assert snapshot.notes == (f"tools/list goes round in a circle: {reason}",)


@pytest.mark.parametrize("way", ["behind_an_empty_cursor", "behind_a_circle"])
def test_what_hides_behind_a_page_that_came_before_is_found(way: str) -> None:
    """The server gives a page twice, and a new cursor with it: who follows that gets to see more."""
    snapshot = look("pages", way, "10")

    assert tools(snapshot) == ["tool_0", "tool_9"]
    assert snapshot.complete


def test_no_tools_and_an_empty_cursor_are_just_no_tools() -> None:
    snapshot = look("pages", "nothing", "0")

    assert snapshot.complete
    assert snapshot.notes == ()


@pytest.mark.parametrize(
    ("limits", "count", "note"),
    [(Limits(pages=3), 300, "more than 3 pages"), (Limits(items=200), 200, "more than 200 items")],
)
def test_a_list_without_an_end_is_read_up_to_a_limit(limits: Limits, count: int, note: str) -> None:
    snapshot = look("pages", "endless", "1", limits=limits)

    assert len(snapshot.signature.tools) == count
    assert not snapshot.complete
    assert note in snapshot.notes[0]


@pytest.mark.parametrize("start", ["0", "3.1"])
def test_late_tools_are_waited_for(start: str) -> None:
    """Five tools arrive one by one after the handshake, each announced: all are in the snapshot.

    How long the server took to start does not shorten its time to settle.
    """
    snapshot = look("odd", "growing", start)

    assert tools(snapshot) == ["echo", *(f"late_{number}" for number in range(5))]
    assert snapshot.notes == ()


def test_a_server_that_shows_what_was_expected_is_not_waited_for() -> None:
    """It may change its lists, as many say and few do; what was approved is there already."""
    target = sample("odd", "steady")
    approved = take_snapshot(target, ConnectOptions()).signature.digest

    start = time.monotonic()
    take_snapshot(target, ConnectOptions(expected=approved))
    quick = time.monotonic() - start
    start = time.monotonic()
    take_snapshot(target, ConnectOptions(expected=Digest("sha256:other")))

    assert time.monotonic() - start > quick + 0.1


def test_a_modern_server_is_asked_to_announce_its_changes() -> None:
    """It does so only to those who subscribe; a tool that comes a moment later is in the snapshot."""
    assert tools(look("modern", "growing")) == ["echo", "add"]


def test_a_server_that_never_settles_is_not_waited_for() -> None:
    """The last that was seen counts, and is not compared with what it says a moment later."""
    observation = observe(sample("odd", "restless"), ConnectOptions(), thorough=False)

    assert tools(observation.first) == ["echo"]
    assert "kept announcing changes" in observation.first.notes[0]
    assert [look.snapshot.signature for look in observation.others] == [observation.first.signature]


def test_what_is_listed_without_being_announced_is_seen() -> None:
    snapshot = look("odd", "undeclared")

    assert list(snapshot.signature.prompts) == ["hidden"]
    assert snapshot.notes == ("the server lists prompts that it does not announce",)


def test_what_cannot_be_listed_is_said_and_the_rest_is_seen() -> None:
    """The server has no database for its resources; its tools are there all the same."""
    observation = observe(
        sample("odd", "disconnected"), ConnectOptions(env={"DATABASE": "mysql://me:pw"}), thorough=False
    )

    assert tools(observation.first) == ["echo", "add"]
    assert not observation.first.complete
    assert observation.first.notes == tuple(
        f"{method} was refused: no database\\u{{1b}}[2J at [DATABASE] (0)"
        for method in ("resources/list", "resources/templates/list")
    )
    assert [look.snapshot for look in observation.others] == [observation.first] * 3


def test_templates_that_take_a_while_are_waited_for() -> None:
    """They belong to what the server announces, so its silence is not taken for an answer."""
    snapshot = look("odd", "hesitant")

    assert list(snapshot.signature.templates) == ["note://{n}"]
    assert snapshot.complete


def test_templates_that_never_come_are_missing() -> None:
    """Half of the time is spent on waiting for them, once; the rest is enough for everything else."""
    observation = observe(sample("odd", "silent"), ConnectOptions(timeout=3.0), thorough=False)

    assert not observation.first.complete
    assert "the server did not answer resources/templates/list" in observation.first.notes
    assert all(not look.snapshot.complete for look in observation.others)
    assert len(observation.others) > 1


def test_an_answer_without_a_list_to_what_was_never_announced_is_noted() -> None:
    snapshot = look("odd", "obliging")

    assert tools(snapshot) == ["echo", "add"]
    assert snapshot.complete
    assert snapshot.notes == tuple(
        f"the server answers {method}, which it does not announce, with no list"
        for method in ("prompts/list", "resources/list", "resources/templates/list")
    )


def test_what_is_announced_and_not_listed_is_noted() -> None:
    snapshot = look("odd", "promising")

    assert not snapshot.signature.prompts
    assert snapshot.notes == ("the server announces prompts but does not list them",)

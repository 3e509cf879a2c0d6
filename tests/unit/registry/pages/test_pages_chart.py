"""The chart of risk over versions."""

from dataclasses import replace
from datetime import UTC, datetime

from avow.core.canonical import Digest
from avow.core.keys import KeyId
from avow.core.publication import ServerName
from avow.core.risk import Level
from avow.core.severity import Severity
from avow.registry.model import Counts, Needs, PublishedVersion
from avow.registry.pages.chart import HEIGHT, WIDTH, chart

FIRST = PublishedVersion(
    1,
    ServerName.read("dev.example/files"),
    "1.0",
    1,
    Digest("sha256:a"),
    Digest("sha256:b"),
    datetime(2026, 11, 15, tzinfo=UTC),
    0,
    KeyId("sha256:c"),
    Counts(tools=2, low=2),
    Needs(),
)
SECOND = replace(
    FIRST, version="1.1", counts=Counts(tools=3, prompts=1, low=2, high=2), highest=Severity.CRITICAL
)


def test_bars_stand_from_the_oldest_to_the_newest() -> None:
    """The highest bar fills the picture, and each level has its share of it."""
    drawn = chart([SECOND, FIRST])

    assert drawn is not None
    assert [(bar.version, bar.total, bar.highest) for bar in drawn.bars] == [
        ("1.0", 2, None),
        ("1.1", 4, Severity.CRITICAL),
    ]
    low, high = drawn.bars[1].blocks
    assert (low.level, high.level) == (Level.LOW, Level.HIGH)
    assert low.height == high.height == HEIGHT / 2
    assert (high.y, low.y + low.height) == (drawn.bars[1].top, drawn.height)
    assert drawn.words == (
        "Capabilities by risk in 2 versions. 1.0: 2, of which 0 high risk. 1.1: 4, of which 2 high risk."
    )


def test_many_versions_fit_into_the_same_width() -> None:
    drawn = chart([FIRST] * 30)

    assert drawn is not None
    assert drawn.bars[-1].x + drawn.bars[-1].width <= WIDTH == drawn.width


def test_there_is_nothing_to_draw_of_one_version() -> None:
    """And servers that offer nothing have bars without height."""
    nothing = replace(FIRST, counts=Counts())
    drawn = chart([nothing, nothing])

    assert chart([FIRST]) is None
    assert drawn is not None
    assert all(bar.blocks == () for bar in drawn.bars)

"""A small chart: how many capabilities of each risk every version offers, as bars side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from avow.core.risk import Level
from avow.core.severity import Severity
from avow.registry.model import PublishedVersion

HEIGHT: Final = 120
WIDTH: Final = 360
_TOP: Final = 18
_WIDEST: Final = 44
_FILLED: Final = 0.75


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a bar: the capabilities of one level."""

    level: Level
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Bar:
    """One version."""

    version: str
    x: float
    width: float
    top: float
    total: int
    blocks: tuple[Block, ...]
    highest: Severity | None
    words: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars from the oldest to the newest, in a picture of this size; `words` say the same."""

    width: int
    height: int
    bars: tuple[Bar, ...]
    words: str


def chart(versions: Sequence[PublishedVersion]) -> Chart | None:
    """The chart of versions that come newest first; None where there is nothing to compare."""
    if len(versions) < 2:
        return None
    ordered = versions[::-1]
    most = max(max(version.counts.capabilities for version in ordered), 1)
    step = min(WIDTH / len(ordered), _WIDEST)
    bars = tuple(_bar(version, place * step, step, most) for place, version in enumerate(ordered))
    return Chart(WIDTH, HEIGHT + _TOP, bars, _words(ordered))


def _bar(version: PublishedVersion, left: float, step: float, most: int) -> Bar:
    counts = version.counts
    by_level = ((Level.LOW, counts.low), (Level.MEDIUM, counts.medium), (Level.HIGH, counts.high))
    bottom, blocks = float(HEIGHT + _TOP), []
    for level, count in by_level:
        height = round(HEIGHT * count / most, 2)
        bottom = round(bottom - height, 2)
        if count:
            blocks.append(Block(level, bottom, height))
    words = f"{version.version}: " + ", ".join(f"{count} {level}" for level, count in reversed(by_level))
    x, width = round(left + step * (1 - _FILLED) / 2, 2), round(step * _FILLED, 2)
    return Bar(version.version, x, width, bottom, counts.capabilities, tuple(blocks), version.highest, words)


def _words(ordered: Sequence[PublishedVersion]) -> str:
    first, last = ordered[0], ordered[-1]
    return (
        f"Capabilities by risk in {len(ordered)} versions. "
        f"{first.version}: {first.counts.capabilities}, of which {first.counts.high} high risk. "
        f"{last.version}: {last.counts.capabilities}, of which {last.counts.high} high risk."
    )

"""Real tools that people have rated: the rating agrees with them nearly always, and never calls high low."""

import json
from pathlib import Path

import pytest

from avow.core.capability import Capability, Kind
from avow.core.risk import Level, assess

DATA = Path(__file__).parents[3] / "data"


@pytest.mark.parametrize(
    ("file", "share"),
    [("risk-labels.jsonl", 0.9), ("risk-hand-labels.jsonl", 0.85)],
    ids=["reviewed", "hand"],
)
def test_the_rating_agrees_with_people(file: str, share: float) -> None:
    rows = [json.loads(line) for line in (DATA / file).read_text(encoding="utf-8").splitlines()]
    pairs = [(Level(row["level"]), assess(Capability.read(Kind.TOOL, row["tool"])).level) for row in rows]

    assert len(pairs) > 100
    assert sum(label is level for label, level in pairs) >= share * len(pairs)
    assert (Level.HIGH, Level.LOW) not in pairs

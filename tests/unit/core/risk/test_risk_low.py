"""Whoever is trusted little may use what is rated low, and nothing else."""

import pytest

from avow.core.capability import Capability, Kind
from avow.core.risk import low
from avow.core.risk.low import LowTools

READING = Capability.read(
    Kind.TOOL,
    {
        "name": "get_weather",
        "description": "Tells the weather.",
        "inputSchema": {"type": "object", "additionalProperties": False},
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    },
)
RUNNING = Capability.read(
    Kind.TOOL,
    {"name": "run", "inputSchema": {"type": "object", "properties": {"command": {"type": "string"}}}},
)


def test_only_what_is_rated_low_is_in() -> None:
    tools = LowTools()

    assert READING in tools
    assert RUNNING not in tools


def test_the_answer_is_the_same_after_it_was_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(low, "_MOST", 1)
    tools = LowTools()

    assert [each in tools for each in (READING, RUNNING, READING)] == [True, False, True]
    assert len(tools._ratings) == 1

"""Saved snapshots."""

from pathlib import Path

import pytest

from avow.core.capability import Capability, Kind, Signature
from avow.core.snapshot import Era, Snapshot
from avow.core.target import HttpTarget
from avow.errors import MalformedInputError, StorageError
from avow.system.snapshots import read_snapshot, write_snapshot

ECHO = Capability.read(Kind.TOOL, {"name": "echo"})
SNAPSHOT = Snapshot(
    HttpTarget("https://example.com/mcp"),
    {"name": "demo"},
    "2026-07-28",
    Era.MODERN,
    {},
    Signature.of([ECHO]),
)


def test_a_saved_snapshot_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "demo.json"

    write_snapshot(path, SNAPSHOT)

    assert read_snapshot(path) == SNAPSHOT


@pytest.mark.parametrize("content", [b"", b"{}", b'{"tools": []}', b"\xff"])
def test_another_file_is_named_and_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "demo.json"
    path.write_bytes(content)

    with pytest.raises(MalformedInputError, match=r"demo\.json"):
        read_snapshot(path)


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"demo\.json") as caught:
        read_snapshot(tmp_path / "demo.json")

    assert "--save" in caught.value.hint

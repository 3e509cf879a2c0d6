"""A registry that leaves a decision out of its answers is found out by its own log."""

import json
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from avow.core.tlog.tiles import Bundle
from avow.errors import StorageError, VerificationError
from avow.system.registry_approvals import Asking, ask
from avow.system.registry_client.contact import ForkError, meet
from avow.system.registry_client.known_decisions import MAX_READ
from avow.system.registry_client.proving import verify_nothing_hidden, verify_whole_log
from small_log import SmallLog
from small_registry import NAME, SmallRegistry, memory, tool

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def registry(entries: int = 0) -> SmallRegistry:
    """Version 1.0.0 is approved, behind as many other entries."""
    made = SmallRegistry(SmallLog.of(entries))
    made.publish("1.0.0", tool("read"))
    made.decide("1.0.0", "approved")
    return made


def approved(made: SmallRegistry, directory: Path) -> list[str]:
    with made.client() as client:
        found = ask(Asking(client, memory(directory), "production", NOW), NAME).approved
    return [each.version for each in found.versions]


def read(made: SmallRegistry) -> list[str]:
    """The parts of the log that were asked for since the last time."""
    found = [each for each in made.asked if each.startswith("tile/entries")]
    made.asked.clear()
    return found


def test_a_rejection_that_was_shown_cannot_be_hidden_later(tmp_path: Path) -> None:
    """Somebody takes the row out of the table, and has nothing to do with the log."""
    made = registry()
    made.decide("1.0.0", "rejected", "Bob")
    assert approved(made, tmp_path) == []
    made.decisions.pop()

    with pytest.raises(ForkError, match=r"DO NOT TRUST .* leaves out entry 2 of its log") as caught:
        approved(made, tmp_path)

    [evidence] = (memory(tmp_path).directory / "evidence").iterdir()
    assert str(evidence) in caught.value.hint
    kept = json.loads(evidence.read_text())
    assert (kept["hidden"], kept["shown"]) == ([2], [1])
    assert kept["checkpoint"] == made.log.checkpoint().decode()


def test_a_rejection_that_was_never_shown_is_in_the_log(tmp_path: Path) -> None:
    """Whether the client has met this registry before or not."""
    made = registry()
    assert approved(made, tmp_path / "before") == ["1.0.0"]
    made.decide("1.0.0", "rejected", "Bob")
    made.decisions.pop()

    for place in ("before", "never"):
        with pytest.raises(ForkError, match="leaves out entry 2"):
            approved(made, tmp_path / place)


def test_only_what_is_new_is_read(tmp_path: Path) -> None:
    made = registry(600)
    approved(made, tmp_path)
    assert read(made) == ["tile/entries/000", "tile/entries/001", "tile/entries/002.p/90"]

    approved(made, tmp_path)
    assert read(made) == []

    made.decide("1.0.0", "approved", "Bob")
    approved(made, tmp_path)
    assert read(made) == ["tile/entries/002.p/91"]


def test_what_is_new_has_to_be_what_was_signed(tmp_path: Path) -> None:
    """An entry that is not there when the log is read would not be missed in the answer."""
    made = registry()
    approved(made, tmp_path)
    made.decide("1.0.0", "rejected", "Bob")
    made.decisions.pop()
    other, bundle = SmallLog.of([*made.log.entries[:-1], b"nothing to see here"]), Bundle(0, 3)
    made.lies[bundle.path] = lambda request: httpx.Response(200, content=other.serve(bundle))

    with pytest.raises(ForkError, match="does not go on from the 2 known entries"):
        approved(made, tmp_path)


def test_of_a_large_log_what_came_since_it_was_met_is_known(tmp_path: Path) -> None:
    """Nothing is read of it at first, and so an old decision could be hidden: monitors find that."""
    made = registry(MAX_READ)
    made.decide("1.0.0", "rejected", "Bob")
    hidden = made.decisions.pop()

    assert approved(made, tmp_path) == ["1.0.0"]
    assert read(made) == []
    with made.client() as client:
        whole = verify_whole_log(client, meet(client, memory(tmp_path), NOW).checkpoint)
        with pytest.raises(VerificationError, match=f"leave out entry {hidden['logIndex']} of its log"):
            verify_nothing_hidden(client, whole)
    read(made)

    made.decide("1.0.0", "approved", "Eve")
    approved(made, tmp_path)
    assert len(read(made)) == 1
    made.decide("1.0.0", "rejected", "Bob")
    shown = [*made.decisions]
    made.decisions.pop()
    with pytest.raises(ForkError, match="leaves out"):
        approved(made, tmp_path)

    made.decisions = [*shown, hidden]
    assert approved(made, tmp_path) == []
    made.log.append(*(b"more" for _ in range(MAX_READ + 1)))
    made.decisions = shown
    with pytest.raises(ForkError, match=f"entry {hidden['logIndex']}"):
        approved(made, tmp_path)


def test_a_decision_that_is_newer_than_the_checkpoint_waits_for_the_next(tmp_path: Path) -> None:
    """Somebody decides between two of our questions: nobody lied."""
    made = registry()
    before = made.log.checkpoint()
    made.decide("1.0.0", "rejected", "Bob")
    made.lies["checkpoint"] = lambda request: httpx.Response(200, content=before)
    assert approved(made, tmp_path) == ["1.0.0"]

    made.lies.clear()
    assert approved(made, tmp_path) == []


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"decisions":[],"checkpoint":"a","since":0}'])
def test_a_damaged_memory_is_no_fresh_start(tmp_path: Path, content: bytes) -> None:
    made = registry()
    approved(made, tmp_path)
    (memory(tmp_path).directory / "decisions.json").write_bytes(content)

    with pytest.raises(StorageError, match=r"what is remembered of the log .* is damaged"):
        approved(made, tmp_path)

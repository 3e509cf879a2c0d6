"""A registry that leaves a decision out of its answers is found out by its own log."""

import json
import time
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from avow.core.tlog.tiles import Bundle
from avow.errors import RegistryUnavailableError, StorageError, VerificationError
from avow.system.registry_approvals import Asking, ask, judge
from avow.system.registry_client import log_reading
from avow.system.registry_client.contact import ForkError, meet
from avow.system.registry_client.known_decisions import require_all
from avow.system.registry_client.log_reading import PART
from avow.system.registry_client.proving import verify_nothing_hidden, verify_whole_log
from avow.system.registry_standing import Standing
from small_log import SmallLog
from small_registry import NAME, SmallRegistry, memory, tool

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def registry(entries: int = 0) -> SmallRegistry:
    """Version 1.0.0 is approved, behind as many other entries."""
    made = SmallRegistry(SmallLog.of(entries))
    made.claim()
    made.publish("1.0.0", tool("read"))
    made.decide("1.0.0", "approved")
    return made


def approved(made: SmallRegistry, directory: Path) -> list[str]:
    with made.client() as client:
        found = ask(Asking(client, memory(directory), "production", NOW), NAME).approved
    return [each.version for each in found.versions]


def standing(made: SmallRegistry, directory: Path) -> Standing:
    with made.client() as client:
        asking = Asking(client, memory(directory), "production", NOW)
        return judge(asking, ask(asking, NAME), None)


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

    with pytest.raises(ForkError, match=r"DO NOT TRUST .* leaves out entry 3 of its log") as caught:
        approved(made, tmp_path)

    [evidence] = (memory(tmp_path).directory / "evidence").iterdir()
    assert str(evidence) in caught.value.hint
    kept = json.loads(evidence.read_text())
    assert (kept["hidden"], kept["shown"]) == ([3], [2])
    assert kept["checkpoint"] == made.log.checkpoint().decode()


def test_a_rejection_that_was_never_shown_is_in_the_log(tmp_path: Path) -> None:
    """Whether the client has met this registry before or not."""
    made = registry()
    assert approved(made, tmp_path / "before") == ["1.0.0"]
    made.decide("1.0.0", "rejected", "Bob")
    made.decisions.pop()

    for place in ("before", "never"):
        with pytest.raises(ForkError, match="leaves out entry 3"):
            approved(made, tmp_path / place)


def test_only_what_is_new_is_read(tmp_path: Path) -> None:
    made = registry(600)
    approved(made, tmp_path)
    assert read(made) == ["tile/entries/000", "tile/entries/001", "tile/entries/002.p/91"]

    approved(made, tmp_path)
    assert read(made) == []

    made.decide("1.0.0", "approved", "Bob")
    approved(made, tmp_path)
    assert read(made) == ["tile/entries/002.p/92"]


def test_what_is_new_has_to_be_what_was_signed(tmp_path: Path) -> None:
    """An entry that is not there when the log is read would not be missed in the answer."""
    made = registry()
    approved(made, tmp_path)
    made.decide("1.0.0", "rejected", "Bob")
    made.decisions.pop()
    other, bundle = SmallLog.of([*made.log.entries[:-1], b"nothing to see here"]), Bundle(0, 4)
    made.lies[bundle.path] = lambda request: httpx.Response(200, content=other.serve(bundle))

    with pytest.raises(ForkError, match="does not go on from the 3 known entries"):
        approved(made, tmp_path)


def test_a_log_is_read_on_the_next_time_and_until_then_the_answer_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is time for some parts only: what is hidden further on is found when it is read."""
    made = registry(2 * PART + 300)
    made.decide("1.0.0", "rejected", "Bob")
    hidden = made.decisions.pop()
    slow = Bundle(8)

    def late(request: httpx.Request) -> httpx.Response:
        time.sleep(1.1)
        return httpx.Response(200, content=made.log.serve(slow))

    made.lies[slow.path] = late
    monkeypatch.setattr(log_reading, "SECONDS", 1)
    first = standing(made, tmp_path)
    assert first.is_approved
    assert f"{PART + 304} entries of the log were not read yet" in first.told
    assert (first.document()["complete"], first.doubts) == (False, (first.gap,))
    assert read(made) == [f"tile/entries/00{number}" for number in (*range(8), 8)]

    made.is_down = True
    remembered = standing(made, tmp_path)
    assert remembered.gap == first.gap
    assert remembered.document()["complete"] is False

    made.is_down = False
    made.lies.clear()
    monkeypatch.undo()
    with pytest.raises(ForkError, match=f"leaves out entry {hidden['logIndex']} of its log"):
        standing(made, tmp_path)
    assert read(made)[0] == "tile/entries/008"
    made.decisions.append(hidden)
    assert standing(made, tmp_path).state == "rejected"
    assert standing(made, tmp_path).document()["complete"] is True


def test_a_log_that_cannot_be_read_now_is_a_gap_however_it_has_grown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = registry()
    assert standing(made, tmp_path).doubts == ()
    monkeypatch.setattr(log_reading, "SECONDS", 0)
    for more in (1, 2):
        made.log.append(b"more")
        assert f"{more} entries of the log were not read yet" in standing(made, tmp_path).told
    assert "0 entries" not in standing(registry(), tmp_path / "new").told

    other = SmallRegistry(SmallLog.of([*made.log.entries[:4], b"another", b"end"]))
    with other.client() as client, pytest.raises(ForkError):
        meet(client, memory(tmp_path), NOW)


def test_what_was_hidden_once_is_not_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log may be too long to be read now: it is remembered where the decision is."""
    made = registry()
    made.decide("1.0.0", "rejected", "Bob")
    made.decisions.pop()
    with pytest.raises(ForkError, match="leaves out entry 3"):
        approved(made, tmp_path)

    monkeypatch.setattr(log_reading, "SECONDS", 0)
    made.log.append(*(b"more" for _ in range(3)))
    with pytest.raises(ForkError, match="leaves out entry 3"):
        approved(made, tmp_path)


def test_what_was_read_before_the_registry_failed_is_remembered(tmp_path: Path) -> None:
    made = registry(2 * PART)
    made.lies[Bundle(12).path] = lambda request: httpx.Response(503)
    with pytest.raises(RegistryUnavailableError):
        approved(made, tmp_path)
    made.lies.clear()
    read(made)

    assert approved(made, tmp_path) == ["1.0.0"]
    assert read(made)[0] == Bundle(8).path


def test_a_part_of_a_log_has_to_be_how_the_signed_one_begins(tmp_path: Path) -> None:
    made = registry(PART + 1)
    made.lies["log/consistency"] = lambda request: httpx.Response(200, json={"hashes": []})

    with pytest.raises(ForkError, match="does not go on from the 0 known entries"):
        approved(made, tmp_path)


def test_a_monitor_finds_what_is_hidden_from_everybody(tmp_path: Path) -> None:
    made = registry()
    made.decide("1.0.0", "rejected", "Bob")
    hidden = made.decisions.pop()

    with made.client() as client:
        whole = verify_whole_log(client, meet(client, memory(tmp_path), NOW).checkpoint)
        with pytest.raises(VerificationError, match=f"leave out entry {hidden['logIndex']} of its log"):
            verify_nothing_hidden(client, whole)


def test_what_another_process_saw_since_is_not_missed_in_an_older_answer(tmp_path: Path) -> None:
    """Both ask at once: the slower one has the older checkpoint, and a memory that is newer."""
    made = registry()
    with made.client() as client:
        slow = meet(client, memory(tmp_path), NOW).checkpoint
        made.decide("1.0.0", "rejected", "Bob")
        assert approved(made, tmp_path) == []

        known = require_all(client, memory(tmp_path), slow, NAME, "production", [2])
    assert known.decided(str(NAME), "production") == {2, 3}


def test_a_decision_that_is_newer_than_the_checkpoint_waits_for_the_next(tmp_path: Path) -> None:
    """Somebody decides between two of our questions: nobody lied."""
    made = registry()
    before = made.log.checkpoint()
    made.decide("1.0.0", "rejected", "Bob")
    made.lies["checkpoint"] = lambda request: httpx.Response(200, content=before)
    assert approved(made, tmp_path) == ["1.0.0"]

    made.lies.clear()
    assert approved(made, tmp_path) == []


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"decisions":[],"checkpoint":"a"}'])
def test_a_damaged_memory_is_no_fresh_start(tmp_path: Path, content: bytes) -> None:
    made = registry()
    approved(made, tmp_path)
    (memory(tmp_path).directory / "decisions.json").write_bytes(content)

    with pytest.raises(StorageError, match=r"what is remembered of the log .* is damaged"):
        approved(made, tmp_path)


def test_a_memory_of_more_than_was_read_is_damaged(tmp_path: Path) -> None:
    """Whoever writes there that all was read has to have a proof of what they say was."""
    made = registry()
    approved(made, tmp_path)
    file = memory(tmp_path).directory / "decisions.json"
    file.write_text(file.read_text().replace('"size": 3', '"size": 1'))

    with pytest.raises(StorageError, match="is damaged"):
        approved(made, tmp_path)

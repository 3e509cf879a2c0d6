"""Meeting a registry again: it may have grown, and nothing else."""

import json
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from avow.core.keys import PrivateKey
from avow.core.tlog import notes
from avow.core.tlog.checkpoint import open_checkpoint
from avow.core.tlog.notes import Signer
from avow.errors import RegistryUnavailableError, StorageError, UntrustedKeyError
from avow.system.registry_client.client import RegistryClient
from avow.system.registry_client.contact import Contact, ForkError, meet
from avow.system.registry_client.remembered import Memory
from avow.system.registry_client.transport import RefusedError
from small_log import SmallLog
from small_registry import URL, SmallRegistry, memory

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
LATER = datetime(2026, 11, 16, 12, tzinfo=UTC)
OTHER = Signer("log.example/test", PrivateKey(b"o" * 32))
WITNESS = Signer("witness.example/one", PrivateKey(b"w" * 32))


def met(registry: SmallRegistry, directory: Path, now: datetime = NOW) -> Contact:
    with registry.client() as client:
        return meet(client, memory(directory), now)


def test_the_first_key_is_kept_and_growth_is_proved(tmp_path: Path) -> None:
    registry = SmallRegistry(SmallLog.of(3))

    first = met(registry, tmp_path)
    registry.log.append(b"a", b"b")
    second = met(registry, tmp_path, LATER)
    third = met(registry, tmp_path, LATER)

    assert (first.is_first, second.is_first) == (True, False)
    assert (first.checkpoint.checkpoint.size, second.checkpoint.checkpoint.size) == (3, 5)
    assert second == third
    assert registry.asked.count("log/key") == 1
    assert registry.asked.count("log/consistency?from=3&to=5") == 1
    remembered = memory(tmp_path).recall()
    assert remembered is not None
    assert remembered.key == registry.log.signer.verifier()
    assert remembered.at == LATER
    assert memory(tmp_path).file.stat().st_mode & 0o077 == 0


def test_a_key_that_is_given_is_not_asked_for(tmp_path: Path) -> None:
    registry = SmallRegistry(SmallLog.of(3))
    with registry.client() as client:
        meet(client, memory(tmp_path), NOW, key=registry.log.signer.verifier())
        assert "log/key" not in registry.asked
        with pytest.raises(UntrustedKeyError, match="not the one that https://registry"):
            meet(client, memory(tmp_path), NOW, key=OTHER.verifier())


def test_another_key_than_the_given_one_is_refused_at_first_sight(tmp_path: Path) -> None:
    with SmallRegistry(SmallLog.of(3)).client() as client, pytest.raises(UntrustedKeyError):
        meet(client, memory(tmp_path), NOW, key=OTHER.verifier())
    assert memory(tmp_path).recall() is None


def test_a_key_that_changes_is_refused(tmp_path: Path) -> None:
    registry = SmallRegistry(SmallLog.of(3))
    met(registry, tmp_path)

    registry.log.signer = OTHER
    with pytest.raises(
        UntrustedKeyError, match=r"the checkpoint of https://registry\.example cannot be trusted"
    ):
        met(registry, tmp_path)


def forked(old: int, new: list[bytes]) -> tuple[SmallRegistry, SmallRegistry]:
    return SmallRegistry(SmallLog.of(old)), SmallRegistry(SmallLog.of(new))


@pytest.mark.parametrize(
    ("entries", "what"),
    [
        ([b"forged", b"entry 1", b"entry 2"], "has two different logs of 3 entries"),
        ([b"entry 0", b"forged", b"entry 2", b"more"], "cannot prove that its 4 entries begin with the 3"),
        ([b"entry 0", b"entry 1"], "had 3 entries, now shows 2, and cannot prove"),
        ([b"entry 0", b"forged"], "had 3 entries, now shows 2, and cannot prove"),
        ([], "had 3 entries, now shows 0"),
    ],
)
def test_a_log_that_was_changed_is_refused_loudly_and_both_checkpoints_are_kept(
    tmp_path: Path, entries: list[bytes], what: str
) -> None:
    honest, rewritten = forked(3, entries)
    met(honest, tmp_path)

    with pytest.raises(ForkError):
        met(rewritten, tmp_path)
    with pytest.raises(ForkError, match=r"DO NOT TRUST https://registry\.example") as caught:
        met(rewritten, tmp_path)
    assert what in caught.value.message

    [evidence] = (memory(tmp_path).directory / "evidence").iterdir()
    assert str(evidence) in caught.value.hint
    document = json.loads(evidence.read_text(encoding="utf-8"))
    key = notes.read_verifier_key(document["key"])
    kept = [open_checkpoint(document[each].encode(), key) for each in ("remembered", "shown")]
    assert [each.checkpoint.size for each in kept] == [3, len(entries)]
    remembered = memory(tmp_path).recall()
    assert remembered is not None
    assert remembered.checkpoint.note == honest.log.checkpoint()


OLD, NEW = "https://old.example", "https://new.example"


def met_at(url: str, registry: SmallRegistry, directory: Path) -> Contact:
    with RegistryClient(url, over=httpx.MockTransport(registry.answer)) as client:
        return meet(client, Memory.of(url, directory), NOW)


@pytest.mark.parametrize(
    ("entries", "what"),
    [
        ([b"entry 0", b"entry 1", b"forged"], f"two different logs of 3 entries, the other at {OLD}"),
        ([b"entry 0", b"entry 1"], f"had 3 entries at {OLD}, now shows 2, and cannot prove"),
        ([b"a", b"b", b"c", b"d"], f"cannot prove that its 4 entries begin with the 3 known ones at {OLD}"),
    ],
)
def test_a_key_that_signs_two_logs_at_two_addresses_is_found_out(
    tmp_path: Path, entries: list[bytes], what: str
) -> None:
    """A registry was moved, and both run on; or somebody shows us a log of our own at another address."""
    old, new = forked(3, entries)
    met_at(OLD, old, tmp_path)

    with pytest.raises(ForkError, match=f"DO NOT TRUST {NEW}") as caught:
        met_at(NEW, new, tmp_path)

    assert what in caught.value.message
    [evidence] = (Memory.of(NEW, tmp_path).directory / "evidence").iterdir()
    document = json.loads(evidence.read_text(encoding="utf-8"))
    assert (document["rememberedFrom"], document["url"]) == (OLD, NEW)
    assert Memory.of(NEW, tmp_path).recall() is None


def test_a_registry_that_was_moved_goes_on_at_its_new_address(tmp_path: Path) -> None:
    registry = SmallRegistry(SmallLog.of(3))
    assert met_at(OLD, registry, tmp_path).is_first
    registry.log.append(b"more")

    assert met_at(NEW, registry, tmp_path).is_first
    registry.lies["checkpoint"] = lambda request: httpx.Response(200, content=registry.log.checkpoint(3))
    assert met_at(OLD, registry, tmp_path).checkpoint.checkpoint.size == 4
    registry.lies["checkpoint"] = lambda request: httpx.Response(404)
    with pytest.raises(ForkError, match=f"had 4 entries at {OLD}, and now shows none"):
        met_at("https://third.example", registry, tmp_path)


def test_an_emptied_registry_is_not_a_new_one(tmp_path: Path) -> None:
    registry = SmallRegistry(SmallLog.of(3))
    met(registry, tmp_path)

    registry.lies["checkpoint"] = lambda request: httpx.Response(404, json={"detail": "no entries yet"})
    with pytest.raises(ForkError, match="had 3 entries, and now shows none"):
        met(registry, tmp_path)
    with pytest.raises(RefusedError):
        met(registry, tmp_path / "elsewhere")


def test_an_old_checkpoint_from_a_cache_changes_nothing(tmp_path: Path) -> None:
    """The registry still has everything, and proves it: the newer checkpoint stays the one that counts."""
    registry = SmallRegistry(SmallLog.of(5))
    met(registry, tmp_path)
    registry.lies["checkpoint"] = lambda request: httpx.Response(200, content=registry.log.checkpoint(3))

    assert met(registry, tmp_path).checkpoint.checkpoint.size == 5
    remembered = memory(tmp_path).recall()
    assert remembered is not None
    assert remembered.checkpoint.checkpoint.size == 5


def test_a_registry_that_will_not_prove_is_refused_like_one_that_cannot(tmp_path: Path) -> None:
    registry = SmallRegistry(SmallLog.of(3))
    met(registry, tmp_path)
    registry.log.append(b"more")

    registry.lies["log/consistency"] = lambda request: httpx.Response(200, json={"hashes": "none"})
    with pytest.raises(ForkError):
        met(registry, tmp_path)
    registry.lies["log/consistency"] = lambda request: httpx.Response(401)
    with pytest.raises(RefusedError):
        met(registry, tmp_path)
    registry.lies["log/consistency"] = lambda request: httpx.Response(503)
    with pytest.raises(RegistryUnavailableError):
        met(registry, tmp_path)
    del registry.lies["log/consistency"]
    assert met(registry, tmp_path).checkpoint.checkpoint.size == 4


def test_an_empty_log_is_the_beginning_of_every_log(tmp_path: Path) -> None:
    registry = SmallRegistry()
    met(registry, tmp_path)
    registry.log.append(b"first")

    assert met(registry, tmp_path).checkpoint.checkpoint.size == 1


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{}", b'{"key":1}', b"\xff", b'{"key":"a","checkpoint":"b","verifiedAt":"c"}'],
)
def test_a_damaged_memory_is_not_a_fresh_start(tmp_path: Path, content: bytes) -> None:
    registry = SmallRegistry(SmallLog.of(3))
    met(registry, tmp_path)
    memory(tmp_path).file.write_bytes(content)

    with pytest.raises(StorageError, match="is damaged"):
        met(registry, tmp_path)


@pytest.mark.parametrize(
    "change", [("log.example/test\\n3", "log.example/test\\n2"), ("2026-11-15T12:00:00Z", "2026-11-15")]
)
def test_a_memory_that_somebody_edited_is_noticed(tmp_path: Path, change: tuple[str, str]) -> None:
    registry = SmallRegistry(SmallLog.of(3))
    met(registry, tmp_path)
    file = memory(tmp_path).file
    file.write_text(file.read_text(encoding="utf-8").replace(*change), encoding="utf-8")

    with pytest.raises(StorageError, match="is damaged"):
        met(registry, tmp_path)


def test_a_memory_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    registry = SmallRegistry(SmallLog.of(3))
    (tmp_path / "registries").write_text("in the way")

    with pytest.raises(StorageError, match="cannot make"):
        met(registry, tmp_path)
    memory(tmp_path / "other").file.mkdir(parents=True)
    with pytest.raises(StorageError, match="is a directory"):
        met(registry, tmp_path / "other")


def test_what_another_process_has_seen_since_is_not_forgotten(tmp_path: Path) -> None:
    """Two meet the registry at once, and the one that saw less is the last to write."""
    registry = SmallRegistry(SmallLog.of(3))
    met(registry, tmp_path)
    slow = memory(tmp_path).recall()
    assert slow is not None
    registry.log.append(b"more")
    met(registry, tmp_path, LATER)

    memory(tmp_path).remember(slow)

    remembered = memory(tmp_path).recall()
    assert remembered is not None
    assert remembered.checkpoint.checkpoint.size == 4


def test_each_registry_has_its_own_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    ours, theirs = memory(tmp_path), type(memory(tmp_path)).of("https://other.example")

    assert ours.directory != theirs.directory
    assert ours.url == URL
    assert theirs.directory.is_relative_to(tmp_path)

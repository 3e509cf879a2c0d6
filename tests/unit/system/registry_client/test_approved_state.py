"""What is approved: proved while the registry answers, remembered while it does not."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from avow.errors import RegistryUnavailableError, StorageError, VerificationError
from avow.system.registry_approvals import Asking, ask
from avow.system.registry_client.approved_state import (
    Approved,
    approved_document,
    recall_approved,
)
from avow.system.registry_client.contact import ForkError
from small_registry import NAME, SmallRegistry, memory, tool

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=2)


def registry() -> SmallRegistry:
    made = SmallRegistry()
    made.claim()
    made.publish("1.0.0", tool("read"))
    made.publish("1.1.0", tool("read"), tool("write"))
    return made


def approved(made: SmallRegistry, directory: Path, now: datetime = NOW) -> Approved:
    with made.client() as client:
        return ask(Asking(client, memory(directory), "production", now), NAME).approved


def versions(found: Approved) -> list[str]:
    return [each.version for each in found.versions]


def test_nothing_is_approved_before_somebody_says_so(tmp_path: Path) -> None:
    found = approved(registry(), tmp_path)

    assert (found.versions, found.publication, found.is_offline) == ((), None, False)


def test_what_was_approved_last_is_at_the_end(tmp_path: Path) -> None:
    made = registry()
    made.decide("1.1.0", "approved")
    made.decide("1.0.0", "approved")
    assert versions(approved(made, tmp_path)) == ["1.1.0", "1.0.0"]

    made.decide("1.1.0", "approved", "Bob")
    found = approved(made, tmp_path)

    assert versions(found) == ["1.0.0", "1.1.0"]
    assert found.publication is not None
    assert found.publication.version == "1.1.0"


def test_a_rejection_by_one_ends_an_approval_by_another(tmp_path: Path) -> None:
    made = registry()
    made.decide("1.0.0", "approved")
    made.decide("1.0.0", "rejected", "Bob")

    assert versions(approved(made, tmp_path)) == []


def test_two_may_be_needed(tmp_path: Path) -> None:
    made = registry()
    made.decide("1.0.0", "approved", needed=2)
    assert versions(approved(made, tmp_path)) == []

    made.decide("1.0.0", "approved", "Bob", needed=2)
    assert versions(approved(made, tmp_path)) == ["1.0.0"]


def test_a_registry_that_is_down_is_replaced_by_memory_which_says_how_old_it_is(tmp_path: Path) -> None:
    made = registry()
    made.decide("1.0.0", "approved")
    before = approved(made, tmp_path)
    made.is_down = True

    found = approved(made, tmp_path, LATER)

    assert found.versions == before.versions
    assert found.publication == before.publication
    assert found.is_offline
    assert found.age(LATER) == timedelta(days=2)
    assert found.age(NOW - timedelta(days=1)) == timedelta(0)
    assert approved_document(found, LATER) == {
        "name": "io.github.owner/files",
        "environment": "production",
        "versions": [
            {
                "version": "1.0.0",
                "digest": made.versions["1.0.0"]["digest"],
                "by": "Ada",
                "at": "2026-11-15T14:35:50.123Z",
            }
        ],
        "verifiedAt": "2026-11-15T12:00:00Z",
        "ageSeconds": 172_800,
        "offline": True,
        "complete": True,
        "logGrewAt": "2026-11-15T14:35:50Z",
        "witnessedAt": None,
    }


def test_that_nothing_was_approved_is_remembered_too(tmp_path: Path) -> None:
    made = registry()
    approved(made, tmp_path)
    made.is_down = True

    assert approved(made, tmp_path, LATER).versions == ()


def test_a_registry_that_never_answered_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(RegistryUnavailableError, match="cannot be reached: nobody is there"):
        approved(SmallRegistry(is_down=True), tmp_path)
    with pytest.raises(RegistryUnavailableError, match="nothing is known of what is approved"):
        recall_approved(memory(tmp_path), NAME, "production")


def test_a_registry_that_lies_is_not_replaced_by_memory(tmp_path: Path) -> None:
    made = registry()
    made.decide("1.0.0", "approved")
    approved(made, tmp_path)

    forged = registry()
    forged.publish("1.2.0", tool("evil"))
    forged.decide("1.2.0", "approved")
    with pytest.raises(ForkError):
        approved(forged, tmp_path)
    made.decisions.append({"logIndex": 0})
    with pytest.raises(VerificationError):
        approved(made, tmp_path)


def test_an_approval_of_another_digest_approves_nothing(tmp_path: Path) -> None:
    """The log has an approval of 1.0.0 with the digest of 1.1.0: somebody mixed them up."""
    made = registry()
    made.versions["1.0.0"]["digest"] = made.versions["1.1.0"]["digest"]
    made.decide("1.0.0", "approved")

    with pytest.raises(VerificationError, match="published with another digest"):
        approved(made, tmp_path)


def test_trouble_in_the_middle_falls_back_too(tmp_path: Path) -> None:
    made = registry()
    made.decide("1.0.0", "approved")
    approved(made, tmp_path)
    made.lies["approvals"] = lambda request: httpx.Response(503)

    assert approved(made, tmp_path).is_offline


@pytest.mark.parametrize("damage", ["decisions", "publication", "nonsense", "gone", "place"])
def test_a_damaged_memory_approves_nothing(tmp_path: Path, damage: str) -> None:
    made = registry()
    made.decide("1.0.0", "approved")
    approved(made, tmp_path)
    [state] = (memory(tmp_path).directory / "approved").iterdir()
    [publication] = (memory(tmp_path).directory / "publications").iterdir()
    match damage:
        case "decisions":
            state.write_text(
                state.read_text(encoding="utf-8").replace("production", "staging"), encoding="utf-8"
            )
        case "publication":
            publication.write_bytes(publication.read_bytes().replace(b"1.0.0", b"1.0.1"))
        case "nonsense":
            state.write_text("[]")
        case "gone":
            publication.unlink()
        case _:
            state.write_text(
                state.read_text(encoding="utf-8").replace('"content": "sha256:', '"content": "../'),
                encoding="utf-8",
            )

    with pytest.raises(StorageError):
        recall_approved(memory(tmp_path), NAME, "production")

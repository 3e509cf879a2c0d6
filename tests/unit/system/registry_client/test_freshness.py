"""Old answers that somebody shows again: they are true, and say nothing about today."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from avow.core.keys import PrivateKey
from avow.core.tlog.entry import NamespaceEntry
from avow.core.tlog.notes import SignatureType, Signer, VerifierKey
from avow.errors import PeerProtocolError, VerificationError
from avow.system.registry_approvals import Asking, ask, judge
from avow.system.registry_standing import Standing
from small_registry import NAME, SmallRegistry, memory, tool

ANN, BOB = (Signer(f"{name}.example", PrivateKey(name.encode() * 32)) for name in "ab")
KEYS = [each.verifier(SignatureType.WITNESS) for each in (ANN, BOB)]
GREW = datetime(2026, 11, 15, 14, 35, 50, tzinfo=UTC)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def registry() -> SmallRegistry:
    made = SmallRegistry()
    made.claim()
    made.publish("1.0.0", tool("read"))
    made.decide("1.0.0", "approved")
    return made


def asked(
    made: SmallRegistry,
    directory: Path,
    now: datetime,
    max_age: timedelta | None = None,
    witnesses: tuple[VerifierKey, ...] = (),
) -> Standing:
    with made.client() as client:
        asking = Asking(client, memory(directory), "production", now, None, max_age, witnesses)
        return judge(asking, ask(asking, NAME), None)


def test_every_answer_says_when_the_log_last_grew(tmp_path: Path) -> None:
    made = registry()
    for is_down in (False, True):
        made.is_down = is_down
        told = asked(made, tmp_path, GREW + DAY)
        assert "its log last grew at 2026-11-15T14:35:50Z" in told.told
        assert told.document()["logGrewAt"] == "2026-11-15T14:35:50Z"


def test_answers_that_are_shown_again_are_refused_when_they_are_too_old(tmp_path: Path) -> None:
    """Whoever is in between has recorded them before the version was recalled."""
    made = registry()
    assert asked(made, tmp_path, GREW + HOUR, DAY).is_approved

    for is_down in (False, True):
        made.is_down = is_down
        assert asked(made, tmp_path, GREW + 2 * DAY).is_approved
        with pytest.raises(
            VerificationError, match=r"last grew at 2026-11-15T14:35:50Z, and 1 day is allowed"
        ):
            asked(made, tmp_path, GREW + 2 * DAY, DAY)


def test_a_log_of_tomorrow_says_nothing_about_today(tmp_path: Path) -> None:
    made = registry()
    assert asked(made, tmp_path, GREW - HOUR / 2, DAY).is_approved
    with pytest.raises(VerificationError, match="may be too old"):
        asked(made, tmp_path, GREW - DAY, DAY)


@pytest.mark.parametrize(
    "newest",
    [b'{"avow":2}', b'{"avow":1,"by":"root","key":"KEY","namespace":"a","time":"TIME","type":"namespace"}'],
)
def test_an_entry_that_has_no_time_is_of_no_age(tmp_path: Path, newest: bytes) -> None:
    made = registry()
    key, time = b"sha256:" + b"1" * 64, b"2026-02-31T00:00:00.000Z"
    made.log.append(newest.replace(b"KEY", key).replace(b"TIME", time))

    found = asked(made, tmp_path, GREW)
    assert (found.newest, found.document()["logGrewAt"]) == ("", None)
    with pytest.raises(VerificationError, match="nobody knows when"):
        asked(made, tmp_path, GREW, DAY)


def test_a_proof_that_is_none_is_not_the_same_as_an_entry_without_a_time(tmp_path: Path) -> None:
    made = registry()
    made.lies["log/inclusion"] = lambda request: httpx.Response(200, content=b"{}")
    with pytest.raises(PeerProtocolError, match="does not answer a proof"):
        asked(made, tmp_path, GREW)


def test_an_answer_that_is_remembered_must_not_be_too_old_either(tmp_path: Path) -> None:
    """The clock of the registry is ahead: what was verified long ago is not of today for that."""
    made = registry()
    asked(made, tmp_path, GREW - HOUR)
    made.is_down = True

    with pytest.raises(VerificationError, match="may be too old"):
        asked(made, tmp_path, GREW + HOUR / 2, HOUR)


def test_a_quiet_log_is_fresh_when_witnesses_have_just_signed_it(tmp_path: Path) -> None:
    made = registry()
    now = GREW + 30 * DAY
    made.cosigned(made.log.checkpoint(), ANN, int((now - HOUR).timestamp()))
    made.cosigned(made.log.checkpoint(), BOB, int((now - DAY).timestamp()))

    found = asked(made, tmp_path, now, DAY, tuple(KEYS))
    assert found.is_approved
    assert "and witnesses have signed it at 2026-12-14T14:35:50Z" in found.told
    with pytest.raises(VerificationError, match="was last signed by all witnesses at 2026-12-14"):
        asked(made, tmp_path, now, DAY - HOUR, tuple(KEYS))
    made.is_down = True
    assert asked(made, tmp_path, now, DAY, tuple(KEYS)).is_approved
    with pytest.raises(VerificationError, match="was last signed by all witnesses"):
        asked(made, tmp_path, now + HOUR, DAY, tuple(KEYS))


def test_a_witness_that_has_not_signed_is_missed(tmp_path: Path) -> None:
    made = registry()
    made.cosigned(made.log.checkpoint(), ANN, 1)
    with pytest.raises(VerificationError, match="1 of the 2 witnesses needed"):
        asked(made, tmp_path, GREW, None, tuple(KEYS))


def test_less_than_a_witness_has_signed_is_not_all_there_is(tmp_path: Path) -> None:
    """The log grows between two questions, or a fresh signature is shown beside an old checkpoint."""
    made = registry()
    before = made.log.checkpoint()
    made.append(
        NamespaceEntry(time="2026-11-16T00:00:00.000Z", namespace="a", key="sha256:" + "1" * 64, by="x")
    )
    made.cosigned(made.log.checkpoint(), ANN, int(GREW.timestamp()))
    old = [before]
    made.lies["checkpoint"] = lambda _: httpx.Response(
        200, content=old.pop() if old else made.log.checkpoint()
    )
    assert asked(made, tmp_path, GREW, DAY, (KEYS[0],)).is_approved

    made.lies["checkpoint"] = lambda _: httpx.Response(200, content=before)
    with pytest.raises(VerificationError, match="shows less of its log than a witness has signed"):
        asked(made, tmp_path / "other", GREW, DAY, (KEYS[0],))

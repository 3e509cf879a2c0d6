"""What is said about approvals, and what is believed: with a registry in memory that can be told to lie."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from avow.core.canonical import Digest
from avow.core.keys import PrivateKey
from avow.core.tlog.notes import Signer
from avow.errors import RegistryUnavailableError, StorageError, UntrustedKeyError, VerificationError
from avow.system.registry_approvals import Asking, ask, judge
from avow.system.registry_client.contact import ForkError
from avow.system.registry_client.transport import RefusedError
from avow.system.registry_standing import Standing, ago
from small_registry import NAME, SmallRegistry, memory, tool

NOW = datetime(2026, 11, 15, 15, tzinfo=UTC)
LATER = NOW + timedelta(hours=3)
ADA = "Ada approved it on 2026-11-15 at 14:35 UTC"


@pytest.fixture
def made() -> SmallRegistry:
    registry = SmallRegistry()
    registry.claim()
    registry.publish("1.0.0", tool("read"))
    registry.publish("1.1.0", tool("read"), tool("write"))
    return registry


def asking(made: SmallRegistry, directory: Path, now: datetime = NOW) -> Asking:
    return Asking(made.client(), memory(directory), "production", now)


def standing(
    made: SmallRegistry, directory: Path, version: str | None = "1.0.0", now: datetime = NOW
) -> Standing:
    where = asking(made, directory, now)
    digest = None if version is None else Digest(made.versions[version]["digest"])
    with where.client:
        return judge(where, ask(where, NAME), digest)


def test_each_state_says_who_decided_what_when(made: SmallRegistry, tmp_path: Path) -> None:
    undecided = standing(made, tmp_path)
    assert undecided.sentence == (
        f"{NAME} 1.0.0 is pending in production: nobody has decided about it yet; nothing is approved there"
    )
    assert undecided.error.hint.startswith("somebody who may approve has to decide; `avow registry approvals")

    made.decide("1.0.0", "approved")
    assert standing(made, tmp_path).sentence == f"{NAME} 1.0.0 is approved in production: {ADA} (because)"

    made.decide("1.1.0", "approved")
    made.decide("1.1.0", "rejected", "Bob")
    assert standing(made, tmp_path, "1.1.0").sentence == (
        f"{NAME} 1.1.0 is rejected in production: Bob rejected it on 2026-11-15 at 14:35 UTC (because); "
        f"approved there: 1.0.0, {ADA}"
    )
    # A model reads this, and may do what it says.
    assert "avow registry approve" not in standing(made, tmp_path, "1.1.0").error.hint
    assert "until Bob decides otherwise" in standing(made, tmp_path, "1.1.0").error.hint


def test_two_spellings_of_a_name_are_one_person_in_words_too(made: SmallRegistry, tmp_path: Path) -> None:
    made.decide("1.0.0", "approved", "Ada", needed=2)
    made.decide("1.0.0", "approved", " ADA", needed=2)
    found = standing(made, tmp_path)

    assert (found.state, len(found.decisions)) == ("pending", 1)
    assert "(1 of 2 approve)" in found.sentence


def test_two_people_may_be_needed_and_one_may_think_again(made: SmallRegistry, tmp_path: Path) -> None:
    made.decide("1.0.0", "approved", needed=2)
    half = standing(made, tmp_path)
    assert (half.state, "(1 of 2 approve)" in half.sentence) == ("pending", True)

    made.decide("1.0.0", "approved", "Bob", needed=2)
    whole = standing(made, tmp_path)
    assert (whole.state, [each.by for each in whole.decisions]) == ("approved", ["Ada", "Bob"])

    made.decide("1.0.0", "pending", needed=2)
    again = standing(made, tmp_path)
    assert (again.state, [each.by for each in again.decisions]) == ("pending", ["Bob", "Ada"])
    assert "Ada took the decision back on" in again.sentence


def test_without_a_signature_it_is_about_what_was_approved_last(made: SmallRegistry, tmp_path: Path) -> None:
    nothing = standing(made, tmp_path, None)
    assert nothing.sentence.startswith(f"nobody has decided about any version of {NAME} for production")
    made.decide("1.1.0", "rejected")
    assert (standing(made, tmp_path, None).state, standing(made, tmp_path, None).version) == (
        "rejected",
        "1.1.0",
    )
    made.decide("1.0.0", "approved")
    assert standing(made, tmp_path, None).version == "1.0.0"


def test_what_nobody_published_is_unknown(made: SmallRegistry, tmp_path: Path) -> None:
    made.versions["0.9.0"] = {"digest": "sha256:" + "0" * 64}
    made.lies[f"digests/sha256:{'0' * 64}"] = lambda request: httpx.Response(404)

    found = standing(made, tmp_path, "0.9.0")

    assert (found.state, found.document()["version"]) == ("unknown", None)
    assert "nobody has published sha256:000" in found.sentence
    assert "registry publish" in found.error.hint


def test_a_registry_that_goes_away_while_words_are_sought_changes_no_answer(
    made: SmallRegistry, tmp_path: Path
) -> None:
    digest = made.versions["1.0.0"]["digest"]
    made.lies[f"digests/{digest}"] = lambda request: httpx.Response(503)
    assert standing(made, tmp_path).state == "unknown"

    made.lies[f"digests/{digest}"] = lambda request: httpx.Response(403)
    with pytest.raises(RefusedError):
        standing(made, tmp_path)


def test_an_answer_from_memory_says_how_old_it_is(made: SmallRegistry, tmp_path: Path) -> None:
    made.decide("1.0.0", "approved")
    before = standing(made, tmp_path)
    made.is_down = True

    found = standing(made, tmp_path, now=LATER)

    assert (before.age, found.state) == ("", "approved")
    assert found.age == "the registry did not answer: this was verified 3 hours ago, at 2026-11-15T15:00:00Z"
    assert found.document()["ageSeconds"] == 3 * 3600
    assert "nobody had decided about sha256:" in standing(made, tmp_path, "1.1.0", LATER).sentence


def test_a_registry_that_never_answered_approves_nothing(made: SmallRegistry, tmp_path: Path) -> None:
    made.is_down = True
    with pytest.raises(RegistryUnavailableError, match="nobody is there"):
        standing(made, tmp_path)


def test_a_log_that_began_anew_or_has_another_key_is_refused(made: SmallRegistry, tmp_path: Path) -> None:
    standing(made, tmp_path)
    with pytest.raises(ForkError, match="DO NOT TRUST"):
        ask(asking(SmallRegistry(), tmp_path), NAME)
    other = Signer("log.example/test", PrivateKey(b"o" * 32)).verifier()
    where = asking(made, tmp_path)
    with pytest.raises(UntrustedKeyError):
        ask(Asking(where.client, where.memory, "production", NOW, other), NAME)


# Ways to edit the files so that a refusal might become an approval, or what is approved something else.
EDITS = [
    ("approved", '\\"rejected\\"', '\\"approved\\"'),
    ("proofs", '\\"rejected\\"', '\\"approved\\"'),
    ("proofs", "production", "staging"),
    ("proofs", '"index": 3', '"index": 2'),
    ("proofs", '"checkpoint": "', '"checkpoint": "x'),
    ("proofs", '"hashes"', '"others"'),
    ("proofs", '"proofs"', '"others"'),
]


@pytest.mark.parametrize(("kind", "before", "after"), EDITS)
def test_an_edited_memory_is_refused(
    made: SmallRegistry, tmp_path: Path, kind: str, before: str, after: str
) -> None:
    made.decide("1.0.0", "approved")
    made.decide("1.1.0", "rejected")
    standing(made, tmp_path)
    made.is_down = True
    [file] = (memory(tmp_path).directory / kind).iterdir()
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")

    with pytest.raises(StorageError, match=r"was changed|is damaged"):
        standing(made, tmp_path)


@pytest.mark.parametrize("lost", ["proofs", "log"])
def test_a_memory_without_its_proofs_is_refused(made: SmallRegistry, tmp_path: Path, lost: str) -> None:
    made.decide("1.0.0", "approved")
    standing(made, tmp_path)
    made.is_down = True
    place = memory(tmp_path)
    [file] = [place.file] if lost == "log" else (place.directory / "proofs").iterdir()
    file.unlink()

    with pytest.raises(StorageError):
        standing(made, tmp_path)


def test_an_earlier_rejection_cannot_be_left_out_of_one_file(made: SmallRegistry, tmp_path: Path) -> None:
    made.decide("1.0.0", "approved")
    made.decide("1.0.0", "rejected", "Bob")
    standing(made, tmp_path)
    made.is_down = True
    [file] = (memory(tmp_path).directory / "approved").iterdir()
    document = json.loads(file.read_text(encoding="utf-8"))
    document["decisions"].pop()
    file.write_text(json.dumps(document), encoding="utf-8")

    with pytest.raises(StorageError, match="was changed"):
        standing(made, tmp_path)


def test_a_proof_that_does_not_hold_is_no_reason_to_use_memory(made: SmallRegistry, tmp_path: Path) -> None:
    made.decide("1.0.0", "approved")
    standing(made, tmp_path)
    made.lies["log/inclusion"] = lambda request: httpx.Response(200, json={"entry": "{}", "hashes": []})

    with pytest.raises(VerificationError):
        standing(made, tmp_path)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "a moment"), (1, "1 second"), (119, "1 minute"), (7200, "2 hours"), (86_400, "1 day")],
)
def test_ages_are_told_in_their_largest_unit(seconds: int, words: str) -> None:
    assert ago(timedelta(seconds=seconds)) == words

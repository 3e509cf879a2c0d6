"""Witnesses that a client asks for: what each signed last has to be how the log begins."""

import json
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from avow.core.keys import PrivateKey
from avow.core.tlog import notes
from avow.core.tlog.checkpoint import add_cosignature
from avow.core.tlog.notes import SignatureType, Signer
from avow.errors import SignatureError, UsageError, VerificationError
from avow.system.registry_client.contact import ForkError, meet
from avow.system.registry_client.transport import RefusedError
from avow.system.registry_client.witnessing import Witnessed, require_witnesses
from small_log import SmallLog
from small_registry import SmallRegistry, memory

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
SEEN = datetime(2026, 11, 15, 11, tzinfo=UTC)
ANN, BOB = (Signer(f"{name}.example", PrivateKey(name.encode() * 32)) for name in "ab")
KEYS = [each.verifier(SignatureType.WITNESS) for each in (ANN, BOB)]


def witnessed(registry: SmallRegistry, directory: Path, needed: int = 1) -> tuple[Witnessed, ...]:
    with registry.client() as client:
        contact = meet(client, memory(directory), NOW)
        return require_witnesses(client, memory(directory), contact, KEYS, needed, NOW)


def test_a_witness_counts_for_as_much_of_the_log_as_it_has_signed(tmp_path: Path) -> None:
    registry = SmallRegistry(SmallLog.of(9))
    registry.cosigned(registry.log.checkpoint(3), ANN, int(SEEN.timestamp()))
    registry.cosigned(registry.log.checkpoint(7), BOB, int(SEEN.timestamp()))

    assert witnessed(registry, tmp_path, 2) == (Witnessed(KEYS[1], 7, SEEN), Witnessed(KEYS[0], 3, SEEN))


def test_too_few_witnesses(tmp_path: Path) -> None:
    registry = SmallRegistry(SmallLog.of(9))
    assert witnessed(registry, tmp_path, 0) == ()
    registry.cosigned(registry.log.checkpoint(3), ANN, int(SEEN.timestamp()))

    assert [each.size for each in witnessed(registry, tmp_path)] == [3]
    with pytest.raises(VerificationError, match="1 of the 2 witnesses needed have signed"):
        witnessed(registry, tmp_path, 2)


def test_a_log_that_only_we_are_shown_is_found_out(tmp_path: Path) -> None:
    """The same key has signed both, and that is kept."""
    registry = SmallRegistry(SmallLog.of(9))
    other = SmallLog.of([b"other", *registry.log.entries[1:]])
    for size in (5, 9):
        registry.cosigned(other.checkpoint(size), ANN, int(SEEN.timestamp()))
        with pytest.raises(ForkError, match="DO NOT TRUST"):
            witnessed(registry, tmp_path)

    evidence = [json.loads(each.read_text()) for each in (memory(tmp_path).directory / "evidence").iterdir()]
    assert {each["shown"].splitlines()[1] for each in evidence} == {"5", "9"}


def test_a_signature_that_a_witness_did_not_make_is_no_signature(tmp_path: Path) -> None:
    registry = SmallRegistry(SmallLog.of(9))
    registry.cosigned(registry.log.checkpoint(3), ANN, 2**62)
    assert witnessed(registry, tmp_path, 0) == ()

    liar = Signer(ANN.name, PrivateKey(b"x" * 32))
    line = notes.cosign(notes.loads(registry.log.checkpoint()).text, liar, at=1)
    forged = notes.NoteSignature(ANN.name, KEYS[0].identifier, line.signature)
    note = add_cosignature(registry.log.checkpoint(), forged)
    registry.lies["log/cosigned"] = lambda request: httpx.Response(200, content=note)
    with pytest.raises(SignatureError, match="does not fit"):
        witnessed(registry, tmp_path)

    plain = registry.log.checkpoint()
    registry.lies["log/cosigned"] = lambda request: httpx.Response(200, content=plain)
    with pytest.raises(VerificationError, match="0 of the 1 witnesses needed"):
        witnessed(registry, tmp_path)


def test_who_may_not_ask_is_told(tmp_path: Path) -> None:
    registry = SmallRegistry(SmallLog.of(9))
    registry.lies["log/cosigned"] = lambda request: httpx.Response(401)
    with pytest.raises(RefusedError):
        witnessed(registry, tmp_path)


def test_the_key_of_a_log_is_not_that_of_a_witness(tmp_path: Path) -> None:
    registry = SmallRegistry(SmallLog.of(9))
    with registry.client() as client:
        contact = meet(client, memory(tmp_path), NOW)
        with pytest.raises(UsageError, match="is not that of a witness"):
            require_witnesses(client, memory(tmp_path), contact, [ANN.verifier()], 1, NOW)

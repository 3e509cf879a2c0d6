"""Our log in the hands of others: Go's checksum database, sigstore and pymerkle say what we say."""

import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from avow.core.tlog.hashing import leaf_hash
from small_log import SmallLog, served_at

SIZES = (1, 2, 3, 7, 8, 13, 256, 257, 600)
LOG = SmallLog.of(max(SIZES))
GO = shutil.which("go") or shutil.which("go", path=str(Path(sys.executable).parent))


def places(size: int) -> Iterator[int]:
    """Some entries of a log: the first, the last, and around the middle."""
    yield from sorted({0, size // 3, size // 2, size - 2, size - 1} & set(range(size)))


def damaged(data: bytes) -> bytes:
    return bytes([data[0] ^ 1]) + data[1:]


def test_sigstore_verifies_inclusion() -> None:
    """Its check takes an entry of its own log; the part about trees is what RFC 6962 says."""
    from sigstore._internal.merkle import verify_merkle_inclusion
    from sigstore.errors import VerificationError

    def check(index: int, size: int, body: bytes) -> None:
        proof = SimpleNamespace(
            log_index=index, tree_size=size, hashes=list(LOG.inclusion(index, size)), root_hash=LOG.root(size)
        )
        inner = SimpleNamespace(inclusion_proof=proof, canonicalized_body=body)
        entry: Any = SimpleNamespace(_inner=inner)
        verify_merkle_inclusion(entry)

    for size in SIZES:
        for index in places(size):
            check(index, size, LOG.entries[index])
            with pytest.raises(VerificationError):
                check(index, size, damaged(LOG.entries[index]))


def test_pymerkle_grows_the_same_tree_and_verifies_inclusion() -> None:
    pymerkle = pytest.importorskip("pymerkle")
    theirs = pymerkle.InmemoryTree(algorithm="sha256")
    for entry in LOG.entries:
        theirs.append_entry(entry)

    for size in SIZES:
        assert theirs.get_root(size) == LOG.root(size)
        for index in places(size):
            leaf, hashes = leaf_hash(LOG.entries[index]), LOG.inclusion(index, size)
            document = theirs.prove_inclusion(index + 1, size).serialize()
            document["path"] = [each.hex() for each in (leaf, *hashes)]
            ours = pymerkle.MerkleProof.deserialize(document)
            pymerkle.verify_inclusion(leaf, LOG.root(size), ours, index=index + 1, size=size)
            with pytest.raises(pymerkle.InvalidProof):
                pymerkle.verify_inclusion(damaged(leaf), LOG.root(size), ours)


@pytest.fixture(scope="module")
def verifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program of Go's own code, which every Go toolchain carries with it."""
    if GO is None:
        pytest.skip("Go is not installed")
    place = tmp_path_factory.mktemp("go")
    environment = {
        **os.environ,
        "GO111MODULE": "off",
        "GOFLAGS": "",
        "GOPATH": str(place),
        "GOPROXY": "off",
        "GOTOOLCHAIN": "local",
        "CGO_ENABLED": "0",
    }
    asked = subprocess.run([GO, "env", "GOROOT"], capture_output=True, text=True, env=environment, check=True)
    source = Path(asked.stdout.strip(), "src/cmd/vendor/golang.org/x")
    if not source.is_dir():
        pytest.skip(f"this Go has no {source}")
    (place / "src/golang.org").mkdir(parents=True)
    (place / "src/golang.org/x").symlink_to(source)
    program = place / "verifier"
    file = Path(__file__).with_name("tlog_verifier.go")
    subprocess.run([GO, "build", "-o", program, file], env=environment, check=True, timeout=300)
    return program


def ask(program: Path, questions: list[dict[str, Any]]) -> list[str]:
    lines = "\n".join(json.dumps({"Verifier": str(LOG.signer.verifier()), **each}) for each in questions)
    answered = subprocess.run([program], input=lines, capture_output=True, text=True, check=True, timeout=60)
    return [line.split(" ")[0] for line in answered.stdout.splitlines()]


def text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def inclusion(index: int, size: int, leaf: bytes) -> dict[str, Any]:
    return {
        "Ask": "inclusion",
        "Checkpoint": LOG.checkpoint(size).decode(),
        "Index": index,
        "Leaf": text(leaf_hash(leaf)),
        "Proof": [text(each) for each in LOG.inclusion(index, size)],
    }


def consistency(old: int, size: int, old_root: bytes) -> dict[str, Any]:
    return {
        "Ask": "consistency",
        "Checkpoint": LOG.checkpoint(size).decode(),
        "Old": old,
        "OldRoot": text(old_root),
        "Proof": [text(each) for each in LOG.consistency(old, size)],
    }


def test_go_verifies_checkpoints_and_inclusion(verifier: Path) -> None:
    pairs = [(index, size) for size in SIZES for index in places(size)]
    good = [inclusion(index, size, LOG.entries[index]) for index, size in pairs]
    bad = [inclusion(index, size, damaged(LOG.entries[index])) for index, size in pairs]
    forged = {**good[0], "Checkpoint": good[0]["Checkpoint"].replace("\n1\n", "\n2\n")}

    assert ask(verifier, good) == ["yes"] * len(pairs)
    assert ask(verifier, [*bad, forged]) == ["no"] * (len(pairs) + 1)


def test_go_verifies_consistency(verifier: Path) -> None:
    pairs = [(old, size) for size in SIZES for old in SIZES if old < size]
    good = [consistency(old, size, LOG.root(old)) for old, size in pairs]
    bad = [consistency(old, size, damaged(LOG.root(old))) for old, size in pairs]

    assert ask(verifier, good) == ["yes"] * len(pairs)
    assert ask(verifier, bad) == ["no"] * len(pairs)


@pytest.mark.parametrize("size", [1, 255, 256, 600])
def test_go_reads_our_tiles(verifier: Path, tmp_path: Path, size: int) -> None:
    for served in served_at(size):
        file = tmp_path / served.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(LOG.serve(served))
    question = {
        "Ask": "tiles",
        "Checkpoint": LOG.checkpoint(size).decode(),
        "Directory": str(tmp_path),
        "Entries": [text(entry) for entry in LOG.entries[:size]],
    }
    assert ask(verifier, [question]) == ["yes"]

    changed = next(file for file in sorted(tmp_path.glob("tile/0/**/*")) if file.is_file())
    changed.write_bytes(damaged(changed.read_bytes()))
    assert ask(verifier, [question]) == ["no"]

"""Signatures on disk: found again, never trusted, bounded, and shared by many processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from avow.client import cache
from avow.client.cache import SignatureCache, default_directory
from avow.core.capability import Signature
from conversations import ECHO, EVIL, TIME, signature

OTHER = "sha256:" + "0" * 64


def of(*names: str) -> Signature:
    return signature(tools=[{**ECHO, "name": name} for name in names])


def loaded(kept: SignatureCache, digest: str | None = None, identity: str = "a") -> str | None:
    found = kept.load(identity, digest)
    return None if found is None else found.signature.digest


def test_a_signature_is_found_by_its_digest_or_else_the_newest(tmp_path: Path) -> None:
    kept, first, second = SignatureCache(tmp_path), of("first"), of("second")
    assert loaded(kept) is None
    kept.store("a", first)
    os.utime(next(tmp_path.glob("*/*.json")), (1, 1))
    kept.store("a", second)

    assert loaded(kept, first.digest) == first.digest
    for unknown in (None, OTHER, "../../etc/passwd", "sha256:xyz"):
        assert loaded(kept, unknown) == second.digest
    assert loaded(kept, first.digest, identity="b") is None


def test_what_was_kept_reads_back_whole(tmp_path: Path) -> None:
    kept, whole = SignatureCache(tmp_path), signature()
    kept.store("a", whole)
    found = kept.load("a", None)
    assert found is not None
    assert (found.signature, found.open_kinds) == (whole, frozenset())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"{}",
        b'{"tools":[],"prompts":[],"resources":[],"resourceTemplates":[]}',
        b'{"tools":5,"prompts":[],"resources":[],"resourceTemplates":[]}',
        b'{"tools":[],"prompts":[],"resources":[],"resourceTemplates":[],"complete":false,"incomplete":["tools"]}',
        b"x" * (4 * 1024 * 1024 + 1),
    ],
    ids=["empty", "null", "nothing", "another signature", "no lists", "one that opens a kind", "too large"],
)
def test_a_file_that_is_not_what_its_name_says_is_not_there(data: bytes, tmp_path: Path) -> None:
    kept, whole = SignatureCache(tmp_path), signature()
    kept.store("a", whole)
    (file,) = tmp_path.glob("*/*.json")
    file.write_bytes(data)
    assert loaded(kept, whole.digest) is None


def test_only_the_newest_of_a_server_and_so_many_of_all_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = SignatureCache(tmp_path)
    for number in range(cache.PER_SERVER + 3):
        kept.store("a", of(f"t{number}"))
    assert len(list((tmp_path / "a").iterdir())) == cache.PER_SERVER

    monkeypatch.setattr(cache, "MAX_FILES", 5)
    for server in "bcdefg":
        kept.store(server, of("same"))
    assert len(list(tmp_path.glob("*/*.json"))) == 5

    monkeypatch.setattr(cache, "MAX_BYTES", 1)
    kept.store("h", of("same"))
    assert list(tmp_path.glob("*/*.json")) == []


def test_a_signature_beyond_the_limit_is_not_kept(tmp_path: Path) -> None:
    kept = SignatureCache(tmp_path)
    kept.store("a", signature(tools=[{**EVIL, "description": "x" * (4 * 1024 * 1024)}]))
    assert list(tmp_path.glob("*/*")) == []


def test_a_place_that_cannot_be_written_or_read_is_no_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = SignatureCache(tmp_path / "file")
    kept.store("a", signature())
    assert loaded(kept) is None


WRITER = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from avow.client.cache import SignatureCache
from avow.core.capability import Capability, Kind, Signature

kept = SignatureCache(Path(sys.argv[1]))
for number in range(15):
    tool = {"name": f"t{number % 3}", "inputSchema": {}, "description": "x" * 5000}
    signature = Signature.of([Capability.read(Kind.TOOL, tool)])
    kept.store("a", signature)
    found = kept.load("a", signature.digest)
    assert found is not None
    assert found.signature.digest == signature.digest
"""


def test_many_processes_share_one_cache(tmp_path: Path) -> None:
    """Whoever reads finds something whole, while others write."""
    command = [sys.executable, "-c", WRITER, str(tmp_path), *sys.path]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    troubles = [process.communicate(timeout=60)[1] for process in processes]
    assert [(process.returncode, trouble) for process, trouble in zip(processes, troubles, strict=True)] == [
        (0, "")
    ] * 2
    assert len(list((tmp_path / "a").iterdir())) == 3


def test_the_platform_says_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_directory().parts[-2:] == ("avow", "signatures")
    SignatureCache().store("a", signature(tools=[TIME]))
    assert len(list(default_directory().glob("a/*.json"))) == 1

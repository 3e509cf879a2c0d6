"""Lockfiles on disk: one writer at a time, and the old file whatever happens."""

import fcntl
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from avow.core.capability import Capability, Kind, Signature
from avow.core.lockfile import Entry, Lockfile, dumps
from avow.core.snapshot import Era, Snapshot
from avow.core.target import StdioTarget
from avow.errors import LockfileError, StorageError
from avow.system import lockfiles
from avow.system.lockfiles import read_lockfile, update_lockfile, write_lockfile


def demo(description: str = "Say it again.") -> Snapshot:
    echo = Capability.read(Kind.TOOL, {"name": "echo", "description": description})
    return Snapshot(StdioTarget("demo"), {"name": "demo"}, "2025-11-25", Era.LEGACY, {}, Signature.of([echo]))


LOCKFILE = Lockfile({"demo": Entry(demo())})


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "avow.lock"

    write_lockfile(path, LOCKFILE)

    assert read_lockfile(path) == LOCKFILE
    assert path.read_bytes() == dumps(LOCKFILE)


def test_a_missing_or_broken_lockfile_is_named_with_the_next_step(tmp_path: Path) -> None:
    path = tmp_path / "avow.lock"

    with pytest.raises(StorageError, match=r"avow\.lock") as missing:
        read_lockfile(path)
    assert "avow lock" in missing.value.hint

    path.write_bytes(b"{")
    with pytest.raises(LockfileError, match=r"avow\.lock"):
        read_lockfile(path)


def test_an_update_starts_from_what_is_there_or_from_nothing(tmp_path: Path) -> None:
    path = tmp_path / "avow.lock"

    first = update_lockfile(path, lambda lockfile: lockfile.approve("one", demo()))
    second = update_lockfile(path, lambda lockfile: lockfile.approve("two", demo()))

    assert set(first.servers) == {"one"}
    assert set(second.servers) == {"one", "two"}
    assert read_lockfile(path) == second
    assert [found.name for found in tmp_path.iterdir()] == ["avow.lock"]


def test_a_failed_update_leaves_the_old_lockfile(tmp_path: Path) -> None:
    path = tmp_path / "avow.lock"
    write_lockfile(path, LOCKFILE)

    def fail(lockfile: Lockfile) -> Lockfile:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        update_lockfile(path, fail)

    assert path.read_bytes() == dumps(LOCKFILE)
    assert [found.name for found in tmp_path.iterdir()] == ["avow.lock"]


def test_a_broken_lockfile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "avow.lock"
    path.write_bytes(b"precious")

    with pytest.raises(LockfileError):
        update_lockfile(path, lambda lockfile: lockfile)

    assert path.read_bytes() == b"precious"


APPROVE = """
    import sys
    from pathlib import Path
    from avow.system.lockfiles import read_lockfile, update_lockfile

    demo = read_lockfile(Path(sys.argv[1])).servers["demo"].snapshot
    update_lockfile(Path(sys.argv[1]), lambda lockfile: lockfile.approve(sys.argv[2], demo))
"""


def test_processes_that_lock_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "avow.lock"
    write_lockfile(path, LOCKFILE)
    script = textwrap.dedent(APPROVE)

    workers = [
        subprocess.Popen([sys.executable, "-c", script, path, f"server-{number}"]) for number in range(4)
    ]

    assert [worker.wait(60) for worker in workers] == [0] * 4
    assert set(read_lockfile(path).servers) == {"demo", *(f"server-{number}" for number in range(4))}
    assert [found.name for found in tmp_path.iterdir()] == ["avow.lock"]


def test_waiting_for_another_process_ends(tmp_path: Path) -> None:
    path = tmp_path / "avow.lock"
    held = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(StorageError, match="another process"):
            update_lockfile(path, lambda lockfile: lockfile, patience=0.1)
    finally:
        os.close(held)


def test_a_directory_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot write"):
        update_lockfile(tmp_path / "missing" / "avow.lock", lambda lockfile: lockfile)


def test_a_lockfile_in_an_impossible_place_is_named(tmp_path: Path) -> None:
    """Below a file, in place of a directory, or a link to itself."""
    file, loop = tmp_path / "file", tmp_path / "loop"
    file.touch()
    loop.symlink_to("loop")

    for path in (file / "avow.lock", tmp_path, loop):
        with pytest.raises(StorageError):
            update_lockfile(path, lambda lockfile: lockfile)


def test_a_file_system_without_locks_still_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some network file systems refuse to lock a directory; one writer is still better than none."""

    def unsupported(descriptor: int, operation: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    path = tmp_path / "avow.lock"

    update_lockfile(path, lambda lockfile: lockfile.approve("demo", demo()))

    assert read_lockfile(path) == LOCKFILE


def test_what_could_not_be_read_back_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "avow.lock"
    write_lockfile(path, LOCKFILE)
    monkeypatch.setattr(lockfiles, "MAXIMUM_SIZE", 100)

    with pytest.raises(LockfileError, match="nothing was written"):
        write_lockfile(path, Lockfile({"demo": Entry(demo("x" * 1000))}))

    assert path.read_bytes() == dumps(LOCKFILE)

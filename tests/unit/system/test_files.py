"""Reading with a limit, and writing whole or not at all."""

import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from avow.errors import StorageError
from avow.system.files import read_bounded, write_atomically


def test_a_file_is_read_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")

    assert read_bounded(path, 5) == b"12345"
    with pytest.raises(StorageError, match="larger than"):
        read_bounded(path, 4)


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    """A directory, nothing, a pipe that nobody writes to, a device without end: said at once."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    with pytest.raises(StorageError, match="is a directory"):
        read_bounded(tmp_path)
    with pytest.raises(StorageError, match="there is no file") as caught:
        read_bounded(tmp_path / "missing", if_missing="make one")
    assert caught.value.hint == "make one"
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(StorageError, match="not a regular file"):
            read_bounded(path)
    with pytest.raises(StorageError, match="cannot read"):
        read_bounded(Path("\0"))


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    before = len(list(Path("/dev/fd").iterdir()))
    for _ in range(20):
        with pytest.raises(StorageError):
            read_bounded(tmp_path)

    assert len(list(Path("/dev/fd").iterdir())) == before


def test_a_new_file_is_written_and_nothing_else(tmp_path: Path) -> None:
    write_atomically(tmp_path / "file", b"new")

    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"new")]


def test_permissions_stay_and_a_secret_file_can_ask_for_its_own(tmp_path: Path) -> None:
    kept, secret = tmp_path / "kept", tmp_path / "secret"
    kept.write_bytes(b"old")
    kept.chmod(0o640)

    write_atomically(kept, b"new")
    write_atomically(secret, b"new", mode=0o600)

    assert stat.S_IMODE(kept.stat().st_mode) == 0o640
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """Also one whose target is yet to be written."""
    (tmp_path / "real").write_bytes(b"old")
    link, dangling = tmp_path / "link", tmp_path / "dangling"
    link.symlink_to("real")
    dangling.symlink_to("later")

    write_atomically(link, b"new")
    write_atomically(dangling, b"new")

    assert link.is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
    assert (tmp_path / "later").read_bytes() == b"new"


def test_what_is_no_file_is_not_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    loop = tmp_path / "loop"
    loop.symlink_to("loop")

    with pytest.raises(StorageError, match="is a directory"):
        write_atomically(tmp_path, b"x")
    with pytest.raises(StorageError, match="not a regular file"):
        write_atomically(pipe, b"x")
    for path in (loop, tmp_path / "missing" / "file"):
        with pytest.raises(StorageError, match="cannot write"):
            write_atomically(path, b"x")


WRITE_TOO_MUCH = """
    import resource, signal, sys
    from pathlib import Path
    from avow.errors import StorageError
    from avow.system.files import write_atomically

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    try:
        write_atomically(Path(sys.argv[1]), b"n" * 100_000)
    except StorageError as error:
        print(error.message, "|", error.hint)
"""


def test_a_full_disk_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    """A real process that really cannot write more than a kilobyte."""
    path = tmp_path / "file"
    path.write_bytes(b"old")

    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(WRITE_TOO_MUCH), path],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "cannot write" in done.stdout
    assert "nothing was changed" in done.stdout
    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == [("file", b"old")]


def test_an_interrupt_in_the_middle_leaves_the_old_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while the new content is on its way to the disk."""
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def interrupted(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, b"new")

    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == [("file", b"old")]


def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    path = tmp_path / "file"
    path.touch(mode=0o000)

    with pytest.raises(StorageError, match="cannot read"):
        read_bounded(path)

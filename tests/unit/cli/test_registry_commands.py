"""Commands of the registry that need no registry, or one that does not behave."""

import io
import json
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from pathlib import Path

import pytest

from avow.cli.approvals import RegistryOptions
from avow.cli.main import run
from avow.core.publication import ServerName
from avow.errors import RegistryUnavailableError
from avow.system.registry_approvals import ask


class Screen(io.StringIO):
    """A terminal that remembers."""

    def isatty(self) -> bool:
        return True


def avow(*arguments: str, code: int = 0) -> str:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        ended = run(["registry", *arguments])
    assert ended == code, (ended, out.getvalue(), err.getvalue())
    return out.getvalue() + err.getvalue()


@pytest.fixture
def dripping() -> Iterator[str]:
    """A server that sends one byte of a header after another, as long as somebody reads."""
    over = threading.Event()

    def drip(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.recv(1000)
            connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            while not over.wait(0.02):
                connection.sendall(b"x")

    def serve(listening: socket.socket) -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=drip, args=(listening.accept()[0],)).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, args=(listening,))
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        over.set()
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.mark.parametrize(
    "command", [("search", "x"), ("history", "a.b/c"), ("verify", "--whole"), ("namespace", "show", "a.b")]
)
def test_no_command_waits_for_a_registry_that_drips(
    dripping: str, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.delenv("AVOW_REGISTRY_TOKEN", raising=False)
    monkeypatch.chdir(tmp_path)
    began = time.monotonic()

    said = avow(*command, "--registry", dripping, "--timeout", "0.3", code=2)

    assert f"the registry {dripping} answers too slowly" in said
    assert time.monotonic() - began < 10


def test_who_does_not_say_which_command_gets_an_explanation() -> None:
    """As with `avow` alone: a question, and no mistake."""
    assert "Usage: avow registry" in avow()
    assert "approvals" in avow()
    assert "Usage: avow registry token" in avow("token")


def test_a_misspelled_command_leads_to_the_one_that_was_meant() -> None:
    assert "did you mean `avow registry serve`?" in avow("sevre", code=2)
    assert "did you mean `avow registry token revoke`?" in avow("token", "revok", code=2)
    assert "see `avow registry --help`" in avow("xyz", code=2)


def test_what_looks_at_a_registry_makes_none(tmp_path: Path) -> None:
    """A directory that was misspelled is not an empty registry."""
    for command in ("export", "audit", "backup"):
        file = [str(tmp_path / "file")] if command == "backup" else []
        assert "there is no registry in" in avow(command, *file, "--data", str(tmp_path / "no"), code=2)
    assert list(tmp_path.iterdir()) == []


def test_an_audit_says_what_somebody_changed(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    (tmp_path / "empty.jsonl").write_text(
        '{"avow":1,"type":"export","environments":{"x":2},"checkpoint":null}'
    )
    avow("import", str(tmp_path / "empty.jsonl"), "--data", data)
    with closing(sqlite3.connect(tmp_path / "data" / "registry.sqlite")) as database, database:
        database.execute("UPDATE environments SET needed = 1")

    found = json.loads(avow("audit", "--data", data, "--format", "json", code=1))["problems"]

    assert any("environments" in each and "'x'" in each for each in found)


def test_who_watches_is_told_what_takes_so_long(
    dripping: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal only: a pipe gets the error at the end, and nothing else."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.delenv("AVOW_REGISTRY_TOKEN", raising=False)
    monkeypatch.setattr("avow.cli.registry.asking._PATIENCE", 0.05)
    command = ("search", "x", "--registry", dripping, "--timeout", "0.1")
    waiting = f"still asking {dripping} …\n"

    assert waiting not in avow(*command, code=2)
    with redirect_stderr(Screen()) as screen:
        assert run(["registry", *command]) == 2
    assert waiting in screen.getvalue()


def test_a_session_does_not_wait_long_for_a_silent_registry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes the connection and says nothing: an MCP client would give up before half a minute is over."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("avow.cli.approvals._SILENCE", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        held = RegistryOptions(url, "production", (), "", None, ())
        began = time.monotonic()
        with held.asking() as asking, pytest.raises(RegistryUnavailableError):
            ask(asking, ServerName("io.github.owner", "files"))

    assert time.monotonic() - began < 5


def test_what_cannot_be_imported_or_restored_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("{}\n")
    data = ("--data", str(tmp_path / "data"))

    for command in ("import", "restore"):
        assert "No such file" in avow(command, str(tmp_path / "nosuch"), *data, code=2)
    assert "not how an export begins" in avow("import", str(tmp_path / "file"), *data, code=2)
    assert "is not a backup of a registry" in avow("restore", str(tmp_path / "file"), *data, code=2)

    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_the_key_of_a_log_is_put_right_and_never_replaced(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (tmp_path / "empty.jsonl").write_text('{"avow":1,"type":"export","environments":{},"checkpoint":null}\n')
    avow("import", str(tmp_path / "empty.jsonl"), "--data", str(data))
    (data / "log.key").chmod(0o644)

    said = avow("audit", "--data", str(data), code=2)
    backup = avow("backup", str(tmp_path / "no" / "b"), "--data", str(data), code=2)

    assert "never replace it" in said
    assert "make a new key" not in said
    assert "cannot be written: No such file or directory\n" in backup
    assert ".avow-backup" not in backup

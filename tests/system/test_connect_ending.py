"""Servers that leave, keep silent or refuse to go: bounded waits, their own words, nothing left behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from avow.core.target import StdioTarget
from avow.errors import AvowError, ServerLaunchError, ServerTimeoutError
from avow.system.connect import ConnectOptions, ServerExitedError, observe, take_snapshot
from avow.system.connect.stdio import server_label
from avow.system.processes import end_process_group, kill_every_process_group, launch
from connect_helpers import SERVERS, look, sample


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


def is_gone_soon(pid: int) -> bool:
    """Whether a process that is not our child ends within moments; whoever inherits it has to reap it."""
    end = time.monotonic() + 5
    while is_running(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not is_running(pid)


@pytest.mark.parametrize(
    ("way", "code", "words"),
    [
        ("on_stderr", 3, "exited with code 3 before it had answered:\n  Error: SLACK_TOKEN is required"),
        ("on_stdout", 1, "exited with code 1 before it had answered:\n  Usage: server DIRECTORY"),
        ("without_a_word", 4, "exited with code 4 before it had answered and said nothing"),
        ("by_signal", -11, "was ended by signal 11 before it had answered and said nothing"),
        ("launcher", 1, "exited with code 1 before it had answered:\n  no such package"),
        (
            "middle",
            1,
            'exited with code 1 before it had answered:\n  out of memory\n  {"jsonrpc": "2.0", "id":',
        ),
    ],
)
def test_a_server_that_leaves_is_quoted(way: str, code: int, words: str) -> None:
    with pytest.raises(ServerExitedError) as caught:
        look("leaving", way)

    assert caught.value.message.endswith(words)
    assert "leaving.py" in caught.value.message
    assert caught.value.code == code


def test_a_server_that_closes_its_output_is_not_waited_for() -> None:
    with pytest.raises(ServerExitedError, match="closed its output"):
        look("leaving", "closing")


@pytest.mark.parametrize("way", ["deaf", "mute"])
def test_a_server_that_never_answers_is_left_in_time(way: str) -> None:
    start = time.monotonic()

    with pytest.raises(ServerTimeoutError, match="did not answer") as caught:
        look("leaving", way, timeout=1.0)

    assert time.monotonic() - start < 3
    assert ("waiting for the database" in caught.value.message) == (way == "deaf")


def test_secrets_in_a_servers_last_words_are_not_repeated() -> None:
    """It prints the token and its arguments, one of which holds a password."""
    target = sample("leaving", "telling", "--password=${PASSWORD}", env=("TOKEN",))
    options = ConnectOptions(env={"TOKEN": "s3cr3t-token", "PASSWORD": "hunter22"})

    with pytest.raises(ServerExitedError) as caught:
        take_snapshot(target, options)

    assert "cannot log in with [TOKEN] at ['--password=[PASSWORD]']" in caught.value.message
    assert "s3cr3t-token" not in repr(options)


def test_credentials_in_a_command_line_are_shown_by_nobody() -> None:
    """Neither where we name the server, nor where it prints its arguments back."""
    arguments = ("--auth-token", "dummy-1", "--api-key=s3cr3t", "postgres://me:hunter22@db/x?key=v4lue")
    told: list[str] = []
    options = ConnectOptions(env={"TOKEN": "s3cr3t-token"}, on_progress=told.append)

    with pytest.raises(ServerExitedError) as caught:
        take_snapshot(sample("leaving", "telling", *arguments), options)

    shown = "--auth-token *** --api-key=*** postgres://***@db/x?key=***"
    said = "['--auth-token', '[--auth-token]', '--api-key=[--api-key]', 'postgres://me:["
    assert server_label(StdioTarget("server", arguments)) == f"server {shown}"
    assert said in caught.value.message
    everything = "\n".join((caught.value.message, caught.value.output, *told))
    assert not [secret for secret in ("dummy-1", "s3cr3t", "hunter22", "v4lue") if secret in everything]


def test_values_that_a_client_filled_in_are_shown_as_it_wrote_them() -> None:
    """Nothing about the value itself gives it away; that it replaced a placeholder does."""
    target = sample("leaving", "telling", "--team=blue sky", "west end", env=("TOKEN",))
    written = sample("leaving", "telling", "--team=${input:team}", "{env:PLACE}", env=("TOKEN",))
    options = ConnectOptions(env={"TOKEN": "s3cr3t-token"}, shown=written)

    with pytest.raises(ServerExitedError) as caught:
        take_snapshot(target, options)

    assert "blue sky" not in caught.value.message
    assert "west end" not in caught.value.message
    assert "at ['--team=[input:team]', '[{env:PLACE}]']" in caught.value.message


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(ServerLaunchError, match="no program no-such-program") as caught:
        take_snapshot(StdioTarget("no-such-program"), ConnectOptions())

    assert "PATH" in caught.value.hint


def test_a_file_that_is_no_program_is_named(tmp_path: Path) -> None:
    script = tmp_path / "server.sh"
    script.write_text("echo hello\n")

    with pytest.raises(ServerLaunchError, match="cannot be executed"):
        take_snapshot(StdioTarget(str(script)), ConnectOptions())
    script.chmod(0o700)
    with pytest.raises(ServerLaunchError, match="cannot be started"):
        take_snapshot(StdioTarget(str(script)), ConnectOptions())


def test_a_directory_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ServerLaunchError, match="no directory"):
        take_snapshot(StdioTarget(sys.executable, cwd=str(tmp_path / "nowhere")), ConnectOptions())


def test_a_stubborn_server_and_its_children_are_ended(tmp_path: Path) -> None:
    """They ignore the end of their input and a polite signal; both are gone when we return."""
    look("leaving", "stubborn", str(tmp_path / "pids"))

    server, child = map(int, (tmp_path / "pids").read_text().split())
    assert not is_running(server)
    assert is_gone_soon(child)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody tells whose child a process is")
def test_children_in_groups_of_their_own_are_ended_too(tmp_path: Path) -> None:
    """As Node's detached children are: one is a child of the other, and both ignore the polite signal."""
    pids = tmp_path / "pids"
    program = (
        "import os, signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "depth = int(sys.argv[1])\n"
        "if depth:\n"
        "    again = [sys.executable, __file__, str(depth - 1), sys.argv[2]]\n"
        "    subprocess.Popen(again, start_new_session=True, stdin=subprocess.DEVNULL)\n"
        "open(sys.argv[2], 'a').write(f'{os.getpid()}\\n')\n"
        "time.sleep(60)\n"
    )
    script = tmp_path / "detaching.py"
    script.write_text(program)
    process = launch([sys.executable, str(script), "2", str(pids)], dict(os.environ), None)
    end = time.monotonic() + 10
    while not (pids.exists() and len(pids.read_text().splitlines()) == 3) and time.monotonic() < end:
        time.sleep(0.02)

    end_process_group(process)

    started = [int(line) for line in pids.read_text().splitlines()]
    assert len(started) == 3
    assert all(is_gone_soon(pid) for pid in started)


def test_an_interrupted_look_leaves_nothing_behind(tmp_path: Path) -> None:
    """Ctrl-C while a session is under way: the server and its child are ended."""
    pids = tmp_path / "pids"
    program = (
        "import sys\n"
        "from avow.core.target import StdioTarget\n"
        "from avow.system.connect import ConnectOptions, observe\n"
        "observe(StdioTarget(sys.executable, tuple(sys.argv[1:])), ConnectOptions(), thorough=True)\n"
    )
    script = str(SERVERS / "waiting.py")
    looking = subprocess.Popen([sys.executable, "-c", program, script, str(pids)], stderr=subprocess.PIPE)
    end = time.monotonic() + 10
    while not (pids.exists() and len(pids.read_text().splitlines()) == 2) and time.monotonic() < end:
        time.sleep(0.02)

    looking.send_signal(signal.SIGINT)
    _, errors = looking.communicate(timeout=10)

    assert b"KeyboardInterrupt" in errors
    started = [int(line) for line in pids.read_text().splitlines()]
    assert len(started) == 2
    assert all(is_gone_soon(pid) for pid in started)


def test_everything_can_be_ended_from_another_thread() -> None:
    """A program that looks at several servers at once ends them all when it is interrupted."""
    failures: list[AvowError] = []

    def look_and_fail() -> None:
        try:
            look("leaving", "mute", timeout=20.0)
        except AvowError as exc:
            failures.append(exc)

    threads = [threading.Thread(target=look_and_fail) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    start = time.monotonic()
    while any(thread.is_alive() for thread in threads) and time.monotonic() < start + 10:
        kill_every_process_group()
        time.sleep(0.05)

    assert [type(failure) for failure in failures] == [ServerExitedError, ServerExitedError]


def test_no_zombies_and_no_descriptors_stay() -> None:
    """Ten looks later, this process has as many open files and children as before."""
    look("plain")
    before = len(list(Path("/dev/fd").iterdir()))

    for _ in range(10):
        observe(sample("plain"), ConnectOptions(), thorough=False)

    assert len(list(Path("/dev/fd").iterdir())) == before
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)

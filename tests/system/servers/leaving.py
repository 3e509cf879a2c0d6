"""Servers that do not stay, do not answer, or do not leave. The first argument says which."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from plain import handle, messages, write


def on_stderr() -> None:
    print("\x1b[31mError:\x1b[0m SLACK_TOKEN is required", file=sys.stderr)
    sys.exit(3)


def on_stdout() -> None:
    write("Usage: server DIRECTORY\n")
    sys.exit(1)


def without_a_word() -> None:
    sys.exit(4)


def by_signal() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def telling() -> None:
    """Leaves, and takes a secret along into its last words."""
    print(f"cannot log in with {os.environ['TOKEN']} at {sys.argv[2:]}", file=sys.stderr)
    sys.exit(1)


def closing() -> None:
    """Closes its output and stays."""
    os.close(1)
    time.sleep(60)


def deaf() -> None:
    """Reads nothing and says nothing, but for a line of log."""
    print("waiting for the database", file=sys.stderr, flush=True)
    time.sleep(60)


def mute() -> None:
    """Reads everything and says nothing."""
    for _ in messages():
        pass


def middle() -> None:
    """Leaves in the middle of an answer."""
    for message in messages():
        if message.get("method") == "tools/list":
            write('{"jsonrpc": "2.0", "id":')
            sys.exit("out of memory")
        handle(message)


def stubborn() -> None:
    """Ignores everything that asks it to leave, and has a child that does the same."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, "-c", _STUBBORN_CHILD])
    Path(sys.argv[2]).write_text(f"{os.getpid()} {child.pid}")
    for message in messages():
        handle(message)
    time.sleep(60)


def launcher() -> None:
    """Leaves with an error while a child still holds its streams open."""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"])
    sys.exit("no such package")


_STUBBORN_CHILD = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)"

if __name__ == "__main__":
    globals()[sys.argv[1]]()

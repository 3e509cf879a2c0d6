"""What `avow check` adds to a server's own time from its start to its list of tools.

A bare client and the whole `avow check` process take turns, on the server of this directory and on
any other whose command is given as arguments: `benchmarks/check.py node server.js`.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
AVOW = [sys.executable, "-m", "avow"]
# Compiled modules may be kept, as they are for every user after the first run.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
ROUNDS = 15
ALLOWED = 150.0

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


def start_to_list(command: list[str], directory: str) -> float:
    """The milliseconds until a bare client has the tools; ending the server is not counted."""
    began = time.perf_counter()
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=directory,
        env=ENVIRONMENT,
    ) as process:
        assert process.stdin
        assert process.stdout

        def send(message: dict[str, object]) -> None:
            assert process.stdin
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            process.stdin.flush()

        def wait_for(number: int) -> None:
            assert process.stdout
            while not is_answer(process.stdout.readline(), number):
                pass

        send({"id": 1, "method": "initialize", "params": HELLO})
        wait_for(1)
        send({"method": "notifications/initialized"})
        send({"id": 2, "method": "tools/list"})
        wait_for(2)
        taken = (time.perf_counter() - began) * 1_000
        process.kill()
    return taken


def is_answer(line: bytes, number: int) -> bool:
    if not line:
        raise SystemExit("the server left before it had answered")
    try:
        message = json.loads(line)
    except ValueError:
        return False
    return isinstance(message, dict) and message.get("id") == number and "result" in message


def avow(*arguments: str, directory: str) -> float:
    """The milliseconds that a whole `avow` process takes."""
    began = time.perf_counter()
    done = subprocess.run(
        [*AVOW, *arguments], cwd=directory, env=ENVIRONMENT, capture_output=True, check=False, text=True
    )
    if done.returncode != 0:
        raise SystemExit(done.stdout + done.stderr)
    return (time.perf_counter() - began) * 1_000


def measure(title: str, command: list[str]) -> bool:
    """Print the line for one server; whether the bar was met, by the least disturbed of all rounds."""
    bare, checked = [], []
    with tempfile.TemporaryDirectory() as directory:
        avow("lock", "--yes", "--name", "server", "--", *command, directory=directory)
        for number in range(ROUNDS + 1):
            pair = start_to_list(command, directory), avow("check", directory=directory)
            if number:  # the first one may have to compile
                bare.append(pair[0])
                checked.append(pair[1])
    best, middle = min(checked) - min(bare), statistics.median(checked) - statistics.median(bare)
    figures = (min(bare), min(checked), best, statistics.median(bare), statistics.median(checked), middle)
    print(f"{title[-30:]:<32}" + "".join(f"{figure:>11.1f}" for figure in figures), flush=True)
    return best <= ALLOWED


def main() -> int:
    """Compare the best rounds, and show the medians beside them."""
    columns = ("list, best", "check", "added", "median", "check", "added")
    print(f"{'milliseconds':<32}" + "".join(f"{column:>11}" for column in columns))
    good = [measure("a server that starts at once", [sys.executable, str(HERE / "echo_server.py")])]
    if sys.argv[1:]:
        good.append(measure(" ".join(sys.argv[1:]), sys.argv[1:]))
    print(f"allowed: {ALLOWED:.0f} added")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())

"""What `avow run` adds to a session, against the same server bare and behind a plain byte relay.

All ways are measured in turns within one run, so that a noisy machine is noisy for each of them. Other
proxies are measured beside them: `--peer NAME=COMMAND`, where the server's command is put at the end, or
where `{config}` stands for a client configuration that names the server. `--start NAME=COMMAND` measures the
start of another server too, bare and behind `avow run`: most take far longer than the one used here.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
SERVER = [sys.executable, str(HERE / "echo_server.py")]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
ROUNDS = 15
ROUNDS_OF_PEERS = 3

BARS = {
    "small call, added": 2.0,
    "64 in flight, throughput": 0.4,
    "25 KB list": 5.0,
    "1 MB result": 1.3,
    "start, added (ms)": 100.0,
    "resident (MB)": 40.0,
}
TIMES_FASTER_THAN_PEERS = 5.0


class Session:
    """A session with a server, however it was started."""

    def __init__(self, command: list[str], directory: str) -> None:
        began = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=directory,
            # Others keep what they learn in the user's home; this is none.
            env={**ENVIRONMENT, "HOME": directory},
            bufsize=0,
        )
        assert self.process.stdin
        assert self.process.stdout
        self.out = self.process.stdin.fileno()
        self.into = self.process.stdout.fileno()
        hello = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "b", "version": "1"},
        }
        self.ask([json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}).encode()])
        os.write(self.out, b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        self.ask([b'{"jsonrpc":"2.0","id":"l","method":"tools/list"}'])
        self.started = time.perf_counter() - began

    def ask(self, lines: list[bytes]) -> float:
        """Send requests at once and wait for as many answers; the seconds it took."""
        began = time.perf_counter()
        os.write(self.out, b"\n".join(lines) + b"\n")
        left = len(lines)
        while left:
            if not (data := os.read(self.into, 1 << 20)):
                raise EOFError("the connection ended")
            left -= data.count(b"\n")
        return time.perf_counter() - began

    def resident(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def end(self) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def call(number: int, name: str = "echo", **arguments: object) -> bytes:
    params = {"name": name, "arguments": {"text": "hello", **arguments}}
    request = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    return json.dumps(request, separators=(",", ":")).encode()


def small(session: Session) -> float:
    return statistics.median(session.ask([call(number)]) for number in range(300))


def burst(session: Session) -> float:
    lines = [call(number) for number in range(64)]
    return sum(session.ask(lines) for _ in range(20)) / (64 * 20)


def listing(session: Session) -> float:
    line = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    return statistics.median(session.ask([line]) for _ in range(60))


def large(session: Session) -> float:
    return statistics.median(session.ask([call(1, "big", size=1 << 20)]) for _ in range(8))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--start", action="append", default=[], metavar="NAME=COMMAND")
    given = parser.parse_args()
    others = dict(option.split("=", 1) for option in given.peer)
    real = dict(option.split("=", 1) for option in given.start)
    with tempfile.TemporaryDirectory() as directory:
        avow = [sys.executable, "-m", "avow"]
        for name, command in {
            "echo": SERVER,
            **{name: shlex.split(text) for name, text in real.items()},
        }.items():
            lock = [*avow, "lock", "--yes", "--name", name, "--", *command]
            subprocess.run(lock, cwd=directory, env=ENVIRONMENT, check=True, capture_output=True)
        ways = {
            "bare": SERVER,
            "byte relay": [sys.executable, str(HERE / "byte_relay.py"), *SERVER],
            "avow run": [*avow, "run", "echo"],
        } | {name: command_of(text, directory) for name, text in others.items()}
        Session(ways["avow run"], directory).end()
        measured, resident = measure(ways, directory)
        measured["start"] = starts(ways, directory)
        added = {
            name: starts({"bare": shlex.split(text), "avow run": [*avow, "run", name]}, directory)
            for name, text in real.items()
        }
    return report(measured, resident, list(others), added)


def command_of(text: str, directory: str) -> list[str]:
    if "{config}" not in text:
        return [*shlex.split(text), *SERVER]
    path = Path(directory, "mcp.json")
    path.write_text(
        json.dumps({"mcpServers": {"echo": {"command": SERVER[0], "args": SERVER[1:]}}}), encoding="utf-8"
    )
    return [word.replace("{config}", str(path)) for word in shlex.split(text)]


def measure(ways: dict[str, list[str]], directory: str) -> tuple[dict[str, dict[str, float]], float]:
    """The best figure of each test for each way, and the megabytes of `avow run` after them all."""
    measured: dict[str, dict[str, float]] = {}
    sessions = {way: Session(command, directory) for way, command in ways.items()}
    for name, test in TESTS.items():
        times: dict[str, list[float]] = {way: [] for way in sessions}
        for turn in range(ROUNDS):
            for way, session in sessions.items():
                if turn < ROUNDS_OF_PEERS or way in OWN:
                    times[way].append(test(session))
        measured[name] = {way: min(taken) for way, taken in times.items()}
    resident = sessions["avow run"].resident()
    for session in sessions.values():
        session.end()
    return measured, resident


def starts(ways: dict[str, list[str]], directory: str) -> dict[str, float]:
    """From the start of the process to the first list."""
    started: dict[str, list[float]] = {way: [] for way in ways}
    for turn in range(STARTS):
        for way, command in ways.items():
            if turn < ROUNDS_OF_PEERS or way in OWN:
                session = Session(command, directory)
                started[way].append(session.started)
                session.end()
    return {way: min(taken) for way, taken in started.items()}


def report(
    measured: dict[str, dict[str, float]],
    resident: float,
    others: list[str],
    real: dict[str, dict[str, float]],
) -> int:
    print(f"{'':16}" + "".join(f"{way:>15}" for way in measured["start"]) + "   (microseconds, the best)")
    for name, ways in measured.items():
        print(f"{name:16}" + "".join(f"{seconds * 1e6:15.1f}" for seconds in ways.values()))
    small_call, start = measured["small call"], measured["start"]
    added = {way: seconds - small_call["bare"] for way, seconds in small_call.items()}
    figures = {
        "small call, added": added["avow run"] / added["byte relay"],
        "64 in flight, throughput": measured["64 in flight"]["byte relay"]
        / measured["64 in flight"]["avow run"],
        "25 KB list": measured["25 KB list"]["avow run"] / measured["25 KB list"]["byte relay"],
        "1 MB result": measured["1 MB result"]["avow run"] / measured["1 MB result"]["byte relay"],
        "start, added (ms)": (start["avow run"] - start["bare"]) * 1000,
        "resident (MB)": resident,
    }
    for name, start in real.items():
        figures[f"start of {name}, added (ms)"] = (start["avow run"] - start["bare"]) * 1000
        print(
            f"{name}: starts in {start['bare'] * 1000:.0f} ms, behind avow run {start['avow run'] * 1000:.0f}"
        )
    missed = 0
    for name, figure in figures.items():
        bar = BARS["start, added (ms)" if name.startswith("start") else name]
        missed += not shown(name, figure, bar, figure >= bar if "throughput" in name else figure <= bar)
    for name in others:
        figure = added[name] / added["avow run"]
        bar = TIMES_FASTER_THAN_PEERS
        missed += not shown(f"{name} adds, times ours", figure, bar, figure >= bar)
    return 1 if missed else 0


def shown(name: str, figure: float, bar: float, met: bool) -> bool:
    print(f"{name:36}{figure:9.2f}   bar {bar:6.2f}   {'met' if met else 'MISSED'}")
    return met


TESTS = {"small call": small, "64 in flight": burst, "25 KB list": listing, "1 MB result": large}
OWN = frozenset({"bare", "byte relay", "avow run"})
STARTS = 10


if __name__ == "__main__":
    raise SystemExit(main())

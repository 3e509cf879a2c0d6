"""What `avow run` adds to a session, against the same server bare and behind a plain byte relay.

All ways are measured in turns within one run, so that a noisy machine is noisy for each of them.
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
SERVER = [sys.executable, str(HERE / "echo_server.py")]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
ROUNDS = 15

BARS = {
    "small call, added": 2.0,
    "64 in flight, throughput": 0.4,
    "25 KB list": 5.0,
    "1 MB result": 1.3,
    "start, added (ms)": 100.0,
    "resident (MB)": 40.0,
}


class Peer:
    """A session with a server, however it was started."""

    def __init__(self, command: list[str], directory: str) -> None:
        began = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=directory,
            env=ENVIRONMENT,
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
            left -= os.read(self.into, 1 << 20).count(b"\n")
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


def small(peer: Peer) -> float:
    return statistics.median(peer.ask([call(number)]) for number in range(300))


def burst(peer: Peer) -> float:
    lines = [call(number) for number in range(64)]
    return sum(peer.ask(lines) for _ in range(20)) / (64 * 20)


def listing(peer: Peer) -> float:
    line = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    return statistics.median(peer.ask([line]) for _ in range(60))


def large(peer: Peer) -> float:
    return statistics.median(peer.ask([call(1, "big", size=1 << 20)]) for _ in range(8))


def main() -> int:
    with tempfile.TemporaryDirectory() as directory:
        avow = [sys.executable, "-m", "avow"]
        lock = [*avow, "lock", "--yes", "--name", "echo", "--", *SERVER]
        subprocess.run(lock, cwd=directory, env=ENVIRONMENT, check=True, capture_output=True)
        ways = {
            "bare": SERVER,
            "byte relay": [sys.executable, str(HERE / "byte_relay.py"), *SERVER],
            "avow run": [*avow, "run", "echo"],
        }
        Peer(ways["avow run"], directory).end()
        peers = {way: Peer(command, directory) for way, command in ways.items()}
        started = {way: [peer.started] for way, peer in peers.items()}
        measured: dict[str, dict[str, float]] = {}
        tests = {
            "small call": small,
            "64 in flight": burst,
            "25 KB list": listing,
            "1 MB result": large,
        }
        for name, test in tests.items():
            times: dict[str, list[float]] = {way: [] for way in peers}
            for _ in range(ROUNDS):
                for way, peer in peers.items():
                    times[way].append(test(peer))
            measured[name] = {way: min(taken) for way, taken in times.items()}
        resident = peers["avow run"].resident()
        for peer in peers.values():
            peer.end()
        for _ in range(6):
            for way, command in ways.items():
                peer = Peer(command, directory)
                started[way].append(peer.started)
                peer.end()
    measured["start"] = {way: min(taken) for way, taken in started.items()}
    return report(measured, resident)


def report(measured: dict[str, dict[str, float]], resident: float) -> int:
    print(f"{'':16}{'bare':>12}{'byte relay':>12}{'avow run':>12}   (microseconds, best of {ROUNDS} rounds)")
    for name, ways in measured.items():
        print(f"{name:16}" + "".join(f"{seconds * 1e6:12.1f}" for seconds in ways.values()))
    small_call, start = measured["small call"], measured["start"]
    figures = {
        "small call, added": (small_call["avow run"] - small_call["bare"])
        / (small_call["byte relay"] - small_call["bare"]),
        "64 in flight, throughput": measured["64 in flight"]["byte relay"]
        / measured["64 in flight"]["avow run"],
        "25 KB list": measured["25 KB list"]["avow run"] / measured["25 KB list"]["byte relay"],
        "1 MB result": measured["1 MB result"]["avow run"] / measured["1 MB result"]["byte relay"],
        "start, added (ms)": (start["avow run"] - start["bare"]) * 1000,
        "resident (MB)": resident,
    }
    missed = 0
    for name, figure in figures.items():
        bar = BARS[name]
        met = figure >= bar if "throughput" in name else figure <= bar
        missed += not met
        print(f"{name:28}{figure:9.2f}   bar {bar:6.2f}   {'met' if met else 'MISSED'}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())

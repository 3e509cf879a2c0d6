"""`avow run` under a test's hands: a client that writes and reads one line at a time."""

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

from project import Project

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
RESULT = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "serverInfo": {"name": "small", "version": "1"},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Session:
    """`avow run` under our hands, one line at a time."""

    def __init__(self, project: Project, *arguments: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "avow", "run", *arguments],
            cwd=project.directory,
            env={**os.environ, "HOME": str(project.directory), **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.most_memory = 0
        Thread(target=self._watch, daemon=True).start()

    def send(self, *messages: dict[str, Any] | bytes) -> None:
        assert self.process.stdin
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode()
            self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def shake_hands(self) -> dict[str, Any]:
        self.send(INITIALIZE)
        answer = self.receive()
        self.send(INITIALIZED)
        return answer

    def call(self, number: int, name: str, **arguments: Any) -> dict[str, Any]:
        params = {"name": name, "arguments": arguments}
        self.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
        return self.receive()

    def write(self, data: bytes) -> None:
        """Hand over bytes as they are, for as long as somebody takes them."""
        assert self.process.stdin
        with suppress(BrokenPipeError):
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def memory(self, member: str = "VmRSS") -> int:
        """How many kilobytes the process holds now; 0 when it is gone."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        except (FileNotFoundError, ProcessLookupError):
            return 0
        return int(status.split(f"{member}:")[1].split()[0]) if f"{member}:" in status else 0

    def _watch(self) -> None:
        """Notice how much memory it takes at most, and end what would keep a test waiting for ever."""
        deadline = time.monotonic() + 60
        while is_running(str(self.process.pid)):
            self.most_memory = max(self.most_memory, self.memory("VmHWM"))
            if time.monotonic() > deadline:
                self.process.kill()
            time.sleep(0.01)

    def end(self) -> None:
        """Leave nothing running, whatever happened."""
        if self.process.poll() is None:
            self.process.kill()
        with suppress(BrokenPipeError, ValueError):
            self.process.communicate()

    def leave(self) -> tuple[int, list[dict[str, Any]]]:
        """Close the connection; return the exit code and the events."""
        _, errors = self.process.communicate(timeout=20)
        lines = [line for line in errors.splitlines() if line.startswith(b"{")]
        return self.process.returncode, [json.loads(line) for line in lines]


def is_running(pid: str) -> bool:
    """Whether a process runs; one that is dead and not yet reaped by its adoptive parent does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"

"""How SDK clients end a server: they close its input, wait two seconds, ask it to terminate, then kill it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(os.environ.get("AVOW_REAL") != "1", reason="AVOW_REAL is not 1"),
]

SERVER = """
import json, os, signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: (time.sleep(0.5), sys.exit()))
request = json.loads(sys.stdin.readline())
server = {"name": str(os.getpid()), "version": "1"}
result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": server}
print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
time.sleep(30)
"""
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


@pytest.mark.parametrize(
    "seconds",
    [0.5, 2.15],
)
def test_no_server_stays_behind_when_its_client_loses_patience(tmp_path: Path, seconds: float) -> None:
    """The server neither notices that its input has ended nor leaves at once when it is asked to."""
    process = subprocess.Popen(
        [sys.executable, "-m", "avow", "run", "--", sys.executable, "-c", SERVER],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
    process.stdin.flush()
    server = int(json.loads(process.stdout.readline())["result"]["serverInfo"]["name"])

    process.stdin.close()
    time.sleep(seconds)
    process.send_signal(signal.SIGTERM)
    process.wait(10)
    process.stdout.close()

    left = is_running(server)
    if left:
        os.kill(server, signal.SIGKILL)
    assert not left


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"

"""`avow run` between peers that are slow, greedy, sudden or endless: nothing is lost, and nothing grows."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from project import Project
from run_sessions import INITIALIZE, INITIALIZED, Session, is_running

# The rest of a server: it says who it is and what it has, and leaves the calls to `called`.
SERVER = """
import json, os, sys, time

def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")) + "\\n")
    sys.stdout.flush()

def main(called):
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request["method"] == "initialize":
            server = {"name": "odd", "version": "1"}
            result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": server}
            send(id=request["id"], result=result)
        elif request["method"] == "tools/list":
            send(id=request["id"], result={"tools": [{"name": "go", "inputSchema": {"type": "object"}}]})
        elif request["method"] == "tools/call":
            called(request["id"], request["params"].get("arguments", {}))
"""

# Less than what each of these sends, and more than what the program itself needs.
FEW_KILOBYTES = 80_000
LIMIT = 64 * 1024 * 1024


@pytest.fixture
def sessions() -> Iterator[list[Session]]:
    """Whatever a test starts is ended, even when the test fails."""
    opened: list[Session] = []
    yield opened
    for session in opened:
        session.end()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def started(project: Project, sessions: list[Session], behaviour: str) -> Session:
    """A session with a server that does this when it is called, after the handshake."""
    (project.directory / "odd.py").write_text(SERVER + behaviour, encoding="utf-8")
    session = Session(project, "--", sys.executable, "odd.py")
    sessions.append(session)
    session.shake_hands()
    session.send({"jsonrpc": "2.0", "id": "list", "method": "tools/list"})
    assert session.receive()["id"] == "list"
    return session


def call(number: int, **arguments: Any) -> dict[str, Any]:
    params = {"name": "go", "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def test_a_thousand_requests_in_flight_are_answered_in_the_order_of_the_server(
    project: Project, sessions: list[Session]
) -> None:
    """The server waits for the last one, and then begins with it."""
    session = started(
        project,
        sessions,
        "waiting = []\n"
        "def called(number, arguments):\n"
        "    waiting.append(number)\n"
        "    if len(waiting) == 1000:\n"
        "        for number in reversed(waiting):\n"
        "            send(id=number, result={'number': number})\n"
        "main(called)\n",
    )

    session.send(*(call(number) for number in range(1000)))
    answers = [session.receive() for _ in range(1000)]

    assert [answer["id"] for answer in answers] == list(reversed(range(1000)))
    assert all(answer["result"]["number"] == answer["id"] for answer in answers)


def test_a_client_that_does_not_read_for_a_while_loses_nothing(
    project: Project, sessions: list[Session]
) -> None:
    session = started(
        project,
        sessions,
        "def called(number, arguments):\n"
        "    for step in range(2000):\n"
        "        params = {'progress': step, 'message': 'x' * 60_000}\n"
        "        send(method='notifications/progress', params=params)\n"
        "    send(id=number, result={})\n"
        "main(called)\n",
    )

    session.send(call(1))
    time.sleep(1)
    held = session.memory()
    received = [session.receive() for _ in range(2001)]

    assert held < FEW_KILOBYTES
    assert [message["params"]["progress"] for message in received[:-1]] == list(range(2000))
    assert received[-1]["id"] == 1
    assert session.most_memory < FEW_KILOBYTES


def test_a_server_that_does_not_read_for_a_while_gets_everything(
    project: Project, sessions: list[Session]
) -> None:
    session = started(
        project,
        sessions,
        "def called(number, arguments):\n"
        "    if number == 0: time.sleep(1)\n"
        "    send(id=number, result={'size': len(arguments['text'])})\n"
        "main(called)\n",
    )
    writing = Thread(
        target=session.send, args=[call(number, text="x" * 100_000 + "y" * number) for number in range(1000)]
    )

    writing.start()
    time.sleep(0.8)
    held = session.memory()
    answers = [session.receive() for _ in range(1000)]
    writing.join(timeout=20)

    assert held < FEW_KILOBYTES
    assert [answer["id"] for answer in answers] == list(range(1000))
    assert [answer["result"]["size"] for answer in answers] == [100_000 + number for number in range(1000)]


def test_a_request_beyond_the_limit_ends_the_session_with_a_reason(
    project: Project, sessions: list[Session]
) -> None:
    session = started(project, sessions, "main(lambda number, arguments: send(id=number, result={}))\n")
    begun = json.dumps(call(7))[:-3].encode()
    writing = Thread(target=session.write, args=[begun + b'"text":"' + b"x" * (LIMIT + 1024 * 1024)])

    writing.start()
    answer = session.receive()
    writing.join(timeout=20)
    code, events = session.leave()

    assert answer["id"] is None
    assert f"larger than {LIMIT} bytes" in answer["error"]["message"]
    assert "message_too_long" in {event["event"] for event in events}
    assert code == 2
    assert session.most_memory < FEW_KILOBYTES + LIMIT // 1024


def test_an_answer_beyond_the_limit_becomes_an_error(project: Project, sessions: list[Session]) -> None:
    session = started(
        project,
        sessions,
        "def called(number, arguments):\n"
        f"    send(id=number, result={{'text': 'x' * {LIMIT + 1024 * 1024}}})\n"
        "main(called)\n",
    )

    answer = session.call(7, "go")
    code, events = session.leave()

    assert answer["id"] == 7
    assert f"larger than {LIMIT} bytes" in answer["error"]["message"]
    assert "server_gone" in {event["event"] for event in events}
    assert code == 2
    assert session.most_memory < FEW_KILOBYTES + LIMIT // 1024


def test_messages_may_come_one_byte_at_a_time(project: Project, sessions: list[Session]) -> None:
    session = started(
        project,
        sessions,
        "def called(number, arguments):\n"
        "    line = json.dumps({'jsonrpc': '2.0', 'id': number, 'result': arguments}) + '\\n'\n"
        "    for byte in line.encode():\n"
        "        os.write(1, bytes([byte]))\n"
        "main(called)\n",
    )

    for byte in json.dumps(call(1, text="héllo"), ensure_ascii=False).encode() + b"\n":
        session.write(bytes([byte]))

    assert session.receive() == {"jsonrpc": "2.0", "id": 1, "result": {"text": "héllo"}}


def test_several_messages_may_come_in_one_piece_that_ends_in_the_middle_of_another(
    project: Project, sessions: list[Session]
) -> None:
    session = started(
        project, sessions, "main(lambda number, arguments: send(id=number, result=arguments))\n"
    )
    first, second, third = (json.dumps(call(number, text="x" * 40_000)).encode() for number in (1, 2, 3))

    session.write(first + b"\n\n" + second + b"\n" + third[:30_000])
    early = [session.receive()["id"] for _ in range(2)]
    session.write(third[30_000:] + b"\n")

    assert early == [1, 2]
    assert session.receive()["result"] == {"text": "x" * 40_000}


CLIENT = """
import json, os, signal, subprocess, sys
server = subprocess.Popen(json.loads(sys.argv[1]), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for line in json.loads(sys.argv[2]):
    server.stdin.write(json.dumps(line).encode() + b"\\n")
server.stdin.flush()
server.stdout.readline()
print(server.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_nothing_stays_behind_when_the_client_is_killed(project: Project) -> None:
    """Not even a server that is busy, and a child of its own."""
    behaviour = (
        "import subprocess\n"
        "def called(number, arguments):\n"
        "    child = subprocess.Popen(['sleep', '60'])\n"
        "    open('pids', 'w').write(f'{os.getpid()} {child.pid}')\n"
        "    send(id=number, result={})\n"
        "    time.sleep(60)\n"
        "main(called)\n"
    )
    (project.directory / "odd.py").write_text(SERVER + behaviour, encoding="utf-8")
    command = [sys.executable, "-m", "avow", "run", "--", sys.executable, "odd.py"]

    client = subprocess.run(
        [sys.executable, "-c", CLIENT, json.dumps(command), json.dumps([INITIALIZE, INITIALIZED, call(2)])],
        cwd=project.directory,
        stdout=subprocess.PIPE,
        check=False,
        timeout=30,
    )
    pids_file = project.directory / "pids"
    gate = client.stdout.decode().split()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and any(map(is_running, gate)):
        time.sleep(0.05)

    assert client.returncode == -9
    everyone = gate + (pids_file.read_text(encoding="utf-8").split() if pids_file.exists() else [])
    assert [pid for pid in everyone if is_running(pid)] == []

"""`avow run` between a real client and real servers: the official SDK on one side, processes on the other."""

import json
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters

from changes import APPROVED, POISONED, SHELL
from connect_helpers import SERVERS
from project import Project
from run_sessions import INITIALIZE, INITIALIZED, RESULT, Session, is_running


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture(scope="module")
def sums(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A server on the official SDK, locked."""
    project = Project(tmp_path_factory.mktemp("sums"))
    project.lock("sums", sys.executable, str(SERVERS / "sums.py"))
    return project


@pytest.fixture
def sessions() -> Iterator[list[Session]]:
    """Whatever a test starts is ended, even when the test fails."""
    opened: list[Session] = []
    yield opened
    for session in opened:
        session.end()


def conversation(parameters: StdioServerParameters, mode: Any) -> dict[str, Any]:
    """Everything a client can learn from the server, as the SDK sees it."""

    async def talk() -> dict[str, Any]:
        with anyio.fail_after(60):
            async with Client(parameters, mode=mode) as client:
                results = {
                    "tools": await client.list_tools(),
                    "prompts": await client.list_prompts(),
                    "templates": await client.list_resource_templates(),
                    "sum": await client.call_tool("add", {"a": 2, "b": 3}),
                    "progress": await client.call_tool("ask", {}),
                    "prompt": await client.get_prompt("greet", {"name": "Ada"}),
                    "note": await client.read_resource("notes://today"),
                }
                return {
                    "version": client.protocol_version,
                    "instructions": client.instructions,
                    **{name: result.model_dump(mode="json") for name, result in results.items()},
                }

    return anyio.run(talk)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdk_client_sees_the_same_through_avow_as_without_it(sums: Project, mode: Any) -> None:
    at = str(sums.directory)

    direct = conversation(
        StdioServerParameters(command=sys.executable, args=[str(SERVERS / "sums.py")], cwd=at), mode
    )
    held = conversation(
        StdioServerParameters(command=sys.executable, args=["-m", "avow", "run", "sums"], cwd=at), mode
    )

    assert held == direct
    assert held["version"] == ("2025-11-25" if mode == "legacy" else "2026-07-28")


def test_a_call_outside_the_contract_is_an_error_for_the_sdk_client(sums: Project) -> None:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "avow", "run", "sums"], cwd=str(sums.directory)
    )

    async def call() -> None:
        with anyio.fail_after(60):
            async with Client(parameters) as client:
                with pytest.raises(MCPError, match="not part of the approved contract"):
                    await client.call_tool("delete_everything", {})

    anyio.run(call)


def test_a_changed_tool_is_left_out_and_cannot_be_called(project: Project, sessions: list[Session]) -> None:
    project.lock("files", *project.serve())
    project.serve({**APPROVED, "tools": [*POISONED, SHELL]})
    session = Session(project, "files")
    sessions.append(session)
    session.shake_hands()

    session.send({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
    listed = session.receive()
    refused = session.call(3, "read_file", path="a", mode="text")
    code, events = session.leave()

    assert [tool["name"] for tool in listed["result"]["tools"]] == ["count_words"]
    assert b"id_rsa" not in json.dumps([listed, refused, events]).encode()
    assert refused["error"]["code"] == -32010
    assert refused["error"]["data"]["avow"]["name"] == "read_file"
    assert code == 0
    assert {event["event"] for event in events} >= {"call_refused"}
    assert all(event.keys() >= {"time", "event", "server", "severity"} for event in events)


def test_a_server_that_is_killed_leaves_no_request_without_an_answer(
    project: Project, sessions: list[Session]
) -> None:
    (project.directory / "slow.py").write_text(
        "import json, os, sys\n"
        "for line in sys.stdin:\n"
        "    request = json.loads(line)\n"
        "    if request['method'] == 'tools/call': os.kill(os.getpid(), 9)\n"
        "    result = {'tools': [{'name': 'wait', 'inputSchema': {'type': 'object'}}]}\n"
        "    if request['method'] == 'initialize':\n"
        "        result = {'protocolVersion': '2025-11-25', 'capabilities': {'tools': {}},\n"
        "                  'serverInfo': {'name': 'slow', 'version': '1'}}\n"
        "    if 'id' in request:\n"
        "        print(json.dumps({'jsonrpc': '2.0', 'id': request['id'], 'result': result}), flush=True)\n",
        encoding="utf-8",
    )
    session = Session(project, "--", sys.executable, "slow.py")
    sessions.append(session)
    session.shake_hands()
    session.send({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
    session.receive()

    answer = session.call(3, "wait")
    code, events = session.leave()

    assert answer["id"] == 3
    assert "server is gone" in answer["error"]["message"]
    assert code == 2
    assert "server_gone" in {event["event"] for event in events}


@pytest.mark.parametrize("leave", ["close", "signal"])
def test_nothing_stays_behind_when_the_client_goes_away(
    project: Project, sessions: list[Session], leave: str
) -> None:
    """The server ignores the end of its input and has a child of its own."""
    (project.directory / "stubborn.py").write_text(
        "import json, os, signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen(['sleep', '60'])\n"
        "open('pids', 'w').write(f'{os.getpid()} {child.pid}')\n"
        "request = json.loads(sys.stdin.readline())\n"
        f"result = {RESULT}\n"
        "print(json.dumps({'jsonrpc': '2.0', 'id': request['id'], 'result': result}), flush=True)\n"
        "time.sleep(60)\n",
        encoding="utf-8",
    )
    session = Session(project, "--", sys.executable, "stubborn.py")
    sessions.append(session)
    session.send(INITIALIZE)
    session.receive()

    if leave == "signal":
        session.process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    session.leave()

    assert time.monotonic() - began < 15
    pids = (project.directory / "pids").read_text(encoding="utf-8").split()
    assert [pid for pid in pids if is_running(pid)] == []


def test_a_client_hears_why_there_is_no_server(project: Project, sessions: list[Session]) -> None:
    session = Session(project, "--", "no-such-program-anywhere")
    sessions.append(session)
    session.send(INITIALIZE)

    answer = session.receive()
    _, errors = session.process.communicate(timeout=20)

    assert "no program no-such-program-anywhere" in answer["error"]["message"]
    assert session.process.returncode == 2
    assert b"hint:" in errors


def test_a_variable_that_was_approved_and_is_missing_is_named(
    project: Project, sessions: list[Session]
) -> None:
    command = project.serve()
    ended = project.run("lock", "--yes", "--name", "files", "-e", "FILES_TOKEN=tok-123456789", "--", *command)
    assert ended.returncode == 0, ended.stderr
    session = Session(project, "files")
    sessions.append(session)
    session.send(INITIALIZE)

    assert "FILES_TOKEN is not set" in session.receive()["error"]["message"]
    session.process.communicate(timeout=20)
    assert "tok-123456789" not in project.lockfile.read_text(encoding="utf-8")


def test_another_command_than_the_approved_one_does_not_start(project: Project) -> None:
    project.lock("files", *project.serve())

    ended = project.run_outside("run", "--name", "files", "--", sys.executable, "-c", "open('started', 'w')")

    assert ended.returncode == 2
    assert "approves another command" in ended.stderr
    assert not (project.directory / "started").exists()


def test_audit_forwards_and_says_what_it_would_have_blocked(
    project: Project, sessions: list[Session]
) -> None:
    project.lock("files", *project.serve())
    project.serve({**APPROVED, "tools": [*APPROVED["tools"], SHELL]})
    session = Session(project, "files", "--audit", "--log", "events.jsonl")
    sessions.append(session)
    session.shake_hands()
    session.send({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})

    listed = session.receive()
    session.leave()

    assert [tool["name"] for tool in listed["result"]["tools"]] == ["read_file", "count_words", "run_shell"]
    log = (project.directory / "events.jsonl").read_text(encoding="utf-8")
    assert any(json.loads(line).get("name") == "run_shell" for line in log.splitlines())


def test_one_edited_byte_in_a_signed_lockfile_keeps_the_server_from_starting(project: Project) -> None:
    project.lock("files", *project.serve())
    assert project.run("keygen", "--out", "key").returncode == 0
    assert project.run("sign", "avow.lock", "--key", "key").returncode == 0
    run = ("run", "files", "--require-signature", "--trust", "key.pub")
    assert project.run_outside(*run).returncode == 0

    project.lockfile.write_bytes(project.lockfile.read_bytes() + b" ")
    ended = project.run_outside(*run)

    assert ended.returncode == 2
    assert "changed since" in ended.stderr


def test_a_flood_that_nobody_reads_does_not_grow_in_memory(project: Project, sessions: list[Session]) -> None:
    """The server writes without end; we stop reading, so it has to wait."""
    (project.directory / "flood.py").write_text(
        "import json, sys\n"
        "request = json.loads(sys.stdin.readline())\n"
        f"result = {RESULT}\n"
        "print(json.dumps({'jsonrpc': '2.0', 'id': request['id'], 'result': result}), flush=True)\n"
        "params = {'data': 'x' * 60000}\n"
        "line = json.dumps({'jsonrpc': '2.0', 'method': 'notifications/message', 'params': params})\n"
        "while True: print(line)\n",
        encoding="utf-8",
    )
    session = Session(project, "--", sys.executable, "flood.py")
    sessions.append(session)
    session.send(INITIALIZE)
    session.receive()
    session.send(INITIALIZED)
    time.sleep(1.5)

    assert 0 < session.memory() < 80_000


def test_settings_count_beside_the_lockfile_and_not_where_a_client_happens_to_start(
    project: Project, sessions: list[Session]
) -> None:
    """Any repository that somebody opens could switch the gate off otherwise."""
    project.lock("files", *project.serve())
    project.serve({**APPROVED, "tools": [*APPROVED["tools"], SHELL]})
    (project.directory / ".git").mkdir()
    opened = Project(project.directory / "opened")
    opened.directory.mkdir()
    (opened.directory / "avow.toml").write_text("[gate]\naudit = true\n", encoding="utf-8")
    (opened.directory / "pyproject.toml").write_text("{{ cookiecutter.name }}", encoding="utf-8")
    entry = json.loads(project.lockfile.read_text(encoding="utf-8"))
    entry["servers"]["files"]["target"]["args"] = [str(project.directory / "files" / "server.py")]
    project.lockfile.write_text(json.dumps(entry), encoding="utf-8")
    session = Session(opened, "files", "--lockfile", str(project.lockfile))
    sessions.append(session)
    session.shake_hands()
    session.send({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})

    listed = session.receive()
    session.leave()

    assert "run_shell" not in [tool["name"] for tool in listed["result"]["tools"]]


def test_a_required_signature_leaves_no_room_for_what_nobody_signed(project: Project) -> None:
    command = project.serve()
    project.lock("files", *command)
    assert project.run("keygen", "--out", "key").returncode == 0
    assert project.run("sign", "avow.lock", "--key", "key").returncode == 0

    ended = project.run_outside(
        "run", "--require-signature", "--trust", "key.pub", "--name", "typo", "--", *command
    )

    assert ended.returncode == 2
    assert "has no entry 'typo'" in ended.stderr


def test_a_session_that_no_entry_approves_says_so(project: Project, sessions: list[Session]) -> None:
    session = Session(project, "--name", "files", "--", *project.serve())
    sessions.append(session)
    session.shake_hands()

    _, events = session.leave()

    assert [event["severity"] for event in events if event["event"] == "not_locked"] == ["critical"]

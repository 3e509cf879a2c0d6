"""Declared servers over stdio: the lines on their pipes, the SDK's client, and Avow's own commands."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters

from avow.core.snapshot import Era, Source
from avow.core.target import StdioTarget
from avow.system.connect import ConnectOptions, take_snapshot

HERE = Path(__file__).parent
SERVER = HERE / "servers" / "avowed.py"
EXAMPLE = HERE.parents[1] / "examples" / "admin_dashboard.py"
FRAMEWORKS = ("official", "lowlevel", "fastmcp")
MODES = {Era.LEGACY: "legacy", Era.MODERN: "auto"}
PATIENCE = 60.0
Json = dict[str, Any]

ENVELOPE: Json = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
HELLO: Json = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "tester", "version": "1"},
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Lines:
    """A process and the JSON lines on its pipes."""

    def __init__(self, process: "subprocess.Popen[str]", era: Era) -> None:
        self._process = process
        self._era = era
        self._number = 0

    def request(self, method: str, params: Json | None = None) -> Json:
        self._number += 1
        enveloped = {**(params or {}), **({"_meta": ENVELOPE} if self._era is Era.MODERN else {})}
        self._write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": enveloped})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer: Json = json.loads(line)
            if answer.get("id") == self._number:
                return answer
        raise AssertionError("the server went away")

    def shake_hands(self) -> Json:
        if self._era is Era.MODERN:
            return self.request("server/discover")
        answer = self.request("initialize", HELLO)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def _write(self, message: Json) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


@pytest.fixture
def lines(framework: str, era: Era) -> Iterator[Lines]:
    command = [sys.executable, str(SERVER), framework, "stdio"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Lines(process, era)
        assert process.stdin is not None
        process.stdin.close()
        process.wait(PATIENCE)


@pytest.mark.parametrize("era", list(Era))
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_signature_stands_on_the_wire(lines: Lines, era: Era) -> None:
    hello = lines.shake_hands()["result"]
    signature = lines.request("signature")["result"]
    unchanged = lines.request("signature", {"knownDigest": signature["digest"]})["result"]
    listed = lines.request("tools/list")["result"]
    refused = lines.request("tools/call", {"name": "admin_dashboard", "arguments": {}})["error"]
    broken = lines.request("signature", {"knownDigest": "5"})["error"]

    announcement = {"digest": signature["digest"]}
    assert hello["capabilities"]["signature"] == announcement
    if era is Era.MODERN:
        assert hello["capabilities"]["extensions"]["dev.avow/signature"] == announcement
    assert "admin_dashboard" in [tool["name"] for tool in signature["tools"]]
    assert [tool["name"] for tool in listed["tools"]] == ["greet", "promote"]
    assert (unchanged["digest"], unchanged["unchanged"]) == (signature["digest"], True)
    assert refused["code"] == broken["code"] == -32602


@pytest.mark.anyio
@pytest.mark.parametrize("era", list(Era))
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_the_sdks_client_hears_of_a_change(framework: str, era: Era) -> None:
    heard = anyio.Event()

    async def handle(message: object) -> None:
        if "ListChanged" in type(message).__name__:
            heard.set()

    parameters = StdioServerParameters(command=sys.executable, args=[str(SERVER), framework, "stdio"])
    with anyio.fail_after(PATIENCE):
        async with Client(parameters, mode=MODES[era], message_handler=handle) as client:
            before = [tool.name for tool in (await client.list_tools()).tools]
            with pytest.raises(MCPError, match="is not available to you now"):
                await client.call_tool("late_feature", {})
            if era is Era.MODERN:
                async with client.listen(tools_list_changed=True) as changes:
                    await client.call_tool("promote", {})
                    await anext(aiter(changes))
            else:
                await client.call_tool("promote", {})
                await heard.wait()
            after = [tool.name for tool in (await client.list_tools()).tools]

    assert before == ["greet", "promote"]
    assert after == ["greet", "promote", "late_feature"]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_snapshot_has_the_declared_signature(framework: str) -> None:
    target = StdioTarget(sys.executable, (str(SERVER), framework, "stdio"))

    snapshot = take_snapshot(target, ConnectOptions(timeout=PATIENCE))

    assert snapshot.source is Source.DECLARED
    assert snapshot.complete
    assert "admin_dashboard" in snapshot.signature.tools
    assert not snapshot.notes


def avow(project: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "avow", *arguments]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a lockfile that approves the example."""
    found = tmp_path_factory.mktemp("project")
    locked = avow(found, "lock", "--yes", "--name", "dashboard", "--", sys.executable, str(EXAMPLE))
    assert locked.returncode == 0, locked.stderr
    return found


def test_the_example_is_inspected_and_checked(project: Path) -> None:
    seen = avow(project, "inspect", "--format", "json", "dashboard")
    checked = avow(project, "check", "--format", "json")

    snapshot = json.loads(seen.stdout)
    assert (seen.returncode, checked.returncode) == (0, 0)
    assert (snapshot["source"], snapshot["complete"]) == ("declared", True)
    assert [tool["name"] for tool in snapshot["tools"]] == ["admin_dashboard", "manage_accounts", "report"]
    assert json.loads(checked.stdout)["servers"]["dashboard"]["drift"] == []


@pytest.mark.anyio
@pytest.mark.parametrize("era", list(Era))
@pytest.mark.parametrize("admin", [False, True])
async def test_the_example_runs_behind_the_gate(project: Path, era: Era, admin: bool) -> None:
    """What an administrator is shown was approved by somebody who was not shown it."""
    arguments = ["-m", "avow", "run", *(["-e", "DASHBOARD_ADMIN=1"] if admin else []), "dashboard"]
    parameters = StdioServerParameters(command=sys.executable, args=arguments, cwd=project)

    with anyio.fail_after(PATIENCE):
        async with Client(parameters, mode=MODES[era]) as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            if admin:
                dashboard = await client.call_tool("admin_dashboard", {})
                assert not dashboard.is_error
            else:
                with pytest.raises(MCPError, match="is not available to you now"):
                    await client.call_tool("admin_dashboard", {})

    assert listed == ["report", *(["admin_dashboard", "manage_accounts"] if admin else [])]

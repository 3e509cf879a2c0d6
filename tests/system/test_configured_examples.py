"""The configured example servers as programs: described, started without configuration, and with it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "configured"
TOKEN = "ghp_" + "a1" * 18

Json = dict[str, Any]
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
DECLARED: dict[str, Json] = {
    "filesystem": {
        "arguments": [
            {
                "name": "allowed-directory",
                "description": "Directory path that the server is allowed to access",
                "type": "path",
                "required": True,
                "multiple": True,
                "examples": ["/home/user/projects", "/tmp"],
            }
        ]
    },
    "github": {
        "environmentVariables": [
            {
                "name": "GITHUB_TOKEN",
                "description": "GitHub personal access token with repo permissions",
                "type": "string",
                "required": True,
                "sensitive": True,
                "pattern": "^ghp_[a-zA-Z0-9]{36}$",
            }
        ]
    },
    "file_clone": {
        "arguments": [
            {
                "name": "source-directory",
                "description": "Source directory to clone from",
                "type": "path",
                "required": True,
            },
            {
                "name": "destination-directory",
                "description": "Destination directory to clone to",
                "type": "path",
                "required": True,
            },
        ],
        "environmentVariables": [
            {
                "name": "CLONE_PRESERVE_PERMISSIONS",
                "description": "Whether to preserve file permissions during cloning",
                "type": "boolean",
                "required": False,
                "default": True,
            }
        ],
    },
}
CALLS = {
    "filesystem": ("list_files", {}),
    "github": ("authorization_header", {}),
    "file_clone": ("clone", {"name": "a.txt"}),
}
MISSING = {
    "filesystem": ["allowed-directory"],
    "github": ["GITHUB_TOKEN"],
    "file_clone": ["source-directory", "destination-directory"],
}


def run(name: str, lines: list[Json], *arguments: str, **environment: str) -> dict[Any, Json]:
    """Start an example and write the lines, each after the answer to the one before; the answers by id."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("GITHUB_", "CLONE_"))}
    process = subprocess.Popen(
        [sys.executable, str(EXAMPLES / f"{name}.py"), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**inherited, **environment},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    alarm = Timer(60, process.kill)
    alarm.start()
    answers = {}
    try:
        for line in lines:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **line}).encode() + b"\n")
            process.stdin.flush()
            while "id" in line and line["id"] not in answers:
                answer = json.loads(process.stdout.readline())
                answers[answer.get("id")] = answer
        process.stdin.close()
        assert process.wait(20) == 0
    finally:
        alarm.cancel()
        process.kill()
        process.wait()
        process.stdout.close()
    return answers


def handshake(method: str, **params: Any) -> list[Json]:
    client = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    return [
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": method, "params": params},
    ]


def stateless(method: str, **params: Any) -> list[Json]:
    return [
        {"id": 1, "method": "server/discover", "params": {"_meta": META}},
        {"id": 2, "method": "tools/list", "params": {"_meta": META}},
        {"id": 3, "method": method, "params": {**params, "_meta": META}},
    ]


@pytest.mark.parametrize("name", DECLARED)
def test_an_example_describes_what_it_needs_without_starting(name: str) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py"), "--describe-configuration"],
        capture_output=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
        check=True,
    )

    assert json.loads(done.stdout) == DECLARED[name]


@pytest.mark.parametrize(
    ("name", "lines"), [("filesystem", stateless), ("github", handshake), ("file_clone", stateless)]
)
def test_an_example_without_configuration_introduces_itself_and_refuses_calls(name: str, lines: Any) -> None:
    tool, arguments = CALLS[name]
    answers = run(name, lines("tools/call", name=tool, arguments=arguments))

    assert answers[1]["result"]["configurationSchema"] == DECLARED[name]
    assert [one["name"] for one in answers[2]["result"]["tools"]] == [tool]
    error = answers[3]["error"]
    assert error["code"] == -32010
    assert error["data"]["avow"]["reason"] == "configuration"
    assert [one["name"] for one in error["data"]["avow"]["missing"]] == MISSING[name]


def test_with_their_configuration_the_examples_work(tmp_path: Path) -> None:
    source, destination = tmp_path / "source", tmp_path / "destination"
    source.mkdir()
    destination.mkdir()
    (source / "a.txt").write_text("hello")

    def call(name: str, *arguments: str, **environment: str) -> str:
        tool, given = CALLS[name]
        answers = run(name, handshake("tools/call", name=tool, arguments=given), *arguments, **environment)
        return json.dumps(answers[3]["result"])

    assert "a.txt" in call("filesystem", str(source), str(destination))
    assert "40 characters" in call("github", GITHUB_TOKEN=TOKEN)
    assert "is cloned" in call("file_clone", str(source), str(destination), CLONE_PRESERVE_PERMISSIONS="no")
    assert (destination / "a.txt").read_text() == "hello"

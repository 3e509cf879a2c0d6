"""The three examples of the proposal from lock to call: refused at first, configured once, then working."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from configure_helpers import TOKEN, Desk
from run_sessions import INITIALIZE, INITIALIZED

EXAMPLES = Path(__file__).parents[2] / "examples" / "configured"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def avow(desk: Desk, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return desk.run([sys.executable, "-m", "avow", *words], stdin)


def lock(desk: Desk, name: str) -> None:
    ended = avow(desk, "lock", "--yes", "--name", name, "--", sys.executable, str(EXAMPLES / f"{name}.py"))
    assert ended.returncode == 0, ended.stderr


def first_answer(desk: Desk, name: str) -> dict[str, Any]:
    """What a client hears when it starts `avow run NAME`."""
    return _conversation(desk, name, INITIALIZE)[0]


def call(desk: Desk, server: str, tool: str, /, **arguments: str) -> Any:
    """Start the server as a client does, and call one tool."""
    params = {"name": tool, "arguments": arguments}
    request = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
    return _conversation(desk, server, INITIALIZE, INITIALIZED, request)[-1]["result"]


def _conversation(desk: Desk, name: str, *messages: dict[str, Any]) -> list[dict[str, Any]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "avow", "run", name],
        cwd=desk.directory,
        env=desk.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin
    assert process.stdout
    answers = []
    try:
        for message in messages:
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            if "id" in message:
                answers.append(json.loads(process.stdout.readline()))
    finally:
        process.kill()
        process.communicate()
    return answers


def test_the_github_server_is_refused_until_it_has_its_token(desk: Desk) -> None:
    lock(desk, "github")
    refused = first_answer(desk, "github")["error"]["data"]["avow"]

    configured = avow(desk, "configure", "github", "--set-stdin", "GITHUB_TOKEN", stdin=TOKEN)
    answer = call(desk, "github", "authorization_header")

    assert (refused["reason"], refused["next"]) == ("configuration", "avow configure github")
    assert [one["name"] for one in refused["missing"]] == ["GITHUB_TOKEN"]
    assert configured.returncode == 0, configured.stderr
    assert "`avow run github`" in configured.stdout
    assert answer["content"][0]["text"] == f"Bearer, {len(TOKEN)} characters"
    assert not any(TOKEN.encode() in data for data in desk.files().values())


def test_the_filesystem_server_gets_several_directories(desk: Desk) -> None:
    lock(desk, "filesystem")
    for name in ("one", "two"):
        (desk.directory / name).mkdir()
        (desk.directory / name / f"{name}.txt").write_text(name, encoding="utf-8")

    sets = [word for name in ("one", "two") for word in ("--set", f"allowed-directory={name}")]
    configured = avow(desk, "configure", "filesystem", *sets)
    answer = call(desk, "filesystem", "list_files")

    assert configured.returncode == 0, configured.stderr
    assert "one.txt" in json.dumps(answer)
    assert "two.txt" in json.dumps(answer)


def test_the_clone_server_copies_from_here_to_there_and_not_onto_itself(desk: Desk) -> None:
    lock(desk, "file_clone")
    rule = '[[servers.file_clone.constraints]]\ndiffer = ["source-directory", "destination-directory"]\n'
    (desk.directory / "avow.toml").write_text(rule, encoding="utf-8")
    for name in ("here", "there"):
        (desk.directory / name).mkdir()
    (desk.directory / "here" / "note.txt").write_text("a note", encoding="utf-8")
    source = ("--set", "source-directory=here", "--set")

    onto_itself = avow(desk, "configure", "file_clone", *source, "destination-directory=here")
    configured = avow(desk, "configure", "file_clone", *source, "destination-directory=there")
    call(desk, "file_clone", "clone", name="note.txt")

    assert onto_itself.returncode == 1
    assert configured.returncode == 0, configured.stderr
    assert (desk.directory / "there" / "note.txt").read_text(encoding="utf-8") == "a note"

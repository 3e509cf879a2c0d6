"""A server that needs a token: refused in so many words without it, started with what was stored for it."""

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from avow.core.canonical import Digest
from avow.core.target import StdioTarget
from avow.system.configuration.identity import identify
from avow.system.configuration.known import known_needs
from avow.system.configuration.remembered import Answers, save
from avow.system.lockfiles import read_lockfile
from avow.system.secret_store import open_store
from avow.system.settings import read_server_settings
from gateway_helpers import running
from project import Project
from run_sessions import INITIALIZE, Session

NEEDY = Path(__file__).parent / "servers" / "needy.py"
SECRET = "tok-Zx81-correct-horse-battery"
DISCOVER = {"jsonrpc": "2.0", "id": "d", "method": "server/discover", "params": {}}


@pytest.fixture(autouse=True)
def quiet_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The store is a file in the project's home; our own environment has a variable nobody asked for."""
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "FOO_TOKEN", "LOG_LEVEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AVOW_SECRET_STORE", "file")
    monkeypatch.setenv("CANARY_KEY", "canary-value-4711")


@pytest.fixture
def sessions() -> Iterator[list[Session]]:
    opened: list[Session] = []
    yield opened
    for session in opened:
        session.end()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project in which a server is locked that was not configured yet."""
    project = Project(tmp_path)
    project.lock("needy", sys.executable, str(NEEDY))
    return project


def settings_of(project: Project) -> dict[str, Digest]:
    """The settings beside its lockfile, as somebody has seen them."""
    settings = read_server_settings(project.lockfile, "needy")
    return {str(project.directory.resolve()): settings.digest}


def store(project: Project, given: Mapping[str, Any], name: str = "needy", **consents: Any) -> None:
    """Do what `avow configure` does with answers."""
    entry = read_lockfile(project.lockfile).servers[name].snapshot
    with mock.patch.dict(os.environ, {"HOME": str(project.directory)}), chdir(project.directory):
        known = known_needs(name, entry.target, entry.configuration_schema)
        assert known.identity == identify(name, entry.target)
        save(known.identity, known.configuration, Answers((), given, **consents), open_store())


def report(session: Session) -> dict[str, Any]:
    """What the server says that it got."""
    session.shake_hands()
    answer = session.call(2, "report")
    told: dict[str, Any] = json.loads(answer["result"]["content"][0]["text"])
    return told


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def test_run_names_what_is_missing_and_stays_until_the_client_leaves(
    project: Project, sessions: list[Session]
) -> None:
    session = Session(project, "needy")
    sessions.append(session)

    session.send(INITIALIZE)
    first = session.receive()["error"]
    session.send({"jsonrpc": "2.0", "method": "notifications/cancelled"}, DISCOVER)
    second = session.receive()
    still_there = session.process.poll() is None
    _, errors = session.process.communicate(timeout=20)

    assert first["code"] == -32010
    assert first["message"].startswith("avow: needy cannot start: FOO_TOKEN is not set (run `avow configure")
    assert first["data"]["avow"]["missing"] == [{"name": "FOO_TOKEN", "kind": "env", "sensitive": True}]
    assert first["data"]["avow"]["next"] == "avow configure needy"
    assert (second["id"], second["error"]) == ("d", first)
    assert still_there
    assert session.process.returncode == 2
    assert errors.decode().count("error: needy cannot start: FOO_TOKEN is not set") == 1


def test_run_gives_the_server_what_was_stored_and_nobody_sees_it(
    project: Project, sessions: list[Session]
) -> None:
    store(project, {"FOO_TOKEN": SECRET, "LOG_LEVEL": "debug"})
    session = Session(project, "needy", "--log", "events.jsonl")
    sessions.append(session)

    told = report(session)
    lines = command_lines(session.process.pid)
    _, errors = session.process.communicate(timeout=20)

    assert told["token"] == digest(SECRET)
    assert told["level"] == "debug"
    assert "CANARY_KEY" not in told["names"]
    assert not any(name.startswith("AVOW_") for name in told["names"])
    assert len(lines) >= 2
    assert not [line for line in lines if SECRET.encode() in line]
    assert SECRET.encode() not in errors
    for path in project.directory.rglob("*"):
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes(), path


def command_lines(pid: int) -> list[bytes]:
    """The command lines of a process and its children, as `ps` shows them."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    return [Path(f"/proc/{one}/cmdline").read_bytes() for one in (pid, *children)]


def test_a_flag_beats_what_is_stored(project: Project, sessions: list[Session]) -> None:
    store(project, {"FOO_TOKEN": "another-one-entirely"})
    session = Session(project, "-e", "FOO_TOKEN", "needy", FOO_TOKEN=SECRET)
    sessions.append(session)

    assert report(session)["token"] == digest(SECRET)


def test_our_environment_is_not_searched_without_a_yes(project: Project, sessions: list[Session]) -> None:
    refused = Session(project, "needy", FOO_TOKEN=SECRET)
    sessions.append(refused)
    refused.send(INITIALIZE)
    message = refused.receive()["error"]["message"]
    store(project, {}, environment=("FOO_TOKEN",))
    agreed = Session(project, "needy", FOO_TOKEN=SECRET)
    sessions.append(agreed)

    assert "nobody has agreed that needy gets it" in message
    assert report(agreed)["token"] == digest(SECRET)


def test_a_foreign_lockfile_does_not_get_what_is_stored_for_its_namesake(
    project: Project, sessions: list[Session], tmp_path: Path
) -> None:
    """The repository calls its own program by the name of one that its reader has configured."""
    store(project, {"FOO_TOKEN": SECRET})
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "evil.py").write_text(NEEDY.read_text(encoding="utf-8"), encoding="utf-8")
    text = project.lockfile.read_text(encoding="utf-8").replace(str(NEEDY), str(foreign / "evil.py"))
    (foreign / "avow.lock").write_text(text, encoding="utf-8")
    session = Session(project, "--lockfile", str(foreign / "avow.lock"), "needy")
    sessions.append(session)

    session.send(INITIALIZE)
    message = session.receive()["error"]["message"]

    assert "FOO_TOKEN is not set" in message
    assert "what is stored under needy is for another command, address or directory" in message


def test_settings_of_a_foreign_project_are_not_joined_with_what_is_stored(
    project: Project, sessions: list[Session], tmp_path: Path
) -> None:
    store(project, {"FOO_TOKEN": SECRET}, seen=settings_of(project))
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "avow.lock").write_bytes(project.lockfile.read_bytes())
    lockfile = str(foreign / "avow.lock")
    plain = Session(project, "--lockfile", lockfile, "needy")
    sessions.append(plain)
    same_server = report(plain)["token"]
    (foreign / "avow.toml").write_text('[servers.needy.configuration]\nLOG_LEVEL = "https://evil"\n')
    session = Session(project, "--lockfile", lockfile, "needy")
    sessions.append(session)

    session.send(INITIALIZE)
    message = session.receive()["error"]["message"]

    assert same_server == digest(SECRET)
    assert "what is stored is not used with the settings in" in message


def test_settings_that_appear_later_are_not_joined_with_what_is_stored(
    project: Project, sessions: list[Session]
) -> None:
    """They came with the last `git pull`, and nobody has looked at them."""
    store(project, {"FOO_TOKEN": SECRET}, seen=settings_of(project))
    (project.directory / "avow.toml").write_text(
        '[servers.needy.configuration]\nLOG_LEVEL = "https://evil"\n'
    )
    session = Session(project, "needy")
    sessions.append(session)

    session.send(INITIALIZE)
    message = session.receive()["error"]["message"]

    assert "nobody has agreed to them yet, or they have changed since" in message


def test_a_preset_of_the_project_is_used(project: Project, sessions: list[Session]) -> None:
    (project.directory / "avow.toml").write_text(
        "[servers.needy.configuration]\nLOG_LEVEL = 'info'\n"
        "[servers.needy.presets.development]\nLOG_LEVEL = 'debug'\n"
    )
    store(project, {"FOO_TOKEN": SECRET}, seen=settings_of(project))
    plain, chosen = Session(project, "needy"), Session(project, "--preset", "development", "needy")
    sessions += [plain, chosen]

    assert report(plain)["level"] == "info"
    assert report(chosen)["level"] == "debug"


def test_check_finds_what_is_missing_and_looks_once_it_is_there(project: Project) -> None:
    found = project.document("check", code=1)["servers"]["needy"]
    store(project, {"FOO_TOKEN": SECRET})
    after = project.document("check")["servers"]["needy"]

    assert "FOO_TOKEN is not set" in found["error"]["message"]
    assert found["configuration"]["missing"] == [{"name": "FOO_TOKEN", "kind": "env", "sensitive": True}]
    assert after["drift"] == []
    assert project.run("inspect", "needy").returncode == 0


def test_a_variable_given_to_check_is_for_the_one_server_that_is_checked(project: Project) -> None:
    """Given for all of them, it is for those that were approved with it."""
    project.lock("files", *project.serve())
    given = ("-e", f"FOO_TOKEN={SECRET}")

    assert project.run("check", "needy", *given).returncode == 0
    assert project.run("check", *given).returncode == 1
    assert project.run("check", "files", *given).returncode == 0


def test_a_preset_that_only_some_servers_have_is_for_these(project: Project) -> None:
    project.lock("files", *project.serve())
    (project.directory / "avow.toml").write_text("[servers.needy.presets.loud]\nLOG_LEVEL = 'debug'\n")
    store(project, {"FOO_TOKEN": SECRET}, seen=settings_of(project))

    assert project.run("check", "--preset", "loud").returncode == 0
    refused = project.run("check", "files", "--preset", "loud")
    assert refused.returncode == 2
    assert "no preset 'loud'" in refused.stdout


def test_lock_and_inspect_start_a_server_with_what_is_stored(project: Project) -> None:
    """It leaves at once without its token; once somebody stored it, nobody has to pass it."""
    target = StdioTarget(sys.executable, (str(NEEDY), "strict"))
    command = ("--", target.command, *target.args)
    locked = project.run("lock", "--yes", "--name", "strict", "-e", f"FOO_TOKEN={SECRET}", *command)
    assert locked.returncode == 0, locked.stderr
    without = project.run("inspect", "strict")
    store(project, {"FOO_TOKEN": SECRET}, name="strict")

    assert without.returncode == 2
    assert project.run("inspect", "strict").returncode == 0
    again = project.run("lock", "--yes", "strict")
    assert again.returncode == 0, again.stderr
    assert project.run("lock", "--yes").returncode == 0
    assert SECRET not in project.lockfile.read_text(encoding="utf-8")
    assert project.run("check", "strict").returncode == 0


def test_the_gateway_says_which_server_lacks_what_and_serves_the_others(project: Project) -> None:
    project.lock("files", *project.serve())
    with running(project) as gateway:
        refused = gateway.post("needy", INITIALIZE)
        gateway.shake_hands("files")
        store(project, {"FOO_TOKEN": SECRET})
        session = gateway.shake_hands("needy")
        params = {"name": "report", "arguments": {}}
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
        told = gateway.post("needy", call, Mcp_Session_Id=session).json

    assert refused.status == 503
    assert refused.json["id"] == INITIALIZE["id"]
    assert refused.error["code"] == -32010
    assert refused.error["data"]["avow"]["missing"][0]["name"] == "FOO_TOKEN"
    assert json.loads(told["result"]["content"][0]["text"])["token"] == digest(SECRET)


def test_a_client_learns_why_a_server_left_before_the_handshake(
    project: Project, sessions: list[Session]
) -> None:
    """Nothing was known of what it needs; its own words tell, and they repeat a secret."""
    session = Session(project, "-e", f"OTHER_KEY={SECRET}", "--", sys.executable, str(NEEDY), "strict")
    sessions.append(session)
    session.send(INITIALIZE)

    message = session.receive()["error"]["message"]
    _, errors = session.process.communicate(timeout=20)

    assert "it exited with code 3" in message
    assert "needy: FOO_TOKEN is required (have [OTHER_KEY])" in message
    assert "it needs FOO_TOKEN; next: avow configure -- " in message
    assert SECRET not in message
    assert session.process.returncode == 2
    # What a server writes to its standard error is its own business, and arrives as before.
    assert SECRET.encode() in errors


def test_a_client_that_comes_late_learns_it_too(project: Project, sessions: list[Session]) -> None:
    session = Session(project, "--", sys.executable, str(NEEDY), "strict")
    sessions.append(session)
    assert session.process.stderr
    while b"server_gone" not in session.process.stderr.readline():
        assert session.process.poll() is None

    session.send(INITIALIZE)

    assert "FOO_TOKEN is required" in session.receive()["error"]["message"]

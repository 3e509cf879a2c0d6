"""Servers held to what is approved in a registry: a real one, a real server, and what becomes of both."""

import copy
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from avow.core.keys import PrivateKey
from avow.core.tlog.notes import SignatureType, Signer
from changes import APPROVED, SHELL
from gateway_helpers import running as gateway
from project import Project
from registry_running import Program, program
from run_sessions import Session

NAME = "io.github.owner/files"
NAMES = [tool["name"] for tool in APPROVED["tools"]]
WIDER = {**copy.deepcopy(APPROVED), "tools": [*APPROVED["tools"], SHELL]}


class Team:
    """A project with one locked server, and the registry of those who have a say about it."""

    def __init__(self, directory: Path, registry: Program, namespace: str) -> None:
        directory.mkdir()
        self.project = Project(directory)
        self.url, self.token = registry.url, registry.token
        self.name = f"{namespace}/files"
        self.held = ("--registry", self.url, "--environment", "production", "--as", self.name)
        self.lock()
        self.avow("keygen", "--out", "owner.key")
        self.avow("registry", "namespace", "claim", namespace, "--key", "owner.key.pub")
        self.publish("1.0.0")

    def avow(self, *arguments: str, code: int = 0) -> CompletedProcess[str]:
        ended = self.project.run(*arguments, AVOW_REGISTRY=self.url, AVOW_REGISTRY_TOKEN=self.token)
        assert ended.returncode == code, (ended.returncode, ended.stdout, ended.stderr)
        return ended

    def lock(self, surface: dict[str, Any] = APPROVED) -> None:
        self.project.lock("files", *self.project.serve(surface))

    def publish(self, version: str) -> None:
        options = ("--version", version, "--as", self.name, "--key", "owner.key")
        self.avow("registry", "publish", "files", *options)

    def decide(self, what: str, version: str, reason: str) -> None:
        options = ("--environment", "production", "--reason", reason)
        self.avow("registry", what, self.name, version, *options)

    def check(self, *options: str, code: int = 0) -> str:
        """What is printed, on one line."""
        ended = self.avow("check", *self.held, *options, code=code)
        return " ".join((ended.stdout + ended.stderr).split())

    def answer(self, code: int = 0) -> Any:
        ended = self.avow("check", *self.held, "--format", "json", code=code)
        return json.loads(ended.stdout)["servers"]["files"]

    def session(self, *arguments: str) -> Session:
        token = {"XDG_STATE_HOME": "", "AVOW_REGISTRY_TOKEN": self.token}
        return Session(self.project, *self.held, *(arguments or ("files",)), **token)

    def rewrite(self, kind: str, before: str, after: str) -> None:
        """What somebody can do who has the files of this user."""
        [file] = self.project.directory.glob(f".local/state/avow/registries/*/{kind}/*.json")
        text = file.read_text(encoding="utf-8")
        assert before in text
        file.write_text(text.replace(before, after), encoding="utf-8")


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """One for all who do not have to stop it."""
    with program(tmp_path_factory.mktemp("registry")) as started:
        yield started


@pytest.fixture
def sessions() -> Iterator[list[Session]]:
    """Whatever a test starts is ended, even when the test fails."""
    opened: list[Session] = []
    yield opened
    for session in opened:
        session.end()


def tools(session: Session) -> list[str]:
    session.shake_hands()
    session.send({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
    return [tool["name"] for tool in session.receive()["result"]["tools"]]


def test_a_server_is_held_to_what_people_approved(
    tmp_path: Path, registry: Program, sessions: list[Session]
) -> None:
    team = Team(tmp_path / "one", registry, "io.github.one")
    waiting = team.check(code=1)
    assert "io.github.one/files 1.0.0 is pending in production: nobody has decided about it yet" in waiting
    assert "as approved" not in waiting
    sessions.append(team.session())
    assert "is pending in production" in sessions[-1].shake_hands()["error"]["message"]
    assert sessions[-1].leave()[0] == 1

    assert "is pending in production" in team.avow("gateway", *team.held, code=1).stderr

    team.decide("approve", "1.0.0", "read it all")
    assert "approved it on" in team.check()
    answer = team.answer()["registry"]
    assert (answer["state"], answer["version"], answer["offline"]) == ("approved", "1.0.0", False)
    assert answer["decisions"][0]["reason"] == "read it all"
    sessions.append(team.session())
    assert tools(sessions[-1]) == NAMES
    code, events = sessions[-1].leave()
    assert (code, events[0]["event"], events[0]["severity"]) == (0, "registry_approved", "info")

    team.lock(WIDER)
    assert "as io.github.one/files; approved there: 1.0.0" in team.check(code=1)
    team.publish("2.0.0")
    assert team.answer(code=1)["registry"]["state"] == "pending"
    team.decide("reject", "2.0.0", "a shell?")
    assert "rejected it on" in team.check(code=1)
    assert "a shell?" in team.check("--format", "sarif", code=1)
    sessions.append(team.session())
    assert "(a shell?)" in sessions[-1].shake_hands()["error"]["message"]
    assert sessions[-1].leave()[0] == 1


def test_an_earlier_version_stays_approved_and_a_key_can_be_pinned(
    tmp_path: Path, registry: Program, sessions: list[Session]
) -> None:
    """2.0.0 is approved too: what is locked is 1.0.0, and a session gets no more than that."""
    team = Team(tmp_path / "four", registry, "io.github.four")
    team.decide("approve", "1.0.0", "fine")
    team.lock(WIDER)
    team.publish("2.0.0")
    team.decide("approve", "2.0.0", "we need a shell")
    team.lock()
    team.project.serve(WIDER)

    sessions.append(team.session())
    assert tools(sessions[-1]) == NAMES
    drifted = team.check(code=1)
    assert "io.github.four/files 2.0.0 is approved in production" in drifted
    assert "tool run_shell" in drifted
    other = str(Signer("log.example", PrivateKey(b"o" * 32)).verifier())
    assert "is not the one that" in team.check("--registry-key", other, code=2)
    assert "its log last grew at 20" in team.check("--registry-max-age", "1h", code=1)
    assert "may be too old: its log last grew at 20" in team.check("--registry-max-age", "0s", code=2)
    witness = str(Signer("witness.example", PrivateKey(b"w" * 32)).verifier(SignatureType.WITNESS))
    assert "0 of the 1 witnesses needed have signed" in team.check("--witness", witness, code=2)
    team.project.serve()
    with gateway(team.project, *team.held) as served:
        assert served.shake_hands("files")


def test_without_a_lockfile_the_registry_says_what_a_session_is_held_to(
    tmp_path: Path, registry: Program, sessions: list[Session]
) -> None:
    """The server has a tool more than the version that was approved: nobody sees it."""
    team = Team(tmp_path / "two", registry, "io.github.two")
    team.decide("approve", "1.0.0", "fine")
    settings = team.project.directory / "avow.toml"
    settings.write_text('[servers.files]\nregistry = "io.github.two/files"\n', encoding="utf-8")
    team.avow("check", "--environment", "production")
    team.project.lockfile.unlink()
    team.project.serve(WIDER)

    sessions.append(team.session("--", sys.executable, "files/server.py"))

    assert tools(sessions[-1]) == NAMES
    assert sessions[-1].call(3, "run_shell", command="true")["error"]["code"] == -32010


def test_a_registry_that_is_gone_and_one_that_comes_back_as_another(
    tmp_path: Path, sessions: list[Session]
) -> None:
    """What was verified counts while it is gone, unless somebody edits it; a log that begins anew never."""
    with program(tmp_path) as registry:
        team = Team(tmp_path / "three", registry, "io.github.three")
        team.decide("approve", "1.0.0", "fine")
        team.check()

    answer = team.answer()
    assert (answer["registry"]["state"], answer["registry"]["offline"]) == ("approved", True)
    assert answer["registry"]["ageSeconds"] >= 0
    assert "the registry did not answer: this was verified" in team.check("-q")
    sessions.append(team.session())
    assert tools(sessions[-1]) == NAMES
    _, events = sessions[-1].leave()
    assert (events[0]["event"], events[0]["severity"]) == ("registry_approved", "moderate")
    assert "did not answer" in events[0]["detail"]

    team.lock(WIDER)
    refused = team.answer(code=1)["registry"]["message"]
    assert "nobody had decided about sha256:" in refused
    wider = json.loads(team.project.lockfile.read_text())["servers"]["files"]["digest"]
    narrow = answer["digest"]["observed"]
    team.rewrite("approved", narrow, wider)
    assert "was changed" in team.check(code=2)
    team.rewrite("proofs", narrow, wider)
    assert "was changed" in team.check(code=2)
    sessions.append(team.session())
    assert "was changed" in sessions[-1].shake_hands()["error"]["message"]
    assert sessions[-1].leave()[0] == 2

    for file in (tmp_path / "data").glob("registry.sqlite*"):
        file.unlink()
    with program(tmp_path, "--listen", team.url.removeprefix("http://")) as registry:
        team.token = registry.token
        assert "DO NOT TRUST" in team.check(code=2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--registry", "http://127.0.0.1:1"), "approved where?"),
        (("--environment", "production", "--registry", "http://127.0.0.1:1"), "called in the registry?"),
        (("--environment", "production", "--as", NAME), "which registry?"),
        (("--environment", "production", "--as", f"others={NAME}"), "here\nhint: there are: files"),
        (("--environment", "Production", "--as", NAME), "did you mean production?"),
        (("--environment", "production", "--as", NAME, "--registry", "127.0.0.1:1"), "did you mean http://"),
        (
            (
                "--environment",
                "production",
                "--as",
                NAME,
                "--registry",
                "http://[::1]",
                "--registry-key",
                "x",
            ),
            "the key of a log",
        ),
        (("--registry-max-age", "7d"), "approved where?"),
        (("--environment", "production", "--registry-max-age", "7 days"), "'7 days' is not a duration"),
        (("--environment", "production", "--witness", "x"), "the key of a log"),
    ],
)
def test_what_does_not_say_enough_is_asked_back(tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    """Before a server is started: this one could not be."""
    project = Project(tmp_path)
    project.lock("files", *project.serve())
    (tmp_path / "files" / "server.py").unlink()

    ended = project.run("check", *options)

    assert ended.returncode == 2
    assert words in ended.stderr
    assert not ended.stdout


def test_nothing_of_it_is_loaded_when_nobody_asks(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.lock("files", *project.serve())
    program = (
        "import sys; from avow.cli.main import run; code = run(['check', '-q']); import avow.cli.run;"
        "print(code, [name for name in sys.modules if 'avow' in name and 'registry' in name])"
    )

    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    assert ended.stdout == "0 []\n"

"""`avow doctor` with real processes: each illness told from the others, and nothing given away."""

import json
import os
import re
import sys
from contextlib import chdir
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from avow.core.configuration.model import Binding, Configuration, Parameter, Style, Where
from avow.core.target import StdioTarget
from avow.system.configuration.identity import identify
from avow.system.configuration.remembered import Answers, save
from avow.system.secret_store import open_store
from doctor_patients import make
from project import Project

SECRET = "sk-patient-5f4dcc3b5aa765d61d8327deb882cf99"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def visit(project: Project, name: str, *options: str, code: int = 1, **environment: str) -> dict[str, Any]:
    """What the doctor says about one patient."""
    path = make(name, project.directory)
    ended = project.run(
        "doctor", *options, "--format", "json", "--", sys.executable, str(path), **environment
    )
    assert ended.returncode == code, ended.stdout + ended.stderr
    (found,) = json.loads(ended.stdout)["servers"].values()
    assert set(found) <= {"status", "message", "next", "parameters", "alternatives"}
    return dict(found)


def required(found: dict[str, Any]) -> list[str]:
    return [one["name"] for one in found["parameters"] if one["required"]]


def test_a_server_that_works_is_well(project: Project) -> None:
    """Exit code 0, nothing to do."""
    found = visit(project, "well", code=0)

    assert (found["status"], found["next"], found["parameters"]) == ("ok", "", [])


def test_a_missing_token_is_named_with_all_that_is_known_about_it(project: Project) -> None:
    """The document has exactly the members that programs rely on."""
    found = visit(project, "tokenless")

    assert found["status"] == "needs_configuration"
    assert "PATIENT_TOKEN" in found["message"]
    (token,) = found["parameters"]
    assert token == {
        "name": "PATIENT_TOKEN",
        "kind": "env",
        "type": "string",
        "required": True,
        "sensitive": True,
        "present": False,
        "source": token["source"],
    }
    assert token["source"] in ("code", "output")


def test_what_is_given_is_present_and_never_shown(project: Project) -> None:
    """A server that repeats its token and fails does not get the token into the report."""
    found = visit(project, "leaking", "-e", "PATIENT_TOKEN", PATIENT_TOKEN=SECRET)

    assert found["status"] == "needs_configuration"
    assert SECRET not in json.dumps(found)
    assert [one["present"] for one in found["parameters"] if one["name"] == "PATIENT_TOKEN"] == [True]


@pytest.mark.parametrize(
    ("patient", "status"),
    [
        ("broken", "broken_dependency"),
        ("lonely", "missing_service"),
        ("mute", "error"),
    ],
)
def test_illnesses_are_told_apart(project: Project, patient: str, status: str) -> None:
    """Each has its own word and a next step."""
    found = visit(project, patient)

    assert found["status"] == status
    assert found["next"]


def test_a_server_that_waits_for_http_is_recognised(project: Project) -> None:
    """It says so, and it listens; nobody will come."""
    found = visit(project, "deaf", "--timeout", "2")

    assert found["status"] == "wrong_transport"
    assert "http://127.0.0.1:" in found["message"]


def test_a_program_that_is_not_there_is_not_found(project: Project) -> None:
    """A wrong command is no failure of a server."""
    found = project.document("doctor", "--", "no-such-program-anywhere", code=1)["servers"]

    assert [one["status"] for one in found.values()] == ["not_found"]


def test_a_handshake_that_works_does_not_mean_configured(project: Project) -> None:
    """It starts and warns that calls will fail: that counts."""
    found = visit(project, "late")

    assert found["status"] == "needs_configuration"
    assert required(found) == ["LATE_API_KEY"]


def test_a_declaration_is_believed_first(project: Project) -> None:
    """A server that declares what it needs is quoted as the source."""
    found = visit(project, "declaring")

    assert required(found) == ["DECLARED_KEY"]
    assert found["parameters"][0]["source"] == "declaration"


def test_probing_follows_requirements_one_by_one(project: Project) -> None:
    """Without it the first is named; with it all three, from as many starts as it takes."""
    assert required(visit(project, "stepwise")) == ["THE_TOKEN"]
    assert required(visit(project, "stepwise", "--probe")) == ["THE_TOKEN", "THE_URL", "THE_INFO"]


def test_a_probe_gets_placeholders_and_a_home_of_its_own(project: Project) -> None:
    """No variable of ours and no file in our home is within its reach."""
    visit(project, "curious", "--probe", MY_SECRET="real", HOME=str(project.directory))
    seen, home, key = (project.directory / "seen.txt").read_text(encoding="utf-8").split("\n")

    assert seen == "nothing"
    assert home != str(project.directory)
    assert not Path(home).exists()
    assert key.startswith("placeholder")


def test_a_probe_gets_nothing_real_in_its_command(project: Project) -> None:
    """No variable of ours that the entry names, no token that stands there, and none stored for it."""
    path = make("witness", project.directory)
    args = [str(path), "--token", "${REAL_TOKEN}", "--api-key=sk-proj-abcdefghij0123456789"]
    entry = {"mcpServers": {"witness": {"command": sys.executable, "args": args}}}
    (project.directory / "client.json").write_text(json.dumps(entry), encoding="utf-8")
    with (
        mock.patch.dict(os.environ, {"HOME": str(project.directory), "AVOW_SECRET_STORE": "file"}),
        chdir(project.directory),
    ):
        argument = Parameter("extra", Binding(Where.ARGUMENT, "--extra", Style.NAMED), secret=True)
        target = StdioTarget(sys.executable, tuple(args))
        answers = Answers((), {"extra": "stored-secret-99"})
        save(identify("witness", target), Configuration.of([argument]), answers, open_store())

    ended = project.run(
        "doctor", "--probe", "--config", "client.json", REAL_TOKEN="real-secret-99", AVOW_SECRET_STORE="file"
    )

    first, second, *_ = (project.directory / "seen.txt").read_text(encoding="utf-8").splitlines()
    assert ended.returncode == 1, ended.stderr
    assert "real-secret-99" in first
    assert "stored-secret-99" in first
    assert not re.search("secret-99|sk-proj", second)
    assert second.startswith(f"['--token', '{'placeholder-' + '0' * 20}', '--api-key=placeholder'")
    assert str(project.directory) not in second


def configured(project: Project, **servers: dict[str, Any]) -> None:
    entries = {
        name: {
            "command": sys.executable,
            "args": [str(make(entry.pop("patient"), project.directory))],
            **entry,
        }
        for name, entry in servers.items()
    }
    (project.directory / "client.json").write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")


def test_every_server_of_a_configuration_is_visited(project: Project) -> None:
    """One report for all; one that is ill does not hide the others."""
    configured(
        project,
        good={"patient": "well"},
        bad={"patient": "tokenless"},
        set={"patient": "tokenless", "env": {"PATIENT_TOKEN": SECRET}},
    )

    found = project.document("doctor", "--config", "client.json", code=1)["servers"]

    assert {name: one["status"] for name, one in found.items()} == {
        "good": "ok",
        "bad": "needs_configuration",
        "set": "ok",
    }
    assert found["bad"]["next"] == "avow configure bad"


def test_offline_starts_nothing_and_still_finds_what_is_missing(project: Project) -> None:
    """The code says what is needed; a server that would leave a trace leaves none."""
    configured(
        project,
        bad={"patient": "tokenless"},
        set={"patient": "tokenless", "env": {"PATIENT_TOKEN": SECRET}},
        curious={"patient": "curious", "env": {"CURIOUS_KEY": "x"}},
    )

    found = project.document("doctor", "--config", "client.json", "--offline", code=1)["servers"]

    assert found["bad"]["status"] == "needs_configuration"
    assert required(found["bad"]) == ["PATIENT_TOKEN"]
    assert found["set"]["status"] == "ok"
    assert not (project.directory / "seen.txt").exists()


def test_drift_is_an_illness(project: Project) -> None:
    """What was approved is compared in the same visit."""
    command = project.serve()
    project.lock("files", *command)
    assert project.document("doctor")["servers"]["files"]["status"] == "ok"

    surface = json.loads((project.directory / "files" / "surface.json").read_text(encoding="utf-8"))
    surface["tools"].append(
        {"name": "delete_everything", "description": "x", "inputSchema": {"type": "object"}}
    )
    project.serve(surface)
    found = project.document("doctor", "files", code=1)["servers"]["files"]

    assert found["status"] == "drifted"
    assert found["next"] == "avow check files"


def test_a_report_for_people_fits_a_screen(project: Project) -> None:
    """Plain in a pipe, with what is missing and the next step."""
    configured(project, good={"patient": "well"}, bad={"patient": "tokenless"})

    ended = project.run("doctor", "--config", "client.json")

    assert ended.returncode == 1
    assert "\x1b" not in ended.stdout
    assert "PATIENT_TOKEN  missing" in ended.stdout
    assert "next: avow configure bad" in ended.stdout
    assert ended.stdout.endswith("1 of 2 servers needs attention.\n")


def test_what_does_as_well_is_shown(project: Project) -> None:
    """Of several ways one is proposed, and the others stand below it."""
    configured(project, either={"patient": "either"})

    lines = [line.strip() for line in project.run("doctor", "--config", "client.json").stdout.splitlines()]

    assert "It needs EITHER_TOKEN" in lines
    assert "or instead: EITHER_USER and EITHER_PASSWORD" in lines


def test_markdown_is_inert(project: Project) -> None:
    """A table that a repository can show."""
    configured(project, bad={"patient": "tokenless"})

    ended = project.run("doctor", "--config", "client.json", "--format", "markdown")

    assert "| `PATIENT_TOKEN` | env, secret | missing |" in ended.stdout


def test_nothing_to_look_at_is_no_success(project: Project) -> None:
    """Exit code 2: it could not do its job."""
    assert project.run("doctor").returncode == 2
    assert project.run("doctor", "--config", "missing.json").returncode == 2
    assert project.run("doctor", "--offline", "--probe", "x").returncode == 2


def test_inspect_says_what_a_server_needs_that_leaves(project: Project) -> None:
    """The words of the server, and what to do about them."""
    path = make("tokenless", project.directory)

    ended = project.run("inspect", "--", sys.executable, str(path))

    assert ended.returncode == 2
    assert "it needs PATIENT_TOKEN" in ended.stderr


def test_inspect_shows_what_the_code_reads(project: Project) -> None:
    """A server that declares nothing is read instead."""
    path = make("late", project.directory)

    found = project.document("inspect", "--", sys.executable, str(path))

    assert [one["name"] for one in found["parameters"]] == ["LATE_API_KEY"]
    assert found["parameters"][0]["source"] == "code"


def test_an_http_server_that_is_not_there_is_a_missing_service(project: Project) -> None:
    """Nobody listens at the address."""
    found = project.document("doctor", "http://127.0.0.1:9/mcp", code=1)["servers"]

    assert [one["status"] for one in found.values()] == ["missing_service"]

"""One entry: placeholders, odd shapes, and servers that already run behind Avow."""

from pathlib import Path

import pytest

from avow.core.target import HttpTarget, StdioTarget
from avow.errors import AvowError
from avow.system.clients.entries import Entry, read_entry
from avow.system.clients.placeholders import Surroundings
from avow.system.clients.table import CLIENTS

ENVIRON = {"USER_TOKEN": "s3cret", "DOLLARS": "$USER_TOKEN ${USER_TOKEN}"}


def read(entry: object, client: str = "claude-code") -> Entry:
    (row,) = (row for row in CLIENTS if row.name == client)
    return read_entry(entry, row, Surroundings(ENVIRON, Path("/home/me"), Path("/home/me/project")))


@pytest.mark.parametrize(
    ("client", "written", "value"),
    [
        ("claude-code", "${USER_TOKEN}", "s3cret"),
        ("claude-code", "Bearer ${USER_TOKEN}!", "Bearer s3cret!"),
        ("claude-code", "${ABSENT:-other}", "other"),
        ("claude-code", "${ABSENT:-}", ""),
        ("claude-code", "${USER_TOKEN:-other}", "s3cret"),
        ("claude-code", "$USER_TOKEN", "$USER_TOKEN"),
        ("claude-code", "${env:USER_TOKEN}", "${env:USER_TOKEN}"),
        ("claude-code", "${DOLLARS}", "$USER_TOKEN ${USER_TOKEN}"),
        ("claude-desktop", "${USER_TOKEN}", "${USER_TOKEN}"),
        ("cursor", "${env:USER_TOKEN}", "s3cret"),
        ("cursor", "${userHome}/x", "/home/me/x"),
        ("vscode", "${workspaceFolder}${pathSeparator}x", "/home/me/project/x"),
        ("vscode", "${workspaceFolderBasename}", "project"),
        ("vscode", "${USER_TOKEN}", "${USER_TOKEN}"),
        ("gemini", "$USER_TOKEN", "s3cret"),
        ("gemini", "${USER_TOKEN}", "s3cret"),
        ("opencode", "{env:USER_TOKEN}", "s3cret"),
        ("continue", "${{ secrets.USER_TOKEN }}", "s3cret"),
        ("continue", "${{secrets.org/USER_TOKEN}}", "s3cret"),
        ("codex", "${USER_TOKEN} $USER_TOKEN {env:USER_TOKEN}", "${USER_TOKEN} $USER_TOKEN {env:USER_TOKEN}"),
    ],
)
def test_each_client_fills_in_its_own_placeholders_once(client: str, written: str, value: str) -> None:
    member = "environment" if client == "opencode" else "env"

    entry = read({"command": "x", member: {"A": written}}, client)

    assert entry.env == {"A": value}
    assert entry.missing == ()


def test_a_variable_that_is_not_set_is_named_and_never_passed_on_half_filled() -> None:
    entry = read({"command": "x", "args": ["${GONE}"], "env": {"A": "Bearer ${ABSENT}", "B": "b"}})

    assert entry.env == {"B": "b"}
    assert entry.target == StdioTarget("x", ("${GONE}",), ("A", "B"))
    assert entry.missing == ("ABSENT", "GONE")


@pytest.mark.parametrize("written", ["${input:my-token}", "${command:pick}", "${config:a.b}"])
def test_what_only_the_client_can_fill_in_is_an_error_that_names_it(written: str) -> None:
    with pytest.raises(AvowError, match=written[2:-1]):
        read({"command": "x", "env": {"A": written}}, "vscode")


def test_values_of_placeholders_stay_out_of_the_target_that_may_be_stored() -> None:
    stdio = read({"command": "${USER_TOKEN}/bin", "args": ["--key", "${USER_TOKEN}"], "cwd": "${USER_TOKEN}"})
    remote = read({"url": "https://x/${USER_TOKEN}", "headers": {"A": "${USER_TOKEN}"}})

    assert stdio.launch == StdioTarget("s3cret/bin", ("--key", "s3cret"), (), "s3cret")
    assert remote.launch == HttpTarget("https://x/s3cret", ("A",))
    assert remote.headers == {"A": "s3cret"}
    assert "s3cret" not in repr(stdio) + repr(remote)


def test_numbers_and_booleans_become_text_and_null_is_left_out() -> None:
    entry = read({"command": "x", "env": {"PORT": 8080, "ON": True, "OFF": False, "NONE": None}})

    assert entry.env == {"PORT": "8080", "ON": "true", "OFF": "false"}


def test_a_file_of_variables_is_read_and_the_entry_wins(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("# mine\nexport A=1\nB='two words'\n\nC = 3\nnonsense\n")

    entry = read({"command": "x", "envFile": str(file), "env": {"C": "entry"}})

    assert entry.env == {"A": "1", "B": "two words", "C": "entry"}
    with pytest.raises(AvowError, match="envFile cannot be read"):
        read({"command": "x", "envFile": str(tmp_path / "none")})


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ([], "not an object"),
        ({}, "neither a command nor a url"),
        ({"command": ""}, "neither a command nor a url"),
        ({"command": 3}, "command is not a string"),
        ({"command": "x", "args": "a b"}, "args is not a list of strings"),
        ({"command": "x", "args": [1]}, "args is not a list of strings"),
        ({"command": "x", "args": ["\0"]}, "NUL"),
        ({"command": "x", "cwd": 1}, "cwd is not a string"),
        ({"command": "x", "env": []}, "env is not an object"),
        ({"command": "x", "env": {"A": []}}, "env.A is not a string"),
        ({"command": "x", "env": {"A=B": "1"}}, "cannot be an environment variable"),
        ({"command": "x", "env": {"A": "\0"}}, "cannot be an environment variable"),
        ({"command": "x", "envFile": 1}, "envFile is not a string"),
        ({"command": "x", "url": "https://x"}, "a command and a url"),
    ],
)
def test_an_entry_that_makes_no_sense_is_an_error(entry: object, says: str) -> None:
    with pytest.raises(AvowError, match=says):
        read(entry)


@pytest.mark.parametrize("names", [3, [1], ["A=B"], [{"source": "local"}]])
def test_names_of_variables_are_checked(names: object) -> None:
    with pytest.raises(AvowError):
        read({"command": "x", "env_vars": names}, "codex")


def test_an_entry_with_both_is_what_its_type_says() -> None:
    both = {"command": "x", "url": "https://x"}

    assert read({**both, "type": "stdio"}).target == StdioTarget("x")
    assert read({**both, "type": "http"}).target == HttpTarget("https://x")


@pytest.mark.parametrize(
    "launcher",
    [
        ["/usr/local/bin/avow"],
        ["C:\\Tools\\Avow.EXE"],
        ["/opt/python3.12", "-m", "avow"],
        ["/opt/python3.12", "-P", "-m", "avow"],
    ],
)
def test_a_protected_server_is_seen_through(launcher: list[str]) -> None:
    words = [*launcher, "run", "--lockfile", "/l", "--name", "a", "-e", "A", "--", "npx", "-y", "--", "s"]

    entry = read({"command": words[0], "args": words[1:], "env": {"A": "1"}})

    assert entry.protected
    assert entry.target == StdioTarget("npx", ("-y", "--", "s"), ("A",))


def test_an_entry_that_runs_a_lock_entry_is_protected_and_shown_as_it_is() -> None:
    entry = read({"command": "avow", "args": ["run", "files", "--lockfile", "/l"]})

    assert entry.protected
    assert entry.target == StdioTarget("avow", ("run", "files", "--lockfile", "/l"))


@pytest.mark.parametrize("words", [["avow", "lock"], ["python", "-m", "other", "run", "--", "x"], ["npx"]])
def test_other_commands_are_not_taken_for_ours(words: list[str]) -> None:
    assert not read({"command": words[0], "args": words[1:]}).protected

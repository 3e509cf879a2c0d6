"""The program as a whole: its table of commands, its help, and how little `--help` and `--version` load."""

import importlib
import subprocess
import sys

import click
import pytest

import avow
from avow.cli.main import COMMANDS, help_text, run
from avow.cli.program import Program


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_table_is_there_and_explains_itself(name: str) -> None:
    """A line in the table without its file, or a file without help, would be noticed here."""
    command = importlib.import_module(f"avow.cli.{name}").command

    assert isinstance(command, click.Command)
    assert command.name == name
    assert command.help


def test_help_lists_every_command_and_does_not_need_the_toolkit(capsys: pytest.CaptureFixture[str]) -> None:
    """The text that answers without click is the one that click itself would print."""
    assert run(["--help"]) == 0

    assert capsys.readouterr().out == help_text()
    assert all(f"  {name} " in help_text() for name in COMMANDS)


def test_an_unknown_command_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    """With the one that was probably meant."""
    assert run(["inspekt"]) == 2

    assert capsys.readouterr().err == (
        "error: there is no command 'inspekt'\nhint: did you mean `avow inspect`?\n"
    )


def test_commands_are_imported_on_demand() -> None:
    """Listing them loads none of them."""
    program = Program(COMMANDS, "")

    assert program.list_commands(click.Context(program)) == list(COMMANDS)
    assert program.get_command(click.Context(program), "nonsense") is None


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_version_and_help_load_nothing_heavy(argument: str) -> None:
    """They answer as fast as Python starts: no toolkit, no protocol, nothing of the core."""
    script = "import sys, avow.cli.main as m; m.main(); print(*sys.modules)"
    command = [sys.executable, "-c", script, argument]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    loaded = {module.split(".")[0] for module in shown.splitlines()[-1].split()}

    assert loaded.isdisjoint({"click", "rich", "mcp", "pydantic", "httpx", "asyncio", "typing", "msgspec"})
    assert "avow.core" not in shown.splitlines()[-1]


def test_the_version_is_the_package_s() -> None:
    """`python -m avow` is the same program."""
    command = [sys.executable, "-m", "avow", "--version"]

    assert (
        subprocess.run(command, capture_output=True, text=True, check=True).stdout
        == f"avow {avow.__version__}\n"
    )

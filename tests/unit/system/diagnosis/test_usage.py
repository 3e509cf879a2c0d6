"""Usage texts: what a command line cannot do without."""

import pytest

from avow.system.diagnosis.diagnosing import diagnose
from avow.system.diagnosis.evidence import Evidence, Outcome
from avow.system.diagnosis.output.text import statements
from avow.system.diagnosis.output.usage import Usage, read_usage, serving_command


def usage(text: str) -> Usage:
    return read_usage(statements((text,)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Usage: mcp-server-filesystem <allowed-directory> [more...]", ["allowed-directory"]),
        ("usage: thing [-h] --db-path DB_PATH [--readonly]", ["--db-path"]),
        ("Usage: node index.js <url> <token>", ["url", "token"]),
        ("Usage: thing [OPTIONS]", []),
        ("usage: thing [-h]\n                         PATH", ["PATH"]),
    ],
)
def test_what_stands_outside_of_brackets_is_required(text: str, expected: list[str]) -> None:
    """Options and what is in brackets may be left out."""
    assert [name.text for name in usage(text).required] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Usage: thing [options] [command]\n\nCommands:\n  init [options]  set up\n  mcp  start\n  help  help",
        "USAGE\n  thing mcp [--x]\nCOMMANDS\n  init  set up\n  mcp   start the server",
        " Usage: thing [OPTIONS] COMMAND [ARGS]...\n"
        "╭─ Commands ─────────╮\n│ init   Set up      │\n│ mcp    Start       │\n╰────────────────────╯",
    ],
)
def test_commands_are_read_in_every_layout(text: str) -> None:
    """Commander, stricli and typer."""
    assert usage(text).commands == ("init", "mcp")
    found = diagnose(Evidence(Outcome.EXITED, stderr=text, exit_code=1)).required

    assert [(one.binding.name, one.fixed) for one in found] == [("mcp", "mcp")]


def test_the_command_that_serves_is_chosen_only_when_it_is_clear() -> None:
    """`stdio` before `serve`; nothing when nothing is known to serve."""
    assert serving_command(("serve", "stdio")) == "stdio"
    assert serving_command(("init", "add")) == ""
    assert serving_command(("init", "run-mcp-server")) == "run-mcp-server"


def test_a_positional_with_choices_is_the_word_that_serves() -> None:
    """argparse names the argument, its usage line the words."""
    words = "usage: x [-h] {stdio,http} ...\nx: error: the following arguments are required: transport"

    found = diagnose(Evidence(Outcome.EXITED, stderr=words, exit_code=2)).required

    assert [one.binding.name for one in found] == ["stdio"]

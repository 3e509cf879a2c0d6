"""The click group behind `avow`: it imports a command when somebody asks for it."""

import importlib
from collections.abc import Sequence

import click

from avow.cli.failures import guarded
from avow.cli.main import COMMANDS, help_text


class Program(click.Group):
    """All commands of the table in `avow.cli.main`, none of them loaded before its turn."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click calls it so
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"avow.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def get_help(self, ctx: click.Context) -> str:  # noqa: ARG002
        """The text of `avow --help`, which has one home."""
        return help_text().rstrip("\n")


program = Program("avow", add_help_option=True)


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; failures are explained, never raised."""
    return guarded(lambda: program.main(list(arguments), prog_name="avow", standalone_mode=False), arguments)

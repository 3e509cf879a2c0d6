"""The click group behind `avow`: it imports a command when somebody asks for it."""

import gc
import importlib
from collections.abc import Iterable, Mapping, Sequence

import click

from avow.cli.failures import guarded
from avow.errors import UsageError


class Program(click.Group):
    """The commands of a table, none of them loaded before its turn."""

    def __init__(self, table: Mapping[str, str], text: str) -> None:
        """Remember the names and what `--help` prints."""
        super().__init__("avow")
        self._table = table
        self._text = text

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click calls it so
        """The names, in the order of the table."""
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command."""
        if cmd_name not in self._table:
            return None
        command = importlib.import_module(f"avow.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        if not gc.isenabled():
            # From here on there may be garbage.
            gc.freeze()
            gc.enable()
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one was probably meant."""
        require_known(args[0], self._table, "avow")
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:  # noqa: ARG002
        """The text of `avow --help`, which has one home."""
        return self._text.rstrip("\n")


def require_known(word: str, table: Iterable[str], group: str) -> None:
    """Say which command was probably meant when there is none of that name; options are not for us.

    Raises:
        UsageError: there is no such command.
    """
    known = list(table)
    if word in known or word.startswith("-"):
        return
    # Late, like everything that only a mistake needs.
    from difflib import get_close_matches

    close = get_close_matches(word, known, n=1)
    hint = f"did you mean `{group} {close[0]}`?" if close else f"see `{group} --help`"
    raise UsageError(f"there is no command {word!r}", hint=hint)


def run_program(program: Program, arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; failures are explained, never raised."""
    return guarded(lambda: program.main(list(arguments), prog_name="avow", standalone_mode=False), arguments)

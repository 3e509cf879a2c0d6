"""The group behind `avow registry`: it imports a subcommand when somebody asks for it."""

import importlib
from collections.abc import Callable
from typing import Final

import click

from avow.cli.main import COMMANDS
from avow.cli.program import require_known

SUBCOMMANDS: Final = {
    "serve": "Run a registry.",
    "publish": "Publish a snapshot under a name and a version.",
    "search": "Find servers and capabilities.",
    "history": "Show the versions of a server, and how each differs from the one before.",
    "verify": "Check a lockfile against a registry's log.",
    "approve": "Approve a version in an environment.",
    "reject": "Reject a version in an environment.",
    "take-back": "Take your decision about a version back.",
    "approvals": "Show what is approved, rejected and still to be decided, and who said so.",
    "changes": "Show what changed lately, the worst first.",
    "environment": "Say how many people have to agree somewhere.",
    "token": "Make, list and revoke tokens.",
    "namespace": "Claim namespaces, and change their keys.",
    "watch": "Keep a list of what you want to hear of.",
    "webhook": "Have other services told of drift.",
    "backup": "Copy a registry into one file, while it runs.",
    "restore": "Put a backup back.",
    "export": "Write everything published as JSON lines.",
    "audit": "Check that a registry's own store is what its log says.",
    "import": "Read what another registry exported.",
}
_MODULES: Final = {"reject": "approve", "take-back": "approve", "restore": "backup", "import": "export"}


class _Explaining(click.Group):
    """A group that says which command was probably meant, and explains itself when none is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; where there are none, that is a question and no mistake."""
        if not args:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or raise what helps to."""
        require_known(args[0], self.list_commands(ctx), ctx.command_path)
        return super().resolve_command(ctx, args)


def group_of(name: str) -> Callable[[Callable[..., None]], click.Group]:
    """Make a subcommand that has subcommands itself."""
    return click.group(name, cls=_Explaining, short_help=SUBCOMMANDS[name])


class _Group(_Explaining):
    """The subcommands of a table, none of them loaded before its turn."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click calls it so
        """The names, in the order of the table."""
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one subcommand."""
        if cmd_name not in SUBCOMMANDS:
            return None
        module = importlib.import_module(f"avow.cli.registry.{_MODULES.get(cmd_name, cmd_name)}")
        found = getattr(module, f"{cmd_name.replace('-', '_')}_command", None) or module.command
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Name them without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SUBCOMMANDS.items()))


@click.command("registry", cls=_Group, short_help=COMMANDS.get("registry"))
def command() -> None:
    """Run a registry, publish to one, and ask one.

    The address comes from --registry or AVOW_REGISTRY, the token from AVOW_REGISTRY_TOKEN or, where
    `avow registry token keep` has put it there, from the store of secrets.
    """

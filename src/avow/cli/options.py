"""The options that several commands share, and the `--` that separates ours from a server's command."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

import click

from avow.core.severity import Severity

_Function = TypeVar("_Function", bound=Callable[..., Any])
Decorator: TypeAlias = Callable[[_Function], _Function]

_COMMAND: Final = "avow.command"


class CommandWithServer(click.Command):
    """A command whose line may end in `-- COMMAND ARG…`, which belongs to a server and is not parsed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep what follows `--` for `server_command`."""
        if "--" in args:
            place = args.index("--")
            args, ctx.meta[_COMMAND] = args[:place], tuple(args[place + 1 :])
            if not ctx.meta[_COMMAND]:
                raise click.UsageError("nothing follows `--`: write the server's command there", ctx)
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Mention the server's command in the usage line."""
        return [*super().collect_usage_pieces(ctx), "[-- COMMAND ARG…]"]


def server_command(ctx: click.Context) -> tuple[str, ...]:
    """What followed `--` on the command line; empty when there was none."""
    command: tuple[str, ...] = ctx.meta.get(_COMMAND, ())
    return command


def format_option(*formats: str) -> Decorator[Any]:
    """`--format`, with text as the default."""
    return click.option(
        "--format",
        "format_name",
        type=click.Choice(formats),
        default="text",
        show_default=True,
        help="How to print the result.",
    )


lockfile_option: Decorator[Any] = click.option(
    "--lockfile",
    type=click.Path(path_type=Path),
    default=Path("avow.lock"),
    show_default=True,
    help="The file with the approved servers.",
)
config_option: Decorator[Any] = click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="An MCP client's configuration to take servers and their environment from.",
)
environment_option: Decorator[Any] = click.option(
    "-e",
    "--env",
    "environment",
    multiple=True,
    metavar="KEY[=VALUE]",
    help="Pass a variable to the server; KEY alone takes the value from our environment. Never stored.",
)
header_option: Decorator[Any] = click.option(
    "-H",
    "--header",
    "headers",
    multiple=True,
    metavar="'NAME: VALUE'",
    help="Send a header to an HTTP server; VALUE may contain ${VARIABLE}. Values are never stored.",
)
timeout_option: Decorator[Any] = click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=60,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for a server.",
)
quiet_option: Decorator[Any] = click.option(
    "-q", "--quiet", is_flag=True, help="No progress, and nothing on success."
)
fail_on_option: Decorator[Any] = click.option(
    "--fail-on",
    type=click.Choice([str(severity) for severity in Severity]),
    metavar="LEVEL",
    help="The lowest severity that ends with exit code 1: info, safe, moderate or critical (the default).",
)


_SERVER_OPTIONS: Final = (
    lockfile_option,
    config_option,
    environment_option,
    header_option,
    timeout_option,
    quiet_option,
)


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Everything that says how to reach servers."""

    lockfile: Path
    config: Path | None
    environment: tuple[str, ...] = field(repr=False)
    headers: tuple[str, ...] = field(repr=False)
    timeout: float
    quiet: bool


def server_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how to reach a server; the function gets them as `options`."""

    @wraps(function)
    def bundled(*arguments: Any, **named: Any) -> Any:
        bundle = {option: named.pop(option) for option in ServerOptions.__slots__}
        return function(*arguments, options=ServerOptions(**bundle), **named)

    decorated: Callable[..., Any] = bundled
    for decorate in reversed(_SERVER_OPTIONS):
        decorated = decorate(decorated)
    return decorated

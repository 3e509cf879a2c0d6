"""The options of `avow configure`, and what they ask for."""

from dataclasses import dataclass
from typing import Any

import click

from avow.cli.options import Decorator, format_option


def configure_options(function: Any) -> Any:
    """The options of this command, in the order of its help."""
    options: tuple[Decorator[Any], ...] = (
        click.option("--name", metavar="NAME", default="", help="With a command or an address: its name."),
        click.option(
            "--set", "set_", multiple=True, metavar="KEY=VALUE", help="Give a value that is no secret."
        ),
        click.option(
            "--set-from-env",
            multiple=True,
            metavar="KEY[=VARIABLE]",
            help="Take a value from our environment now, and keep it.",
        ),
        click.option("--set-file", multiple=True, metavar="KEY=PATH", help="Take a value from a file."),
        click.option(
            "--set-stdin", metavar="KEY", help="Take a value, such as a secret, from standard input."
        ),
        click.option(
            "--forget", multiple=True, metavar="KEY", help="Remove what is stored for one parameter."
        ),
        click.option("--reset", is_flag=True, help="Remove everything that is stored for this server."),
        click.option("--preset", metavar="NAME", default="", help="Use the values of a preset in avow.toml."),
        click.option("--where", is_flag=True, help="Tell for each value where it comes from, and stop."),
        click.option(
            "--all", "everything", is_flag=True, help="Ask for everything, not only for what is new."
        ),
        click.option("--web", is_flag=True, help="Ask in a browser, with a form on this machine."),
        click.option("--open", "open_it", is_flag=True, help="With --web: open the browser too."),
        click.option(
            "--idle",
            type=click.FloatRange(min=0, min_open=True),
            default=600,
            show_default=True,
            metavar="SECONDS",
            help="With --web: how long to wait for somebody.",
        ),
        click.option(
            "--allow-variable",
            multiple=True,
            metavar="NAME",
            help="Allow a variable that decides which code runs or where traffic goes.",
        ),
        click.option(
            "--save-anyway", is_flag=True, help="Keep the values although the server does not work."
        ),
        click.option("--yes", is_flag=True, help="Ask nothing: use what is there and given."),
        click.option("--move", is_flag=True, help="Move secrets out of client configurations, too."),
        format_option("text", "json"),
    )
    for option in reversed(options):
        function = option(function)
    return function


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the options of this command ask for, apart from values."""

    name: str
    reset: bool
    preset: str
    where: bool
    everything: bool
    web: bool
    open_it: bool
    idle: float
    allow_variable: tuple[str, ...]
    move: bool
    save_anyway: bool
    yes: bool
    format_name: str

    @property
    def text(self) -> bool:
        """Whether the result is for people."""
        return self.format_name == "text"

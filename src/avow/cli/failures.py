"""What a person sees when a command cannot do its job: a message, a hint, exit code 2; never a traceback."""

import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final

import click

from avow.errors import AvowError

DECLINED: Final = 1
FAILED: Final = 2
INTERRUPTED: Final = 130

_REPORT_IT: Final = (
    "this is a mistake in Avow: please report it with the command you ran; AVOW_DEBUG=1 shows the details"
)


def guarded(action: Callable[[], int | None], arguments: Sequence[str]) -> int:
    """Run `action`, and turn whatever goes wrong into words and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets its escape, and not an end in the middle of a report.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        return action() or 0
    except AvowError as error:
        explain(error.message, error.hint, arguments)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "avow"
        explain(error.format_message(), f"see `{command} --help`", arguments)
    except click.ClickException as error:
        explain(error.format_message(), "", arguments)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  the last resort: a traceback is no answer to a user
        explain(_unexpected(error), _REPORT_IT, arguments)
        if os.environ.get("AVOW_DEBUG") == "1":
            import traceback

            sys.stderr.write(_without_secrets("".join(traceback.format_exception(error)), arguments))
    return FAILED


def explain(message: str, hint: str, arguments: Sequence[str]) -> None:
    """Print a failure: for people on stderr, and as a document on stdout when that was asked for."""
    message, hint = (_without_secrets(text, arguments) for text in (message, hint))
    if wants_json(arguments):
        document = {"error": {"message": message, "hint": hint}}
        sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    else:
        sys.stderr.write(failure_lines(message, hint))


def failure_lines(message: str, hint: str) -> str:
    """A failure as people read it."""
    # Late, like everything that only a failure needs.
    from avow.core.printable import printable

    return printable(f"error: {message}\n" + (f"hint: {hint}\n" if hint else ""))


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether the command line asks for JSON; it may be one that does not parse."""
    own = _own(arguments)
    return "--format=json" in own or ("--format", "json") in pairwise(own)


def _own(arguments: Sequence[str]) -> list[str]:
    """The arguments that are ours: what follows `--` is the server's."""
    own = list(arguments)
    return own[: own.index("--")] if "--" in own else own


def _unexpected(error: Exception) -> str:
    """Type and place of an error nobody foresaw; its text may hold anything, so it is left out."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""  # noqa: PTH119
    return f"unexpected {type(error).__name__}{place}"


def _without_secrets(text: str, arguments: Sequence[str]) -> str:
    """The text with every value that the command line hands to a server struck out."""
    for value in _values(_own(arguments), "-e", "--env"):
        name, equals, given = value.partition("=")
        text = _struck(text, given if equals else os.environ.get(name, ""))
    for value in _values(_own(arguments), "-H", "--header"):
        text = _struck(text, value.partition(":")[2].strip())
    return text


def _values(arguments: Sequence[str], short: str, long: str) -> Iterator[str]:
    """The values of an option in each of its spellings."""
    for word, following in pairwise((*arguments, "")):
        if word in (short, long):
            yield following
        elif word.startswith(f"{long}="):
            yield word.removeprefix(f"{long}=")
        elif word.startswith(short) and not word.startswith("--"):
            yield word.removeprefix(short)


def _struck(text: str, secret: str) -> str:
    # Short values such as `1` or `on` are no secrets, and would tear the text apart.
    return text.replace(secret, "***") if len(secret) >= 6 else text

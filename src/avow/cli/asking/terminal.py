"""The terminal itself: lines with editing and completion, secrets without echo, yes and no."""

import sys
from collections.abc import Callable, Iterable

from avow.cli.output import write
from avow.cli.output.console import Line, line, to_string

Completer = Callable[[str], list[str]]


def is_there() -> bool:
    """Whether there is somebody to ask."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def say(*lines: Line) -> None:
    """Print lines, wrapped and coloured."""
    write(to_string(lines))


def tell(lines: Iterable[Line]) -> None:
    """Print lines that are made one by one."""
    write(to_string(list(lines)))


def ask_line(prompt: str, complete: Completer | None = None) -> str:
    """One line, edited as shells do; with `complete`, Tab completes it.

    Raises:
        KeyboardInterrupt: somebody pressed Ctrl-C, or Ctrl-D on an empty line.
    """
    _prepare(complete)
    try:
        return input(prompt)
    except EOFError:
        raise _left() from None
    finally:
        _prepare(None)


def ask_secret(prompt: str) -> str:
    """One line that is not shown.

    Raises:
        KeyboardInterrupt: somebody pressed Ctrl-C, or Ctrl-D on an empty line.
    """
    # Late: few servers are asked about twice a day.
    from getpass import getpass

    try:
        # Blanks around it came with the clipboard.
        return getpass(prompt).strip()
    except EOFError:
        raise _left() from None


def ask_yes(question: str, *, default: bool) -> bool:
    """Yes or no; Enter means the one in capitals."""
    choices = "[Y/n]" if default else "[y/N]"
    while True:
        match ask_line(f"{question} {choices} ").strip().lower():
            case "":
                return default
            case "y" | "yes":
                return True
            case "n" | "no":
                return False
            case _:
                say(line("please answer y or n", indent=2))


def _left() -> KeyboardInterrupt:
    write("\n")
    return KeyboardInterrupt()


def _prepare(complete: Completer | None) -> None:
    """Set the editor up; answers are not remembered, so that no other prompt brings them back."""
    try:
        import readline
    except ImportError:
        return
    readline.set_auto_history(False)
    if complete is None:
        readline.set_completer(None)
        return
    found: list[str] = []

    def candidate(text: str, state: int) -> str | None:
        if state == 0:
            found[:] = complete(text)
        return found[state] if state < len(found) else None

    readline.set_completer(candidate)
    # The whole line is one path: blanks and dashes are part of it.
    readline.set_completer_delims("")
    is_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")

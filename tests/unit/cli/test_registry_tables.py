"""Lists of the registry: colour on a terminal, plain columns in a pipe."""

import io
import sys

import pytest

from avow.cli.output.console import Part
from avow.cli.registry.tables import BAD, level, print_table, safe

ROWS: list[tuple[Part, ...]] = [("one", level("critical"), ("failed", BAD)), ("three", level("safe"), "well")]


def test_a_pipe_gets_columns(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("ID", "LEVEL", "STATE"), ROWS, "nothing")

    assert capsys.readouterr().out == (
        "ID     LEVEL     STATE\none    critical  failed\nthree  safe      well\n"
    )


class Terminal(io.StringIO):
    """A stdout that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    print_table(("ID", "LEVEL", "STATE"), ROWS, "nothing")

    shown = terminal.getvalue()
    assert "\x1b[1;31mcritical\x1b[0m" in shown
    assert "\x1b[32msafe\x1b[0m" in shown


def test_an_empty_list_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("ID",), [], "no webhooks: `avow registry webhook add URL`")

    assert capsys.readouterr().out == "no webhooks: `avow registry webhook add URL`\n"


def test_what_others_wrote_cannot_act(capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown level is text like any other."""
    print_table(("ID", "LEVEL"), [(safe("a\x1b[2J\nb"), level("\x1b[2J"))], "")

    assert "\x1b" not in capsys.readouterr().out

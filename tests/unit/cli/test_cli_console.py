"""Laying out lines for a terminal and for a pipe."""

import io
import sys

import pytest

from avow.cli.output.console import BLANK, columns, line, plural, to_string


class Terminal(io.StringIO):
    """A stdout that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)


def test_a_pipe_gets_plain_text_one_fact_per_line() -> None:
    """However long it is, and whatever the environment says about colours."""
    shown = to_string([line(("name", "bold red"), "  " + "x" * 200), BLANK, line("end", indent=2)])

    assert shown == f"name  {'x' * 200}\n\n  end\n"


def test_a_terminal_gets_colour_and_lines_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """What wraps stays in its column."""
    on_terminal(monkeypatch)

    shown = to_string(columns([[("high", "red"), "word " * 12], ["low", "short"]]))

    rows = shown.splitlines()
    assert "\x1b[31mhigh" in rows[0]
    assert rows[1].startswith("        word")
    assert rows[-1] == "  low   short"


def test_no_color_means_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """https://no-color.org"""
    on_terminal(monkeypatch)
    monkeypatch.setenv("NO_COLOR", "1")

    assert "\x1b[31m" not in to_string([line(("high", "red"))])


def test_columns_stand_below_each_other_whatever_they_hold() -> None:
    """Characters of double width count double."""
    shown = to_string(columns([["日本", "x"], ["abc", "y"]]))

    assert shown == "  日本  x\n  abc   y\n"


def test_no_rows_are_no_lines() -> None:
    """Nothing to align is not an error."""
    assert columns([]) == []


def test_counting_in_words() -> None:
    """One tool, two tools."""
    assert (plural(1, "tool"), plural(2, "tool")) == ("1 tool", "2 tools")

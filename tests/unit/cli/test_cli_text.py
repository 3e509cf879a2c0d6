"""Drift as text."""

from dataclasses import replace

from avow.cli.output.text import drift
from avow.core.drift.model import Change, Effect
from avow.core.severity import Severity
from avow.system.checking import Compared
from drift_reports import BROKEN, CLEAN, DRIFTED, HOSTILE, REWORDED, WIDER, report


def test_a_report_is_read_from_the_top() -> None:
    """The whole text, since its look is the point."""
    assert (
        drift(report(DRIFTED, CLEAN))
        == """\
notes  1 critical, 1 safe
  critical  tool read_note  accepts a new optional argument 'command'
            /inputSchema/properties/command
  safe      tool list_notes  the description has a small edit
            /description  has a small edit
            - List the titels of notes.
            + List the titles of notes.
  allowed   tool send_note  until 2031-01-01: we asked for it
  note      the list was cut short
files  as approved

If you expected this, approve it: avow lock notes
"""
    )


def test_a_server_that_could_not_be_looked_at_is_not_clean() -> None:
    """It says why and what to do."""
    assert (
        drift(report(BROKEN))
        == """\
mail  could not be looked at
  there is no program mailer
  hint: is it installed?

What could not be looked at is not approved: repair it and check again.
"""
    )


def test_what_many_tools_share_is_told_once() -> None:
    """An SDK upgrade changes the notation of every tool: one line, not thirty."""
    same = Change("/inputSchema/$schema", "added", Effect.NOTATION, Severity.SAFE, "names its dialect")
    drifts = tuple(
        replace(WIDER, name=f"tool_{n}", severity=Severity.SAFE, summary="says the same", changes=(same,))
        for n in range(30)
    )

    rows = drift(report(Compared("x", None, None, drifts))).splitlines()

    assert rows[1] == "  safe      30 tools  says the same"
    assert rows[2].endswith("tool_8, tool_9 and 20 more")


def test_a_few_rewordings_are_shown_one_by_one() -> None:
    """Their words differ even where their summaries do not."""
    other = replace(REWORDED, name="other")

    assert drift(report(Compared("x", None, None, (REWORDED, other)))).count("+ List the titles") == 2


def test_a_terminal_obeys_nothing_of_it() -> None:
    """Escapes and direction marks are shown, line breaks do not break the layout."""
    shown = drift(report(Compared("h\x1b[2J", None, None, (HOSTILE,))))

    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "seen: by a client named cursor" in shown
    assert "hint: ask its author" in shown
    assert not any(row.startswith("#") for row in shown.splitlines())

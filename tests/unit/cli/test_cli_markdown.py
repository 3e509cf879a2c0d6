"""Markdown for a pull request, written by servers that would like to act in it."""

from avow.cli.output.markdown import drift, inert
from avow.system.checking import Compared
from drift_reports import BROKEN, CLEAN, DRIFTED, HOSTILE, report


def test_a_report_has_a_table_and_the_wording() -> None:
    """As a reviewer sees it."""
    shown = drift(report(DRIFTED, CLEAN))

    assert "### notes: 1 critical, 1 safe" in shown
    assert "| **critical** | tool `read_note` | accepts a new optional argument 'command' |" in shown
    assert "```diff\n- List the titels of notes.\n+ List the titles of notes.\n```" in shown
    assert "Allowed until 2031-01-01: tool `send_note`, because we asked for it" in shown
    assert "### files: as approved" in shown
    assert shown.endswith("If you expected this, approve it: avow lock notes\n")


def test_a_failure_is_reported_as_one() -> None:
    """With the server's own words in a block of their own."""
    shown = drift(report(BROKEN))

    assert "### mail: could not be looked at\n\n```text\nthere is no program mailer\n```" in shown


def test_what_a_server_wrote_does_not_act() -> None:
    """No link, no mention, no markup, no HTML, no new row or heading."""
    shown = drift(report(Compared("h", None, None, (HOSTILE,))))

    rows = [row for row in shown.splitlines() if "critical" in row and row.startswith("|")]
    assert len(rows) == 1
    assert "\n# title" not in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert inert("see https://evil.example") == "`see https://evil.example`"
    assert inert("@octocat") == "`@octocat`"
    assert inert("www.evil.example") == "`www.evil.example`"
    assert inert("<b>") == "`<b>`"
    assert inert("a_b_c") == "`a_b_c`"


def test_code_cannot_be_closed_from_inside() -> None:
    """The fence is longer than any run of backticks in it."""
    assert inert("`` ` ``") == "``` `` ` `` ```"
    assert inert("a|b`c") == "``a\\|b`c``"


def test_plain_words_stay_plain() -> None:
    """Code marks around every sentence would help nobody."""
    assert inert("accepts less: 'mode' is gone") == "accepts less: 'mode' is gone"

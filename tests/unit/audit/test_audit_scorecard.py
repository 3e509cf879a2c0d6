"""The five patterns at a glance, as a card and as a picture."""

from xml.etree import ElementTree

import pytest

from avow.audit.badge import badge_svg
from avow.audit.model import Finding, Level, Pattern, Verdict
from avow.audit.report import Report, together
from avow.audit.scorecard import Scorecard, combined, scorecard

ALL = frozenset(Pattern)


def finding(severity: Level) -> Finding:
    return Finding("AVW030", Pattern.DOWNGRADE, severity, Level.HIGH, "says")


def every(verdict: Verdict) -> Scorecard:
    return dict.fromkeys(Pattern, verdict)


@pytest.mark.parametrize(
    ("severity", "verdict"),
    [(Level.LOW, Verdict.PASS), (Level.MEDIUM, Verdict.FAIL), (Level.HIGH, Verdict.FAIL)],
)
def test_a_remark_does_not_fail_a_pattern(severity: Level, verdict: Verdict) -> None:
    card = scorecard([finding(severity)], looked=ALL)

    assert card[Pattern.DOWNGRADE] is verdict
    assert card[Pattern.INITIALIZATION] is Verdict.PASS


def test_what_nobody_looked_at_is_unknown() -> None:
    card = scorecard([], looked=frozenset(), not_applicable=frozenset({Pattern.CLIENT_CAPABILITIES}))

    assert card[Pattern.CLIENT_CAPABILITIES] is Verdict.NOT_APPLICABLE
    assert card[Pattern.DOWNGRADE] is Verdict.UNKNOWN


def test_a_failure_anywhere_counts() -> None:
    def joined(*verdicts: Verdict) -> Verdict:
        return combined([every(verdict) for verdict in verdicts])[Pattern.DOWNGRADE]

    assert joined(Verdict.PASS, Verdict.FAIL) is Verdict.FAIL
    assert joined(Verdict.UNKNOWN, Verdict.FAIL) is Verdict.FAIL
    assert joined(Verdict.NOT_APPLICABLE, Verdict.PASS) is Verdict.PASS
    assert joined() is Verdict.UNKNOWN


@pytest.mark.parametrize("other", [Verdict.PASS, Verdict.NOT_APPLICABLE])
def test_a_look_that_failed_is_not_made_up_for_by_another(other: Verdict) -> None:
    assert combined([every(other), every(Verdict.UNKNOWN)]) == every(Verdict.UNKNOWN)


def test_a_report_with_a_blind_part_is_blind_and_names_it() -> None:
    source = Report("src", (finding(Level.HIGH),), every(Verdict.PASS), files=3)

    both = together([source, Report("node server.js", (), every(Verdict.UNKNOWN))])

    assert both.is_blind
    assert both.notes == ("nothing could be told of node server.js",)


def test_two_looks_are_one_report() -> None:
    source = Report("src", (finding(Level.LOW),), every(Verdict.PASS), notes=("a",), files=3)
    live = Report("node server.js", (finding(Level.HIGH),), every(Verdict.FAIL), notes=("b",))

    both = together([source, live])

    assert (both.subject, both.files, both.notes) == ("src, node server.js", 3, ("a", "b"))
    assert both.scorecard == every(Verdict.FAIL)
    assert both.at_least(Level.MEDIUM) == live.findings
    assert together([source]) is source


def test_the_badge_says_every_verdict_in_words_too() -> None:
    card = {**every(Verdict.PASS), Pattern.DOWNGRADE: Verdict.FAIL}

    picture = ElementTree.fromstring(badge_svg(card))
    titles = [title.text or "" for title in picture.iter("{http://www.w3.org/2000/svg}title")]

    assert "downgrade: fail" in titles
    assert len(titles) == 1 + len(Pattern)
    assert "downgrade: fail" in (picture.get("aria-label") or "")

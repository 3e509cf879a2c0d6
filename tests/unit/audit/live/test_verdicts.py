"""A failure to look is never a pass."""

from avow.audit.live import rules
from avow.audit.live.verdicts import Looks
from avow.audit.model import Level, Pattern, Verdict


def test_nobody_looked() -> None:
    assert set(Looks().card([]).values()) == {Verdict.UNKNOWN}


def test_one_look_that_failed_is_enough_for_doubt() -> None:
    looks = Looks()
    looks.note(Pattern.DOWNGRADE, is_conclusive=True)
    assert looks.card([])[Pattern.DOWNGRADE] is Verdict.PASS

    looks.note(Pattern.DOWNGRADE, is_conclusive=False)
    assert looks.card([])[Pattern.DOWNGRADE] is Verdict.UNKNOWN


def test_a_finding_fails_and_a_remark_does_not() -> None:
    looks = Looks()
    looks.note(Pattern.INITIALIZATION, is_conclusive=True)
    remark = rules.LIST_BEFORE_INITIALIZE.finding("…", severity=Level.LOW)

    assert looks.card([remark])[Pattern.INITIALIZATION] is Verdict.PASS
    assert looks.card([rules.LIST_BEFORE_INITIALIZE.finding("…")])[Pattern.INITIALIZATION] is Verdict.FAIL


def test_what_there_is_nothing_of_is_not_applicable_once_somebody_looked() -> None:
    looks = Looks(has_handshake=False)
    assert looks.card([])[Pattern.CLIENT_CAPABILITIES] is Verdict.UNKNOWN

    looks.note(Pattern.CLIENT_CAPABILITIES, is_conclusive=True)
    looks.note(Pattern.INITIALIZATION, is_conclusive=True)
    card = looks.card([])
    assert card[Pattern.CLIENT_CAPABILITIES] is Verdict.NOT_APPLICABLE
    assert card[Pattern.INITIALIZATION] is Verdict.NOT_APPLICABLE

    looks.uses_client = True
    assert looks.card([])[Pattern.CLIENT_CAPABILITIES] is Verdict.PASS

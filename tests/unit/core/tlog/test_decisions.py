"""What several people's decisions come to."""

import pytest

from avow.core.tlog.decisions import Decision, newest_of_each, same_person, standing
from avow.core.tlog.entry import ApprovalEntry

ANN, BOB = "ann", "bob"


@pytest.mark.parametrize(
    ("decisions", "expected"),
    [
        ([], "pending"),
        ([(ANN, "approved", 1)], "approved"),
        ([(ANN, "pending", 0)], "pending"),
        ([(ANN, "approved", 2)], "pending"),
        ([(ANN, "approved", 2), (ANN, "approved", 2)], "pending"),
        ([(ANN, "approved", 2), (BOB, "approved", 2)], "approved"),
        ([(ANN, "approved", 1), (BOB, "rejected", 1)], "rejected"),
        ([(BOB, "rejected", 1), (BOB, "approved", 1)], "approved"),
        ([(ANN, "approved", 1), (ANN, "pending", 1)], "pending"),
    ],
)
def test_the_newest_word_of_each_person_counts(decisions: list[tuple[str, str, int]], expected: str) -> None:
    assert standing(Decision(*each) for each in decisions) == expected


@pytest.mark.parametrize(
    "again", ["Ann", "a\u200bnn", "ANN ", "\uff41nn", "\u00e4nn", "a\u0308nn", "b ob", "b  ob"]
)
def test_two_spellings_of_a_name_are_one_person(again: str) -> None:
    """Somebody cannot agree with themselves by writing their name in another way; others can."""
    both = [Decision(name, "approved", 2) for name in (ANN, "\u00c4NN", "b ob", again)]

    assert len({same_person(each.by) for each in both}) == 3
    assert standing([both[0], both[-1]]) == ("approved" if same_person(again) != ANN else "pending")


def test_who_decides_again_under_another_spelling_is_told_once_and_last() -> None:
    made = [
        Decision(name, state, 1) for name, state in ((ANN, "approved"), (BOB, "approved"), ("Ann", "pending"))
    ]

    assert list(newest_of_each(made, lambda each: each.by).items()) == [(BOB, made[1]), (ANN, made[2])]


@pytest.mark.parametrize(
    ("decisions", "expected"),
    [
        ([(ANN, "approved", 1), (BOB, "approved", 3)], "pending"),
        ([(ANN, "approved", 2), (ANN, "approved", 1)], "approved"),
        ([(ANN, "approved", 2), (BOB, "pending", 1)], "approved"),
    ],
)
def test_the_number_in_the_newest_decision_counts(
    decisions: list[tuple[str, str, int]], expected: str
) -> None:
    assert standing(Decision(*each) for each in decisions) == expected


def test_an_entry_of_the_log_is_a_decision() -> None:
    entry = ApprovalEntry(
        time="2026-11-15T14:35:50.123Z",
        name="io.github.owner/files",
        version="1",
        digest="sha256:" + "0" * 64,
        environment="production",
        state="approved",
        needed=2,
        by=ANN,
        reason="",
    )

    assert entry.decision == Decision(ANN, "approved", 2)

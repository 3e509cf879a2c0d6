"""What several people's decisions come to."""

import pytest

from avow.core.tlog.decisions import Decision, standing

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

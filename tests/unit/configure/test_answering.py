"""Whether an answer will do, and what a person meant by it."""

from pathlib import Path

import pytest

from avow.configure.answering import Draft, problem_with, tidied
from avow.core.configuration.model import PathKind, ValueType
from configure_questions import question, variable


@pytest.mark.parametrize(("typed", "meant"), [("y", "true"), (" No ", "false"), ("ON", "true"), ("0", "0")])
def test_yes_and_no_have_many_spellings(typed: str, meant: str) -> None:
    assert tidied(variable("SWITCH", type=ValueType.BOOLEAN), typed) == meant


def test_a_path_is_made_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    place = variable("PLACE", type=ValueType.PATH)

    assert tidied(place, "~/notes") == str(tmp_path / "notes")
    assert tidied(place, " notes/../other ") == str(tmp_path / "other")


def test_blanks_belong_to_a_text_and_not_to_a_number() -> None:
    assert tidied(variable("NAME"), " a b ") == " a b "
    assert tidied(variable("COUNT", type=ValueType.INTEGER), " 3 ") == "3"


def test_a_file_is_no_directory_and_what_must_exist_does(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    place = question(variable("PLACE", type=ValueType.PATH, path_kind=PathKind.DIRECTORY, must_exist=True))

    assert problem_with(place, (str(tmp_path),)) is None
    assert problem_with(place, (str(tmp_path / "file"),)) == "PLACE must be a directory"
    assert problem_with(place, (str(tmp_path / "nothing"),)) == "PLACE must be a path that exists"


def test_one_value_is_one_value() -> None:
    assert problem_with(question(variable("NAME")), ("a", "b")) == "only one value is possible"
    assert problem_with(question(variable("NAMES", multiple=True)), ("a", "b")) is None


def test_a_rule_is_named_and_the_value_is_not() -> None:
    token = question(variable("TOKEN", pattern="^ghp_", secret=True))

    problem = problem_with(token, ("my-secret",))

    assert problem is not None
    assert "^ghp_" in problem
    assert "my-secret" not in problem


def test_later_answers_replace_earlier_ones_of_any_kind() -> None:
    first = Draft({"A": ("1",), "B": ("2",)}, ("A", "B", "C"), ("C",), {"D": "DD"})
    later = Draft({"C": ("3",), "D": ("4",)}, ("D",), ("A",), {"B": "BB"}, ("E",))

    assert first.followed_by(later) == Draft(
        {"C": ("3",), "D": ("4",)}, ("A", "B", "C", "D"), ("A",), {"B": "BB"}, ("E",)
    )


def test_answers_do_not_show_in_a_representation() -> None:
    assert "hunter2" not in repr(Draft({"PASSWORD": ("hunter2",)}))

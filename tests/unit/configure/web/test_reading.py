"""What somebody filled in, and which of it is an answer."""

from avow.configure.questions import Current
from avow.configure.web.fields import Control
from avow.configure.web.reading import Filled, control_of, draft_of, read_fields
from avow.core.configuration.model import ValueType
from configure_questions import plan, question, variable

THERE = Current(("kept",), "a store")


def test_every_kind_of_question_has_its_control() -> None:
    kinds = {
        Control.SECRET: variable("TOKEN", multiple=True),
        Control.LINES: variable("NAMES", multiple=True),
        Control.CHOICE: variable("LEVEL", choices=("a", "b")),
        Control.CHECK: variable("SWITCH", type=ValueType.BOOLEAN, default=False),
        Control.NUMBER: variable("COUNT", type=ValueType.INTEGER),
        Control.PATH: variable("PLACE", type=ValueType.PATH),
        Control.URL: variable("ADDRESS", type=ValueType.URL),
        Control.TEXT: variable("NAME"),
    }

    assert {control_of(question(parameter)): parameter for parameter in kinds.values()} == kinds
    assert control_of(question(variable("SWITCH", type=ValueType.BOOLEAN))) is Control.CHOICE


def test_an_untouched_form_answers_nothing() -> None:
    questions = plan(
        variable("NAME"),
        variable("PORT", type=ValueType.INTEGER, default=1),
        variable("SWITCH", type=ValueType.BOOLEAN, default=True),
        variable("API_TOKEN"),
        current={"NAME": THERE, "API_TOKEN": Current(("secret",), "a store")},
    )

    filled = read_fields(questions, {"p0": "kept", "p1": "1", "p2": "true", "p3": ""}, Filled())
    draft = draft_of(questions, filled)

    assert filled.problems == {}
    assert draft.is_empty
    assert draft.asked == ("NAME", "PORT", "SWITCH", "API_TOKEN")


def test_an_emptied_field_takes_its_value_away_and_a_box_that_is_not_ticked_says_no() -> None:
    questions = plan(
        variable("NAME"), variable("SWITCH", type=ValueType.BOOLEAN, default=True), current={"NAME": THERE}
    )

    draft = draft_of(questions, read_fields(questions, {"p0": ""}, Filled()))

    assert draft.emptied == ("NAME",)
    assert draft.given == {"SWITCH": ("false",)}


def test_a_secret_is_remembered_while_the_form_lives_and_can_be_taken_away() -> None:
    questions = plan(variable("API_TOKEN"), current={"API_TOKEN": THERE})

    first = read_fields(questions, {"p0": " typed-secret "}, Filled())
    second = read_fields(questions, {"p0": ""}, first)

    assert draft_of(questions, second).given == {"API_TOKEN": ("typed-secret",)}
    assert "typed-secret" not in repr(second)
    assert draft_of(questions, read_fields(questions, {"p0-drop": "yes"}, first)).emptied == ("API_TOKEN",)


def test_a_tick_takes_the_variable_and_typing_counts_more() -> None:
    questions = plan(variable("API_TOKEN"), ambient={"API_TOKEN"})

    ticked = read_fields(questions, {"p0": "", "p0-take": "yes"}, Filled())
    typed = read_fields(questions, {"p0": "typed", "p0-take": "yes"}, Filled())

    assert draft_of(questions, ticked).taken == {"API_TOKEN": "API_TOKEN"}
    assert draft_of(questions, typed).given == {"API_TOKEN": ("typed",)}


def test_several_values_stand_on_lines_of_their_own() -> None:
    questions = plan(variable("NAMES", multiple=True), variable("KEYS", multiple=True, secret=True))

    filled = read_fields(questions, {"p0": "one\r\n\r\ntwo words\r\n", "p1": "a b"}, Filled())

    assert filled.typed == {"NAMES": ("one", "two words"), "KEYS": ("a", "b")}

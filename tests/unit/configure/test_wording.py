"""What is said about a parameter, whoever described it."""

from avow.configure.wording import description_of, kind_of, link_of, remarks_of, title_of
from avow.core.configuration.model import Binding, Parameter, PathKind, ValueType, Where
from configure_questions import question, variable


def test_the_kind_of_a_value_is_told_in_words() -> None:
    bounded = variable("PORT", type=ValueType.INTEGER, minimum=1, maximum=65535)
    place = variable(
        "PLACE", type=ValueType.PATH, path_kind=PathKind.DIRECTORY, must_exist=True, multiple=True
    )

    assert kind_of(question(bounded)) == "a whole number from 1 to 65535"
    assert kind_of(question(place)) == "an existing directory; several are possible"
    assert kind_of(question(variable("LEVEL", choices=("low", "high")))) == "one of low, high"
    assert kind_of(question(variable("API_KEY", minimum=None))) == "text, secret"
    assert kind_of(question(variable("N", type=ValueType.NUMBER, minimum=0))) == "a number, at least 0"
    assert kind_of(question(variable("N", type=ValueType.NUMBER, maximum=9))) == "a number, at most 9"


def test_the_title_stands_before_the_name() -> None:
    assert title_of(variable("HOST", title="Address of the wiki")) == "Address of the wiki (HOST)"
    assert title_of(variable("HOST", title="HOST")) == "HOST"


def test_control_characters_of_a_description_are_shown_and_not_obeyed() -> None:
    assert description_of(variable("X", description="a\x1b[31mb\u202ec")) == "a\\u{1b}[31mb\\u{202e}c"


def test_only_web_addresses_are_links() -> None:
    assert link_of(variable("X", help_url="https://example.org/tokens")) == "https://example.org/tokens"
    assert link_of(variable("X", help_url="javascript:alert(1)")) == ""
    assert link_of(variable("X")) == ""


def test_what_to_beware_of_is_said() -> None:
    exposed = Parameter("token", Binding(Where.ARGUMENT, "--token"))
    unreadable = variable("CODE", pattern="(?=look)ahead")
    remarks = [*remarks_of(question(exposed)), *remarks_of(question(unreadable))]

    assert "other programs of this machine" in remarks[0]
    assert "not checked here" in remarks[1]
    assert list(remarks_of(question(variable("NAME", examples=("a", "b"))))) == ["for example a, b"]
    assert list(remarks_of(question(variable("API_KEY", examples=("a-real-key",))))) == []

"""What is asked, in which order, and what silence means."""

import pytest

from avow.configure.questions import Current, shown_texts
from avow.core.configuration.model import Group, GroupRule, Origin, Source, ValueType
from configure_questions import plan, question, variable

EITHER = Group(GroupRule.ONE_OF, (("TOKEN",), ("USER_NAME", "PASSWORD")))


def test_what_is_required_comes_first_then_ways_then_the_rest() -> None:
    names = ["OPTIONAL", "TOKEN", "USER_NAME", "PASSWORD", "NEEDED"]
    found = plan(*(variable(name, required=name == "NEEDED") for name in names), groups=[EITHER])

    assert [one.key for one in found.required] == ["NEEDED"]
    assert [[one.key for one in way] for way in found.alternatives[0].ways] == [
        ["TOKEN"],
        ["USER_NAME", "PASSWORD"],
    ]
    assert [one.key for one in found.optional] == ["OPTIONAL"]
    assert [one.key for one in found] == ["NEEDED", "TOKEN", "USER_NAME", "PASSWORD", "OPTIONAL"]


def test_a_way_is_answered_when_everything_it_takes_is_there() -> None:
    there = {"USER_NAME": Current(("me",), "a file"), "PASSWORD": Current(("x",), "a store")}
    parameters = [variable(name) for name in ("TOKEN", "USER_NAME", "PASSWORD")]

    assert plan(*parameters, groups=[EITHER], current=there).alternatives[0].answered == 1
    assert plan(*parameters, groups=[EITHER]).alternatives[0].answered is None


def test_a_fixed_value_is_no_question() -> None:
    assert list(plan(variable("MODE", fixed="fast"))) == []


def test_silence_means_what_is_there_else_the_default() -> None:
    port = variable("PORT", type=ValueType.INTEGER, default=8080)

    assert question(port).offered == ("8080",)
    assert question(port, current={"PORT": Current(("9090",), "a file")}).offered == ("9090",)


@pytest.mark.parametrize("default", ["/", "~", "~/.ssh"])
def test_a_default_that_gives_much_away_is_only_suggested(default: str) -> None:
    found = question(variable("ROOT", type=ValueType.PATH, default=default))

    assert found.offered == ()
    assert found.suggested == (default,)
    assert found.risk


def test_a_variable_that_decides_which_code_runs_is_not_asked_for() -> None:
    wanted = variable("LD_PRELOAD", required=True)

    assert plan(wanted).refused == (wanted,)
    assert list(plan(wanted)) == []
    assert [one.key for one in plan(wanted, allowed=["LD_PRELOAD"])] == ["LD_PRELOAD"]


def test_that_a_program_reads_a_proxy_is_not_mentioned() -> None:
    read = variable("HTTPS_PROXY", source=Source(Origin.CODE))

    assert plan(read).refused == ()
    assert list(plan(read)) == []


def test_a_variable_of_the_environment_is_offered_only_where_nothing_is_there() -> None:
    token = variable("TOKEN")

    assert question(token, ambient={"TOKEN"}).ambient == "TOKEN"
    assert question(token, ambient={"OTHER"}).ambient == ""
    assert question(token, ambient={"TOKEN"}, current={"TOKEN": Current(("x",), "a store")}).ambient == ""


def test_an_alias_in_the_environment_does_as_well() -> None:
    assert question(variable("TOKEN", aliases=("OLD_TOKEN",)), ambient={"OLD_TOKEN"}).ambient == "OLD_TOKEN"


def test_of_a_secret_no_more_is_shown_than_its_owner_needs() -> None:
    token = question(variable("API_TOKEN"))

    assert shown_texts(token, ("short",)) == "****"
    assert shown_texts(token, ("a-long-secret-with-an-END1",)) == "****END1"
    assert "secret" not in repr(Current(("secret",), "a store"))


def test_yes_and_no_are_shown_as_words() -> None:
    switch = question(variable("SWITCH", type=ValueType.BOOLEAN, default=True))

    assert shown_texts(switch, switch.offered) == "yes"
    assert shown_texts(switch, ()) == ""

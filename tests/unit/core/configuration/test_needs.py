"""What is missing, all of it at once: required parameters, groups, defaults, fixed values."""

from avow.core.configuration.model import Binding, Configuration, Group, GroupRule, Parameter, Where
from avow.core.configuration.values import Missing, missing, too_many


def _variable(
    name: str, default: str | None = None, *, required: bool = False, fixed: str | None = None
) -> Parameter:
    return Parameter(name, Binding(Where.ENV, name), required=required, default=default, fixed=fixed)


TOKEN, USER, PASSWORD = _variable("TOKEN"), _variable("USER"), _variable("PASSWORD")
WAYS = Group(GroupRule.ONE_OF, (("TOKEN",), ("USER", "PASSWORD")))


def test_what_is_required_is_missing_until_it_is_given() -> None:
    configuration = Configuration.of([_variable("A", required=True), _variable("B", required=True), USER])

    assert missing(configuration, ()) == (
        Missing(configuration.parameters["A"]),
        Missing(configuration.parameters["B"]),
    )
    assert missing(configuration, {"A", "B"}) == ()


def test_a_default_does_unless_somebody_has_to_see_it_first() -> None:
    ordinary = _variable("LEVEL", "info", required=True)
    risky = _variable("ROOT", "/", required=True)
    fixed = _variable("MODE", required=True, fixed="x")

    assert missing(Configuration.of([ordinary, risky, fixed]), ()) == (Missing(risky),)


def test_a_group_wants_one_of_its_ways_whole() -> None:
    configuration = Configuration.of([TOKEN, USER, PASSWORD], [WAYS])

    assert missing(configuration, ()) == tuple(Missing(one, WAYS) for one in (TOKEN, USER, PASSWORD))
    assert missing(configuration, {"USER"}) == (Missing(PASSWORD, WAYS),)
    assert missing(configuration, {"TOKEN"}) == ()
    assert missing(configuration, {"USER", "PASSWORD"}) == ()


def test_what_is_required_anyway_is_not_told_twice() -> None:
    required = _variable("TOKEN", required=True)
    group = Group(GroupRule.ANY_OF, (("TOKEN", "USER"),))

    assert missing(Configuration.of([required, USER], [group]), ()) == (
        Missing(required),
        Missing(USER, group),
    )


def test_two_ways_of_one_are_one_too_many() -> None:
    either = Group(GroupRule.ANY_OF, WAYS.ways)
    configuration = Configuration.of([TOKEN, USER, PASSWORD], [WAYS, either])

    assert too_many(configuration, {"TOKEN", "USER", "PASSWORD"}) == (WAYS,)
    assert too_many(configuration, {"TOKEN", "USER"}) == ()

"""What a server has to be told and has not been, all of it at once."""

from collections.abc import Container, Iterator
from dataclasses import dataclass

from avow.core.configuration.hazards import risky_default
from avow.core.configuration.model import Configuration, Group, GroupRule, Parameter


@dataclass(frozen=True, slots=True)
class Missing:
    """A parameter that has to be given and is not; with a group, one of several ways to satisfy it."""

    parameter: Parameter
    group: Group | None = None


def missing(configuration: Configuration, given: Container[str]) -> tuple[Missing, ...]:
    """What has to be given and is not, all of it at once.

    A default does, unless it is one that a person has to see first. Of a group none of whose ways is
    complete, the rest of those that were begun is missing, or all of them.
    """
    return tuple(_missing(configuration, given))


def too_many(configuration: Configuration, given: Container[str]) -> tuple[Group, ...]:
    """The groups of which one way was to be chosen and several were given."""
    return tuple(
        group
        for group in configuration.groups
        if group.rule is GroupRule.ONE_OF and sum(all(key in given for key in way) for way in group.ways) > 1
    )


def _missing(configuration: Configuration, given: Container[str]) -> Iterator[Missing]:
    def is_there(parameter: Parameter) -> bool:
        has_default = parameter.default is not None and risky_default(parameter) is None
        return parameter.key in given or parameter.fixed is not None or has_default

    for parameter in configuration:
        if parameter.required and not is_there(parameter):
            yield Missing(parameter)
    for group in configuration.groups:
        ways = [[configuration.parameters[key] for key in way] for way in group.ways]
        if any(all(map(is_there, way)) for way in ways):
            continue
        begun = [way for way in ways if any(one.key in given for one in way)] or ways
        wanted = {one.key: one for way in begun for one in way if not is_there(one) and not one.required}
        yield from (Missing(one, group) for one in wanted.values())

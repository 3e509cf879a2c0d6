"""What a server was given on its command line and in its environment, as its author declared it."""

from collections.abc import Mapping, Sequence

from avow.core.configuration.checks import Value
from avow.core.configuration.model import Configuration, Parameter, Style, ValueType, Where


def read_given(
    configuration: Configuration, environment: Mapping[str, str], arguments: Sequence[str]
) -> dict[str, Value]:
    """The values by key. What is empty was not given."""
    given: dict[str, Value] = {}
    for parameter in configuration:
        names = (parameter.binding.name, *parameter.aliases)
        if parameter.binding.where is Where.ENV:
            text = next((environment[name] for name in names if environment.get(name)), "")
            if text:
                given[parameter.key] = _several(parameter, text)
    return {**given, **_read_arguments(configuration, arguments)}


def _several(parameter: Parameter, text: str) -> Value:
    return tuple(text.split(parameter.separator or ",")) if parameter.multiple else text


def _read_arguments(configuration: Configuration, arguments: Sequence[str]) -> dict[str, Value]:
    """Named arguments wherever they stand; the rest in the order of the positional ones.

    The last positional argument that takes several values takes all that is left. A `--` ends the names.
    """
    declared = [one for one in configuration if one.binding.where is Where.ARGUMENT]
    named = {
        name: one
        for one in declared
        if one.binding.style is Style.NAMED
        for name in (one.binding.name, *one.aliases)
    }
    found: dict[str, list[str]] = {}
    rest: list[str] = []
    waiting = list(arguments)
    while waiting:
        word = waiting.pop(0)
        flag, equals, value = word.partition("=")
        parameter = named.get(flag)
        if word == "--":
            rest += waiting
            break
        if parameter is None:
            rest.append(word)
        elif equals:
            found.setdefault(parameter.key, []).append(value)
        elif parameter.type is ValueType.BOOLEAN and not parameter.binding.joiner:
            found.setdefault(parameter.key, []).append("true")
        else:
            found.setdefault(parameter.key, []).extend(_values_of(parameter, waiting, named))
    positional = sorted(
        (one for one in declared if one.binding.style is Style.POSITIONAL), key=lambda one: one.binding.order
    )
    for number, parameter in enumerate(positional):
        later = len(positional) - number - 1
        count = max(len(rest) - later, 0) if parameter.multiple else 1
        found.setdefault(parameter.key, []).extend(rest[:count])
        rest = rest[count:]
    return {
        key: tuple(texts) if configuration.parameters[key].multiple else texts[-1]
        for key, texts in found.items()
        if any(texts)
    }


def _values_of(parameter: Parameter, waiting: list[str], named: Mapping[str, Parameter]) -> list[str]:
    """The values behind a flag: one, or all up to the next flag where one flag stands before all of them."""
    taken: list[str] = []
    while waiting and waiting[0].partition("=")[0] not in named and waiting[0] != "--":
        taken.append(waiting.pop(0))
        if parameter.binding.repeat or not parameter.multiple:
            break
    return taken

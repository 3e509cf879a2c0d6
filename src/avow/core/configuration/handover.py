"""How given values reach a server: variables, arguments as a list, headers, variables of its address."""

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from avow.core.configuration.checks import TRUE, Value, problems, texts_of, written
from avow.core.configuration.hazards import is_secret, risky_default, sets_loader, shown
from avow.core.configuration.model import Binding, Configuration, Parameter, Style, ValueType, Where
from avow.errors import UsageError

_PLACEHOLDER: Final = re.compile(r"\$\{[^}]*\}")


@dataclass(frozen=True, slots=True)
class Applied:
    """Values in their places; none of them is in the representation.

    `unplaced` are the keys of values that go to a file or elsewhere, where a person has to put them.
    `exposed` are the keys of secrets that a server takes as arguments, where other programs can see them.
    """

    env: dict[str, str] = field(default_factory=dict, repr=False)
    arguments: list[str] = field(default_factory=list, repr=False)
    runtime_arguments: list[str] = field(default_factory=list, repr=False)
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    url_variables: dict[str, str] = field(default_factory=dict, repr=False)
    unplaced: tuple[str, ...] = ()
    exposed: tuple[str, ...] = ()


def apply(
    configuration: Configuration, values: Mapping[str, Value], *, insisted: Container[str] = ()
) -> Applied:
    """Put values where the server looks for them.

    What is fixed is used as it is; a default is used where nothing is given, unless it is one that a person
    has to see first. Nothing else is filled in. `insisted` are the keys that a person wants to set although
    they decide which code runs.

    Raises:
        UsageError: a value breaks a rule, sets a variable that decides which code runs, would be read as a
            flag, or refers to a variable of ours. The message never repeats the value.
    """
    if wrong := problems(configuration, values):
        raise UsageError("; ".join(wrong.values()))
    applied = lay_out(configuration, dict(_used(configuration, values, insisted)))
    _refuse_references(applied)
    return applied


def lay_out(configuration: Configuration, texts: Mapping[str, tuple[str, ...]]) -> Applied:
    """Put texts in the places of their parameters, as they are: `apply` without its checks.

    Raises:
        UsageError: a text would be read as a flag.
    """
    used = [parameter for parameter in configuration if parameter.key in texts]
    applied = Applied(
        unplaced=tuple(parameter.key for parameter in used if not _has_place(parameter)),
        exposed=tuple(parameter.key for parameter in used if _is_exposed(parameter)),
    )
    for place in sorted(_places(configuration, texts), key=lambda place: place.binding.order):
        _put(applied, place)
    return applied


@dataclass(frozen=True, slots=True)
class _Place:
    """One binding and the texts that stand there, with the template filled in."""

    parameter: Parameter
    binding: Binding
    texts: tuple[str, ...] = field(repr=False)


def _used(
    configuration: Configuration, values: Mapping[str, Value], insisted: Container[str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for key, parameter in configuration.parameters.items():
        texts = _texts(parameter, values.get(key), insists=key in insisted)
        if texts is None:
            continue
        if sets_loader(parameter) and key not in insisted:
            raise UsageError(
                f"{shown(parameter.binding.name, 80)} decides which code runs, what is trusted, or where "
                "traffic goes; it is not set because a declaration asks for it",
                hint="set it yourself if you are sure that you want it",
            )
        yield key, texts


def _texts(parameter: Parameter, given: Value | None, *, insists: bool) -> tuple[str, ...] | None:
    if parameter.fixed is not None:
        return (parameter.fixed,)
    if given is not None:
        return tuple(written(parameter, one) for one in texts_of(given))
    default = parameter.default
    if default is None or (risky_default(parameter) is not None and not insists):
        return None
    return tuple(written(parameter, one) for one in (default if isinstance(default, tuple) else (default,)))


def _places(configuration: Configuration, texts: Mapping[str, tuple[str, ...]]) -> Iterator[_Place]:
    """Every place that is complete; one that several parameters fill is one place."""
    parts: dict[object, list[tuple[Parameter, Binding]]] = {}
    for parameter in configuration:
        for binding in (parameter.binding, *parameter.also):
            if binding.part:
                parts.setdefault(replace(binding, part=""), []).append((parameter, binding))
            elif parameter.key in texts:
                filled = tuple(binding.template.replace("{}", text) for text in texts[parameter.key])
                yield _Place(parameter, binding, filled)
    for together in parts.values():
        if all(parameter.key in texts for parameter, _ in together):
            values = {binding.part: _joined(one, texts[one.key]) for one, binding in together}
            parameter, binding = together[0]
            yield _Place(parameter, binding, (fill(binding.template, values),))


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template with each `{part}` replaced; a value that looks like another part stays as it is."""
    filled, rest = "", template
    while rest:
        before, brace, after = rest.partition("{")
        name, closing, behind = after.partition("}")
        if closing and name in values:
            filled, rest = filled + before + values[name], behind
        else:
            filled, rest = filled + before + brace, after
    return filled


def _put(applied: Applied, place: _Place) -> None:
    parameter, binding = place.parameter, place.binding
    match binding.where:
        case Where.ENV:
            applied.env[binding.name] = _joined(parameter, place.texts)
        case Where.HEADER:
            applied.headers[binding.name] = _joined(parameter, place.texts)
        case Where.URL_VARIABLE:
            applied.url_variables[binding.name] = _joined(parameter, place.texts)
        case Where.ARGUMENT:
            target = applied.runtime_arguments if binding.runtime else applied.arguments
            target.extend(_arguments(place))
        case _:
            pass  # a person puts it there


def _refuse_references(applied: Applied) -> None:
    """Let every text mean itself: whoever starts a server fills our own variables into `${NAME}`."""
    named = {**applied.headers, **applied.url_variables}
    texts = (*applied.arguments, *applied.runtime_arguments, *named.values())
    if any(map(_PLACEHOLDER.search, texts)):
        raise UsageError(
            "an argument, a header or a part of the address contains ${NAME}: "
            "a variable of yours would be filled in",
            hint="give the value itself; if it is a default of the server's, do not use it",
        )


def _arguments(place: _Place) -> Iterator[str]:
    parameter, binding, texts = place.parameter, place.binding, place.texts
    if binding.style is Style.POSITIONAL:
        for text in texts:
            if parameter.fixed is None and text.startswith("-") and not binding.template.startswith("-"):
                raise UsageError(
                    f"{shown(parameter.key, 80)} must not begin with '-', or the server takes it for a flag",
                    hint="write a path as ./-name",
                )
            yield text
    elif parameter.type is ValueType.BOOLEAN and not binding.joiner:
        yield from (binding.name for text in texts if text.lower() in TRUE)
    elif binding.repeat or binding.joiner != " ":
        for text in texts:
            yield from _named(binding, text)
    elif texts:
        yield from (binding.name, *filter(None, texts))


def _named(binding: Binding, text: str) -> Iterator[str]:
    if not text:
        yield binding.name
    elif binding.joiner == " ":
        yield from (binding.name, text)
    else:
        yield f"{binding.name}{binding.joiner}{text}"


def _joined(parameter: Parameter, texts: tuple[str, ...]) -> str:
    return (parameter.separator or ",").join(texts)


def _has_place(parameter: Parameter) -> bool:
    places = (parameter.binding, *parameter.also)
    return any(place.where not in (Where.FILE, Where.OTHER) for place in places)


def _is_exposed(parameter: Parameter) -> bool:
    places = (parameter.binding, *parameter.also)
    return is_secret(parameter) and any(place.where is Where.ARGUMENT for place in places)

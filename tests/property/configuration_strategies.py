"""Configurations of every kind, as hypothesis strategies that the laws share."""

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from avow.core.configuration.model import (
    Binding,
    Configuration,
    Group,
    GroupRule,
    Parameter,
    PathKind,
    Style,
    ValueType,
    Where,
)

names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,7}", fullmatch=True)
keys = names | st.from_regex(r"[a-z]{1,4}[-.:][a-z]{1,4}", fullmatch=True)
words = st.text("abc {}$=-é", max_size=8)
scalars = st.one_of(words, st.integers(-(10**6), 10**6), st.floats(-1e6, 1e6), st.booleans())
templates = st.sampled_from(["{}", "{}", "{}", "Bearer {}", "{}/x", "-{}", "a={}", "{{}}", "{}{}"])


def _subset(values: st.SearchStrategy[str], least: int = 0) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(values, min_size=least, max_size=3, unique=True).map(tuple)


@st.composite
def bindings(draw: st.DrawFn) -> Binding:
    where = draw(st.sampled_from(Where))
    style = draw(st.sampled_from(Style)) if where is Where.ARGUMENT else Style.POSITIONAL
    is_named = style is Style.NAMED
    return Binding(
        where,
        draw(st.sampled_from(["--", "-", ""]).flatmap(lambda dashes: names.map(lambda name: dashes + name)))
        if is_named
        else draw(names),
        style,
        order=draw(st.integers(0, 9)) if where is Where.ARGUMENT else 0,
        joiner=draw(st.sampled_from([" ", "=", ""])) if is_named else " ",
        repeat=draw(st.booleans()) if is_named else False,
        runtime=draw(st.booleans()) if where is Where.ARGUMENT else False,
        template=draw(templates),
    )


@st.composite
def parameters(draw: st.DrawFn) -> Parameter:
    type_ = draw(st.sampled_from(ValueType))
    fixed = draw(st.none() | st.none() | words)
    return Parameter(
        key=draw(keys),
        binding=draw(bindings()),
        type=type_,
        description=draw(words),
        title=draw(words),
        required=draw(st.booleans()),
        secret=draw(st.booleans()),
        default=draw(st.none() | scalars | st.lists(scalars, max_size=2).map(tuple)),
        fixed=fixed,
        choices=draw(_subset(words, 1) if type_ is ValueType.ENUM else st.just(()) | _subset(words)),
        multiple=draw(st.booleans()),
        separator=draw(st.sampled_from(["", "", ":"])),
        minimum=draw(st.none() | st.integers(-9, 9)),
        maximum=draw(st.none() | st.integers(-9, 9)),
        pattern=draw(st.sampled_from(["", "^a+$"])),
        examples=draw(_subset(words)),
        path_kind=draw(st.sampled_from(PathKind)) if type_ is ValueType.PATH else PathKind.ANY,
        must_exist=draw(st.booleans()) if type_ is ValueType.PATH else False,
        help_url=draw(st.sampled_from(["", "https://example.com/keys"])),
        aliases=draw(st.just(()) | _subset(names)),
        also=draw(st.lists(bindings(), max_size=2).map(tuple)) if fixed is None else (),
    )


@st.composite
def configurations(draw: st.DrawFn) -> Configuration:
    """Anything that the model can hold, parts of one template and groups included."""
    found = draw(st.lists(parameters(), max_size=5))
    if len(found) > 1 and draw(st.booleans()):
        found[:2] = [_part(found[0], "user", found[0].binding), _part(found[1], "password", found[0].binding)]
    configuration = Configuration.of(found)
    some = list(configuration.parameters)
    groups: list[Group] = []
    if some:
        way: Any = st.lists(st.sampled_from(some), min_size=1, max_size=2, unique=True).map(tuple)
        group = st.builds(Group, st.sampled_from(GroupRule), st.lists(way, min_size=1, max_size=2).map(tuple))
        groups = draw(st.lists(group, max_size=2))
    return Configuration(configuration.parameters, tuple(groups))


def _part(parameter: Parameter, part: str, binding: Binding) -> Parameter:
    return replace(parameter, binding=replace(binding, template="{user}:{password}@host", part=part))

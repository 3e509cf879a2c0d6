"""Variants that no call meets: no valid argument fits them, or an earlier variant always applies first.

Only what is proven counts. Where all arguments in question have few values, every combination is tried.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Final

from avow.core.canonical import JsonObject, canonical
from avow.core.schema.document import Place, TooLargeError
from avow.core.schema.shapes import Node
from avow.core.schema.subset import Prover
from avow.core.variants.domain import Domain
from avow.core.variants.patterns import Literal, Pattern
from avow.core.variants.selecting import Patterns, fit

_MOST: Final = 1_024

NEVER: Final = "never applies: no call that the input schema accepts fits its patterns"
SHADOWED: Final = "never applies: every call that fits it is taken by an earlier variant"


def unreachable(domain: Domain, variants: Sequence[Patterns]) -> dict[int, str]:
    """The positions of variants that no call meets, with the reason; none are found that take too long."""
    found: dict[int, str] = {}
    try:
        tried = _countable(domain, variants)
        found.update(_by_trying(domain, variants[:tried]))
        for position in range(tried, len(variants)):
            if reason := _proven(domain, variants, position):
                found[position] = reason
    except TooLargeError:
        pass
    return found


def _countable(domain: Domain, variants: Sequence[Patterns]) -> int:
    """How many variants, from the first, have arguments that together can be tried one by one."""
    names: set[str] = set()
    for position, patterns in enumerate(variants):
        names |= patterns.keys()
        choices = [domain.values(name) for name in names]
        if any(values is None for values in choices) or prod(len(v) + 1 for v in choices if v) > _MOST:
            return position
    return len(variants)


def _by_trying(domain: Domain, variants: Sequence[Patterns]) -> Iterator[tuple[int, str]]:
    taken: set[int] = set()
    fitting: set[int] = set()
    for arguments in _combinations(domain, sorted({name for patterns in variants for name in patterns})):
        known = {**domain.defaults, **arguments}
        identities = {name: canonical(value) for name, value in known.items()}
        fits = [position for position, patterns in enumerate(variants) if fit(patterns, known, identities)]
        fitting.update(fits)
        taken.update(fits[:1])
    for position in range(len(variants)):
        if position not in taken:
            yield position, SHADOWED if position in fitting else NEVER


def _combinations(domain: Domain, names: list[str]) -> Iterator[JsonObject]:
    """Every combination of values, those included that leave out what may be left out."""
    choices: list[list[JsonObject]] = []
    for name in names:
        absent: list[JsonObject] = [] if domain.must_be_there(name) else [{}]
        choices.append([*absent, *({name: value} for value in domain.values(name) or ())])
    for chosen in product(*choices):
        yield {name: value for one in chosen for name, value in one.items()}


def _proven(domain: Domain, variants: Sequence[Patterns], position: int) -> str:
    own = variants[position]
    for name, pattern in own.items():
        nodes = domain.nodes(name, _node(position, name, pattern))
        is_default = name in domain.defaults and _fits(pattern, domain.defaults[name])
        if not is_default and all(domain.reader.accepts_nothing(node) for node in nodes):
            return NEVER
    prover = Prover(domain.reader, domain.reader)
    for earlier, patterns in enumerate(variants[:position]):
        if all(_is_within(domain, prover, (position, own), (earlier, patterns), name) for name in patterns):
            return SHADOWED
    return ""


def _is_within(
    domain: Domain, prover: Prover, own: tuple[int, Patterns], other: tuple[int, Patterns], name: str
) -> bool:
    """Whether each value of an argument that fits one variant is proven to fit the other."""
    if name not in own[1]:
        return False
    inner, outer = own[1][name], other[1][name]
    if isinstance(inner, Literal):
        return outer.fits(inner.value, inner.identity)
    absent = [domain.defaults[name]] if name in domain.defaults else []
    if any(_fits(inner, value) and not _fits(outer, value) for value in absent):
        return False
    values = domain.values(name)
    if values is not None:
        return all(_fits(outer, value) for value in values if _fits(inner, value))
    node = _node(other[0], name, outer)
    return all(prover.proves(one, node) for one in domain.nodes(name, _node(own[0], name, inner)))


def _node(position: int, name: str, pattern: Pattern) -> Node:
    # No pointer of the document looks like this one.
    return (Place(f"variant {position} {name}", pattern.schema),)


def _fits(pattern: Pattern, value: object) -> bool:
    return pattern.fits(value, canonical(value))

"""What differs between two branches of the same class, limit by limit, in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isinf
from typing import Final, TypeAlias

from avow.core.schema.differences import Direction, either
from avow.core.schema.phrases import named, phrase, shown
from avow.core.schema.shapes import Arrays, Branch, Numbers, Objects, Strings, is_integer
from avow.core.schema.subset import limits

Counted: TypeAlias = Strings | Arrays | Objects
_COUNTS: Final[dict[type[Counted], tuple[str, str]]] = {
    Strings: ("minLength", "maxLength"),
    Arrays: ("minItems", "maxItems"),
    Objects: ("minProperties", "maxProperties"),
}


@dataclass(frozen=True, slots=True)
class Remark:
    """One difference, and the keywords that may have caused it, the likeliest first."""

    keywords: tuple[str, ...]
    direction: Direction
    text: str


def remarks(who: str, old: Branch, new: Branch) -> Iterator[Remark]:
    """Everything that can be said without looking at items or members."""
    yield from _conditions(who, old, new)
    if isinstance(old, Numbers) and isinstance(new, Numbers):
        yield from _numbers(who, old, new)
    if isinstance(old, Counted) and isinstance(new, Counted):
        yield from _counts(who, _COUNTS[type(old)], old, new)
    if isinstance(old, Arrays) and isinstance(new, Arrays) and old.is_unique is not new.is_unique:
        text = f"{who} may {'no longer' if new.is_unique else 'now'} hold the same item twice"
        yield Remark(("uniqueItems",), either(widens=old.is_unique), text)


def _conditions(who: str, old: Branch, new: Branch) -> Iterator[Remark]:
    gone, added = _keywords(old, new), _keywords(new, old)
    for keyword in gone:
        state = "changed" if keyword in added else "removed"
        is_free = state == "removed" and isinstance(old, Strings) and keyword in ("pattern", "format")
        text = f"{who} now accepts any string ({keyword} removed)" if is_free else phrase(keyword, who, state)
        yield Remark((keyword,), Direction.WIDENS, text)
    for keyword in added:
        if keyword not in gone:
            yield Remark((keyword,), Direction.NARROWS, phrase(keyword, who, "added"))


def _keywords(one: Branch, other: Branch) -> list[str]:
    return sorted({condition.split(" ")[0] for condition in one.conditions - other.conditions})


def _numbers(who: str, old: Numbers, new: Numbers) -> Iterator[Remark]:
    if is_integer(old) and not is_integer(new):
        yield Remark(("type",), Direction.WIDENS, f"{who} now also accepts numbers that are not whole")
    elif is_integer(new) and not is_integer(old):
        yield Remark(("type",), Direction.NARROWS, f"{who} now accepts whole numbers only")
    elif old.multiples != new.multiples:
        is_wider = not new.multiples >= old.multiples
        yield Remark(("multipleOf",), either(widens=is_wider), f"{who} now has another step between numbers")
    (old_low, old_high), (new_low, new_high) = limits(old), limits(new)
    if old_low != new_low:
        words = _limit(who, "minimum", old_low[0], new_low[0])
        yield Remark(("minimum", "exclusiveMinimum"), either(widens=new_low < old_low), words)
    if old_high != new_high:
        words = _limit(who, "maximum", old_high[0], new_high[0])
        yield Remark(("maximum", "exclusiveMaximum"), either(widens=new_high > old_high), words)


def _limit(who: str, keyword: str, old: float | Fraction, new: float | Fraction) -> str:
    if isinf(new):
        return f"{who} no longer has a {keyword} (it was {shown(old)})"
    if isinf(old):
        return f"{who} now has a {keyword} of {shown(new)}"
    if old == new:
        return f"{who}: the {keyword} {shown(new)} itself is now in, or out"
    return f"{who}: the {keyword} was {shown(old)} and is now {shown(new)}"


def _counts(who: str, keywords: tuple[str, str], old: Counted, new: Counted) -> Iterator[Remark]:
    least, most = keywords
    if old.low != new.low:
        words = f"{who}: {named(least)} was {old.low} and is now {new.low}"
        yield Remark((least,), either(widens=new.low < old.low), words)
    if old.high != new.high:
        is_wider = new.high is None or (old.high is not None and new.high > old.high)
        if new.high is None:
            words = f"{who} no longer has a limit on {named(most)} (it was {old.high})"
        elif old.high is None:
            words = f"{who} now has a limit on {named(most)} of {new.high}"
        else:
            words = f"{who}: {named(most)} was limited to {old.high} and is now to {new.high}"
        yield Remark((most,), either(widens=is_wider), words)

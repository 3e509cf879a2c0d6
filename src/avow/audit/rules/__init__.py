"""The rules over source code, all of them; a new one is a file of its own and a line here."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from avow.audit.facts import Facts
from avow.audit.model import Finding, RuleInfo
from avow.audit.rules import (
    avw001,
    avw002,
    avw003,
    avw004,
    avw010,
    avw011,
    avw012,
    avw013,
    avw020,
    avw030,
    avw031,
    avw032,
    avw033,
    avw040,
    avw041,
    avw042,
    avw043,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """What a rule is, and the function that judges facts by it."""

    info: RuleInfo
    check: Callable[[Facts], Iterable[Finding]]


ALL: Final[tuple[Rule, ...]] = (
    Rule(avw001.INFO, avw001.check),
    Rule(avw002.INFO, avw002.check),
    Rule(avw003.INFO, avw003.check),
    Rule(avw004.INFO, avw004.check),
    Rule(avw010.INFO, avw010.check),
    Rule(avw011.INFO, avw011.check),
    Rule(avw012.INFO, avw012.check),
    Rule(avw013.INFO, avw013.check),
    Rule(avw020.INFO, avw020.check),
    Rule(avw030.INFO, avw030.check),
    Rule(avw031.INFO, avw031.check),
    Rule(avw032.INFO, avw032.check),
    Rule(avw033.INFO, avw033.check),
    Rule(avw040.INFO, avw040.check),
    Rule(avw041.INFO, avw041.check),
    Rule(avw042.INFO, avw042.check),
    Rule(avw043.INFO, avw043.check),
)


def judge(facts: Facts) -> tuple[Finding, ...]:
    """Every finding of every rule."""
    return tuple(finding for rule in ALL for finding in rule.check(facts))

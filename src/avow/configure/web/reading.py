"""What somebody filled in, question by question; a secret that was typed once need not be typed again."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from avow.configure.answering import Draft, problem_with, tidied
from avow.configure.questions import Plan, Question, Texts
from avow.configure.web.fields import Control
from avow.core.configuration.model import ValueType


@dataclass(frozen=True, slots=True)
class Filled:
    """The state of a form: what was typed, which variables are to be taken, what is wrong, all by key."""

    typed: Mapping[str, Texts] = field(default_factory=dict, repr=False)
    taken: Mapping[str, str] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    problems: Mapping[str, str] = field(default_factory=dict)


def control_of(question: Question) -> Control:
    """What a question is answered with."""
    parameter = question.parameter
    if question.is_secret:
        return Control.SECRET
    if parameter.multiple:
        return Control.LINES
    if parameter.choices:
        return Control.CHOICE
    match parameter.type:
        case ValueType.BOOLEAN:
            # A box is either ticked or not; only where that is already so is it an honest question.
            return Control.CHECK if question.offered in (("true",), ("false",)) else Control.CHOICE
        case ValueType.NUMBER | ValueType.INTEGER:
            return Control.NUMBER
        case ValueType.PATH:
            return Control.PATH
        case ValueType.URL:
            return Control.URL
        case ValueType.STRING | ValueType.ENUM:
            return Control.TEXT


def read_fields(plan: Plan, fields: Mapping[str, str], before: Filled) -> Filled:
    """Read a form that was sent; `before` is what the same form held last time."""
    typed: dict[str, Texts] = {}
    taken: dict[str, str] = {}
    dropped: set[str] = set()
    problems: dict[str, str] = {}
    for number, question in enumerate(plan):
        key, name = question.key, f"p{number}"
        if f"{name}-drop" in fields:
            dropped.add(key)
            continue
        texts = _texts(question, fields.get(name, ""))
        if question.is_secret and not texts:
            texts = before.typed.get(key, ())
        if question.ambient and f"{name}-take" in fields and not (texts and fields.get(name)):
            taken[key] = question.ambient
            continue
        typed[key] = texts
        if problem := problem_with(question, texts):
            problems[key] = problem
    return Filled(typed, taken, frozenset(dropped), problems)


def draft_of(plan: Plan, filled: Filled) -> Draft:
    """The answers that differ from what is there: silence, and a default that stays, are none."""
    given: dict[str, Texts] = {}
    emptied = set(filled.dropped)
    for question in plan:
        texts = filled.typed.get(question.key, ())
        if not texts:
            if question.current and not question.is_secret and question.key in filled.typed:
                emptied.add(question.key)
        elif texts != question.offered:
            given[question.key] = texts
    asked = tuple(question.key for question in plan)
    return Draft(given, asked, tuple(sorted(emptied)), dict(filled.taken))


def _texts(question: Question, text: str) -> Texts:
    parameter = question.parameter
    control = control_of(question)
    if control is Control.CHECK:
        return ("true" if text else "false",)
    if parameter.multiple:
        several = text.split() if control is Control.SECRET else text.splitlines()
        return tuple(tidied(parameter, one) for one in several if one.strip())
    if control is Control.SECRET:
        return _one(text.strip())
    return _one(tidied(parameter, text) if text.strip() else "")


def _one(text: str) -> Texts:
    return (text,) if text else ()

"""What to ask a person about a server, in which order, and what to offer for each.

The words of a declaration are the server's: whoever shows a question makes them printable.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from avow.core.configuration.hazards import is_secret, risky_default, sets_loader
from avow.core.configuration.model import Configuration, Group, GroupRule, Origin, Parameter, ValueType, Where
from avow.core.configuration.values import written
from avow.system.configuration.values import masked

Texts: TypeAlias = tuple[str, ...]
"""A value as it is typed: one text, or several where a parameter takes several."""


@dataclass(frozen=True, slots=True)
class Current:
    """A value that is there already, and where it comes from."""

    texts: Texts = field(repr=False)
    origin: str


@dataclass(frozen=True, slots=True)
class Question:
    """One parameter, and what is known about its value.

    `offered` is what silence means: the value that is there, or a default that does no harm. A default
    that could is in `suggested`, with the reason in `risk`; it counts only when somebody types it.
    `ambient` names a variable of the surrounding environment that would fit, and that needs a yes.
    """

    parameter: Parameter
    is_secret: bool
    current: Current | None = None
    default: Texts = ()
    suggested: Texts = ()
    risk: str = ""
    ambient: str = ""

    @property
    def key(self) -> str:
        """The parameter's key."""
        return self.parameter.key

    @property
    def offered(self) -> Texts:
        """What silence means; empty when it means nothing."""
        return self.current.texts if self.current else self.default

    @property
    def may_stay_empty(self) -> bool:
        """Whether the server does without."""
        return not self.parameter.required or bool(self.offered)


@dataclass(frozen=True, slots=True)
class Alternative:
    """Several ways to satisfy a server, each a set of questions; one of them is enough."""

    rule: GroupRule
    ways: tuple[tuple[Question, ...], ...]

    @property
    def answered(self) -> int | None:
        """The first way for which every value is there."""
        for number, way in enumerate(self.ways):
            if all(question.current for question in way):
                return number
        return None


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything there is to ask: what the server cannot do without first.

    `refused` are parameters nobody is asked for: the variables would change which code runs, or where
    traffic goes, and only somebody who names them may set them.
    """

    required: tuple[Question, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    optional: tuple[Question, ...] = ()
    refused: tuple[Parameter, ...] = ()

    def __iter__(self) -> Iterator[Question]:
        """Every question, in order."""
        yield from self.required
        for alternative in self.alternatives:
            for way in alternative.ways:
                yield from way
        yield from self.optional


def plan_questions(
    configuration: Configuration,
    current: Mapping[str, Current],
    *,
    ambient: Collection[str] = (),
    allowed: Collection[str] = (),
) -> Plan:
    """What to ask, where these values are `current`, these variables are around, and these are allowed."""
    barred = {parameter.key: parameter for parameter in configuration if is_refused(parameter, allowed)}
    questions = {
        parameter.key: _question(parameter, current.get(parameter.key), ambient)
        for parameter in configuration
        if parameter.fixed is None and parameter.key not in barred
    }
    alternatives = tuple(filter(None, (_alternative(g, questions) for g in configuration.groups)))
    grouped = {question.key for one in alternatives for way in one.ways for question in way}
    alone = [question for key, question in questions.items() if key not in grouped]
    return Plan(
        tuple(question for question in alone if question.parameter.required),
        alternatives,
        tuple(question for question in alone if not question.parameter.required),
        # That a program also reads such a variable, as most do, is nobody's wish.
        tuple(one for one in barred.values() if one.required or one.source.origin is Origin.DECLARATION),
    )


def is_refused(parameter: Parameter, allowed: Collection[str] = ()) -> bool:
    """Whether nobody is asked for a parameter, since its variable changes which code runs."""
    return sets_loader(parameter) and not {parameter.key, parameter.binding.name}.intersection(allowed)


def default_texts(parameter: Parameter) -> Texts:
    """The default as somebody would type it."""
    default = parameter.default
    if default is None:
        return ()
    return tuple(written(parameter, one) for one in (default if isinstance(default, tuple) else (default,)))


def shown_texts(question: Question, texts: Texts) -> str:
    """A value as it may be shown."""
    if question.is_secret:
        return masked(question.parameter, texts) if texts else ""
    if question.parameter.type is ValueType.BOOLEAN and not question.parameter.multiple:
        return {"true": "yes", "false": "no"}.get(texts[0], texts[0]) if texts else ""
    return masked(question.parameter, texts) if texts else ""


def _question(parameter: Parameter, current: Current | None, ambient: Collection[str]) -> Question:
    default = default_texts(parameter)
    risk = (risky_default(parameter) or "") if default else ""
    names = (parameter.binding.name, *parameter.aliases) if parameter.binding.where is Where.ENV else ()
    return Question(
        parameter,
        is_secret(parameter),
        current,
        () if risk else default,
        default if risk else (),
        risk,
        next((name for name in names if name in ambient and current is None), ""),
    )


def _alternative(group: Group, questions: Mapping[str, Question]) -> Alternative | None:
    """The ways of a group that can be asked for; a group of which none can is no group."""
    ways = tuple(
        tuple(questions[key] for key in way) for way in group.ways if all(key in questions for key in way)
    )
    return Alternative(group.rule, ways) if ways else None

"""Parameters and questions for tests of setting servers up."""

from typing import Any

from avow.configure.questions import Plan, Question, plan_questions
from avow.core.configuration.model import Binding, Configuration, Parameter, Where


def variable(name: str, **members: Any) -> Parameter:
    """A variable that a server asks for."""
    return Parameter(name, Binding(Where.ENV, name), **members)


def question(parameter: Parameter, **known: Any) -> Question:
    """The question about one parameter."""
    (one,) = plan(parameter, **known)
    return one


def plan(*parameters: Parameter, groups: Any = (), current: Any = None, **known: Any) -> Plan:
    """The questions about a server that asks for these."""
    return plan_questions(Configuration.of(parameters, groups), current or {}, **known)

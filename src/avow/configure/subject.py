"""The server that somebody sets up: what it is called, how it is reached, what it asks for, what it has."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from avow.configure.questions import Current, Plan, Texts, plan_questions
from avow.core.configuration.model import Configuration, Parameter
from avow.core.configuration.values import Value
from avow.system.configuration.known import Known
from avow.system.configuration.remembered import unanswered
from avow.system.configuration.values import Layer, Resolution, Resolved
from avow.system.targets import Reachable


@dataclass(frozen=True, slots=True)
class Subject:
    """A server, what is known about its needs, and the values that it has at present.

    `source` says in words where we know from what it asks for; unless that `is_declared`, there may be
    more. `written` are the keys whose value stands in a client's configuration, by the words that say where.
    """

    name: str
    reachable: Reachable
    known: Known
    resolution: Resolution = field(repr=False)
    source: str = ""
    is_declared: bool = True
    written: Mapping[str, str] = field(default_factory=dict)

    @property
    def configuration(self) -> Configuration:
        """What it asks for."""
        return self.known.configuration

    @property
    def current(self) -> dict[str, Current]:
        """The values that it has, apart from mere defaults."""
        return {
            key: Current(texts_of(found.value), self.written.get(key, found.place))
            for key, found in self.resolution.values.items()
            if found.layer is not Layer.DEFAULT
        }

    @property
    def new(self) -> frozenset[str]:
        """The keys that nobody was asked about yet."""
        return frozenset(parameter.key for parameter in unanswered(self.known.remembered, self.configuration))

    @property
    def gone(self) -> tuple[str, ...]:
        """The keys that have a stored value and that the server no longer asks for."""
        remembered = self.known.remembered
        if remembered is None:
            return ()
        stored = (*remembered.values, *remembered.secrets)
        return tuple(dict.fromkeys(key for key in stored if key not in self.configuration.parameters))

    def plan(self, ambient: Collection[str], allowed: Collection[str] = ()) -> Plan:
        """What to ask; `allowed` are keys of loaders and the like on which somebody insists."""
        remembered = self.known.remembered
        insisted = (*allowed, *(remembered.insisted if remembered else ()))
        return plan_questions(self.configuration, self.current, ambient=ambient, allowed=insisted)

    def with_needs(self, more: Configuration, source: str) -> "Subject":
        """The same server, asking for more: what was found out besides what it declares."""
        return replace(self, known=with_needs(self.known, more), source=source)

    def with_answers(self, given: Mapping[str, Texts], *, without: Collection[str] = ()) -> Resolution:
        """The values that it would have with these answers, and without those that are taken away."""
        values = {key: found for key, found in self.resolution.values.items() if key not in without}
        for key, texts in given.items():
            parameter = self.configuration.parameters[key]
            # As it will be once it is stored.
            values[key] = Resolved(parameter, Layer.STORE, "your answer", value_of(texts, parameter))
        return replace(self.resolution, values=values)


def with_needs(known: Known, more: Configuration) -> Known:
    """What is known, and what was found out besides; what a server says itself counts more."""
    own = known.configuration
    merged = Configuration(
        {**own.parameters, **{key: one for key, one in more.parameters.items() if key not in own.parameters}},
        tuple(dict.fromkeys((*own.groups, *more.groups))),
    )
    return replace(known, configuration=merged)


def texts_of(value: Value) -> Texts:
    """A value as it is typed."""
    return (value,) if isinstance(value, str) else tuple(value)


def value_of(texts: Texts, parameter: Parameter) -> Value:
    """Typed texts as they are stored."""
    return texts if parameter.multiple else texts[0]

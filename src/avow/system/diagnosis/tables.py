"""Everything that is known to be configurable, each thing once, with what each source says about it."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, TypeAlias

from avow.core.configuration.model import Binding, Configuration, Parameter, ValueType, Where
from avow.system.diagnosis.naming import means_same, words_of

MOST_PARAMETERS: Final = 64

Identity: TypeAlias = tuple[Where, str]
Way: TypeAlias = tuple[Identity, ...]


class Table:
    """Parameters by how they are handed over; what is told first is kept, later sources fill gaps."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._known: dict[Identity, Parameter] = {}
        self._names: dict[Identity, Identity] = {}

    def add(self, parameter: Parameter) -> Identity:
        """Put a parameter in, or what it adds to one that is there; return how to find it."""
        bindings = (parameter.binding, *parameter.also)
        known = next((self._names[one] for one in map(_identity, bindings) if one in self._names), None)
        identity = known or _identity(parameter.binding)
        self._known[identity] = _filled(self._known[identity], parameter) if known else parameter
        for name in (
            *map(_identity, bindings),
            *((parameter.binding.where, alias) for alias in parameter.aliases),
        ):
            self._names.setdefault(name, identity)
        return identity

    def find(self, where: Where, name: str) -> Identity | None:
        """The parameter of that name."""
        return self._names.get((where, name))

    def called(self, words: str) -> tuple[Identity, ...]:
        """The parameters of which a name consists of these words, however it is written."""
        found = (identity for name, identity in self._names.items() if means_same(name[1], words))
        return tuple(dict.fromkeys(found))

    def ending_in(self, words: str) -> Identity | None:
        """The only variable or argument whose name ends in these words, if there is exactly one."""
        wanted = words_of(words)
        found = {
            identity
            for (where, name), identity in self._names.items()
            if where in (Where.ENV, Where.ARGUMENT) and words_of(name)[-len(wanted) :] == wanted
        }
        return found.pop() if wanted and len(found) == 1 else None

    def __getitem__(self, identity: Identity) -> Parameter:
        """One parameter."""
        return self._known[identity]

    def __iter__(self) -> Iterator[Identity]:
        """All of them, in the order in which they were put in."""
        return iter(tuple(self._known))

    def keys(self, configuration: Configuration) -> dict[str, Identity]:
        """Where the keys of a configuration, as its groups use them, are found here."""
        return {parameter.key: self.add(parameter) for parameter in configuration}


def first_of(identities: Iterable[Identity]) -> tuple[Identity, ...]:
    """At most as many as anybody wants to read about."""
    return tuple(dict.fromkeys(identities))[:MOST_PARAMETERS]


def _identity(binding: Binding) -> Identity:
    return binding.where, binding.name


def _filled(kept: Parameter, more: Parameter) -> Parameter:
    """What the first source says, with the gaps filled from another."""
    return replace(
        kept,
        type=more.type if kept.type is ValueType.STRING else kept.type,
        description=kept.description or more.description,
        title=kept.title or more.title,
        secret=kept.secret or more.secret,
        default=more.default if kept.default is None else kept.default,
        choices=kept.choices or more.choices,
        fixed=more.fixed if kept.fixed is None else kept.fixed,
        multiple=kept.multiple or more.multiple,
        help_url=kept.help_url or more.help_url,
        examples=kept.examples or more.examples,
        aliases=kept.aliases or more.aliases,
        also=kept.also or more.also,
    )

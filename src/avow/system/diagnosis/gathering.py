"""Collecting what a server needs: what is required by itself, and what is one of several ways."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from avow.core.configuration.hazards import is_secret
from avow.core.configuration.model import Group, GroupRule, Parameter, Style, Where
from avow.system.diagnosis.naming import words_of
from avow.system.diagnosis.output.libraries import LIBRARY_VARIABLES
from avow.system.diagnosis.tables import Identity, Table, Way, first_of

_LAST: Final = (Where.HEADER, Where.URL_VARIABLE, Where.OTHER, Where.FILE)
_FOR_SECRETS: Final = (Where.ENV, Where.ARGUMENT, *_LAST)
_FOR_OTHERS: Final = (Where.ARGUMENT, Where.ENV, *_LAST)


@dataclass(frozen=True, slots=True)
class Needs:
    """The parameters, the groups among them, and of each group the keys of the way to propose."""

    parameters: tuple[Parameter, ...] = ()
    groups: tuple[Group, ...] = ()
    proposed: frozenset[str] = frozenset()


class Gathering:
    """Collects what is required while the sources are read one after the other."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self.table = Table()
        self.required: list[Identity] = []
        self.groups: list[list[Way]] = []
        self.told: set[Way] = set()

    def demand(self, ways: Sequence[Way], *, told: bool = False) -> None:
        """One of the ways has to be given; a group that shares a name with another is the same one.

        `told` says that the server named the ways itself.
        """
        distinct = list(dict.fromkeys(way for way in ways if way))
        if not distinct:
            return
        self.told |= set(distinct) if told else set()
        if len(distinct) == 1:
            self.required += distinct[0]
            return
        names = {identity for way in distinct for identity in way}
        for group in self.groups:
            if any(identity in names for way in group for identity in way):
                group += [way for way in distinct if way not in group]
                return
        self.groups.append(distinct)

    def _proposed(self, group: Sequence[Way]) -> Way:
        """The way to propose: one that the server named, and for a secret a variable rather than an argument.

        Arguments show in every list of processes. What is no secret is better seen in the command. A value
        is given more easily than a file with the value in it, and a server's own variable comes before those
        that a library reads for everybody.
        """
        secret = any(is_secret(self.table[identity]) for way in group for identity in way)
        order = _FOR_SECRETS if secret else _FOR_OTHERS
        has_variable = 2 * any(where is Where.ENV for way in group for where, _ in way)

        def rank(way: Way) -> tuple[bool, bool, int, bool]:
            foreign = any(name in LIBRARY_VARIABLES for _, name in way)
            in_file = any(words_of(name)[-1:] == ("file",) for _, name in way)
            # An argument that only its place tells from others gives way to a variable.
            places = (has_variable if self._is_nameless(one) else order.index(one[0]) for one in way)
            return way not in self.told, foreign, max(places), in_file

        return min(group, key=rank)

    def _is_nameless(self, identity: Identity) -> bool:
        """Whether it is an argument that only its place tells from others."""
        parameter = self.table[identity]
        is_positional = parameter.binding.style is Style.POSITIONAL and parameter.fixed is None
        return identity[0] is Where.ARGUMENT and is_positional

    def result(self) -> Needs:
        """Put keys in the place of identities; what is in a group is not required by itself."""
        groups = self.groups
        alternatives = {identity for group in groups for way in group for identity in way}
        required = [identity for identity in self.required if identity not in alternatives]
        proposed = [identity for group in groups for identity in self._proposed(group)]
        ordered = first_of([*required, *proposed, *_alternatives(groups), *self.table])
        keys = _keys(ordered)
        parameters = tuple(
            replace(self.table[identity], key=keys[identity], required=identity in required)
            for identity in ordered
        )
        shown = [[way for way in group if all(one in keys for one in way)] for group in groups]
        return Needs(
            parameters,
            tuple(
                Group(GroupRule.ANY_OF, tuple(tuple(keys[one] for one in way) for way in group))
                for group in shown
                if len(group) > 1
            ),
            frozenset(keys[identity] for identity in proposed if identity in keys),
        )


def _alternatives(groups: Iterable[Sequence[Way]]) -> Iterator[Identity]:
    """Every parameter of every group, once each."""
    return (identity for group in groups for way in group for identity in way)


def _keys(identities: Sequence[Identity]) -> dict[Identity, str]:
    """A key for each: its name, and where two things share one, how it is handed over as well."""
    keys: dict[Identity, str] = {}
    taken: set[str] = set()
    for where, name in identities:
        key = name if name not in taken else f"{name} ({where})"
        taken.add(key)
        keys[where, name] = key
    return keys

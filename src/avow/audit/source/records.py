"""What is in a record, wherever and however it is put together."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from avow.audit.source.code import (
    Call,
    Choice,
    Expression,
    Joined,
    Member,
    Name,
    Record,
    Return,
    walk_outside_functions,
)
from avow.audit.source.project import Project, Scope

_DEEPEST: Final = 4
# Records that spread each other many times over say nothing new after so many steps.
_MOST_STEPS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a record after everything was spread out; `conditions` decide whether it is there."""

    key: str
    scope: Scope
    value: Expression
    conditions: tuple[tuple[Scope, Expression], ...] = ()


def entries(project: Project, scope: Scope, node: Expression) -> Iterator[Entry]:
    """The entries of the record that an expression stands for, spreads and helper functions followed."""
    return _Unfolding(project).entries(scope, node, 0)


class _Unfolding:
    """One record taken apart, in a bounded number of steps."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._steps = 0

    def entries(self, scope: Scope, node: Expression, depth: int) -> Iterator[Entry]:
        self._steps += 1
        if depth > _DEEPEST or self._steps > _MOST_STEPS:
            return
        home, value = self._project.value(scope, node)
        if isinstance(node, Name | Member) and isinstance(value, Record):
            # What is put into it afterwards: `capabilities.tools = {}`.
            for added, inner in scope.added.get(node.name, ()):
                yield Entry(added, scope, inner)
        match value:
            case Record():
                for key, inner in value.entries:
                    if key is None:
                        yield from self.entries(home, inner, depth + 1)
                    else:
                        yield Entry(key, home, inner)
            case Choice(test=test, then=then, otherwise=otherwise):
                for branch in (then, otherwise):
                    yield from self._under(home, test, branch, depth)
            case Joined(left=left, right=right):
                yield from self._under(home, left, right, depth)
                yield from self.entries(home, left, depth + 1)
            case Call(function=function):
                yield from self._returned(home, function, depth)
            case _:
                return

    def _under(self, scope: Scope, test: Expression, node: Expression, depth: int) -> Iterator[Entry]:
        for entry in self.entries(scope, node, depth + 1):
            yield replace(entry, conditions=(*entry.conditions, (scope, test)))

    def _returned(self, scope: Scope, function: Expression, depth: int) -> Iterator[Entry]:
        resolved = self._project.function(scope, function)
        if resolved is None:
            return
        for inner in walk_outside_functions(*resolved[1].body):
            if isinstance(inner, Return) and inner.value is not None:
                yield from self.entries(resolved[0], inner.value, depth + 1)

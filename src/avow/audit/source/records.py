"""What is in a record, wherever and however it is put together."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from avow.audit.source.code import (
    Call,
    Choice,
    Comparison,
    Expression,
    Joined,
    Literal,
    Member,
    Name,
    Not,
    Other,
    Record,
    Return,
    Several,
    last_name,
    walk_outside_functions,
)
from avow.audit.source.project import Project, Scope

_DEEPEST: Final = 4
# Records that spread each other many times over say nothing new after so many steps.
_MOST_STEPS: Final = 2_000
# A key that is computed, and its value.
_PAIR: Final = 2
# What gives back what it gets.
_COPIES: Final = frozenset(
    {"assign", "structuredClone", "freeze", "seal", "cloneDeep", "merge", "defaults"}
    | {"dict", "copy", "deepcopy", "MappingProxyType", "cast", "stringify", "parse"}
)


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


def unfold(project: Project, scope: Scope, node: Expression) -> tuple[tuple[Entry, ...], bool]:
    """The same, and whether these are all: not where some of it is made in a way that we cannot follow."""
    unfolding = _Unfolding(project)
    found = tuple(unfolding.entries(scope, node, 0))
    return found, unfolding.is_whole


class _Unfolding:
    """One record taken apart, in a bounded number of steps."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._steps = 0
        self.is_whole = True

    def entries(self, scope: Scope, node: Expression, depth: int) -> Iterator[Entry]:
        self._steps += 1
        if depth > _DEEPEST or self._steps > _MOST_STEPS:
            self.is_whole = False
            return
        home, value = self._project.value(scope, node)
        if isinstance(node, Name | Member) and isinstance(value, Record | Call):
            yield from self._added(scope, node.name)
        match value:
            case Record():
                for key, inner in value.entries:
                    yield from self._entry(home, key, inner, depth)
            case Choice(test=test, then=then, otherwise=otherwise):
                for branch in (then, otherwise):
                    yield from self._under(home, test, branch, depth)
            case Joined(left=left, right=right):
                yield from self._under(home, left, right, depth)
                if not isinstance(left, Comparison | Not):
                    yield from self._tested(home, left, depth)
            case Call():
                yield from self._made(home, value, depth)
            case Name(name=name):
                yield from self._given(home, value, name, depth)
            case Literal():
                return
            case _:
                self.is_whole = False

    def _added(self, scope: Scope, name: str) -> Iterator[Entry]:
        """What is put into it afterwards: `capabilities.tools = {}`."""
        for added, inner in scope.added.get(name, ()):
            yield Entry(added, scope, inner)
        if name in scope.grown:
            self.is_whole = False

    def _entry(self, scope: Scope, key: str | None, value: Expression, depth: int) -> Iterator[Entry]:
        if key is None:
            yield from self.entries(scope, value, depth + 1)
            return
        if key or not isinstance(value, Other) or len(value.parts) != _PAIR:
            yield Entry(key, scope, value)
            return
        # A key that is computed: one that has a single value is as good as written there.
        _, meant = self._project.value(scope, value.parts[0])
        if isinstance(meant, Literal) and isinstance(meant.value, str):
            yield Entry(meant.value, scope, value.parts[1])
        else:
            self.is_whole = False
            yield Entry("", scope, value)

    def _tested(self, scope: Scope, left: Expression, depth: int) -> Iterator[Entry]:
        """`given || {…}` has what was given; `isOn && {…}` has nothing of its test, whatever that is."""
        is_whole = self.is_whole
        yield from self.entries(scope, left, depth + 1)
        self.is_whole = is_whole

    def _under(self, scope: Scope, test: Expression, node: Expression, depth: int) -> Iterator[Entry]:
        for entry in self.entries(scope, node, depth + 1):
            yield replace(entry, conditions=(*entry.conditions, (scope, test)))

    def _made(self, scope: Scope, node: Call, depth: int) -> Iterator[Entry]:
        """What a call makes: a copy of what it gets, pairs put together, or what a function returns."""
        name = last_name(node.function)
        if name in _COPIES:
            for argument in node.arguments:
                yield from self.entries(scope, argument, depth + 1)
            for key, value in node.named:
                yield from self._entry(scope, key or None, value, depth)
            return
        if name == "fromEntries" and len(node.arguments) == 1:
            yield from self._pairs(scope, node.arguments[0])
            return
        resolved = self._project.function(scope, node.function)
        if resolved is None:
            self.is_whole = False
            return
        for inner in walk_outside_functions(*resolved[1].body):
            if isinstance(inner, Return) and inner.value is not None:
                yield from self.entries(resolved[0], inner.value, depth + 1)

    def _pairs(self, scope: Scope, node: Expression) -> Iterator[Entry]:
        home, value = self._project.value(scope, node)
        for item in value.items if isinstance(value, Several) else (None,):
            match item:
                case Several(items=(Literal(value=str() as key), inner)):
                    yield Entry(key, home, inner)
                case _:
                    self.is_whole = False

    def _given(self, scope: Scope, node: Name, name: str, depth: int) -> Iterator[Entry]:
        """What the callers of the function around hand it by this name."""
        given = self._project.given(scope, node, name)
        if not given:
            self.is_whole = False
        for home, argument in given:
            yield from self.entries(home, argument, depth + 1)

"""Following a program: branches, and what they leave behind."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from avow.system.diagnosis.code import syntax as s
from avow.system.diagnosis.code.expressions import Expressions
from avow.system.diagnosis.code.ground import (
    ABSENT,
    MOST_TRIES,
    Left,
    Returned,
    Stopped,
    Write,
    joined,
)
from avow.system.diagnosis.code.ledger import Ways
from avow.system.diagnosis.code.operators import binary
from avow.system.diagnosis.code.values import (
    NOTHING,
    Configured,
    Known,
    Record,
    Scope,
    Sequenced,
    Truth,
    Unknown,
    Value,
)

_COMPLAINING: Final = frozenset(
    {"error", "critical", "fatal", "exception", "print", "echo", "secho", "write"}
)


class Branches(Expressions):
    """Takes branches: the one that is certain, or each that is possible."""

    def branch(self, node: s.If, scope: Scope) -> None:
        """Carry out an `if`."""
        for _ in range(MOST_TRIES):
            truth = self.truth(self.evaluate(node.test, scope))
            if truth.value is None:
                self.either([node.then, node.otherwise], scope)
                return
            taken, other = (node.then, node.otherwise) if truth.value else (node.otherwise, node.then)
            if not truth.ways:
                self.run(taken, scope)
                return
            if self._decided(truth, taken, other, scope, node.line):
                return

    def _decided(
        self,
        truth: Truth,
        taken: Sequence[s.Statement],
        other: Sequence[s.Statement],
        scope: Scope,
        line: int,
    ) -> bool:
        """Take a branch for want of something; false when it ended the program, and has to be tried again."""
        place = self.place(scope, line)
        path = truth.sure
        with self.journal() as writes:
            try:
                with self.on_path(path):
                    self.run(taken, scope)
            except Stopped as stop:
                if not self.settle_stop(stop, truth, place):
                    raise
                return False
            except Returned as end:
                if truth.sure and self.gives_up(taken, end.value):
                    self.gave_up(truth.sure, place)
                end.value = _conditional_result(end.value, truth)
                raise
        self._condition(writes.values(), truth.ways, _assigned(other))
        if path and _ends(other):
            # What follows is only reached for want of these.
            self.frames[-1].path.append(path)
            if isinstance(other[-1], s.Return):
                self.frames[-1].passed.append(path)
        self._shadow(other, truth.ways, scope)
        return True

    def gives_up(self, body: Sequence[s.Statement], value: Value) -> bool:
        """Whether a branch complains and then ends its function with a failure."""
        return self.settle(value) in {NOTHING, Known(1), Known(value=False)} and any(map(_complains, body))

    def _condition(self, writes: Iterable[Write], ways: Ways, elsewhere: Mapping[str, Value]) -> None:
        """What a branch changed is only so as long as `ways` are missing."""
        for write in writes:
            target = write.target
            if isinstance(target, Sequenced):
                new = target.items[write.length :]
                target.items[write.length :] = [Configured(ways, item, ABSENT) for item in new]
            elif write.key in target:
                before = elsewhere.get(write.key, write.before or Unknown())
                target[write.key] = Configured(ways, target[write.key], before)

    def _shadow(self, other: Sequence[s.Statement], ways: Ways, scope: Scope) -> None:
        """What the branch not taken would have set is missing for want of `ways`."""
        for target, value in _assignments(other):
            present = _would_be(value)
            if isinstance(target, s.Name):
                variables = (scope.holder(target.text) or scope).variables
                now = variables.get(target.text, NOTHING)
                if _is_empty(self.settle(now)):
                    self.write(variables, target.text, Configured(ways, now, present))
            elif isinstance(target, s.Attribute) and isinstance(target.owner, s.Name):
                record = self.settle(self.evaluate(target.owner, scope))
                now = self.field(record, target.name, scope) if isinstance(record, Record) else Unknown()
                if isinstance(record, Record) and _is_empty(self.settle(now)):
                    self.write(record.fields, target.name, Configured(ways, now, present))

    def either(self, branches: Sequence[Sequence[s.Statement]], scope: Scope) -> None:
        """One of several things happens, and nobody knows which."""
        ends: list[Exception] = []
        outcomes: list[list[tuple[dict[str, Value], str, Value]]] = []
        for branch in branches:
            with self.doubt(), self.journal() as writes:
                try:
                    self.run(branch, scope)
                except (Stopped, Returned, Left) as end:
                    ends.append(end)
                    if isinstance(end, Returned):
                        self.frames[-1].maybe.append(end.value)
            outcomes.append(_undone(writes.values()))
        if len(ends) == len(branches) and ends:
            raise next((end for end in ends if not isinstance(end, Stopped)), ends[0])
        for target, key, value in (change for changes in outcomes for change in changes):
            self.write(target, key, joined(target.get(key), value))

    def switch_case(self, node: s.Switch, scope: Scope) -> None:
        """Carry out a `switch` or a `match`."""
        subject = self.evaluate(node.subject, scope)
        tests: list[tuple[Value, int]] = []
        for number, (values, _) in enumerate(node.cases):
            for value in values or ():
                against = self.evaluate(value, scope)
                self.compare(subject, against)
                tests.append((self._equal(subject, against), number))
        chosen = next((n for n, (values, _) in enumerate(node.cases) if values is None), len(node.cases))
        ways: Ways = ()
        for test, number in tests:
            truth = self.truth(test)
            if truth.value is None:
                self._any_case(node, scope)
                return
            ways = (*ways, *truth.ways)
            if truth.value:
                chosen = number
                break
        body = [each for _, case in node.cases[chosen:] for each in case]
        try:
            if not ways:
                self.run(body, scope)
                return
            why = Truth(value=True, ways=tuple(dict.fromkeys(ways)))
            if not self._decided(why, body, [], scope, node.line):
                self.switch_case(node, scope)
        except Left as left:
            if left.again:
                raise

    def _equal(self, left: Value, right: Value) -> Value:
        settled = self.settle(right)
        return self.lift(left, lambda one: binary("==", one, settled))

    def _any_case(self, node: s.Switch, scope: Scope) -> None:
        try:
            self.either([body for _, body in node.cases], scope)
        except Left as left:
            if left.again:
                raise

    @abstractmethod
    def run(self, body: Sequence[s.Statement], scope: Scope) -> None:
        """Carry out statements, one after the other."""


def _undone(writes: Iterable[Write]) -> list[tuple[dict[str, Value], str, Value]]:
    """Put everything back as it was; what it had become is the answer."""
    changes: list[tuple[dict[str, Value], str, Value]] = []
    for write in writes:
        if isinstance(write.target, Sequenced) or write.key not in write.target:
            continue
        changes.append((write.target, write.key, write.target[write.key]))
        if write.before is None:
            del write.target[write.key]
        else:
            write.target[write.key] = write.before
    return changes


def _conditional_result(value: Value, truth: Truth) -> Value:
    """What a function gives back for want of something; otherwise it would have been something else."""
    if isinstance(value, Known) and not value.value and truth.sure:
        return Configured(truth.sure, value, Unknown(truth=True))
    return (
        value if not truth.firm or isinstance(value, Configured) else Configured(truth.ways, value, Unknown())
    )


def _complains(statement: s.Statement) -> bool:
    match statement:
        case s.Evaluate(s.Call(s.Name(name) | s.Attribute(_, name))):
            return name in _COMPLAINING
        case _:
            return False


def _ends(body: Sequence[s.Statement]) -> bool:
    return bool(body) and isinstance(body[-1], s.Return | s.Throw)


def _assignments(body: Sequence[s.Statement]) -> Iterator[tuple[s.Target, s.Expression]]:
    for statement in body:
        match statement:
            case s.Assign(target, value):
                yield target, value
            case s.Evaluate(s.Assigned(target, value)):
                yield target, value
            case s.Block(inner):
                yield from _assignments(inner)
            case s.If(_, then, otherwise):
                yield from _assignments(then)
                yield from _assignments(otherwise)
            case s.Try(inner):
                yield from _assignments(inner)
            case _:
                continue


def _assigned(body: Sequence[s.Statement]) -> dict[str, Value]:
    """What a branch that is not taken would have set names and attributes to."""
    found: dict[str, Value] = {}
    for target, value in _assignments(body):
        if isinstance(target, s.Name | s.Attribute):
            found[target.text if isinstance(target, s.Name) else target.name] = _would_be(value)
    return found


def _is_empty(value: Value) -> bool:
    return isinstance(value, Known) and not value.value


def _would_be(value: s.Expression) -> Value:
    return Known(value.value) if isinstance(value, s.Literal) else Unknown(truth=True)

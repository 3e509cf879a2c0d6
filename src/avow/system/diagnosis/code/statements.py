"""Following a program: what statements do."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, Final

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
    ClassValue,
    CommandLine,
    Configured,
    Environment,
    External,
    Known,
    Record,
    Scope,
    Sequenced,
    Truth,
    Unknown,
    Value,
    ways_of,
)

_MOST_ROUNDS: Final = 60
# Errors that have nothing to do with what is missing.
_ELSEWHERE: Final = frozenset({"KeyboardInterrupt", "CancelledError", "ImportError", "ModuleNotFoundError"})
_COMPLAINING: Final = frozenset(
    {"error", "critical", "fatal", "exception", "print", "echo", "secho", "write"}
)
_EXITS: Final = frozenset({"SystemExit", "Exit"})
_BROAD: Final = frozenset({"Exception", "BaseException"})
_BUILT_IN: Final = frozenset({"KeyError", "IndexError", "TypeError", "ValueError", "AttributeError"})


class Statements(Expressions):
    """Carries out statements."""

    def run(self, body: Sequence[s.Statement], scope: Scope) -> None:
        """Carry out statements, one after the other."""
        for statement in body:
            self.step()
            handler = self._STATEMENTS.get(type(statement))
            if handler is not None:
                handler(self, statement, scope)

    def _evaluate_only(self, node: s.Evaluate, scope: Scope) -> None:
        self.evaluate(node.value, scope)

    def _assign_statement(self, node: s.Assign, scope: Scope) -> None:
        value = self.evaluate(node.value, scope)
        if node.operator and not isinstance(node.target, s.ObjectPattern | s.ItemsPattern):
            before = self.evaluate(node.target, scope)
            operator = node.operator
            value = self.lift(before, lambda one: self.lift(value, lambda two: binary(operator, one, two)))
            settled = self.settle(before)
            if isinstance(settled, Sequenced):
                for item in self.items_of(value, scope, node.line) or ():
                    self.append(settled, item)
                return
        if isinstance(node.target, s.Name):
            self.ledger.name_hint(ways_of(value), node.target.text)
        self.assign(node.target, value, scope, declares=node.declares)

    def assign(self, target: s.Target, value: Value, scope: Scope, *, declares: bool) -> None:
        """Assign a value to a target."""
        match target:
            case s.Name(text):
                holder = None if declares else scope.holder(text)
                self.write((holder or scope).variables, text, value)
            case s.Attribute(owner, name):
                self._set_field(self.settle(self.evaluate(owner, scope)), name, value)
            case s.Index(owner, key):
                settled = self.settle(self.evaluate(key, scope))
                name = str(settled.value) if isinstance(settled, Known) else ""
                self._set_field(self.settle(self.evaluate(owner, scope)), name, value)
            case s.ObjectPattern():
                self._take_fields(target, value, scope, declares=declares)
            case s.ItemsPattern():
                self._take_items(target, value, scope, declares=declares)

    def _set_field(self, owner: Value, name: str, value: Value) -> None:
        match owner:
            case Record(fields):
                self.write(fields, name, value)
            case ClassValue():
                self.write(owner.statics, name, value)
            case Environment():
                # The program sets its own variable: from here on it is there.
                self.ledger.defaulted([name], None)
            case _:
                return

    def _take_fields(self, target: s.ObjectPattern, value: Value, scope: Scope, *, declares: bool) -> None:
        for key, inner, default in target.entries:
            name = self.settle(self.evaluate(key, scope))
            line = key.line
            if isinstance(self.settle(value), Environment | Record):
                found = self.index(value, name, scope, line)
            else:
                text = str(name.value) if isinstance(name, Known) else ""
                found = self.attribute(value, text, scope, line)
            if default is not None:
                found = self._defaulted(found, default, scope)
            self.ledger.name_hint(ways_of(found), inner.text if isinstance(inner, s.Name) else "")
            self.assign(inner, found, scope, declares=declares)
        if target.rest is not None:
            settled = self.settle(value)
            whole = settled if isinstance(settled, Environment | Record) else Unknown()
            self.assign(target.rest, whole, scope, declares=declares)

    def _take_items(self, target: s.ItemsPattern, value: Value, scope: Scope, *, declares: bool) -> None:
        for position, (inner, default) in enumerate(target.entries):
            if inner is not None:
                found = self.index(value, Known(position), scope, 0)
                if default is not None:
                    found = self._defaulted(found, default, scope)
                self.ledger.name_hint(ways_of(found), inner.text if isinstance(inner, s.Name) else "")
                self.assign(inner, found, scope, declares=declares)
        if target.rest is not None:
            rest: Value = Unknown()
            match self.settle(value):
                case CommandLine(leading, skipped):
                    taken = len(target.entries)
                    rest = CommandLine(max(0, leading - taken), skipped + max(0, taken - leading))
                case Sequenced(items, complete):
                    rest = Sequenced(items[len(target.entries) :], complete)
                case _:
                    pass
            self.assign(target.rest, rest, scope, declares=declares)

    def _defaulted(self, value: Value, default: s.Expression, scope: Scope) -> Value:
        held = Scope(scope.module, scope, {"*held*": value})
        return self.evaluate(s.Logic("??", s.Name("*held*"), default, line=default.line), held)

    def _if(self, node: s.If, scope: Scope) -> None:
        for _ in range(MOST_TRIES):
            truth = self.truth(self.evaluate(node.test, scope))
            if truth.value is None:
                self._either([node.then, node.otherwise], scope)
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
                if truth.sure and self._gives_up(taken, end.value):
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

    def _gives_up(self, body: Sequence[s.Statement], value: Value) -> bool:
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

    def _either(self, branches: Sequence[Sequence[s.Statement]], scope: Scope) -> None:
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

    def _switch(self, node: s.Switch, scope: Scope) -> None:
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
                self._switch(node, scope)
        except Left as left:
            if left.again:
                raise

    def _equal(self, left: Value, right: Value) -> Value:
        settled = self.settle(right)
        return self.lift(left, lambda one: binary("==", one, settled))

    def _any_case(self, node: s.Switch, scope: Scope) -> None:
        try:
            self._either([body for _, body in node.cases], scope)
        except Left as left:
            if left.again:
                raise

    def _for_each(self, node: s.ForEach, scope: Scope) -> None:
        value = self.evaluate(node.items, scope)
        items = self.items_of(value, scope, node.line)
        if items is not None:
            self._rounds(node, items, scope)
            return
        with self.doubt():
            try:
                self._rounds(node, [Unknown()], scope)
            except Returned as end:
                self.frames[-1].maybe.append(end.value)
            except Stopped:
                return

    def _rounds(self, node: s.ForEach, items: Sequence[Value], scope: Scope) -> None:
        for item in items:
            self.assign(node.target, item, scope, declares=True)
            try:
                self.run(node.body, scope)
            except Left as left:
                if not left.again:
                    return

    def _while(self, node: s.While, scope: Scope) -> None:
        for _ in range(_MOST_ROUNDS):
            truth = self.truth(self.evaluate(node.test, scope))
            if truth.value is False:
                return
            try:
                if truth.value is None:
                    self._either([node.body, []], scope)
                    return
                self.run(node.body, scope)
            except Left as left:
                if not left.again:
                    return
            if node.step is not None:
                self.evaluate(node.step, scope)

    def _try(self, node: s.Try, scope: Scope) -> None:
        for _ in range(MOST_TRIES):
            if self._tried(node, scope):
                break
        self.run(node.final, scope)

    def _tried(self, node: s.Try, scope: Scope) -> bool:
        """Carry it out once; false when it has to be tried again."""
        try:
            if not node.handlers:
                self.run(node.body, scope)
                return True
            with self.catching():
                self.run(node.body, scope)
        except Stopped as stop:
            handler = next((each for each in node.handlers if _handles(each, stop)), None)
            if stop.kind == "exit" or handler is None:
                if self.settle_stop(stop, Truth(None), ""):
                    return False
                raise
            return self._handled(handler, stop, scope)
        return True

    def _handled(self, handler: s.Handler, stop: Stopped, scope: Scope) -> bool:
        if handler.target is not None:
            self.assign(handler.target, stop.value or Unknown(truth=True), scope, declares=True)
        try:
            self.run(handler.body, scope)
        except Stopped as second:
            second.reason = stop.reason
            if self.settle_stop(second, Truth(None, stop.ways, stop.ways), stop.place):
                return False
            raise
        except Returned as end:
            if stop.ways and self._gives_up(handler.body, end.value):
                self.gave_up(stop.ways, stop.place)
            raise
        self.ledger.tolerate(stop.ways)
        if stop.ways and self._gives_up(handler.body, NOTHING):
            self.gave_up(stop.ways, stop.place)
        return True

    def _throw(self, node: s.Throw, scope: Scope) -> None:
        value = NOTHING if node.value is None else self.evaluate(node.value, scope)
        name = ""
        match node.value:
            case s.Call(s.Name(text)) | s.Name(text) | s.Call(s.Attribute(_, text)):
                name = text
            case _:
                pass
        stop = Stopped("exit" if name in _EXITS else "throw", name, value)
        stop.place = self.place(scope, node.line)
        raise stop

    def _return(self, node: s.Return, scope: Scope) -> None:
        raise Returned(NOTHING if node.value is None else self.evaluate(node.value, scope))

    def _leave(self, node: s.Leave, _scope: Scope) -> None:
        raise Left(again=node.again)

    def _block(self, node: s.Block, scope: Scope) -> None:
        self.run(node.body, scope)

    def _import(self, node: s.Import, scope: Scope) -> None:
        module = self.imported(node.module, node.level, scope)
        for there, here in node.names:
            if isinstance(module, External) and there in {"*", "default"}:
                value: Value = self.external(module.path, scope)
            elif there == "*" and here != "*":
                value = module
            elif there == "*":
                self.take_all(module, scope)
                continue
            else:
                value = self.taken(module, there, node, scope)
            self.write(scope.variables, here, value)

    def _export(self, node: s.Export, scope: Scope) -> None:
        source = self.imported(node.module, 0, scope) if node.module else None
        scope.module.export(node.names, source)

    def imported(self, name: str, level: int, scope: Scope) -> Value:
        """A module, of the package or of a library."""
        raise NotImplementedError

    def taken(self, module: Value, name: str, node: s.Import, scope: Scope) -> Value:
        """A name taken from a module."""
        raise NotImplementedError

    def take_all(self, module: Value, scope: Scope) -> None:
        """Every name of a module is taken."""
        raise NotImplementedError

    _STATEMENTS: ClassVar[dict[type, Callable[..., None]]] = {
        s.Evaluate: _evaluate_only,
        s.Assign: _assign_statement,
        s.If: _if,
        s.Switch: _switch,
        s.ForEach: _for_each,
        s.While: _while,
        s.Try: _try,
        s.Throw: _throw,
        s.Return: _return,
        s.Leave: _leave,
        s.Block: _block,
        s.Import: _import,
        s.Export: _export,
    }


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


def _handles(handler: s.Handler, stop: Stopped) -> bool:
    names = frozenset(handler.catches)
    if not names or names & _BROAD:
        return True
    if names <= _ELSEWHERE:
        return False
    if stop.name in _BUILT_IN and names & _BUILT_IN:
        return stop.name in names
    return stop.name not in _BUILT_IN or stop.name in names or "LookupError" in names


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

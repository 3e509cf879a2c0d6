"""Following a program: what statements do."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from avow.system.diagnosis.code import syntax as s
from avow.system.diagnosis.code.branches import Branches
from avow.system.diagnosis.code.ground import (
    MOST_TRIES,
    Left,
    Returned,
    Stopped,
)
from avow.system.diagnosis.code.operators import binary
from avow.system.diagnosis.code.values import (
    NOTHING,
    ClassValue,
    CommandLine,
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
_EXITS: Final = frozenset({"SystemExit", "Exit"})
_BROAD: Final = frozenset({"Exception", "BaseException"})
_BUILT_IN: Final = frozenset({"KeyError", "IndexError", "TypeError", "ValueError", "AttributeError"})


class Statements(Branches):
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
                # The program sets a variable of its own: from here on it is that.
                self.write(self.variables, name, value)
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
                    self.either([node.body, []], scope)
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
            second.reason, second.path = stop.reason, stop.path
            if self.settle_stop(second, Truth(None, stop.ways, stop.ways), stop.place):
                return False
            raise
        except Returned as end:
            if stop.ways and self.gives_up(handler.body, end.value):
                self.gave_up(stop.ways, stop.place)
            raise
        self.ledger.tolerate(stop.ways)
        if stop.ways and self.gives_up(handler.body, NOTHING):
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
        s.If: Branches.branch,
        s.Switch: Branches.switch_case,
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


def _handles(handler: s.Handler, stop: Stopped) -> bool:
    names = frozenset(handler.catches)
    if not names or names & _BROAD:
        return True
    if names <= _ELSEWHERE:
        return False
    if stop.name in _BUILT_IN and names & _BUILT_IN:
        return stop.name in names
    return stop.name not in _BUILT_IN or stop.name in names or "LookupError" in names

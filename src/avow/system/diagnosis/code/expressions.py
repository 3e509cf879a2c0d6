"""Following a program: what expressions come to."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

from avow.system.diagnosis.code import syntax as s
from avow.system.diagnosis.code.access import Access
from avow.system.diagnosis.code.ground import (
    ABSENT,
    MOST_ITEMS,
    MOST_TRIES,
    Stopped,
    plain_truth,
)
from avow.system.diagnosis.code.operators import binary, joined, negated, type_name
from avow.system.diagnosis.code.values import (
    GIVEN,
    NOTHING,
    CommandLine,
    Configured,
    Environment,
    Known,
    Record,
    Scope,
    Sequenced,
    Truth,
    Unknown,
    Value,
    depends_of,
    text_of,
)


class Expressions(Access):
    """Finds the values of expressions."""

    def evaluate(self, node: s.Expression, scope: Scope) -> Value:
        """The value of an expression."""
        self.step()
        handler = self._HANDLERS.get(type(node))
        return Unknown() if handler is None else handler(self, node, scope)

    def _literal(self, node: s.Literal, _scope: Scope) -> Value:
        if isinstance(node.value, str):
            self.ledger.say(node.value)
        return Known(node.value)

    def _name(self, node: s.Name, scope: Scope) -> Value:
        holder = scope.holder(node.text)
        return self.global_name(node.text, scope) if holder is None else holder.variables[node.text]

    def _attribute(self, node: s.Attribute, scope: Scope) -> Value:
        owner = self.evaluate(node.owner, scope)
        return self.attribute(owner, node.name, scope, node.line, optional=node.optional)

    def _index(self, node: s.Index, scope: Scope) -> Value:
        owner = self.evaluate(node.owner, scope)
        key = self.evaluate(node.key, scope)
        return self.index(owner, key, scope, node.line, strict=node.strict, optional=node.optional)

    def _logic(self, node: s.Logic, scope: Scope) -> Value:
        left = self.evaluate(node.left, scope)
        truth = self._nullish(left) if node.operator == "??" else self.truth(left)
        if truth.value is None:
            with self.doubt():
                right = self._attempt(node.right, scope)
            return Unknown(depends=depends_of(left, right))
        if node.operator == "and":
            return self._and(left, truth.value, node, scope)
        if truth.value and not truth.ways:
            return left
        if truth.value:
            return left
        if not truth.ways:
            return self.evaluate(node.right, scope)
        return self._or(left, node, scope)

    def _or(self, left: Value, node: s.Logic, scope: Scope) -> Value:
        """`left or right`, where left is missing for now."""
        for _ in range(MOST_TRIES):
            truth = self._nullish(left) if node.operator == "??" else self.truth(left)
            if truth.value is not False:
                return left
            try:
                with self.on_path(truth.ways):
                    right = self.evaluate(node.right, scope)
            except Stopped as stop:
                if not self.settle_stop(stop, truth, self.place(scope, node.line)):
                    raise
                continue
            keys = frozenset().union(*truth.ways)
            if not isinstance(right, Configured) and right != NOTHING:
                shown = str(right.value) if isinstance(right, Known) else None
                if shown != "":
                    self.ledger.defaulted(keys, shown)
            return Configured(truth.ways, right, GIVEN)
        return Unknown()

    def _and(self, left: Value, is_true: bool, node: s.Logic, scope: Scope) -> Value:
        truth = self.truth(left)
        if not is_true:
            return left
        if not truth.ways:
            return self.evaluate(node.right, scope)
        with self.on_path(truth.sure):
            right = self.evaluate(node.right, scope)
        return self.lift(left, lambda value: _second(value, right))

    def _nullish(self, value: Value) -> Truth:
        """Like truth, for `??`: only nothing counts as false."""
        return self.truth(self.lift(value, _is_something))

    def _attempt(self, node: s.Expression, scope: Scope) -> Value:
        try:
            return self.evaluate(node, scope)
        except Stopped:
            return Unknown()

    def _not(self, node: s.Not, scope: Scope) -> Value:
        value = self.evaluate(node.value, scope)
        if isinstance(value, Sequenced):
            truth = self.truth(value)
            if truth.ways:
                return Configured(truth.ways, Known(value=False), Known(value=True))
            return Unknown() if truth.value is None else Known(not truth.value)
        return self.lift(value, negated)

    def _conditional(self, node: s.Conditional, scope: Scope) -> Value:
        for _ in range(MOST_TRIES):
            test = self.evaluate(node.test, scope)
            truth = self.truth(test)
            if truth.value is None:
                with self.doubt():
                    parts = self._attempt(node.then, scope), self._attempt(node.otherwise, scope)
                return Unknown(depends=depends_of(test, *parts))
            chosen, other = (node.then, node.otherwise) if truth.value else (node.otherwise, node.then)
            if not truth.ways:
                return self.evaluate(chosen, scope)
            try:
                with self.on_path(truth.sure):
                    value = self.evaluate(chosen, scope)
            except Stopped as stop:
                if not self.settle_stop(stop, truth, self.place(scope, node.line)):
                    raise
                continue
            if isinstance(value, Known) and value.value not in {None, ""}:
                self.ledger.defaulted(frozenset().union(*truth.ways), str(value.value))
            literal = truth.firm and isinstance(other, s.Literal)
            present = Known(other.value) if literal and isinstance(other, s.Literal) else Unknown()
            return Configured(truth.ways, value, present)
        return Unknown()

    def _binary(self, node: s.Binary, scope: Scope) -> Value:
        left, right = self.evaluate(node.left, scope), self.evaluate(node.right, scope)
        if node.operator in {"in", "not in"}:
            found = self._contained(left, right, scope, node.line)
            return self.lift(found, negated) if node.operator == "not in" else found
        if node.operator in {"==", "!="}:
            self.compare(left, right)
            self.compare(right, left)
        return self.lift(left, lambda one: self.lift(right, lambda two: binary(node.operator, one, two)))

    def _type_of(self, node: s.TypeOf, scope: Scope) -> Value:
        return self.lift(self.evaluate(node.value, scope), type_name)

    def _text(self, node: s.Text, scope: Scope) -> Value:
        parts = [self.evaluate(part, scope) for part in node.parts]
        settled = [self.settle(part) for part in parts]
        if all(isinstance(part, Known) for part in settled) and not depends_of(*parts):
            return joined([str(part.value) for part in settled if isinstance(part, Known)])
        return Unknown(truth=True, depends=depends_of(*parts))

    def _items(self, node: s.Items, scope: Scope) -> Value:
        made = Sequenced([])
        for item in node.items:
            value = self.evaluate(item.value if isinstance(item, s.Spread) else item, scope)
            if not isinstance(item, s.Spread):
                made.items.append(value)
                continue
            settled = self.settle(value)
            if isinstance(settled, CommandLine) and not made.items:
                return settled
            made.items.extend(settled.items if isinstance(settled, Sequenced) else ())
            made.complete &= isinstance(settled, Sequenced) and settled.complete
            if len(made.items) > MOST_ITEMS:
                return Unknown()
        return made

    def _mapped(self, node: s.Mapped, scope: Scope) -> Value:
        made = Record()
        for key, value in node.pairs:
            given = self.evaluate(value, scope)
            if key is None:
                settled = self.settle(given)
                if isinstance(settled, Environment) and not made.fields:
                    return settled
                if isinstance(settled, Record):
                    made.fields.update(settled.fields)
                made.complete &= (isinstance(settled, Record) and settled.complete) or settled == NOTHING
                continue
            name = self.settle(self.evaluate(key, scope))
            if isinstance(name, Known):
                made.fields[str(name.value)] = given
            else:
                made.complete = False
        return made

    def _comprehension(self, node: s.Comprehension, scope: Scope) -> Value:
        items = self.items_of(self.evaluate(node.items, scope), scope, node.line)
        inner = Scope(scope.module, scope)
        made, fields = Sequenced([], complete=items is not None), Record(complete=items is not None)
        for item in items if items is not None else [Unknown()]:
            self.assign(node.target, item, inner, declares=True)
            kept = self._kept([self.evaluate(test, inner) for test in node.tests])
            if kept is ABSENT:
                continue
            value = self.evaluate(node.element, inner)
            if node.key is not None:
                fields.fields[text_of(self.evaluate(node.key, inner)) or ""] = value
            elif isinstance(kept, Configured):
                made.items.append(Configured(kept.ways, value, ABSENT))
            else:
                made.items.append(value)
                made.complete &= not isinstance(kept, Unknown)
        return made if node.key is None else fields

    def _kept(self, tests: Sequence[Value]) -> Value:
        """Whether an item stays: ABSENT when it does not, and with what it depends on."""
        kept: Value = Known(value=True)
        for test in tests:
            truth = self.truth(test)
            if truth.value is False:
                return ABSENT
            if truth.value is None:
                kept = Unknown()
            elif truth.ways:
                kept = Configured(truth.ways, kept, ABSENT)
        return kept

    def filtered(self, items: Sequence[Value], test: Callable[[Value], Value]) -> Sequenced:
        """The items that pass a test; those that pass for want of something are gone once it is given."""
        made = Sequenced([])
        for item in items:
            kept = self._kept([test(item)])
            if isinstance(kept, Configured):
                made.items.append(Configured(kept.ways, item, ABSENT))
            elif kept is not ABSENT:
                made.items.append(item)
                made.complete &= not isinstance(kept, Unknown)
        return made

    def _assigned(self, node: s.Assigned, scope: Scope) -> Value:
        value: s.Expression = node.value
        if node.operator and not isinstance(node.target, s.ObjectPattern | s.ItemsPattern):
            is_logic = node.operator in {"or", "and", "??"}
            value = (
                s.Logic(node.operator, node.target, node.value, line=node.line)
                if is_logic
                else s.Binary(node.operator, node.target, node.value, line=node.line)
            )
        result = self.evaluate(value, scope)
        self.assign(node.target, result, scope, declares=False)
        return result

    def _sequenced(self, node: s.Sequenced, scope: Scope) -> Value:
        result: Value = NOTHING
        for part in node.parts:
            result = self.evaluate(part, scope)
        return result

    def _opaque(self, node: s.Opaque, scope: Scope) -> Value:
        return Unknown(depends=depends_of(*(self.evaluate(part, scope) for part in node.parts)))

    def _spread(self, node: s.Spread, scope: Scope) -> Value:
        return self.evaluate(node.value, scope)

    @abstractmethod
    def _call(self, node: s.Call, scope: Scope) -> Value: ...

    @abstractmethod
    def _function(self, node: s.Function, scope: Scope) -> Value: ...

    @abstractmethod
    def _class(self, node: s.Class, scope: Scope) -> Value: ...

    _HANDLERS: ClassVar[dict[type, Callable[..., Value]]] = {
        s.Literal: _literal,
        s.Name: _name,
        s.Attribute: _attribute,
        s.Index: _index,
        s.Logic: _logic,
        s.Not: _not,
        s.Conditional: _conditional,
        s.Binary: _binary,
        s.TypeOf: _type_of,
        s.Text: _text,
        s.Items: _items,
        s.Mapped: _mapped,
        s.Comprehension: _comprehension,
        s.Assigned: _assigned,
        s.Sequenced: _sequenced,
        s.Opaque: _opaque,
        s.Spread: _spread,
        s.Call: lambda self, node, scope: self._call(node, scope),
        s.Function: lambda self, node, scope: self._function(node, scope),
        s.Class: lambda self, node, scope: self._class(node, scope),
    }


def _second(first: Value, second: Value) -> Value:
    """`first and second`, where nothing depends on what is given any more in the first."""
    truth = plain_truth(first)
    return Unknown(depends=depends_of(first)) if truth is None else second if truth else first


def _is_something(value: Value) -> Value:
    if isinstance(value, Unknown):
        return Known(value=True) if value.truth else Unknown()
    return Known(value != NOTHING)

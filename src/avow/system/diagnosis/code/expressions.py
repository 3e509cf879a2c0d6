"""Following a program: what expressions come to."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

from avow.system.diagnosis.code import syntax as s
from avow.system.diagnosis.code.ground import (
    ABSENT,
    MOST_TRIES,
    Ground,
    Stopped,
    is_conditional,
    keys_of_items,
    plain_truth,
)
from avow.system.diagnosis.code.operators import binary, negated, type_name
from avow.system.diagnosis.code.values import (
    GIVEN,
    NOTHING,
    ClassValue,
    Closure,
    CommandLine,
    Configured,
    Environment,
    External,
    Getter,
    Known,
    Model,
    ModuleValue,
    Record,
    Request,
    Scope,
    Sequenced,
    Truth,
    Unknown,
    Value,
    depends_of,
    text_of,
)

_MOST_ITEMS = 200


class Expressions(Ground):
    """Finds the values of expressions."""

    def evaluate(self, node: s.Expression, scope: Scope) -> Value:
        """The value of an expression."""
        self.step()
        handler = self._HANDLERS.get(type(node))
        return Unknown() if handler is None else handler(self, node, scope)

    def _literal(self, node: s.Literal, _scope: Scope) -> Value:
        return Known(node.value)

    def _name(self, node: s.Name, scope: Scope) -> Value:
        holder = scope.holder(node.text)
        return self.global_name(node.text, scope) if holder is None else holder.variables[node.text]

    def _attribute(self, node: s.Attribute, scope: Scope) -> Value:
        owner = self.evaluate(node.owner, scope)
        return self.attribute(owner, node.name, scope, node.line, optional=node.optional)

    def attribute(self, owner: Value, name: str, scope: Scope, line: int, *, optional: bool = False) -> Value:
        """An attribute of a value."""
        if isinstance(owner, Configured):
            owner = self._present(owner, name, scope, line, optional=optional)
            return self.lift(owner, lambda value: self._attribute_of(value, name, scope, line))
        return self._attribute_of(owner, name, scope, line)

    def _present(self, owner: Configured, name: str, scope: Scope, line: int, *, optional: bool) -> Value:
        """Something that has to be there for an attribute of it to be read."""
        truth = self.truth(owner)
        if not optional and truth.value is False and truth.ways and self.settle(owner) == NOTHING:
            place = self.place(scope, line)
            self.insist(truth.ways, "TypeError", place, f"`.{name}` of it is read when it is missing")
        return owner

    def _attribute_of(self, owner: Value, name: str, scope: Scope, line: int) -> Value:
        match owner:
            case Record():
                return self.field(owner, name, scope)
            case Environment():
                return self.variable(owner.prefix + name, scope, line)
            case External(path):
                return self.external(f"{path}.{name}" if path else name, scope)
            case ModuleValue(module):
                return module.exported(name) or Unknown()
            case ClassValue():
                return self._static(owner, name)
            case Model():
                return owner.attribute(self, name)
            case Sequenced() | CommandLine() if name == "length":
                return self.length(owner, scope, line)
            case Known(str(text)) if name == "length":
                return Known(len(text))
            case Unknown(truth=True) if name == "length":
                return owner
            case Unknown():
                return Unknown(depends=owner.depends)
            case _:
                return Unknown()

    def field(self, owner: Record, name: str, scope: Scope) -> Value:
        """A field of an object, or a member of its class."""
        if name in owner.fields:
            found = owner.fields[name]
            if isinstance(found, Getter):
                return self.call(found.function, Request((), {}, 0, scope.module))
            return found
        if owner.made_by is not None and (declared := owner.made_by.member(name)):
            member, declarer = declared
            if isinstance(member.value, s.Function):
                bound = Closure(member.value, declarer.scope, owner, takes_this=not member.static)
                return self.call(bound, Request((), {}, 0, scope.module)) if member.getter else bound
            return declarer.statics.get(name, Unknown())
        is_open = owner.made_by is not None or not owner.complete
        return Unknown() if is_open else NOTHING

    def _static(self, owner: ClassValue, name: str) -> Value:
        found = owner.member(name)
        if found is None:
            return owner.statics.get(name, Unknown())
        member, declarer = found
        if isinstance(member.value, s.Function):
            return Closure(member.value, declarer.scope, owner, takes_this=True)
        return declarer.statics.get(name, Unknown())

    def _index(self, node: s.Index, scope: Scope) -> Value:
        owner = self.evaluate(node.owner, scope)
        key = self.evaluate(node.key, scope)
        return self.index(owner, key, scope, node.line, strict=node.strict, optional=node.optional)

    def index(
        self,
        owner: Value,
        key: Value,
        scope: Scope,
        line: int,
        *,
        strict: bool = False,
        optional: bool = True,
    ) -> Value:
        """An item of a value."""
        settled = self.settle(owner)
        match settled, self.settle(key):
            case Environment(), Known(str(name)):
                value = self.variable(settled.prefix + name, scope, line)
                if strict and self.truth(value).value is False:
                    ways = (frozenset({settled.prefix + name}),)
                    self.insist(ways, "KeyError", self.place(scope, line), "it is read without a default")
                return value
            case CommandLine(), Known(int(position)):
                return self._word(settled, position, scope, line, strict=strict)
            case Sequenced(items), Known(int(position)) if -len(items) <= position < len(items):
                return items[position]
            case Sequenced(_, complete), Known(int()):
                return NOTHING if complete and not strict else Unknown()
            case ((Record() | ModuleValue() | ClassValue() | External() | Model()), Known(str(name))):
                return self.attribute(owner, name, scope, line, optional=optional)
            case _, settled_key:
                return Unknown(depends=depends_of(owner, settled_key))

    def _word(self, line_of: CommandLine, position: int, scope: Scope, line: int, *, strict: bool) -> Value:
        if position < 0:
            return Unknown(depends=frozenset())
        if position < line_of.leading:
            return Unknown(truth=True)
        number = position - line_of.leading + line_of.skipped
        value = self.positional(number, scope, line)
        if strict and self.truth(value).value is False:
            ways = (frozenset({positional_key(number)}),)
            self.insist(ways, "IndexError", self.place(scope, line), "the argument is read without a check")
        return value

    def length(self, value: Value, scope: Scope, line: int) -> Value:
        """How many items there are."""
        match value:
            case CommandLine(leading, skipped):
                counted: Value = Unknown()
                for number in range(5, -1, -1):
                    key = self.positional_seen(number + skipped, scope, line, noted=False)
                    counted = Configured((frozenset({key}),), Known(leading + number), counted)
                return counted
            case Sequenced(items, True):
                there = [item for item in items if self.item_is_there(item)]
                conditional = [item for item in there if is_conditional(item)]
                count = Known(len(there))
                if not conditional:
                    return count
                return Configured((keys_of_items(conditional),), count, Known(len(there) - len(conditional)))
            case Known(str(text)):
                return Known(len(text))
            case Record(fields, True):
                return Known(len(fields))
            case _:
                return Unknown(truth=True if value == Unknown(truth=True) else None)

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

    def compare(self, value: Value, other: Value) -> None:
        """Note the word that something given is compared with."""
        if isinstance(value, Configured) and isinstance(other, Known) and isinstance(other.value, str):
            self.ledger.compare([key for way in value.ways for key in way], other.value)

    def _contained(self, item: Value, owner: Value, scope: Scope, line: int) -> Value:
        settled = self.settle(owner)
        match settled, item:
            case Environment(), Known(str(name)):
                value = self.variable(settled.prefix + name, scope, line)
                return self.lift(value, lambda each: Known(each != NOTHING))
            case CommandLine(), Known(str(word)) if word.startswith("-"):
                return self.lift(self.switch(word, scope, line), lambda each: Known(each != NOTHING))
            case CommandLine(), _:
                return Known(value=False)
            case Record(fields, True), Known(str(name)):
                return Known(name in fields)
            case Sequenced(items, True), _ if all(isinstance(each, Known) for each in items):
                among = {each.value for each in items if isinstance(each, Known)}
                for each in items:
                    self.compare(item, each)
                return self.lift(
                    item, lambda each: Known(each.value in among) if isinstance(each, Known) else Unknown()
                )
            case Known(str(text)), _:
                return self.lift(item, lambda each: _inside(text_of(each), text))
            case _:
                return Unknown(depends=depends_of(item, owner))

    def _type_of(self, node: s.TypeOf, scope: Scope) -> Value:
        return self.lift(self.evaluate(node.value, scope), type_name)

    def _text(self, node: s.Text, scope: Scope) -> Value:
        parts = [self.evaluate(part, scope) for part in node.parts]
        settled = [self.settle(part) for part in parts]
        if all(isinstance(part, Known) for part in settled) and not depends_of(*parts):
            return Known("".join(str(part.value) for part in settled if isinstance(part, Known)))
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

    def items_of(self, value: Value, scope: Scope, line: int) -> list[Value] | None:
        """The items of something that is gone through; None when nobody knows them."""
        match self.settle(value):
            case Sequenced(items, _):
                return [self.settle_item(item) for item in items[:_MOST_ITEMS] if self.item_is_there(item)]
            case CommandLine(_, skipped):
                numbers = range(skipped, 6)
                return [self.positional(n, scope, line) for n in numbers if positional_key(n) in self.given]
            case Record(fields, True):
                names: list[Value] = [Known(name) for name in fields]
                return names[:_MOST_ITEMS]
            case Known(None):
                return []
            case _:
                return None

    def settle_item(self, item: Value) -> Value:
        """An item of a list without the condition for its being there."""
        return item.missing if isinstance(item, Configured) and is_conditional(item) else item

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

    models: dict[str, Model]

    @abstractmethod
    def call(self, function: Value, request: Request) -> Value:
        """Call something."""

    @abstractmethod
    def assign(self, target: s.Target, value: Value, scope: Scope, *, declares: bool) -> None:
        """Assign a value to a target."""

    @abstractmethod
    def global_name(self, name: str, scope: Scope) -> Value:
        """A name that nothing in the module declares."""

    @abstractmethod
    def external(self, path: str, scope: Scope) -> Value:
        """Something of a library."""

    @abstractmethod
    def variable(self, name: str, scope: Scope, line: int) -> Value:
        """An environment variable."""

    @abstractmethod
    def positional(self, number: int, scope: Scope, line: int) -> Value:
        """A word of the command line."""

    @abstractmethod
    def positional_seen(self, number: int, scope: Scope, line: int, *, noted: bool) -> str:
        """The key of a word of the command line."""

    @abstractmethod
    def switch(self, word: str, scope: Scope, line: int) -> Value:
        """Whether a flag stands on the command line."""

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


def positional_key(number: int) -> str:
    """The key of a word of the command line, before it has a name."""
    return f"<argument {number + 1}>"


def _second(first: Value, second: Value) -> Value:
    """`first and second`, where nothing depends on what is given any more in the first."""
    truth = plain_truth(first)
    return Unknown(depends=depends_of(first)) if truth is None else second if truth else first


def _is_something(value: Value) -> Value:
    if isinstance(value, Unknown):
        return Known(value=True) if value.truth else Unknown()
    return Known(value != NOTHING)


def _inside(part: str | None, text: str) -> Value:
    return Unknown() if part is None else Known(part in text)

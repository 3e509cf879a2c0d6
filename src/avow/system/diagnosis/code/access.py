"""Following a program: attributes, items and members of values."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Final

from avow.system.diagnosis.code import syntax as s
from avow.system.diagnosis.code.ground import (
    Ground,
    is_conditional,
    keys_of_items,
)
from avow.system.diagnosis.code.values import (
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
    Unknown,
    Value,
    depends_of,
    text_of,
)

_MOST_ITEMS: Final = 200


class Access(Ground):
    """Looks into values."""

    models: dict[str, Model]
    variables: dict[str, Value]

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
            return self.word_before(position, line_of.leading)
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

    @abstractmethod
    def evaluate(self, node: s.Expression, scope: Scope) -> Value:
        """The value of an expression."""

    @abstractmethod
    def filtered(self, items: Sequence[Value], test: Callable[[Value], Value]) -> Sequenced:
        """The items that pass a test."""

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
    def word_before(self, position: int, leading: int) -> Value:
        """A word of the command line that names what is run."""

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


def positional_key(number: int) -> str:
    """The key of a word of the command line, before it has a name."""
    return f"<argument {number + 1}>"


def _inside(part: str | None, text: str) -> Value:
    return Unknown() if part is None else Known(part in text)

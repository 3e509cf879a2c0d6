"""Following a program: calls of functions, methods, classes and libraries."""

from collections.abc import Mapping, Sequence
from typing import Final

from avow.system.diagnosis.code import libraries
from avow.system.diagnosis.code import syntax as s
from avow.system.diagnosis.code.builtin_methods import method_of
from avow.system.diagnosis.code.ground import (
    MOST_DEPTH,
    MOST_ITEMS,
    MOST_TRIES,
    Frame,
    Returned,
    Stopped,
    joined,
)
from avow.system.diagnosis.code.statements import Statements
from avow.system.diagnosis.code.values import (
    NOTHING,
    ClassValue,
    Closure,
    Configured,
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
)

_SAME_FUNCTION: Final = 2
# What may happen only if several other things happen that may not is not worth the way.
_MOST_DOUBTS: Final = 2
# Helpers of compilers and bundlers that hand a module on.
_HANDING_ON: Final = frozenset(
    {"__toESM", "__importDefault", "__importStar", "_interopRequireDefault", "_interopRequireWildcard"}
    | {"__toCommonJS", "__importWildcard", "_interop_require_default", "_interop_require_wildcard"}
)
_GIVING_OUT: Final = frozenset({"__exportStar", "__export", "__reExport"})


class Calls(Statements):
    """Calls things."""

    called: set[int]
    waiting: list[Closure]

    def _call(self, node: s.Call, scope: Scope) -> Value:
        if isinstance(node.function, s.Attribute) and node.function.name == "catch":
            return self._caught(node, node.function, scope)
        if isinstance(node.function, s.Attribute):
            owner = self.evaluate(node.function.owner, scope)
            request = self._request(node, scope)
            if isinstance(owner, Configured):
                owner = self._present(
                    owner, node.function.name, scope, node.line, optional=node.function.optional
                )
            return self.method(owner, node.function.name, request, scope)
        if isinstance(node.function, s.Name) and node.arguments:
            if node.function.text in _HANDING_ON:
                return self.evaluate(node.arguments[0], scope)
            if node.function.text in _GIVING_OUT:
                return self._given_out(self._request(node, scope))
        function = self.evaluate(node.function, scope)
        return self.call(function, self._request(node, scope))

    def _given_out(self, request: Request) -> Value:
        """What helpers of compilers do: everything of one module is given out by another."""
        first, second = (self.settle(request.argument(n) or NOTHING) for n in (0, 1))
        if isinstance(first, ModuleValue) and isinstance(second, Record):
            for name in first.module.exports:
                self.write(second.fields, name, first.module.exported(name) or Unknown())
        elif isinstance(first, Record) and isinstance(second, Record):
            # TypeScript's `__exportStar(from, to)`; esbuild's `__export(to, {name: () => value})`.
            getters = all(isinstance(value, Closure) for value in second.fields.values()) and second.fields
            if getters:
                for name, value in second.fields.items():
                    self.write(first.fields, name, Getter(value))
            else:
                for name, value in first.fields.items():
                    self.write(second.fields, name, value)
        return NOTHING

    def _request(self, node: s.Call, scope: Scope) -> Request:
        arguments: list[Value] = []
        for argument in node.arguments:
            value = self.evaluate(argument, scope)
            if isinstance(argument, s.Spread):
                settled = self.settle(value)
                arguments.extend(settled.items[:MOST_ITEMS] if isinstance(settled, Sequenced) else ())
            else:
                arguments.append(value)
        keywords: dict[str, Value] = {}
        for name, argument in node.keywords:
            value = self.evaluate(argument, scope)
            if name != "**":
                keywords[name] = value
            elif isinstance(settled := self.settle(value), Record):
                keywords |= settled.fields
        return Request(arguments, keywords, node.line, scope.module, node.new)

    def _caught(self, node: s.Call, function: s.Attribute, scope: Scope) -> Value:
        """`promise.catch(handler)`: at the top of a program the error is its end."""
        is_top = len(self.frames) <= 2
        for _ in range(MOST_TRIES):
            try:
                with self.catching():
                    return self.evaluate(function.owner, scope)
            except Stopped as stop:
                request = self._request(node, scope)
                try:
                    for handler in request.arguments[:1]:
                        error = stop.value or Unknown(truth=True)
                        self.call(handler, Request((error,), {}, node.line, scope.module))
                except Stopped as second:
                    second.reason, second.path = stop.reason, stop.path
                    if self.settle_stop(second, Truth(None, stop.ways, stop.ways), stop.place):
                        continue
                    raise
                if is_top and stop.ways:
                    self.demand(stop.ways, stop.path, stop.place, stop.reason)
                    continue
                self.ledger.tolerate(stop.ways)
                return Unknown()
        return Unknown()

    def method(self, owner: Value, name: str, request: Request, scope: Scope) -> Value:
        """A method is called."""
        settled = self.settle(owner)
        match settled:
            case External(path):
                full = f"{path}.{name}" if path else name
                return self._library(full, request, owner)
            case Model():
                attribute = settled.attribute(self, name)
                return self.call(attribute, request)
            case Record(fields) if name in fields or (settled.made_by and settled.made_by.member(name)):
                return self.call(self.field(settled, name, scope), request)
            case ModuleValue() | ClassValue():
                return self.call(self.attribute(settled, name, scope, request.line), request)
            case Closure() if name in {"call", "apply", "bind"}:
                rest = Request(request.arguments[1:], {}, request.line, request.module)
                return settled if name == "bind" else self.call(settled, rest)
        found = method_of(self, owner, settled, name, request, scope)
        if found is not None:
            return found
        shaped = libraries.shaped(self, name, request)
        return self._unknown_call(name, request, owner) if shaped is None else shaped

    def call(self, function: Value, request: Request) -> Value:
        """Call something."""
        self.step()
        match self.settle(function):
            case Closure() as closure:
                return self._run_closure(closure, request)
            case ClassValue() as made:
                return self._instance(made, request)
            case Model() as model:
                return model.call(self, request)
            case External(path):
                return self._library(path, request, None)
            case _:
                return self._unknown_call("", request, function)

    def _library(self, path: str, request: Request, owner: Value | None) -> Value:
        found = libraries.call(self, path, request)
        if found is not None:
            return found
        name = path.rpartition(".")[2]
        self._hand_over(request)
        result = self._unknown_call(name, request, owner)
        if isinstance(result, Unknown) and not result.depends:
            return External(f"{path}()"[-200:])
        return result

    def _hand_over(self, request: Request) -> None:
        """Note what a library is given although it is missing: it may end the program for it."""
        values = [*request.arguments, *request.keywords.values()]
        for record in [each for each in values if isinstance(each, Record)]:
            values.extend(record.fields.values())
        for value in values:
            if isinstance(value, Configured) and self.settle(value) == NOTHING and self.ledger.at_start:
                self.ledger.handed.update(key for way in value.ways for key in way)

    def _unknown_call(self, name: str, request: Request, owner: Value | None) -> Value:
        """Nobody knows what is called; functions that are handed over are called later, or at once."""
        for argument in (*request.arguments, *request.keywords.values()):
            settled = self.settle(argument)
            if isinstance(settled, Closure):
                if name in libraries.CALLING_AT_ONCE:
                    self.call(settled, Request((Unknown(),) * 3, {}, request.line, request.module))
                else:
                    self.waiting.append(settled)
        if isinstance(lifespan := request.keywords.get("lifespan"), Closure):
            self.call(lifespan, Request((Unknown(),), {}, request.line, request.module))
        return Unknown(depends=depends_of(*request.arguments, *([owner] if owner else [])))

    def _run_closure(self, closure: Closure, request: Request) -> Value:
        function = closure.function
        same = sum(frame.name == str(id(function)) for frame in self.frames)
        if len(self.frames) > MOST_DEPTH or same >= _SAME_FUNCTION or self.doubts > _MOST_DOUBTS:
            return Unknown()
        self.called.add(id(function))
        scope = Scope(closure.scope.module, closure.scope)
        arguments = list(request.arguments)
        if closure.takes_this and closure.this is not None:
            scope.variables["*this*"] = closure.this
            if closure.scope.module.is_python:
                arguments.insert(0, closure.this)
            else:
                scope.variables["this"] = closure.this
        frame = Frame(str(id(function)), is_function=True)
        self.frames.append(frame)
        try:
            self._bind(function.parameters, arguments, request.keywords, scope)
            self.run(function.body, scope)
            result: Value = NOTHING
        except Returned as end:
            result = end.value
        except Stopped as stop:
            if stop.ways or stop.kind == "exit" or not frame.maybe:
                raise
            # It may have ended before, and well.
            result = frame.maybe.pop()
        finally:
            self.frames.pop()
        if isinstance(result, Known) and not result.value and frame.passed:
            # Each way to end with something was passed for want of something.
            result = Configured(
                tuple(way for ways in frame.passed for way in ways), result, Unknown(truth=True)
            )
        for value in frame.maybe:
            # An end that may come is more often than not a complaint about something unlikely.
            if not (isinstance(value, Known) and not value.value and result != NOTHING):
                result = joined(result, value)
        return result

    def _bind(
        self,
        parameters: Sequence[s.Parameter],
        arguments: Sequence[Value],
        keywords: Mapping[str, Value],
        scope: Scope,
    ) -> None:
        waiting = list(arguments)
        for parameter in parameters:
            name = parameter.target.text if isinstance(parameter.target, s.Name) else ""
            if parameter.kind == "*":
                value: Value = Sequenced(waiting)
                waiting = []
            elif parameter.kind == "**":
                value = Record(dict(keywords), complete=False)
            elif name in keywords:
                value = keywords[name]
            elif waiting:
                value = waiting.pop(0)
                if parameter.default is not None and not scope.module.is_python:
                    value = self._defaulted(value, parameter.default, scope)
            elif parameter.default is not None:
                value = self.evaluate(parameter.default, scope)
            else:
                value = Unknown() if scope.module.is_python else NOTHING
            self.assign(parameter.target, value, scope, declares=True)

    def _function(self, node: s.Function, scope: Scope) -> Value:
        value: Value = Closure(node, scope)
        for decorator in reversed(node.decorators):
            settled = self.settle(self.evaluate(decorator, scope))
            if isinstance(settled, Model):
                made = settled.call(self, Request((value,), {}, node.line, scope.module))
                value = made if isinstance(made, Model) else value
        if isinstance(value, Closure) and node.decorators:
            self.waiting.append(value)
        return value

    def _class(self, node: s.Class, scope: Scope) -> Value:
        bases = [self.settle(self.evaluate(base, scope)) for base in node.bases]
        made = ClassValue(node, scope, bases)
        inner = Scope(scope.module, scope, made.statics)
        for member in node.members:
            is_own = scope.module.is_python or member.static
            if member.value is None or not is_own:
                continue
            if not isinstance(member.value, s.Function):
                made.statics[member.name] = self.evaluate(member.value, inner)
            elif member.value.decorators:
                self.waiting.append(Closure(member.value, scope, Unknown(truth=True), takes_this=True))
        return made

    def _instance(self, made: ClassValue, request: Request) -> Value:
        modelled = libraries.instance(self, made, request)
        if modelled is not None:
            return modelled
        record = Record(complete=False, made_by=made)
        self._own_fields(made, record)
        constructor = made.member("__init__" if made.scope.module.is_python else "constructor")
        if constructor is not None and isinstance(constructor[0].value, s.Function):
            member, declarer = constructor
            assert isinstance(member.value, s.Function)
            self._construct(member.value, declarer, record, request)
        elif made.scope.module.is_python:
            self._fields_by_annotation(made, record, request)
        else:
            self._unknown_call("", request, None)
        return record

    def _construct(
        self, function: s.Function, declarer: ClassValue, record: Record, request: Request
    ) -> None:
        scope = Scope(declarer.scope.module, declarer.scope, {"*class*": declarer})
        self._run_closure(Closure(function, scope, record, takes_this=True), request)

    def _own_fields(self, made: ClassValue, record: Record) -> None:
        for base in made.bases:
            if isinstance(base, ClassValue) and base is not made:
                self._own_fields(base, record)
        if made.scope.module.is_python:
            record.fields |= made.statics
            return
        inner = Scope(made.scope.module, made.scope, {"this": record})
        for member in made.declaration.members:
            if member.value is not None and not member.static and not isinstance(member.value, s.Function):
                record.fields[member.name] = self.evaluate(member.value, inner)

    def _fields_by_annotation(self, made: ClassValue, record: Record, request: Request) -> None:
        names = [member.name for member in made.declaration.members if member.annotation is not None]
        record.fields |= dict(zip(names, request.arguments, strict=False))
        record.fields |= {name: value for name, value in request.keywords.items() if name in names}
        for name in ("__post_init__", "model_post_init"):
            if (found := made.member(name)) and isinstance(found[0].value, s.Function):
                self._construct(
                    found[0].value, found[1], record, Request((), {}, request.line, request.module)
                )

    def _super(self, request: Request, scope: Scope) -> Value:
        this = scope.holder("*this*")
        owner = scope.holder("*class*")
        declarer = owner.variables["*class*"] if owner else None
        record = this.variables["*this*"] if this else None
        if not isinstance(declarer, ClassValue) or not isinstance(record, Record):
            return Unknown()
        base = next((each for each in declarer.bases if isinstance(each, ClassValue)), None)
        if scope.module.is_python:
            return Unknown() if base is None else Record(dict(record.fields), made_by=base, complete=False)
        found = base.member("constructor") if base else None
        if found and isinstance(found[0].value, s.Function):
            self._construct(found[0].value, found[1], record, request)
        return NOTHING

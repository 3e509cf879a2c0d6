"""Python's click and typer: functions whose parameters are arguments."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from avow.core.configuration.model import ValueType
from avow.system.diagnosis.code import syntax as s
from avow.system.diagnosis.code.ground import Stopped
from avow.system.diagnosis.code.libraries.arguments import (
    Argument,
    asked,
    attribute_name,
    subcommand,
    type_by_name,
)
from avow.system.diagnosis.code.values import (
    NOTHING,
    Closure,
    External,
    Known,
    Model,
    Native,
    Program,
    Request,
    Scope,
    Unknown,
    Value,
    flag_of,
    text_of,
)

_CLICK: Final = frozenset({"click", "asyncclick", "rich_click"})
_ELLIPSIS: Final = External("Ellipsis")


def recognise(path: str) -> Callable[[Program, Request], Value] | None:
    """What is known about a function, by its path."""
    package, name = path.partition(".")[0], path.rpartition(".")[2]
    if package in _CLICK:
        return _CLICK_CALLS.get(name)
    if package == "typer":
        return _TYPER_CALLS.get(name)
    return _fire if path in {"fire.Fire", "fire.core.Fire"} else None


@dataclass(slots=True, eq=False)
class Command(Model):
    """A function with arguments, and the subcommands below it."""

    function: Value = NOTHING
    arguments: list[Argument] = field(default_factory=list)
    commands: "dict[str, Command]" = field(default_factory=dict)
    runs_alone: bool = True
    by_signature: bool = False

    def call(self, program: Program, request: Request) -> Value:
        """It is called as a program, without any words on the command line."""
        return self.invoke(program, request)

    def method(self, program: Program, name: str, request: Request) -> Value:
        """Add a subcommand, or call it."""
        match name:
            case "command" | "group":
                word = text_of(request.argument(0, "name"))
                return Native(lambda program, inner: self._add(program, word, name, request, inner))
            case "callback":
                return Native(lambda _program, inner: self._before(request, inner))
            case "add_command":
                other = program.settle(request.argument(0) or NOTHING)
                word = text_of(request.argument(1, "name"))
                if isinstance(other, Command):
                    self.commands[word or _name(other)] = other
            case "add_typer":
                other = program.settle(request.argument(0) or NOTHING)
                if isinstance(other, Command):
                    self.commands[text_of(request.keywords.get("name")) or "app"] = other
            case "main" | "__call__":
                return self.invoke(program, request)
            case _:
                pass
        return Unknown()

    def _add(self, program: Program, word: str | None, kind: str, outer: Request, request: Request) -> Value:
        made = as_command(program.settle(request.argument(0) or NOTHING))
        made.by_signature = self.by_signature
        made.runs_alone = kind == "command" or flag_of(outer.keywords.get("invoke_without_command"))
        self.commands[word or _name(made)] = made
        return made

    def _before(self, outer: Request, request: Request) -> Value:
        self.function = request.argument(0) or NOTHING
        self.runs_alone = flag_of(outer.keywords.get("invoke_without_command"))
        return self

    def invoke(self, program: Program, request: Request) -> Value:
        """Run it: its own function, or what it takes to come to a subcommand."""
        command = self
        if not isinstance(self.function, Closure) and len(self.commands) == 1 and self.by_signature:
            command = next(iter(self.commands.values()))
        result: Value = NOTHING
        if isinstance(command.function, Closure):
            result = program.call(command.function, command.prepared(program, request))
        if command.commands and not command.runs_alone:
            word = subcommand(program, list(command.commands), request)
            if word is not None:
                return command.commands[word].invoke(program, request)
        return result

    def prepared(self, program: Program, request: Request) -> Request:
        """The call of the function, with a value for every argument."""
        assert isinstance(self.function, Closure)
        arguments = self.arguments
        if self.by_signature:
            arguments = from_signature(program, self.function)
        values = {argument.attribute: asked(program, argument) for argument in arguments}
        return Request((), values, request.line, request.module)


def as_command(value: Value) -> Command:
    """A function, or what a decorator has already made of it."""
    return value if isinstance(value, Command) else Command(value)


def _name(command: Command) -> str:
    function = command.function
    name = function.function.name if isinstance(function, Closure) else ""
    return name.replace("_", "-").removesuffix("-command").removesuffix("-cmd")


def _command(program: Program, request: Request) -> Value:
    first = program.settle(request.argument(0) or NOTHING)
    if isinstance(first, Closure | Command):
        return as_command(first)
    return Native(lambda program, inner: as_command(program.settle(inner.argument(0) or NOTHING)))


def _group(program: Program, request: Request) -> Value:
    def decorated(program: Program, inner: Request) -> Value:
        made = as_command(program.settle(inner.argument(0) or NOTHING))
        made.runs_alone = flag_of(request.keywords.get("invoke_without_command"))
        return made

    first = program.settle(request.argument(0) or NOTHING)
    if isinstance(first, Closure | Command):
        return decorated(program, request)
    return Native(decorated)


def _option(_program: Program, request: Request) -> Value:
    def decorated(program: Program, inner: Request) -> Value:
        made = as_command(program.settle(inner.argument(0) or NOTHING))
        made.arguments.insert(0, option_of(program, request, ""))
        return made

    return Native(decorated)


def _argument(_program: Program, request: Request) -> Value:
    def decorated(program: Program, inner: Request) -> Value:
        made = as_command(program.settle(inner.argument(0) or NOTHING))
        name = text_of(request.argument(0)) or "argument"
        given = request.keywords
        count = given.get("nargs")
        required = given.get("required", Known("default" not in given and count != Known(-1)))
        made.arguments.insert(
            0,
            Argument(
                name.lower().replace("-", "_"),
                request,
                required=required,
                default=given.get("default", NOTHING),
                variables=_variables(program, given.get("envvar")),
                multiple=count is not None,
                type=_type(given.get("type")),
            ),
        )
        return made

    return Native(decorated)


def option_of(program: Program, request: Request, name: str, *, offset: int = 0) -> Argument:
    """An option as click and typer declare it."""
    given = request.keywords
    words = [text for each in request.arguments[offset:] if (text := text_of(program.settle(each)))]
    flags = [part for word in words for part in word.split("/")[:1] if part.startswith("-")]
    named = [word for word in words if not word.startswith("-")]
    flags = flags or [f"--{name.replace('_', '-')}"]
    default = given.get("default", request.argument(0) if offset else None)
    required = given.get("required", Known(value=False))
    if default == _ELLIPSIS:
        default, required = None, Known(value=True)
    switch = flag_of(given.get("is_flag")) or any("/" in word for word in words)
    return Argument(
        name or (named[0] if named else attribute_name(max(flags, key=len))),
        request,
        flags,
        required,
        default if default is not None else (Known(value=False) if switch else NOTHING),
        _variables(program, given.get("envvar")),
        text_of(given.get("help")) or "",
        _type(given.get("type")),
        multiple=flag_of(given.get("multiple")),
        switch=switch,
    )


def _variables(program: Program, value: Value | None) -> list[str]:
    settled = program.settle(value) if value is not None else NOTHING
    if text := text_of(settled):
        return [text]
    items = getattr(settled, "items", [])
    return [text for item in items if (text := text_of(item))]


def _type(value: Value | None) -> ValueType | None:
    return type_by_name(value.path.removesuffix("()")) if isinstance(value, External) else None


@dataclass(slots=True, eq=False)
class Declared(Model):
    """typer's `Option(...)` or `Argument(...)`."""

    request: Request
    positional: bool


def from_signature(program: Program, function: Closure) -> list[Argument]:
    """The arguments that a function's parameters stand for."""
    found: list[Argument] = []
    for parameter in function.function.parameters:
        if not isinstance(parameter.target, s.Name) or parameter.kind or _is_context(parameter.annotation):
            continue
        argument = _from_parameter(program, function, parameter, parameter.target.text)
        argument.order = len([each for each in found if not each.flags])
        found.append(argument)
    return found


def _is_context(annotation: s.Expression | None) -> bool:
    return isinstance(annotation, s.Attribute | s.Name) and "Context" in (
        annotation.name if isinstance(annotation, s.Attribute) else annotation.text
    )


def _from_parameter(program: Program, function: Closure, parameter: s.Parameter, name: str) -> Argument:
    scope = function.scope
    default = None if parameter.default is None else program.evaluate(parameter.default, scope)
    declared = default if isinstance(default, Declared) else _annotated(program, parameter.annotation, scope)
    kind = _annotation_type(parameter.annotation)
    line = Request((), {}, function.function.line, scope.module)
    if declared is None:
        if default is None:
            return Argument(name, line, required=Known(value=True), type=kind)
        return Argument(name, line, [f"--{name.replace('_', '-')}"], default=default, type=kind)
    inside = isinstance(default, Declared)
    argument = option_of(program, declared.request, name, offset=1 if inside else 0)
    if not inside:
        argument.default = default if default is not None else NOTHING
        argument.required = Known(default is None)
    if declared.positional:
        argument.flags = ()
        if inside and not declared.request.arguments and "default" not in declared.request.keywords:
            argument.required = Known(value=True)
    argument.type = argument.type or kind
    return argument


def _annotated(program: Program, annotation: s.Expression | None, scope: Scope) -> Declared | None:
    if isinstance(annotation, s.Index) and isinstance(annotation.key, s.Items):
        for item in annotation.key.items[1:]:
            value = program.evaluate(item, scope)
            if isinstance(value, Declared):
                return value
    return None


def _annotation_type(annotation: s.Expression | None) -> ValueType | None:
    match annotation:
        case s.Name(name) | s.Attribute(_, name):
            return type_by_name(name)
        case s.Binary("|", left, _):
            return _annotation_type(left)
        case s.Index(_, s.Items([first, *_])) | s.Index(_, first):
            return _annotation_type(first)
        case _:
            return None


def _typer_run(program: Program, request: Request) -> Value:
    made = Command(program.settle(request.argument(0) or NOTHING), by_signature=True)
    return made.invoke(program, request)


def _fire(program: Program, request: Request) -> Value:
    function = program.settle(request.argument(0) or NOTHING)
    if not isinstance(function, Closure):
        return Unknown()
    return Command(function, by_signature=True).invoke(program, request)


def _exit(_program: Program, _request: Request) -> Value:
    raise Stopped("exit")


_CLICK_CALLS: Final[dict[str, Callable[[Program, Request], Value]]] = {
    "command": _command,
    "group": _group,
    "option": _option,
    "argument": _argument,
    "exit": _exit,
    "abort": _exit,
}
_TYPER_CALLS: Final[dict[str, Callable[[Program, Request], Value]]] = {
    "Typer": lambda _program, _request: Command(by_signature=True, runs_alone=False),
    "Option": lambda _program, request: Declared(request, positional=False),
    "Argument": lambda _program, request: Declared(request, positional=True),
    "run": _typer_run,
}

"""JavaScript's other argument parsers: yargs, minimist and `parseArgs`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from avow.core.configuration.model import ValueType
from avow.system.diagnosis.code.libraries.arguments import (
    Argument,
    asked,
    camel_name,
    subcommand,
    type_by_name,
)
from avow.system.diagnosis.code.values import (
    NOTHING,
    Closure,
    CommandLine,
    Known,
    Model,
    Program,
    Record,
    Request,
    Sequenced,
    Value,
    text_of,
)

_LOOSE: Final = frozenset({"minimist", "mri", "yargs-parser", "args-parser", "getopts"})


def recognise(path: str) -> Callable[[Program, Request], Value] | None:
    """What is known about a function, by its path."""
    package, _, rest = path.partition(".")
    package = package.partition("/")[0]
    name = path.rpartition(".")[2]
    if package in _LOOSE:
        return lambda _program, request: Loose(request)
    if name == "parseArgs" and (package == "util" or rest == ""):
        return _parse_args
    if path.endswith("hideBin"):
        return lambda _program, _request: CommandLine(0)
    if package != "yargs":
        return None
    if rest in {"", "default", "yargs_default", "Yargs", "yargs"}:
        return lambda _program, _request: Yargs()
    return lambda program, request: _shared(program).method(program, name, request)


def _shared(program: Program) -> "Yargs":
    model = program.models.setdefault("yargs", Yargs())
    assert isinstance(model, Yargs)
    return model


@dataclass(slots=True, eq=False)
class Loose(Model):
    """minimist's answer: whatever the code asks for is an option."""

    request: Request

    def attribute(self, program: Program, name: str) -> Value:
        """An option, or the positional arguments."""
        if name == "_":
            return CommandLine(0)
        options = program.settle(self.request.argument(1) or NOTHING)
        default: Value = NOTHING
        if isinstance(options, Record):
            defaults = program.settle(options.fields.get("default", NOTHING))
            default = defaults.fields.get(name, NOTHING) if isinstance(defaults, Record) else NOTHING
        dashes = "-" if len(name) == 1 else "--"
        return asked(program, Argument(name, self.request, [dashes + name], default=default))


def _parse_args(program: Program, request: Request) -> Value:
    options = program.settle(request.argument(0) or NOTHING)
    declared = (
        program.settle(options.fields.get("options", NOTHING)) if isinstance(options, Record) else NOTHING
    )
    values = Record(complete=isinstance(declared, Record))
    for name, option in declared.fields.items() if isinstance(declared, Record) else ():
        settled = program.settle(option)
        given = settled.fields if isinstance(settled, Record) else {}
        kind = text_of(given.get("type"))
        argument = Argument(
            name,
            request,
            [f"--{name}"],
            default=given.get("default", NOTHING),
            multiple=given.get("multiple") == Known(value=True),
            switch=kind == "boolean",
        )
        values.fields[name] = asked(program, argument)
    return Record({"values": values, "positionals": CommandLine(0)})


@dataclass(slots=True, eq=False)
class Yargs(Model):
    """A yargs parser."""

    arguments: dict[str, Argument] = field(default_factory=dict)
    commands: dict[str, Value] = field(default_factory=dict)
    commanded: bool = False

    def attribute(self, program: Program, name: str) -> Value:
        """`argv` is the answer; anything else a method."""
        return self.parse(program, None) if name == "argv" else Model.attribute(self, program, name)

    def method(self, program: Program, name: str, request: Request) -> Value:
        """Declare something, or parse the command line."""
        match name:
            case "option" | "options" | "positional":
                first = program.settle(request.argument(0) or NOTHING)
                if isinstance(first, Record):
                    for key, value in first.fields.items():
                        self._declare(program, key, value, request, positional=False)
                elif (key_text := text_of(first)) is not None:
                    value = request.argument(1) or NOTHING
                    self._declare(program, key_text, value, request, positional=name == "positional")
            case "demandOption" | "require" | "required":
                for key in self._names(program, request):
                    if key in self.arguments:
                        self.arguments[key].required = Known(value=True)
            case "default":
                if (key_text := text_of(request.argument(0))) in self.arguments and key_text:
                    self.arguments[key_text].default = request.argument(1) or NOTHING
            case "describe" | "alias" | "boolean" | "string" | "number":
                for key in self._names(program, request):
                    self.arguments.setdefault(
                        key, Argument(camel_name(key), request, [f"--{key}"], switch=name == "boolean")
                    )
            case "command":
                self._command(program, request)
            case "demandCommand":
                self.commanded = True
            case "parse" | "parseSync" | "parseAsync":
                return self.parse(program, request)
            case _:
                pass
        return self

    def _names(self, program: Program, request: Request) -> list[str]:
        first = program.settle(request.argument(0) or NOTHING)
        if isinstance(first, Sequenced):
            return [text for item in first.items if (text := text_of(item))]
        text = text_of(first)
        return [] if text is None else [text]

    def _declare(
        self, program: Program, key: str, value: Value, request: Request, *, positional: bool
    ) -> None:
        settled = program.settle(value)
        given = settled.fields if isinstance(settled, Record) else {}
        kind = text_of(given.get("type")) or ""
        demanded = given.get("demandOption", given.get("demand", given.get("required", Known(value=False))))
        description = text_of(given.get("describe", given.get("description", given.get("desc")))) or ""
        self.arguments[key] = Argument(
            key,
            request,
            [] if positional else [f"--{key}"],
            Known(value=True) if text_of(demanded) else demanded,
            given.get("default", NOTHING),
            description=description,
            type=type_by_name(kind) if kind != "boolean" else ValueType.BOOLEAN,
            multiple=kind == "array" or given.get("array") == Known(value=True),
            switch=kind == "boolean",
        )

    def _command(self, program: Program, request: Request) -> None:
        words = self._names(program, request)
        text = words[0] if words else ""
        builder = program.settle(request.argument(2) or NOTHING)
        handler = request.argument(3) or NOTHING
        name = text.partition(" ")[0]
        if name in {"$0", "*"} or "$0" in words or "*" in words:
            if isinstance(builder, Closure):
                program.call(builder, Request((self,), {}, request.line, request.module))
            elif isinstance(builder, Record):
                self.method(program, "options", Request((builder,), {}, request.line, request.module))
            self.commands["$0"] = handler
        elif name:
            self.commands[name] = Sequenced([builder, handler])

    def parse(self, program: Program, request: Request | None) -> Value:
        """The answer: every option, under both ways to write its name."""
        made = Record(complete=False)
        for key, argument in self.arguments.items():
            value = asked(program, argument)
            made.fields[key] = value
            made.fields[camel_name(key)] = value
        made.fields["_"] = CommandLine(0)
        if request is None:
            return made
        if "$0" in self.commands:
            program.call(self.commands["$0"], Request((made,), {}, request.line, request.module))
        elif self.commanded and self.commands:
            self._run_command(program, request)
        return made

    def _run_command(self, program: Program, request: Request) -> None:
        name = subcommand(program, list(self.commands), request)
        parts = self.commands.get(name or "")
        if not isinstance(parts, Sequenced):
            return
        inner = Yargs()
        builder, handler = parts.items
        if isinstance(builder, Closure):
            program.call(builder, Request((inner,), {}, request.line, request.module))
        elif isinstance(builder, Record):
            inner.method(program, "options", Request((builder,), {}, request.line, request.module))
        program.call(handler, Request((inner.parse(program, None),), {}, request.line, request.module))

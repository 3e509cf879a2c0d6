"""JavaScript's commander, and what is written like it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from avow.system.diagnosis.code.ground import Stopped
from avow.system.diagnosis.code.libraries.arguments import Argument, asked, camel_name, subcommand
from avow.system.diagnosis.code.values import (
    NOTHING,
    Closure,
    External,
    Known,
    Model,
    Program,
    Record,
    Request,
    Sequenced,
    Value,
    text_of,
)

_PACKAGES: Final = frozenset({"commander", "@commander-js/extra-typings", "cac"})
_FLAG: Final = re.compile(r"--?[A-Za-z0-9][A-Za-z0-9_.-]*")
_WORD: Final = re.compile(r"([<\[])([^>\]]{1,60})[>\]]")
# No other library has methods of these names that take a flag.
_TELLING: Final = frozenset({"requiredOption", "option", "addOption"})


def recognise(path: str) -> Callable[[Program, Request], Value] | None:
    """What is known about a function, by its path."""
    package, name = path.partition(".")[0], path.rpartition(".")[2]
    if package not in _PACKAGES:
        return None
    if name in {"Command", "createCommand", "cac"}:
        return lambda _program, _request: Command()
    if name in {"Option", "createOption"}:
        return lambda program, request: option_of(program, request)
    if path.startswith((f"{package}.program.", f"{package}.default.")):
        return lambda program, request: _shared(program, package).method(program, name, request)
    return None


def _shared(program: Program, package: str) -> "Command":
    model = program.models.setdefault(package, Command())
    assert isinstance(model, Command)
    return model


def shaped(program: Program, name: str, request: Request) -> Value | None:
    """A bundled commander: an unknown object with its methods."""
    first = text_of(request.argument(0))
    if name not in _TELLING or first is None or not first.startswith("-"):
        return None
    return Command().method(program, name, request)


@dataclass(slots=True, eq=False)
class Option(Model):
    """An option that is described before it is added."""

    argument: Argument

    def method(self, program: Program, name: str, request: Request) -> Value:
        """Describe it further."""
        match name:
            case "env":
                self.argument.variables = [*self.argument.variables, text_of(request.argument(0)) or ""]
            case "default":
                self.argument.default = request.argument(0) or NOTHING
            case "makeOptionMandatory":
                self.argument.required = request.argument(0) or Known(value=True)
            case "choices":
                items = program.items_of(request.argument(0) or NOTHING, request.module.scope, 0)
                self.argument.choices = [text for item in items or () if (text := text_of(item))]
            case _:
                pass
        return self


def option_of(program: Program, request: Request, *, required: bool = False) -> Option:
    """An option as commander declares it: `-p, --port <number>`, description, default."""
    text = text_of(program.settle(request.argument(0) or NOTHING)) or ""
    flags = _FLAG.findall(text.partition("<")[0].partition("[")[0])
    long = max(flags, key=len, default="--option")
    takes_value = "<" in text or "[" in text
    rest = [
        each for each in request.arguments[2:] if not isinstance(program.settle(each), Closure | External)
    ]
    name = long.removeprefix("--no-") if long.startswith("--no-") else long
    default: Value = Known(value=True) if long.startswith("--no-") else NOTHING
    if rest:
        default = rest[-1]
    settled = program.settle(default)
    if isinstance(settled, Record) and "default" in settled.fields:
        default = settled.fields["default"]
    return Option(
        Argument(
            camel_name(name),
            request,
            flags,
            Known(required),
            default,
            description=text_of(request.argument(1)) or "",
            multiple="..." in text,
            switch=not takes_value,
        )
    )


@dataclass(slots=True, eq=False)
class Command(Model):
    """A program or a subcommand."""

    options: list[Option] = field(default_factory=list)
    arguments: list[Argument] = field(default_factory=list)
    commands: "dict[str, Command]" = field(default_factory=dict)
    action: Value = NOTHING
    default: str = ""
    parent: "Command | None" = None

    def attribute(self, program: Program, name: str) -> Value:
        """`program.args`, or a method."""
        if name == "args":
            return self.words(program)
        if name == "options":
            return self.values(program)
        return Model.attribute(self, program, name)

    def words(self, program: Program) -> Value:
        """The values of the positional arguments."""
        return Sequenced(
            [asked(program, argument) for argument in self.arguments], complete=bool(self.arguments)
        )

    def method(self, program: Program, name: str, request: Request) -> Value:
        """Declare something, or parse the command line."""
        match name:
            case "option" | "requiredOption":
                self.options.append(option_of(program, request, required=name == "requiredOption"))
            case "addOption":
                option = program.settle(request.argument(0) or NOTHING)
                if isinstance(option, Option):
                    self.options.append(option)
            case "argument" | "arguments":
                text = text_of(request.argument(0)) or ""
                self._positionals(text, request, text_of(request.argument(1)) or "")
            case "command":
                return self._command(program, request)
            case "addCommand":
                other = program.settle(request.argument(0) or NOTHING)
                if isinstance(other, Command):
                    other.parent = self
                    self.commands[other.default or f"command{len(self.commands)}"] = other
            case "name" if request.arguments:
                self.default = text_of(request.argument(0)) or ""
            case "action":
                self.action = request.argument(0) or NOTHING
            case "parse" | "parseAsync":
                self.parse(program, request)
            case "opts" | "optsWithGlobals":
                return self.values(program)
            case "help" | "outputHelp" | "error":
                if name != "outputHelp":
                    raise Stopped("exit")
            case _:
                pass
        return self

    def _positionals(self, text: str, request: Request, description: str) -> None:
        for kind, word in _WORD.findall(text):
            name = word.removesuffix("...")
            required = Known(kind == "<")
            self.arguments.append(
                Argument(
                    name,
                    request,
                    required=required,
                    description=description,
                    multiple=word.endswith("..."),
                    order=len(self.arguments),
                )
            )

    def _command(self, program: Program, request: Request) -> "Command":
        text = text_of(request.argument(0)) or "command"
        name, _, rest = text.partition(" ")
        made = Command(parent=self)
        made._positionals(rest, request, "")
        if not name:
            return self
        self.commands[name] = made
        for option in request.arguments[1:]:
            settled = program.settle(option)
            if isinstance(settled, Record) and settled.fields.get("isDefault") == Known(value=True):
                self.default = name
        return made

    def values(self, program: Program) -> Record:
        """The value of every option."""
        made = Record(complete=False)
        for option in self.options:
            made.fields[option.argument.name] = asked(program, option.argument)
        return made

    def parse(self, program: Program, request: Request) -> None:
        """Without a word on the command line, do what commander does."""
        options = self.values(program)
        if isinstance(program.settle(self.action), Closure):
            words: Sequence[Value] = [asked(program, argument) for argument in self.arguments]
            program.call(self.action, Request((*words, options, self), {}, request.line, request.module))
        elif self.commands:
            name = self.default if self.default in self.commands else None
            name = name or subcommand(program, list(self.commands), request)
            if name is not None:
                self.commands[name].parse(program, request)
        else:
            for argument in self.arguments:
                asked(program, argument)

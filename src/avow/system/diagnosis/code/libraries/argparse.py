"""Python's `argparse`."""

from collections.abc import Callable
from dataclasses import dataclass, field

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
    Configured,
    External,
    Known,
    Model,
    Program,
    Record,
    Request,
    Sequenced,
    Unknown,
    Value,
    text_of,
)


def recognise(path: str) -> Callable[[Program, Request], Value] | None:
    """A new parser."""
    return _new if path.rpartition(".")[2] == "ArgumentParser" else None


def _new(_program: Program, _request: Request) -> Value:
    return Parser()


@dataclass(slots=True, eq=False)
class Parser(Model):
    """A parser, or a group of arguments of one."""

    arguments: list[Argument] = field(default_factory=list)
    commands: "Commands | None" = None
    defaults: dict[str, Value] = field(default_factory=dict)

    def method(self, program: Program, name: str, request: Request) -> Value:
        """Declare an argument, or ask for all of them."""
        match name:
            case "add_argument":
                self._declare(program, request)
            case "add_argument_group":
                return self
            case "add_mutually_exclusive_group":
                return Parser(_Loose(self.arguments))
            case "add_subparsers":
                self.commands = Commands(request)
                return self.commands
            case "set_defaults":
                self.defaults |= request.keywords
            case "parse_args" | "parse_known_args":
                made = Record(complete=False)
                self.parse(program, request, made)
                return made if name == "parse_args" else Sequenced([made, Unknown()])
            case "error" | "exit":
                raise Stopped("exit")
            case _:
                return Unknown()
        return NOTHING

    def _declare(self, program: Program, request: Request) -> None:
        names = [text for argument in request.arguments if (text := text_of(program.settle(argument)))]
        if not names:
            return
        flags = [name for name in names if name.startswith("-")]
        given = request.keywords
        long = max(flags, key=len) if flags else names[0]
        action, kind, nargs = text_of(given.get("action")), given.get("type"), given.get("nargs")
        count = text_of(nargs)
        choices = program.items_of(given["choices"], request.module.scope, 0) if "choices" in given else ()
        switch = action is not None and action not in {"store", "append", "extend"}
        self.arguments.append(
            Argument(
                text_of(given.get("dest")) or attribute_name(long),
                request,
                flags,
                given.get("required", Known(value=False)) if flags else Known(count not in {"?", "*"}),
                given.get("default", Known(value=False) if switch else NOTHING),
                description=text_of(given.get("help")) or "",
                type=type_by_name(kind.path) if isinstance(kind, External) else None,
                choices=[text for choice in choices or () if (text := text_of(choice))],
                multiple=nargs is not None and count != "?",
                switch=switch,
                order=len([each for each in self.arguments if not each.flags]),
            )
        )

    def parse(self, program: Program, request: Request, made: Record) -> None:
        """Every value that the parser knows of; the program ends when a required one is missing."""
        made.fields |= self.defaults
        for argument in self.arguments:
            made.fields[argument.attribute] = asked(program, argument)
        if self.commands is not None:
            self.commands.parse(program, request, made)


class _Loose(list[Argument]):
    """Arguments of which a group takes one: none of them is required by itself."""

    def __init__(self, target: list[Argument]) -> None:
        super().__init__()
        self._target = target

    def append(self, argument: Argument, /) -> None:
        argument.required = Known(value=False)
        self._target.append(argument)


@dataclass(slots=True, eq=False)
class Commands(Model):
    """The subcommands of a parser."""

    request: Request
    parsers: dict[str, Parser] = field(default_factory=dict)

    def method(self, _program: Program, name: str, request: Request) -> Value:
        """Add a subcommand."""
        word = text_of(request.argument(0, "name"))
        if name != "add_parser" or word is None:
            return Unknown()
        return self.parsers.setdefault(word, Parser())

    def parse(self, program: Program, request: Request, made: Record) -> None:
        """Which subcommand it is: the code decides what happens without one, unless one is required."""
        names = list(self.parsers)
        truth = program.truth(self.request.keywords.get("required", Known(value=False)))
        attribute = text_of(self.request.keywords.get("dest"))
        word = subcommand(program, names, self.request) if truth.value else None
        if attribute is not None:
            made.fields[attribute] = Known(word) if word else NOTHING
        if word is not None:
            self.parsers[word].parse(program, request, made)
            return
        if attribute is not None and names:
            made.fields[attribute] = _optional_command(program, names, self.request)
            chosen = program.settle(made.fields[attribute])
            if isinstance(chosen, Known) and chosen.value in self.parsers:
                self.parsers[str(chosen.value)].parse(program, request, made)
        # What a function attribute of a subcommand is stays unknown until one is given.
        made.fields.setdefault("func", Unknown() if not names else NOTHING)


def _optional_command(program: Program, names: list[str], request: Request) -> Value:
    from avow.core.configuration.model import Style, Where
    from avow.system.diagnosis.code.ledger import Seen
    from avow.system.diagnosis.code.values import Word

    key = "<command>"
    place = f"{request.module.name}:{request.line}"
    program.ledger.see(
        Seen(key, Where.ARGUMENT, key, place, Style.POSITIONAL, order=-1, choices=tuple(names))
    )
    for name in names:
        program.ledger.compare([key], name)
    return Configured((frozenset({key}),), NOTHING, Word(key))

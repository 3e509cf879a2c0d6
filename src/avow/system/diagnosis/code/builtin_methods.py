"""Following a program: methods of lists, texts, dictionaries, the environment and the command line."""

from collections.abc import Sequence
from typing import Final

from avow.system.diagnosis.code.ground import ABSENT
from avow.system.diagnosis.code.operators import LONGEST_TEXT
from avow.system.diagnosis.code.values import (
    NOTHING,
    CommandLine,
    Configured,
    Environment,
    Known,
    Program,
    Record,
    Request,
    Scope,
    Sequenced,
    Unknown,
    Value,
    depends_of,
    text_of,
)

# What these give back is empty exactly when the text is.
_SAME_TEXT: Final = frozenset(
    {"trim", "toLowerCase", "toUpperCase", "toString", "trimEnd", "trimStart", "normalize", "valueOf"}
    | {"strip", "lower", "upper", "rstrip", "lstrip", "encode", "casefold", "get_secret_value", "concat"}
)
_LATER: Final = frozenset({"then", "finally"})


def method_of(
    program: Program, owner: Value, settled: Value, name: str, request: Request, scope: Scope
) -> Value | None:
    """What a method gives back; None when it is none of these."""
    match settled:
        case Sequenced():
            return _of_list(program, settled, name, request, scope)
        case CommandLine():
            return _of_command_line(program, settled, name, request, scope)
        case Environment():
            return _of_environment(program, settled, name, request)
        case Record():
            return _of_record(program, settled, name, request, scope)
        case Known(str()) | Unknown() if name in _SAME_TEXT:
            return program.lift(owner, lambda value: _same_text(value, name))
        case Known(str()) if name in {
            "split",
            "startsWith",
            "startswith",
            "endsWith",
            "endswith",
            "includes",
        }:
            return program.lift(owner, lambda value: _of_text(value, name, request))
        case Known(str()):
            return Unknown(depends=depends_of(owner))
        case _ if name == "test" and request.arguments:
            return program.lift(
                request.arguments[0], lambda value: Known(value=False) if value == NOTHING else Unknown()
            )
        case _ if name in _LATER and request.arguments:
            return program.call(request.arguments[0], _with(request, owner))
        case _:
            return None


def _with(request: Request, *arguments: Value) -> Request:
    return Request(arguments, {}, request.line, request.module)


def _same_text(value: Value, name: str) -> Value:
    text = text_of(value)
    if text is None:
        return value
    if name.startswith(("trim", "strip")):
        return Known(text.strip())
    if name in {"toLowerCase", "lower", "casefold"}:
        return Known(text.lower())
    return Known(text.upper()) if name in {"toUpperCase", "upper"} else value


def _of_text(value: Value, name: str, request: Request) -> Value:
    text, part = text_of(value), text_of(request.argument(0))
    if text is None or part is None:
        return Unknown()
    match name:
        case "split":
            is_short = part and len(text) < LONGEST_TEXT
            return Sequenced([Known(each) for each in text.split(part)]) if is_short else Unknown()
        case "startsWith" | "startswith":
            return Known(text.startswith(part))
        case "endsWith" | "endswith":
            return Known(text.endswith(part))
        case _:
            return Known(part in text)


def _of_list(program: Program, owner: Sequenced, name: str, request: Request, scope: Scope) -> Value | None:
    function = request.argument(0)
    items = program.items_of(owner, scope, request.line) or []

    def tested(item: Value) -> Value:
        return program.call(function or Unknown(), _with(request, item, Unknown(), owner))

    match name:
        case "push" | "append" | "add" | "unshift":
            for argument in request.arguments:
                program.append(owner, argument)
            return NOTHING
        case "extend":
            for item in program.items_of(function or NOTHING, scope, request.line) or ():
                program.append(owner, item)
            return NOTHING
        case "filter" if function is not None:
            kept = program.filtered(owner.items, lambda item: tested(_bare(item)))
            return Sequenced(kept.items, kept.complete and owner.complete)
        case "map" | "flatMap":
            mapped = [_kept_as(item, tested(_bare(item))) for item in owner.items]
            return Sequenced(mapped, owner.complete)
        case "forEach":
            for item in items:
                tested(item)
            return NOTHING
        case "some" | "every" | "find" | "findLast" | "findIndex":
            return _first(program, owner, name, [(item, tested(item)) for item in items])
        case "includes":
            known = [item for item in items if isinstance(item, Known)]
            if len(known) == len(items) and owner.complete and function is not None:
                among = {item.value for item in known}
                for item in known:
                    program.compare(function, item)
                return program.lift(
                    function,
                    lambda each: Known(each.value in among) if isinstance(each, Known) else Unknown(),
                )
            return Unknown()
        case "slice" | "concat" | "sort" | "reverse" | "copy" | "values":
            bounds = [program.settle(each) for each in request.arguments[:2]] if name == "slice" else []
            first, last = (*(_bound(each) for each in bounds), None, None)[:2]
            return Sequenced(owner.items[first:last], owner.complete and all(map(_is_bound, bounds)))
        case "at" | "pop" | "shift":
            return items[0] if items else NOTHING
        case "join":
            return Unknown(depends=depends_of(*owner.items))
        case _:
            return None


def _is_bound(value: Value) -> bool:
    return isinstance(value, Known) and (value.value is None or isinstance(value.value, int))


def _bound(value: Value) -> int | None:
    return value.value if isinstance(value, Known) and isinstance(value.value, int) else None


def _bare(item: Value) -> Value:
    """An item without the condition for its being in its list."""
    while isinstance(item, Configured) and item.present is ABSENT:
        item = item.missing
    return item


def _kept_as(item: Value, value: Value) -> Value:
    if isinstance(item, Configured) and item.present is ABSENT:
        return Configured(item.ways, value, ABSENT)
    return value


def _first(program: Program, owner: Sequenced, name: str, tests: Sequence[tuple[Value, Value]]) -> Value:
    """`some`, `every` and `find`: what the first item that decides it says."""
    wanted = name != "every"
    unsure = not owner.complete
    for item, test in tests:
        truth = program.truth(test)
        if truth.value is None:
            unsure = True
        elif truth.value is wanted:
            if name.startswith("find"):
                found: Value = item if name != "findIndex" else Unknown(truth=True)
                return Configured(truth.ways, found, NOTHING) if truth.ways else found
            decided: Value = Known(wanted)
            return Configured(truth.ways, decided, Unknown()) if truth.ways else decided
    if unsure:
        return Unknown()
    missing = [way for _, test in tests for way in program.truth(test).ways]
    decided = NOTHING if name.startswith("find") else Known(not wanted)
    if name == "some" and missing:
        return Configured(tuple(missing), decided, Known(wanted))
    return decided


def _of_command_line(
    program: Program, owner: CommandLine, name: str, request: Request, scope: Scope
) -> Value | None:
    word = text_of(request.argument(0))
    match name:
        case "slice" | "splice":
            start = request.argument(0)
            count = start.value if isinstance(start, Known) and isinstance(start.value, int) else 0
            return CommandLine(max(0, owner.leading - count), owner.skipped + max(0, count - owner.leading))
        case "includes" | "indexOf" | "index" | "some" | "find" | "findIndex":
            if word is None:
                empty: Value = NOTHING if name == "find" else Known(-1 if name == "findIndex" else False)
                return empty
            missing, present = (False, True) if name == "includes" else (-1, None)
            if not word.startswith("-"):
                return Known(missing)
            found = program.switch(word, scope, request.line)
            return program.lift(
                found,
                lambda value: (
                    Known(missing) if value == NOTHING else Unknown() if present is None else Known(present)
                ),
            )
        case "shift" | "pop":
            return program.positional(owner.skipped, scope, request.line)
        case "filter" | "map" | "concat" | "copy":
            return owner
        case "forEach":
            return NOTHING
        case "join":
            return Known("")
        case _:
            return Unknown()


def _of_environment(program: Program, owner: Environment, name: str, request: Request) -> Value | None:
    variable = text_of(program.settle(request.argument(0) or NOTHING))
    if name in {"get", "setdefault", "pop", "hasOwnProperty", "__getitem__"} and variable is not None:
        return read_variable(program, owner.prefix + variable, request.argument(1, "default"), request)
    return owner if name == "copy" else Unknown()


def read_variable(program: Program, name: str, default: Value | None, request: Request) -> Value:
    """An environment variable, or what stands in for it."""
    value = program.variable(name, request.module.scope, request.line)
    if default is None or not isinstance(value, Configured):
        return value
    if default not in {NOTHING, Known("")} and not isinstance(default, Configured):
        program.ledger.defaulted([name], str(default.value) if isinstance(default, Known) else None)
    return Configured(value.ways, default, value.present)


def _of_record(program: Program, owner: Record, name: str, request: Request, scope: Scope) -> Value | None:
    key = text_of(program.settle(request.argument(0) or NOTHING))
    match name:
        case "get" | "pop" | "setdefault" if key is not None:
            found = program.index(owner, Known(key), scope, request.line)
            default = request.argument(1)
            return default if found == NOTHING and default is not None else found
        case "keys":
            return Sequenced([Known(each) for each in owner.fields], owner.complete)
        case "values":
            return Sequenced(list(owner.fields.values()), owner.complete)
        case "items":
            pairs: list[Value] = [Sequenced([Known(key), value]) for key, value in owner.fields.items()]
            return Sequenced(pairs, owner.complete)
        case "update" | "set":
            other = program.settle(request.argument(0) or NOTHING)
            added = other.fields if isinstance(other, Record) else dict(request.keywords)
            if key is not None and (value := request.argument(1)) is not None:
                added = {key: value}
            for each, value in added.items():
                program.write(owner.fields, each, value)
            owner.complete &= isinstance(other, Record) or key is not None
            return NOTHING
        case "copy" | "model_copy" | "freeze":
            return owner
        case "then" | "finally" if request.arguments:
            return program.call(request.arguments[0], _with(request, owner))
        case _:
            return None

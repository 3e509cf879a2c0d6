"""The languages' own functions, as far as they decide what happens."""

from collections.abc import Callable
from typing import Final

from avow.system.diagnosis.code.builtin_methods import read_variable
from avow.system.diagnosis.code.ground import Stopped
from avow.system.diagnosis.code.values import (
    GIVEN,
    NOTHING,
    Configured,
    Environment,
    Getter,
    Known,
    Program,
    Record,
    Request,
    Sequenced,
    Unknown,
    Value,
    depends_of,
    text_of,
)

_SAYING: Final = (
    "console.",
    "print",
    "sys.stderr.write",
    "process.stderr.write",
    "process.stdout.write",
    "Error",
)


def recognise(path: str) -> Callable[[Program, Request], Value] | None:
    """What is known about a function, by its path."""
    if path in _CALLS:
        return _CALLS[path]
    if path.endswith(".test"):
        return _tested
    if path.startswith(_SAYING) or path.endswith(("Error", "Exception", ".echo")):
        return _say
    return None


def _exit(_program: Program, _request: Request) -> Value:
    raise Stopped("exit")


def _say(_program: Program, request: Request) -> Value:
    return Record({"message": request.argument(0) or NOTHING}, complete=False)


def _tested(program: Program, request: Request) -> Value:
    """A pattern that nothing fits."""
    value = request.argument(0) or NOTHING
    return program.lift(value, lambda each: Known(value=False) if each == NOTHING else Unknown())


def _getenv(program: Program, request: Request) -> Value:
    name = text_of(program.settle(request.argument(0, "key") or NOTHING))
    if name is None:
        return Unknown()
    return read_variable(program, name, request.argument(1, "default"), request)


def _number(program: Program, request: Request) -> Value:
    value = request.argument(0)
    if value is None:
        return Known(0)
    truth = program.truth(value)
    if request.module.is_python and truth.value is False and truth.ways and program.settle(value) == NOTHING:
        place = f"{request.module.name}:{request.line}"
        program.insist(truth.ways, "TypeError", place, "it is read as a number when it is missing")
    return program.lift(value, _as_number)


def _as_number(value: Value) -> Value:
    text = text_of(value)
    if text is None:
        return (
            value
            if isinstance(value, Known) and value.value is not None
            else Unknown(depends=depends_of(value))
        )
    try:
        return Known(float(text) if "." in text else int(text))
    except ValueError:
        return Unknown()


def _same(_program: Program, request: Request) -> Value:
    return request.argument(0) or NOTHING


def _text(program: Program, request: Request) -> Value:
    value = request.argument(0)
    if value is None:
        return Known("")
    return program.lift(value, lambda each: each if isinstance(each, Known | Unknown) else Unknown())


def _truth(program: Program, request: Request) -> Value:
    value = request.argument(0)
    if value is None:
        return Known(value=False)
    truth = program.truth(value)
    if truth.value is None:
        return Unknown(depends=depends_of(value))
    decided = Known(truth.value)
    if not truth.ways:
        return decided
    return Configured(truth.ways, decided, Known(not truth.value) if truth.firm else Unknown())


def _length(program: Program, request: Request) -> Value:
    value = request.argument(0) or NOTHING
    scope = request.module.scope
    if isinstance(value, Configured):
        return program.lift(value, lambda each: program.length(each, scope, request.line))
    return program.length(value, scope, request.line)


def _all(program: Program, request: Request) -> Value:
    """Whether every item is true; where some are not for want of something, all of that is needed."""
    items = program.items_of(request.argument(0) or NOTHING, request.module.scope, request.line)
    truths = [program.truth(item) for item in items] if items is not None else []
    if items is None or any(truth.value is None for truth in truths):
        return Unknown()
    false = [truth for truth in truths if not truth.value]
    if not all(truth.ways for truth in false):
        return Known(value=False)
    together = frozenset().union(*(way for truth in false for way in truth.ways))
    return Configured((together,), Known(value=False), Known(value=True)) if false else Known(value=True)


def _any(program: Program, request: Request) -> Value:
    """Whether some item is true; where none is for want of something, one of that is needed."""
    items = program.items_of(request.argument(0) or NOTHING, request.module.scope, request.line)
    if items is None:
        return Unknown()
    truths = [program.truth(item) for item in items]
    if any(truth.value and not truth.ways for truth in truths):
        return Known(value=True)
    if any(truth.value is None for truth in truths):
        return Unknown()
    true = [truth for truth in truths if truth.value]
    if true:
        together = frozenset().union(*(way for truth in true for way in truth.ways))
        return Configured((together,), Known(value=True), Known(value=False))
    ways = tuple(dict.fromkeys(way for truth in truths for way in truth.ways))
    return Configured(ways, Known(value=False), Known(value=True)) if ways else Known(value=False)


def _list(program: Program, request: Request) -> Value:
    value = program.settle(request.argument(0) or Sequenced([]))
    if isinstance(value, Sequenced):
        return Sequenced(list(value.items), value.complete)
    return value if value != NOTHING else Sequenced([])


def _record(program: Program, request: Request) -> Value:
    value = program.settle(request.argument(0) or Record())
    made = Record(dict(value.fields) if isinstance(value, Record) else {}, complete=isinstance(value, Record))
    if isinstance(value, Environment):
        return value
    made.fields |= request.keywords
    return made


def _assign(program: Program, request: Request) -> Value:
    target = program.settle(request.argument(0) or NOTHING)
    for other in request.arguments[1:]:
        settled = program.settle(other)
        if isinstance(target, Record) and isinstance(settled, Record):
            for key, value in settled.fields.items():
                program.write(target.fields, key, value)
            target.complete &= settled.complete
    return target


def _keys(program: Program, request: Request) -> Value:
    value = program.settle(request.argument(0) or NOTHING)
    return (
        Sequenced([Known(key) for key in value.fields], value.complete)
        if isinstance(value, Record)
        else Unknown()
    )


def _values(program: Program, request: Request) -> Value:
    value = program.settle(request.argument(0) or NOTHING)
    return Sequenced(list(value.fields.values()), value.complete) if isinstance(value, Record) else Unknown()


def _entries(program: Program, request: Request) -> Value:
    value = program.settle(request.argument(0) or NOTHING)
    if not isinstance(value, Record):
        return Unknown()
    pairs: list[Value] = [Sequenced([Known(key), each]) for key, each in value.fields.items()]
    return Sequenced(pairs, value.complete)


def _from_entries(program: Program, request: Request) -> Value:
    made = Record()
    value = program.settle(request.argument(0) or NOTHING)
    if not isinstance(value, Sequenced):
        return Unknown()
    for item in value.items:
        settled = program.settle(item)
        key = settled.items[0] if isinstance(settled, Sequenced) and len(settled.items) == 2 else None
        if isinstance(settled, Sequenced) and isinstance(key, Known):
            made.fields[str(key.value)] = settled.items[1]
        else:
            made.complete = False
    return made


def _get_attribute(program: Program, request: Request) -> Value:
    name = text_of(request.argument(1))
    if name is None:
        return Unknown()
    found = program.attribute(request.arguments[0], name, request.module.scope, request.line, optional=True)
    default = request.argument(2)
    return default if default is not None and found == NOTHING else found


def _has_attribute(program: Program, request: Request) -> Value:
    owner, name = program.settle(request.argument(0) or NOTHING), text_of(request.argument(1))
    return Known(value=True) if isinstance(owner, Record) and name in owner.fields else Unknown()


def _set_attribute(program: Program, request: Request) -> Value:
    owner, name = program.settle(request.argument(0) or NOTHING), text_of(request.argument(1))
    if isinstance(owner, Record) and name is not None:
        program.write(owner.fields, name, request.argument(2) or NOTHING)
    return NOTHING


def _filter(program: Program, request: Request) -> Value:
    items = program.items_of(request.argument(1) or NOTHING, request.module.scope, request.line)
    function = request.argument(0)
    if items is None or function is None:
        return Unknown()

    def test(item: Value) -> Value:
        if function == NOTHING:
            return item
        return program.call(function, Request((item,), {}, request.line, request.module))

    return program.filtered(items, test)


def _address(program: Program, request: Request) -> Value:
    value = request.argument(0)
    if value is not None and request.is_new:
        truth = program.truth(value)
        if truth.value is False and truth.ways and program.settle(value) == NOTHING:
            place = f"{request.module.name}:{request.line}"
            program.insist(truth.ways, "TypeError", place, "it is read as an address when it is missing")
    return Unknown(truth=True, depends=depends_of(*request.arguments))


def _define(program: Program, request: Request) -> Value:
    """`Object.defineProperty(owner, name, {value} or {get})`."""
    owner, how = (program.settle(request.argument(n) or NOTHING) for n in (0, 2))
    name = text_of(request.argument(1))
    if isinstance(owner, Record) and isinstance(how, Record) and name is not None:
        getter = how.fields.get("get")
        value = how.fields.get("value", Unknown()) if getter is None else Getter(getter)
        program.write(owner.fields, name, value)
    return owner


def _is_list(program: Program, request: Request) -> Value:
    settled = program.settle(request.argument(0) or NOTHING)
    return Unknown() if isinstance(settled, Unknown) else Known(isinstance(settled, Sequenced))


_CALLS: Final[dict[str, Callable[[Program, Request], Value]]] = {
    "sys.exit": _exit,
    "exit": _exit,
    "quit": _exit,
    "os._exit": _exit,
    "process.exit": _exit,
    "process.abort": _exit,
    "Deno.exit": _exit,
    "os.getenv": _getenv,
    "getenv": _getenv,
    "Deno.env.get": _getenv,
    "int": _number,
    "float": _number,
    "Number": _number,
    "parseInt": _number,
    "parseFloat": _number,
    "Number.parseInt": _number,
    "str": _text,
    "String": _text,
    "bool": _truth,
    "Boolean": _truth,
    "len": _length,
    "all": _all,
    "any": _any,
    "list": _list,
    "tuple": _list,
    "set": _list,
    "frozenset": _list,
    "sorted": _list,
    "Set": _list,
    "Array.from": _list,
    "Array.isArray": _is_list,
    "dict": _record,
    "filter": _filter,
    "Object.freeze": _same,
    "Object.assign": _assign,
    "Object.defineProperty": _define,
    "Object.keys": _keys,
    "Object.values": _values,
    "Object.entries": _entries,
    "Object.fromEntries": _from_entries,
    "getattr": _get_attribute,
    "hasattr": _has_attribute,
    "setattr": _set_attribute,
    "Promise.resolve": _same,
    "Promise.all": _same,
    "asyncio.run": _same,
    "cast": _same,
    "typing.cast": lambda _program, request: request.argument(1) or NOTHING,
    "URL": _address,
    "url.URL": _address,
    "sys.stdin.isatty": lambda _program, _request: Known(value=False),
    "isinstance": lambda _program, _request: Unknown(),
    "input": lambda _program, _request: GIVEN,
}

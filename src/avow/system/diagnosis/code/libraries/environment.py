"""Libraries that read environment variables for a program."""

from collections.abc import Callable
from typing import Final

from avow.core.configuration.model import ValueType
from avow.system.diagnosis.code.builtin_methods import read_variable
from avow.system.diagnosis.code.libraries.zod import Schema, parsed
from avow.system.diagnosis.code.values import (
    NOTHING,
    Configured,
    Environment,
    Known,
    Model,
    Program,
    Record,
    Request,
    Unknown,
    Value,
    text_of,
)

_KINDS: Final = frozenset(
    {"str", "int", "float", "bool", "list", "dict", "url", "path", "json", "decimal", "date", "log_level"}
)
_VALIDATORS: Final = frozenset({"str", "num", "bool", "url", "port", "host", "email", "json"})


def recognise(path: str) -> Callable[[Program, Request], Value] | None:
    """What is known about a function, by its path."""
    package, _, rest = path.partition(".")
    name = path.rpartition(".")[2]
    match package:
        case "decouple" if name in {"config", "AutoConfig()"}:
            return _required_variable
        case "environs" | "envparse" | "environ" if name in {"Env", "FileAwareEnv"}:
            return lambda _program, _request: Reader()
        case "starlette" if path == "starlette.config.Config":
            return lambda _program, _request: Reader()
        case "dotenv" if name in {"dotenv_values"}:
            return lambda _program, _request: Environment()
        case "envalid" if name == "cleanEnv":
            return _clean
        case "envalid" if name in _VALIDATORS or name.startswith(("str", "num", "bool", "url", "port")):
            return _validator
        case "env-var" if rest in {"get", "default.get"}:
            return _env_var
        case "@t3-oss/env-core" | "@t3-oss/env-nextjs" if name == "createEnv":
            return _t3
        case _:
            return None


def _required_variable(program: Program, request: Request) -> Value:
    """A variable that has to be there unless a default is given."""
    name = text_of(program.settle(request.argument(0) or NOTHING))
    if name is None:
        return Unknown()
    default = request.argument(1, "default")
    value = read_variable(program, name, default, request)
    if default is None and program.truth(value).value is False:
        place = f"{request.module.name}:{request.line}"
        program.insist((frozenset({name}),), "UndefinedValueError", place, "it is read without a default")
    return value


class Reader(Model):
    """`env.str("NAME", default)` and its like."""

    def call(self, program: Program, request: Request) -> Value:
        """`env("NAME")`."""
        return _required_variable(program, request)

    def method(self, program: Program, name: str, request: Request) -> Value:
        """Read a variable as something."""
        return _required_variable(program, request) if name in _KINDS else Unknown()


def _validator(program: Program, request: Request) -> Value:
    """envalid's `str({default, desc})`."""
    schema = Schema()
    options = program.settle(request.argument(0) or NOTHING)
    if isinstance(options, Record):
        schema.description = text_of(options.fields.get("desc")) or ""
        default = options.fields.get("default", options.fields.get("devDefault"))
        schema.optional = default is not None
        schema.default = default if default is not None else NOTHING
    return schema


def _clean(program: Program, request: Request) -> Value:
    fields = program.settle(request.argument(1) or NOTHING)
    if not isinstance(fields, Record):
        return Unknown()
    schema = Schema(fields={k: v for k, v in fields.fields.items() if isinstance(v, Schema)})
    return parsed(program, schema, request.argument(0) or Environment(), request)


def _t3(program: Program, request: Request) -> Value:
    options = program.settle(request.argument(0) or NOTHING)
    fields = program.settle(options.fields.get("server", NOTHING)) if isinstance(options, Record) else NOTHING
    if not isinstance(fields, Record):
        return Unknown()
    schema = Schema(fields={k: v for k, v in fields.fields.items() if isinstance(v, Schema)})
    return parsed(program, schema, Environment(), request)


def _env_var(program: Program, request: Request) -> Value:
    name = text_of(request.argument(0))
    if name is None:
        return Unknown()
    return Chained(name, program.variable(name, request.module.scope, request.line), request)


class Chained(Model):
    """env-var's `get("NAME").required().asString()`."""

    __slots__ = ("name", "request", "value")

    def __init__(self, name: str, value: Value, request: Request) -> None:
        """Hold the variable."""
        self.name, self.value, self.request = name, value, request

    def method(self, program: Program, name: str, request: Request) -> Value:
        """Add a condition, or read it."""
        if name == "required" and request.argument(0) != Known(value=False):
            place = f"{request.module.name}:{request.line}"
            if program.truth(self.value).value is False and program.settle(self.value) == NOTHING:
                program.insist((frozenset({self.name}),), "EnvVarError", place, "it is read as required")
        elif name == "default":
            default = request.argument(0) or NOTHING
            program.ledger.defaulted([self.name], str(default.value) if isinstance(default, Known) else None)
            if isinstance(self.value, Configured):
                self.value = Configured(self.value.ways, default, self.value.present)
        elif name.startswith("as"):
            if name.startswith("asUrl") and (entry := program.ledger.seen.get(self.name)):
                entry.type = ValueType.URL
            return self.value
        return self

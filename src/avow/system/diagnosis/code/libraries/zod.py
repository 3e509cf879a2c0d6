"""Schemas that configuration is read through: zod, and what is written like it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from avow.core.configuration.model import ValueType
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
    ways_of,
)

_PACKAGES: Final = ("zod", "zod/v4", "zod/v3", "zod/mini", "@hono/zod-openapi", "fastmcp")
_MAKERS: Final = frozenset(
    {
        "string",
        "number",
        "boolean",
        "enum",
        "nativeEnum",
        "literal",
        "union",
        "any",
        "unknown",
        "url",
        "email",
    }
    | {"array", "record", "coerce", "object", "strictObject", "looseObject", "preprocess", "bigint", "int"}
    | {"stringbool", "discriminatedUnion", "optional", "nullable", "tuple", "date", "custom", "lazy"}
)
_TYPES: Final = {
    "number": ValueType.NUMBER,
    "int": ValueType.INTEGER,
    "boolean": ValueType.BOOLEAN,
    "stringbool": ValueType.BOOLEAN,
    "url": ValueType.URL,
}


def recognise(path: str) -> Callable[[Program, Request], Value] | None:
    """A schema that is made."""
    package, _, rest = path.partition(".")
    name = path.rpartition(".")[2]
    if package not in _PACKAGES or name not in _MAKERS or "(" in rest:
        return None
    return lambda program, request: _made(program, name, request)


@dataclass(slots=True, eq=False)
class Schema(Model):
    """What a value has to be; an object when it has `fields`."""

    optional: bool = False
    default: Value = NOTHING
    description: str = ""
    type: ValueType | None = None
    choices: tuple[str, ...] = ()
    filled: bool = False
    fields: "dict[str, Schema] | None" = None

    def method(self, program: Program, name: str, request: Request) -> Value:
        """A schema with one more condition, or the value that is read through it."""
        match name:
            case "optional" | "nullish" | "nullable":
                return replace(self, optional=True)
            case "default" | "catch" | "prefault":
                return replace(self, optional=True, default=request.argument(0) or NOTHING)
            case "describe":
                return replace(self, description=text_of(request.argument(0)) or "")
            case "url":
                return replace(self, type=ValueType.URL, filled=True)
            case "min" | "nonempty" | "email" | "uuid" | "regex" | "startsWith" | "length":
                return replace(self, filled=True)
            case "partial" if self.fields is not None:
                return replace(self, fields={k: replace(v, optional=True) for k, v in self.fields.items()})
            case "extend" | "merge" | "and" if self.fields is not None:
                other = program.settle(request.argument(0) or NOTHING)
                added = _fields(other) if isinstance(other, Record) else getattr(other, "fields", None)
                return replace(self, fields={**self.fields, **(added or {})})
            case "parse" | "parseAsync":
                return parsed(program, self, request.argument(0) or NOTHING, request)
            case "safeParse" | "safeParseAsync":
                return _safely(program, self, request.argument(0) or NOTHING, request)
            case _:
                return self


def _made(program: Program, name: str, request: Request) -> Value:
    first = program.settle(request.argument(0) or NOTHING)
    match name:
        case "object" | "strictObject" | "looseObject" if isinstance(first, Record):
            return Schema(fields=_fields(first))
        case "enum" | "nativeEnum":
            items = program.items_of(first, request.module.scope, request.line) or []
            return Schema(choices=tuple(text for item in items if (text := text_of(item))))
        case "discriminatedUnion" | "union":
            return _union(program, request)
        case "optional" | "nullable" if isinstance(first, Schema):
            return replace(first, optional=True)
        case "preprocess":
            inner = program.settle(request.argument(1) or NOTHING)
            return replace(inner, optional=True) if isinstance(inner, Schema) else Schema(optional=True)
        case "literal":
            return Schema(choices=(text_of(first) or "",))
        case "any" | "unknown":
            return Schema(optional=True)
        case _:
            return Schema(type=_TYPES.get(name), filled=name in {"url", "email"})


def _union(program: Program, request: Request) -> Schema:
    """Of several objects: what all of them have, and what tells them apart."""
    several = request.arguments[-1] if request.arguments else NOTHING
    options = [
        each for each in program.items_of(several, request.module.scope, 0) or () if isinstance(each, Schema)
    ]
    objects = [each.fields for each in options if each.fields is not None]
    if not objects or len(objects) < len(options):
        return Schema(choices=tuple(choice for each in options for choice in each.choices))
    shared = [name for name in objects[0] if all(name in fields for fields in objects)]
    return Schema(
        fields={
            name: replace(
                objects[0][name],
                optional=any(fields[name].optional for fields in objects),
                choices=tuple(choice for fields in objects for choice in fields[name].choices),
            )
            for name in shared
        }
    )


def _fields(record: Record) -> dict[str, Schema]:
    return {name: value for name, value in record.fields.items() if isinstance(value, Schema)}


def _read(program: Program, schema: Schema, value: Value, request: Request) -> tuple[Record, list[Value]]:
    """Every field of an object, and those that are required and missing."""
    made = Record(complete=False)
    missing: list[Value] = []
    scope = request.module.scope
    for name, inner in (schema.fields or {}).items():
        found = program.index(value, Known(name), scope, request.line)
        if isinstance(found, Configured):
            _describe(program, found, inner)
            if inner.optional and inner.default != NOTHING:
                found = Configured(found.ways, inner.default, found.present)
            now = program.settle(found)
            absent = now == NOTHING or (inner.filled and now == Known(""))
            if absent and not inner.optional:
                missing.append(found)
        made.fields[name] = found
    return made, missing


def _describe(program: Program, value: Configured, schema: Schema) -> None:
    for key in (key for way in value.ways for key in way):
        if entry := program.ledger.seen.get(key):
            entry.description = entry.description or schema.description
            entry.type = entry.type or schema.type
            entry.choices = entry.choices or schema.choices
            if schema.default != NOTHING:
                program.ledger.defaulted([key], str(getattr(schema.default, "value", "")) or None)


def parsed(program: Program, schema: Schema, value: Value, request: Request) -> Value:
    """A value read through a schema; the program ends when something required is missing."""
    settled = program.settle(value)
    if not isinstance(settled, Environment | Record) or schema.fields is None:
        return value if isinstance(value, Configured) else Unknown()
    made, missing = _read(program, schema, settled, request)
    for each in missing:
        place = f"{request.module.name}:{request.line}"
        program.insist(ways_of(each), "ZodError", place, "the schema requires it")
    return made


def _safely(program: Program, schema: Schema, value: Value, request: Request) -> Value:
    settled = program.settle(value)
    if not isinstance(settled, Environment | Record) or schema.fields is None:
        return Unknown()
    made, missing = _read(program, schema, settled, request)
    success: Value = Known(value=True)
    if missing:
        together = frozenset(key for each in missing for way in ways_of(each) for key in way)
        success = Configured((together,), Known(value=False), Known(value=True))
    return Record({"success": success, "data": made, "error": Unknown(truth=True)})

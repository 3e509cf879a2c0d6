"""pydantic's settings: classes whose fields are environment variables."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from avow.core.configuration.model import ValueType
from avow.system.diagnosis.code import syntax as s
from avow.system.diagnosis.code.values import (
    NOTHING,
    ClassValue,
    Configured,
    External,
    Known,
    Model,
    Program,
    Record,
    Request,
    Sequenced,
    Value,
    Word,
    text_of,
    ways_of,
)

_BASES: Final = ("BaseSettings",)
_TYPES: Final = {
    "int": ValueType.INTEGER,
    "float": ValueType.NUMBER,
    "bool": ValueType.BOOLEAN,
    "Path": ValueType.PATH,
    "FilePath": ValueType.PATH,
    "DirectoryPath": ValueType.PATH,
    "HttpUrl": ValueType.URL,
    "AnyUrl": ValueType.URL,
    "AnyHttpUrl": ValueType.URL,
}


@dataclass(slots=True, eq=False)
class Field(Model):
    """pydantic's `Field(...)`."""

    request: Request

    def default(self, program: Program) -> Value | None:
        """What stands in for the value; None when it is required."""
        value = self.request.argument(0, "default")
        factory = self.request.keywords.get("default_factory")
        if factory is not None:
            return program.call(factory, Request((), {}, self.request.line, self.request.module))
        return None if value is None or value == External("Ellipsis") else value

    def names(self, program: Program) -> list[str]:
        """The variables that it is read from, when they are named."""
        found: list[str] = []
        for keyword in ("validation_alias", "alias", "env"):
            value = self.request.keywords.get(keyword)
            match program.settle(value) if value is not None else None:
                case Known(str(name)):
                    found.append(name)
                case Sequenced(items):
                    found.extend(text for item in items if (text := text_of(item)))
                case _:
                    continue
            if found:
                break
        return found


def recognise(path: str) -> Callable[[Program, Request], Value] | None:
    """The functions of pydantic that describe fields."""
    package, name = path.partition(".")[0], path.rpartition(".")[2]
    if package not in {"pydantic", "pydantic_settings"}:
        return None
    match name:
        case "Field":
            return lambda _program, request: Field(request)
        case "AliasChoices":
            return lambda _program, request: Sequenced(list(request.arguments))
        case "SettingsConfigDict" | "ConfigDict":
            return lambda _program, request: Record(dict(request.keywords))
        case _:
            return None


def instance(program: Program, made: ClassValue, request: Request) -> Value | None:
    """An object of a settings class: its fields, from the environment; None when it is no such class."""
    if not made.path_of_base().endswith(_BASES):
        return None
    record = Record(complete=False, made_by=made)
    prefix = _prefix(program, made)
    missing: list[Configured] = []
    for member in _fields(made):
        if member.name in request.keywords:
            record.fields[member.name] = request.keywords[member.name]
            continue
        value = _value(program, made, member, prefix)
        record.fields[member.name] = value
        if isinstance(value, Configured) and value.missing is _REQUIRED and not program.truth(value).value:
            missing.append(value)
    place = f"{made.scope.module.name}:{made.declaration.line}"
    for each in missing:
        program.insist(ways_of(each), "ValidationError", place, "the settings require it")
    return record


_REQUIRED: Final = Known("")


def _fields(made: ClassValue) -> Iterator[s.Member]:
    for base in made.bases:
        if isinstance(base, ClassValue) and base is not made:
            yield from _fields(base)
    for member in made.declaration.members:
        is_field = member.annotation is not None and not member.name.startswith("_")
        if is_field and member.name != "model_config" and not _is_class_variable(member.annotation):
            yield member


def _is_class_variable(annotation: s.Expression | None) -> bool:
    owner = annotation.owner if isinstance(annotation, s.Index) else annotation
    name = owner.text if isinstance(owner, s.Name) else owner.name if isinstance(owner, s.Attribute) else ""
    return name == "ClassVar"


def _prefix(program: Program, made: ClassValue) -> str:
    for name in ("model_config", "Config"):
        match made.statics.get(name):
            case Record(fields):
                return text_of(program.settle(fields.get("env_prefix", NOTHING))) or ""
            case ClassValue(statics=statics):
                return text_of(statics.get("env_prefix")) or ""
            case _:
                continue
    keywords = dict(made.declaration.keywords)
    if isinstance(given := keywords.get("env_prefix"), s.Literal):
        return str(given.value)
    for base in made.bases:
        if isinstance(base, ClassValue) and (inherited := _prefix(program, base)):
            return inherited
    return ""


def _value(program: Program, made: ClassValue, member: s.Member, prefix: str) -> Value:
    static = made.statics.get(member.name) if member.value is not None else None
    owner = made.member(member.name)
    if static is None and member.value is not None and owner is not None:
        static = owner[1].statics.get(member.name)
    described = static if isinstance(static, Field) else _annotated(program, made, member.annotation)
    names = described.names(program) if described else []
    default = described.default(program) if isinstance(static, Field) and described else static
    names = names or [(prefix + member.name).upper()]
    keys = []
    for name in names:
        shown = name.upper() if name.islower() else name
        program.variable(shown, made.scope, member.value.line if member.value else made.declaration.line)
        keys.append(shown)
        entry = program.ledger.seen.get(shown)
        if entry is not None and described is not None:
            entry.description = (
                entry.description or text_of(described.request.keywords.get("description")) or ""
            )
        if entry is not None:
            entry.type = entry.type or _type(member.annotation)
    ways = tuple(frozenset({key}) for key in keys)
    if default is None:
        return Configured(ways, _REQUIRED, Word(keys[0]))
    if not isinstance(default, Configured) and default != NOTHING:
        program.ledger.defaulted(keys, str(default.value) if isinstance(default, Known) else None)
    return Configured(ways, default, Word(keys[0]))


def _annotated(program: Program, made: ClassValue, annotation: s.Expression | None) -> Field | None:
    if isinstance(annotation, s.Index) and isinstance(annotation.key, s.Items):
        for item in annotation.key.items[1:]:
            value = program.evaluate(item, made.scope)
            if isinstance(value, Field):
                return value
    return None


def _type(annotation: s.Expression | None) -> ValueType | None:
    match annotation:
        case s.Name(name) | s.Attribute(_, name):
            return _TYPES.get(name)
        case s.Binary("|", left, right):
            return _type(left) or _type(right)
        case s.Index(_, s.Items([first, *_])) | s.Index(_, first):
            return _type(first)
        case _:
            return None

"""From a pydantic-settings class to the configuration that it reads from the environment.

Names are worked out from the public parts of the model: prefix, aliases, nested models and their delimiter.
Types, bounds and patterns come from its JSON schema. A field that the environment can only give as JSON (a
list, a mapping, a nested model without a delimiter) is declared as text that has to be JSON.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import PurePath
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic import AliasChoices, AliasPath, BaseModel, Secret, SecretBytes, SecretStr
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.fields import FieldInfo
from pydantic.networks import AnyUrl

from avow.core.argument_places import find_target
from avow.core.canonical import JsonObject
from avow.core.configuration.model import Binding, Parameter, PathKind, Scalar, ValueType, Where

Loc = tuple[str, ...]

_MAX_DEPTH: Final = 8
_TYPES: Final = {
    "integer": ValueType.INTEGER,
    "number": ValueType.NUMBER,
    "boolean": ValueType.BOOLEAN,
    "string": ValueType.STRING,
}
_PATHS: Final = {
    "path": (PathKind.ANY, False),
    "file-path": (PathKind.FILE, True),
    "directory-path": (PathKind.DIRECTORY, True),
}
_ADDRESSES: Final = frozenset({"uri", "url", "multi-host-uri"})
_JSON: Final = {
    "array": ("A JSON array.", r"^\s*\["),
    "object": ("A JSON object.", r"^\s*\{"),
}


@dataclass(frozen=True, slots=True)
class Field:
    """One parameter and every place at which pydantic reports an error about it."""

    parameter: Parameter
    locations: frozenset[Loc]


@dataclass(frozen=True, slots=True)
class _Level:
    """How deep in nested models we are: what variables begin with there, and what errors do."""

    prefixes: tuple[str, ...] = ("",)
    locations: tuple[Loc, ...] = ((),)
    depth: int = 0
    is_required: bool = True


def settings_fields(settings: type[BaseModel]) -> tuple[Field, ...]:
    """What a settings class reads, in the order in which it declares it."""
    return tuple(_Reader(settings).fields())


@dataclass
class _Reader:
    """Reads one settings class."""

    settings: type[BaseModel]
    _config: Mapping[str, Any] = field(init=False)
    _schema: JsonObject = field(init=False)

    def __post_init__(self) -> None:
        self._config = self.settings.model_config
        try:
            self._schema = self.settings.model_json_schema(by_alias=False)
        except PydanticInvalidForJsonSchema:
            # A field of a type that JSON Schema has no word for: the rest is still known by its annotations.
            self._schema = {}

    def fields(self) -> Iterator[Field]:
        yield from self._model(self.settings, self._schema, _Level())

    def _model(self, model: type[BaseModel], schema: JsonObject, level: _Level) -> Iterator[Field]:
        described = schema.get("properties", {})
        for name, info in model.model_fields.items():
            yield from self._field(model, name, info, self._resolved(described.get(name, {})), level)

    def _field(
        self, model: type[BaseModel], name: str, info: FieldInfo, schema: JsonObject, level: _Level
    ) -> Iterator[Field]:
        names = self._names(model, name, info, level)
        words = tuple(dict.fromkeys((*_aliases(model, info), name)))
        locations = tuple((*outer, word) for outer in level.locations for word in words)
        required = level.is_required and info.is_required()
        nested = _model_in(info.annotation)
        if nested is not None and self._is_split(nested, level):
            inner = _Level(
                tuple(f"{one}{self._delimiter}" for one in names), locations, level.depth + 1, required
            )
            yield from self._model(nested, schema, inner)
            return
        parameter = _parameter(names, info, schema, is_whole=nested is not None)
        yield Field(replace(parameter, required=required), frozenset(locations))

    def _names(self, model: type[BaseModel], name: str, info: FieldInfo, level: _Level) -> tuple[str, ...]:
        """The variables that a field is read from, the first one first."""
        target = self._config.get("env_prefix_target", "variable") if level.depth == 0 else "none"
        prefix = str(self._config.get("env_prefix", ""))
        aliases = _aliases(model, info)
        own = [(prefix if target in ("alias", "all") else "") + alias for alias in aliases]
        by_name = model.model_config.get("validate_by_name") or model.model_config.get("populate_by_name")
        if not aliases or by_name:
            own.append((prefix if target in ("variable", "all") else "") + name)
        every = (f"{outer}{one}" for outer in level.prefixes for one in own)
        is_exact = bool(self._config.get("case_sensitive"))
        return tuple(dict.fromkeys(one if is_exact else one.upper() for one in every))

    @property
    def _delimiter(self) -> str:
        return str(self._config.get("env_nested_delimiter") or "")

    def _is_split(self, nested: type[BaseModel], level: _Level) -> bool:
        """Whether the fields of a nested model have variables of their own."""
        deepest = self._config.get("env_nested_max_split") or _MAX_DEPTH
        if not self._delimiter or level.depth >= min(deepest, _MAX_DEPTH):
            return False
        # A name with the delimiter in it would be taken apart, unless nothing is taken apart any more.
        is_last = level.depth + 1 == self._config.get("env_nested_max_split")
        delimiter = self._delimiter.upper()
        return is_last or not any(delimiter in name.upper() for name in nested.model_fields)

    def _resolved(self, schema: JsonObject) -> JsonObject:
        """The schema behind references and without `null`, keeping what stands beside them."""
        for _ in range(_MAX_DEPTH):
            rest = {word: value for word, value in schema.items() if word not in ("$ref", "anyOf", "allOf")}
            choices = [one for one in schema.get("anyOf", []) if one != {"type": "null"}]
            if "$ref" in schema:
                schema = {**(find_target(self._schema, schema["$ref"]) or {}), **rest}
            elif len(choices) == 1:
                schema = {**choices[0], **rest}
            else:
                break
        return schema


def _aliases(model: type[BaseModel], info: FieldInfo) -> list[str]:
    if model.model_config.get("validate_by_alias") is False:
        return []
    match info.validation_alias:
        case None:
            return []
        case str(alias):
            return [alias]
        case AliasPath(path=path):
            return [str(path[0])]
        case AliasChoices(choices=choices):
            return [one if isinstance(one, str) else str(one.path[0]) for one in choices]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model that a field holds, if it holds one and nothing else but perhaps None."""
    if get_origin(annotation) is Annotated:
        return _model_in(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        inner = [one for one in get_args(annotation) if one is not type(None)]
        return _model_in(inner[0]) if len(inner) == 1 else None
    is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return annotation if is_model and not getattr(annotation, "__pydantic_root_model__", False) else None


def _parameter(names: tuple[str, ...], info: FieldInfo, schema: JsonObject, *, is_whole: bool) -> Parameter:
    first, *others = names
    kind = "object" if is_whole else schema.get("type")
    choices = schema.get("enum", [schema["const"]] if "const" in schema else [])
    note, json_pattern = _JSON.get(str(kind), ("", ""))
    low, high = _bounds(schema)
    path = _PATHS.get(str(schema.get("format")))
    default = _plain(info.default)
    return Parameter(
        key=first,
        binding=Binding(Where.ENV, first),
        type=_type(schema, is_json=bool(note), is_choice=bool(choices)),
        title=info.title or "",
        description=" ".join(part for part in (info.description or "", note) if part),
        secret=schema.get("format") == "password" or _is_secret(info.annotation),
        default=None if _is_secret(info.annotation) else default,
        choices=tuple(_written(choice) for choice in choices),
        minimum=low,
        maximum=high,
        pattern=json_pattern or str(schema.get("pattern", "")),
        examples=tuple(_written(one) for one in schema.get("examples", []) if _is_scalar(one)),
        path_kind=path[0] if path else PathKind.ANY,
        must_exist=bool(path and path[1]),
        aliases=tuple(others),
    )


def _type(schema: JsonObject, *, is_json: bool, is_choice: bool) -> ValueType:
    if is_json:
        return ValueType.STRING
    if is_choice:
        return ValueType.ENUM
    if schema.get("format") in _PATHS:
        return ValueType.PATH
    if schema.get("format") in _ADDRESSES:
        return ValueType.URL
    return _TYPES.get(str(schema.get("type")), ValueType.STRING)


def _bounds(schema: JsonObject) -> tuple[float | None, float | None]:
    low, high = schema.get("minimum"), schema.get("maximum")
    if schema.get("type") == "integer":
        low = schema["exclusiveMinimum"] + 1 if "exclusiveMinimum" in schema else low
        high = schema["exclusiveMaximum"] - 1 if "exclusiveMaximum" in schema else high
    return low, high


def _is_secret(annotation: Any) -> bool:
    if isinstance(annotation, type):
        return issubclass(annotation, SecretStr | SecretBytes | Secret)
    return get_origin(annotation) is Secret or any(map(_is_secret, get_args(annotation)))


def _plain(default: Any) -> Scalar | None:
    """A default that can be written down; a secret one never is."""
    match default:
        case Enum():
            return _plain(default.value)
        case str() | bool() | int() | float():
            return default
        case PurePath() | AnyUrl():
            return str(default)
        case _:
            return None


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _written(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)

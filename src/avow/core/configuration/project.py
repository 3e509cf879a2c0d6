"""What a project's `avow.toml` says about the configuration of a server: values, presets, constraints.

[servers.files]
registry = "io.github.owner/files"     # what it is called in a registry
preset = "development"                 # used unless another one is asked for

[servers.files.configuration]          # values for everybody who works here; never secrets
LOG_LEVEL = "info"

[servers.files.presets.development]    # on top of these
LOG_LEVEL = "debug"

[[servers.files.constraints]]
differ = ["source-directory", "destination-directory"]
message = "copying a directory onto itself loses it"
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from avow.core.canonical import Digest, JsonObject, JsonValue, digest
from avow.core.configuration.checks import Value, texts_of
from avow.core.configuration.constraints import Constraint, read_constraints
from avow.core.configuration.hazards import is_secret, shown
from avow.core.configuration.model import Configuration, Scalar, text_of
from avow.core.credentials import is_credential, is_credential_name
from avow.errors import UsageError

_MEMBERS: Final = ("configuration", "presets", "preset", "constraints", "registry")


@dataclass(frozen=True, slots=True)
class ProjectConfiguration:
    """The values of a project for one server, variants of them by name, and rules across parameters.

    `registry` is what the server is called in a registry, when the project says so.
    """

    values: Mapping[str, Value] = field(default_factory=dict)
    presets: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    preset: str = ""
    constraints: tuple[Constraint, ...] = ()
    registry: str = ""

    @property
    def digest(self) -> Digest:
        """What a person agrees to who has seen the values; rules across parameters give a server nothing."""
        presets = {name: _plain(values) for name, values in self.presets.items()}
        return digest({"values": _plain(self.values), "presets": presets, "preset": self.preset})

    def values_in(self, preset: str = "") -> dict[str, Value]:
        """The values with those of a preset on top: the one named here, or the project's own choice.

        Raises:
            UsageError: there is no such preset.
        """
        name = preset or self.preset
        if name and name not in self.presets:
            known = ", ".join(shown(one, 40) for one in self.presets)
            raise UsageError(
                f"there is no preset {shown(name, 40)!r}",
                hint=f"possible are {known}" if known else "the settings have none for this server",
            )
        return {**self.values, **self.presets.get(name, {})}

    def secrets(self, configuration: Configuration) -> tuple[str, ...]:
        """The keys that the file gives a value although the server declares them as secret."""
        keys = {**self.values, **{key: "" for preset in self.presets.values() for key in preset}}
        return tuple(
            key
            for key in keys
            if key in configuration.parameters and is_secret(configuration.parameters[key])
        )


def read_project(data: JsonValue) -> dict[str, ProjectConfiguration]:
    """The table `servers` of a settings file, already parsed, by server.

    Raises:
        UsageError: a member that does not exist, a value of the wrong type, or something that is a secret
            by its name or its shape, which has no place in a file that is shared.
    """
    return {
        name: _read(_table(server, f"servers.{name}"), name)
        for name, server in _table(data, "servers").items()
    }


def _read(data: JsonObject, name: str) -> ProjectConfiguration:
    place = f"servers.{name}"
    for member in data:
        if member not in _MEMBERS:
            hint = f"possible are {', '.join(_MEMBERS)}"
            raise UsageError(f"{shown(member, 60)!r} is not possible in {shown(place, 80)}", hint=hint)
    presets = {
        preset: _values(values, f"{place}.presets.{preset}", name)
        for preset, values in _table(data.get("presets", {}), f"{place}.presets").items()
    }
    chosen = data.get("preset", "")
    if not isinstance(chosen, str) or (chosen and chosen not in presets):
        raise UsageError(f"preset in {shown(place, 80)} is not the name of one of its presets")
    registry = data.get("registry", "")
    if not isinstance(registry, str):
        raise UsageError(f"registry in {shown(place, 80)} is not a name", hint="io.github.owner/files")
    return ProjectConfiguration(
        _values(data.get("configuration", {}), f"{place}.configuration", name),
        presets,
        chosen,
        read_constraints(data.get("constraints", []), f"{place}.constraints"),
        registry,
    )


def _values(data: JsonValue, place: str, server: str) -> dict[str, Value]:
    values = {}
    for key, value in _table(data, place).items():
        values[key] = _value(value, f"{shown(key, 60)} in {shown(place, 80)}")
        if is_credential_name(key) or any(map(is_credential, texts_of(values[key]))):
            raise UsageError(
                f"{shown(key, 60)} in {shown(place, 80)} looks like a secret, and this file is shared",
                hint=f"remove it, and run `avow configure {shown(server, 60)}`",
            )
    return values


def _plain(values: Mapping[str, Value]) -> JsonObject:
    return {key: value if isinstance(value, str) else list(value) for key, value in values.items()}


def _value(value: JsonValue, place: str) -> Value:
    if isinstance(value, Scalar):
        return text_of(value)
    if isinstance(value, list) and all(isinstance(one, Scalar) for one in value):
        return tuple(map(text_of, value))
    raise UsageError(f"{place} is neither a value nor a list of values")


def _table(data: JsonValue, place: str) -> JsonObject:
    if not isinstance(data, dict):
        raise UsageError(f"{shown(place, 80)} is not a table", hint=f"write [{shown(place, 80)}]")
    return data

"""The official registry's `server.json`: inputs of a package (variables, arguments, headers) or of a remote.

Both spellings of members are read, `isRequired` and the `is_required` of 2025. A named argument is taken for
`--name value`, as clients write it; one that is true or false for a switch.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from avow.core.canonical import JsonObject, JsonValue
from avow.core.configuration.exported import Exported, losses
from avow.core.configuration.formats.inputs import FORMAT, read_input, spelled, written_input
from avow.core.configuration.handover import fill
from avow.core.configuration.model import (
    Binding,
    Configuration,
    Origin,
    Parameter,
    Source,
    Style,
    ValueType,
    Where,
)
from avow.core.configuration.reading import checked_name, collected, free_key, objects, refuse_large, table

MAX_PARAMETERS: Final = 256
MAX_BYTES: Final = 1 << 20

_PACKAGE: Final = (
    ("runtimeArguments", Where.ARGUMENT),
    ("packageArguments", Where.ARGUMENT),
    ("environmentVariables", Where.ENV),
)
_MARK: Final = re.compile(r"\{([^{}]*)\}")


def read(document: JsonValue, *, identifier: str = "", place: str = "") -> Configuration:
    """What a server asks for: of the package with that identifier, else of the first package or remote.

    Raises:
        DeclarationError: it is no such document, or too large.
    """
    whole = table(document, FORMAT)
    refuse_large(whole, MAX_BYTES, FORMAT)
    packages = objects(whole.get("packages"), f"packages in {FORMAT}")
    remotes = objects(whole.get("remotes"), f"remotes in {FORMAT}")
    source = Source(Origin.MANIFEST, FORMAT, place)
    chosen = next((one for one in packages if one.get("identifier") == identifier), None)
    if chosen is None and packages:
        chosen = packages[0]
    entries = _of_remote(remotes[0]) if chosen is None and remotes else _of_package(chosen or {})
    found: dict[str, Parameter] = {}
    for entry in entries:
        for parameter in entry.parameters(source):
            key = free_key(parameter.key, parameter.binding.where, found)
            found[key] = replace(parameter, key=key)
    return collected(found.values(), MAX_PARAMETERS, FORMAT)


def write(configuration: Configuration) -> Exported:
    """A document with one package, or one remote where nothing but headers and its address are asked for.

    It holds the members that concern configuration, and no others.
    """
    lists: dict[str, list[JsonObject]] = {}
    variables: JsonObject = {}
    together: dict[Binding, list[Parameter]] = {}
    for parameter in sorted(configuration, key=lambda one: one.binding.order):
        place = replace(parameter.binding, part="")
        if parameter.binding.where is Where.URL_VARIABLE:
            variables[parameter.binding.name] = written_input(parameter)
        elif parameter.binding.part and place in together:
            together[place].append(parameter)
        else:
            together.setdefault(place, [parameter])
    for place, parameters in together.items():
        if member := _member(place):
            entries = lists.setdefault(member, [])
            entries.append(_written(replace(place, order=len(entries)), parameters))
    headers = lists.pop("headers", [])
    document: JsonObject
    if lists or not (headers or variables):
        package: JsonObject = dict(lists)
        if headers:
            package["transport"] = {"type": "streamable-http", "headers": headers}
        document = {"packages": [package]}
    else:
        members = {"headers": headers, "variables": variables}
        remote = {member: value for member, value in members.items() if value}
        document = {"remotes": [{"type": "streamable-http", **remote}]}
    return Exported(document, losses(configuration, read(document), by_key=False))


@dataclass(frozen=True, slots=True)
class _Entry:
    """One input, and where its value goes."""

    data: JsonObject
    where: Where
    order: int = 0
    runtime: bool = False

    def parameters(self, source: Source) -> Iterator[Parameter]:
        """The input itself, or the variables in its value, which are what a person is asked for."""
        binding = self._binding()
        value, variables = self.data.get("value"), table(self.data.get("variables"), f"variables in {FORMAT}")
        marks = _MARK.findall(value) if isinstance(value, str) else []
        names = [name for name in variables if name in marks]
        if not names:
            yield self._finished(read_input(self.data, _own_key(binding), binding, source))
            return
        assert isinstance(value, str)
        is_alone = len(names) == 1 and marks.count(names[0]) == 1 and "" not in marks
        for name in names:
            shared = replace(
                binding,
                template=value.replace(f"{{{name}}}", "{}") if is_alone else value,
                part="" if is_alone else name,
            )
            variable = table(variables[name], f"variables in {FORMAT}")
            described = {**_described(self.data), **spelled(variable)}
            yield self._finished(read_input(described, name, shared, source))

    def _finished(self, parameter: Parameter) -> Parameter:
        """The parameter with what only an argument can be: repeated, or a switch."""
        if self.where is not Where.ARGUMENT:
            return parameter
        binding, is_repeated = parameter.binding, spelled(self.data).get("isRepeated") is True
        if binding.style is Style.NAMED:
            is_switch = parameter.type is ValueType.BOOLEAN and binding.template == "{}"
            binding = replace(binding, joiner="" if is_switch else " ", repeat=is_repeated)
        return replace(parameter, binding=binding, multiple=is_repeated)

    def _binding(self) -> Binding:
        data = spelled(self.data)
        if self.where is Where.ARGUMENT and data.get("type") != "named":
            hint = data.get("valueHint")
            name = checked_name(hint, f"an argument in {FORMAT}") if hint is not None else ""
            return Binding(self.where, name, order=self.order, runtime=self.runtime)
        name = checked_name(data.get("name"), f"an input in {FORMAT}")
        style = Style.NAMED if self.where is Where.ARGUMENT else Style.POSITIONAL
        return Binding(self.where, name, style, self.order, runtime=self.runtime)


def _of_package(package: JsonObject) -> Iterator[_Entry]:
    members = spelled(package)
    for member, where in _PACKAGE:
        is_runtime = member == "runtimeArguments"
        for order, entry in enumerate(objects(members.get(member), f"{member} in {FORMAT}")):
            yield _Entry(entry, where, order if where is Where.ARGUMENT else 0, is_runtime)
    yield from _headers(table(package.get("transport"), f"transport in {FORMAT}"))


def _of_remote(remote: JsonObject) -> Iterator[_Entry]:
    yield from _headers(remote)
    for name, entry in table(remote.get("variables"), f"variables in {FORMAT}").items():
        data = table(entry, f"variables in {FORMAT}")
        yield _Entry({**data, "name": name}, Where.URL_VARIABLE)


def _headers(holder: JsonObject) -> Iterator[_Entry]:
    for entry in objects(holder.get("headers"), f"headers in {FORMAT}"):
        yield _Entry(entry, Where.HEADER)


def _own_key(binding: Binding) -> str:
    """The key of an input by itself: its name, or its place among the arguments."""
    return binding.name or f"{'runtime-' if binding.runtime else ''}argument-{binding.order + 1}"


def _described(data: JsonObject) -> JsonObject:
    """What a variable inherits from the input around it, where it does not say so itself."""
    members = spelled(data)
    return {member: members[member] for member in ("description", "isSecret") if member in members}


def _member(binding: Binding) -> str:
    match binding.where:
        case Where.ENV:
            return "environmentVariables"
        case Where.ARGUMENT:
            return "runtimeArguments" if binding.runtime else "packageArguments"
        case Where.HEADER:
            return "headers"
        case _:
            return ""


def _written(binding: Binding, parameters: list[Parameter]) -> JsonObject:
    first = parameters[0]
    entry = _frame(binding, first)
    if first.binding.part:
        # Variables go by keys: values are stored under them.
        value = fill(binding.template, {one.binding.part: f"{{{one.key}}}" for one in parameters})
        return entry | {"value": value, "variables": {one.key: written_input(one) for one in parameters}}
    if binding.template == "{}" and first.key == _own_key(binding):
        return entry | written_input(first)
    value = binding.template.replace("{}", f"{{{first.key}}}")
    return entry | {"value": value, "variables": {first.key: written_input(first)}}


def _frame(binding: Binding, parameter: Parameter) -> JsonObject:
    if binding.where is not Where.ARGUMENT:
        return {"name": binding.name}
    entry: JsonObject = {"type": str(binding.style)}
    if binding.style is Style.NAMED:
        entry["name"] = binding.name
    elif binding.name:
        entry["valueHint"] = binding.name
    if parameter.multiple:
        entry["isRepeated"] = True
    return entry

"""`Mcp-Param-*`: arguments that a tool's schema repeats in headers go on only when they say the same."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import Final

from avow.core.canonical import JsonValue
from avow.core.capability import Kind
from avow.core.contract import Contract
from avow.errors import MalformedInputError
from avow.protocol.messages import encode, read, strict
from avow.proxy.gateway.stream import Header

PREFIX: Final = b"mcp-param-"

_DECLARED_BY: Final = "x-mcp-header"
_Path = tuple[str, ...]


class Parameters:
    """Which headers the approved tools of a server declare, and where in the arguments their values are."""

    def __init__(self, contract: Contract | None) -> None:
        """Without a contract nothing is declared."""
        tools = {} if contract is None else contract.of_kind(Kind.TOOL)
        found = {name: _declared(tool.definition.get("inputSchema")) for name, tool in tools.items()}
        self._of_tool: dict[str, dict[bytes, _Path]] = {name: each for name, each in found.items() if each}

    def passed(self, line: bytes, headers: tuple[Header, ...]) -> tuple[Header, ...] | None:
        """The headers without parameters that nobody declared; `None` when one contradicts the body."""
        claimed = [each for each in headers if each[0].startswith(PREFIX)]
        if not claimed:
            return headers
        kept = tuple(each for each in headers if not each[0].startswith(PREFIX))
        declared, arguments = self._call(line)
        for name, value in claimed:
            if name in declared:
                if value not in _spellings(_found(arguments, declared[name])):
                    return None
                kept += ((name, value),)
        return kept

    def _call(self, line: bytes) -> tuple[Mapping[bytes, _Path], JsonValue]:
        """What the called tool declares, and the arguments; the gate refuses what is no call."""
        try:
            message = read(line)
            params = strict(message.body) if message.method == "tools/call" else None
        except MalformedInputError:
            return {}, None
        if not isinstance(params, dict) or not isinstance(params.get("name"), str):
            return {}, None
        return self._of_tool.get(params["name"], {}), params.get("arguments")


def _declared(schema: JsonValue) -> dict[bytes, _Path]:
    """The headers of a schema by name; one that two properties claim counts as none."""
    found: dict[bytes, _Path] = {}
    twice: set[bytes] = set()
    for header, path in _walk(schema, ()):
        name = PREFIX + header.lower().encode()
        if name in found:
            twice.add(name)
        found[name] = path
    return {name: path for name, path in found.items() if name not in twice}


def _walk(schema: JsonValue, path: _Path) -> Iterator[tuple[str, _Path]]:
    """Properties, and properties of properties: what is behind anything else may not declare a header."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        header = inner.get(_DECLARED_BY) if isinstance(inner, dict) else None
        if isinstance(header, str):
            yield header, (*path, name)
        yield from _walk(inner, (*path, name))


def _found(arguments: JsonValue, path: _Path) -> JsonValue:
    for name in path:
        arguments = arguments.get(name) if isinstance(arguments, dict) else None
    return arguments


def _spellings(value: JsonValue) -> frozenset[bytes]:
    """The ways in which a header may say a value; none for what no header may carry."""
    if isinstance(value, str):
        text = value.encode()
        wrapped = b"=?base64?" + b64encode(text) + b"?="
        # Plain text that looks wrapped would be read as something else.
        is_plain = not (text.startswith(b"=?base64?") and text.endswith(b"?="))
        return frozenset({text, wrapped} if is_plain else {wrapped})
    if isinstance(value, float) and value.is_integer():
        return frozenset({encode(value), b"%d" % value})
    return frozenset({encode(value)} if isinstance(value, bool | int | float) else ())

"""Where a server is found: the four ways to reach one, as data that a lockfile may hold.

Values of environment variables and headers are never part of a target; their names are.
"""

from dataclasses import dataclass
from typing import TypeAlias

from avow.core.canonical import JsonObject, JsonValue
from avow.errors import MalformedInputError


@dataclass(frozen=True, slots=True)
class StdioTarget:
    """A program that speaks MCP on its standard streams."""

    command: str
    args: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class HttpTarget:
    """A Streamable HTTP endpoint."""

    url: str
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PythonTarget:
    """A server object in a Python module, `package.module:object`, run in this process."""

    reference: str


@dataclass(frozen=True, slots=True)
class FileTarget:
    """A saved snapshot."""

    path: str


Target: TypeAlias = StdioTarget | HttpTarget | PythonTarget | FileTarget


def target_document(target: Target) -> JsonObject:
    """The target as snapshots and lockfiles write it."""
    match target:
        case StdioTarget():
            document: JsonObject = {"type": "stdio", "command": target.command, "args": list(target.args)}
            document["env"] = list(target.env)
            if target.cwd is not None:
                document["cwd"] = target.cwd
            return document
        case HttpTarget():
            return {"type": "http", "url": target.url, "headers": list(target.headers)}
        case PythonTarget():
            return {"type": "python", "object": target.reference}
        case _:
            return {"type": "file", "path": target.path}


def read_target(document: JsonValue) -> Target:
    """The inverse of `target_document`.

    Raises:
        MalformedInputError: it is not one of the four forms.
    """
    match document:
        case {"type": "stdio", "command": str(command)}:
            cwd = document.get("cwd")
            if cwd is not None and not isinstance(cwd, str):
                raise MalformedInputError("the target's cwd is not a string")
            return StdioTarget(command, _strings(document, "args"), _strings(document, "env"), cwd)
        case {"type": "http", "url": str(url)}:
            return HttpTarget(url, _strings(document, "headers"))
        case {"type": "python", "object": str(reference)}:
            return PythonTarget(reference)
        case {"type": "file", "path": str(path)}:
            return FileTarget(path)
        case _:
            raise MalformedInputError("the target is none of stdio, http, python and file")


def _strings(document: JsonObject, member: str) -> tuple[str, ...]:
    values = document.get(member, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise MalformedInputError(f"the target's {member} is not a list of strings")
    return tuple(values)

"""One entry of a client file, read into a target, an environment and headers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from avow.core.canonical import JsonObject, JsonValue
from avow.core.target import HttpTarget, StdioTarget, Target
from avow.errors import MalformedInputError, StorageError, UsageError
from avow.system.clients.jsonc import AmbiguousObject
from avow.system.clients.placeholders import Surroundings
from avow.system.clients.table import Client, Words
from avow.system.clients.wrapping import starts_avow, unwrap
from avow.system.files import read_bounded

_ENVIRONMENT_FILE_LIMIT: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Entry:
    """What one entry says, before anybody asks where it was found."""

    target: Target
    launch: Target = field(repr=False)
    env: Mapping[str, str] = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    protected: bool
    missing: tuple[str, ...]


def is_disabled(entry: JsonValue) -> bool:
    """Whether the user told the client to leave this entry out."""
    match entry:
        case {"disabled": True} | {"enabled": False}:
            return True
        case _:
            return False


def disabled_reason(entry: JsonValue) -> str:
    """Why the client itself would not start this entry, or an empty text."""
    match entry:
        case _ if is_disabled(entry):
            return "it is disabled in the client"
        case {"type": ("builtin" | "platform" | "frontend") as kind}:
            return f"it is part of the client (type {kind})"
        case {"source": "extension"}:
            return "an extension of the client starts it"
        case _:
            return ""


def read_entry(entry: JsonValue, client: Client, surroundings: Surroundings) -> Entry:
    """Read one entry in the words of its client.

    Raises:
        MalformedInputError: it is not an entry, or two readers would understand it differently.
        UsageError: it cannot be used outside its client.
    """
    return _Reader(_flat(entry), client, surroundings).read()


def _flat(entry: JsonValue) -> JsonObject:
    """The entry with a nested `transport` or `command` object (Cline, older Zed) laid flat."""
    if not isinstance(entry, dict):
        raise MalformedInputError("the entry is not an object")
    flat = dict(entry)
    for member in ("transport", "command"):
        if isinstance(entry.get(member), dict):
            inner = flat.pop(member)
            _refuse_ambiguous(inner)
            flat |= {"command" if key == "path" else key: value for key, value in inner.items()}
    _refuse_ambiguous(entry)
    return flat


def _refuse_ambiguous(value: JsonValue) -> None:
    if isinstance(value, AmbiguousObject):
        raise MalformedInputError("a key of the entry is there twice", hint="keep one of them")


class _Reader:
    """Reads the members of one entry, remembering which variables were missing."""

    def __init__(self, entry: JsonObject, client: Client, surroundings: Surroundings) -> None:
        self.entry = entry
        self.words: Words = client.words
        self.syntax = client.syntax
        self.surroundings = surroundings
        self.missing: list[str] = []

    def read(self) -> Entry:
        words = self._command()
        url = next((self.entry[word] for word in self.words.url if self.entry.get(word)), None)
        if words and url is not None:
            # Clients choose differently when an entry has both and does not say which.
            words, url = (words, None) if self._says_stdio() else ([], url)
        if words:
            return self._stdio(words)
        if isinstance(url, str):
            return self._http(url)
        raise MalformedInputError("the entry has neither a command nor a url")

    def _says_stdio(self) -> bool:
        match self.entry.get("type"):
            case "stdio" | "local":
                return True
            case str():
                return False
            case _:
                raise MalformedInputError(
                    "the entry has a command and a url", hint="remove one, or add a type"
                )

    def _command(self) -> list[str]:
        command = next((self.entry[word] for word in self.words.command if self.entry.get(word)), None)
        match command:
            case None:
                return []
            case str():
                return [command, *_strings(self.entry.get(self.words.args), self.words.args)]
            case list():
                return list(_strings(command, "command"))
            case _:
                raise MalformedInputError("the command is not a string")

    def _stdio(self, words: list[str]) -> Entry:
        hidden = unwrap(words)
        protected = starts_avow(words)
        if hidden is not None:
            words = [hidden.command, *hidden.args]
        given = self._environment()
        names = list(given) + [name for name in self._env_names() if name not in given]
        cwd = self.entry.get("cwd")
        if cwd is not None and not isinstance(cwd, str):
            raise MalformedInputError("cwd is not a string")
        env = self._resolved(given) | self._inherited(names, given)
        launch = StdioTarget(
            self._expand(words[0]),
            tuple(self._expand(word) for word in words[1:]),
            tuple(names),
            None if cwd is None else self._expand(cwd),
        )
        target = StdioTarget(words[0], tuple(words[1:]), tuple(names), cwd)
        return Entry(target, launch, env, {}, protected, self._missed())

    def _environment(self) -> dict[str, str]:
        given = _texts(self.entry.get(self.words.env), self.words.env)
        for name, value in given.items():
            if not name or "=" in name or "\0" in name + value:
                raise MalformedInputError(f"{name!r} cannot be an environment variable")
        match self.entry.get("envFile"):
            case None:
                return given
            case str() as file:
                return _environment_file(Path(self._expand(file))) | given
            case _:
                raise MalformedInputError("envFile is not a string")

    def _env_names(self) -> list[str]:
        """Variables that the client passes on by name; Codex may write one as `{name, source}`."""
        names: list[Any] = []
        for word in self.words.env_names:
            listed = self.entry.get(word) or []
            if not isinstance(listed, list):
                raise MalformedInputError(f"{word} is not a list")
            names += [item.get("name") if isinstance(item, dict) else item for item in listed]
        if not all(isinstance(name, str) and name and "=" not in name for name in names):
            raise MalformedInputError("the names of environment variables are not all strings")
        return names

    def _inherited(self, names: list[str], given: Mapping[str, str]) -> dict[str, str]:
        environ = self.surroundings.environ
        wanted = [name for name in names if name not in given]
        self.missing += [name for name in wanted if name not in environ]
        return {name: environ[name] for name in wanted if name in environ}

    def _http(self, url: str) -> Entry:
        place: Any = self.entry
        for step in self.words.headers:
            place = place.get(step) if isinstance(place, dict) else None
        headers = self._resolved(given := _texts(place, "headers"))
        names = dict.fromkeys(given)
        by_variable = _texts(self.entry.get(self.words.env_headers), self.words.env_headers)
        if (bearer := self.entry.get(self.words.bearer)) is not None:
            by_variable["Authorization"] = _text(bearer, self.words.bearer)
        for header, variable in by_variable.items():
            names[header] = None
            for value in self._inherited([variable], {}).values():
                headers[header] = (
                    f"Bearer {value}" if bearer is not None and header == "Authorization" else value
                )
        target = HttpTarget(url, tuple(names))
        launch = HttpTarget(self._expand(url), tuple(names))
        return Entry(target, launch, {}, headers, protected=False, missing=self._missed())

    def _expand(self, text: str) -> str:
        expanded = self.surroundings.expand(text, self.syntax)
        self.missing += expanded.missing
        return expanded.text

    def _resolved(self, given: Mapping[str, str]) -> dict[str, str]:
        """The values; one that refers to a missing variable is left out, not passed on half filled."""
        resolved = {}
        for name, text in given.items():
            expanded = self.surroundings.expand(text, self.syntax)
            self.missing += expanded.missing
            if not expanded.missing:
                resolved[name] = expanded.text
        return resolved

    def _missed(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.missing))


def _strings(value: JsonValue, what: str) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise MalformedInputError(f"{what} is not a list of strings")
    if any("\0" in item for item in value):
        raise MalformedInputError(f"{what} has a NUL character")
    return value


def _texts(value: JsonValue, what: str) -> dict[str, str]:
    """A map of texts; clients accept numbers and booleans in it, and leave `null` out."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise MalformedInputError(f"{what} is not an object")
    _refuse_ambiguous(value)
    return {name: _text(item, f"{what}.{name}") for name, item in value.items() if item is not None}


def _text(item: JsonValue, what: str) -> str:
    match item:
        case bool():
            return "true" if item else "false"
        case str() | int() | float():
            return str(item)
        case _:
            raise MalformedInputError(f"{what} is not a string")


def _environment_file(path: Path) -> dict[str, str]:
    """`NAME=value` lines; quotes around a value are taken off, comments and blank lines skipped."""
    try:
        text = read_bounded(path, _ENVIRONMENT_FILE_LIMIT).decode()
    except (StorageError, UnicodeDecodeError) as error:
        raise UsageError(f"its envFile cannot be read: {error}") from None
    found = {}
    for line in text.splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and not name.startswith("#"):
            found[name.strip()] = _unquoted(value.strip())
    return found


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value

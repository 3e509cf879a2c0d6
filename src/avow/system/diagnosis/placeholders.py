"""Values that have the shape of real ones and open nothing, to see how far a server comes with them."""

from pathlib import Path
from typing import Final

from avow.core.configuration.model import Parameter, PathKind, ValueType, Where
from avow.system.diagnosis.naming import words_of

# An address that nobody answers on: nothing that a server sends reaches anybody.
_NOBODY: Final = "http://127.0.0.1:9"
_UUID: Final = "00000000-0000-4000-8000-000000000000"
_BY_WORD: Final = {
    "email": "nobody@example.com",
    "port": "9",
    "region": "us-east-1",
    "host": "127.0.0.1",
    "hostname": "127.0.0.1",
    "domain": "example.com",
    "uuid": _UUID,
    "date": "2000-01-01",
    "timeout": "5",
}


def placeholder(parameter: Parameter, home: Path) -> str:
    """A value for one parameter; files and directories are made below `home`."""
    if parameter.fixed is not None:
        return parameter.fixed
    if parameter.choices:
        return "stdio" if "stdio" in parameter.choices else parameter.choices[0]
    match parameter.type:
        case ValueType.NUMBER | ValueType.INTEGER:
            return str(int(parameter.minimum)) if parameter.minimum is not None else "1"
        case ValueType.BOOLEAN:
            return "true"
        case ValueType.URL:
            return _address(parameter.binding.name)
        case ValueType.PATH:
            return _path(parameter, home)
        case _:
            return _text(parameter)


def _text(parameter: Parameter) -> str:
    words = words_of(parameter.binding.name)
    for word in reversed(words):
        if word in _BY_WORD:
            return _BY_WORD[word]
    if words and words[-1] in ("id", "number") and "api" in words:
        return "1"
    return parameter.examples[0] if parameter.examples and not parameter.secret else "placeholder-" + "0" * 20


def _address(name: str) -> str:
    words = words_of(name)
    for word, scheme in (
        ("postgres", "postgresql"),
        ("pg", "postgresql"),
        ("mysql", "mysql"),
        ("redis", "redis"),
    ):
        if any(one.startswith(word) for one in words):
            return f"{scheme}://nobody:nothing@127.0.0.1:9/nothing"
    if any(one.startswith(("mongo", "mdb")) for one in words):
        return "mongodb://127.0.0.1:9/nothing"
    if "neo" in words or "bolt" in words:
        return "bolt://127.0.0.1:9"
    if "database" in words or "db" in words or "dsn" in words:
        return "sqlite:///:memory:"
    return _NOBODY


def _path(parameter: Parameter, home: Path) -> str:
    """An empty directory, or a file with an empty JSON object, whichever the name asks for."""
    name = parameter.binding.name
    words = set(words_of(name))
    is_file = parameter.path_kind is PathKind.FILE or parameter.binding.where is Where.FILE
    is_file = is_file or bool(words & {"file", "json", "yaml", "yml", "keys", "credentials"})
    base = home / "placeholders"
    base.mkdir(parents=True, exist_ok=True)
    if is_file and parameter.path_kind is not PathKind.DIRECTORY:
        path = base / "placeholder.json"
        path.write_text("{}\n", encoding="utf-8")
        return str(path)
    directory = base / "directory"
    directory.mkdir(exist_ok=True)
    return str(directory)

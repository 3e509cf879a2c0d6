"""What a name tells about the value behind it, when nothing else does; and when two names mean the same."""

import re
from typing import Final

from avow.core.configuration.model import Binding, Origin, Parameter, Source, Style, ValueType, Where
from avow.core.credentials import is_credential_name
from avow.system.diagnosis.output.names import Form, Name

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PATHS: Final = frozenset(
    {"path", "file", "dir", "directory", "folder", "vault", "root", "config", "workspace"}
)
_ADDRESSES: Final = frozenset({"url", "uri", "endpoint", "baseurl"})
_DATABASES: Final = frozenset(
    {"db", "database", "postgres", "postgresql", "pg", "mysql", "mongo", "mongodb", "mdb", "redis", "neo"}
    | {"connection"}
)
_HOLDERS: Final = frozenset({"url", "uri", "string", "dsn", "conninfo"})
_CREDENTIALS: Final = frozenset(
    {"oauth", "credentials", "credential", "keys", "key", "token", "secret", "auth", "pem"}
)
_FORMS: Final = {
    Form.VARIABLE: Where.ENV,
    Form.FLAG: Where.ARGUMENT,
    Form.POSITIONAL: Where.ARGUMENT,
    Form.COMMAND: Where.ARGUMENT,
    Form.FILE: Where.FILE,
    Form.HEADER: Where.HEADER,
    Form.IDENTIFIER: Where.OTHER,
}
_LITTLE: Final = frozenset(
    {"a", "an", "the", "your", "no", "mcp", "server", "for", "to", "is", "of", "with", "valid"}
)


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, however it is written: `--api-key`, `API_KEY` and `apiKey` have the same."""
    return tuple(word.lower() for word in _WORD.findall(name))


def parameter_of(name: Name, place: str) -> Parameter:
    """The parameter that a name in a server's output stands for."""
    where = _FORMS[name.form]
    style = Style.NAMED if name.form is Form.FLAG else Style.POSITIONAL
    fixed = name.text if name.form is Form.COMMAND else None
    return Parameter(
        key=name.text,
        binding=Binding(where, name.text, style),
        type=ValueType.PATH if where is Where.FILE else guessed_type(name.text),
        secret=looks_secret(name.text) or (where is Where.FILE and is_about_credentials(name.text)),
        choices=name.choices,
        multiple=name.multiple,
        fixed=fixed,
        source=Source(Origin.OUTPUT, name.form, place),
    )


def guessed_type(name: str) -> ValueType:
    """What a value of this name most likely is."""
    words = words_of(name)
    last = words[-1] if words else ""
    if last in _ADDRESSES:
        return ValueType.URL
    if last in _PATHS:
        return ValueType.PATH
    if last == "port":
        return ValueType.INTEGER
    return ValueType.STRING


def looks_secret(name: str) -> bool:
    """Whether a value of this name should not be seen: a credential, or an address with a password in it."""
    words = set(words_of(name))
    return is_credential_name(name) or bool(words & _DATABASES and words & _HOLDERS)


def is_about_credentials(name: str) -> bool:
    """Whether a file of this name holds credentials."""
    return not {
        "oauth",
        "credentials",
        "credential",
        "keys",
        "key",
        "token",
        "secret",
        "auth",
        "pem",
    }.isdisjoint(words_of(name))


def means_same(one: str, other: str) -> bool:
    """Whether two names are the same words: `api_spec_url`, `--api-spec-url`, `API_SPEC_URL`."""
    return "".join(words_of(one)) == "".join(words_of(other))


def tells(thing: str, name: str) -> bool:
    """Whether words of prose are about a name, as "Project" about `--project`."""
    wanted = [word for word in words_of(thing) if word not in _LITTLE]
    have = words_of(name)
    return bool(wanted) and all(word in have for word in wanted) and wanted != ["api"]

"""Credentials by name and by shape, so that none in a target is ever written down or shown to anybody."""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from avow.core.placeholders import PLACEHOLDER
from avow.core.target import HttpTarget, StdioTarget, Target

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_ENDINGS: Final = (
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "apikey",
    "accesskey",
    "privatekey",
    "secretkey",
    "credential",
    "credentials",
)
_WORDS: Final = frozenset(
    {"authorization", "bearer", "cookie", "cookies", "creds", "jwt", "mnemonic", "pat", "pgpass", "pwd"}
    | {"passwords", "secrets"}
)
# Several keys are credentials only where they are said to be: the others are those of a table.
_SEVERAL_KEYS: Final = frozenset(
    {"access", "api", "auth", "encryption", "private", "secret", "signing", "ssh"}
)
# Of what is counted, nothing opens anything: MAX_TOKENS.
_COUNTED: Final = frozenset(
    {"budget", "completion", "context", "count", "input", "limit", "max", "maximum", "min", "minimum", "num"}
    | {"number", "output", "per", "prompt", "stop", "thinking", "total"}
)
_DATABASES: Final = frozenset(
    {"amqp", "connection", "database", "db", "mongo", "mongodb", "mysql", "pg", "postgres", "postgresql"}
    | {"rabbitmq", "redis", "webhook"}
)
_ADDRESSES: Final = frozenset({"conninfo", "string", "uri", "url", "webhook"})
# A name that ends so is about a credential without holding one: TOKEN_FILE, KEY_ID.
_ABOUT: Final = frozenset(
    {"dir", "directory", "endpoint", "env", "file", "header", "host", "id", "length", "limit", "mode"}
    | {"name", "path", "ttl", "type", "uri", "url"}
)
# What stands before keys that open nothing: PUBLIC_KEY, --sort-key.
_OTHER_KEYS: Final = frozenset(
    {"cache", "foreign", "hot", "issue", "object", "partition", "primary", "project", "public", "sort"}
)

_ISSUED: Final = re.compile(
    r"(?<![A-Za-z0-9_-])(?:"
    r"(?:sk|rk|pk)[-_]|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|xapp-|npm_|pypi-|hf_|dop_v1_|dckr_pat_|shpat_"
    r"|lin_api_|figd_|ntn_|secret_|tvly-|AKIA|ASIA|AIza|ya29\.|SG\.|eyJ[A-Za-z0-9_-]{8,512}\.eyJ"
    r")[A-Za-z0-9_-]{12,}"
)
_PRIVATE_KEY: Final = re.compile(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----")
_CONNECTION: Final = re.compile(
    r"(?i)(?<![a-z0-9])(?:password|pwd|(?:shared)?access_?key|accountkey)=[^;\s]{3,}"
)
_OPAQUE: Final = re.compile(r"[A-Za-z0-9_+=-]{24,}")
_NAMED: Final = re.compile(r"(-{0,2}[A-Za-z_][A-Za-z0-9_.-]*)=(.*)", re.DOTALL)
_HARMLESS: Final = frozenset({"", "-", "true", "false", "none", "null", "env", "stdin", "prompt", "0", "1"})

_USER_INFORMATION: Final = re.compile(r"(?<=://)[^/?#\s]*@")
_PARAMETER: Final = re.compile(r"([?&][^=&#\s]*=)[^&#\s]*")

_LEAST_DISTINCT: Final = 8
_LEAST_BITS: Final = 3.7
# What stands where a credential was.
MASK: Final = "***"


@dataclass(frozen=True, slots=True)
class Credential:
    """What seems to be a credential: where it is, in words that do not repeat it, and its value."""

    place: str
    value: str = field(repr=False)


def is_credential_name(name: str) -> bool:
    """Whether a variable, flag, header or parameter of this name is there to hold a credential."""
    words = _words(name)
    if not words or words[-1] in _ABOUT:
        return False
    return words[-1] == "pass" or any(
        _is_credential_word(word, before, words) for before, word in pairwise(("", *words))
    )


def may_hold_credential(name: str) -> bool:
    """Whether what has this name often has a credential in it: an address of a database or a webhook."""
    words = _words(name)
    if not words:
        return False
    holds = words[-1] in _ADDRESSES and not _DATABASES.isdisjoint(words)
    return holds or words[-1] in ("auth", "dsn") or is_credential_name(name)


def is_credential(value: str) -> bool:
    """Whether a value has a credential's shape: an issuer's prefix, a key, a password in a URL, noise."""
    bare = PLACEHOLDER.sub("", value)
    found = _ISSUED.search(bare)
    if found is not None and any(character.isdigit() for character in found.group()):
        return True
    if _PRIVATE_KEY.search(bare) or _CONNECTION.search(bare):
        return True
    return _has_password(value) or _is_noise(bare)


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _is_credential_word(word: str, before: str, words: list[str]) -> bool:
    match word:
        case "key":
            return before not in _OTHER_KEYS
        case "keys":
            return before in _SEVERAL_KEYS
        case "tokens":
            return _COUNTED.isdisjoint(words)
        case _:
            return word.endswith(_ENDINGS) or word in _WORDS


def secret_arguments(target: Target) -> tuple[str, ...]:
    """Where a target seems to hold a credential, in words that do not repeat it."""
    return tuple(dict.fromkeys(credential.place for credential in credentials_in(target)))


def credentials_in(target: Target) -> tuple[Credential, ...]:
    """Everything in a target that seems to be a credential."""
    match target:
        case StdioTarget():
            return (*_in_command(target), *_not_names(target.env, "environment variable"))
        case HttpTarget():
            return (*_in_url(target.url, "the URL"), *_not_names(target.headers, "header"))
        case _:
            return ()


def shown_target(target: Target) -> Target:
    """The target as anybody may see it, with `***` for what seems to be a credential."""
    match target:
        case StdioTarget() if credentials_in(target):
            command, *args = shown_command(target)
            env = tuple(re.split("[=:]", name, maxsplit=1)[0] for name in target.env)
            return replace(target, command=command, args=tuple(args), env=env)
        case HttpTarget() if credentials_in(target):
            headers = tuple(name.partition(":")[0] for name in target.headers)
            return replace(target, url=shown_url(target.url), headers=headers)
        case _:
            return target


def shown_command(target: StdioTarget) -> tuple[str, ...]:
    """The command line as anybody may see it, with `***` for what seems to be a credential."""
    arguments = (target.command, *target.args)
    return tuple(
        _shown(argument, _in_argument(argument, flag, position))
        for position, (argument, flag) in enumerate(_with_flags(arguments))
    )


def shown_url(url: str) -> str:
    """The address with `***` for the user, for the values of parameters, and for credentials in its path."""
    url = _PARAMETER.sub(rf"\1{MASK}", _USER_INFORMATION.sub(f"{MASK}@", url))
    for segment in re.split("[/#?&]", url):
        if is_credential(segment):
            url = url.replace(segment, MASK)
    return url


def _in_command(target: StdioTarget) -> Iterator[Credential]:
    for position, (argument, flag) in enumerate(_with_flags((target.command, *target.args))):
        yield from _in_argument(argument, flag, position)


def _with_flags(arguments: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each argument, and the flag whose value it may be."""
    flag = ""
    for argument in arguments:
        yield argument, flag
        flag = argument if argument.startswith("-") and not _NAMED.fullmatch(argument) else ""


def _in_argument(argument: str, flag: str, position: int) -> Iterator[Credential]:
    given = _NAMED.fullmatch(argument)
    name, value = given.groups() if given else ("", argument)
    if is_credential_name(name) and _holds_something(value):
        yield Credential(f"the value of {name}", value)
    elif is_credential_name(flag) and not argument.startswith("-") and _holds_something(argument):
        yield Credential(f"the value of {flag}", argument)
    elif _is_header(argument):
        yield Credential(f"the header in argument {position}", argument.partition(": ")[2])
    elif "://" in value:
        yield from _in_url(value, f"argument {position}")
    elif is_credential(value):
        yield Credential(f"argument {position}", value)


def _in_url(url: str, place: str) -> Iterator[Credential]:
    try:
        parts = urlsplit(url)
        parameters = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        # Nobody can connect to it either; what it says is still not written down.
        yield Credential(f"{place}, which cannot be read as a URL", url)
        return
    if _has_password(url):
        user, _, password = parts.netloc.rpartition("@")[0].partition(":")
        yield Credential(f"the user information in {place}", password or user)
    for name, value in parameters:
        if (is_credential_name(name) and _holds_something(value)) or is_credential(value):
            yield Credential(f"the parameter {name} in {place}", value)
    for segment in (*parts.path.split("/"), parts.fragment):
        if is_credential(segment):
            yield Credential(f"the path in {place}", segment)


def _shown(argument: str, credentials: Iterable[Credential]) -> str:
    for credential in credentials:
        if argument.endswith(credential.value):
            argument = argument.removesuffix(credential.value) + MASK
    return shown_url(argument) if "://" in argument else argument


def _not_names(names: tuple[str, ...], what: str) -> Iterator[Credential]:
    """Targets hold names only: one with a value after it would carry the value into the file."""
    for name in names:
        if "=" in name or ":" in name:
            bare, value = re.split("[=:]", name, maxsplit=1)
            yield Credential(f"the {what} {bare}", value)


def _is_header(argument: str) -> bool:
    name, separator, value = argument.partition(": ")
    return bool(separator) and is_credential_name(name) and _holds_something(value)


def _holds_something(value: str) -> bool:
    """Whether a value given under a credential's name is one: not a placeholder, a path or a switch."""
    if PLACEHOLDER.search(value) or value.lower() in _HARMLESS:
        return False
    return not value.startswith(("/", "./", "../", "~")) or _is_noise(value)


def _has_password(value: str) -> bool:
    scheme, separator, rest = value.partition("://")
    userinfo, at, _ = rest.split("/", 1)[0].rpartition("@")
    if not separator or not at or not scheme.replace("+", "").isalnum():
        return False
    user, _, password = userinfo.partition(":")
    return _holds_something(password) or (bool(user) and not password and _is_noise(user))


def _is_noise(value: str) -> bool:
    """Whether a word is one that no person chose: long, of mixed letters and digits, without a pattern."""
    if _OPAQUE.fullmatch(value) is None or len(set(value)) < _LEAST_DISTINCT:
        return False
    mixed = any(map(str.islower, value)) and any(map(str.isupper, value)) and any(map(str.isdigit, value))
    return mixed and _bits(value) >= _LEAST_BITS


def _bits(value: str) -> float:
    """Shannon entropy per character."""
    shares = [value.count(character) / len(value) for character in set(value)]
    return -sum(share * math.log2(share) for share in shares)

"""What the user typed, turned into targets and the values that reaching them takes.

A word is read as the first of these that fits: a URL; a file, when it is written like one and is there; an
entry of the lockfile; a Python object; a server of an MCP client's configuration. What could still mean two
servers is refused.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from avow.core.placeholders import PLACEHOLDER
from avow.core.target import FileTarget, HttpTarget, PythonTarget, StdioTarget, Target
from avow.errors import UsageError

if TYPE_CHECKING:
    # Reading client configurations takes long to load, and most words need none.
    from avow.system.clients import ConfiguredServer, FoundServers

_PYTHON: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_VARIABLE_NAME: Final = re.compile(r"[^\s=\0]+")
_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


@dataclass(frozen=True, slots=True)
class Reachable:
    """A target that may be stored, and what connecting to it takes, which may not.

    `launch` is the target with placeholders filled in; `name` is what it is called where it was found.
    """

    target: Target
    name: str = ""
    launch: Target = field(kw_only=True, repr=False)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Given:
    """The values that came with `--env` and `--header`."""

    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Known:
    """The names a word may mean: entries of the lockfile, and servers of client configurations.

    Both are read when they are asked for, since most words need neither, and a broken lockfile is no
    reason not to look at a URL. With `config` the user named a configuration, and a name means a server
    of that file.
    """

    lockfile: Path
    locked: Callable[[], Mapping[str, Target]]
    configured: "Callable[[], FoundServers]"
    config: Path | None = None


def read_given(environment: Sequence[str], headers: Sequence[str], ambient: Mapping[str, str]) -> Given:
    """Read `KEY[=VALUE]` and `Name: value` options; no message ever repeats a value.

    Raises:
        UsageError: an option is not of that form, or names a variable that `ambient` does not have.
    """
    return Given(
        dict(_variable(option, ambient) for option in environment),
        dict(_header(option, ambient) for option in headers),
    )


def reach_command(command: Sequence[str], given: Given) -> Reachable:
    """The stdio server that `-- COMMAND ARG…` starts."""
    return reach(StdioTarget(command[0], tuple(command[1:])), given)


def resolve(word: str, known: Known, given: Given) -> Reachable:
    """What one word means.

    Raises:
        UsageError: nothing has that name, or several things do.
    """
    if word.startswith(("http://", "https://")):
        return reach(HttpTarget(_url(word)), given)
    if looks_like_a_file(word) and (known.config or Path(word).exists()):
        return reach(FileTarget(word), given)
    if known.config is None and word in known.locked():
        return reach_locked(word, known, given)
    if looks_like_a_file(word):
        return reach(FileTarget(word), given)
    if _PYTHON.fullmatch(word):
        return reach(PythonTarget(word), given)
    return _configured(word, known, given)


def looks_like_a_file(word: str) -> bool:
    """Whether a word is written as a path rather than as a name."""
    return word.endswith((".json", ".lock")) or "/" in word or "\\" in word


def reach_locked(name: str, known: Known, given: Given) -> Reachable:
    """An entry of the lockfile, with the values that a client is configured to give the same server.

    Raises:
        UsageError: there is no such entry.
    """
    locked = known.locked()
    if name not in locked:
        raise unknown(name, locked, f"{known.lockfile} has no entry {name!r}")
    target = locked[name]
    if not _lacks_values(target, given):
        return reach(target, given, name)
    for server in known.configured().servers:
        if server.name == name and same_place(server.target, target):
            return replace(reach_configured(server, given), target=reach(target, given).target)
    return reach(target, given, name)


def reach_configured(server: "ConfiguredServer", given: Given) -> Reachable:
    """A server of a client's configuration, with the values written there and those given on top."""
    match server.target:
        case StdioTarget():
            given = replace(given, environment={**server.env, **given.environment})
        case HttpTarget():
            given = replace(given, headers={**server.headers, **given.headers})
        case PythonTarget() | FileTarget():
            pass
    return replace(reach(server.target, given, server.name), launch=reach(server.launch, given).target)


def reach(target: Target, given: Given, name: str = "") -> Reachable:
    """The target with the values given for it; their names become part of it.

    Raises:
        UsageError: a value was given that this kind of target cannot take.
    """
    match target:
        case StdioTarget():
            if given.headers:
                raise UsageError("--header is for HTTP servers, and this one is started as a command")
            full: Target = replace(target, env=tuple(sorted({*target.env, *given.environment})))
            return Reachable(full, name, given.environment, launch=full)
        case HttpTarget():
            if given.environment:
                raise UsageError(
                    "--env is for servers that are started as a command, and this one is reached over HTTP",
                    hint="send a value with --header 'Name: ${VARIABLE}'",
                )
            names = {header.lower(): header for header in (*given.headers, *target.headers)}
            full = replace(target, headers=tuple(sorted(names.values(), key=str.lower)))
            return Reachable(full, name, headers=given.headers, launch=full)
        case PythonTarget() | FileTarget():
            return Reachable(target, name, launch=target)


def fitting(given: Given, target: Target) -> Given:
    """Only those values that a locked target names: a token for one server is not for all of them."""
    match target:
        case StdioTarget(env=names):
            return Given({name: value for name, value in given.environment.items() if name in names})
        case HttpTarget(headers=names):
            lower = {name.lower() for name in names}
            return Given({}, {name: value for name, value in given.headers.items() if name.lower() in lower})
        case PythonTarget() | FileTarget():
            return Given()


def same_place(one: Target, other: Target) -> bool:
    """Whether two targets start the same thing; values of the one may then go to the other."""
    match one, other:
        case StdioTarget(), StdioTarget():
            return (one.command, one.args, one.cwd) == (other.command, other.args, other.cwd)
        case HttpTarget(), HttpTarget():
            return one.url == other.url
        case _:
            return False


def unknown(word: str, names: Iterable[str], message: str) -> UsageError:
    """The error for a name that nobody has, with the nearest one that somebody has."""
    # Late, like everything that only a mistake needs: a check is held up by what it loads.
    from difflib import get_close_matches

    there = sorted(set(names))
    if close := get_close_matches(word, there, n=1):
        return UsageError(message, hint=f"did you mean {close[0]!r}?")
    if there:
        return UsageError(message, hint=f"known names: {', '.join(there[:12])}")
    return UsageError(
        message, hint=f"to start it as a command, write `-- {word}`; `avow lock` gives names to servers"
    )


def _configured(word: str, known: Known, given: Given) -> Reachable:
    everything = known.configured()
    found = [server for server in everything.servers if server.name == word]
    if len({server.target for server in found}) > 1:
        places = ", ".join(sorted({str(server.path) for server in found}))
        raise UsageError(
            f"{word!r} is configured differently in {places}", hint="choose one of them with --config FILE"
        )
    if found:
        return reach_configured(found[0], given)
    for skipped in everything.skipped:
        if skipped.name == word:
            raise UsageError(f"{word} in {skipped.path}: {skipped.reason}", hint=skipped.hint)
    names = [*known.locked(), *(server.name for server in everything.servers)]
    where = f"{known.config} has no server" if known.config else "there is no server"
    raise unknown(word, names, f"{where} called {word!r}")


def _lacks_values(target: Target, given: Given) -> bool:
    match target:
        case StdioTarget(env=names):
            return any(name not in given.environment for name in names)
        case HttpTarget(headers=names):
            have = {name.lower() for name in given.headers}
            return any(name.lower() not in have for name in names)
        case PythonTarget() | FileTarget():
            return False


def _url(word: str) -> str:
    try:
        parts = urlsplit(word)
        valid = bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise UsageError("that is not a URL of a server", hint="write it as https://HOST/PATH") from None
    if not valid:
        raise UsageError("that is not a URL of a server", hint="write it as https://HOST/PATH")
    if parts.username or parts.password:
        raise UsageError(
            f"the URL of {parts.hostname} holds a user name or password, which a lockfile must not",
            hint="send it with --header 'Authorization: Basic ${VARIABLE}'",
        )
    return word


def _variable(option: str, ambient: Mapping[str, str]) -> tuple[str, str]:
    name, equals, value = option.partition("=")
    if not _VARIABLE_NAME.fullmatch(name):
        raise UsageError("--env wants KEY or KEY=VALUE")
    if equals:
        return name, value
    if name not in ambient:
        raise UsageError(
            f"the environment has no variable {name}", hint=f"set it, or write --env {name}=VALUE"
        )
    return name, ambient[name]


def _header(option: str, ambient: Mapping[str, str]) -> tuple[str, str]:
    name, colon, value = option.partition(":")
    if not colon or not _HEADER_NAME.fullmatch(name.strip()):
        raise UsageError("--header wants 'Name: value'")
    if "\n" in value or "\r" in value:
        raise UsageError(f"the value of the header {name.strip()} holds a line break")

    def expand(match: re.Match[str]) -> str:
        if match[1] not in ambient:
            raise UsageError(f"the header {name.strip()} asks for ${{{match[1]}}}, which is not set")
        return ambient[match[1]]

    return name.strip(), PLACEHOLDER.sub(expand, value.strip())

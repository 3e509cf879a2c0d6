"""A name for a server that nobody has named yet: from its package, its program or its own words."""

import ipaddress
import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Final
from urllib.parse import urlsplit

from avow.core.target import FileTarget, HttpTarget, PythonTarget, StdioTarget, Target

_UNWANTED: Final = re.compile(r"[^a-z0-9._-]+")
_LONGEST: Final = 64

# Words that start a server without saying which, and their options that take a value.
_RUNNERS: Final = {
    "npx": {"-c", "--call"},
    "bunx": set[str](),
    "pnpm": set[str](),
    "yarn": set[str](),
    "uvx": {"--with", "--python", "-p", "--index-url", "--with-editable"},
    "pipx": {"--python"},
    "uv": {"--with", "--python", "-p", "--directory", "--project"},
    "node": {"-r", "--require", "--import", "--env-file"},
    "bun": set[str](),
    "deno": set[str](),
    "python": {"-W", "-X"},
    "docker": {"-e", "--env", "-v", "--volume", "--mount", "--name", "--network", "-p", "--env-file", "-w"},
    "podman": {"-e", "--env", "-v", "--volume", "--mount", "--name", "--network", "-p", "--env-file", "-w"},
}
_SUBCOMMANDS: Final = {
    "pnpm": {"dlx"},
    "yarn": {"dlx"},
    "uv": {"run", "tool"},
    "pipx": {"run"},
    "docker": {"run"},
    "podman": {"run"},
    "deno": {"run"},
    "bun": {"run", "x"},
}
# Options whose value is what gets run.
_NAMING_OPTIONS: Final = {"--package", "--from", "-m"}
_SAY_NOTHING: Final = {"index", "main", "server", "app", "__main__", "cli", "dist", "build", "src", "bin"}


def suggest_name(target: Target, server_name: str = "") -> str:
    """A short name made of lowercase letters, digits, dots, hyphens and underscores."""
    for candidate in (_from_target(target), server_name):
        if name := slug(candidate):
            return name
    return "server"


def slug(text: str) -> str:
    """The text as a name; empty when nothing of it can be used."""
    return _UNWANTED.sub("-", text.lower()).strip("-._")[:_LONGEST].strip("-._")


def _from_target(target: Target) -> str:
    match target:
        case StdioTarget(command=command, args=args):
            return _from_command(command, args)
        case HttpTarget(url=url):
            return _from_host(urlsplit(url).hostname or "")
        case PythonTarget(reference=reference):
            return _telling(reference.partition(":")[0].split("."))
        case FileTarget(path=path):
            return PurePath(path).stem


def server_words(command: str, args: Sequence[str]) -> slice:
    """Which words of `args` say what server a command starts; none where the command itself does.

    What stands before them is for the program that starts the server, what stands behind them for the server.
    """
    runner = _runner(command)
    if runner not in _RUNNERS:
        return slice(0, 0)
    places = iter(range(len(args)))
    for place in places:
        word = args[place]
        option, equals, _ = word.partition("=")
        if option in _NAMING_OPTIONS:
            return slice(place, place + (1 if equals else 2))
        if word in _RUNNERS[runner]:
            next(places, None)
        elif not word.startswith("-") and word not in _SUBCOMMANDS.get(runner, ()):
            return slice(place, place + 1)
    return slice(len(args), len(args))


def _runner(command: str) -> str:
    path = PurePath(command)
    return "python" if re.fullmatch(r"python[0-9.]*|pypy[0-9.]*", path.name) else path.stem


def _from_command(command: str, args: Sequence[str]) -> str:
    if _runner(command) not in _RUNNERS:
        return PurePath(command).stem
    words = args[server_words(command, args)]
    if not words:
        return ""
    option, equals, value = words[0].partition("=")
    if option in _NAMING_OPTIONS:
        return _from_package(value if equals else "".join(words[1:]))
    return _from_package(words[0])


def _from_package(word: str) -> str:
    """`@scope/name@1.2`, `name==1.2`, `image:tag`, `path/to/file.py`: the part that says which."""
    path = PurePath(word)
    if path.suffix in (".py", ".js", ".ts", ".mjs", ".cjs"):
        return _telling([*path.parent.parts, path.stem])
    last = word.rstrip("/").rpartition("/")[2]
    return re.split(r"[@=<>~!\[:]", last, maxsplit=1)[0]


def _telling(parts: Sequence[str]) -> str:
    """The last part that is not a word every project uses; nothing when all of them are."""
    return next((part for part in reversed(parts) if slug(part) and slug(part) not in _SAY_NOTHING), "")


def _from_host(host: str) -> str:
    """The host's name; an address or this machine says nothing about the server."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return "" if host == "localhost" else host
    return ""

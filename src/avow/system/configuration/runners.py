"""How a command that starts a server depends on the directory it is started in, as far as that is known.

A project decides what `make serve`, `npm start` or `python -m server` run, and its files may redirect even
`npx PACKAGE`. Here are the ways of which we know what they heed; of all others we know nothing.
"""

import re
from collections.abc import Callable, Collection, Mapping
from itertools import takewhile
from pathlib import Path, PurePath
from typing import Final, NamedTuple, TypeAlias

Words: TypeAlias = tuple[str, ...]


class Started(NamedTuple):
    """What a command starts, wherever it is started.

    `words` are for the server, and may mean files of the directory. `heeds` are names of files that change
    what is started, or what it does, when the directory or one above it holds them.
    """

    words: Words = ()
    heeds: Words = ()


# Programs that run what others wrote: a word of a command that names one may stand for anything.
_RUNNERS: Final = frozenset(
    """
    python pypy ipython node nodejs deno bun ruby perl php lua java kotlin scala groovy dotnet mono go cargo
    rustc swift elixir mix iex erl julia rscript tclsh racket guile sbcl ghci stack cabal runghc
    sh bash dash zsh ksh fish csh tcsh busybox pwsh powershell cmd env exec nohup nice timeout time xargs sudo
    su doas runuser setsid stdbuf script unshare chroot firejail bwrap strace ltrace watch entr parallel ssh
    npm npx pnpm pnpx yarn bunx corepack volta nvm fnm tsx ts-node esno jiti nodemon forever concurrently
    vite vite-node webpack turbo nx lerna gulp grunt
    pip pipx uv uvx poetry pdm hatch rye pixi conda mamba micromamba pipenv tox nox invoke inv doit fab
    uvicorn gunicorn hypercorn flask django-admin fastapi fastmcp mcp mcpo mcp-proxy supergateway inspector
    make gmake cmake ninja meson just task rake bundle bundler gradle gradlew mvn mvnw ant sbt lein bazel
    bazelisk buck pants scons waf earthly dagger nix nix-shell nix-build nix-env devbox devenv direnv
    mise asdf pyenv rbenv nodenv jenv goenv foreman overmind honcho docker docker-compose
    podman podman-compose nerdctl kubectl helm terraform vagrant artisan rails symfony composer avow
    """.split()  # noqa: SIM905 - words are easier to read, and to add to, without quotes
)

# What decides which package a runner of packages runs ...
_OF_PACKAGES: Final = (
    "package.json",
    "node_modules",
    ".npmrc",
    "bunfig.toml",
    "pnpm-workspace.yaml",
    ".pnpmfile.cjs",
)
# ... which interpreter a version manager takes for a name ...
_OF_MANAGERS: Final = (".tool-versions", "mise.toml", ".mise.toml", ".python-version", ".node-version")
# ... and what servers take for settings, such as the address that they send their token to.
_OF_SERVERS: Final = (".env", ".env.local")

_NPM_PACKAGE: Final = re.compile(r"(?:@[\w.~-]+/)?(\w[\w.~-]*)(?:@[\w.^~+-]+)?", re.ASCII)
_PYTHON_PACKAGE: Final = re.compile(
    r"(\w[\w.-]*)(?:\[[\w,.-]*\])?(?:(?:@|[=<>~!]=?)[\w.*+!=<>~,-]+)?", re.ASCII
)
_PYTHON_VERSION: Final = re.compile(r"3(?:\.\d+){0,2}t?", re.ASCII)
_ARCHIVES: Final = (".tgz", ".tar", ".gz", ".zip", ".whl", ".bz2", ".xz")
_BETWEEN: Final = re.compile(r"[=,:]")
_VERSION: Final = re.compile(r"[\d.]+$")


def what_is_started(command: str, args: Words) -> Started | None:
    """What a command starts in any directory; None where that may be another program in each."""
    is_whole = Path(command).is_absolute()
    if not is_whole and PurePath(command).name != command:
        return None
    if (reader := _READERS.get(_program(command))) is not None:
        started = reader(args)
    else:
        # A program of a name that we do not know is one server, if we know where it is.
        started = Started(args, _OF_SERVERS) if is_whole and not is_runner(command) else None
    if started is None or (is_whole and "shims" not in PurePath(command).parts):
        return started
    return started._replace(heeds=(*started.heeds, *_OF_MANAGERS))


def is_runner(word: str) -> bool:
    """Whether a word names a program that runs what others wrote."""
    return _program(word) in _RUNNERS


def _program(word: str) -> str:
    """The name of a program without its path, its version and the suffix that some systems give it."""
    name = PurePath(word).name.lower().removesuffix(".exe").removesuffix(".cmd")
    return _VERSION.sub("", name) or name


class _Options(NamedTuple):
    """Options of a runner that do not tie it to a directory: those alone, and those with such a value."""

    plain: Collection[str]
    valued: Mapping[str, Callable[[str], bool]]


def _read(args: Words, options: _Options) -> tuple[frozenset[str], Words] | None:
    """The options that stand first, and the words behind them; None where one is not known."""
    found: set[str] = set()
    place = 0
    while place < len(args) and args[place].startswith("-"):
        name, equals, value = args[place].partition("=")
        place += 1
        if name in options.valued:
            if not equals:
                value = "".join(args[place : place + 1])
                place += 1
            if not options.valued[name](value):
                return None
        elif equals or name not in options.plain:
            return None
        found.add(name)
    return frozenset(found), args[place:]


def _is_npm_package(word: str) -> bool:
    found = _NPM_PACKAGE.fullmatch(word)
    return found is not None and _is_server(word, found[1])


def _is_python_package(word: str) -> bool:
    if word.startswith(("git+https://", "git+ssh://", "https://")):
        return True
    found = _PYTHON_PACKAGE.fullmatch(word)
    return found is not None and _is_server(word, found[1])


def _is_server(word: str, name: str) -> bool:
    """Whether a package is neither a file nor one that runs something else."""
    return not word.lower().endswith(_ARCHIVES) and not is_runner(name)


def _npx(args: Words) -> Started | None:
    read = _read(args, _NPX)
    if read is None or not read[1] or not _is_npm_package(read[1][0]):
        return None
    return Started(read[1][1:], (*_OF_PACKAGES, *_OF_SERVERS))


def _pnpm(args: Words) -> Started | None:
    return _npx(args[1:]) if args[:1] == ("dlx",) else None


def _uvx(args: Words) -> Started | None:
    """Unlike others of its kind it asks no file of a project which package it takes."""
    read = _read(args, _UVX)
    if read is None or not read[1] or not _is_python_package(read[1][0]):
        return None
    return Started(read[1][1:], _OF_SERVERS)


def _uv(args: Words) -> Started | None:
    """`uv tool run …`, and `uv --directory PATH run …`, which goes there before it looks at anything."""
    if args[:2] == ("tool", "run"):
        return _uvx(args[2:])
    before = _read(args, _UV)
    if before is None or before[1][:1] != ("run",):
        return None
    behind = _read(before[1][1:], _UV)
    return Started() if behind is not None and "--directory" in before[0] | behind[0] else None


def _python(args: Words) -> Started | None:
    """A script with a whole path; a module only where the directory is not searched for it first."""
    options = tuple(takewhile(_PYTHON.__contains__, args))
    words = args[len(options) :]
    match words:
        case ("-m", module, *_) if not _PYTHON_SAFE.isdisjoint(options):
            return None if is_runner(module.partition(".")[0]) else Started(words[2:], _OF_SERVERS)
        case _:
            return _script(words)


def _node(args: Words) -> Started | None:
    read = _read(args, _NODE)
    return None if read is None else _script(read[1])


def _script(words: Words) -> Started | None:
    if not words or not Path(words[0]).is_absolute() or is_runner(words[0]):
        return None
    return Started(words[1:], _OF_SERVERS)


def _docker(args: Words) -> Started | None:
    """`docker run`; what stands behind the image means something only inside, where no directory is seen."""
    read = _read(args[1:], _DOCKER) if args[:1] == ("run",) else None
    return Started() if read is not None and read[1] else None


def _anything(_value: str) -> bool:
    return True


def _is_absolute(value: str) -> bool:
    return Path(value).is_absolute()


def _is_address(value: str) -> bool:
    return value.startswith(("https://", "http://"))


def _is_version(value: str) -> bool:
    return _PYTHON_VERSION.fullmatch(value) is not None


def _is_whole_mount(value: str) -> bool:
    """Whether a mount takes nothing that is told from where one is."""
    return not any(piece.startswith((".", "~")) for piece in _BETWEEN.split(value))


_NPX: Final = _Options(
    {"-y", "--yes", "-q", "--quiet", "--silent", "--bun", "--"},
    {"-p": _is_npm_package, "--package": _is_npm_package},
)
_UVX: Final = _Options(
    {"-q", "--quiet", "-v", "--verbose", "-n", "--no-cache", "--refresh", "--isolated", "--offline"}
    | {"--native-tls", "--no-progress", "--no-config", "-U", "--upgrade"},
    {
        **dict.fromkeys(("--from", "--with", "-w"), _is_python_package),
        **dict.fromkeys(("--python", "-p"), _is_version),
        **dict.fromkeys(("--index-url", "--default-index", "--extra-index-url"), _is_address),
    },
)
_UV: Final = _Options(
    {"-q", "--quiet", "--frozen", "--locked", "--no-sync", "--no-dev", "--offline", "--no-progress"},
    {
        "--directory": _is_absolute,
        **dict.fromkeys(("--with", "--extra", "--group", "-p", "--python"), _anything),
    },
)
_PYTHON: Final = frozenset({"-u", "-B", "-s", "-E", "-O", "-OO", "-I", "-P", "-q"})
_PYTHON_SAFE: Final = frozenset({"-I", "-P"})
_NODE: Final = _Options({"--no-warnings", "--no-deprecation", "--enable-source-maps", "--trace-warnings"}, {})
_DOCKER: Final = _Options(
    {"-i", "--interactive", "-t", "--tty", "-it", "-ti", "--rm", "--init", "-q", "--quiet", "--read-only"},
    {
        **dict.fromkeys(("-e", "--env", "--name", "--network", "--net", "-p", "--publish"), _anything),
        **dict.fromkeys(("--pull", "--platform", "-u", "--user", "-w", "--workdir"), _anything),
        **dict.fromkeys(("--entrypoint", "-m", "--memory", "--cpus", "--add-host"), _anything),
        **dict.fromkeys(("-h", "--hostname", "-l", "--label", "--cap-add", "--cap-drop"), _anything),
        **dict.fromkeys(("-v", "--volume", "--mount"), _is_whole_mount),
    },
)
_READERS: Final[Mapping[str, Callable[[Words], Started | None]]] = {
    "npx": _npx,
    "bunx": _npx,
    "pnpx": _npx,
    "pnpm": _pnpm,
    "uvx": _uvx,
    "uv": _uv,
    "python": _python,
    "node": _node,
    "docker": _docker,
}

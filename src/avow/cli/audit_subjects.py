"""What the words of `avow audit` mean: source to read, or a server to start, which nobody does by mistake."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from avow.cli.options import ServerOptions
from avow.errors import UsageError
from avow.system.targets import looks_like_a_file

if TYPE_CHECKING:
    from avow.system.targets import Known

_SOURCE: Final = frozenset({".py", ".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"})
# What people call the directories of their source: one of these that is not there was expected to be.
_DIRECTORIES: Final = (
    *("src", "lib", "libs", "app", "apps", "source", "sources", "code", "server", "servers", "backend"),
    *("packages", "package", "pkg", "dist", "build", "out", "bin", "cmd", "core", "main", "api", "services"),
    *("python", "typescript", "javascript", "node", "mcp", "mcp_server", "mcp-server", "examples", "tests"),
)
# How much alike a name and a directory are when one may be the other, mistyped.
_ALIKE: Final = 0.8


@dataclass(frozen=True, slots=True)
class Subjects:
    """The words of one command line: paths of source, and targets."""

    paths: tuple[str, ...]
    targets: tuple[str, ...]


def read_subjects(words: tuple[str, ...]) -> Subjects:
    """Tell source from targets.

    Raises:
        UsageError: a word is written as a path, and nothing is there; that is never the name of a server.
    """
    targets = tuple(word for word in words if not _is_source(word))
    for word in targets:
        if not _is_url(word) and looks_like_a_file(word) and not Path(word).exists():
            raise UsageError(f"there is no directory and no file {word}", hint="name one that is there")
    return Subjects(tuple(word for word in words if _is_source(word)), targets)


def refuse_servers(subjects: Subjects, server: tuple[str, ...]) -> None:
    """Hold a command line to `--source-only`.

    Raises:
        UsageError: it names something to start.
    """
    if server:
        raise UsageError("--source-only starts nothing, and there is a command behind `--`")
    for word in subjects.targets:
        raise UsageError(
            f"{word!r} is no directory and no source file", hint="--source-only reads these alone"
        )


def refuse_servers_of_this_project(
    subjects: Subjects, options: ServerOptions, *, is_lockfile_named: bool
) -> None:
    """Whoever audits somebody's code and mistypes a directory must not start what that code names so.

    A server of a client configuration in the working directory has to be asked for with `--config`, and an
    entry of the lockfile there whose name could be meant for a directory with `--lockfile`.

    Raises:
        UsageError: a word names such a server.
    """
    from avow.cli.reaching import known_names

    if options.config is not None:
        return
    known = known_names(options)
    for word in subjects.targets:
        if _is_url(word) or looks_like_a_file(word):
            continue
        if word in known.locked():
            if not is_lockfile_named and (directory := _meant(word)):
                raise UsageError(
                    f"{word!r} is no directory here, but a server of {options.lockfile}"
                    + (f"; did you mean the directory {directory}?" if directory != word else ""),
                    hint=f"to start and probe it: `avow audit --lockfile {options.lockfile} {word}`",
                )
        else:
            _refuse_configured(word, known)


def _refuse_configured(word: str, known: "Known") -> None:
    for server in known.configured().servers:
        if server.name == word and server.path.resolve().is_relative_to(Path.cwd().resolve()):
            raise UsageError(
                f"{word!r} is no directory here, but a server of {server.path}",
                hint=f"to start and probe it: `avow audit --config {server.path} {word}`",
            )


def _meant(word: str) -> str:
    """The directory that a name may be meant for: a usual one, or one that is there and almost called so."""
    from difflib import get_close_matches

    plain = word.strip().casefold()
    if plain in _DIRECTORIES:
        return word
    there = {path.name.casefold(): path.name for path in Path.cwd().iterdir() if path.is_dir()}
    close = get_close_matches(plain, [*there, *_DIRECTORIES], n=1, cutoff=_ALIKE)
    return there.get(close[0], close[0]) if close else ""


def _is_source(word: str) -> bool:
    """A directory or a source file; a snapshot or a lockfile is a target, and no code."""
    path = Path(word)
    return path.is_dir() or path.suffix.lower() in _SOURCE


def _is_url(word: str) -> bool:
    return word.startswith(("http://", "https://"))

"""How an entry starts its server behind `avow run`, and how to see the server through it.

The original command stays in the entry, behind `--`: a person sees what runs, the client goes on
filling in its placeholders, and taking the wrapping off needs nothing but the entry itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath, PureWindowsPath
from typing import Final

_AS_MODULE: Final = (("-m", "avow"), ("-P", "-m", "avow"))


@dataclass(frozen=True, slots=True)
class Wrapped:
    """An entry that runs behind Avow: the command it protects, and how many words come before it."""

    command: str
    args: tuple[str, ...]
    prefix: int
    """How many of the entry's words, its command included, come before the protected command."""


def wrap(launcher: Sequence[str], name: str, lockfile: PurePath, env: Sequence[str]) -> tuple[str, ...]:
    """The words to put before a server's own: `avow run --lockfile FILE --name NAME -e VARIABLE … --`.

    The variables are named so that a server without a lock entry gets the environment of its entry too.
    """
    variables = [word for variable in env for word in _option("-e", variable, "--env")]
    return (*launcher, "run", "--lockfile", str(lockfile), *_option("--name", name), *variables, "--")


def _option(flag: str, value: str, long: str = "") -> tuple[str, ...]:
    """An option and its value; one that looks like an option itself is glued to the flag."""
    return (f"{long or flag}={value}",) if value.startswith("-") else (flag, value)


def unwrap(words: Sequence[str]) -> Wrapped | None:
    """The command behind `avow run … --`, or nothing when these words do not start Avow that way."""
    start = _after_launcher(words)
    if start is None or list(words[start : start + 1]) != ["run"] or "--" not in words[start:]:
        return None
    prefix = words.index("--", start) + 1
    if prefix == len(words):
        return None
    return Wrapped(words[prefix], tuple(words[prefix + 1 :]), prefix)


def starts_avow(words: Sequence[str]) -> bool:
    """True for every entry that runs `avow run`, also the form that names a lock entry."""
    start = _after_launcher(words)
    return start is not None and list(words[start : start + 1]) == ["run"]


def _after_launcher(words: Sequence[str]) -> int | None:
    if not words:
        return None
    # A Windows path splits on both kinds of slash, so it reads every platform's commands.
    program = PureWindowsPath(words[0]).name.lower().removesuffix(".exe")
    if program == "avow":
        return 1
    for flags in _AS_MODULE:
        if program.startswith("python") and tuple(words[1 : 1 + len(flags)]) == flags:
            return 1 + len(flags)
    return None

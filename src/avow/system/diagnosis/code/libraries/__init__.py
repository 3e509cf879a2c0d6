"""What is known about libraries: the languages' own, readers of variables, schemas, argument parsers."""

import re
from collections.abc import Callable
from typing import Final

from avow.system.diagnosis.code.libraries import (
    argparse,
    click,
    commander,
    environment,
    files,
    scripts,
    serving,
    settings,
    standard,
    zod,
)
from avow.system.diagnosis.code.values import ClassValue, Program, Request, Value

Handler = Callable[[Program, Request], Value]

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_ALWAYS_SET: Final = frozenset({"HOME", "PATH", "USER", "PWD", "SHELL", "LANG", "LOGNAME", "TMPDIR", "TERM"})
CALLING_AT_ONCE: Final = frozenset(
    {"run", "then", "finally", "forEach", "map", "nextTick", "setImmediate", "setTimeout", "queueMicrotask"}
    | {"run_until_complete", "runMain", "main", "create_task", "gather", "reduce", "flatMap", "init", "wrap"}
)
_RECOGNISERS: Final[tuple[Callable[[str], Handler | None], ...]] = (
    standard.recognise,
    files.recognise,
    serving.recognise,
    environment.recognise,
    argparse.recognise,
    click.recognise,
    commander.recognise,
    scripts.recognise,
    zod.recognise,
    settings.recognise,
)


def call(program: Program, path: str, request: Request) -> Value | None:
    """What a call of a library's function gives; None when nothing is known about it."""
    for recognise in _RECOGNISERS:
        handler = recognise(path)
        if handler is not None:
            return handler(program, request)
    return None


def shaped(program: Program, name: str, request: Request) -> Value | None:
    """What a call of an unknown object's method gives, when no other library has one that is called so."""
    return commander.shaped(program, name, request)


def instance(program: Program, made: ClassValue, request: Request) -> Value | None:
    """An object of a class that is derived from a library's, when that class is known."""
    return settings.instance(program, made, request)


def is_variable_name(name: str) -> bool:
    """Whether this can be the name of an environment variable."""
    return _VARIABLE.fullmatch(name) is not None


def is_always_set(name: str) -> bool:
    """Whether every environment has this variable."""
    return name in _ALWAYS_SET


def library_name(name: str, *, is_python: bool) -> str:
    """The path under which a library's things are known."""
    return name if is_python else name.removeprefix("node:")

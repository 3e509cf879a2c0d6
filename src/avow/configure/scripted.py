"""Answers from a command line: which values were given, from where, and never a secret among them."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from avow.configure.answering import Draft, problem_with, tidied
from avow.configure.questions import Question, Texts
from avow.configure.setup import Setup
from avow.configure.wording import line_of
from avow.core.configuration.hazards import is_secret_value
from avow.core.configuration.model import Binding, Configuration, Origin, Parameter, Source, Where
from avow.errors import UsageError
from avow.system.files import read_bounded
from avow.system.targets import unknown

_VARIABLE: Final = re.compile(r"[A-Z_][A-Z0-9_]*")
_LARGEST: Final = 128 * 1024


@dataclass(frozen=True, slots=True)
class Flags:
    """The options that give values: `--set`, `--set-from-env`, `--set-file`, `--set-stdin`, `--forget`."""

    set: Sequence[str] = field(default=(), repr=False)
    from_environment: Sequence[str] = ()
    from_file: Sequence[str] = ()
    from_stdin: str = ""
    forget: Sequence[str] = ()

    def __bool__(self) -> bool:
        """Whether anything was given."""
        return bool(self.set or self.from_environment or self.from_file or self.from_stdin or self.forget)


def read_flags(flags: Flags, setup: Setup, read_stdin: Callable[[], bytes]) -> tuple[Draft, dict[str, str]]:
    """The answers in the flags, and what is wrong with them by key; no message repeats a value.

    Raises:
        UsageError: a flag cannot be read, names nothing that the server asks for, or would put a secret
            where every program of this machine can see it.
        StorageError: a file cannot be read.
    """
    questions = _by_name(setup)
    _refuse_barred(flags, setup)
    given: dict[str, list[str]] = {}
    for name, text in _texts(flags, questions, setup.environment, read_stdin):
        question = _named(name, questions)
        given.setdefault(question.key, []).append(tidied(question.parameter, text))
    typed: dict[str, Texts] = {key: tuple(texts) for key, texts in given.items()}
    found = ((key, problem_with(setup.questions[key], texts)) for key, texts in typed.items())
    wrong = {key: problem for key, problem in found if problem}
    emptied = tuple(_named(name, questions).key for name in flags.forget)
    return Draft(typed, tuple(typed), emptied, insisted=setup.insisted), wrong


def with_named(setup: Setup, flags: Flags) -> Setup:
    """The same, with questions for variables that only the flags name, where the server declares nothing."""
    names = _names(flags) - _by_name(setup).keys()
    wanted = sorted(name for name in names if _VARIABLE.fullmatch(name))
    if setup.subject.is_declared or not wanted:
        return setup
    source = Source(Origin.OUTPUT, "option")
    named = (Parameter(name, Binding(Where.ENV, name), source=source) for name in wanted)
    return setup.asking_for(Configuration.of(named), setup.subject.source)


def _texts(
    flags: Flags,
    questions: Mapping[str, Question],
    environment: Mapping[str, str],
    read_stdin: Callable[[], bytes],
) -> Iterator[tuple[str, str]]:
    for option in flags.set:
        name, equals, text = option.partition("=")
        if not equals:
            raise UsageError("--set wants KEY=VALUE")
        if is_secret_value(_named(name, questions).parameter, text):
            raise UsageError(
                f"{line_of(name)} is a secret, or looks like one, "
                "and every program of this machine can read a command line",
                hint=f"use --set-stdin {name}, --set-from-env {name} or --set-file {name}=PATH",
            )
        yield name, text
    for option in flags.from_environment:
        name, _, variable = option.partition("=")
        variable = variable or _named(name, questions).parameter.binding.name
        if variable not in environment:
            raise UsageError(f"the environment has no variable {line_of(variable)}", hint="export it first")
        yield name, environment[variable]
    for option in flags.from_file:
        name, equals, path = option.partition("=")
        if not equals or not path:
            raise UsageError("--set-file wants KEY=PATH")
        yield name, _content(read_bounded(Path(path).expanduser(), _LARGEST), line_of(path))
    if flags.from_stdin:
        yield flags.from_stdin, _content(read_stdin(), "the standard input")


def _content(data: bytes, place: str) -> str:
    """The text without the line break that editors and `echo` put at its end."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise UsageError(f"{place} is not text in UTF-8") from None
    if not text.strip():
        raise UsageError(f"{place} is empty")
    return text.removesuffix("\n").removesuffix("\r")


def _refuse_barred(flags: Flags, setup: Setup) -> None:
    """Say why a variable that decides which code runs cannot be set just so."""
    barred = {name for one in setup.plan.refused for name in (one.key, one.binding.name)}
    for name in sorted(barred & _names(flags)):
        raise UsageError(
            f"{line_of(name)} decides which code runs, what is trusted, or where traffic goes",
            hint=f"if you are sure that the server should have it: --allow-variable {line_of(name)}",
        )


def _names(flags: Flags) -> set[str]:
    options = (*flags.set, *flags.from_environment, *flags.from_file, flags.from_stdin)
    return {option.partition("=")[0] for option in options}


def _by_name(setup: Setup) -> dict[str, Question]:
    """The questions by key, and by the name that the server uses where that is not a key as well."""
    by_binding = {question.parameter.binding.name: question for question in setup.plan}
    return {**by_binding, **setup.questions}


def _named(name: str, questions: Mapping[str, Question]) -> Question:
    if name in questions:
        return questions[name]
    raise unknown(line_of(name), questions, f"the server does not ask for {line_of(name)!r}")

"""One question on a terminal: what is asked for, what Enter means, and again until the answer will do."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from avow.cli.asking.terminal import ask_line, ask_secret, ask_yes, say, tell
from avow.cli.output.console import BLANK, Line, line
from avow.configure.answering import problem_with, tidied
from avow.configure.paths import completions
from avow.configure.questions import Question, Texts, shown_texts
from avow.configure.wording import description_of, kind_of, line_of, link_of, remarks_of, title_of
from avow.core.configuration.model import ValueType

_REMOVE: Final = "-"


@dataclass(frozen=True, slots=True)
class Keep:
    """It stays as it is: the value that is there, the default, or nothing."""


@dataclass(frozen=True, slots=True)
class Give:
    """A new value."""

    texts: Texts = field(repr=False)


@dataclass(frozen=True, slots=True)
class Remove:
    """What is there shall go."""


@dataclass(frozen=True, slots=True)
class Take:
    """The value of a variable of our environment, at every start."""

    variable: str


Reply: TypeAlias = Keep | Give | Remove | Take


def ask(question: Question, server: str, *, is_required: bool) -> Reply:
    """Ask until there is an answer that will do."""
    tell(_introduction(question, is_required=is_required))
    if question.ambient and ask_yes(
        f"  Give {server} the value of ${question.ambient} from your environment?", default=False
    ):
        return Take(question.ambient)
    while True:
        texts = _typed(question)
        if texts == (_REMOVE,) and question.current and not is_required:
            return Remove()
        if not texts:
            if question.offered or not is_required:
                return Keep()
            say(line(("✗ ", "red"), "this is needed", indent=2))
            continue
        if problem := problem_with(question, texts):
            say(line(("✗ ", "red"), problem, indent=2))
            continue
        return Keep() if texts == question.offered else Give(texts)


def _introduction(question: Question, *, is_required: bool) -> Iterator[Line]:
    parameter = question.parameter
    need = "" if is_required else ", optional"
    yield BLANK
    yield line((title_of(parameter), "bold"), (f"  {kind_of(question)}{need}", "dim"))
    if description := description_of(parameter):
        yield line(description, indent=2)
    for remark in remarks_of(question):
        yield line(
            (remark, "yellow" if question.risk and remark.startswith("the server suggests") else "dim"),
            indent=2,
        )
    if link := link_of(parameter):
        yield line("where to get it, says the server: ", (link, "underline"), indent=2)
    if question.current and not is_required:
        yield line((f"Enter keeps it, {_REMOVE} takes it away", "dim"), indent=2)


def _typed(question: Question) -> Texts:
    """What somebody types; empty for Enter."""
    parameter = question.parameter
    if parameter.multiple:
        return _several(question)
    if question.is_secret:
        return _one(ask_secret(_prompt(question, "not shown")))
    if parameter.choices:
        return _chosen(question)
    if parameter.type is ValueType.BOOLEAN:
        return _one(tidied(parameter, ask_line(_prompt(question, "y or n"))))
    text = ask_line(_prompt(question), _completer(question)).strip()
    return _one(text if text == _REMOVE else tidied(parameter, text))


def _several(question: Question) -> Texts:
    """Values until an empty line; an empty first one is Enter."""
    texts: list[str] = []
    while True:
        prompt = (
            _prompt(question, "not shown" if question.is_secret else "")
            if not texts
            else "  and (Enter: done): "
        )
        typed = ask_secret(prompt) if question.is_secret else ask_line(prompt, _completer(question)).strip()
        if not typed or (typed == _REMOVE and not texts):
            return _one(typed) or tuple(texts)
        text = tidied(question.parameter, typed)
        if problem := problem_with(question, (text,)):
            say(line(("✗ ", "red"), problem, indent=2))
        else:
            texts.append(text)


def _chosen(question: Question) -> Texts:
    """One of the choices, by its number or its name."""
    choices = question.parameter.choices
    for number, choice in enumerate(choices, start=1):
        say(line((f"{number:>2}  ", "dim"), line_of(choice), indent=2))
    text = ask_line(_prompt(question, "number or name"), _among(choices)).strip()
    if text.isascii() and text.isdigit() and text not in choices and 0 < int(text) <= len(choices):
        return (choices[int(text) - 1],)
    return _one(text)


def _prompt(question: Question, hint: str = "") -> str:
    offered = line_of(shown_texts(question, question.offered))
    return "  value" + (f" ({hint})" if hint else "") + (f" [{offered}]" if offered else "") + ": "


def _completer(question: Question) -> Callable[[str], list[str]] | None:
    if question.parameter.type is not ValueType.PATH:
        return None
    return lambda text: completions(text, question.parameter.path_kind)


def _among(choices: Texts) -> Callable[[str], list[str]]:
    return lambda text: [choice for choice in choices if choice.startswith(text)]


def _one(text: str) -> Texts:
    return (text,) if text else ()

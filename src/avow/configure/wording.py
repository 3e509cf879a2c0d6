"""What a parameter has to be, in words that are ours; what a server says about it is made printable."""

from collections.abc import Iterator
from typing import Final

from avow.configure.questions import Question
from avow.core.configuration.model import Parameter, PathKind, ValueType, Where
from avow.core.configuration.values import not_checked
from avow.core.printable import printable

_LONGEST_NAME: Final = 80
_LONGEST_LINE: Final = 300
_LONGEST_TEXT: Final = 600

_TYPES: Final = {
    ValueType.STRING: "text",
    ValueType.NUMBER: "a number",
    ValueType.INTEGER: "a whole number",
    ValueType.BOOLEAN: "yes or no",
    ValueType.PATH: "a path",
    ValueType.URL: "an address (URL)",
    ValueType.ENUM: "one of a list",
}
_PATHS: Final = {PathKind.ANY: "path", PathKind.FILE: "file", PathKind.DIRECTORY: "directory"}


def name_of(parameter: Parameter) -> str:
    """What to call a parameter: its name as the server knows it."""
    return printable(parameter.binding.name or parameter.key, _LONGEST_NAME, fold=True)


def title_of(parameter: Parameter) -> str:
    """The heading of a question: the title where there is one, with the name behind it."""
    title, name = printable(parameter.title, _LONGEST_NAME, fold=True), name_of(parameter)
    return f"{title} ({name})" if title and title != name else name


def description_of(parameter: Parameter) -> str:
    """What the server says about it."""
    return printable(parameter.description, _LONGEST_TEXT, fold=True)


def line_of(text: str) -> str:
    """Any text of a declaration or a value, on one line."""
    return printable(text, _LONGEST_LINE, fold=True)


def kind_of(question: Question) -> str:
    """What the value has to be: `a whole number from 1 to 10`, `an existing directory`, `text, secret`."""
    parameter = question.parameter
    words = _kind(parameter) + _bounds(parameter)
    if parameter.multiple:
        words = f"{words}; several are possible"
    return f"{words}, secret" if question.is_secret else words


def remarks_of(question: Question) -> Iterator[str]:
    """The lines below a question: rules, examples, where to get it, and what to beware of."""
    parameter = question.parameter
    if parameter.pattern:
        yield not_checked(parameter) or f"has to match {line_of(parameter.pattern)}"
    if parameter.examples and not question.is_secret:
        yield f"for example {', '.join(map(line_of, parameter.examples[:3]))}"
    if question.risk:
        suggested = line_of(", ".join(question.suggested))
        yield f"the server suggests {suggested}, which is not taken unless you type it: {question.risk}"
    if question.is_secret and parameter.binding.where is Where.ARGUMENT:
        yield "the server takes this on its command line, where other programs of this machine can see it"


def link_of(parameter: Parameter) -> str:
    """Where to get the value; empty when nobody says, or when it is not a web address."""
    address = parameter.help_url
    return line_of(address) if address.startswith(("https://", "http://")) else ""


def _kind(parameter: Parameter) -> str:
    if parameter.choices:
        return "one of " + ", ".join(line_of(choice) for choice in parameter.choices[:12])
    if parameter.type is not ValueType.PATH:
        return _TYPES[parameter.type]
    what = _PATHS[parameter.path_kind]
    if parameter.must_exist:
        return f"an existing {what}"
    return f"a {what}" if what != "path" else "a path"


def _bounds(parameter: Parameter) -> str:
    low, high = parameter.minimum, parameter.maximum
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    if low is not None:
        return f", at least {low:g}"
    return f", at most {high:g}" if high is not None else ""

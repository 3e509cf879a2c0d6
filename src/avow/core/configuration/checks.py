"""Whether a value is what a parameter asks for, told without ever repeating the value."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from avow.core.configuration.hazards import shown
from avow.core.configuration.model import Configuration, Parameter, PathKind, Scalar, ValueType, text_of
from avow.errors import UsageError

Value: TypeAlias = str | Sequence[str]
"""One value, or several for a parameter that takes several."""

Look: TypeAlias = Callable[[str], PathKind | None]
"""Says what is at a path: a file, a directory, something else (`ANY`), or nothing."""

MAX_VALUE: Final = 65_536
MAX_PATTERN: Final = 512
MAX_MATCHED: Final = 8_192

TRUE: Final = frozenset({"true", "1", "yes", "on"})
FALSE: Final = frozenset({"false", "0", "no", "off"})

_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,300}")
_NUMBER: Final = re.compile(
    r"[+-]?(?:[0-9]{1,300}(?:\.[0-9]{0,300})?|\.[0-9]{1,300})(?:[eE][+-]?[0-9]{1,3})?"
)
_BREAKS: Final = re.compile(r"[\x00\r\n]")
_SPACE: Final = re.compile(r"[\s\x00-\x1f\x7f]")
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,30})://(.+)")
_ACTIVE: Final = frozenset({"data", "javascript", "vbscript"})
_WITH_HOST: Final = frozenset({"ftp", "http", "https", "ws", "wss"})
# What a pattern may make RE2 hold in memory; a larger one is not checked.
_PATTERN_MEMORY: Final = 1 << 23
_MOST_CHOICES: Final = 12


def texts_of(value: Value) -> tuple[str, ...]:
    """The values one by one."""
    return (value,) if isinstance(value, str) else tuple(value)


def problem(parameter: Parameter, text: str, *, look: Look | None = None) -> str | None:
    """Which rule a value breaks, in words that name the parameter and never the value; None when it is good.

    Of a parameter with several values it is about one of them. Paths are looked at only with `look`.
    """
    reason = _reason(parameter, text, look)
    return None if reason is None else f"{shown(parameter.key, 80)} {reason}"


def problems(
    configuration: Configuration, values: Mapping[str, Value], *, look: Look | None = None
) -> dict[str, str]:
    """What is wrong with each value, by key; a key that nobody asked for is wrong too."""
    found = {}
    for key, value in values.items():
        parameter = configuration.parameters.get(key)
        reason = (
            f"{shown(key, 80)} is not a parameter" if parameter is None else _of_all(parameter, value, look)
        )
        if reason is not None:
            found[key] = reason
    return found


def parse(parameter: Parameter, text: str) -> Scalar:
    """The value in the type that it stands for.

    Raises:
        UsageError: it breaks a rule; the message does not repeat it.
    """
    if (reason := problem(parameter, text)) is not None:
        raise UsageError(reason)
    match parameter.type:
        case ValueType.INTEGER:
            return int(text)
        case ValueType.NUMBER:
            return int(text) if _INTEGER.fullmatch(text) else float(text)
        case ValueType.BOOLEAN:
            return text.lower() in TRUE
        case _:
            return text


def written(parameter: Parameter, value: Scalar) -> str:
    """A value of a declaration as it is handed over, and a person's other words for true and false."""
    text = text_of(value)
    # `1` and `0` stay: a server that wants them would not understand the words.
    if parameter.type is ValueType.BOOLEAN and text.lower() in TRUE | FALSE and text not in ("0", "1"):
        return "true" if text.lower() in TRUE else "false"
    return text


def not_checked(parameter: Parameter) -> str | None:
    """Which rule of a parameter cannot be checked here, for a person to be told; never a reason to refuse."""
    if parameter.pattern and _compiled(parameter.pattern) is None:
        return (
            f"the pattern of {shown(parameter.key, 80)} is not checked here: no linear-time engine reads it"
        )
    return None


def _of_all(parameter: Parameter, value: Value, look: Look | None) -> str | None:
    if isinstance(value, str):
        return problem(parameter, value, look=look)
    if not parameter.multiple:
        return f"{shown(parameter.key, 80)} takes one value"
    if parameter.required and not value:
        return f"{shown(parameter.key, 80)} must have a value"
    return next(filter(None, (problem(parameter, one, look=look) for one in value)), None)


def _reason(parameter: Parameter, text: str, look: Look | None) -> str | None:
    if not text and parameter.required:
        return "must not be empty"
    if len(text) > MAX_VALUE:
        return f"must not be longer than {MAX_VALUE} characters"
    if _BREAKS.search(text):
        return "must not contain line breaks or NUL"
    if not _is_text(text):
        return "must be text in UTF-8"
    return (
        _type_reason(parameter, text)
        or _choice_reason(parameter, text)
        or _pattern_reason(parameter, text)
        or _path_reason(parameter, text, look)
    )


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _type_reason(parameter: Parameter, text: str) -> str | None:
    match parameter.type:
        case ValueType.INTEGER:
            if _INTEGER.fullmatch(text) is None:
                return "must be a whole number"
            return _bounds_reason(parameter, int(text))
        case ValueType.NUMBER:
            if _NUMBER.fullmatch(text) is None or not math.isfinite(float(text)):
                return "must be a number"
            return _bounds_reason(parameter, float(text))
        case ValueType.BOOLEAN:
            return None if text.lower() in TRUE | FALSE else "must be true or false"
        case ValueType.URL:
            return _address_reason(text)
        case ValueType.PATH:
            return None if text else "must be a path"
        case _:
            return None


def _bounds_reason(parameter: Parameter, number: float) -> str | None:
    if parameter.minimum is not None and number < parameter.minimum:
        return f"must be at least {parameter.minimum:g}"
    if parameter.maximum is not None and number > parameter.maximum:
        return f"must be at most {parameter.maximum:g}"
    return None


def _address_reason(text: str) -> str | None:
    found = _SCHEME.fullmatch(text)
    if found is None or _SPACE.search(text):
        return "must be an address such as https://host/path"
    scheme = found[1].lower()
    if scheme in _ACTIVE:
        return "must be an address of a place, not a program"
    try:
        parts = urlsplit(text)
        has_host = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        has_host = False
    if not has_host and scheme in _WITH_HOST:
        return "must be an address with a host, and a port between 1 and 65535 if any"
    return None


def _choice_reason(parameter: Parameter, text: str) -> str | None:
    if not parameter.choices or text in parameter.choices:
        return None
    some = ", ".join(shown(choice, 40) for choice in parameter.choices[:_MOST_CHOICES])
    return f"must be one of {some}{', …' if len(parameter.choices) > _MOST_CHOICES else ''}"


def _pattern_reason(parameter: Parameter, text: str) -> str | None:
    if not parameter.pattern or (not text and not parameter.required):
        return None
    compiled = _compiled(parameter.pattern)
    if compiled is None:
        return None
    if len(text) > MAX_MATCHED:
        return f"must not be longer than {MAX_MATCHED} characters, since it has to match a pattern"
    if compiled(text):
        return None
    return f"must match the pattern {shown(parameter.pattern, 120)}"


def _path_reason(parameter: Parameter, text: str, look: Look | None) -> str | None:
    if parameter.type is not ValueType.PATH or look is None:
        return None
    there = look(text)
    if there is None:
        return "must be a path that exists" if parameter.must_exist else None
    if parameter.path_kind is not PathKind.ANY and there is not parameter.path_kind:
        return f"must be a {parameter.path_kind}"
    return None


def _compiled(pattern: str) -> Callable[[str], bool] | None:
    """A matcher for a pattern that a server wrote; None when it cannot be matched in linear time."""
    if len(pattern) > MAX_PATTERN:
        return None
    # Late: few parameters have a pattern.
    import re2  # type: ignore[import-untyped]

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _PATTERN_MEMORY
    # Whether it matches is all we ask; remembering groups would cost hundreds of times as much.
    options.never_capture = True
    try:
        compiled = re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError):
        return None
    return lambda text: compiled.search(text) is not None

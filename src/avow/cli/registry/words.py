"""What people type for a registry, checked before it is sent: they get words and a next step, no schema."""

import re
from typing import Final

from avow.core.canonical import DIGEST_PATTERN, Digest
from avow.core.printable import printable
from avow.errors import UsageError

_DIGEST: Final = re.compile(DIGEST_PATTERN)
_ENVIRONMENT: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
_IDENTIFIER: Final = re.compile(r"[0-9a-f]{16}")
_TYPES: Final = ("string", "number", "integer", "boolean", "array", "object", "null")


def read_environment(text: str) -> str:
    """The name of an environment.

    Raises:
        UsageError: it is none.
    """
    if _ENVIRONMENT.fullmatch(text):
        return text
    usual = re.sub(r"[^a-z0-9_-]+", "-", text.lower()).strip("-_")[:63]
    hint = "small letters, digits, dashes and underscores"
    raise UsageError(
        f"{_shown(text)} is not the name of an environment",
        hint=f"did you mean {usual}? {hint}" if usual else f"{hint}: production",
    )


def read_digest(text: str) -> Digest:
    """A whole digest.

    Raises:
        UsageError: it is none, or cut.
    """
    if _DIGEST.fullmatch(text):
        return Digest(text)
    raise UsageError(
        f"{_shown(text)} is not a whole digest: sha256: and 64 digits",
        hint="lists show the beginning of one; `--format json` has all of it",
    )


def read_identifier(text: str, listing: str) -> str:
    """The identifier of a token, a watch or a webhook; `listing` is the command that shows them.

    Raises:
        UsageError: it is none.
    """
    if _IDENTIFIER.fullmatch(text):
        return text
    raise UsageError(
        f"{_shown(text)} is not an identifier, which has 16 digits", hint=f"`{listing}` shows them"
    )


def read_reason(text: str) -> str:
    """Why somebody decided.

    Raises:
        UsageError: there is none.
    """
    if text.strip():
        return text
    raise UsageError("a decision needs a reason", hint="whoever reads the log later wants to know why")


def read_person(text: str) -> str:
    """Whose a token is.

    Raises:
        UsageError: nobody is called so.
    """
    if text and text == text.strip() and text.isprintable():
        return text
    raise UsageError(
        f"{_shown(text)} is not a name", hint="it stands beside every decision in the log: Ada Lovelace"
    )


def read_new_version(text: str) -> str:
    """A version to publish something as.

    Raises:
        UsageError: the word means another version every day.
    """
    if text != "latest":
        return text
    raise UsageError("'latest' always means the newest version, and cannot be one", hint="for example 1.4.0")


def read_argument(text: str) -> str:
    """An argument to look for: a name, or NAME:TYPE.

    Raises:
        UsageError: there is no such type.
    """
    name, colon, kind = text.partition(":")
    if name and (not colon or kind in _TYPES):
        return text
    raise UsageError(_of_types(kind, name), hint=f"NAME:TYPE, with one of {', '.join(_TYPES)}: path:string")


def _of_types(kind: str, name: str) -> str:
    if not name:
        return "--argument wants the name of an argument"
    from difflib import get_close_matches

    close = get_close_matches(kind, _TYPES, n=1)
    return f"{_shown(kind)} is not a type" + (f"; did you mean {close[0]}?" if close else "")


def read_annotation(text: str) -> str:
    """An annotation to look for: NAME:VALUE.

    Raises:
        UsageError: it has no value.
    """
    name, _, value = text.partition(":")
    if name and value in ("true", "false"):
        return text
    raise UsageError(
        f"{_shown(text)} is not an annotation with a value", hint="NAME:true or NAME:false: readOnlyHint:true"
    )


def _shown(text: str) -> str:
    return repr(printable(text, 80, fold=True))

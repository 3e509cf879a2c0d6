"""A server's own words, as errors may quote them: bounded, printable, and without anybody's secrets."""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from avow.core.printable import printable
from avow.core.target import HttpTarget, StdioTarget, Target

# Shorter values (`1`, `yes`, `dev`) are no secrets, and hiding them would garble ordinary words.
_SHORTEST_SECRET: Final = 4
# What a server shows on purpose has to look much like a secret before we say so.
_SHORTEST_REMARKABLE: Final = 8
_QUOTED: Final = 2_000
_BETWEEN: Final = re.compile(r"[\s,;]+")
_COLOUR: Final = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


class Secrets:
    """Values that must not be shown, each with the name that is shown instead."""

    def __init__(self, values: Iterable[tuple[str, str]]) -> None:
        """Remember the values, the longest first, so that none is hidden only in part."""
        names: dict[str, str] = {}
        for name, value in values:
            for form in (value, quote(value, safe=""), b64encode(value.encode()).decode().rstrip("=")):
                names.setdefault(form, name)
        self._values = sorted(
            ((name, value) for value, name in names.items() if len(value) >= _SHORTEST_SECRET),
            key=lambda pair: (-len(pair[1]), pair),
        )

    @property
    def longest(self) -> int:
        """The length of the longest value."""
        return len(self._values[0][1]) if self._values else 0

    def hide(self, text: str) -> str:
        """The text with each value replaced by its name in brackets."""
        for name, value in self._values:
            text = text.replace(value, f"[{name}]")
        return text

    def named_in(self, data: bytes) -> list[str]:
        """The names of the longer values that occur in the data."""
        return sorted(
            {
                name
                for name, value in self._values
                if len(value) >= _SHORTEST_REMARKABLE and value.encode() in data
            }
        )


def secrets_of(
    target: Target,
    environment: Mapping[str, str],
    headers: Mapping[str, str],
    url: str = "",
    shown: Target | None = None,
) -> Secrets:
    """Everything that a user gave us to pass on and that nobody else should read."""
    # A server is starting meanwhile, and would otherwise have to wait for this.
    from avow.core.credentials import credentials_in, is_credential_name

    values = list(environment.items())
    # Where there are several in one variable, each of them is one.
    values += [
        (name, piece)
        for name, value in environment.items()
        if is_credential_name(name)
        for piece in _BETWEEN.split(value)
        if len(piece) >= _SHORTEST_REMARKABLE
    ]
    for name, value in headers.items():
        values += [(name, value), (name, value.partition(" ")[2])]
    parts = urlsplit(url)
    values += [("user", unquote(parts.username or "")), ("password", unquote(parts.password or ""))]
    values += parse_qsl(parts.query)
    values += [(found.place.removeprefix("the value of "), found.value) for found in credentials_in(target)]
    values += _filled_in(target, target if shown is None else shown)
    return Secrets(values)


def _filled_in(target: Target, shown: Target) -> Iterator[tuple[str, str]]:
    """The values that stand in the target where the shown one has placeholders, with their names."""
    for text, written in zip(_texts(target), _texts(shown), strict=False):
        before, opening, rest = written.partition("${")
        name, closing, after = rest.rpartition("}")
        if opening and closing and text.startswith(before) and text.endswith(after):
            yield name, text[len(before) : len(text) - len(after)]
        elif text != written:
            yield written, text


def _texts(target: Target) -> tuple[str, ...]:
    match target:
        case StdioTarget():
            return (target.command, *target.args)
        case HttpTarget():
            return (target.url,)
        case _:
            return ()


class Tail:
    """The end of a stream of bytes, so that a flood costs no memory."""

    def __init__(self, limit: int) -> None:
        """Keep at least the last `limit` bytes."""
        self._limit = limit
        self._kept = bytearray()
        self._is_cut = False

    def append(self, data: bytes) -> None:
        """Add what came; drop what is too old."""
        self._kept += data[-self._limit :]
        self._is_cut = self._is_cut or len(data) > self._limit
        if len(self._kept) > 2 * self._limit:
            del self._kept[: -self._limit]
            self._is_cut = True

    def text(self, secrets: Secrets) -> str:
        """The words, safe to show."""
        # Colours between the letters of a secret would hide it from us, and from nobody else.
        text = _COLOUR.sub("", self._kept.decode(errors="replace"))
        if self._is_cut:
            # A secret may have lost its beginning at the cut, and would no longer be recognised.
            text = text[secrets.longest :].partition("\n")[2] or text[secrets.longest :]
        return printable(secrets.hide(text)).strip()


def quoted(words: str) -> str:
    """The end of the words, set off to follow a sentence; empty when there are none."""
    if not words:
        return ""
    end = words if len(words) <= _QUOTED else "…" + words[-_QUOTED:]
    return ":\n" + "\n".join(f"  {line}" for line in end.splitlines())

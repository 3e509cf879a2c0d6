"""Messages as proofs: the decisive ones first, short, and without anybody's secrets."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from avow.core.canonical import JsonValue
from avow.system.connect.words import Secrets

_MOST_MESSAGES: Final = 8
_LONGEST_LIST: Final = 3
_LONGEST_TEXT: Final = 160
_MOST_MEMBERS: Final = 12
_DEEPEST: Final = 6
_NAMES: Final = ("uriTemplate", "uri", "name")


@dataclass(frozen=True, slots=True)
class Shortening:
    """Cuts messages until they can be shown, and marks the cuts; lists begin with what it is `about`."""

    secrets: Secrets = field(repr=False)
    about: Collection[str] = ()

    def proof(self, messages: Iterable[JsonValue]) -> list[JsonValue]:
        """The first of the messages, as many as anybody reads."""
        return [self.value(message) for message in list(messages)[:_MOST_MESSAGES]]

    def value(self, value: Any, depth: int = 0) -> JsonValue:
        """One message, or a part of it."""
        match value:
            case str():
                return self.text(value)
            case dict() | list() if depth == _DEEPEST:
                return "…"
            case dict():
                kept = list(value.items())[:_MOST_MEMBERS]
                rest = len(value) - len(kept)
                left = {"…": f"and {rest} more"} if rest else {}
                return {self.text(name): self.value(inner, depth + 1) for name, inner in kept} | left
            case list():
                first = sorted(value, key=self._is_beside_the_point)[:_LONGEST_LIST]
                rest = len(value) - len(first)
                shown = [self.value(inner, depth + 1) for inner in first]
                return [*shown, f"and {rest} more"] if rest else shown
            case _:
                return value

    def text(self, text: str) -> str:
        """A text without secrets, which are hidden before a cut could make them unrecognisable."""
        safe = self.secrets.hide(text)
        return safe if len(safe) <= _LONGEST_TEXT else f"{safe[:_LONGEST_TEXT]}…"

    def _is_beside_the_point(self, item: Any) -> bool:
        names = (item.get(name) for name in _NAMES) if isinstance(item, dict) else ()
        return not any(isinstance(name, str) and name in self.about for name in names)

"""A channel that remembers what a server says in errors, and in messages that nobody asked for."""

import json
from collections.abc import Iterator
from typing import Any, Final

from avow.core.canonical import JsonObject
from avow.system.connect.channel import Channel, Refused

_LONGEST: Final = 16_384
_MOST: Final = 64
_DEEPEST: Final = 6


class OverheardChannel:
    """The same channel; `messages` are the texts of errors and of log messages that came through it."""

    def __init__(self, channel: Channel) -> None:
        """Listen to what comes through `channel`."""
        self._channel = channel
        self._messages: list[str] = []
        self.server = channel.server
        self.secrets = channel.secrets
        self.is_ordered = channel.is_ordered

    @property
    def messages(self) -> tuple[str, ...]:
        """What was overheard, without secrets."""
        return tuple(map(self.secrets.hide, self._messages))

    def send(self, message: JsonObject, until: float) -> None:
        """Hand a message over."""
        self._channel.send(message, until)

    def receive(self, until: float) -> bytes | Refused | None:
        """The next thing that came."""
        came = self._channel.receive(until)
        if isinstance(came, bytes) and len(came) <= _LONGEST and (b'"error"' in came or b'"method"' in came):
            self._remember(came)
        return came

    def is_read(self) -> bool:
        """Whether the server has taken in all that we sent."""
        return self._channel.is_read()

    def agree(self, version: str) -> None:
        """The handshake settled on this version."""
        self._channel.agree(version)

    def ignore(self, line: bytes) -> None:
        """A line was no protocol."""
        self._channel.ignore(line)

    def words(self) -> str:
        """What the server said besides the protocol."""
        return self._channel.words()

    def close(self) -> None:
        """End the session."""
        self._channel.close()

    def _remember(self, line: bytes) -> None:
        if len(self._messages) < _MOST:
            try:
                document = json.loads(line)
            except (ValueError, RecursionError):
                return
            self._messages += list(message_texts(document))[:_MOST]


def message_texts(document: Any, depth: int = 0) -> Iterator[str]:
    """The texts under `message`, `msg`, `error` and `data` of a message that is no result."""
    if depth > _DEEPEST or not isinstance(document, dict) or "result" in document:
        return
    for member, value in document.items():
        if isinstance(value, str) and member in ("message", "msg", "error", "data", "reason"):
            yield value
        else:
            yield from message_texts(value, depth + 1)

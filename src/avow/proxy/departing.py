"""A server that leaves before it has answered anything: what it said, and what its client is told."""

import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeAlias

_STDERR: Final = 2
_CHUNK: Final = 64 * 1024
_KEPT: Final = 16 * 1024
_LAST_WORDS_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class Departure:
    """How a server left: what we noticed, its exit code if it has one, and its words, safe to show.

    `errors` is the end of its standard error, `output` the beginning of what it wrote instead of messages.
    """

    reason: str
    exit_code: int | None
    errors: str = ""
    output: str = ""


Explain: TypeAlias = Callable[[Departure], str]
"""What a client is told about a departure, in one sentence and perhaps the server's own words."""


def quote_words(departure: Departure) -> str:
    """The reason, how the server ended, and its own last words."""
    from avow.system.connect.words import quoted

    words = departure.errors or departure.output
    match departure.exit_code:
        case None:
            how = departure.reason
        case code if code < 0:
            how = f"{departure.reason}: it was ended by signal {-code}"
        case code:
            how = f"{departure.reason}: it exited with code {code}"
    return f"{how}{quoted(words) or ', and said nothing'}"


class Overheard:
    """What a server says on its standard error: passed on as it comes, and its end kept."""

    def __init__(self, descriptor: int) -> None:
        """Listen to `descriptor`, which stays the caller's."""
        self._descriptor = os.dup(descriptor)
        self._kept = bytearray()
        self._thread = threading.Thread(target=self._pass_on, name="standard error", daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Let the last words arrive, if there are any; a child of the server's may keep the stream open."""
        self._thread.join(_LAST_WORDS_SECONDS)

    def words(self, values: Mapping[str, str]) -> str:
        """The end of what was said, printable and without the `values` that the server was given."""
        return safe_words(bytes(self._kept), values)

    def _pass_on(self) -> None:
        try:
            while data := os.read(self._descriptor, _CHUNK):
                self._kept += data
                # More than what is shown, so that it can be seen where the words were cut.
                del self._kept[: -2 * _KEPT]
                with suppress(OSError):
                    while data:
                        data = data[os.write(_STDERR, data) :]
        finally:
            os.close(self._descriptor)


def safe_words(data: bytes, values: Mapping[str, str]) -> str:
    """A server's words as anybody may see them."""
    from avow.system.connect.words import Secrets, Tail

    tail = Tail(_KEPT)
    tail.append(data)
    return tail.text(Secrets(values.items()))

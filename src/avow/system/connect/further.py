"""Further sessions with a server, two at a time: while the one is talked to, the other can start."""

import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import Final

from avow.core.target import StdioTarget, Target
from avow.errors import UnavailableError
from avow.system.connect.negotiation import Opening
from avow.system.connect.opening import open_channel
from avow.system.connect.options import ConnectOptions, Look
from avow.system.connect.session import introduce

_AT_ONCE: Final = 2


@dataclass(frozen=True, slots=True)
class Further:
    """A session to be held: its circumstances, a name other than ours, and how to begin."""

    seen: str
    name: str | None
    opening: Opening

    def options(self, options: ConnectOptions) -> ConnectOptions:
        """How to connect for it."""
        return replace(options, client_name=self.name or options.client_name, on_progress=None)


def look_further(
    target: Target, options: ConnectOptions, sessions: Sequence[Further]
) -> tuple[list[Look], list[str]]:
    """The looks that the sessions gave, and notes on those that failed.

    Some servers can run only once, say because they lock a database: a session that failed beside
    another one is tried again alone, until that fails, too.

    Raises:
        MalformedInputError: what a server says cannot be read.
    """
    # Only programs take long to start, and a Python object may not like to run twice.
    width = _AT_ONCE if isinstance(target, StdioTarget) else 1
    results: dict[Further, Look | UnavailableError] = {}
    for start in range(0, len(sessions), width):
        together = sessions[start : start + width]
        options.progress(f"looking again, {' and '.join(further.seen for further in together)}")
        results |= _look_in(target, options, together)
    for further in sessions[: len(sessions) // width * width] if width > 1 else ():
        if isinstance(results[further], UnavailableError):
            results |= _look_in(target, options, (further,))
            if isinstance(results[further], UnavailableError):
                break
    looks = [result for result in results.values() if isinstance(result, Look)]
    notes = [
        f"a further look, {further.seen}, failed: {result.message}"
        for further, result in results.items()
        if isinstance(result, UnavailableError)
    ]
    return looks, notes


def _look_in(
    target: Target, options: ConnectOptions, sessions: Sequence[Further]
) -> dict[Further, Look | UnavailableError]:
    """Start them all, then hold the sessions in turn: starting is what takes long."""
    results: dict[Further, Look | UnavailableError] = {}
    with ExitStack() as stack:
        channels = {}
        for further in sessions:
            try:
                channel = open_channel(target, further.options(options))
            except UnavailableError as exc:
                results[further] = exc
            else:
                channels[further] = stack.enter_context(closing(channel))
        for further, channel in channels.items():
            deadline = time.monotonic() + options.timeout
            try:
                session = introduce(target, channel, further.options(options), deadline, further.opening)
                results[further] = Look(further.seen, session.look()[-1].snapshot)
            except UnavailableError as exc:
                results[further] = exc
    return results

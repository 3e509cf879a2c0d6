"""Further sessions with a server: which are worth it, and holding them two at a time.

While the one is talked to, the other can start.
"""

import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from avow.core.snapshot import Era
from avow.core.target import HttpTarget, StdioTarget, Target
from avow.errors import AvowError, ServerLaunchError, UnavailableError
from avow.system.connect.channel import Channel, UnfitRequestError
from avow.system.connect.negotiation import MixedErasError, Opening
from avow.system.connect.opening import open_channel, open_session
from avow.system.connect.options import ConnectOptions, Look
from avow.system.connect.session import by_client, introduce

_SECOND_SESSION: Final = "in a second session"
_AT_ONCE: Final = 2
_TIME_FOR_AN_OFFER: Final = 15.0


@dataclass(frozen=True, slots=True)
class Further:
    """A session to be held: its circumstances, a name other than ours, and how to begin.

    One that `may_be_refused` is an offer, which a server is free to decline.
    """

    seen: str
    name: str | None
    opening: Opening
    may_be_refused: bool = False

    def options(self, options: ConnectOptions) -> ConnectOptions:
        """How to connect for it."""
        timeout = min(options.timeout, _TIME_FOR_AN_OFFER) if self.may_be_refused else options.timeout
        return replace(
            options, client_name=self.name or options.client_name, timeout=timeout, on_progress=None
        )


def under_other_names(names: Sequence[str], doubtful: Sequence[str], *, thorough: bool) -> list[Further]:
    """A session for each name that the first session could not be used for."""
    if not doubtful:
        return []
    rest = [name for name in names if name not in doubtful] if thorough else []
    return [Further(by_client(name), name, Opening.HANDSHAKE) for name in (*doubtful, *rest)]


def in_other_ways(target: Target, era: Era, opening: Opening, *, has_started_again: bool) -> list[Further]:
    """Sessions that begin otherwise than the first: in the other order, and in the other era.

    What a program makes up when it starts, such as a time, shows only when it starts again.
    """
    sessions = []
    if era is Era.LEGACY:
        other = Opening.PROBE if opening is Opening.HANDSHAKE else Opening.HANDSHAKE
        if other is Opening.PROBE or not has_started_again:
            sessions.append(Further(_SECOND_SESSION, None, other))
        return sessions
    if not isinstance(target, HttpTarget):
        sessions.append(Further(_SECOND_SESSION, None, Opening.DISCOVER))
    return [*sessions, Further("after an initialize handshake", None, Opening.HANDSHAKE, may_be_refused=True)]


@dataclass(frozen=True, slots=True)
class _Failed:
    """A session that gave nothing, because of this."""

    error: AvowError
    was_open: bool = False


_Result: TypeAlias = Look | _Failed


def look_further(target: Target, options: ConnectOptions, sessions: Sequence[Further]) -> list[Look]:
    """The looks that the sessions gave.

    Some servers can run only once, say because they lock a database: a session that failed is tried
    again alone.

    Raises:
        ServerLaunchError: that failed, too; what was not looked at is not the same as no difference.
        MalformedInputError: what a server says cannot be read.
    """
    # Only programs take long to start, and a Python object may not like to run twice.
    width = _AT_ONCE if isinstance(target, StdioTarget) else 1
    results: dict[Further, _Result] = {}
    for start in range(0, len(sessions), width):
        together = sessions[start : start + width]
        options.progress(f"looking again, {' and '.join(further.seen for further in together)}")
        results |= _look_in(target, options, together)
    looks = (_insist(target, options, further, result) for further, result in results.items())
    return [look for look in looks if look is not None]


def _insist(target: Target, options: ConnectOptions, further: Further, result: _Result) -> Look | None:
    """The look, after a second try if need be; None when the server declined what it may decline."""
    if isinstance(result, _Failed):
        result = _look_alone(target, options, further)
    if isinstance(result, Look):
        return result
    if further.may_be_refused and not result.was_open:
        return None
    raise ServerLaunchError(
        f"a further look, {further.seen}, failed: {result.error.message}",
        hint=result.error.hint or "a server has to show itself to every client before it can be judged",
    ) from result.error


def _look_in(target: Target, options: ConnectOptions, sessions: Sequence[Further]) -> dict[Further, _Result]:
    """Start them all, then hold the sessions in turn: starting is what takes long."""
    results: dict[Further, _Result] = {}
    with ExitStack() as stack:
        channels = {}
        for further in sessions:
            try:
                channel = open_channel(target, further.options(options))
            except UnavailableError as exc:
                results[further] = _Failed(exc)
            else:
                channels[further] = stack.enter_context(closing(channel))
        for further, channel in channels.items():
            results[further] = _hold(target, further.options(options), further, channel)
    return {further: results[further] for further in sessions}


def _hold(target: Target, options: ConnectOptions, further: Further, channel: Channel) -> _Result:
    try:
        session = introduce(target, channel, options, time.monotonic() + options.timeout, further.opening)
    except (UnavailableError, UnfitRequestError, MixedErasError) as exc:
        return _Failed(exc)
    try:
        return Look(further.seen, session.look()[-1].snapshot)
    except UnavailableError as exc:
        return _Failed(exc, was_open=True)


def _look_alone(target: Target, options: ConnectOptions, further: Further) -> _Result:
    if further.opening is not Opening.PROBE:
        return _look_in(target, options, (further,))[further]
    try:
        with open_session(target, further.options(options), further.opening) as session:
            return Look(further.seen, session.look()[-1].snapshot)
    except UnavailableError as exc:
        return _Failed(exc)

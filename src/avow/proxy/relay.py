"""One client, one server and the gate between them, in one thread that never waits for only one of them.

Lines are handed to the gate as they come, and what it decides is written at once. A side that does not
read stops the other from being read, so that no queue grows beyond its mark.
"""

import os
import select
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final, NamedTuple

from avow.core.severity import Severity
from avow.protocol.events import Event, event
from avow.protocol.gate import Decision, Gate
from avow.protocol.gate.refusal import LIMIT_REACHED
from avow.protocol.messages import error_response
from avow.proxy.ending import Ending
from avow.proxy.streams import Inlet, LineTooLongError, Outlet

_HIGH_MARK: Final = 1024 * 1024
_HIGHEST_MARK: Final = 8 * _HIGH_MARK
_FAREWELL_SECONDS: Final = 5.0
_TICK_MILLISECONDS: Final = 500
_QUESTION_SECONDS: Final = 30.0
_MOST_NOISE: Final = 16 * 1024
_FORWARDED: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Wires(NamedTuple):
    """The four descriptors of a session; the two that are written to must not block."""

    from_client: int
    to_client: int
    from_server: int
    to_server: int


class Relay:
    """A session under way."""

    def __init__(
        self,
        gate: Gate,
        wires: Wires,
        *,
        limit: int,
        log: Callable[[Iterable[Event]], None],
        server_has_exited: Callable[[], bool],
        signal_server: Callable[[int], None],
        explain: Callable[[str, bytes], str] = lambda reason, _: reason,
        patience: float = 2.0,
    ) -> None:
        """Put `gate` between the two ends of `wires`; `patience` is how long a server may take to finish.

        `explain` says more about the reason why a server left that had not answered anything, and gets
        what it wrote instead.
        """
        self._gate = gate
        self._limit = limit
        self._client_in = Inlet(wires.from_client, limit)
        self._client_out = Outlet(wires.to_client)
        self._server_in = Inlet(wires.from_server, limit)
        self._server_out = Outlet(wires.to_server)
        self._log = log
        self._server_has_exited = server_has_exited
        self._signal_server = signal_server
        self._explain = explain
        self._patience = patience
        self._has_answered = False
        self._noise = b""
        self.unheard = ""
        self._deadline: float | None = None
        self._asking_since: float | None = None
        self._ending: Ending | None = None
        self._poll = select.poll()
        self._watched: dict[int, int] = {}
        self._is_calm = False

    def run(self) -> Ending:
        """Relay until one side is gone, the gate ends it, or a signal does."""
        with _signals() as (alarm, received):
            while True:
                ending = self._step(alarm, received)
                if ending is not None:
                    self._say_farewell()
                    return ending

    def _step(self, alarm: int, received: list[int]) -> Ending | None:
        if not self._is_calm:
            self._watch(alarm)
        ready = self._poll.poll(_TICK_MILLISECONDS if self._deadline is None else self._time_left())
        for descriptor, _ in ready:
            # By how often each happens.
            if descriptor == self._server_in.descriptor:
                self._read_server()
            elif descriptor == self._client_in.descriptor:
                self._read_client()
            elif descriptor == alarm:
                self._on_signal(alarm, received)
            elif descriptor == self._client_out.descriptor:
                self._client_out.flush()
            else:
                self._server_out.flush()
        if not ready and self._server_has_exited():
            # A child of the server's may hold its output open for ever.
            self._lose_server("the server exited")
        if self._gate.is_asking or self._asking_since is not None:
            self._mind_questions()
        if self._ending is None and not self._client_out.broken:
            return None
        return self._end()

    def _mind_questions(self) -> None:
        """A server that does not answer the gate's own questions must not hold its client for ever."""
        if not self._gate.is_asking:
            self._asking_since = None
        elif self._asking_since is None:
            self._asking_since = time.monotonic()
        elif time.monotonic() - self._asking_since > _QUESTION_SECONDS:
            self._asking_since = None
            self._carry_out(self._gate.abandon("the server did not say in time what it offers"))

    def _read_client(self) -> None:
        try:
            lines = self._client_in.read()
        except LineTooLongError:
            self._refuse_long_line()
            return
        if passed := self._gate.pass_calls(lines):
            self._server_out.send(lines[:passed])
        if passed < len(lines):
            self._carry_out(self._gate.all_from_client(lines[passed:]))
        if self._client_in.ended or self._server_out.backlog:
            self._is_calm = False
            if self._client_in.ended and self._ending is None:
                self._leave(Ending.CLIENT_LEFT)

    def _refuse_long_line(self) -> None:
        """Nobody knows which request it was, so the answer has no id, and the session ends with it."""
        detail = f"a message of the client is larger than {self._limit} bytes; the session ends"
        self._log([event("message_too_long", Severity.CRITICAL, detail=detail)])
        self._client_out.send((error_response(None, LIMIT_REACHED, f"avow: {detail}"),))
        self._ending = Ending.REFUSED

    def _read_server(self) -> None:
        try:
            lines = self._server_in.read()
        except LineTooLongError:
            self._lose_server(f"it sent a message larger than {self._limit} bytes")
            return
        if passed := self._gate.pass_answers(lines):
            self._client_out.send(lines[:passed])
            self._has_answered = True
        if passed < len(lines):
            decision = self._gate.all_from_server(lines[passed:])
            self._has_answered = self._has_answered or bool(decision.to_client or decision.to_server)
            if not self._has_answered and len(self._noise) < _MOST_NOISE:
                self._noise += b"\n".join((*lines[passed:], b""))[:_MOST_NOISE]
            self._carry_out(decision)
        if self._server_in.ended or self._client_out.backlog:
            self._is_calm = False
            if self._server_in.ended:
                self._lose_server("the server closed its output")

    def _carry_out(self, decision: Decision) -> None:
        if decision.to_server:
            self._server_out.send(decision.to_server)
        if decision.to_client:
            self._client_out.send(decision.to_client)
        self._is_calm = False
        if decision.events:
            self._log(decision.events)
        if decision.close:
            self._ending = Ending.REFUSED

    def _leave(self, why: Ending) -> None:
        """The client wants no more: let the server finish what it is doing, for a while."""
        self._deadline = time.monotonic() + self._patience
        self._ending = why

    def _lose_server(self, reason: str) -> None:
        if self._ending in (None, Ending.REFUSED):
            if not self._has_answered:
                reason = self._explain(reason, self._noise)
            decision = self._gate.server_gone(reason)
            if not (self._has_answered or decision.to_client):
                # Whoever asks now would find nobody, and not learn why.
                self.unheard = reason
            self._carry_out(decision)
        if self._ending is None:
            self._ending = Ending.SERVER_GONE
        self._deadline = time.monotonic()

    def _on_signal(self, alarm: int, received: list[int]) -> None:
        with suppress(BlockingIOError):
            os.read(alarm, 64)
        while received:
            self._signal_server(received.pop(0))
            self._leave(Ending.SIGNAL)

    def _end(self) -> Ending | None:
        """The ending, once nothing is left to do before it."""
        if self._client_out.broken and self._ending is None:
            self._leave(Ending.CLIENT_LEFT)
        if self._ending in (None, Ending.REFUSED) or self._deadline is None:
            return self._ending
        if self._client_in.ended and not self._has_something_for_the_server:
            self._server_out.close()
        return self._ending if time.monotonic() >= self._deadline else None

    @property
    def _has_something_for_the_server(self) -> bool:
        """Whether bytes wait, or messages that the gate holds until the server has said something."""
        return bool(self._server_out.backlog) or self._gate.is_asking or self._gate.is_holding

    def _say_farewell(self) -> None:
        """Let the client have what it was promised, as long as it reads."""
        end = time.monotonic() + _FAREWELL_SECONDS
        waiting = select.poll()
        waiting.register(self._client_out.descriptor, select.POLLOUT)
        while self._client_out.backlog and (left := end - time.monotonic()) > 0:
            waiting.poll(left * 1000)
            self._client_out.flush()

    def _time_left(self) -> float:
        assert self._deadline is not None
        return max(0.0, min(_TICK_MILLISECONDS, (self._deadline - time.monotonic()) * 1000))

    def _watch(self, alarm: int) -> None:
        """Ask for what can be handled now: no reading for a side whose peer does not keep up."""
        to_server, to_client = self._server_out.backlog, self._client_out.backlog
        self._is_calm = not (to_server or to_client or self._client_in.ended or self._server_in.ended)
        wanted = {alarm: select.POLLIN}
        if not self._client_in.ended and to_server < _HIGH_MARK and to_client < _HIGHEST_MARK:
            wanted[self._client_in.descriptor] = select.POLLIN
        if not self._server_in.ended and to_client < _HIGH_MARK and to_server < _HIGHEST_MARK:
            wanted[self._server_in.descriptor] = select.POLLIN
        if to_server:
            wanted[self._server_out.descriptor] = select.POLLOUT
        if to_client:
            wanted[self._client_out.descriptor] = select.POLLOUT
        for descriptor in self._watched.keys() - wanted.keys():
            self._poll.unregister(descriptor)
        for descriptor, events in wanted.items():
            self._poll.register(descriptor, events)
        self._watched = wanted


@contextmanager
def _signals() -> Iterator[tuple[int, list[int]]]:
    """A descriptor that becomes readable when a signal arrives, and the signals that did."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    received: list[int] = []

    def remember(number: int, _frame: FrameType | None) -> None:
        received.append(number)

    for number in _FORWARDED:
        signal.signal(number, remember)
    wakeup = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        yield reader, received
    finally:
        signal.set_wakeup_fd(wakeup)
        for number in _FORWARDED:
            # Not as before: a signal now would end us before we have ended the server.
            signal.signal(number, signal.SIG_IGN)
        os.close(reader)
        os.close(writer)

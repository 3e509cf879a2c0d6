"""One process of a stdio server for all requests of 2026-07-28: who asked what is told apart by new ids.

Clients choose their ids and progress tokens without knowing of each other. Towards the server each gets a
number that nobody else has; on the way back it becomes the client's own again, so that no client ever sees
what was meant for another.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from avow.core.severity import Severity
from avow.errors import MalformedInputError, ServerLaunchError
from avow.protocol.events import Event
from avow.protocol.gate import Gate
from avow.protocol.messages import METHOD_NOT_FOUND, RequestId, encode, error_response
from avow.proxy.gateway.conversation import Conversation, Idle, Log, failure
from avow.proxy.gateway.envelopes import (
    PROGRESS_TOKEN,
    SUBSCRIPTION,
    Envelope,
    asked_progress,
    envelope,
    raw,
    replaced,
    tokens,
    unread_id,
)
from avow.proxy.gateway.process import ServerProcess
from avow.proxy.gateway.stream import Stream

_MOST_REQUESTS: Final = 4096
_RESTART_SECONDS: Final = 1.0
_TOKEN_PATH: Final = ("params", "_meta", PROGRESS_TOKEN)
_LIST_NEWS: Final = "/list_changed"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request under way: who asked, and what the client calls it."""

    conversation: "SharedConversation"
    request_id: RequestId
    token: bytes


class SharedProcess:
    """Starts the server when somebody asks something, and again after it has gone."""

    def __init__(
        self, start: Callable[[], Awaitable[ServerProcess]], log: Log, when_lists_change: Callable[[], None]
    ) -> None:
        """`start` starts the server."""
        self.idle = Idle()
        self._start = start
        self._log = log
        self._when_lists_change = when_lists_change
        self._process: ServerProcess | None = None
        self._starting: asyncio.Future[None] | None = None
        self._ending: asyncio.Future[None] | None = None
        self._started = float("-inf")
        self._asked: dict[int, _Asked] = {}
        self._owners: set[bytes] = set()
        self._count = 0

    @property
    def is_busy(self) -> bool:
        """Whether somebody waits for an answer."""
        return bool(self._asked)

    async def ready(self) -> None:
        """Make sure that the server runs.

        Raises:
            ServerLaunchError: it cannot be started, or went away a moment ago.
        """
        self.idle.touch()
        while self._process is None:
            if self._starting is None:
                if time.monotonic() - self._started < _RESTART_SECONDS:
                    raise ServerLaunchError("the server went away as soon as it was started")
                self._started = time.monotonic()
                self._starting = asyncio.ensure_future(self._launch())
            await asyncio.shield(self._starting)

    def room(self) -> asyncio.Event | None:
        """Set while the server keeps up; `None` while it does not run."""
        return self._process.room if self._process is not None else None

    def ask(self, line: bytes, conversation: "SharedConversation", request_id: RequestId) -> None:
        """Ask the server on behalf of a client.

        Raises:
            ServerLaunchError: the server is not there, or has too much to do.
        """
        if self._process is None or len(self._asked) >= _MOST_REQUESTS:
            raise ServerLaunchError("the server is gone, or too many requests wait for it")
        self._count += 1
        number = raw(self._count)
        token = asked_progress(line)
        line = replaced(line, ("id",), number)
        if token:
            line = replaced(line, _TOKEN_PATH, number)
        self._asked[self._count] = _Asked(conversation, request_id, token)
        self._owners.add(conversation.owner)
        self._process.send(line)

    def forget(self, conversation: "SharedConversation") -> None:
        """A client went away: the server may stop working for it."""
        for number in [each for each, asked in self._asked.items() if asked.conversation is conversation]:
            del self._asked[number]
            if self._process is not None:
                params = {"requestId": number, "reason": "the client went away"}
                notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
                self._process.send(encode(notice))

    def sweep(self, now: float, idle_seconds: float) -> None:
        """End a server that nobody has asked anything for so long."""
        if self._process is not None and not self._asked and self.idle.seconds(now) > idle_seconds:
            self._ending = asyncio.ensure_future(self.end())

    async def end(self) -> None:
        """End the server; whoever waits is told."""
        process = self._process
        self._lost("the gateway ended it")
        if process is not None:
            await process.end()

    async def _launch(self) -> None:
        # All in one task: whoever comes when it is done finds the server, and not only that it was started.
        try:
            process = await self._start()
        finally:
            self._starting = None
        process.on_line = self._heard
        process.on_end = lambda reason: self._gone(process, reason)
        self._process = process

    def _gone(self, process: ServerProcess, reason: str) -> None:
        self._log([failure(reason)])
        self._lost(reason)
        self._ending = asyncio.ensure_future(process.end())

    def _lost(self, reason: str) -> None:
        self._process = None
        waiting, self._asked = self._asked, {}
        self._owners.clear()
        self._when_lists_change()
        for asked in waiting.values():
            asked.conversation.fail(asked.request_id, f"the server is gone ({reason})", None)

    def _heard(self, line: bytes) -> None:
        outside = envelope(line)
        try:
            if outside.is_answer:
                self._answered(line, outside)
            elif outside.id is not None:
                self._refuse(outside)
            else:
                self._notified(line, outside)
        except MalformedInputError as exc:
            self._log(
                [Event("message_unreadable", Severity.MODERATE, detail=f"from the server: {exc.message}")]
            )

    def _answered(self, line: bytes, outside: Envelope) -> None:
        number = outside.id if outside.id is not None else unread_id(line)
        asked = self._asked.pop(number, None) if type(number) is int else None
        if asked is None:
            self._log([Event("answer_unexpected", Severity.INFO, detail="nobody waits for it: dropped")])
            return
        own = raw(asked.request_id)
        try:
            # Also refuses what cannot be read.
            line = replaced(line, ("id",), own)
            if SUBSCRIPTION.encode() in line:
                line = replaced(line, ("result", "_meta", SUBSCRIPTION), own)
        except MalformedInputError as exc:
            asked.conversation.fail(
                asked.request_id, f"the server's answer is malformed ({exc.message})", None
            )
            return
        asked.conversation.receive(line, None)

    def _refuse(self, outside: Envelope) -> None:
        detail = "this protocol version has no requests of servers"
        self._log([Event("server_request_refused", Severity.MODERATE, detail=detail)])
        if self._process is not None:
            self._process.send(error_response(outside.id, METHOD_NOT_FOUND, f"avow: {detail}"))

    def _notified(self, line: bytes, outside: Envelope) -> None:
        """Bring news to the one request that they belong to; what could be anybody's is nobody's."""
        about = tokens(line)
        if outside.method.endswith(_LIST_NEWS):
            self._when_lists_change()
        if about.subscription:
            asked = self._numbered(about.subscription)
            path: tuple[str, ...] = ("params", "_meta", SUBSCRIPTION)
        elif about.progress:
            asked, path = self._numbered(about.progress), ("params", PROGRESS_TOKEN)
        elif about.request:
            asked, path = self._numbered(about.request), ("params", "requestId")
        else:
            asked, path = self._only(), ()
        if asked is None:
            if not outside.method.endswith(_LIST_NEWS):
                detail = "it cannot be told whose request it belongs to: dropped"
                self._log([Event("notification_dropped", Severity.INFO, detail=detail)])
            return
        if path:
            own = asked.token if path[-1] == PROGRESS_TOKEN else raw(asked.request_id)
            line = replaced(line, path, own)
        asked.conversation.receive(line, None)
        if about.request and outside.method == "notifications/cancelled":
            # The server ends a subscription.
            self._asked.pop(int(about.request), None)
            asked.conversation.end()

    def _numbered(self, number: bytes) -> _Asked | None:
        return self._asked.get(int(number)) if number.isdigit() and len(number) < 16 else None

    def _only(self) -> _Asked | None:
        """The request under way, if there is one and whatever the server says is about its owner.

        A server may speak late of a request that was answered long ago: as long as it runs, it knows of
        everybody who ever asked it something.
        """
        is_alone = len(self._asked) == 1 and len(self._owners) == 1
        return next(iter(self._asked.values())) if is_alone else None


class SharedConversation(Conversation):
    """One request of 2026-07-28 to a stdio server, with a gate of its own."""

    def __init__(self, gate: Gate, log: Log, shared: SharedProcess, owner: bytes) -> None:
        """Ask what is asked of the shared process, for the token whose digest is `owner`."""
        super().__init__(gate, log)
        self.owner = owner
        self._shared = shared

    def leave(self) -> None:
        """The client went away, which is how it cancels in this version."""
        self.end()
        self._shared.forget(self)

    def _forward(self, line: bytes, outside: Envelope, origin: Stream | None) -> None:
        if outside.id is None:
            return
        if origin is not None:
            origin.when_left = self.leave
        try:
            self._shared.ask(line, self, outside.id)
        except (ServerLaunchError, MalformedInputError) as exc:
            self.fail(outside.id, exc.message, origin)

    def _tell(self, line: bytes, _outside: Envelope, _origin: Stream | None, head: bytes) -> None:
        for stream in list(self._streams.values()):
            if stream.is_full:
                # Others wait for this process, too: one slow reader must not stop it.
                stream.leave()
            else:
                stream.put(line, head)

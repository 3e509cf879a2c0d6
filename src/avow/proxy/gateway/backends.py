"""What stands behind one path of the gateway: how to open a session, and how to ask without one."""

import asyncio
import hashlib
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias

from avow.core.severity import Severity
from avow.core.snapshot import Era
from avow.core.target import StdioTarget
from avow.errors import AvowError
from avow.protocol.events import Event
from avow.protocol.gate import Gate, HeaderFacts, Knowledge, Phase
from avow.protocol.gate.refusal import HEADER_MISMATCH, VERSION_UNSUPPORTED
from avow.protocol.messages import error_response
from avow.proxy.contracts import Held
from avow.proxy.gateway.conversation import Conversation
from avow.proxy.gateway.envelopes import claims, envelope
from avow.proxy.gateway.local import LocalSession
from avow.proxy.gateway.metrics import Metrics
from avow.proxy.gateway.parameters import Parameters
from avow.proxy.gateway.process import ServerProcess
from avow.proxy.gateway.remote import RemoteConversation, Way
from avow.proxy.gateway.sessions import Session
from avow.proxy.gateway.shared import SharedConversation, SharedProcess
from avow.proxy.gateway.stream import Header, Stream
from avow.proxy.log import EventLog

EXPIRY_SECONDS: Final = 30.0
_SHELVES: Final = 64
_SPARE_GATES: Final = 64

Prepare: TypeAlias = Callable[[], tuple[StdioTarget, Mapping[str, str]]]
"""What to start and with which variables, or an error that says what is missing."""


class Backend(ABC):
    """One locked server."""

    def __init__(self, held: Held, log: EventLog, metrics: Metrics) -> None:
        """Hold sessions with the server to its entry."""
        self.name = held.name
        self._held = held
        self._log = log
        self._metrics = metrics
        self._parameters = Parameters(held.contract)
        self._shelves: OrderedDict[bytes, Shelf] = OrderedDict()
        self._since = 0.0
        self._conversations: set[Conversation] = set()

    @abstractmethod
    async def open(self, headers: tuple[Header, ...]) -> Session:
        """A new session, before its handshake.

        Raises:
            ServerLaunchError: the server cannot be started.
        """

    @abstractmethod
    async def _converse(self, gate: Gate, owner: bytes) -> Conversation:
        """A conversation for a single request."""

    async def ask(self, line: bytes, facts: HeaderFacts, headers: tuple[Header, ...], owner: bytes) -> Stream:
        """A request of 2026-07-28, by whoever has the token whose digest is `owner`.

        Raises:
            ServerLaunchError: the server cannot be started.
        """
        passed = self._parameters.passed(line, headers)
        if passed is None:
            return self._contradicted(line)
        shelf = self._shelf(line, dict(headers).get(b"authorization", b""))
        conversation = await self._converse(shelf.gate(self._held), owner)
        self._conversations.add(conversation)
        stream = conversation.take(line, facts, passed)

        def done() -> None:
            self._conversations.discard(conversation)
            if stream.over and not (stream.left or conversation.ended):
                shelf.give_back(conversation.gate)

        if stream.over:
            done()
        else:
            stream.when_done = done
        return stream

    def room(self) -> asyncio.Event | None:
        """Set while the server keeps up with single requests; `None` where it need not."""
        return None

    def sweep(self, now: float) -> None:
        """Time passes: a server of 2026-07-28 need not say that its lists have changed."""
        for conversation in list(self._conversations):
            conversation.tick(now)
        if now - self._since > EXPIRY_SECONDS:
            self._since = now
            self.lists_changed()

    def lists_changed(self) -> None:
        """What was seen of the server may no longer be so."""
        for shelf in self._shelves.values():
            shelf.knowledge.expire()

    def write(self, events: Iterable[Event]) -> None:
        """Log events, and count what was held back."""
        for happened in events:
            if happened.event == "upstream_failed":
                self._metrics.failure(self.name)
            elif happened.severity is not Severity.INFO:
                self._metrics.refusal(self.name, happened.event)
        self._log.write(events)

    async def end(self, reason: str) -> None:
        """End what runs for single requests."""
        for conversation in list(self._conversations):
            conversation.dismiss(reason)

    async def close(self) -> None:
        """End everything, for good."""
        await self.end("the gateway is shutting down")
        self._log.close()

    def refusing(self, error: AvowError) -> "UnreadyBackend":
        """What takes the place of this one, and answers everybody with an error."""
        return UnreadyBackend(self._held, self._log, self._metrics, error)

    def _contradicted(self, line: bytes) -> Stream:
        message = "an Mcp-Param header does not say what the body says"
        self.write([Event("header_mismatch", Severity.MODERATE, detail=message)])
        outside = envelope(line)
        stream = Stream()
        stream.answer(outside.id, error_response(outside.id, HEADER_MISMATCH, f"avow: {message}"))
        return stream

    def _gate(self) -> Gate:
        return Gate(self._held.contract, self._held.policy, self.name)

    def _shelf(self, line: bytes, authorization: bytes) -> "Shelf":
        """What is known of the server as this client sees it: it may show each one something else."""
        key = hashlib.sha256(claims(line) + b"\0" + authorization).digest()
        shelf = self._shelves.get(key)
        if shelf is None:
            shelf = self._shelves[key] = Shelf(Knowledge(self._held.contract))
            if len(self._shelves) > _SHELVES:
                self._shelves.popitem(last=False)
        else:
            self._shelves.move_to_end(key)
        return shelf


class Shelf:
    """What is known of a server under one set of claims, and gates for it that nobody uses just now."""

    def __init__(self, knowledge: Knowledge) -> None:
        """Nothing seen yet."""
        self.knowledge = knowledge
        self._gates: list[Gate] = []

    def gate(self, held: Held) -> Gate:
        """A gate for one request."""
        if self._gates:
            return self._gates.pop()
        return Gate(None, held.policy, held.name, knowledge=self.knowledge, stateless=True)

    def give_back(self, gate: Gate) -> None:
        """A request is done: its gate is as good as new when nothing is left in it."""
        is_clean = (
            not (gate.pending or gate.is_asking or gate.is_holding) and gate.phase is Phase.AWAITING_INIT
        )
        if is_clean and len(self._gates) < _SPARE_GATES:
            self._gates.append(gate)


class LocalBackend(Backend):
    """A server that a command starts."""

    def __init__(
        self, held: Held, log: EventLog, metrics: Metrics, prepare: Prepare, idle_seconds: float
    ) -> None:
        """`prepare` says what to start and with which variables, each time anew."""
        super().__init__(held, log, metrics)
        self._prepare = prepare
        self._idle_seconds = idle_seconds
        self._shared = SharedProcess(self._start, self.write, self.lists_changed)

    async def open(self, _headers: tuple[Header, ...]) -> Session:
        """A process of its own."""
        return LocalSession(self._gate(), self.write, await self._start())

    async def ask(self, line: bytes, facts: HeaderFacts, headers: tuple[Header, ...], owner: bytes) -> Stream:
        """A request of 2026-07-28, unless the server was approved as one that has sessions.

        Some such servers end, or say nothing at all, when they are asked something before the handshake.
        """
        approved = self._held.contract.server if self._held.contract is not None else None
        if approved is None or approved.era is Era.MODERN:
            return await super().ask(line, facts, headers, owner)
        data = {"supported": [approved.protocol_version], "requested": facts.protocol_version}
        outside = envelope(line)
        stream = Stream()
        message = "avow: the server has sessions: begin one with initialize"
        stream.answer(outside.id, error_response(outside.id, VERSION_UNSUPPORTED, message, data))
        return stream

    async def _converse(self, gate: Gate, owner: bytes) -> Conversation:
        if self._shared.room() is None:
            # Before anything is started, and however often: what is missing may be there the next time.
            await asyncio.to_thread(self._prepare)
        await self._shared.ready()
        return SharedConversation(gate, self.write, self._shared, owner)

    def room(self) -> asyncio.Event | None:
        """All of them share one process."""
        return self._shared.room()

    def sweep(self, now: float) -> None:
        """Time passes: a process that nobody has asked anything for long is ended."""
        super().sweep(now)
        self._shared.sweep(now, self._idle_seconds)

    async def end(self, reason: str) -> None:
        """End the shared process, too."""
        await self._shared.end()
        await super().end(reason)

    async def _start(self) -> ServerProcess:
        return await ServerProcess.start(self._held, *await asyncio.to_thread(self._prepare))


class UnreadyBackend(Backend):
    """A server that cannot be reached as it is configured: whoever asks is told what is missing."""

    def __init__(self, held: Held, log: EventLog, metrics: Metrics, error: AvowError) -> None:
        """`error` is the answer to everything."""
        super().__init__(held, log, metrics)
        self._error = error

    async def open(self, _headers: tuple[Header, ...]) -> Session:
        """There is no session."""
        raise self._error

    async def _converse(self, _gate: Gate, _owner: bytes) -> Conversation:
        raise self._error


class RemoteBackend(Backend):
    """A server behind Streamable HTTP."""

    def __init__(self, held: Held, log: EventLog, metrics: Metrics, way: Way) -> None:
        """`way` is how it is reached."""
        super().__init__(held, log, metrics)
        self._way = way

    async def open(self, _headers: tuple[Header, ...]) -> Session:
        """The server's own session will come with its answer."""
        return RemoteConversation(self._gate(), self.write, self._way, modern=False)

    async def _converse(self, gate: Gate, _owner: bytes) -> Conversation:
        return RemoteConversation(gate, self.write, self._way, modern=True)

    def sweep(self, now: float) -> None:
        """Time passes for connections, too."""
        super().sweep(now)
        self._way.client.sweep(now)

    async def end(self, reason: str) -> None:
        """Close the connections."""
        await super().end(reason)
        self._way.client.close()

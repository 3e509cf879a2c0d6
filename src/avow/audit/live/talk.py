"""A raw talk with a server: any message in any order, with a deadline, and everything written down."""

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final

from avow.audit.live.http import Headers, OddHttpChannel
from avow.audit.live.proof import Shortening
from avow.core.canonical import JsonObject, JsonValue, parse_json
from avow.core.target import HttpTarget, Target
from avow.errors import AvowError, MalformedInputError, PeerProtocolError, UnavailableError
from avow.system.connect.channel import Channel, Refused
from avow.system.connect.opening import open_channel
from avow.system.connect.options import ConnectOptions

METHOD_NOT_FOUND: Final = -32601
NEWEST: Final = "2025-11-25"
CLIENT: Final[JsonObject] = {"name": "claude-ai", "version": "1.0.0"}
_MOST_RECORDED: Final = 60
_MOST_ASKED: Final = 20
_MOST_BYTES: Final = 16 * 1024 * 1024
_LOOK_EVERY: Final = 0.05


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for a request: a result, an error, or neither; a `failure` is the transport's."""

    result: JsonObject | None = None
    error: JsonObject | None = None
    failure: AvowError | None = None

    @property
    def came(self) -> bool:
        """Whether there was any reply; that nobody could be reached is none."""
        return self.result is not None or self.error is not None

    @property
    def code(self) -> int | None:
        """The code of the error."""
        code = self.error.get("code") if self.error else None
        return code if isinstance(code, int) else None


@dataclass(slots=True)
class Talk:
    """One connection, what was said on it, and what the server asked of us.

    A request is waited for as long as there is `patience`; `grace` is what a server may take longer for a
    list than for a `ping`, and a `moment` what it may take to do something unasked.
    """

    channel: Channel
    deadline: float
    patience: float
    grace: float = 0.5
    moment: float = 0.3
    asked: list[JsonObject] = field(default_factory=list)
    noise: int = 0
    problem: AvowError | None = None
    _next: int = 1
    _pings: set[int] = field(default_factory=set)
    _received: int = 0
    _record: list[tuple[int | None, JsonObject]] = field(default_factory=list)
    _replies: dict[int, Reply] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Whether nothing can come any more."""
        return self.problem is not None

    @property
    def session(self) -> str | None:
        """What holds our requests together: the pipe, or over HTTP the session, if the server keeps any."""
        return self.channel.session if isinstance(self.channel, OddHttpChannel) else "the pipe"

    @property
    def last(self) -> int:
        """The number of the latest request."""
        return self._next - 1

    def notify(self, method: str) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method})

    def ask(self, method: str, params: JsonObject | None = None, headers: Headers | None = None) -> int:
        """Send a request without waiting, over HTTP with these headers instead of the usual ones."""
        number = self._next
        self._next += 1
        message: JsonObject = {"jsonrpc": "2.0", "id": number, "method": method}
        if params is not None:
            message["params"] = params
        if headers and isinstance(self.channel, OddHttpChannel):
            self.channel.use_headers(number, headers)
            self._note(number, "client", {"headers": dict(headers), "body": message})
            self.channel.send(message, self._until())
        else:
            self._send(message, number)
        return number

    def wait(self, number: int) -> Reply:
        """The reply to a request; an empty one when none came in time, or the server left."""
        until = self._until()
        while number not in self._replies and not self.is_over and self._listen(until):
            pass
        return self._replies.get(number, Reply())

    def request(self, method: str, params: JsonObject | None = None, headers: Headers | None = None) -> Reply:
        """Ask and wait."""
        return self.wait(self.ask(method, params, headers))

    def settle(self, numbers: Collection[int]) -> None:
        """Wait until all of these have a reply, or the server is not going to give any.

        Some servers drop what they do not want to answer. One that has answered the `ping` behind it has
        read it, and one that has long read everything and says nothing will not say more.
        """
        ping = 0
        if self.channel.is_ordered:
            self._pings.add(self._next)
            ping = self.ask("ping")
        until, read = self._until(), False
        while not all(number in self._replies for number in numbers) and not self.is_over:
            if ping and (ping in self._replies or self.channel.is_read()) and not read:
                read = True
                wait = self.grace if ping in self._replies else max(self.grace, self.patience / 2)
                until = min(until, time.monotonic() + wait)
            if time.monotonic() >= until:
                return
            self._listen(min(until, time.monotonic() + _LOOK_EVERY))

    def reply(self, number: int) -> Reply:
        """The reply that has come so far."""
        return self._replies.get(number, Reply())

    def listen(self) -> None:
        """Take in whatever comes for a moment."""
        until = min(time.monotonic() + self.moment, self.deadline)
        while not self.is_over and self._listen(until):
            pass

    def initialize(
        self,
        version: str = NEWEST,
        *,
        capabilities: JsonObject | None = None,
        client: JsonObject | None = None,
    ) -> Reply:
        """Send `initialize`, as a client that can do nothing unless told otherwise."""
        offer: JsonObject = {
            "protocolVersion": version,
            "capabilities": capabilities or {},
            "clientInfo": client or CLIENT,
        }
        reply = self.request("initialize", offer)
        agreed = reply.result.get("protocolVersion") if reply.result else None
        if isinstance(agreed, str) and agreed.isascii() and agreed.isprintable():
            self.channel.agree(agreed)
        return reply

    def proof(
        self, *numbers: int, about: Collection[str] = (), first: Collection[JsonObject] = ()
    ) -> list[JsonValue]:
        """What proves something: these requests of the server, our requests of these numbers with their
        replies, and then what led to them.
        """
        decisive: list[JsonValue] = [{"server": message} for message in first]
        decisive += [entry for wanted in numbers for number, entry in self._record if number == wanted]
        before = takewhile(lambda said: said[1] not in decisive, self._record)
        return Shortening(self.channel.secrets, about).proof([*decisive, *(entry for _, entry in before)])

    def _until(self) -> float:
        return min(time.monotonic() + self.patience, self.deadline)

    def _send(self, message: JsonObject, number: int | None = None) -> None:
        self._note(number, "client", message)
        try:
            self.channel.send(message, self._until())
        except AvowError as exc:
            self.problem = exc

    def _listen(self, until: float) -> bool:
        """Take in one thing; False when nothing came until then, or nothing can come any more."""
        try:
            received = self.channel.receive(until)
        except AvowError as exc:
            self.problem = exc
            return False
        match received:
            case None:
                return False
            case Refused(id=number, error=error):
                if number is not None and number not in self._replies:
                    self._refuse(number, error)
            case bytes():
                self._take(received)
        # What arrives without end would otherwise be taken in without end.
        return time.monotonic() < until

    def _refuse(self, number: int, error: AvowError) -> None:
        """The transport says no in its own words, or nobody was there to say anything."""
        words: JsonObject = {"code": 0, "message": error.message}
        self._note(number, "server", {"id": number, "error": words})
        is_answer = not isinstance(error, UnavailableError)
        self._replies[number] = Reply(error=words if is_answer else None, failure=error)

    def _take(self, line: bytes) -> None:
        self._received += len(line)
        if self._received > _MOST_BYTES:
            self.problem = PeerProtocolError(f"{self.channel.server} sent more than anybody would read")
            return
        try:
            message = parse_json(line)
        except MalformedInputError:
            message = None
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            self.noise += 1
        elif isinstance(message.get("method"), str):
            if "id" in message:
                self._be_asked(message)
        else:
            self._be_answered(message)

    def _be_asked(self, message: JsonObject) -> None:
        if len(self.asked) >= _MOST_ASKED:
            return
        answer: JsonObject = {"jsonrpc": "2.0", "id": message["id"]}
        if message["method"] == "ping":
            answer["result"] = {}
        else:
            self.asked.append(message)
            self._note(None, "server", message)
            answer["error"] = {"code": METHOD_NOT_FOUND, "message": "Method not found"}
        # Not noted: what the server asked is the point, not that we do not answer it.
        self.channel.send(answer, time.monotonic())

    def _be_answered(self, message: JsonObject) -> None:
        number = message.get("id")
        if type(number) is not int or not 0 < number < self._next or number in self._replies:
            return
        self._note(number, "server", message)
        result, error = message.get("result"), message.get("error")
        if isinstance(result, dict):
            self._replies[number] = Reply(result=result)
        else:
            self._replies[number] = Reply(
                error=error if isinstance(error, dict) else {"message": "an error without words"}
            )

    def _note(self, number: int | None, side: str, message: JsonObject) -> None:
        # A sign of life proves nothing.
        if len(self._record) < _MOST_RECORDED and number not in self._pings:
            self._record.append((number, {side: message}))


@contextmanager
def talk(target: Target, options: ConnectOptions, patience: float) -> Iterator[Talk]:
    """Open a fresh connection, to a program that is started for it, and end it on the way out.

    Raises:
        AvowError: the server cannot be started, or the address is none.
    """
    if isinstance(target, HttpTarget):
        channel: Channel = OddHttpChannel(target, options)
    else:
        channel = open_channel(target, options)
    try:
        yield Talk(channel, time.monotonic() + options.timeout, patience)
    finally:
        channel.close()

"""A raw talk with a server: any message in any order, with a deadline, and everything written down."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from avow.core.canonical import JsonObject, JsonValue, parse_json
from avow.core.target import Target
from avow.errors import AvowError, MalformedInputError
from avow.system.connect.channel import Channel, Refused
from avow.system.connect.opening import open_channel
from avow.system.connect.options import ConnectOptions
from avow.system.connect.wire import CLIENT_CAPABILITIES_KEY, CLIENT_KEY, VERSION_KEY

METHOD_NOT_FOUND: Final = -32601
NEWEST: Final = "2025-11-25"
MODERN: Final = "2026-07-28"
_MOST_RECORDED: Final = 40
_LONGEST_LIST: Final = 5
_CLIENT: Final = {"name": "claude-ai", "version": "1.0.0"}


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for a request: a result, an error, or neither in time."""

    result: JsonObject | None = None
    error: JsonObject | None = None

    @property
    def came(self) -> bool:
        """Whether there was any reply."""
        return self.result is not None or self.error is not None

    @property
    def code(self) -> int | None:
        """The code of the error."""
        code = self.error.get("code") if self.error else None
        return code if isinstance(code, int) else None


@dataclass(slots=True)
class Talk:
    """One connection, what was said on it, and what the server asked of us."""

    channel: Channel
    deadline: float
    patience: float
    record: list[JsonValue] = field(default_factory=list)
    asked: list[JsonObject] = field(default_factory=list)
    is_over: bool = False
    _next: int = 1
    _replies: dict[int, Reply] = field(default_factory=dict)

    def send(self, message: JsonObject) -> None:
        """Say something."""
        self._note("client", message)
        self.channel.send(message, self._until())

    def notify(self, method: str) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method})

    def ask(self, method: str, params: JsonObject | None = None) -> int:
        """Send a request without waiting."""
        number = self._next
        self._next += 1
        message: JsonObject = {"jsonrpc": "2.0", "id": number, "method": method}
        self.send(message if params is None else {**message, "params": params})
        return number

    def wait(self, number: int) -> Reply:
        """The reply to a request; an empty one when none came in time, or the server left."""
        until = self._until()
        while number not in self._replies and not self.is_over:
            if not self._listen(until):
                break
        return self._replies.get(number, Reply())

    def request(self, method: str, params: JsonObject | None = None) -> Reply:
        """Ask and wait."""
        return self.wait(self.ask(method, params))

    def has_reply(self, number: int) -> bool:
        """Whether a reply has come."""
        return number in self._replies

    def listen(self, seconds: float) -> None:
        """Take in whatever comes for a while."""
        until = min(time.monotonic() + seconds, self.deadline)
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
        reply = self.request(
            "initialize",
            {
                "protocolVersion": version,
                "capabilities": capabilities or {},
                "clientInfo": client or _CLIENT,
            },
        )
        agreed = reply.result.get("protocolVersion") if reply.result else None
        if isinstance(agreed, str):
            self.channel.agree(agreed)
        return reply

    def _until(self) -> float:
        return min(time.monotonic() + self.patience, self.deadline)

    def _listen(self, until: float) -> bool:
        try:
            received = self.channel.receive(until)
        except AvowError:
            self.is_over = True
            return False
        match received:
            case None:
                return False
            case Refused(id=number, error=error):
                if number is not None:
                    refusal: JsonObject = {"code": 0, "message": error.message}
                    self._note("server", {"id": number, "error": refusal})
                    self._replies.setdefault(number, Reply(error=refusal))
            case bytes():
                self._take(received)
        return True

    def _take(self, line: bytes) -> None:
        try:
            message = parse_json(line)
        except MalformedInputError:
            return
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return
        self._note("server", message)
        number = message.get("id")
        if "method" in message:
            if "id" in message and message["method"] != "ping":
                self.asked.append(message)
        elif isinstance(number, int):
            self._replies.setdefault(number, _reply(message))

    def _note(self, side: str, message: JsonObject) -> None:
        if len(self.record) < _MOST_RECORDED:
            self.record.append({side: shortened(message)})


@contextmanager
def talk(target: Target, options: ConnectOptions, patience: float) -> Iterator[Talk]:
    """Open a fresh connection, to a program that is started for it, and end it on the way out.

    Raises:
        AvowError: the server cannot be started or reached.
    """
    channel = open_channel(target, options)
    try:
        yield Talk(channel, time.monotonic() + options.timeout, patience)
    finally:
        channel.close()


def envelope(
    version: str | None = MODERN,
    *,
    capabilities: JsonObject | None = None,
    client: JsonObject | None = None,
) -> JsonObject:
    """The parameters that every request of 2026-07-28 carries."""
    meta: JsonObject = {CLIENT_KEY: client or _CLIENT, CLIENT_CAPABILITIES_KEY: capabilities or {}}
    if version is not None:
        meta[VERSION_KEY] = version
    return {"_meta": meta}


def shortened(value: Any, depth: int = 0) -> JsonValue:
    """A message short enough to be shown as a proof: long lists and texts are cut."""
    match value:
        case dict() if depth < 6:
            return {name: shortened(inner, depth + 1) for name, inner in list(value.items())[:20]}
        case list():
            kept = [shortened(inner, depth + 1) for inner in value[:_LONGEST_LIST]]
            return kept if len(value) <= _LONGEST_LIST else [*kept, f"and {len(value) - _LONGEST_LIST} more"]
        case str() if len(value) > 200:
            return f"{value[:200]}…"
        case dict():
            return "…"
        case _:
            return value


def _reply(message: JsonObject) -> Reply:
    result, error = message.get("result"), message.get("error")
    if isinstance(result, dict):
        return Reply(result=result)
    return Reply(error=error if isinstance(error, dict) else {"message": "an error without words"})

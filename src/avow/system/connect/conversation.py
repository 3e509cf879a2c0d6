"""A conversation with a server, whichever way its messages travel: questions, answers, interruptions.

Answers may come late, early or in another order, and the server may speak unasked in between; a
question is matched with its answer by the exact id and nothing else.
"""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from hashlib import sha256
from typing import Any, Final

from avow import __version__
from avow.core.canonical import JsonObject
from avow.core.capability import Kind
from avow.core.printable import printable
from avow.errors import AvowError, PeerProtocolError, ServerTimeoutError
from avow.system.connect.channel import Channel, Refused
from avow.system.connect.options import Limits, MalformedAnswerError
from avow.system.connect.wire import (
    CLIENT_CAPABILITIES_KEY,
    CLIENT_KEY,
    METHOD_NOT_FOUND,
    VERSION_KEY,
    Answer,
    Answered,
    Asked,
    Noise,
    Notified,
    Result,
    read_event,
)
from avow.system.connect.words import quoted

# A server may offer more to a client that can do more, so we say that we can do everything.
CLIENT_CAPABILITIES: Final[JsonObject] = {
    "roots": {"listChanged": True},
    "sampling": {"tools": {}, "context": {}},
    "elicitation": {"form": {}, "url": {}},
}

_CHANGED: Final = {
    "notifications/tools/list_changed": (Kind.TOOL,),
    "notifications/prompts/list_changed": (Kind.PROMPT,),
    "notifications/resources/list_changed": (Kind.RESOURCE, Kind.TEMPLATE),
}
_REPLIES: Final[dict[str, JsonObject]] = {
    "ping": {"result": {}},
    "roots/list": {"result": {"roots": []}},
    "elicitation/create": {"result": {"action": "decline"}},
    "sampling/createMessage": {"error": {"code": -1, "message": "nobody is here to approve sampling"}},
}
_LONGEST_MESSAGE: Final = 500
_LONGEST_ID: Final = 40
_MANY: Final = 50_000
_TAKEN: Final = Result({})


class Conversation:
    """Requests and answers, until a deadline."""

    def __init__(self, channel: Channel, deadline: float, limits: Limits, client_name: str) -> None:
        """Talk through `channel`, which stays the caller's to close."""
        self.channel = channel
        self.deadline = deadline
        self.limits = limits
        self.client_name = client_name
        self.changed: set[Kind] = set()
        self.silent: set[Kind] = set()
        self.last_stir = 0.0
        self.notes: list[str] = []
        self._modern_version: str | None = None
        self._next_id = 1
        self._waiting: dict[int, str] = {}
        self._answers: dict[int, Answer | AvowError] = {}
        self._lines: dict[int, bytes] = {}
        self._received = self._values = 0

    @property
    def server(self) -> str:
        """What to call the server in messages."""
        return self.channel.server

    @property
    def client(self) -> JsonObject:
        """How we introduce ourselves."""
        return {"name": self.client_name, "version": __version__}

    def use_envelope(self, version: str | None) -> None:
        """From now on, every request says for itself who asks, in which version, and what we can do."""
        self._modern_version = version

    def ask(self, method: str, params: JsonObject | None = None) -> int:
        """Send a request without waiting, and return its id."""
        number = self._next_id
        self._next_id += 1
        message: JsonObject = {"jsonrpc": "2.0", "id": number, "method": method}
        if self._modern_version is not None:
            envelope = {
                VERSION_KEY: self._modern_version,
                CLIENT_KEY: self.client,
                CLIENT_CAPABILITIES_KEY: CLIENT_CAPABILITIES,
            }
            message["params"] = {**(params or {}), "_meta": envelope}
        elif params is not None:
            message["params"] = params
        self._waiting[number] = method
        self.channel.send(message, self.deadline)
        return number

    def notify(self, method: str) -> None:
        """Send a notification."""
        self.channel.send({"jsonrpc": "2.0", "method": method}, self.deadline)

    def answer(self, number: int) -> Answer:
        """Wait for the answer to a request, and let go of it: a large one is not kept twice.

        Raises:
            ServerTimeoutError: it did not come in time.
            UnavailableError: the server went away.
            MalformedInputError: what came cannot be read.
        """
        answer = self.answer_by(number, self.deadline)
        if answer is None:
            words = quoted(self.channel.words())
            raise ServerTimeoutError(
                f"{self.server} did not answer {self._waiting[number]} in time{words}",
                hint="is it waiting for something? A server that is slow to start needs a longer --timeout",
            )
        self._answers[number] = _TAKEN
        return answer

    def answer_by(self, number: int, until: float) -> Answer | None:
        """The answer to a request, or None when it has not come by `until`."""
        until = min(until, self.deadline)
        while number not in self._answers:
            if not self.listen_once(until):
                return None
        answer = self._answers[number]
        if isinstance(answer, AvowError):
            raise answer
        return answer

    def has_answer(self, number: int) -> bool:
        """Whether the answer to a request, or a refusal, has already come."""
        return number in self._answers

    def request(self, method: str, params: JsonObject | None = None) -> Answer:
        """Ask and wait."""
        return self.answer(self.ask(method, params))

    def listen_once(self, until: float) -> bool:
        """Take in one message; False when none came by `until`."""
        received = self.channel.receive(until)
        match received:
            case None:
                return False
            case Refused(id=number, error=error):
                if number is not None:
                    self._answers.setdefault(number, error)
            case bytes():
                self._take(received)
        return True

    def begin_anew(self, client_name: str) -> None:
        """Go on under another name: let go of the answers that were read, and count their bytes afresh."""
        self.client_name = client_name
        self._answers = dict.fromkeys(self._answers, _TAKEN)
        self._received = self._values = 0
        self.last_stir = 0.0

    def note(self, text: str) -> None:
        """Remember something that a person should know about this look; once, and not without end."""
        if text not in self.notes and len(self.notes) < 50:
            self.notes.append(text)

    def said(self, text: str) -> str:
        """A server's words, to be quoted in one line."""
        return printable(self.channel.secrets.hide(text), _LONGEST_MESSAGE, fold=True)

    def _take(self, line: bytes) -> None:
        values = self._weigh(line)
        with _undisturbed() if values > _MANY else nullcontext():
            event = read_event(line, self.server)
        match event:
            case Answered(id=number, answer=answer):
                self._take_answer(number, answer, line, values)
            case Asked(id=number, method=method):
                self._reply(number, method)
            case Notified(method=method):
                if method in _CHANGED:
                    self.changed.update(_CHANGED[method])
                    self.last_stir = time.monotonic()
            case Noise():
                self.channel.ignore(line)

    def _take_answer(self, number: Any, answer: Answer, line: bytes, values: int) -> None:
        meant = _meant(number)
        if meant not in self._waiting:
            self.channel.ignore(line[:_LONGEST_MESSAGE])
            self.note("the server sent an answer to a request that was never made; it was ignored")
            return
        # Clients differ over which of several answers counts, and over whether `"1"` or `1.0` is the id 1.
        if type(number) is not int:
            raise MalformedAnswerError(
                f"{self.server} answered {self._waiting[meant]} under an id that is only like the one we gave"
            )
        fingerprint = sha256(line).digest()
        if number not in self._lines:
            self._lines[number] = fingerprint
            if isinstance(answer, Result):
                self._keep(line, values)
            self._answers.setdefault(number, answer)
        elif self._lines[number] != fingerprint:
            raise MalformedAnswerError(f"{self.server} gave two different answers to {self._waiting[number]}")
        else:
            self.note(f"the server answered {self._waiting[number]} twice, both times the same")

    def _weigh(self, line: bytes) -> int:
        """How many values a message holds at most, if there is room for them; counted before it is read."""
        values = line.count(b",") + line.count(b"[") + line.count(b"{")
        if values > self.limits.message_values:
            raise PeerProtocolError(f"{self.server} sent a message of more values than anybody could use")
        return values

    def _keep(self, line: bytes, values: int) -> None:
        """See whether there is room for one answer more, and whether it shows too much."""
        self._received += len(line)
        self._values += values
        if self._received > self.limits.total_bytes or self._values > self.limits.total_values:
            limit = self.limits.total_bytes // (1024 * 1024)
            raise PeerProtocolError(
                f"{self.server} sent more than {limit} MiB or {self.limits.total_values:,} values of answers"
            )
        for name in self.channel.secrets.named_in(line):
            self.note(f"the server repeats the value of {name} in what it shows; a lockfile would hold it")

    def _reply(self, number: Any, method: str) -> None:
        if method != "ping":
            self.last_stir = time.monotonic()
        error = {"error": {"code": METHOD_NOT_FOUND, "message": "Method not found"}}
        # A server that does not read its input must not hold us up.
        reply = {"jsonrpc": "2.0", "id": number, **_REPLIES.get(method, error)}
        self.channel.send(reply, time.monotonic())


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Without the garbage collector, which looks at everything again and again while there is more of it."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _meant(number: Any) -> Any:
    """The id that some client may take this one for."""
    if not isinstance(number, str):
        return number if isinstance(number, int | float) else None
    with suppress(ValueError):
        return float(number[:_LONGEST_ID])
    with suppress(ValueError):
        return int(number[:_LONGEST_ID], 0)
    return None

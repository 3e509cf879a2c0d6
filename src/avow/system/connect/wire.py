"""Telling protocol from noise: what one line from a server is, and the constants of both eras."""

import re
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from avow.core.canonical import JsonObject, JsonValue, parse_json, parse_leniently
from avow.errors import MalformedInputError
from avow.system.connect.options import MalformedAnswerError

MODERN_VERSIONS: Final = ("2026-07-28",)
LEGACY_VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")

VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CLIENT_KEY: Final = "io.modelcontextprotocol/clientInfo"
CLIENT_CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"

METHOD_NOT_FOUND: Final = -32601
UNSUPPORTED_VERSION: Final = -32022
MODERN_ERRORS: Final = frozenset({-32020, -32021, UNSUPPORTED_VERSION})

_ENVELOPE: Final = frozenset({"id", "method", "result", "error"})
_MEMBER: Final = re.compile(rb'"(?:id|method|result|error)"[ \t\r\n]*:')
_ESCAPED: Final = re.compile(rb"\\u00([0-7][0-9A-Fa-f])")


@dataclass(frozen=True, slots=True)
class Result:
    """A good answer, and how many bytes it took on the wire."""

    value: JsonObject
    size: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """An answer that says no, in the server's own words."""

    code: int
    message: str
    data: Any = None


Answer: TypeAlias = Result | Failure


@dataclass(frozen=True, slots=True)
class Answered:
    """The server answered a request of ours."""

    id: Any
    answer: Answer


@dataclass(frozen=True, slots=True)
class Asked:
    """The server asks us something."""

    id: Any
    method: str


@dataclass(frozen=True, slots=True)
class Notified:
    """The server tells us something."""

    method: str


@dataclass(frozen=True, slots=True)
class Noise:
    """A banner, a log line, or JSON that is no JSON-RPC."""


Event: TypeAlias = Answered | Asked | Notified | Noise


def read_event(line: bytes, server: str) -> Event:
    """Say what one line is.

    Raises:
        MalformedAnswerError: it is, or pretends to be, a message, and readers could differ over it.
    """
    try:
        message = parse_json(line)
    except MalformedInputError as exc:
        if _is_harmless(line):
            return Noise()
        raise MalformedAnswerError(
            f"{server} sent a message that cannot be trusted to mean one thing: {exc.message}",
            hint="report this to the server's author; nothing that was in the message has been used",
        ) from exc
    if isinstance(message, list) and any(_is_message(part) for part in message):
        raise MalformedAnswerError(
            f"{server} sent several messages in one, which only some clients take apart"
        )
    if not _is_message(message):
        return Noise()
    if "result" in message or "error" in message:
        return _read_answered(message, len(line), server)
    method = message.get("method")
    if isinstance(method, str):
        return Asked(message["id"], method) if "id" in message else Notified(method)
    return Noise()


def _is_message(value: JsonValue) -> bool:
    return isinstance(value, dict) and value.get("jsonrpc") == "2.0"


def _read_answered(message: JsonObject, size: int, server: str) -> Event:
    # One client takes the result, another the error, and a third sees a request: `null` or not.
    if len(message.keys() & {"result", "error", "method"}) > 1:
        raise MalformedAnswerError(f"{server} sent an answer that is a result and something else as well")
    if "id" not in message:
        return Noise()
    return Answered(message["id"], _read_answer(message, size, server))


def _read_answer(message: JsonObject, size: int, server: str) -> Answer:
    match message:
        case {"result": dict(value)}:
            return Result(value, size)
        case {"error": {"code": int(code), "message": str(text)}}:
            return Failure(code, text, message["error"].get("data"))
        case {"error": error}:
            return Failure(0, error if isinstance(error, str) else "an error without a message")
        case _:
            raise MalformedAnswerError(f"{server} sent an answer whose result is not an object")


def _is_harmless(line: bytes) -> bool:
    """Whether a line that is not strict JSON can be skipped: no reader would take it for a message.

    A reader that takes it for an object looks for these members; one that was broken off shows them.
    """
    if not line.lstrip().startswith(b"{"):
        return True
    message = parse_leniently(line)
    if isinstance(message, dict):
        return _ENVELOPE.isdisjoint(message)
    return _MEMBER.search(_ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), line)) is None

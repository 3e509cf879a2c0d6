"""Telling protocol from noise: what one line from a server is, and the constants of both eras."""

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from avow.core.canonical import JsonObject, parse_json, parse_leniently
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
        MalformedAnswerError: it is, or pretends to be, an answer, and readers could differ over it.
    """
    try:
        message = parse_json(line)
    except MalformedInputError as exc:
        if _is_harmless(line):
            return Noise()
        raise MalformedAnswerError(
            f"{server} sent an answer that cannot be trusted to mean one thing: {exc.message}",
            hint="report this to the server's author; nothing that was in the answer has been used",
        ) from exc
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return Noise()
    method = message.get("method")
    if isinstance(method, str):
        return Asked(message["id"], method) if "id" in message else Notified(method)
    if "id" not in message or ("result" in message) == ("error" in message):
        return Noise()
    return Answered(message["id"], _read_answer(message, len(line), server))


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
    """Whether a line that is not strict JSON can be skipped: it is not, and does not look like, an answer."""
    if not line.lstrip().startswith(b"{") or b'"jsonrpc"' not in line:
        return True
    message = parse_leniently(line)
    return isinstance(message, dict) and isinstance(message.get("method"), str)

"""One line of JSON-RPC, read strictly: what the gate decides on is what the other side will read.

A message that nobody has to judge is not taken apart: its body stays raw bytes. Reading an envelope is
sound against duplicate keys, which a fast decoder does not see, by one of three arguments:

1. *It reads back as itself.* A value that an encoder writes as exactly the bytes that came has no
   duplicate key in it, since an encoder never writes one.
2. *The lengths add up.* The bytes of an object are at least one brace pair, and for each key its shortest
   spelling, a colon, the value and a comma. When the distinct members that a decoder found account for
   every byte, there is no room for another member, nor for white space or an escape in a key.
3. Otherwise a parser that shows each pair is asked.
"""

import json
import re
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from avow.core.canonical import MAX_DEPTH, JsonObject, JsonValue, parse_json
from avow.errors import MalformedInputError, PeerProtocolError

RequestId: TypeAlias = int | str

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603

MAX_ID_LENGTH: Final = 256

_SMALL: Final = 1024
# An integer of this many digits may be beyond a double's range: a message that short has none.
_SURELY_IN_RANGE: Final = 300
_SPACE: Final = b" \t\r\n"
_LINE_BREAKS: Final = bytes.maketrans(b"\r\n", b"  ")
_BRACE: Final = 0x7B
SAFE_INTEGER: Final = 2**53 - 1
_BAD_ID: Final = "the id is neither a string nor an integer that every reader can tell apart"
_TOO_DEEP: Final = "the message is nested too deeply"
_STRING: Final = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?'
_TOKEN: Final = re.compile(rb"(?s:%s|[{}\[\]])" % _STRING)
_ID_VALUE: Final = re.compile(rb"(?s:\s*+:\s*+(-?[0-9]{1,16}|%s)\s*+[,}])" % _STRING)
_ENVELOPE: Final = frozenset({"jsonrpc", "id", "method", "params", "result", "error"})
UNREADABLE: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)

_decode: Final = msgspec.json.Decoder().decode
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_elements: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode
encode: Final = msgspec.json.Encoder().encode


class Form(Enum):
    """What a message is for."""

    REQUEST = "request"
    NOTIFICATION = "notification"
    RESPONSE = "response"
    BATCH = "batch"


class Message(NamedTuple):
    """One message: its envelope read, its body raw or, when the message was small, read as well.

    `body` is the value of `params`, `result` or `error`; `None` when there is none. A response with
    `failed` carries an error. A batch has nothing but its line.
    """

    form: Form
    line: bytes
    id: RequestId | None = None
    method: str = ""
    body: JsonValue = None
    failed: bool = False


class UnreadableMessageError(PeerProtocolError):
    """A line is no JSON-RPC message; `code` is the error to answer with, `id` the request if it is known."""

    def __init__(
        self, message: str, *, code: int = INVALID_REQUEST, request_id: RequestId | None = None
    ) -> None:
        """Keep what an answer needs beside the words."""
        super().__init__(message)
        self.code = code
        self.id = request_id


class TooDeepError(UnreadableMessageError):
    """A message is nested deeper than it could be read, so that only its id was looked for."""


def read(line: bytes) -> Message:
    """Read the envelope of one message.

    Raises:
        UnreadableMessageError: not JSON, not an object, a duplicate or misspelt member of the envelope, an
            id that is not a string or a safe integer, or neither a request, a notification nor an answer.
    """
    if len(line) <= _SMALL:
        try:
            value = _decode(line)
        except UNREADABLE:
            value = None
        # An encoder writes no line breaks, so what reads back as itself has none either.
        if type(value) is dict and _reads_back(value, line):
            return _classify(line, value)
    line = on_one_line(line)
    if line[:1] == b"[":
        return Message(Form.BATCH, line)
    try:
        message = _classify(line, _take_apart(line))
    except msgspec.ValidationError:
        raise UnreadableMessageError("the message is not an object") from None
    except RecursionError:
        raise TooDeepError(_TOO_DEEP, code=PARSE_ERROR, request_id=_scan_for_id(line)) from None
    except UNREADABLE:
        raise UnreadableMessageError("the message is not JSON", code=PARSE_ERROR) from None
    if not line.isascii():
        _refuse_other_encodings(message)
    return message


def on_one_line(line: bytes) -> bytes:
    """A message without white space around it, and without line breaks in it.

    JSON has line breaks between tokens only. A peer that reads lines, some at a lone carriage return too,
    would see several messages where one has been judged.
    """
    line = line.strip(_SPACE)
    return line.translate(_LINE_BREAKS) if b"\r" in line or b"\n" in line else line


def read_batch(line: bytes) -> tuple[bytes, ...]:
    """The messages of a batch, each as the bytes that came.

    Raises:
        UnreadableMessageError: it is not a JSON array, or an empty one.
    """
    try:
        messages = tuple(map(bytes, _elements(line)))
    except RecursionError:
        raise TooDeepError(_TOO_DEEP, code=PARSE_ERROR) from None
    except UNREADABLE:
        raise UnreadableMessageError("the batch is not JSON", code=PARSE_ERROR) from None
    if not messages:
        raise UnreadableMessageError("the batch is empty")
    return messages


def strict(body: JsonValue) -> JsonValue:
    """The value of a message's body, read as strictly as `parse_json` does.

    Raises:
        MalformedInputError: two readers could understand it differently.
    """
    if not isinstance(body, msgspec.Raw):
        return body
    data = bytes(body)
    try:
        value = _decode(data)
    except UNREADABLE:
        return parse_json(data)
    return value if _reads_back(value, data) else parse_json(data)


def result_bytes(message: Message) -> bytes:
    """The result of an answer, as the bytes that came."""
    return bytes(message.body) if isinstance(message.body, msgspec.Raw) else members(message.line)["result"]


def members(data: bytes) -> dict[str, bytes]:
    """The members of a JSON object, each value as the bytes that came.

    Raises:
        MalformedInputError: it is not an object, or a key appears twice.
    """
    try:
        return {key: bytes(value) for key, value in _take_apart(data).items()}
    except UNREADABLE:
        raise MalformedInputError("it is not a JSON object") from None


def elements(data: bytes) -> tuple[bytes, ...]:
    """The elements of a JSON array, each as the bytes that came.

    Raises:
        MalformedInputError: it is not an array.
    """
    try:
        return tuple(bytes(element) for element in _elements(data))
    except UNREADABLE:
        raise MalformedInputError("it is not a JSON array") from None


def join(parts: dict[str, bytes]) -> bytes:
    """The inverse of `members`."""
    return b"{" + b",".join(encode(key) + b":" + value for key, value in parts.items()) + b"}"


def refuse_variants(value: JsonObject, names: frozenset[str]) -> None:
    """Refuse a member that some reader would take for one of `names`.

    Go's `encoding/json`, for one, reads `Name`, and even a long s in `paramſ`, as the member it is
    looking for, and lets the last one win.

    Raises:
        MalformedInputError: there is one.
    """
    if not value.keys() <= names:
        for key in value:
            if key not in names and key.casefold() in _folded(names):
                raise MalformedInputError(f"a member is spelt like {key.casefold()!r} in another case")


def is_plain(data: bytes) -> bool:
    """Whether a document surely has no number beyond a double's range, and no nesting beyond the limit."""
    if len(data) <= 2 * MAX_DEPTH:
        return True
    if data.count(b"{") + data.count(b"[") > MAX_DEPTH:
        return False
    return (
        len(data) <= _SURELY_IN_RANGE
        or max(map(len, data.translate(_DIGITS).split()), default=0) <= _SURELY_IN_RANGE
    )


def request(request_id: RequestId, method: str, params: JsonObject) -> bytes:
    """A request of our own."""
    return encode({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})


def result_response(request_id: RequestId, result: JsonValue) -> bytes:
    """An answer to a request."""
    return encode({"jsonrpc": "2.0", "id": request_id, "result": result})


def error_response(request_id: RequestId | None, code: int, message: str, data: JsonValue = None) -> bytes:
    """An error instead of an answer; `request_id` is `None` where nobody could tell it."""
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return encode({"jsonrpc": "2.0", "id": request_id, "error": error})


def _classify(line: bytes, found: JsonObject) -> Message:
    """Sort a message by the members it has; `found` holds values, or raw bytes of values."""
    request_id = found.get("id")
    if isinstance(request_id, msgspec.Raw):
        request_id = _decode(request_id)
    has_id = (type(request_id) is int or type(request_id) is str) and _is_usable(request_id)
    known = request_id if has_id else None
    _check_members(found, known)
    if "method" not in found:
        return _answer(line, found, known, absent="id" in found and request_id is None)
    method = _plain(found["method"])
    if type(method) is not str or "result" in found or "error" in found:
        raise UnreadableMessageError("it is both a request and an answer, or neither", request_id=known)
    if has_id:
        return Message(Form.REQUEST, line, request_id, method, found.get("params"))
    if "id" in found:
        raise UnreadableMessageError(_BAD_ID)
    return Message(Form.NOTIFICATION, line, None, method, found.get("params"))


def _refuse_other_encodings(message: Message) -> None:
    """The decoder does not look inside what it leaves raw."""
    try:
        message.line.decode()
    except UnicodeDecodeError:
        raise UnreadableMessageError(
            "the message is not UTF-8", code=PARSE_ERROR, request_id=message.id
        ) from None


def _check_members(found: JsonObject, known: RequestId | None) -> None:
    if not found.keys() <= _ENVELOPE:
        try:
            refuse_variants(found, _ENVELOPE)
        except MalformedInputError as exc:
            raise UnreadableMessageError(exc.message, request_id=known) from None
    if _plain(found.get("jsonrpc")) != "2.0":
        raise UnreadableMessageError("the member jsonrpc is not 2.0", request_id=known)


def _answer(line: bytes, found: JsonObject, known: RequestId | None, *, absent: bool) -> Message:
    """An answer; only an error may lack an id, where its sender could not tell it."""
    failed = "error" in found
    if failed == ("result" in found) or "params" in found:
        raise UnreadableMessageError("it has neither a method, a result nor an error", request_id=known)
    body = found["error" if failed else "result"]
    if not (memoryview(body)[0] == _BRACE if isinstance(body, msgspec.Raw) else type(body) is dict):
        raise UnreadableMessageError("the answer is not an object", request_id=known)
    if known is None and not (failed and absent):
        raise UnreadableMessageError(_BAD_ID)
    return Message(Form.RESPONSE, line, known, "", body, failed)


def _reads_back(value: JsonValue, data: bytes) -> bool:
    """Whether an encoder writes a value as these bytes: compact, or with the spaces of `json.dumps`."""
    written = encode(value)
    if len(written) != len(data):
        written = msgspec.json.format(written, indent=0)
    return written == data and is_plain(data)


def _plain(value: JsonValue) -> JsonValue:
    return _decode(value) if isinstance(value, msgspec.Raw) else value


def _is_usable(request_id: JsonValue) -> bool:
    if isinstance(request_id, str):
        return len(request_id) <= MAX_ID_LENGTH
    return isinstance(request_id, int) and -SAFE_INTEGER <= request_id <= SAFE_INTEGER


def _take_apart(data: bytes) -> dict[str, msgspec.Raw]:
    """The members of an object, after making sure that each key is there once."""
    found = _members(data)
    keys = [encode(key) for key in found]
    length = 1 + sum(
        len(key) + 2 + len(memoryview(value)) for key, value in zip(keys, found.values(), strict=True)
    )
    if found and length == len(data):
        return found
    if not _is_spaced(data, keys, found) and not _has_distinct_keys(data):
        raise UnreadableMessageError("a member appears twice, or cannot be read", request_id=_guess_id(found))
    return found


def _guess_id(found: dict[str, msgspec.Raw]) -> RequestId | None:
    request_id = _plain(found.get("id"))
    return request_id if type(request_id) in (int, str) and _is_usable(request_id) else None


def _scan_for_id(line: bytes) -> RequestId | None:
    """The id of a message that is too deep to be read: the outermost member of that name, if there is one."""
    depth = 0
    found = []
    for token in _TOKEN.finditer(line):
        text = token[0]
        if text in (b"{", b"["):
            depth += 1
        elif text in (b"}", b"]"):
            depth -= 1
        elif depth == 1 and text == b'"id"' and (value := _ID_VALUE.match(line, token.end())) is not None:
            found.append(value[1])
    if len(found) != 1:
        return None
    try:
        return _guess_id({"id": msgspec.Raw(found[0])})
    except UNREADABLE:
        return None


def _is_spaced(data: bytes, keys: list[bytes], found: dict[str, msgspec.Raw]) -> bool:
    """Whether these members, with a space after each colon and comma, are what came.

    Python's `json.dumps` writes so; a value of a megabyte is compared, not parsed.
    """
    place = 0
    mark = b"{"
    for key, value in zip(keys, found.values(), strict=True):
        mark += key + b": "
        text = bytes(value)
        if not (data.startswith(mark, place) and data.startswith(text, place + len(mark))):
            return False
        place += len(mark) + len(text)
        mark = b", "
    return data[place:] == b"}"


def _has_distinct_keys(data: bytes) -> bool:
    outermost: list[tuple[str, object]] = []

    def remember(pairs: list[tuple[str, object]]) -> None:
        outermost[:] = pairs

    try:
        json.loads(data, object_pairs_hook=remember)
    except (ValueError, RecursionError):
        return False
    return len({key for key, _ in outermost}) == len(outermost)


def _folded(names: frozenset[str]) -> frozenset[str]:
    return frozenset(name.casefold() for name in names)


_DIGITS: Final = bytes(byte if 0x30 <= byte <= 0x39 else 0x20 for byte in range(256))

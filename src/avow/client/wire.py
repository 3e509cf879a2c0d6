"""What the SDK hands around as values, as the lines of JSON-RPC that the gate reads.

The SDK has parsed a message before anybody here sees it; what is written here says exactly what the SDK's
session will go by. For a value that JSON does not have, as the SDK's parser lets `NaN` pass, something is
written that no strict reader accepts, so that the gate refuses the message.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from avow.protocol.messages import RequestId, encode

_decode: Final = msgspec.json.Decoder().decode
_UNACCEPTABLE: Final = b'{"":1e999}'


def request_line(request_id: RequestId, method: str, params: Mapping[str, Any] | None) -> bytes:
    """A request."""
    head = b'{"jsonrpc":"2.0","id":' + encode(request_id) + b',"method":' + encode(method)
    return head + (b"}" if params is None else b',"params":' + write(params) + b"}")


def notification_line(method: str, params: Mapping[str, Any] | None) -> bytes:
    """A message that nobody answers."""
    head = b'{"jsonrpc":"2.0","method":' + encode(method)
    return head + (b"}" if params is None else b',"params":' + write(params) + b"}")


def result_line(request_id: RequestId, result: Mapping[str, Any], *, exactly: bool = True) -> bytes:
    """An answer; where nothing in it is judged, it need not be written `exactly`."""
    body = write_exactly(result) if exactly else write(result)
    return b'{"jsonrpc":"2.0","id":' + encode(request_id) + b',"result":' + body + b"}"


def error_line(request_id: RequestId, code: int, message: str, data: Any) -> bytes:
    """An error instead of an answer."""
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return b'{"jsonrpc":"2.0","id":' + encode(request_id) + b',"error":' + write_exactly(error) + b"}"


def write(value: Any) -> bytes:
    """A value as JSON."""
    try:
        return encode(value)
    except (UnicodeEncodeError, RecursionError):
        return _UNACCEPTABLE


def write_exactly(value: Any) -> bytes:
    """A value as JSON that reads back as the same value, or that nobody accepts."""
    data = write(value)
    # The encoder writes null for a number that is none.
    return _UNACCEPTABLE if b"null" in data and _decode(data) != value else data


def read_line(line: bytes) -> dict[str, Any]:
    """A line that the gate wrote or let pass."""
    message: dict[str, Any] = _decode(line)
    return message

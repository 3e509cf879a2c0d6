"""HTTP headers: which may be there only once, what they claim, and the few that go on to a server."""

from collections.abc import Iterable, Mapping
from typing import Final

from avow.protocol.gate import HeaderFacts
from avow.proxy.gateway.parameters import PREFIX
from avow.proxy.gateway.stream import Header

SESSION: Final = b"mcp-session-id"
VERSION: Final = b"mcp-protocol-version"
METHOD: Final = b"mcp-method"
NAME: Final = b"mcp-name"

# Two readers could each believe another one of these.
_ONCE: Final = frozenset(
    {
        b"host", b"origin", b"authorization", b"content-type", b"content-length", b"last-event-id",
        SESSION, VERSION, METHOD, NAME,
    }
)  # fmt: skip
_TRACE: Final = (b"traceparent", b"tracestate", b"baggage")


def read_headers(headers: Iterable[Header]) -> dict[bytes, bytes] | None:
    """The headers by name, repeated ones joined; `None` when one is repeated that may not be."""
    found: dict[bytes, bytes] = {}
    for name, value in headers:
        if name not in found:
            found[name] = value
        elif name in _ONCE or name.startswith(PREFIX):
            return None
        else:
            found[name] += b", " + value
    return found


def facts(headers: Mapping[bytes, bytes]) -> HeaderFacts:
    """What the headers claim about the body."""
    return HeaderFacts(_text(headers, VERSION), _text(headers, METHOD), _text(headers, NAME))


def passed(headers: Mapping[bytes, bytes], *, modern: bool) -> tuple[Header, ...]:
    """The headers that belong to what the client asks, not to its connection with us; no others go on.

    `Authorization` is among them: whoever talks to a server decides whether it is meant for it.
    """
    names = (*_TRACE, VERSION, b"authorization", *((METHOD, NAME) if modern else ()))
    kept = [(name, headers[name]) for name in names if name in headers]
    if modern:
        kept += [(name, value) for name, value in headers.items() if name.startswith(PREFIX)]
    return tuple(kept)


def _text(headers: Mapping[bytes, bytes], name: bytes) -> str | None:
    value = headers.get(name)
    return None if value is None else value.decode("latin-1")

"""What a request of 2026-07-28 says about itself: version and client capabilities, on every request."""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from typing import Final

import msgspec

from avow.core.canonical import JsonObject, JsonValue
from avow.core.severity import Severity
from avow.protocol.events import event, shown
from avow.protocol.gate.pending import Claims
from avow.protocol.gate.refusal import HEADER_MISMATCH, VERSION_UNSUPPORTED, Refusal, invalid_params
from avow.protocol.messages import encode
from avow.protocol.versions import MODERN

VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY: Final = "io.modelcontextprotocol/clientInfo"
SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"

CLAIMED_KEYS: Final = (VERSION_KEY, CLIENT_KEY, CAPABILITIES_KEY)
"""What a request says about its client, in the order of a claim's key."""

_NAMED_BY: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_NAMES: Final = ("name", "uri", "taskId")
_WRAPPED: Final = ("=?base64?", "?=")


class HeaderFacts(msgspec.Struct, frozen=True):
    """What the HTTP headers of a request claim; `None` where a header is missing."""

    protocol_version: str | None = None
    method: str | None = None
    name: str | None = None


def is_modern(params: JsonValue) -> bool:
    """Whether a request carries the envelope of 2026-07-28, or a part of it."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and VERSION_KEY in meta


def read_claims(method: str, params: JsonObject, headers: HeaderFacts | None) -> Claims:
    """The claims of one request.

    Raises:
        Refusal: with the protocol's own errors: incomplete, at odds with the headers, or a version that
            nobody here speaks.
    """
    meta = params.get("_meta")
    if not isinstance(meta, dict):
        raise invalid_params(f"params._meta has to carry {VERSION_KEY} and {CAPABILITIES_KEY}")
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]
    if missing:
        raise invalid_params(f"params._meta lacks {' and '.join(missing)}")
    version, capabilities = meta[VERSION_KEY], meta[CAPABILITIES_KEY]
    if headers is not None:
        _compare(method, params, version, headers)
    if not isinstance(version, str) or not isinstance(capabilities, dict):
        raise invalid_params("the protocol version is not a string, or the client capabilities are no object")
    if version not in MODERN:
        raise unsupported(version)
    own = {key: meta[key] for key in CLAIMED_KEYS if key in meta}
    return Claims(version, capabilities, encode(own), own)


def unsupported(requested: JsonValue) -> Refusal:
    """A version that is not served, with those that are."""
    data: JsonObject = {"supported": list(MODERN)}
    if isinstance(requested, str):
        data["requested"] = shown(requested)
    happened = event("protocol_refused", Severity.MODERATE, detail="the protocol version is not supported")
    return Refusal(VERSION_UNSUPPORTED, "avow: unsupported protocol version", happened, data)


def _compare(method: str, params: JsonObject, version: JsonValue, headers: HeaderFacts) -> None:
    if headers.protocol_version is None or headers.protocol_version != version:
        raise _mismatch("mcp-protocol-version")
    if headers.method != method:
        raise _mismatch("mcp-method")
    if not _is_named(method, params, headers.name):
        raise _mismatch("mcp-name")


def _is_named(method: str, params: JsonObject, header: str | None) -> bool:
    """Whether a request is about what its header names; one that names nothing has no such header."""
    member = _NAMED_BY.get(method)
    if member is not None and member in params:
        return bool(_unwrapped(header) == params[member])
    named = _unwrapped(header)
    return header is None or (named is not None and named in [params.get(other) for other in _NAMES])


def _mismatch(header: str) -> Refusal:
    message = f"the {header} header does not say what the body says"
    return Refusal(
        HEADER_MISMATCH, f"avow: {message}", event("header_mismatch", Severity.MODERATE, detail=message)
    )


def _unwrapped(value: str | None) -> str | None:
    """A header value, out of the base64 that carries what a header cannot; `None` when that is broken."""
    start, end = _WRAPPED
    if value is None or not (value.startswith(start) and value.endswith(end)):
        return value
    payload = value[len(start) : -len(end)]
    try:
        decoded = b64decode(payload, validate=True)
        return decoded.decode() if b64encode(decoded).decode() == payload else None
    except (Base64Error, ValueError):
        return None

"""What every request of 2026-07-28 says about itself and its client."""

from typing import Final

from avow.audit.live.talk import CLIENT
from avow.core.canonical import JsonObject
from avow.system.connect.wire import CLIENT_CAPABILITIES_KEY, CLIENT_KEY, MODERN_VERSIONS, VERSION_KEY

MODERN: Final = MODERN_VERSIONS[0]


def envelope(
    version: str | None = MODERN,
    *,
    capabilities: JsonObject | None = None,
    client: JsonObject | None = None,
) -> JsonObject:
    """The parameters of an ordinary request, unless told otherwise; no version leaves it out."""
    meta: JsonObject = {CLIENT_KEY: client or CLIENT, CLIENT_CAPABILITIES_KEY: capabilities or {}}
    return {"_meta": meta if version is None else {VERSION_KEY: version, **meta}}


def without_capabilities() -> JsonObject:
    """Parameters that do not say what the client can do, which is required."""
    return {"_meta": {VERSION_KEY: MODERN, CLIENT_KEY: CLIENT}}

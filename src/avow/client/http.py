"""The SDK's transport for a URL, wide enough for a signature."""

import inspect
from typing import Any, Final

from mcp.client.streamable_http import streamable_http_client

from avow.protocol.gate import Limits

_LIMIT: Final = "max_sse_event_size"
_BESIDE: Final = 1024 * 1024


def http_transport(url: str, limits: Limits) -> Any:
    """A transport that takes events as large as a signature may be; its own limit is 1 MiB.

    Releases of the SDK before 2.3 have no such limit.
    """
    known = _LIMIT in inspect.signature(streamable_http_client).parameters
    options: dict[str, Any] = {_LIMIT: limits.list_bytes + _BESIDE} if known else {}
    return streamable_http_client(url, **options)

"""The SDK's transport for a URL: wide enough for a signature, and no wider.

The SDK bounds the events of a stream, and reads a body that is no stream whole, however long it is.
"""

import inspect
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from avow.protocol.gate import Limits

_LIMIT: Final = "max_sse_event_size"
_BESIDE: Final = 1024 * 1024


@asynccontextmanager
async def http_transport(url: str, limits: Limits) -> AsyncIterator[Any]:
    """A transport that takes messages as large as a signature may be, in a stream or by themselves.

    The SDK's own limit for those in a stream is 1 MiB; its releases before 2.3 have none.
    """
    size = limits.list_bytes + _BESIDE
    known = _LIMIT in inspect.signature(streamable_http_client).parameters
    options: dict[str, Any] = {_LIMIT: size} if known else {}

    async def bound(response: httpx2.Response) -> None:
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        encoding = response.headers.get("content-encoding", "identity")
        if encoding != "identity":
            response.stream = _Bounded(response.stream, 0, "it is compressed although nobody asked for that")
        elif not _is_stream(response):
            response.stream = _Bounded(response.stream, size, f"it has more than {size} bytes")

    # What is compressed says nothing about its size.
    async with create_mcp_http_client(headers={"Accept-Encoding": "identity"}) as client:
        client.event_hooks = {"response": [bound]}
        async with streamable_http_client(url, http_client=client, **options) as streams:
            yield streams


def _is_stream(response: httpx2.Response) -> bool:
    """Whether the SDK reads the body event by event: that of a redirect or a farewell it reads whole."""
    kind = response.headers.get("content-type", "").lower()
    return (
        response.is_success and response.request.method != "DELETE" and kind.startswith("text/event-stream")
    )


class _Bounded(httpx2.AsyncByteStream):
    """A body that ends with an error where it goes beyond its limit."""

    def __init__(self, inner: httpx2.AsyncByteStream, limit: int, problem: str) -> None:
        self._inner = inner
        self._limit = limit
        self._problem = problem

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._limit
        async for piece in self._inner:
            left -= len(piece)
            if left < 0:
                # The SDK answers the request that waits for this with an error.
                raise httpx2.StreamError(f"the server's answer is not read: {self._problem}")
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()

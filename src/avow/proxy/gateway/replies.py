"""HTTP answers: a JSON document where the answer is all there is to say, else events as they come."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from functools import lru_cache
from typing import Any, Final

import msgspec

from avow.core.canonical import JsonValue
from avow.protocol.messages import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNREADABLE,
    RequestId,
    error_response,
)
from avow.proxy.gateway.stream import Header, Piece, Stream

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_QUICK_SECONDS: Final = 0.2
_COMMIT_SECONDS: Final = 5.0
_PING_SECONDS: Final = 15.0

_JSON: Final = (b"content-type", b"application/json")
_EVENTS: Final = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
)
# 2026-07-28 ties these errors to a status.
STATUS_OF_ERROR: Final = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    -32020: 400,
    -32021: 400,
    -32022: 400,
    METHOD_NOT_FOUND: 404,
}


class _Error(msgspec.Struct):
    code: int = 0


class _Failed(msgspec.Struct):
    id: int | str | None = None
    error: _Error | None = None


_decode_failure: Final = msgspec.json.Decoder(_Failed).decode


class Answerer:
    """Answers one HTTP request; `status` is what it was answered with."""

    def __init__(self, receive: Receive, send: Send) -> None:
        """Nothing sent yet."""
        self.status = 0
        self._receive = receive
        self._send = send

    async def plain(self, status: int, body: bytes = b"", headers: tuple[Header, ...] = (_JSON,)) -> None:
        """One whole answer."""
        self.status = status
        length = (b"content-length", str(len(body)).encode())
        shown = (*headers, length) if body else (*(each for each in headers if each != _JSON), length)
        await self._send({"type": "http.response.start", "status": status, "headers": shown})
        await self._send({"type": "http.response.body", "body": body})

    async def refuse(
        self,
        status: int,
        message: str,
        headers: tuple[Header, ...] = (),
        *,
        code: int = INVALID_REQUEST,
        request_id: RequestId | None = None,
        data: JsonValue = None,
    ) -> None:
        """An error that says what is wrong with the request, or with what it asks."""
        error = error_response(request_id, code, f"avow: {message}", data)
        await self.plain(status, error, (_JSON, *headers))

    async def answer(
        self,
        stream: Stream,
        headers: tuple[Header, ...] = (),
        *,
        events: bool,
        modern: bool = False,
        prime: Callable[[Stream], bytes] | None = None,
    ) -> None:
        """What a stream holds: JSON when it is over before anything else was said, else events.

        Without `events` the client cannot read any, and gets the last word only. `prime` gives an event to
        resume from to a client that has to wait.
        """
        watcher: asyncio.Task[None] | None = None
        try:
            if not await stream.wait(_QUICK_SECONDS):
                watcher = asyncio.create_task(self._watch(stream))
                await stream.wait(_COMMIT_SECONDS)
            while not events and not stream.over and not stream.left:
                await _until_over(stream)
            if stream.left:
                return
            if stream.over and (not events or (len(stream.pieces) == 1 and not stream.as_events)):
                await self._json(stream, headers, modern=modern)
            else:
                watcher = watcher or asyncio.create_task(self._watch(stream))
                await self._events(stream, headers, prime)
        finally:
            if not stream.over:
                stream.leave()
            if watcher is not None:
                watcher.cancel()

    async def listen(self, stream: Stream, headers: tuple[Header, ...] = ()) -> None:
        """Events until one side has enough."""
        watcher = asyncio.create_task(self._watch(stream))
        try:
            await self._events(stream, headers, None)
        finally:
            stream.leave()
            watcher.cancel()

    async def outwaits(self, awaited: asyncio.Event, seconds: float) -> bool:
        """Whether something happens in time, and before the client goes away."""
        waiting = asyncio.ensure_future(awaited.wait())
        leaving = asyncio.ensure_future(self._gone())
        try:
            await asyncio.wait((waiting, leaving), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            leaving.cancel()
        return awaited.is_set()

    async def _json(self, stream: Stream, headers: tuple[Header, ...], *, modern: bool) -> None:
        pieces = stream.take()
        body = pieces[-1].line if pieces else error_response(None, -32000, "avow: the server gave no answer")
        status = stream.status or _status(body, modern=modern)
        await self.plain(status, body, (_JSON, *headers, *stream.reply_headers))

    async def _events(
        self, stream: Stream, headers: tuple[Header, ...], prime: Callable[[Stream], bytes] | None
    ) -> None:
        self.status = 200
        await self._send(
            {"type": "http.response.start", "status": 200, "headers": (*_EVENTS, *headers)},
        )
        head = prime(stream) if prime is not None and not stream.pieces else b""
        await self._write(head + b"data: \n\n" if head else b"", more=True)
        while not stream.left:
            over = stream.over
            pieces = stream.take()
            if pieces or over:
                await self._write(b"".join(map(_event, pieces)), more=not over)
            if over:
                return
            if not await stream.wait(_PING_SECONDS):
                await self._write(b": still here\n\n", more=True)

    async def _write(self, body: bytes, *, more: bool) -> None:
        await self._send({"type": "http.response.body", "body": body, "more_body": more})

    async def _watch(self, stream: Stream) -> None:
        await self._gone()
        stream.leave()

    async def _gone(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass


def accepts(headers: Mapping[bytes, bytes], kind: bytes) -> bool:
    """Whether the `Accept` header names a media type, or everything; one that is missing accepts all."""
    return _accepts(headers.get(b"accept", b"*/*"), kind)


@lru_cache(256)
def _accepts(accepted: bytes, kind: bytes) -> bool:
    wanted = (kind, kind.partition(b"/")[0] + b"/*", b"*/*")
    return any(each.partition(b";")[0].strip().lower() in wanted for each in accepted.split(b","))


async def _until_over(stream: Stream) -> None:
    """Drop what a client cannot read, and wait for more."""
    last = stream.take()[-1:]
    if stream.over:
        stream.pieces.extend(last)
        return
    await stream.wait(_PING_SECONDS)


def _event(piece: Piece) -> bytes:
    return piece.head + b"event: message\ndata: " + piece.line + b"\n\n"


def _status(body: bytes, *, modern: bool) -> int:
    """The status that goes with an answer; before 2026-07-28 only what could not be read has one."""
    try:
        failed = _decode_failure(body)
    except UNREADABLE:
        return 200
    if failed.error is None:
        return 200
    return STATUS_OF_ERROR.get(failed.error.code, 200) if modern else 400 if failed.id is None else 200

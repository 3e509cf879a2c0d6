"""Around the whole application: the names it answers to, its time, the headers it always sends, its log."""

import asyncio
import json
import logging
import time
import traceback
from collections.abc import MutableMapping
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from avow.errors import AvowError
from avow.registry.api.problems import RefusedError, problem
from avow.registry.service import Service

LOG: Final = logging.getLogger("avow.registry")

_ALWAYS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
# What is not a page may not be shown as one.
_NO_PAGE: Final = (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'")
_UNKNOWN_ROUTE: Final = "none"
_FRAMES: Final = 20


class Guard:
    """An application behind what holds for all of its requests."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        """Guard an application."""
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or pass the start and the end of the service on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.monotonic()
        answer = _Answer(send)
        try:
            await self._bounded(scope, receive, answer)
        except Exception as error:
            LOG.error(json.dumps(_mistake(error)))  # noqa: TRY400  one line, like all others
            if not answer.is_complete:
                raise
        finally:
            self._told(scope, answer.status, time.monotonic() - began)

    async def _bounded(self, scope: Scope, receive: Receive, answer: "_Answer") -> None:
        refusal = _wrong_host(scope, self._service.settings.hosts)
        if refusal is not None:
            await problem(refusal)(scope, receive, answer)
            return
        try:
            async with asyncio.timeout(self._service.settings.bounds.answer_seconds):
                await self._app(scope, receive, answer)
        except TimeoutError:
            # Somebody does not read what they asked for, or the store is stuck.
            if answer.status:
                LOG.warning(json.dumps({"event": "too_slow", "path": scope["path"][:200]}))
                raise ConnectionResetError("the client does not read") from None
            await problem(RefusedError(503, "this took too long"))(scope, receive, answer)

    def _told(self, scope: Scope, status: int, seconds: float) -> None:
        route = scope.get("avow.route", _UNKNOWN_ROUTE)
        metrics = self._service.metrics
        method = scope["method"] if scope["method"] in _METHODS else "other"
        metrics.count("requests", method=method, route=route, status=str(status))
        metrics.answered(seconds)
        if LOG.isEnabledFor(logging.INFO):
            line = {
                "event": "request",
                "method": method,
                "path": scope["path"][:500],
                "status": status,
                "milliseconds": round(seconds * 1000, 1),
                "client": (scope.get("client") or ("",))[0],
            }
            LOG.info(json.dumps(line))


_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})


class _Answer:
    """Sends on, with the headers that are always there, and remembers the status."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0
        self.is_complete = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = _with_headers(message)
        await self._send(message)
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self.is_complete = True


def _mistake(error: Exception) -> dict[str, object]:
    """Where it happened, not what it says: that may hold anything."""
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    return {"event": "mistake", "error": type(error).__name__, "places": places}


def _with_headers(message: MutableMapping[str, Any]) -> list[tuple[bytes, bytes]]:
    headers = list(message.get("headers", ()))
    names = {name.lower() for name, _ in headers}
    added = [pair for pair in _ALWAYS if pair[0] not in names]
    if _NO_PAGE[0] not in names:
        added.append(_NO_PAGE)
    return [*headers, *added]


def _wrong_host(scope: Scope, hosts: frozenset[str] | None) -> AvowError | None:
    """A page can make its own name lead to this machine, but cannot hide that it used it."""
    if hosts is None:
        return None
    given = [value for name, value in scope["headers"] if name == b"host"]
    try:
        parts = urlsplit(f"//{given[0].decode('ascii')}") if len(given) == 1 else None
        if parts is not None and parts.hostname in hosts and not parts.path and "@" not in parts.netloc:
            return None
    except ValueError:
        pass
    return RefusedError(
        421, "this registry does not answer to that host name", "start it with --url", {"connection": "close"}
    )

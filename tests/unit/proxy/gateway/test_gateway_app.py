"""The application without a socket: what it answers before any server is asked."""

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest

from avow.core.contract import Contract
from avow.core.target import FileTarget, HttpTarget, StdioTarget, Target
from avow.errors import UsageError
from avow.protocol.gate import GatePolicy
from avow.proxy.contracts import Held
from avow.proxy.gateway.app import Bounds
from avow.proxy.gateway.composing import Options, compose

HEADERS = [(b"host", b"localhost"), (b"content-type", b"application/json")]


def held(target: Target, name: str = "files") -> Held:
    contract: Contract | None = None
    return Held(name, target, contract, GatePolicy())


def status(bounds: Bounds, pieces: list[bytes | None]) -> int:
    """The status of a request whose body comes in pieces; `None` never comes."""
    gateway = compose([held(StdioTarget("false"))], Options("127.0.0.1", bounds=bounds), {})
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        piece = pieces.pop(0)
        if piece is None:
            await asyncio.sleep(60)
        return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/files/mcp", "headers": HEADERS}
    asyncio.run(gateway(scope, receive, send))
    found: int = sent[0]["status"]
    return found


def test_a_body_that_trickles_in_is_given_up() -> None:
    assert status(Bounds(body_seconds=0.05), [b"{", None]) == 408


def test_a_body_that_does_not_even_begin_is_given_up() -> None:
    assert status(Bounds(body_seconds=0.05), [None]) == 408


def test_a_body_in_pieces_is_counted() -> None:
    assert status(Bounds(body_bytes=10), [b"x" * 6, b"x" * 6, b""]) == 413
    assert status(Bounds(body_bytes=10), [b"x" * 11]) == 413
    assert status(Bounds(body_bytes=10), [b"x" * 5, b"x" * 5]) == 400


def test_no_more_requests_at_once_than_allowed() -> None:
    assert status(Bounds(requests=0), [b"{}"]) == 503
    assert status(Bounds(server_requests=0), [b"{}"]) == 503


def test_only_what_runs_or_answers_can_be_served() -> None:
    with pytest.raises(UsageError, match="neither started by a command"):
        compose([held(FileTarget("x.json"))], Options("127.0.0.1"), {})


def test_a_header_value_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AVOW_HEADER_FILES_X_KEY", "a\r\nb: c")

    with pytest.raises(UsageError, match="no header may have"):
        compose([held(HttpTarget("http://x/mcp", ("X-Key",)))], Options("127.0.0.1"), {})


def test_servers_that_would_share_a_credential_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AVOW_HEADER_MY_API_X_KEY", "secret")
    target = HttpTarget("http://x/mcp", ("X-Key",))

    with pytest.raises(UsageError, match="both my-api and my_api"):
        compose([held(target, "my-api"), held(target, "my_api")], Options("127.0.0.1"), {})

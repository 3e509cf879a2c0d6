"""Laws: whatever a client sends, it gets an answer, and a server sees only what its contract covers."""

import asyncio
import json
from collections.abc import Iterable, MutableMapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avow.core.capability import Capability, Kind, Signature
from avow.core.contract import Contract, ContractSource
from avow.core.target import HttpTarget
from avow.protocol.gate import GatePolicy
from avow.proxy.contracts import Held
from avow.proxy.gateway import composing
from avow.proxy.gateway.app import Gateway
from avow.proxy.gateway.client import HttpClient, Listener, Request
from avow.proxy.gateway.stream import Header

ECHO = {"name": "echo", "description": "Say it again.", "inputSchema": {"type": "object"}}
PREFIX = "io.modelcontextprotocol/"
META = {f"{PREFIX}protocolVersion": "2026-07-28", f"{PREFIX}clientCapabilities": {}}


class Server(HttpClient):
    """A server that answers everything, and remembers what it was asked."""

    seen: list[dict[str, Any]]

    def send(self, method: bytes, headers: Iterable[Header], body: bytes, listener: Listener) -> Request:
        message = json.loads(body)
        type(self).seen.append(message)
        tools = [ECHO, {**ECHO, "name": "other"}]
        answer = {
            "jsonrpc": "2.0",
            "id": message["id"],
            "result": {"tools": tools, "prompts": [], "resources": []},
        }
        request = Request(b"", listener)

        def reply() -> None:
            request.start(200, {b"content-type": b"application/json"})
            listener.received(json.dumps(answer).encode())
            request.finish()

        asyncio.get_running_loop().call_soon(reply)
        return request


@pytest.fixture(scope="module")
def gateway() -> Gateway:
    signature = Signature.of([Capability.read(Kind.TOOL, ECHO)])
    contract = Contract.from_signature(signature, ContractSource.DECLARED)
    held = Held("web", HttpTarget("http://localhost/mcp"), contract, GatePolicy())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(composing, "HttpClient", Server)
        return composing.compose([held], composing.Options("127.0.0.1"), {})


def post(gateway: Gateway, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    given_headers = {"host": "localhost", "content-type": "application/json", **headers}
    encoded = [(name.encode(), value.encode()) for name, value in given_headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/web/mcp", "headers": encoded}
    asyncio.run(asyncio.wait_for(gateway(scope, receive, send), 5))
    return sent[0]["status"], sent[1]["body"]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
METHODS = """
    tools/list prompts/list resources/list resources/templates/list server/discover tools/call prompts/get
    resources/read initialize ping signature completion/complete subscriptions/listen resources/subscribe
    tools/resolve notifications/cancelled x/unknown
""".split()  # noqa: SIM905 - easier to read without quotes
methods = st.sampled_from(METHODS) | st.text(max_size=8)
names = st.sampled_from(["echo", "other", "Echo", "", "echo\0"]) | values
params = st.fixed_dictionaries(
    {},
    optional={
        "name": names,
        "uri": names,
        "arguments": values,
        "_meta": st.just(META) | values,
        "Name": names,
    },
)
messages = st.fixed_dictionaries(
    {"method": methods},
    optional={
        "jsonrpc": st.just("2.0") | values,
        "id": st.integers(0, 9) | values,
        "params": params | values,
    },
)
bodies = messages.map(lambda message: json.dumps({"jsonrpc": "2.0", **message}).encode()) | st.binary(
    max_size=40
)


@settings(max_examples=200, deadline=None)
@given(body=bodies, version=st.sampled_from(["2026-07-28", "2025-11-25", "", "x"]), honest=st.booleans())
def test_a_server_sees_only_what_the_contract_covers_and_the_client_gets_an_answer(
    gateway: Gateway, body: bytes, version: str, honest: bool
) -> None:
    Server.seen = []
    headers = {"mcp-protocol-version": version} if version else {}
    if honest:
        headers |= honest_headers(body)

    status, answer = post(gateway, body, headers)

    assert status in (200, 202, 400, 404)
    assert status == 202 or "error" in json.loads(answer) or "result" in json.loads(answer)
    for message in Server.seen:
        assert message["params"]["_meta"].items() >= META.items()
        if message["method"] in ("tools/call", "tools/resolve"):
            assert message["params"]["name"] == "echo"
        assert message["method"] not in ("prompts/get", "resources/read", "resources/subscribe", "initialize")


def test_what_the_contract_covers_goes_through(gateway: Gateway) -> None:
    """The law above would hold for a gateway that refuses everything."""
    Server.seen = []
    params = {"name": "echo", "arguments": {}, "_meta": META}
    body = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}).encode()

    status, answer = post(gateway, body, {"mcp-protocol-version": "2026-07-28", **honest_headers(body)})

    assert status == 200
    assert json.loads(answer)["id"] == 7
    assert Server.seen[-1]["method"] == "tools/call"


def honest_headers(body: bytes) -> dict[str, str]:
    """The headers of a client that says the same twice, as far as a header can."""
    try:
        message = json.loads(body)
        found = {"mcp-method": message["method"], "mcp-name": message.get("params", {}).get("name", "")}
    except (ValueError, TypeError, KeyError, AttributeError):
        return {}
    return {name: value for name, value in found.items() if isinstance(value, str) and value.isascii()}

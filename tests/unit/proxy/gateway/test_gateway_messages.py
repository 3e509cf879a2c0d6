"""Ids, tokens and headers: what is read for routing, and what is put in another's place."""

import json

import pytest

from avow.errors import MalformedInputError
from avow.proxy.gateway.envelopes import (
    Envelope,
    agreed_version,
    asked_progress,
    claims,
    envelope,
    is_notification,
    replaced,
    request_ids,
    tokens,
    unread_id,
)
from avow.proxy.gateway.headers import facts, passed, read_headers
from avow.proxy.gateway.metrics import Metrics

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "progressToken": "p"}


def test_an_envelope_is_read_whatever_is_in_it() -> None:
    assert envelope(b'{"id": 7, "method": "ping", "params": [1, {}]}') == Envelope(7, "ping")
    assert envelope(b'{"id": "7", "result": {}}').is_answer
    for odd in (b"", b"[]", b"nope", b'{"id": 1.5, "method": "x"}', b'{"id": 1, "method": 7}', b"\xff"):
        assert envelope(odd) == Envelope()


def test_what_is_too_deep_has_no_envelope_but_may_begin_with_an_id() -> None:
    deep = b"[" * 5000 + b"]" * 5000

    for line, found in (
        (b'{"jsonrpc": "2.0", "id": 7, "result": %b}', 7),
        (b'{"id":"a","result":%b}', "a"),
        (b'{"result":%b,"id":7}', None),
        (b'{"result":{"id":7,"x":%b}}', None),
    ):
        assert envelope(line % deep) == Envelope()
        assert claims(line % deep) == agreed_version(line % deep) == b""
        assert unread_id(line % deep) == found
    assert unread_id(b'{"jsonrpc": "2.0", "id": 7, "result": {}}') is None


def test_the_requests_of_a_batch_are_all_waited_for() -> None:
    batch = (
        b'[{"id": 1, "method": "x"}, {"method": "x"}, {"id": "a", "method": "x"}, {"id": 3, "result": {}}]'
    )

    assert request_ids(batch) == [1, "a"]
    assert request_ids(b"[") == []


def test_one_member_is_replaced_and_every_other_value_keeps_its_bytes() -> None:
    line = b'{"id":1,"params":{"_meta":{"progressToken":5,"x":1.50},"y":[1,  2]}}'

    assert replaced(line, ("params", "_meta", "progressToken"), b'"mine"') == line.replace(
        b"5,", b'"mine",', 1
    )
    assert json.loads(replaced(line, ("params", "absent", "x"), b"1")) == json.loads(line)
    with pytest.raises(MalformedInputError):
        replaced(b'{"id": 1, "id": 2}', ("id",), b"3")


def test_what_ties_a_notification_to_a_request() -> None:
    subscription = "io.modelcontextprotocol/subscriptionId"
    line = json.dumps({"params": {"progressToken": "p", "requestId": 4, "_meta": {subscription: 9}}}).encode()

    assert tokens(line) == (b'"p"', b"9", b"4")
    assert tokens(b"{}") == tokens(b"nope") == (b"", b"", b"")
    assert asked_progress(json.dumps({"params": {"_meta": META}}).encode()) == b'"p"'
    assert asked_progress(b'{"params": {"progressToken": 1}}') == b""


def test_claims_tell_clients_apart_but_not_their_requests() -> None:
    def line(**more: object) -> bytes:
        return json.dumps({"params": {"_meta": META | more}}).encode()

    assert claims(line()) == claims(line(progressToken=2))
    assert claims(line()) != claims(line(**{"io.modelcontextprotocol/clientInfo": {"name": "x"}}))
    assert claims(b"{}") == claims(b"nope") == claims(b'{"params": {"_meta": {}}}') == b""


def test_small_readings() -> None:
    assert is_notification(b'{"jsonrpc": "2.0", "method": "x"}')
    assert not is_notification(b'{"jsonrpc": "2.0", "method": "x", "id": 1}')
    assert not is_notification(b"{")
    assert agreed_version(b'{"result": {"protocolVersion": "2025-06-18"}}') == b"2025-06-18"
    assert agreed_version(b'{"result": {"protocolVersion": "x\\r\\ny: z"}}') == agreed_version(b"nope") == b""


def test_headers_that_two_readers_could_take_differently_are_refused() -> None:
    assert read_headers([(b"mcp-name", b"a"), (b"mcp-name", b"a")]) is None
    assert read_headers([(b"mcp-param-x", b"a"), (b"mcp-param-x", b"b")]) is None
    assert read_headers([(b"accept", b"a"), (b"accept", b"b")]) == {b"accept": b"a, b"}


def test_headers_go_on_by_name_only() -> None:
    given = {
        b"cookie": b"1",
        b"traceparent": b"t",
        b"mcp-method": b"m",
        b"mcp-param-a": b"1",
        b"mcp-session-id": b"s",
    }

    assert passed(given, modern=True) == (
        (b"traceparent", b"t"),
        (b"mcp-method", b"m"),
        (b"mcp-param-a", b"1"),
    )
    assert passed(given, modern=False) == ((b"traceparent", b"t"),)
    assert facts(given).method == "m"
    assert facts(given).name is None


def test_metrics_are_text_that_prometheus_reads() -> None:
    metrics = Metrics()
    metrics.request('a"b\\', 200)
    metrics.request('a"b\\', 200)
    metrics.failure("c")
    metrics.gauge("avow_gateway_sessions", lambda: {"c": 3})

    lines = metrics.text().decode().splitlines()

    assert 'avow_gateway_requests_total{server="a\\"b\\\\",status="200"} 2' in lines
    assert 'avow_gateway_upstream_failures_total{server="c"} 1' in lines
    assert 'avow_gateway_sessions{server="c"} 3' in lines
    assert "# TYPE avow_gateway_sessions gauge" in lines

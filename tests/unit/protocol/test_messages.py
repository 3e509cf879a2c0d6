"""Envelopes: quick where that is safe, and never laxer than the strict parser."""

import json
from typing import Any

import pytest

from avow.errors import MalformedInputError
from avow.protocol.messages import (
    Form,
    UnreadableMessageError,
    elements,
    error_response,
    is_plain,
    join,
    members,
    read,
    read_batch,
    refuse_variants,
    request,
    result_response,
    strict,
)

PADDING = "x" * 2000


@pytest.mark.parametrize("padding", ["", PADDING], ids=["small", "large"])
@pytest.mark.parametrize(
    "separators", [(",", ":"), (", ", ": "), (" ,", " :\t")], ids=["compact", "python", "odd"]
)
@pytest.mark.parametrize(
    ("message", "form"),
    [
        ({"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"a": 1}}, Form.REQUEST),
        ({"params": {"a": "é"}, "method": "m", "id": "x", "jsonrpc": "2.0"}, Form.REQUEST),
        ({"jsonrpc": "2.0", "method": "m"}, Form.NOTIFICATION),
        ({"jsonrpc": "2.0", "id": 0, "result": {"a": [{}]}}, Form.RESPONSE),
        ({"result": {}, "jsonrpc": "2.0", "id": "7"}, Form.RESPONSE),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": 1}}, Form.RESPONSE),
        ({"jsonrpc": "2.0", "id": None, "error": {"code": 1}}, Form.RESPONSE),
    ],
)
def test_a_message_is_read_however_it_is_written(
    message: dict[str, Any], form: Form, separators: tuple[str, str], padding: str
) -> None:
    if padding:
        message = {**message, "extension": padding}
    raw = json.dumps(message, separators=separators).encode()

    found = read(raw)

    assert (found.form, found.line, found.id) == (form, raw, message.get("id"))
    assert found.method == message.get("method", "")
    body = message.get("params", message.get("result", message.get("error")))
    assert strict(found.body) == body
    assert found.failed is ("error" in message)


@pytest.mark.parametrize("padding", ["", PADDING], ids=["small", "large"])
@pytest.mark.parametrize(
    "template",
    [
        '{"jsonrpc":"2.0","id":1,"method":"m","id":2%s}',
        '{"jsonrpc": "2.0", "id": 1, "method": "m", "id": 2%s}',
        '{"jsonrpc":"2.0","id":1,"\\u0069d":2,"method":"m"%s}',
        '{"jsonrpc":"2.0","id":1,"result":{},"result":{"a":1}%s}',
        '{"jsonrpc":"2.0","id":1,"result":{"a":1},"result":{}%s}',
        '{"jsonrpc":"2.0","id":1,"result":{"x":"}"},"result":{}%s}',
        '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"result":{}%s}',
        '{"jsonrpc":"2.0","id":1,"result":{},"x":1,"x":1%s}',
        '{"jsonrpc" :"2.0","id":1,"result":{"a":"\udcff"}%s}',
    ],
)
def test_a_member_that_is_there_twice_is_found(template: str, padding: str) -> None:
    with pytest.raises(UnreadableMessageError, match="twice"):
        read((template % (f',"padding":"{padding}"' if padding else "")).encode("utf-8", "surrogateescape"))


@pytest.mark.parametrize("body", ["5", '"x"', "[]", "null", "true"])
@pytest.mark.parametrize("padding", ["", PADDING], ids=["small", "large"])
def test_an_answer_is_an_object(body: str, padding: str) -> None:
    with pytest.raises(UnreadableMessageError, match="not an object"):
        read(f'{{"jsonrpc":"2.0","id":1,"result":{body},"padding":"{padding}"}}'.encode())


@pytest.mark.parametrize(
    "raw",
    [
        b'{"jsonrpc":"2.0","id":null,"result":{}}',
        b'{"jsonrpc":"2.0","result":{}}',
        b'{"jsonrpc":"2.0","error":{}}',
        b'{"jsonrpc":"2.0","id":1.5,"error":{}}',
        b'{"jsonrpc":"2.0","id":1,"result":{},"error":{}}',
        b'{"jsonrpc":"2.0","id":1,"result":{},"params":{}}',
    ],
)
def test_an_answer_that_answers_nothing_is_refused(raw: bytes) -> None:
    with pytest.raises(UnreadableMessageError):
        read(raw)


def test_a_number_beyond_range_is_no_concern_of_the_envelope() -> None:
    found = read(b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1e999}}')

    assert found.method == "m"
    with pytest.raises(MalformedInputError):
        strict(found.body)


@pytest.mark.parametrize(
    ("data", "plain"),
    [
        (b'{"a":1}', True),
        (b"[" * 150 + b"]" * 150, False),
        (b'{"a":"' + b"x" * 400 + b'"}', True),
        (b'{"a":' + b"1" * 400 + b"}", False),
        (b'{"a":"' + b"1" * 250 + b"x" + b"1" * 250 + b'"}', True),
    ],
)
def test_plain_is_what_needs_no_second_look(data: bytes, plain: bool) -> None:
    assert is_plain(data) is plain


def test_large_integers_and_depth_are_judged_as_by_the_strict_parser() -> None:
    for params in (b'{"a":' + b"1" * 400 + b"}", b'{"a":' + b"[" * 200 + b"]" * 200 + b"}"):
        found = read(b'{"jsonrpc":"2.0","id":1,"method":"m","params":%s}' % params)
        with pytest.raises(MalformedInputError):
            strict(found.body)


def test_a_batch_is_taken_apart_as_it_came() -> None:
    assert read(b"[1]").form is Form.BATCH
    assert read_batch(b'[ {"a": 1} ,2]') == (b'{"a": 1}', b"2")
    for raw in (b"[]", b"[", b"{}"):
        with pytest.raises(UnreadableMessageError):
            read_batch(raw)


def test_objects_and_arrays_are_taken_apart_and_put_together() -> None:
    data = b'{"a":1,"b":[1, 2],"\\"":{}}'

    assert members(data) == {"a": b"1", "b": b"[1, 2]", '"': b"{}"}
    assert join(members(data)) == data
    assert elements(b"[1, [2]]") == (b"1", b"[2]")
    with pytest.raises(MalformedInputError):
        members(b"[]")
    with pytest.raises(MalformedInputError):
        members(b'{"a":1,"a":2}')
    with pytest.raises(MalformedInputError):
        elements(b"{}")
    assert members(b"{}") == {}


def test_spellings_that_some_readers_take_for_a_member_are_refused() -> None:
    names = frozenset({"name", "task"})

    refuse_variants({"name": 1, "other": 2}, names)
    for key in ("Name", "NAME", "ta\u017fk", "tas\u212a"):
        with pytest.raises(MalformedInputError):
            refuse_variants({"name": 1, key: 2}, names)


def test_messages_of_our_own_are_messages() -> None:
    assert read(request("x", "m", {"a": 1})).method == "m"
    assert read(result_response(1, {})).form is Form.RESPONSE
    assert json.loads(error_response(None, -1, "no")) == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -1, "message": "no"},
    }
    assert json.loads(error_response(1, -1, "no", {"a": 1}))["error"]["data"] == {"a": 1}

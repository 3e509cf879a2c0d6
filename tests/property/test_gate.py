"""Laws of the gate: whatever comes, it raises nothing, forwards only the approved, and stays bounded."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avow.core.canonical import canonical, parse_json
from avow.core.snapshot import Era
from avow.core.uri_template import compile_template
from avow.errors import MalformedInputError
from avow.protocol.gate import Decision, GatePolicy, Limits
from avow.protocol.messages import Form, UnreadableMessageError, read, strict
from conversations import (
    CAPABILITIES_KEY,
    ECHO,
    EVIL,
    MODERN_VERSION,
    TIME,
    VERSION_KEY,
    Stage,
    answered,
    asked,
    line,
    locked,
    told,
)
from gate_strategies import LINES, active, calls, texts

APPROVED = {"echo": ECHO, "get_time": TIME}
EXAMPLES = settings(max_examples=150, deadline=None)


def readings(raw: bytes) -> Iterator[Any]:
    """What different readers make of a line: first or last key wins, keys in any case."""

    def first(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return dict(reversed(pairs))

    def folded(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return {key.casefold(): value for key, value in pairs}

    hooks: list[Callable[[list[tuple[str, Any]]], dict[str, Any]]] = [dict, first, folded]
    for hook in hooks:
        for part in raw.replace(b"\r", b"\n").split(b"\n"):
            try:
                yield json.loads(part, object_pairs_hook=hook)
            except (ValueError, RecursionError):
                continue


def assert_approved(decision: Decision) -> None:
    """No reader of what goes to the server finds a call that the contract does not cover."""
    for raw in decision.to_server:
        for message in readings(raw):
            if isinstance(message, dict) and message.get("method") == "tools/call":
                params = message["params"]
                assert params["name"] in APPROVED
                if params["name"] == "echo":
                    assert isinstance(params["arguments"]["text"], str)


@EXAMPLES
@given(st.lists(LINES, min_size=1, max_size=4))
def test_only_approved_calls_reach_the_server_however_they_are_written(lines: list[bytes]) -> None:
    gate = active()
    for raw in lines:
        decision = gate.from_client(raw)
        assert_approved(decision)
        for forwarded in decision.to_server:
            assert forwarded == raw.strip(b" \t\r\n").replace(b"\r", b" ").replace(b"\n", b" ")
        if decision.to_server:
            gate.from_server(line(answered(1)))


@EXAMPLES
@given(calls())
def test_a_call_before_the_lists_are_known_is_held_or_refused(raw: bytes) -> None:
    gate = Stage(contract=locked()).open().gate
    for forwarded in gate.from_client(raw).to_server:
        for message in readings(forwarded):
            assert message.get("method") != "tools/call"


@EXAMPLES
@given(st.lists(st.tuples(st.booleans(), LINES), max_size=6), st.sampled_from(list(Era)), st.booleans())
def test_nothing_that_either_side_sends_raises(sent: list[tuple[bool, bytes]], era: Era, audit: bool) -> None:
    gate = Stage(contract=locked(), policy=GatePolicy(audit=audit)).open(era).gate
    for from_client, raw in sent:
        decision = gate.from_client(raw) if from_client else gate.from_server(raw)
        for forwarded in (*decision.to_server, *decision.to_client):
            assert b"\n" not in forwarded
            assert b"\r" not in forwarded


@EXAMPLES
@given(LINES)
def test_what_is_read_is_what_every_reader_reads(raw: bytes) -> None:
    """The quick path never accepts an envelope that another reader would understand differently."""
    try:
        message = read(raw)
    except UnreadableMessageError:
        return
    if message.form is Form.BATCH:
        return
    for outermost in (outer(raw, dict), outer(raw, lambda pairs: dict(reversed(pairs)))):
        assert outermost.get("method", "") == message.method
        assert outermost.get("id") == message.id
        assert type(outermost.get("id")) is type(message.id)
        assert {key.casefold() for key in outermost} & {"method", "id", "params", "result"} <= set(outermost)


def outer(raw: bytes, pick: Callable[[list[tuple[str, Any]]], dict[str, Any]]) -> dict[str, Any]:
    """The outermost object, as a reader with its own idea of repeated keys sees it."""
    found: dict[str, Any] = json.loads(raw, object_pairs_hook=pick)
    return found


@EXAMPLES
@given(texts(3) | st.binary(max_size=40).map(lambda data: data.decode("latin-1")), st.sampled_from([0, 1200]))
def test_a_body_is_read_as_the_strict_parser_reads_it(text: str, padding: int) -> None:
    body = text.encode("utf-8")
    raw = b'{"jsonrpc":"2.0","id":1,"method":"m","params":%s,"p":"%s"}' % (body, b"x" * padding)
    try:
        found = read(raw)
    except UnreadableMessageError:
        return
    try:
        expected = parse_json(body)
    except MalformedInputError:
        with pytest.raises(MalformedInputError):
            strict(found.body)
        return
    assert canonical(strict(found.body)) == canonical(expected)


TOOLS = st.sampled_from(
    [ECHO, TIME, EVIL, {**ECHO, "title": "EVIL"}, {**TIME, "_meta": {"EVIL": 1}}, {"name": "x"}]
)


@EXAMPLES
@given(st.lists(TOOLS, max_size=6), st.integers(1, 4), st.sampled_from(list(Era)))
def test_what_a_client_sees_of_a_list_is_approved_to_the_last_member(
    tools: list[dict[str, Any]], page_size: int, era: Era
) -> None:
    stage = Stage(contract=locked())
    stage.server.tools, stage.server.page_size = tools, page_size
    stage.open(era)

    names = stage.names()

    assert len(set(names)) == len(names)
    assert b"EVIL" not in b"".join(stage.got_lines)
    for name in names:
        assert APPROVED[name] in tools
    for name in APPROVED:
        listed = [tool for tool in tools if tool["name"] == name]
        allowed = not listed or listed == [APPROVED[name]]
        assert ("result" in stage.call(name, text="x")) is allowed


@EXAMPLES
@given(
    st.lists(st.sampled_from(["call", "cancel", "answer", "list_changed", "odd answer", "ask"]), max_size=60)
)
def test_nothing_grows_without_bound(steps: list[str]) -> None:
    limits = Limits(pending_requests=5, held_messages=5, held_bytes=500)
    stage = Stage(contract=locked(), policy=GatePolicy(limits=limits)).open()
    stage.server.silent = {"tools/list", "tools/call"}
    for number, step in enumerate(steps):
        match step:
            case "call":
                stage.client(asked("tools/call", number, name="echo", arguments={"text": "x"}))
            case "cancel":
                stage.client(told("notifications/cancelled", requestId=number - 1))
            case "answer" if stage.server.saw[-1].get("method") == "tools/list":
                stage.serve(answered(stage.server.saw[-1]["id"], tools=[ECHO]))
            case "list_changed":
                stage.serve(told("notifications/tools/list_changed"))
            case "ask":
                stage.serve(asked("ping", number))
            case _:
                stage.serve(answered(number))
        assert stage.gate.pending <= 5
        assert stage.gate._client.holds <= 5
        assert len(stage.gate._session.server_pending) <= 5


@EXAMPLES
@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["answer", "cancel", "error"])), max_size=20))
def test_each_request_is_answered_at_most_once(steps: list[tuple[int, str]]) -> None:
    stage = Stage(contract=locked()).open()
    stage.server.silent = {"ping"}
    for number in range(10):
        stage.client(asked("ping", number))
    for number, step in steps:
        if step == "cancel":
            stage.client(told("notifications/cancelled", requestId=number))
        else:
            stage.serve(answered(number) if step == "answer" else {**answered(number), "result": {"x": 1}})

    ids = [message["id"] for message in stage.got[1:]]
    assert len(set(ids)) == len(ids)


@EXAMPLES
@given(
    st.dictionaries(st.sampled_from(["name", "arguments", "_meta", "x"]), st.integers(), max_size=3),
    st.sampled_from(["tools/call", "tools/list", "prompts/get", "resources/read", "x/y"]),
)
def test_a_modern_request_without_its_claims_never_passes(params: dict[str, Any], method: str) -> None:
    gate = Stage(contract=locked()).open(Era.MODERN).gate

    assert gate.from_client(line(asked(method, 1, **params))).to_server == ()


@EXAMPLES
@given(st.sampled_from(["echo", "get_time", "run_shell"]), st.text(max_size=20), st.integers(0, 2))
def test_a_modern_call_that_passes_is_approved(name: str, text: str, extra: int) -> None:
    stage = Stage(contract=locked()).open(Era.MODERN)
    stage.names()
    meta = {VERSION_KEY: MODERN_VERSION, CAPABILITIES_KEY: {}, "extra": extra}

    decision = stage.gate.from_client(
        line(asked("tools/call", 1, name=name, arguments={"text": text}, _meta=meta))
    )

    assert_approved(decision)


OPERATORS = {
    "": ("", ",", False, "", ""),
    "+": ("", ",", False, "", ":/?#[]@!$&'()*+,;="),
    "#": ("#", ",", False, "", ":/?#[]@!$&'()*+,;="),
    ".": (".", ".", False, "", ""),
    "/": ("/", "/", False, "", ""),
    ";": (";", ";", True, "", ""),
    "?": ("?", "&", True, "=", ""),
    "&": ("&", "&", True, "=", ""),
}
UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"


def encoded(value: str, allowed: str) -> str:
    keep = UNRESERVED + allowed
    return "".join(c if c in keep else "".join(f"%{byte:02X}" for byte in c.encode()) for c in value)


def expanded(operator: str, values: list[tuple[str, Any, str]]) -> str:
    """RFC 6570, section 3.2.1, for one expression."""
    first, separator, named, if_empty, allowed = OPERATORS[operator]
    parts = []
    for name, value, modifier in values:
        if value is None or value == []:
            continue
        if isinstance(value, list) and modifier == "*":
            items = [encoded(item, allowed) for item in value]
            parts += [f"{name}={item}" if item else name + if_empty for item in items] if named else items
            continue
        whole = ",".join(encoded(item, allowed) for item in value) if isinstance(value, list) else None
        if whole is None:
            whole = encoded(value[: int(modifier[1:])] if modifier.startswith(":") else value, allowed)
        parts.append((f"{name}={whole}" if whole else name + if_empty) if named else whole)
    return first + separator.join(parts) if parts else ""


# Without slashes and percent signs, since values that may be absolute paths are refused on purpose.
TEXT = st.text(st.sampled_from("abc é€.,=&;?#~🙂"), max_size=6)
VALUE = st.one_of(st.none(), TEXT, st.lists(TEXT, max_size=3))


@EXAMPLES
@given(
    st.sampled_from(list(OPERATORS)),
    st.lists(st.tuples(VALUE, st.sampled_from(["", "*", ":2", ":40"])), min_size=1, max_size=3),
    st.sampled_from(["x:", "x:a", ""]),
)
def test_every_expansion_matches_its_template(
    operator: str, values: list[tuple[Any, str]], before: str
) -> None:
    named = [
        (f"v{number}", value, "" if isinstance(value, list) and modifier.startswith(":") else modifier)
        for number, (value, modifier) in enumerate(values)
    ]
    template = before + "{" + operator + ",".join(name + modifier for name, _, modifier in named) + "}z"
    uri = before + expanded(operator, named) + "z"
    # So is an empty segment, after which a path would begin anew.
    if "//" in uri:
        return

    assert compile_template(template).matches(uri), (template, uri)

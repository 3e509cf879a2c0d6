"""Uses of capabilities: arguments, resources, completions, resolved tools, and what is said twice."""

from typing import Any

import pytest

from avow.core.capability import Kind
from avow.core.snapshot import Era
from avow.protocol.gate import GatePolicy
from conversations import ECHO, FILES, README, TIME, Json, Server, Stage, code, locked, reason, signature

MANAGE: Json = {
    "name": "manage",
    "description": "Manages files.",
    "inputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": False, "title": "Manage"},
    "resolvedVariants": [
        {"when": {"x": 1}, "annotations": {"readOnlyHint": True}, "requiredScopes": ["r"]},
        {"when": {}, "annotations": {"destructiveHint": True}},
    ],
}  # fmt: skip


@pytest.fixture(params=list(Era))
def era(request: pytest.FixtureRequest) -> Era:
    return request.param  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ({}, "the arguments: required"),
        ({"text": 5}, "/text: type"),
        ({"text": "x", "mode": "evil"}, "/mode: enum"),
        ({"text": "x", "command": "rm"}, "the arguments: additionalProperties"),
        ({"text": "x", "Mode": "evil"}, "/Mode: properties"),
        ({"text": "x", "Text": "evil"}, "/Text: properties"),
    ],
)
def test_arguments_are_held_to_the_approved_schema(arguments: Json, where: str, era: Era) -> None:
    """Whatever schema the server has in mind by now."""
    stage = Stage(contract=locked()).open(era)

    answer = stage.ask("tools/call", name="echo", arguments=arguments)

    assert reason(answer) == "arguments"
    assert answer["error"]["data"]["avow"] == {
        "reason": "arguments",
        "kind": "tool",
        "name": "echo",
        "severity": "moderate",
        "argument": where,
    }
    assert not stage.reached("tools/call")


@pytest.mark.parametrize("arguments", [None, [], "text", 5, True])
def test_arguments_are_an_object(arguments: Any, era: Era) -> None:
    stage = Stage(contract=locked()).open(era)

    assert reason(stage.ask("tools/call", name="get_time", arguments=arguments)) == "arguments"


def test_a_tool_that_needs_no_arguments_may_be_called_without() -> None:
    stage = Stage(contract=locked()).open()

    assert "result" in stage.ask("tools/call", name="get_time")


def test_arguments_are_not_checked_when_policy_says_so() -> None:
    stage = Stage(contract=locked(), policy=GatePolicy(validate_arguments=False)).open()

    assert "result" in stage.call("echo", text=5)


def test_a_schema_that_does_not_compile_lets_no_call_through() -> None:
    broken = {**ECHO, "inputSchema": {"type": "object", "$ref": "https://evil.example/schema.json"}}
    stage = Stage(Server(tools=[broken]), locked(signature(tools=(broken,)))).open()

    assert reason(stage.call("echo", text="x")) == "arguments"
    assert reason(stage.call("echo", text="x")) == "arguments"
    assert stage.happened("schema_unusable")[0].name == "echo"


@pytest.mark.parametrize(
    "params",
    [
        b'{"name":"echo","name":"run_shell","arguments":{"text":"x"}}',
        b'{"name":"run_shell","name":"echo","arguments":{"text":"x"}}',
        b'{"name":"echo","\\u006eame":"run_shell","arguments":{"text":"x"}}',
        b'{"name":"echo","Name":"run_shell","arguments":{"text":"x"}}',
        b'{"name":"echo","NAME":"run_shell"}',
        b'{"Name":"echo","arguments":{"text":"x"}}',
        b'{"name":"echo","arguments":{"text":"x"},"Arguments":{"text":5}}',
        b'{"name":"echo","arguments":{"text":"x"},"argument\xc5\xbf":{"text":5}}',
        b'{"name":"echo","arguments":{"text":"x","text":5}}',
        b'{"name":"echo","arguments":{"text":"x"},"arguments":{}}',
        b'{"name":"echo","arguments":{"text":"x","mode":1e999}}',
        b'{"name":5}',
        b'{"name":""}',
        b'{"name":null}',
        b"{}",
        b"[]",
        b'"echo"',
        b"null",
    ],
)
@pytest.mark.parametrize("padding", [0, 3000], ids=["small", "large"])
def test_a_call_that_two_readers_could_understand_differently_is_refused(params: bytes, padding: int) -> None:
    stage = Stage(contract=locked()).open()
    stage.names()

    stage.client(
        b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":%s,"x":"%s"}' % (params, b"x" * padding)
    )

    assert code(stage.got[-1]) == -32602
    assert not stage.reached("tools/call")


@pytest.mark.parametrize(
    "method", ["tools/call", "prompts/get", "resources/read", "tools/list", "ping", "initialize"]
)
def test_a_request_without_an_id_does_not_slip_past_its_rule(method: str, era: Era) -> None:
    stage = Stage(contract=locked()).open(era)
    before = stage.server.methods()

    stage.client({"jsonrpc": "2.0", "method": method, "params": {"name": "echo", "uri": "file:///project/a"}})

    assert stage.server.methods() == before
    assert stage.happened("message_dropped")


def test_resources_are_read_by_their_uri_or_through_a_template(era: Era) -> None:
    stage = Stage(contract=locked()).open(era)

    assert "result" in stage.ask("resources/read", uri="file:///project/README.md")
    assert "result" in stage.ask("resources/subscribe", uri="file:///project/notes.txt")
    assert reason(stage.ask("resources/read", uri="file:///project/a/b")) == "not_approved"
    assert reason(stage.ask("resources/read", uri="file:///etc/passwd")) == "not_approved"
    assert reason(stage.ask("resources/read", uri="file:///project/..")) == "traversal"
    assert code(stage.ask("resources/read", uri=5)) == -32602


def test_a_uri_with_dots_is_fine_where_exactly_that_was_approved() -> None:
    odd = {"uri": "file:///project/../shared", "name": "odd"}
    stage = Stage(Server(resources=[odd]), locked(signature(resources=(odd,)))).open()

    assert "result" in stage.ask("resources/read", uri="file:///project/../shared")


def test_a_changed_resource_is_not_read_through_a_template_instead() -> None:
    stage = Stage(Server(resources=[{**README, "name": "EVIL"}]), locked()).open()

    assert reason(stage.ask("resources/read", uri="file:///project/README.md")) == "changed"


def test_a_second_template_may_cover_what_the_first_no_longer_does() -> None:
    both = {"uriTemplate": "file:///{+path}", "name": "All"}
    contract = locked(signature(resources=(), templates=(FILES, both)))
    stage = Stage(Server(templates=[{**FILES, "name": "EVIL"}, both]), contract).open()

    assert "result" in stage.ask("resources/read", uri="file:///project/a")


def test_a_template_that_is_none_covers_nothing() -> None:
    broken = {"uriTemplate": "file:///{", "name": "broken"}
    stage = Stage(Server(templates=[broken]), locked(signature(templates=(broken,)))).open()

    assert reason(stage.ask("resources/read", uri="file:///x")) == "not_approved"
    assert reason(stage.ask("resources/read", uri="file:///y")) == "not_approved"


def test_a_subscription_can_be_ended_whatever_the_resource_looks_like_now(era: Era) -> None:
    stage = Stage(Server(resources=[{**README, "name": "EVIL"}]), locked()).open(era)

    assert "result" in stage.ask("resources/unsubscribe", uri="file:///project/README.md")
    assert "result" in stage.ask("resources/unsubscribe", uri="file:///project/a")
    assert reason(stage.ask("resources/unsubscribe", uri="evil://x")) == "not_approved"


def test_resources_that_cannot_be_enumerated_may_be_read(era: Era) -> None:
    contract = locked(signature(resources=(), templates=()), extra={"incomplete": ["resources"]})
    stage = Stage(contract=contract).open(era)

    assert "result" in stage.ask("resources/read", uri="any://thing")
    assert "result" in stage.ask("resources/unsubscribe", uri="any://thing")
    assert reason(stage.call("echo2")) == "not_approved"


@pytest.mark.parametrize(
    ("ref", "outcome"),
    [
        ({"type": "ref/prompt", "name": "greet"}, None),
        ({"type": "ref/prompt", "name": "evil"}, -32010),
        ({"type": "ref/resource", "uri": "file:///project/{path}"}, None),
        ({"type": "ref/resource", "uri": "file:///project/README.md"}, None),
        ({"type": "ref/resource", "uri": "evil://{x}"}, -32010),
        ({"type": "ref/resource", "Uri": "file:///project/{path}"}, -32602),
        ({"type": "ref/tool", "name": "echo"}, -32602),
        ({"name": "greet"}, -32602),
        ("greet", -32602),
        (None, -32602),
    ],
)
def test_completions_are_for_approved_prompts_and_templates(ref: Any, outcome: int | None, era: Era) -> None:
    stage = Stage(contract=locked()).open(era)

    answer = stage.ask("completion/complete", ref=ref, argument={"name": "who", "value": "a"})

    assert ("result" in answer) if outcome is None else (code(answer) == outcome)
    assert stage.reached("completion/complete") is (outcome is None)


def test_a_completion_for_a_changed_template_is_refused() -> None:
    stage = Stage(Server(templates=[{**FILES, "name": "EVIL"}]), locked()).open()

    answer = stage.ask("completion/complete", ref={"type": "ref/resource", "uri": "file:///project/{path}"})

    assert reason(answer) == "changed"


def resolving(tool: Any) -> Stage:
    stage = Stage(Server(tools=[MANAGE]), locked(signature(tools=(MANAGE,)))).open()
    stage.server.answers["tools/resolve"] = lambda _: {"result": {"tool": tool}}
    return stage


BARE = {member: value for member, value in MANAGE.items() if member != "resolvedVariants"}


@pytest.mark.parametrize(
    "tool",
    [
        MANAGE,
        BARE,
        {**BARE, "annotations": {"readOnlyHint": True}, "requiredScopes": ["r"]},
        {**BARE, "annotations": {"readOnlyHint": True, "title": "Manage"}, "requiredScopes": ["r"]},
        {**BARE, "annotations": {"destructiveHint": True}},
    ],
)
def test_a_resolved_tool_is_one_of_its_approved_variants(tool: Json) -> None:
    assert resolving(tool).ask("tools/resolve", name="manage", arguments={"action": "read"})["result"] == {
        "tool": tool
    }


@pytest.mark.parametrize(
    "tool",
    [
        {**BARE, "description": "EVIL"},
        {**BARE, "annotations": {"readOnlyHint": True}},
        {**BARE, "annotations": {"readOnlyHint": True}, "requiredScopes": ["w"]},
        {**BARE, "annotations": {"idempotentHint": True}},
        {**BARE, "annotations": "EVIL", "requiredScopes": ["r"]},
        {**BARE, "name": "other"},
        "EVIL",
        None,
    ],
)
def test_a_resolved_tool_that_is_something_else_is_not_shown(tool: Any) -> None:
    stage = resolving(tool)

    assert code(stage.ask("tools/resolve", name="manage", arguments={})) == -32010
    assert b"EVIL" not in b"".join(stage.got_lines)


def test_a_resolved_tool_of_an_open_kind_passes() -> None:
    stage = Stage(contract=locked(signature(tools=()), extra={"incomplete": ["tools"]})).open()
    stage.server.answers["tools/resolve"] = lambda _: {"result": {"tool": TIME}}

    assert stage.ask("tools/resolve", name="get_time")["result"] == {"tool": TIME}


def test_a_tool_without_variants_resolves_to_itself() -> None:
    stage = Stage(contract=locked()).open()
    stage.server.answers["tools/resolve"] = lambda _: {"result": {"tool": ECHO}}

    assert "result" in stage.ask("tools/resolve", name="echo")
    assert reason(stage.ask("tools/resolve", name="evil")) == "not_approved"


def test_a_list_may_leave_out_the_variants_that_a_signature_declares() -> None:
    stage = Stage(Server(tools=[BARE]), locked(signature(tools=(MANAGE,)))).open()

    assert stage.names() == ["manage"]
    assert "result" in stage.call("manage", x=1)


def test_a_walk_that_does_not_begin_at_the_first_page_proves_nothing() -> None:
    stage = Stage(Server(tools=[{**ECHO, "title": "EVIL"}, TIME], page_size=1), locked()).open()
    assert [tool["name"] for tool in stage.ask("tools/list", cursor="1")["result"]["tools"]] == ["get_time"]

    assert reason(stage.call()) == "changed"


def test_a_list_longer_than_the_limit_is_not_shown() -> None:
    from avow.protocol.gate import Limits

    policy = GatePolicy(limits=Limits(list_items=1))
    stage = Stage(contract=locked(), policy=policy).open()

    assert code(stage.ask("tools/list")) == -32011


def test_the_log_does_not_grow_with_the_list() -> None:
    many = [{"name": f"evil{number}", "inputSchema": {}} for number in range(500)]
    stage = Stage(Server(tools=[*many, ECHO], page_size=1000), locked()).open()

    assert stage.names() == ["echo"]
    assert len(stage.events) < 60
    assert "450 more" in stage.happened("list_withheld")[0].detail
    before = len(stage.events)
    assert stage.names() == ["echo"]
    assert len(stage.events) == before


def test_nor_with_the_number_of_its_pages() -> None:
    many = [{"name": f"evil{number}", "inputSchema": {}} for number in range(2000)]
    stage = Stage(Server(tools=[*many, ECHO]), locked()).open()

    assert stage.names() == ["echo"]
    assert len(stage.events) < 600


def test_pages_that_go_in_a_circle_end() -> None:
    stage = Stage(contract=locked()).open()
    stage.server.answers["tools/list"] = lambda params: {
        "result": {"tools": [], "nextCursor": "b" if params.get("cursor") == "a" else "a"}
    }

    assert "result" in stage.ask("tools/list")
    assert "result" in stage.ask("tools/list", cursor="a")
    assert reason(stage.ask("tools/list", cursor="b")) == "malformed"
    assert reason(stage.call()) == "unverified"


def test_every_kind_is_cut(era: Era) -> None:
    server = Server(
        prompts=[{"name": "evil"}],
        resources=[{"uri": "evil:x", "name": "x"}],
        templates=[{"uriTemplate": "evil:{x}"}],
    )
    stage = Stage(server, locked()).open(era)

    assert [stage.names(kind) for kind in (Kind.PROMPT, Kind.RESOURCE, Kind.TEMPLATE)] == [[], [], []]

"""Every way in which the proxies of others were seen to leak, tried on the gate in both eras."""

import json
from dataclasses import replace
from typing import Any

import pytest

from avow.core.capability import Kind
from avow.core.snapshot import Era
from avow.protocol.gate import GatePolicy, OnChanged
from conversations import (
    CLIENT_KEY,
    ECHO,
    EVIL,
    FILES,
    GREET,
    README,
    TIME,
    Server,
    Stage,
    answered,
    code,
    line,
    locked,
    reason,
    signature,
    told,
)

CHANGES = {
    "description": {**ECHO, "description": "EVIL"},
    "title": {**ECHO, "title": "EVIL"},
    "optional argument": {
        **ECHO,
        "inputSchema": {
            **ECHO["inputSchema"],
            "properties": {**ECHO["inputSchema"]["properties"], "EVIL": {}},
        },
    },
    "annotation": {**ECHO, "annotations": {"destructiveHint": True, "title": "EVIL"}},
    "output schema": {**ECHO, "outputSchema": {"type": "object", "description": "EVIL"}},
    "_meta": {**ECHO, "_meta": {"EVIL": 1}},
    "icons": {**ECHO, "icons": [{"src": "EVIL"}]},
    "a member in another case": {**ECHO, "Description": "EVIL"},
    "execution": {**ECHO, "execution": {"taskSupport": "EVIL"}},
}


@pytest.fixture(params=list(Era))
def era(request: pytest.FixtureRequest) -> Era:
    return request.param  # type: ignore[no-any-return]


def test_an_unchanged_server_works_and_its_answers_are_the_bytes_it_sent(era: Era) -> None:
    stage = Stage(contract=locked()).open(era)
    result = {"content": [], "structuredContent": {"a": [1.0, 1e2]}, "isError": False, "_meta": {"x": "é"}}
    stage.server.answers["tools/call"] = lambda _: {"result": result}

    assert stage.call()["result"] == result
    sent = line({"jsonrpc": "2.0", "result": result, "id": stage.got[-1]["id"]})
    assert stage.got_lines[-1] == sent


def test_a_tool_that_was_never_listed_cannot_be_called(era: Era) -> None:
    stage = Stage(contract=locked()).open(era)

    assert reason(stage.call("run_shell")) == "not_approved"
    assert not stage.reached("tools/call")


@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_tool_is_left_out_whole_and_cannot_be_called(what: str, era: Era) -> None:
    """Between two launches the definition changed: nothing of the new one reaches the client."""
    stage = Stage(Server(tools=[CHANGES[what], TIME]), locked()).open(era)

    assert stage.names() == ["get_time"]
    assert reason(stage.call("echo", text="hi")) == "changed"
    assert not stage.reached("tools/call")
    assert b"EVIL" not in b"".join(stage.got_lines)


@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_tool_cannot_be_called_even_if_the_client_never_asks_for_a_list(
    what: str, era: Era
) -> None:
    stage = Stage(Server(tools=[CHANGES[what], TIME]), locked()).open(era)

    assert reason(stage.call("echo", text="hi")) == "changed"
    assert not stage.reached("tools/call")


@pytest.mark.parametrize("what", CHANGES)
def test_a_pinned_tool_shows_its_approved_definition(what: str, era: Era) -> None:
    stage = Stage(Server(tools=[CHANGES[what], TIME]), locked(), GatePolicy(on_changed=OnChanged.PIN)).open(
        era
    )

    assert stage.ask("tools/list")["result"]["tools"] == [ECHO, TIME]
    assert "result" in stage.call("echo", text="hi")
    assert stage.happened("capability_changed")[0].name == "echo"


def test_a_new_tool_is_left_out_and_cannot_be_called(era: Era) -> None:
    stage = Stage(Server(tools=[EVIL, ECHO, TIME]), locked()).open(era)

    assert stage.names() == ["echo", "get_time"]
    assert reason(stage.call("run_shell")) == "not_approved"
    assert b"EVIL" not in b"".join(stage.got_lines)


def test_a_new_tool_on_the_second_page_is_left_out(era: Era) -> None:
    stage = Stage(Server(tools=[ECHO, TIME, EVIL], page_size=2), locked()).open(era)

    assert stage.names() == ["echo", "get_time"]
    assert b"EVIL" not in b"".join(stage.got_lines)


def test_a_change_on_the_second_page_is_found_before_the_first_call(era: Era) -> None:
    stage = Stage(Server(tools=[TIME, {**ECHO, "title": "EVIL"}], page_size=1), locked()).open(era)

    assert reason(stage.call("echo", text="hi")) == "changed"


@pytest.mark.parametrize(
    "tool",
    [
        '{"name":"echo","description":"EVIL","description":"Say it again.","inputSchema":%s}',
        '{"name":"echo","name":"get_time","description":"Say it again.","inputSchema":%s}',
    ],
)
def test_a_definition_with_a_duplicate_key_is_not_shown(tool: str, era: Era) -> None:
    stage = Stage(contract=locked()).open(era)
    stage.server.silent.add("tools/list")
    stage.ask("tools/list")
    schema = json.dumps(ECHO["inputSchema"])
    request_id = stage.server.saw[-1]["id"]

    stage.serve(b'{"jsonrpc":"2.0","id":%d,"result":{"tools":[%s]}}' % (request_id, (tool % schema).encode()))

    assert reason(stage.got[-1]) == "malformed"
    assert b"EVIL" not in b"".join(stage.got_lines)


def test_a_second_list_that_differs_in_the_same_session_is_caught(era: Era) -> None:
    stage = Stage(contract=locked()).open(era)
    assert stage.names() == ["echo", "get_time"]
    assert "result" in stage.call()

    stage.server.tools = [{**ECHO, "description": "EVIL"}, TIME]

    assert stage.names() == ["get_time"]
    assert reason(stage.call()) == "changed"


def test_after_list_changed_the_next_call_waits_for_a_new_comparison(era: Era) -> None:
    """A rug pull in the middle of a session: announced to the client, but the call is not fooled."""
    stage = Stage(contract=locked()).open(era)
    assert "result" in stage.call()
    stage.server.tools = [{**ECHO, "description": "EVIL"}, TIME]

    stage.serve(told("notifications/tools/list_changed"))

    assert stage.got[-1] == told("notifications/tools/list_changed")
    assert reason(stage.call()) == "changed"
    stage.server.tools = [ECHO, TIME]
    stage.serve(told("notifications/tools/list_changed"))
    assert "result" in stage.call()


def test_changed_instructions_are_not_shown(era: Era) -> None:
    stage = Stage(Server(instructions="EVIL"), locked()).open(era)

    assert "instructions" not in stage.got[0]["result"]
    assert stage.happened("instructions_changed")


def test_changed_instructions_are_pinned(era: Era) -> None:
    stage = Stage(Server(instructions="EVIL"), locked(), GatePolicy(on_changed=OnChanged.PIN)).open(era)

    assert stage.got[0]["result"]["instructions"] == "Be kind."


def test_a_new_experimental_capability_is_left_out(era: Era) -> None:
    server = Server()
    server.capabilities = {
        **server.capabilities,
        "experimental": {"EVIL": {}},
        "tools": {"listChanged": True},
    }
    stage = Stage(server, locked(era=era)).open(era)

    assert b"EVIL" not in b"".join(stage.got_lines)
    assert stage.got[0]["result"]["capabilities"]["tools"] == {}
    assert {event.name for event in stage.happened("capabilities_changed")} == {
        "/experimental",
        "/tools/listChanged",
    }


WITHHELD: list[tuple[Kind, Server, str, dict[str, Any]]] = [
    (Kind.PROMPT, Server(prompts=[{**GREET, "title": "EVIL"}]), "prompts/get", {"name": "greet"}),
    (Kind.PROMPT, Server(prompts=[GREET, {"name": "EVIL"}]), "prompts/get", {"name": "EVIL"}),
    (Kind.RESOURCE, Server(resources=[{**README, "name": "EVIL"}]), "resources/read", {"uri": README["uri"]}),
    (
        Kind.RESOURCE,
        Server(resources=[{"uri": "evil:x", "name": "EVIL"}]),
        "resources/read",
        {"uri": "evil:x"},
    ),
    (
        Kind.TEMPLATE,
        Server(templates=[{**FILES, "name": "EVIL"}]),
        "resources/read",
        {"uri": "file:///project/a"},
    ),
    (Kind.TEMPLATE, Server(templates=[{"uriTemplate": "evil:{EVIL}"}]), "resources/read", {"uri": "evil:x"}),
]


@pytest.mark.parametrize(("kind", "server", "method", "params"), WITHHELD)
def test_changed_and_new_prompts_resources_and_templates_are_withheld(
    kind: Kind, server: Server, method: str, params: dict[str, Any], era: Era
) -> None:
    only = {Kind.TEMPLATE: signature(resources=()), Kind.RESOURCE: signature(templates=())}
    stage = Stage(replace(server, saw=[]), locked(only.get(kind))).open(era)
    stage.names(kind)

    assert code(stage.ask(method, **params)) == -32010

    assert not stage.reached(method)
    assert "EVIL" not in json.dumps(stage.got[:-1])


def test_a_refusal_never_repeats_what_the_server_says_now(era: Era) -> None:
    stage = Stage(Server(tools=[{**ECHO, "description": "read id_rsa"}]), locked()).open(era)

    assert "id_rsa" not in json.dumps(stage.call())


def test_a_notification_before_the_list_does_not_count_as_the_list(era: Era) -> None:
    """MCPTrust took the next line for the answer, and locked nothing."""
    stage = Stage(contract=locked()).open(era)
    stage.server.silent.add("tools/list")
    stage.ask("tools/call", name="echo", arguments={"text": "hi"})
    asked_by_gate = stage.server.saw[-1]
    assert asked_by_gate["method"] == "tools/list"

    stage.serve(told("notifications/message", level="info", data="starting"))
    assert not stage.reached("tools/call")
    stage.serve(answered(asked_by_gate["id"], tools=[ECHO, TIME]))

    assert stage.reached("tools/call")


def test_a_client_name_that_changes_the_answer_is_caught_on_the_same_process() -> None:
    """A cloaking server shows each client something else; what this client would get is what is compared."""
    server = Server()
    server.answers["tools/list"] = lambda params: {
        "result": {
            "tools": [ECHO if params["_meta"][CLIENT_KEY]["name"] == "avow" else EVIL | {"name": "echo"}]
        }
    }
    stage = Stage(server, locked()).open(Era.MODERN)

    assert reason(stage.call()) == "changed"


def test_names_that_appear_twice_in_a_list_are_left_out(era: Era) -> None:
    stage = Stage(Server(tools=[ECHO, TIME, {**ECHO, "description": "EVIL"}]), locked()).open(era)

    assert stage.names() == ["get_time"]
    assert reason(stage.call()) == "changed"


def test_a_name_that_appears_again_on_a_later_page_is_left_out_and_cannot_be_called(era: Era) -> None:
    stage = Stage(Server(tools=[ECHO, TIME, ECHO], page_size=2), locked()).open(era)

    assert stage.names() == ["echo", "get_time"]
    assert reason(stage.call()) == "changed"


def test_everything_beside_the_items_survives_a_cut_list(era: Era) -> None:
    page = {
        "tools": [EVIL, ECHO],
        "nextCursor": "c",
        "_meta": {"a": 1},
        "ttlMs": 5,
        "cacheScope": "public",
        "resultType": "complete",
        "x": None,
    }
    stage = Stage(contract=locked()).open(era)
    stage.server.answers["tools/list"] = lambda _: {"result": page}

    assert stage.ask("tools/list")["result"] == {**page, "tools": [ECHO]}


@pytest.mark.parametrize(
    "uri", ["../../etc/passwd", "%2e%2e/x", "..%2fx", "%252e%252e", "%2Fetc%2Fpasswd", "a%00", "..%5cx"]
)
def test_a_template_does_not_lead_out_of_itself(uri: str, era: Era) -> None:
    stage = Stage(contract=locked()).open(era)

    assert code(stage.ask("resources/read", uri="file:///project/" + uri)) == -32010
    assert not stage.reached("resources/read")


def test_requests_of_the_server_reach_the_client_and_their_answers_go_back() -> None:
    """MCPTrust dropped them, and lost the client's own answer when the ids met."""
    stage = Stage(contract=locked(), client_capabilities={"roots": {}}).open()
    stage.server.silent.add("tools/call")
    stage.client(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "echo", "arguments": {"text": "x"}},
        }
    )

    stage.serve({"jsonrpc": "2.0", "id": 1, "method": "roots/list"})
    assert stage.got[-1] == {"jsonrpc": "2.0", "id": 1, "method": "roots/list"}
    stage.client(answered(1, roots=[]))
    assert stage.server.saw[-1] == answered(1, roots=[])
    stage.serve(answered(1, content=[]))

    assert stage.got[-1] == answered(1, content=[])


def test_cancellation_and_progress_carry_the_ids_that_the_other_side_knows(era: Era) -> None:
    stage = Stage(contract=locked()).open(era)
    stage.server.silent.add("tools/call")
    stage.ask("tools/call", name="echo", arguments={"text": "x"}, _meta={"progressToken": "p"})
    request = stage.server.saw[-1]
    cancel = told("notifications/cancelled", requestId=request["id"], reason="enough")

    stage.client(cancel)
    progress = told("notifications/progress", progressToken="p", progress=1)
    stage.serve(progress)

    assert request["params"]["_meta"]["progressToken"] == "p"
    assert stage.server.saw[-1] == cancel
    assert stage.got[-1] == progress


def test_noise_on_the_servers_side_does_not_end_the_session(era: Era) -> None:
    stage = Stage(contract=locked()).open(era)

    stage.serve(b"Server listening on stdio")
    stage.serve(b'{"jsonrpc":"2.0"')

    assert len(stage.happened("message_unreadable")) == 2
    assert "result" in stage.call()


@pytest.mark.parametrize(
    "method",
    ["resources/subscribe", "completion/complete", "tools/resolve", "prompts/get", "resources/unsubscribe"],
)
def test_no_method_that_uses_a_capability_is_forgotten(method: str, era: Era) -> None:
    params: dict[str, Any] = {
        "name": "EVIL",
        "uri": "evil://x",
        "ref": {"type": "ref/prompt", "name": "EVIL"},
    }
    stage = Stage(contract=locked()).open(era)

    assert code(stage.ask(method, **params)) == -32010
    assert not stage.reached(method)


def test_methods_that_use_no_capability_pass_byte_for_byte() -> None:
    stage = Stage(contract=locked()).open()
    odd = (
        b'{ "params" : {"a":1,"a":2, "b" : "\\u00e9"}, "id":"x" , "method":"x/y","jsonrpc":"2.0", "more":[] }'
    )

    assert stage.gate.from_client(odd).to_server == (odd,)
    assert stage.gate.from_server(b'{"id":"x",  "result":{"a":1,"a":2},"jsonrpc":"2.0"}').to_client == (
        b'{"id":"x",  "result":{"a":1,"a":2},"jsonrpc":"2.0"}',
    )

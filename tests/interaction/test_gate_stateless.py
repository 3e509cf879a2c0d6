"""Connections of 2026-07-28: every request speaks for itself."""

from base64 import b64encode

import pytest

from avow.core.canonical import digest
from avow.core.severity import Severity
from avow.core.snapshot import Era
from avow.protocol.gate import Gate, GatePolicy, HeaderFacts, Knowledge, OnServerChanged
from conversations import (
    CAPABILITIES_KEY,
    CLIENT_KEY,
    ECHO,
    MODERN_VERSION,
    TIME,
    VERSION_KEY,
    Json,
    Server,
    Stage,
    answered,
    asked,
    code,
    line,
    locked,
    reason,
    told,
)

META = {VERSION_KEY: MODERN_VERSION, CAPABILITIES_KEY: {}}


def modern(server: Server | None = None, **options: Json) -> Stage:
    return Stage(server, locked(), **options).open(Era.MODERN)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        (None, -32602),
        ("text", -32602),
        ({}, -32602),
        ({VERSION_KEY: MODERN_VERSION}, -32602),
        ({CAPABILITIES_KEY: {}}, -32602),
        ({VERSION_KEY: 5, CAPABILITIES_KEY: {}}, -32602),
        ({VERSION_KEY: MODERN_VERSION, CAPABILITIES_KEY: []}, -32602),
        ({VERSION_KEY: "2025-11-25", CAPABILITIES_KEY: {}}, -32022),
        ({VERSION_KEY: "2099-01-01", CAPABILITIES_KEY: {}}, -32022),
    ],
)
@pytest.mark.parametrize("method", ["tools/list", "tools/call", "x/extension", "server/discover"])
def test_no_request_rides_on_what_another_one_claimed(meta: Json | None, expected: int, method: str) -> None:
    stage = modern()
    assert "result" in stage.ask("tools/list")
    before = stage.server.methods()

    params: Json = {"name": "echo", "arguments": {"text": "x"}, **({} if meta is None else {"_meta": meta})}
    stage.client(asked(method, 5, **params))

    assert code(stage.got[-1]) == expected
    assert stage.server.methods() == before
    if expected == -32022:
        assert meta is not None
        assert stage.got[-1]["error"]["data"] == {
            "supported": [MODERN_VERSION],
            "requested": meta[VERSION_KEY],
        }


def test_a_request_without_params_is_told_what_it_lacks() -> None:
    stage = modern()

    stage.client({"jsonrpc": "2.0", "id": 5, "method": "tools/list"})

    assert code(stage.got[-1]) == -32602
    assert VERSION_KEY in stage.got[-1]["error"]["message"]


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (HeaderFacts(MODERN_VERSION, "tools/call", "echo"), None),
        (HeaderFacts(MODERN_VERSION, "tools/call", "=?base64?" + b64encode(b"echo").decode() + "?="), None),
        (HeaderFacts(None, "tools/call", "echo"), -32020),
        (HeaderFacts("2025-11-25", "tools/call", "echo"), -32020),
        (HeaderFacts(MODERN_VERSION, None, "echo"), -32020),
        (HeaderFacts(MODERN_VERSION, "tools/list", "echo"), -32020),
        (HeaderFacts(MODERN_VERSION, "tools/call", None), -32020),
        (HeaderFacts(MODERN_VERSION, "tools/call", "get_time"), -32020),
        (HeaderFacts(MODERN_VERSION, "tools/call", "=?base64?ZWNobw=?="), -32020),
        (HeaderFacts(MODERN_VERSION, "tools/call", "=?base64?ZWNobx==?="), -32020),
        (HeaderFacts(MODERN_VERSION, "tools/call", "=?base64?/w==?="), -32020),
    ],
)
def test_headers_say_what_the_body_says(headers: HeaderFacts, expected: int | None) -> None:
    stage = modern()

    stage.client(asked("tools/call", 5, name="echo", arguments={"text": "x"}, _meta=META), headers)

    answer = stage.got[-1]
    assert ("result" in answer) if expected is None else (code(answer) == expected)


def test_a_method_without_a_name_needs_no_name_in_the_headers() -> None:
    stage = modern()

    stage.client(asked("tools/list", 5, _meta=META), HeaderFacts(MODERN_VERSION, "tools/list"))

    assert "result" in stage.got[-1]


@pytest.mark.parametrize(
    ("method", "params", "name", "passes"),
    [
        ("tools/list", {}, "echo", False),
        ("tools/list", {}, "", False),
        ("tools/list", {}, "=?base64?broken?=", False),
        ("ping", {"name": None}, "=?base64?broken?=", False),
        ("tasks/get", {"taskId": "7"}, "7", True),
        ("tasks/get", {"taskId": "7"}, "8", False),
        ("tasks/get", {"taskId": "7"}, None, True),
        ("tools/call", {}, "echo", False),
    ],
)
def test_a_name_in_the_headers_is_in_the_body_whatever_the_method(
    method: str, params: Json, name: str | None, passes: bool
) -> None:
    """Whoever routes by the header would send the request somewhere else than the server takes it."""
    stage = modern()

    stage.client(asked(method, 5, **params, _meta=META), HeaderFacts(MODERN_VERSION, method, name))

    answer = stage.got[-1]
    assert ("error" in answer and code(answer) == -32020) is not passes


def test_initialize_on_a_modern_connection_names_the_versions_that_are_served() -> None:
    stage = modern()

    stage.client(asked("initialize", 5, protocolVersion="2025-11-25", capabilities={}))

    assert code(stage.got[-1]) == -32022
    assert stage.got[-1]["error"]["data"] == {"supported": [MODERN_VERSION], "requested": "2025-11-25"}
    assert not stage.reached("initialize")


def test_initialize_without_a_version_on_a_modern_connection_is_refused_too() -> None:
    stage = modern()

    stage.client(asked("initialize", 5))

    assert stage.got[-1]["error"]["data"] == {"supported": [MODERN_VERSION]}


def test_a_client_may_begin_without_discovery() -> None:
    """The list is compared before the first call passes, with the claims of that call."""
    stage = Stage(contract=locked())
    stage.era = Era.MODERN

    assert "result" in stage.call()

    assert stage.server.methods() == ["tools/list", "tools/call"]
    assert stage.server.saw[0]["params"]["_meta"] == stage.meta()
    assert stage.gate.era is Era.MODERN


def test_what_was_seen_under_other_claims_is_not_known_under_these() -> None:
    """A server may show something else to a client with other capabilities."""
    stage = modern()
    assert "result" in stage.call()

    stage.client_capabilities = {"sampling": {}}
    stage.server.tools = [{**ECHO, "description": "EVIL"}]

    assert reason(stage.call()) == "changed"


def test_what_one_client_is_shown_does_not_speak_for_another() -> None:
    """A server lies to one client only: the honest list that another gets does not make that good."""
    server = Server()
    server.answers["tools/list"] = lambda params: {
        "result": {
            "tools": [ECHO if "roots" in params["_meta"][CAPABILITIES_KEY] else {**ECHO, "title": "EVIL"}]
        }
    }
    stage = modern(server)
    for _ in range(2):
        stage.client_capabilities = {}
        assert reason(stage.call()) == "changed"
        stage.client_capabilities = {"roots": {}}
        assert "result" in stage.call()

    assert server.methods().count("tools/list") == 2


def test_after_expiry_the_lists_are_compared_again() -> None:
    """Nobody who has not subscribed is told about a changed list in this version."""
    stage = modern()
    assert "result" in stage.call()
    stage.server.tools = [{**ECHO, "description": "EVIL"}]
    assert "result" in stage.call()

    stage.gate.expire()

    assert reason(stage.call()) == "changed"


def test_initialized_means_nothing_here() -> None:
    stage = modern()

    stage.client(told("notifications/initialized"))

    assert stage.happened("unexpected_initialized")
    assert not stage.reached("notifications/initialized")


def test_other_notifications_pass() -> None:
    stage = modern()

    stage.client(told("notifications/x"))

    assert stage.reached("notifications/x")


def test_a_server_asks_nothing_outside_its_answers() -> None:
    stage = modern(client_capabilities={"roots": {}})

    stage.serve(asked("roots/list", 1))

    assert code(stage.server.saw[-1]) == -32601
    assert stage.happened("server_request_refused")


ROOTS = {"method": "roots/list"}
SAMPLING = {"method": "sampling/createMessage", "params": {"messages": []}}
URL = {"method": "elicitation/create", "params": {"mode": "url"}}


@pytest.mark.parametrize(
    ("asks", "declared", "required"),
    [
        ({"a": ROOTS}, {"roots": {}}, None),
        ({"a": ROOTS}, {}, {"roots": {}}),
        ({"a": ROOTS, "b": SAMPLING}, {"roots": {}}, {"sampling": {}}),
        ({"a": URL}, {"elicitation": {}}, {"elicitation": {"url": {}}}),
        ({}, {}, None),
        (None, {}, None),
    ],
)
@pytest.mark.parametrize("method", ["tools/call", "prompts/get", "resources/read", "tasks/get"])
def test_an_answer_may_ask_only_for_what_this_request_declared(
    asks: Json | None, declared: Json, required: Json | None, method: str
) -> None:
    stage = modern(client_capabilities=declared)
    result = {"resultType": "input_required", "inputRequests": asks, "requestState": "s"}
    stage.server.answers[method] = lambda _: {"result": result}

    names = {"tools/call": {"name": "get_time"}, "prompts/get": {"name": "greet"}}
    params = names.get(method, {"uri": "file:///project/README.md"})
    answer = stage.ask(method, **params)

    if required is None:
        assert answer["result"] == result
    else:
        assert code(answer) == -32021
        assert answer["error"]["data"] == {"requiredCapabilities": required}
        assert stage.happened("client_capability_missing")


@pytest.mark.parametrize(
    "result",
    [
        b'{"resultType":"complete","resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}',
        b'{"resultType":"input\\u005frequired","inputRequests":{"a":{"method":"roots/list"}}}',
        b'{"resultType":"input_required","input\\u0052equests":{"a":{"method":"roots/list"}}}',
        b'{"resultType":"input_required","InputRequests":{"a":{"method":"roots/list"}}}',
        b'{"resultType":"input_required","inputRequests":{"a":{"method":"x","method":"roots/list"}}}',
        b'{"resultType":"input_required","inputRequests":{"a":{"method":"psychic/read"}}}',
        b'{"resultType":"input_required","inputRequests":{"a":5}}',
        b'{"resultType":"input_required","inputRequests":[]}',
        b'{"resultType":"x\\u0041","content":"input_required","inputRequests":{"a":{"method":"roots/list"}}}',
    ],
)
@pytest.mark.parametrize("padding", [0, 5000])
def test_a_request_for_input_cannot_hide(result: bytes, padding: int) -> None:
    stage = modern(Server(silent={"tools/call"}))
    stage.call()
    request_id = stage.server.saw[-1]["id"]

    padded = result[:-1] + b',"x":"' + b"x" * padding + b'"}'
    stage.serve(b'{"jsonrpc":"2.0","id":%d,"result":%s}' % (request_id, padded))

    assert code(stage.got[-1]) in (-32010, -32021)


@pytest.mark.parametrize("text", ["input_required", "é", "\\u00e9"])
def test_the_words_alone_ask_for_nothing(text: str) -> None:
    stage = modern(Server(silent={"tools/call"}))
    stage.call()
    answer = line(answered(stage.server.saw[-1]["id"], content=[{"text": text}], resultType="complete"))

    stage.serve(answer)

    assert stage.got_lines[-1] == answer


def test_another_server_than_the_approved_one_is_refused() -> None:
    stage = modern(Server(name="impostor"))

    assert reason(stage.got[0]) == "server_changed"
    assert stage.closed


def test_a_name_that_is_no_text_is_another_name() -> None:
    stage = Stage(contract=locked(), policy=GatePolicy(on_server_changed=OnServerChanged.LOG))
    stage.server.name = 5  # type: ignore[assignment]
    stage.open(Era.MODERN)

    assert stage.happened("server_changed")[0].severity is Severity.CRITICAL


def test_the_signature_is_advertised_in_both_places() -> None:
    stage = modern()

    capabilities = stage.got[0]["result"]["capabilities"]
    expected = {"digest": locked().digest}
    assert capabilities["signature"] == expected
    assert capabilities["extensions"]["dev.avow/signature"] == expected


def test_single_requests_may_share_what_is_known() -> None:
    """Over HTTP each request has its own gate, since ids of different clients may meet."""
    knowledge = Knowledge(locked())
    server = Server()
    for _ in range(3):
        stage = Stage(server, knowledge=knowledge)
        stage.era = Era.MODERN
        assert "result" in stage.call()

    assert server.methods() == ["tools/list", "tools/call", "tools/call", "tools/call"]


def test_a_subscription_is_cut_to_the_approved_resources() -> None:
    stage = modern(Server(silent={"subscriptions/listen"}))
    wanted = {
        "toolsListChanged": True,
        "resourceSubscriptions": ["file:///project/README.md", "evil://x", "file:///project/a"],
    }

    stage.ask("subscriptions/listen", notifications=wanted)

    seen = stage.server.saw[-1]["params"]
    assert seen["notifications"] == {
        "toolsListChanged": True,
        "resourceSubscriptions": ["file:///project/README.md", "file:///project/a"],
    }
    assert seen["_meta"] == stage.meta()
    assert stage.happened("call_refused")[0].name == "evil://x"


def test_a_subscription_to_approved_resources_passes_byte_for_byte() -> None:
    gate = Gate(locked(), GatePolicy(), "demo")
    request = line(asked("subscriptions/listen", 1, notifications={"toolsListChanged": True}, _meta=META))

    assert gate.from_client(request).to_server == (request,)


@pytest.mark.parametrize(
    "wanted",
    [
        None,
        [],
        {"resourceSubscriptions": "file:///project/a"},
        {"resourceSubscriptions": [5]},
        {"ResourceSubscriptions": []},
    ],
)
def test_a_subscription_that_cannot_be_read_is_refused(wanted: Json | None) -> None:
    assert code(modern().ask("subscriptions/listen", notifications=wanted)) == -32602


def test_a_server_may_end_a_subscription_on_a_stream() -> None:
    stage = modern(Server(silent={"subscriptions/listen"}))
    stage.ask("subscriptions/listen", notifications={})
    request_id = stage.server.saw[-1]["id"]

    stage.serve(told("notifications/cancelled", requestId=request_id))
    stage.serve(answered(request_id, resultType="complete"))

    assert stage.gate.pending == 0
    assert stage.happened("answer_unexpected") == []
    assert stage.got[-1] == told("notifications/cancelled", requestId=request_id)


def test_the_claims_of_a_request_do_not_reach_its_neighbour() -> None:
    """Two requests are under way: only the one that declared roots may be asked for them."""
    stage = modern(Server(silent={"tools/call"}))
    stage.ask("tools/list")
    stage.call("get_time")
    first = stage.server.saw[-1]["id"]
    stage.client(
        asked(
            "tools/call",
            9,
            name="get_time",
            _meta={VERSION_KEY: MODERN_VERSION, CAPABILITIES_KEY: {"roots": {}}},
        )
    )
    asks = {"resultType": "input_required", "inputRequests": {"a": ROOTS}}

    stage.serve(answered(first, **asks))
    assert code(stage.got[-1]) == -32021
    stage.serve(answered(9, **asks))

    assert stage.got[-1] == answered(9, **asks)


def test_client_information_is_part_of_the_claims() -> None:
    stage = modern()
    stage.call()
    before = stage.server.methods().count("tools/list")

    stage.client(
        asked("tools/call", 9, name="get_time", _meta={**stage.meta(), CLIENT_KEY: {"name": "other"}})
    )

    assert stage.server.methods().count("tools/list") == before + 1


def test_a_signature_is_answered_from_the_contract() -> None:
    stage = modern()

    result = stage.ask("signature")["result"]

    assert result["resultType"] == "complete"
    assert result["digest"] == locked().digest
    assert [digest(tool) for tool in result["tools"]] == [digest(ECHO), digest(TIME)]

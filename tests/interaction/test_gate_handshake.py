"""Sessions that begin with `initialize`: phases, versions, and who the server says it is."""

import pytest

from avow.core.risk import Level, assess
from avow.core.severity import Severity
from avow.core.snapshot import Era
from avow.protocol.gate import Gate, GatePolicy, HeaderFacts, OnServerChanged, Phase
from avow.protocol.negotiation import Controls, VersionPolicy
from conversations import (
    CAPABILITIES_KEY,
    ECHO,
    MODERN_VERSION,
    VERSION_KEY,
    Json,
    Server,
    Stage,
    answered,
    asked,
    code,
    failed,
    line,
    locked,
    reason,
    signature,
    told,
)

INITIALIZE = asked("initialize", 0, protocolVersion="2025-11-25", capabilities={}, clientInfo={})
DELETE: Json = {
    "name": "delete_all_files",
    "description": "Permanently deletes files.",
    "annotations": {"destructiveHint": True},
    "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}},
}
ADD: Json = {
    "name": "add_numbers",
    "description": "Adds two numbers.",
    "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}},
}


def test_the_phases_follow_the_handshake() -> None:
    stage = Stage(Server(silent={"initialize"}), locked())
    phases = [stage.gate.phase]

    stage.client(INITIALIZE)
    phases.append(stage.gate.phase)
    stage.serve(answered(0, protocolVersion="2025-11-25", capabilities={}, serverInfo={"name": "demo"}))
    phases.append(stage.gate.phase)
    stage.client(told("notifications/initialized"))
    phases.append(stage.gate.phase)
    stage.gate.server_gone("it exited")
    phases.append(stage.gate.phase)

    assert phases == ["awaiting_init", "awaiting_init", "init_sent", "active", "terminated"]
    assert stage.happened("session_active")


@pytest.mark.parametrize("method", ["tools/list", "tools/call", "x/extension", "logging/setLevel"])
def test_nothing_but_ping_passes_before_initialize(method: str) -> None:
    stage = Stage(contract=locked())

    stage.client(asked(method, 1, name="echo"))
    stage.client(asked("ping", 2))

    assert code(stage.got[0]) == -32600
    assert stage.happened("phase_violation")
    assert stage.server.methods() == ["ping"]


@pytest.mark.parametrize("method", ["tools/list", "tools/call", "x/extension"])
def test_nothing_but_ping_passes_before_initialized(method: str) -> None:
    """A client that calls before it has said `initialized` skips what servers check at that moment."""
    stage = Stage(contract=locked())
    stage.client(INITIALIZE)

    stage.client(asked(method, 1, name="echo"))
    stage.client(asked("ping", 2))

    assert code(stage.got[1]) == -32600
    assert stage.server.methods() == ["initialize", "ping"]


def test_what_a_client_sends_without_waiting_is_judged_after_the_handshake() -> None:
    """A script pipes everything at once: the order stays, and nothing overtakes the server's answer."""
    stage = Stage(Server(silent={"initialize"}), locked())

    for message in (INITIALIZE, asked("ping", 1), told("notifications/initialized"), asked("tools/list", 2)):
        stage.client(message)
    assert stage.server.methods() == ["initialize", "ping"]
    assert stage.gate.is_holding
    stage.serve(
        answered(0, protocolVersion="2025-11-25", capabilities={"tools": {}}, serverInfo={"name": "demo"})
    )

    assert stage.server.methods() == ["initialize", "ping", "notifications/initialized", "tools/list"]


def test_a_request_without_waiting_and_without_initialized_is_refused_after_the_answer() -> None:
    stage = Stage(Server(silent={"initialize"}), locked())
    stage.client(INITIALIZE)
    stage.client(asked("tools/list", 2))

    stage.serve(answered(0, protocolVersion="2025-11-25", capabilities={}, serverInfo={"name": "demo"}))

    assert code(stage.got[-1]) == -32600
    assert not stage.reached("tools/list")


@pytest.mark.parametrize("silent", [set(), {"initialize"}], ids=["answered", "under way"])
def test_a_second_initialize_is_refused(silent: set[str]) -> None:
    stage = Stage(Server(silent=silent), locked())
    stage.client(INITIALIZE)

    stage.client({**INITIALIZE, "id": 9})

    assert code(stage.got[-1]) == -32600
    assert stage.server.methods() == ["initialize"]


def test_a_failed_initialize_may_be_tried_again() -> None:
    stage = Stage(contract=locked())
    stage.server.answers["initialize"] = lambda _: {"error": {"code": -32602, "message": "no"}}
    stage.client(INITIALIZE)
    assert code(stage.got[-1]) == -32602
    del stage.server.answers["initialize"]

    stage.client({**INITIALIZE, "id": 1})

    assert "result" in stage.got[-1]


def test_a_client_that_pipes_a_second_try_waits_for_its_answer() -> None:
    stage = Stage(Server(silent={"initialize"}), locked())
    for message in (INITIALIZE, asked("tools/list", 1), {**INITIALIZE, "id": 2}, asked("tools/list", 3)):
        stage.client(message)

    stage.serve(failed(0))

    assert [message["id"] for message in stage.got] == [0, 1]
    assert stage.server.methods() == ["initialize", "initialize"]
    assert stage.gate.is_holding


def test_an_unexpected_initialized_is_dropped() -> None:
    stage = Stage(contract=locked())
    stage.client(told("notifications/initialized"))
    assert stage.happened("unexpected_initialized")
    stage.open()

    stage.client(told("notifications/initialized"))

    assert len(stage.happened("unexpected_initialized")) == 2
    assert stage.server.methods() == ["initialize", "notifications/initialized"]


def test_other_notifications_before_the_session_is_active_are_dropped() -> None:
    stage = Stage(contract=locked())

    stage.client(told("notifications/roots/list_changed"))

    assert stage.server.saw == []
    assert stage.happened("phase_violation")


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"protocolVersion": 1},
        {"protocolVersion": "2025-11-25", "capabilities": []},
        {"protocolVersion": "2025-11-25", "ProtocolVersion": "x"},
    ],
)
def test_an_initialize_that_does_not_say_what_it_must_is_refused(params: Json) -> None:
    stage = Stage(contract=locked())

    stage.client({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})

    assert code(stage.got[-1]) == -32602
    assert stage.server.saw == []


def test_a_request_of_the_server_has_to_wait_for_the_session() -> None:
    stage = Stage(contract=locked(), client_capabilities={"roots": {}})
    stage.client(INITIALIZE)

    stage.serve(asked("roots/list", 7))
    stage.serve(asked("ping", 8))

    assert code(stage.server.saw[-1]) == -32600
    assert stage.got[-1] == asked("ping", 8)


def test_an_older_version_than_was_approved_is_logged_and_critical_when_the_server_chose_it() -> None:
    stage = Stage(Server(version="2024-11-05"), locked()).open()

    (happened,) = stage.happened("protocol_downgrade")
    assert (happened.severity, happened.name) == (Severity.CRITICAL, "2024-11-05")
    assert "result" in stage.call()


def test_an_older_version_that_the_client_asked_for_is_worth_a_note() -> None:
    stage = Stage(contract=locked()).open(version="2025-03-26")

    (happened,) = stage.happened("protocol_downgrade")
    assert happened.severity is Severity.INFO


def test_the_counter_offer_of_a_server_passes_and_is_judged() -> None:
    stage = Stage(Server(version="2025-06-18"), locked()).open(version="1.0.0")

    assert stage.got[0]["result"]["protocolVersion"] == "2025-06-18"
    assert stage.happened("protocol_downgrade")
    assert "result" in stage.call()


def test_a_version_that_nobody_released_is_older_than_all() -> None:
    policy = GatePolicy(versions=VersionPolicy(minimum="2024-11-05"))
    stage = Stage(Server(version="2099-01-01"), locked(), policy).open()

    assert code(stage.got[0]) == -32602
    assert stage.happened("protocol_unknown") == []
    assert stage.happened("protocol_refused")
    assert stage.closed


@pytest.mark.parametrize(
    "versions",
    [VersionPolicy(minimum="2025-06-18"), VersionPolicy(baseline="2025-06-18", controls=Controls.REJECT)],
)
def test_a_version_below_what_policy_allows_ends_the_session(versions: VersionPolicy) -> None:
    stage = Stage(contract=locked(), policy=GatePolicy(versions=versions)).open(version="2025-03-26")

    assert code(stage.got[0]) == -32602
    assert stage.closed
    assert stage.gate.phase is Phase.TERMINATED
    assert stage.server.methods() == ["initialize"]


def test_below_the_baseline_only_tools_rated_low_remain() -> None:
    approved = signature(tools=(ADD, DELETE))
    levels = [assess(tool).level for tool in approved.tools.values()]
    assert levels == [Level.LOW, Level.HIGH]
    policy = GatePolicy(versions=VersionPolicy(baseline="2025-11-25"))
    stage = Stage(Server(tools=[ADD, DELETE]), locked(approved), policy).open(version="2025-06-18")

    assert stage.names() == ["add_numbers"]
    assert reason(stage.call("delete_all_files", path="/")) == "restricted"
    assert "result" in stage.call("add_numbers", a=1, b=2)
    assert stage.happened("protocol_below_baseline")


def test_below_the_baseline_a_tool_that_nobody_rated_is_not_available() -> None:
    policy = GatePolicy(versions=VersionPolicy(baseline="2025-11-25"))
    contract = locked(signature(tools=()), extra={"incomplete": ["tools"]})
    stage = Stage(Server(tools=[ADD, DELETE]), contract, policy).open(version="2025-06-18")

    assert stage.names() == ["add_numbers"]
    assert reason(stage.call("delete_all_files", path="/")) == "restricted"


def test_below_the_baseline_the_policy_may_only_log() -> None:
    policy = GatePolicy(versions=VersionPolicy(baseline="2025-11-25", controls=Controls.LOG))
    stage = Stage(Server(tools=[DELETE]), locked(signature(tools=(DELETE,))), policy).open(
        version="2025-06-18"
    )

    assert stage.names() == ["delete_all_files"]
    assert stage.happened("protocol_below_baseline")


def test_another_server_than_the_approved_one_is_refused() -> None:
    stage = Stage(Server(name="impostor"), locked()).open()

    assert reason(stage.got[0]) == "server_changed"
    assert "impostor" not in str(stage.got[0])
    assert stage.happened("server_changed")[0].severity is Severity.CRITICAL
    assert stage.closed


def test_another_server_may_be_only_logged() -> None:
    stage = Stage(Server(name="impostor"), locked(), GatePolicy(on_server_changed=OnServerChanged.LOG)).open()

    assert "result" in stage.call()
    assert stage.happened("server_changed")


@pytest.mark.parametrize(
    "result",
    [
        {"protocolVersion": "2025-11-25", "capabilities": []},
        {"protocolVersion": "2025-11-25", "capabilities": {}, "instructions": 5},
        {"protocolVersion": "2025-11-25", "capabilities": {}, "Instructions": "x"},
        {"protocolVersion": None, "capabilities": {}},
        {"capabilities": {}},
    ],
)
def test_an_answer_to_initialize_that_cannot_be_judged_is_not_shown(result: Json) -> None:
    stage = Stage(contract=locked())
    stage.server.answers["initialize"] = lambda _: {"result": result}
    stage.client(INITIALIZE)

    assert reason(stage.got[-1]) == "malformed"
    del stage.server.answers["initialize"]
    stage.client({**INITIALIZE, "id": 1})
    assert "result" in stage.got[-1]


def test_the_configuration_schema_stays_whatever_was_approved() -> None:
    server = Server()
    server.capabilities = {**server.capabilities, "experimental": {"configurationSchema": {"parameters": []}}}
    stage = Stage(server, locked()).open()

    assert stage.got[0]["result"]["capabilities"]["experimental"] == {
        "configurationSchema": {"parameters": []}
    }


def test_a_capability_that_the_server_gave_up_is_no_reason_to_rewrite() -> None:
    server = Server(capabilities={"tools": {"listChanged": False}, "logging": None})
    stage = Stage(server, locked(), GatePolicy(advertise_signature=False)).open()

    assert stage.got[0]["result"]["capabilities"] == server.capabilities
    assert stage.happened("capabilities_changed") == []


def test_a_server_approved_in_the_other_era_declares_the_same_things_differently() -> None:
    server = Server()
    server.capabilities = {
        **server.capabilities,
        "logging": {},
        "tools": {"listChanged": True},
        "experimental": {},
    }
    contract = locked(era=Era.MODERN, protocol_version=MODERN_VERSION)
    stage = Stage(server, contract).open()

    assert stage.got[0]["result"]["capabilities"]["logging"] == {}
    assert stage.happened("capabilities_changed") == []
    server.capabilities["experimental"] = {"EVIL": {}}
    stage = Stage(server, contract).open()
    assert [event.name for event in stage.happened("capabilities_changed")] == ["/experimental"]


def test_an_empty_holder_of_experiments_is_no_capability() -> None:
    server = Server()
    server.capabilities = {**server.capabilities, "experimental": {}}
    stage = Stage(server, locked()).open()

    assert stage.happened("capabilities_changed") == []


def test_a_known_experiment_may_not_grow() -> None:
    contract = locked(capabilities={"experimental": {"a": {"x": 1}}})
    stage = Stage(Server(capabilities={"experimental": {"a": {"x": 2, "y": 1}, "b": {}}}), contract).open()

    assert stage.got[0]["result"]["capabilities"]["experimental"] == {"a": {}}
    names = {event.name for event in stage.happened("capabilities_changed")}
    assert names == {"/experimental/a/x", "/experimental/a/y", "/experimental/b"}


def test_an_unchanged_presentation_passes_byte_for_byte_when_no_signature_is_advertised() -> None:
    gate = Gate(locked(), GatePolicy(advertise_signature=False), "demo")
    gate.from_client(line(INITIALIZE))
    capabilities: Json = {"tools": {}}
    answer = line(answered(0, protocolVersion="2025-11-25", capabilities=capabilities,
                           serverInfo={"name": "demo"}, instructions="Be kind."))  # fmt: skip

    assert gate.from_server(answer).to_client == (answer,)


def test_a_modern_request_in_a_session_that_began_with_initialize_is_refused() -> None:
    stage = Stage(contract=locked()).open()
    meta = {VERSION_KEY: MODERN_VERSION, CAPABILITIES_KEY: {}}

    assert code(stage.ask("tools/list", _meta=meta)) == -32600
    assert stage.happened("era_violation")


def test_a_modern_client_may_fall_back_to_the_handshake() -> None:
    """The SDKs probe with `server/discover` first; a server of the older era answers with an error."""
    stage = Stage(contract=locked())
    stage.server.answers["server/discover"] = lambda _: {"error": {"code": -32601, "message": "no"}}
    stage.era = Era.MODERN
    assert code(stage.ask("server/discover")) == -32601

    stage.open(Era.LEGACY)

    assert "result" in stage.call()
    assert stage.gate.era is Era.LEGACY


def test_a_server_that_answers_in_two_eras_is_not_believed() -> None:
    stage = Stage(Server(silent={"server/discover"}), locked())
    stage.era = Era.MODERN
    stage.ask("server/discover")
    probe = stage.server.saw[-1]["id"]
    stage.open(Era.LEGACY)

    stage.serve(answered(probe, capabilities={}, supportedVersions=[MODERN_VERSION]))

    assert code(stage.got[-1]) == -32600
    assert stage.happened("era_violation")
    assert stage.gate.era is Era.LEGACY


def test_a_handshake_answered_after_a_modern_answer_is_refused() -> None:
    stage = Stage(Server(silent={"initialize", "server/discover"}), locked())
    stage.era = Era.MODERN
    stage.ask("server/discover")
    probe = stage.server.saw[-1]["id"]
    stage.client(INITIALIZE)
    demo = {"name": "demo"}
    stage.serve(answered(probe, capabilities={}, supportedVersions=[MODERN_VERSION], serverInfo=demo))

    stage.serve(answered(0, protocolVersion="2025-11-25", capabilities={}, serverInfo=demo))

    assert code(stage.got[-1]) == -32600
    assert stage.gate.era is Era.MODERN


def test_after_the_end_nothing_passes() -> None:
    stage = Stage(contract=locked()).open()
    stage.gate.server_gone("it exited")

    stage.client(asked("tools/list", 5))
    stage.client(told("notifications/roots/list_changed"))
    stage.serve(told("notifications/message", data="x"))

    assert code(stage.got[-1]) == -32600
    assert stage.server.methods() == ["initialize", "notifications/initialized"]


def test_an_unreadable_answer_to_initialize_does_not_hang_the_client() -> None:
    stage = Stage(Server(silent={"initialize"}), locked())
    stage.client(INITIALIZE)
    stage.client(asked("tools/list", 4))

    stage.serve(b'{"jsonrpc":"2.0","id":0,"result":{},"result":{}}')

    assert [code(message) for message in stage.got] == [-32010, -32600]


@pytest.mark.parametrize(
    ("method", "params", "declared", "passes"),
    [
        ("sampling/createMessage", {}, {}, False),
        ("sampling/createMessage", {}, {"sampling": {}}, True),
        ("sampling/createMessage", {"tools": []}, {"sampling": {}}, False),
        ("sampling/createMessage", {"tools": []}, {"sampling": {"tools": {}}}, True),
        ("elicitation/create", {}, {}, False),
        ("elicitation/create", {}, {"elicitation": {}}, True),
        ("elicitation/create", {"mode": "form"}, {"elicitation": {"form": {}}}, True),
        ("elicitation/create", {"mode": "form"}, {"elicitation": {"url": {}}}, False),
        ("elicitation/create", {"mode": "url"}, {"elicitation": {}}, False),
        ("elicitation/create", {"mode": "url"}, {"elicitation": {"url": {}}}, True),
        ("elicitation/create", {"mode": "psychic"}, {"elicitation": {"url": {}, "form": {}}}, False),
        ("roots/list", {}, {}, False),
        ("roots/list", {}, {"roots": True}, False),
        ("roots/list", {}, {"roots": {}}, True),
        ("x/extension", {}, {}, True),
    ],
)
def test_a_server_may_ask_only_for_what_the_client_declared(
    method: str, params: Json, declared: Json, passes: bool
) -> None:
    stage = Stage(contract=locked(), client_capabilities=declared).open()
    request: Json = {"jsonrpc": "2.0", "id": "s1", "method": method, "params": params}

    stage.serve(request)

    if passes:
        assert stage.got[-1] == request
    else:
        assert code(stage.server.saw[-1]) == -32601
        assert request not in stage.got
        assert stage.happened("client_capability_missing")


def test_a_request_of_the_server_with_duplicate_keys_is_refused() -> None:
    stage = Stage(contract=locked(), client_capabilities={"elicitation": {}}).open()

    stage.serve(
        b'{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"url","mode":"form"}}'
    )

    assert code(stage.server.saw[-1]) == -32602


def test_the_header_of_a_session_names_its_version() -> None:
    stage = Stage(contract=locked()).open()
    request = asked("tools/list", 5)

    stage.client(request, HeaderFacts(protocol_version="2024-11-05"))
    assert code(stage.got[-1]) == -32600
    stage.client({**request, "id": 6}, HeaderFacts(protocol_version="2025-11-25"))
    assert "result" in stage.got[-1]


def test_an_error_of_the_server_passes_as_it_is() -> None:
    stage = Stage(contract=locked()).open()
    stage.server.answers["tools/list"] = lambda _: {
        "error": {"code": -32603, "message": "no", "data": {"x": 1}}
    }

    assert stage.ask("tools/list")["error"] == {"code": -32603, "message": "no", "data": {"x": 1}}


def test_a_failed_answer_is_only_an_answer_once() -> None:
    stage = Stage(Server(silent={"tools/list"}), locked()).open()
    stage.ask("tools/list")
    request_id = stage.server.saw[-1]["id"]

    stage.serve(failed(request_id))
    stage.serve(failed(request_id))

    assert len(stage.got) == 2
    assert len(stage.happened("answer_unexpected")) == 1


def test_the_approved_echo_is_the_one_that_is_called() -> None:
    stage = Stage(contract=locked()).open()

    assert "result" in stage.call("echo", text="hi", mode="loud")
    assert stage.ask("tools/list")["result"]["tools"][0] == ECHO

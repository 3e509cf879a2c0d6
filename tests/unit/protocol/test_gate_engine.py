"""The gate as a whole: many lines at once, and what a transport may settle before the first of them."""

from avow.core.snapshot import Source
from avow.protocol.gate import Fallback, Gate, GatePolicy, Phase
from conversations import ECHO, LEGACY_VERSION, TIME, Server, Stage, answered, asked, line, locked, told

CALL = line(asked("tools/call", 7, name="echo", arguments={"text": "x"}))
HELLO = asked("initialize", 1, protocolVersion=LEGACY_VERSION, capabilities={}, clientInfo={})


def test_lines_with_nothing_in_them_are_passed_over() -> None:
    stage = Stage(contract=locked()).open()
    stage.names()

    assert stage.gate.all_from_client([b"", CALL, b" ", b"\r"]).to_server == (CALL,)
    assert stage.gate.all_from_server([b"", b"\t"]) == stage.gate.all_from_server([])


def test_calls_and_answers_pass_in_their_order_and_once() -> None:
    stage = Stage(contract=locked()).open()
    stage.names()
    stage.call()
    calls = [line(asked("tools/call", number, name="get_time")) for number in range(5)]
    answers = [line(answered(number)) for number in (3, 1, 4, 0)]
    answers.append(b'{"result":{},"jsonrpc":"2.0","id":2}')

    assert stage.gate.all_from_client([*calls, calls[2]]).to_server == tuple(calls)
    assert stage.gate.all_from_server(answers).to_client == tuple(answers)
    assert stage.gate.pending == 0


def test_what_passes_as_it_came_is_counted_up_to_the_first_that_does_not() -> None:
    stage = Stage(contract=locked()).open()
    stage.names()
    stage.call()
    answer = line(answered(7))

    assert stage.gate.pass_calls([CALL]) == 1
    assert stage.gate.pass_calls([CALL, CALL]) == 0
    assert stage.gate.pass_answers([answer, answer]) == 1
    assert stage.gate.pass_answers([]) == 0


def test_a_result_without_the_rest_is_no_answer() -> None:
    gate = Stage(contract=locked()).open().gate

    assert gate.from_server(b'{"result":{"a":1},"id":7}').to_client == ()


def test_what_follows_the_end_of_a_session_in_one_read_is_not_answered() -> None:
    """The client's `initialized` shows that there will be no contract: the ping behind it comes too late."""
    server = Server()
    gate = Gate(None, GatePolicy(source=Source.DECLARED, fallback=Fallback.REJECT), "demo")
    gate.from_client(line(HELLO))
    for answer in server.receive(HELLO):
        gate.from_server(line(answer))

    decision = gate.all_from_client([line(told("notifications/initialized")), line(asked("ping", 2))])

    assert decision.close
    assert decision.to_client == ()
    assert gate.phase is Phase.TERMINATED


def test_an_impostor_gets_nothing_more_across() -> None:
    gate = Gate(locked(), GatePolicy(), "demo")
    gate.from_client(line(HELLO))
    presentation = {"protocolVersion": LEGACY_VERSION, "capabilities": {}, "serverInfo": {"name": "impostor"}}
    news = line(told("notifications/message", data="hello"))

    decision = gate.all_from_server([news, line(answered(1, **presentation)), news])

    assert decision.close
    assert decision.to_client[0] == news
    assert decision.to_client.count(news) == 1


def test_an_answer_that_is_not_one_object_is_no_answer() -> None:
    """What looks like an envelope of three members, with something between the result and its end."""
    gate = Stage(contract=locked()).open().gate
    gate.from_client(line(asked("tools/list", 5)))
    gate.from_server(line(answered(5, tools=[ECHO, TIME])))
    assert gate.from_client(CALL).to_server == (CALL,)

    decision = gate.from_server(b'{"jsonrpc":"2.0","id":7,"result":{"content":[]},"result":{"content":[5]}}')

    assert b'"error"' in decision.to_client[0]
    assert [happened.event for happened in decision.events] == ["message_unreadable", "answer_malformed"]


def test_nothing_begins_a_session_where_the_transport_has_none() -> None:
    gate = Gate(locked(), GatePolicy(), "demo", stateless=True)

    decision = gate.from_client(line(HELLO))

    assert decision.to_server == ()
    assert b"-32022" in decision.to_client[0]

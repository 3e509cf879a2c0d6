"""`avow gateway` in front of stdio servers: a real process, the official SDK's client, and raw HTTP."""

import asyncio
import http.client
import json
import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters

from connect_helpers import SERVERS
from gateway_helpers import (
    INITIALIZE,
    META,
    VERSION,
    Gateway,
    conversation,
    events,
    eventually,
    is_running,
    running,
)
from project import Project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Two locked servers: one on the official SDK, one written by hand."""
    project = Project(tmp_path_factory.mktemp("gateway"))
    project.lock("sums", sys.executable, str(SERVERS / "sums.py"))
    project.lock("both", sys.executable, str(SERVERS / "both.py"))
    return project


@pytest.fixture(scope="module")
def gateway(project: Project) -> Iterator[Gateway]:
    with running(project, "--log", str(project.directory / "events")) as gateway:
        yield gateway


def call(gateway: Gateway, session: str, name: str, number: int = 1, **arguments: Any) -> dict[str, Any]:
    """A call within a session; the whole answer."""
    params = {"name": name, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    answer = gateway.post("both", message, Mcp_Session_Id=session)
    return answer.json if answer.headers["content-type"] == "application/json" else events(answer.body)[-1]


def words(answer: dict[str, Any]) -> str:
    text: str = answer["result"]["content"][0]["text"]
    return text


# The same as without it.


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdk_client_sees_the_same_through_the_gateway_as_without_it(
    project: Project, gateway: Gateway, mode: Any
) -> None:
    at = str(project.directory)

    direct = conversation(
        StdioServerParameters(command=sys.executable, args=[str(SERVERS / "sums.py")], cwd=at), mode
    )
    held = conversation(gateway.url("sums"), mode)

    assert held == direct
    assert held["version"] == ("2025-11-25" if mode == "legacy" else VERSION)


@pytest.mark.parametrize("mode", ["legacy", VERSION])
def test_the_sdk_client_is_refused_what_was_not_approved(gateway: Gateway, mode: Any) -> None:
    async def talk() -> None:
        with anyio.fail_after(20):
            async with Client(gateway.url("sums"), mode=mode) as client:
                with pytest.raises(MCPError, match="not part of the approved contract"):
                    await client.call_tool("delete_everything", {})
                with pytest.raises(MCPError, match="outside its approved schema"):
                    await client.call_tool("add", {"a": "two"})

    anyio.run(talk)


@pytest.mark.parametrize("mode", ["legacy", VERSION])
def test_the_sdk_client_hears_of_progress(gateway: Gateway, mode: Any) -> None:
    heard: list[float] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append(progress)

    async def talk() -> None:
        with anyio.fail_after(20):
            async with Client(gateway.url("both"), mode=mode) as client:
                await client.call_tool("count", {}, progress_callback=hear)

    anyio.run(talk)

    assert heard == [0, 1, 2]


# Sessions of clients up to 2025-11-25.


def test_each_session_has_a_process_of_its_own(gateway: Gateway) -> None:
    first, second = gateway.shake_hands("both"), gateway.shake_hands("both")

    assert words(call(gateway, first, "whoami")) != words(call(gateway, second, "whoami"))
    assert words(call(gateway, first, "whoami", 2)) == words(call(gateway, first, "whoami", 3))


def test_a_session_ends_with_delete_and_so_does_its_process(gateway: Gateway) -> None:
    session = gateway.shake_hands("both")
    process = words(call(gateway, session, "whoami"))

    assert gateway.request("DELETE", "/both/mcp", Mcp_Session_Id=session).status == 200

    assert eventually(lambda: not is_running(process))
    assert (
        gateway.post("both", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, Mcp_Session_Id=session).status
        == 404
    )


def test_an_unknown_session_is_not_found_nor_is_that_of_another_server(gateway: Gateway) -> None:
    session = gateway.shake_hands("both")
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}

    assert gateway.post("both", ping, Mcp_Session_Id="guess").status == 404
    assert gateway.post("sums", ping, Mcp_Session_Id=session).status == 404
    assert (
        gateway.request("GET", "/both/mcp", Mcp_Session_Id="guess", Accept="text/event-stream").status == 404
    )
    assert gateway.request("GET", "/both/mcp", Accept="text/event-stream").status == 400


def test_a_quick_answer_is_json_and_one_with_news_before_it_is_events(gateway: Gateway) -> None:
    session = gateway.shake_hands("both")
    params: dict[str, Any] = {"name": "echo", "arguments": {"text": "hello"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}

    quick = gateway.post("both", message, Mcp_Session_Id=session)
    params |= {"name": "count", "_meta": {"progressToken": "t"}}
    slow = gateway.post("both", {**message, "id": 2}, Mcp_Session_Id=session)

    assert quick.headers["content-type"] == "application/json"
    assert quick.headers["mcp-session-id"] == session
    assert slow.headers["content-type"] == "text/event-stream"
    assert [each.get("method", each.get("id")) for each in events(slow.body)] == [
        "notifications/progress"
    ] * 3 + [2]


def test_overlapping_calls_get_their_own_progress_and_answers(gateway: Gateway) -> None:
    session = gateway.shake_hands("both")
    seen: dict[str, list[dict[str, Any]]] = {}

    def ask(name: str, number: int) -> None:
        params = {
            "name": "count",
            "arguments": {"text": name, "seconds": 0.05},
            "_meta": {"progressToken": name},
        }
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        seen[name] = events(gateway.post("both", message, Mcp_Session_Id=session).body)

    threads = [threading.Thread(target=ask, args=(f"t{number}", number)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for number in range(4):
        *progress, answer = seen[f"t{number}"]
        assert answer["id"] == number
        assert {each["params"]["message"] for each in progress} == {f"t{number}"}


def test_a_question_of_the_server_reaches_the_client_and_its_answer_the_server(gateway: Gateway) -> None:
    declared = {**INITIALIZE["params"], "capabilities": {"roots": {}}}
    session = gateway.post("both", {**INITIALIZE, "params": declared}).headers["mcp-session-id"]
    gateway.post("both", {"jsonrpc": "2.0", "method": "notifications/initialized"}, Mcp_Session_Id=session)
    connection = gateway.connection()
    params = {"name": "ask", "arguments": {}}
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream", "Mcp-Session-Id": session}
    connection.request("POST", "/both/mcp", json.dumps(message), headers)
    stream = connection.getresponse()

    question = next_event(stream)
    answer = {"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}}
    accepted = gateway.post("both", answer, Mcp_Session_Id=session)

    assert question["method"] == "roots/list"
    assert accepted.status == 202
    assert words(next_event(stream)) == '{"roots": []}'
    connection.close()


def test_news_about_lists_go_to_the_stream_that_belongs_to_no_request(gateway: Gateway) -> None:
    session = gateway.shake_hands("both")
    with listening(gateway, session) as stream:
        answer = call(gateway, session, "news")

        assert words(answer) == "told"
        assert next_event(stream)["method"] == "notifications/tools/list_changed"
        assert gateway.request("GET", "/both/mcp", Mcp_Session_Id=session).status == 409


def test_what_was_missed_is_sent_again_after_the_last_event(gateway: Gateway) -> None:
    """The connection breaks in the middle of a call: the client comes back and gets the rest."""
    session = gateway.shake_hands("both")
    connection = gateway.connection()
    params = {"name": "count", "arguments": {"seconds": 0.3}, "_meta": {"progressToken": 1}}
    message = {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params}
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream", "Mcp-Session-Id": session}
    connection.request("POST", "/both/mcp", json.dumps(message), headers)
    last = event_id(connection.getresponse())
    connection.close()

    resumed = gateway.request(
        "GET", "/both/mcp", Accept="text/event-stream", Mcp_Session_Id=session, Last_Event_ID=last
    )

    assert [each.get("method", each.get("id")) for each in events(resumed.body)] == [
        "notifications/progress"
    ] * 2 + [9]


def test_a_client_that_waits_long_gets_an_event_to_resume_from(project: Project) -> None:
    patched = "import avow.proxy.gateway.replies as replies; replies._COMMIT_SECONDS = 0.1"
    with running(
        project, program=("-c", f"{patched}; import avow.cli.main as program; program.main()")
    ) as gateway:
        session = gateway.shake_hands("both")
        params = {"name": "wait", "arguments": {"seconds": 0.6}}
        message = {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params}
        answer = gateway.post("both", message, Mcp_Session_Id=session, MCP_Protocol_Version="2025-11-25")

    assert answer.headers["content-type"] == "text/event-stream"
    assert answer.body.startswith(b"id: ")
    assert words(events(answer.body)[-1]) == "waited"


def test_a_cancelled_request_is_answered_at_once(gateway: Gateway) -> None:
    session = gateway.shake_hands("both")
    answers: list[dict[str, Any]] = []
    thread = threading.Thread(target=lambda: answers.append(call(gateway, session, "wait", 5, seconds=30)))
    thread.start()
    assert eventually(lambda: 'avow_gateway_streams{server="both"} 1' in gateway.metrics())

    note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}
    assert gateway.post("both", note, Mcp_Session_Id=session).status == 202
    thread.join(5)

    assert answers[0]["error"]["code"] == -32800


def test_a_server_that_dies_in_a_call_is_an_error_and_the_end_of_the_session(gateway: Gateway) -> None:
    session = gateway.shake_hands("both")

    answer = call(gateway, session, "die", 4)

    assert answer["id"] == 4
    assert "the server is gone" in answer["error"]["message"]
    assert (
        gateway.post("both", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, Mcp_Session_Id=session).status
        == 404
    )


def test_a_version_header_that_names_no_version_is_refused(gateway: Gateway) -> None:
    session = gateway.shake_hands("both")
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

    assert (
        gateway.post("both", message, Mcp_Session_Id=session, MCP_Protocol_Version="2025-11-25").status == 200
    )
    assert (
        gateway.post("both", message, Mcp_Session_Id=session, MCP_Protocol_Version="2025-99-99").status == 400
    )


def test_a_batch_is_answered_message_by_message(gateway: Gateway) -> None:
    """Only 2025-03-26 has them: what is outside the contract is refused, the rest is answered."""
    params = {**INITIALIZE["params"], "protocolVersion": "2025-03-26"}
    session = gateway.post("both", {**INITIALIZE, "params": params}).headers["mcp-session-id"]
    gateway.post("both", {"jsonrpc": "2.0", "method": "notifications/initialized"}, Mcp_Session_Id=session)
    calls = [
        {
            "jsonrpc": "2.0",
            "id": number,
            "method": "tools/call",
            "params": {"name": name, "arguments": {"text": "x"}},
        }
        for number, name in ((1, "echo"), (2, "delete"), (3, "echo"))
    ]

    answer = gateway.post("both", json.dumps(calls).encode(), Mcp_Session_Id=session)

    answers = {each["id"]: each for each in events(answer.body)}
    assert set(answers) == {1, 2, 3}
    assert answers[2]["error"]["code"] == -32010
    assert words(answers[3]) == "x"


def test_nothing_but_ping_before_the_session_is_active(gateway: Gateway) -> None:
    session = gateway.post("both", INITIALIZE).headers["mcp-session-id"]

    early = gateway.post("both", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, Mcp_Session_Id=session)

    assert early.error["code"] == -32600


# 2026-07-28.


def test_stateless_requests_share_one_process(gateway: Gateway) -> None:
    first = gateway.ask("both", "tools/call", name="whoami", arguments={})
    second = gateway.ask("both", "tools/call", name="whoami", arguments={})

    assert words(first.json) == words(second.json)
    assert "mcp-session-id" not in first.headers


def test_clients_that_choose_the_same_ids_and_tokens_get_their_own(gateway: Gateway) -> None:
    seen: dict[str, list[dict[str, Any]]] = {}
    meta = {**META, "progressToken": 1}

    def ask(name: str) -> None:
        arguments = {"text": name, "seconds": 0.05}
        answer = gateway.ask("both", "tools/call", 1, name="count", arguments=arguments, _meta=meta)
        seen[name] = events(answer.body)

    threads = [threading.Thread(target=ask, args=(f"c{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for name, (*progress, answer) in seen.items():
        assert answer["id"] == 1
        assert [each["params"]["progressToken"] for each in progress] == [1, 1, 1]
        assert {each["params"]["message"] for each in progress} == {name}


def test_a_thousand_requests_in_flight_are_all_answered_and_none_with_anothers_answer(
    gateway: Gateway,
) -> None:
    """All clients use the same id; each waits for its own words."""

    async def one(number: int) -> None:
        arguments = {"seconds": 0.5, "text": f"client {number}."}
        params = {"name": "wait", "arguments": arguments, "_meta": META}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
        writer.write(
            b"POST /both/mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            b"Content-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n"
            b"Mcp-Method: tools/call\r\nMcp-Name: wait\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
        )
        answer = await reader.read()
        writer.close()
        assert f"client {number}.".encode() in answer

    async def all_of_them() -> None:
        async with asyncio.timeout(30):
            await asyncio.gather(*(one(number) for number in range(1000)))

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    asyncio.run(all_of_them())


def test_what_could_be_anybodys_is_delivered_to_nobody(gateway: Gateway) -> None:
    """A log message names no request: with two under way it would reach the wrong client."""
    waiting = threading.Thread(
        target=lambda: gateway.ask("both", "tools/call", name="wait", arguments={"seconds": 1})
    )
    alone = gateway.ask("both", "tools/call", name="say", arguments={"text": "mine"})
    waiting.start()
    assert eventually(lambda: 'avow_gateway_streams{server="both"} 1' in gateway.metrics())
    together = gateway.ask("both", "tools/call", name="say", arguments={"text": "secret"})
    waiting.join()

    assert events(alone.body)[0]["params"]["data"] == "mine"
    assert b"secret" not in together.body


@pytest.mark.parametrize(
    ("header", "value"),
    [("Mcp_Method", "tools/list"), ("Mcp_Name", "echo"), ("MCP_Protocol_Version", VERSION)],
)
def test_headers_that_do_not_say_what_the_body_says_are_refused(
    gateway: Gateway, header: str, value: str
) -> None:
    params = {"name": "whoami", "arguments": {}, "_meta": {**META}}
    if header == "MCP_Protocol_Version":
        params["_meta"] = {**META, "io.modelcontextprotocol/protocolVersion": "2027-01-01"}

    refused = gateway.ask("both", "tools/call", headers={header: value}, **params)

    assert refused.status == 400
    assert refused.error["code"] == -32020


def test_a_missing_method_header_and_a_header_twice_are_refused(gateway: Gateway) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
    missing = gateway.post("both", message, MCP_Protocol_Version=VERSION)
    connection = gateway.connection()
    connection.putrequest("POST", "/both/mcp")
    for value in ("tools/list", "tools/call"):
        connection.putheader("Mcp-Method", value)
    connection.putheader("Content-Length", "0")
    connection.endheaders()

    assert missing.error["code"] == -32020
    assert connection.getresponse().status == 400
    connection.close()


def test_an_unsupported_version_and_a_missing_envelope_get_the_errors_of_the_protocol(
    gateway: Gateway,
) -> None:
    meta = {**META, "io.modelcontextprotocol/protocolVersion": "2030-01-01"}
    future = gateway.ask("both", "tools/list", headers={"MCP_Protocol_Version": "2030-01-01"}, _meta=meta)
    bare = gateway.ask("both", "tools/list", _meta={})
    legacy = gateway.post("both", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})

    assert (future.status, future.error["code"]) == (400, -32022)
    assert (bare.status, bare.error["code"]) == (400, -32602)
    assert (legacy.status, legacy.error["code"]) == (400, -32600)


def test_what_the_version_does_not_have_is_not_found(gateway: Gateway) -> None:
    unknown = gateway.ask("both", "tools/dance")
    removed = gateway.ask("both", "resources/subscribe")
    stream = gateway.request("GET", "/both/mcp", MCP_Protocol_Version=VERSION)

    assert (unknown.status, unknown.error["code"]) == (404, -32601)
    assert (removed.status, removed.error["code"]) == (404, -32601)
    assert stream.status == 405


def test_a_call_outside_the_contract_is_refused_without_a_session(gateway: Gateway) -> None:
    refused = gateway.ask("both", "tools/call", name="delete", arguments={})

    assert refused.status == 200
    assert refused.error["code"] == -32010


def test_a_subscription_is_a_stream_with_the_clients_own_id(gateway: Gateway) -> None:
    connection = gateway.connection()
    params = {"_meta": META, "notifications": {"toolsListChanged": True}}
    message = {"jsonrpc": "2.0", "id": "mine", "method": "subscriptions/listen", "params": params}
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    headers |= {"MCP-Protocol-Version": VERSION, "Mcp-Method": "subscriptions/listen"}
    connection.request("POST", "/both/mcp", json.dumps(message), headers)
    stream = connection.getresponse()

    first, second = next_event(stream), next_event(stream)
    connection.close()

    assert first["method"] == "notifications/subscriptions/acknowledged"
    assert second["method"] == "notifications/tools/list_changed"
    assert {
        each["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] for each in (first, second)
    } == {"mine"}


def test_the_shared_process_is_started_again_after_it_died(gateway: Gateway) -> None:
    before = words(gateway.ask("both", "tools/call", name="whoami", arguments={}).json)

    lost = gateway.ask("both", "tools/call", 3, name="die", arguments={})
    assert eventually(
        lambda: gateway.ask("both", "tools/call", name="whoami", arguments={}).json.get("result") is not None
    )
    after = words(gateway.ask("both", "tools/call", name="whoami", arguments={}).json)

    assert lost.json["id"] == 3
    assert "the server is gone" in lost.error["message"]
    assert before != after


@pytest.mark.parametrize("era", ["session", "stateless"])
def test_a_program_that_cannot_be_started_is_an_error_for_the_request(tmp_path: Path, era: str) -> None:
    project = Project(tmp_path)
    script = tmp_path / "server.py"
    script.write_text((SERVERS / "both.py").read_text(encoding="utf-8"), encoding="utf-8")
    python = tmp_path / "python"
    python.symlink_to(sys.executable)
    project.lock("both", str(python), str(script))
    python.unlink()

    with running(project) as gateway:
        answer = (
            gateway.post("both", INITIALIZE) if era == "session" else gateway.ask("both", "tools/list", 0)
        )

    assert answer.status == 502
    assert answer.json["id"] == 0
    assert "there is no program" in answer.error["message"]


def test_a_modern_client_falls_back_where_the_server_has_sessions(tmp_path: Path) -> None:
    """The server was approved in the older era: it is not even started for a question it does not know."""
    project = Project(tmp_path)
    project.lock("files", *project.serve())

    async def talk(gateway: Gateway) -> str:
        with anyio.fail_after(20):
            async with Client(gateway.url("files"), mode="auto") as client:
                await client.list_tools()
                assert len(gateway.children()) == 1
                return client.protocol_version

    with running(project) as gateway:
        probe = gateway.ask("files", "server/discover")
        assert gateway.children() == []
        version = anyio.run(talk, gateway)

    assert (probe.status, probe.error["code"]) == (400, -32022)
    assert probe.error["data"]["supported"] == [version]


# How it ends.


def test_nothing_stays_behind_when_the_gateway_ends(project: Project) -> None:
    with running(project) as gateway:
        session = gateway.shake_hands("both")
        gateway.ask("both", "tools/list")
        with listening(gateway, session):
            children = gateway.children()
            assert len(children) == 2

            assert gateway.stop() == 0

    assert eventually(lambda: not any(is_running(str(child)) for child in children))


def test_whoever_waits_is_told_when_the_gateway_ends(project: Project) -> None:
    answers: list[dict[str, Any]] = []
    with running(project) as gateway:
        session = gateway.shake_hands("both")
        thread = threading.Thread(
            target=lambda: answers.append(call(gateway, session, "wait", 5, seconds=30))
        )
        thread.start()
        assert eventually(lambda: 'avow_gateway_streams{server="both"} 1' in gateway.metrics())

        gateway.stop()
        thread.join()

    assert "the session was ended" in answers[0]["error"]["message"]


def test_a_server_that_writes_faster_than_its_client_reads_is_held_up(project: Project) -> None:
    """Thirty megabytes and nobody reads: the gateway keeps a little, the rest stays with the server."""
    params = {"name": "flood", "arguments": {}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    with running(project) as gateway:
        session = gateway.shake_hands("both").encode()
        with socket.create_connection(("127.0.0.1", gateway.port)) as slow:
            slow.sendall(
                b"POST /both/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Accept: text/event-stream\r\nMcp-Session-Id: %b\r\nContent-Length: %d\r\n\r\n%b"
                % (session, len(body), body)
            )
            before = memory(gateway.process.pid)
            assert not eventually(lambda: memory(gateway.process.pid) - before > 20_000_000, 1.0)

            received = bytearray()
            while b"flooded" not in received[-4096:]:
                received += slow.recv(1 << 20)

    assert received.count(b"notifications/message") == 600


def test_a_killed_gateway_takes_no_answer_for_granted(project: Project) -> None:
    """kill -9: clients see their connections break, and servers their input end."""
    with running(project) as gateway:
        gateway.ask("both", "tools/list")
        children = gateway.children()
        os.kill(gateway.process.pid, signal.SIGKILL)
        gateway.process.wait()

    assert eventually(lambda: not any(is_running(str(child)) for child in children))


# Helpers.


class listening:
    """An open stream for what belongs to no request."""

    def __init__(self, gateway: Gateway, session: str) -> None:
        self._connection = gateway.connection()
        headers = {"Accept": "text/event-stream", "Mcp-Session-Id": session}
        self._connection.request("GET", "/both/mcp", headers=headers)

    def __enter__(self) -> http.client.HTTPResponse:
        response = self._connection.getresponse()
        assert response.status == 200
        return response

    def __exit__(self, *_: object) -> None:
        self._connection.close()


def next_event(stream: http.client.HTTPResponse) -> dict[str, Any]:
    """The next message of an event stream."""
    while True:
        line = stream.readline()
        assert line, "the stream ended"
        if line.startswith(b"data: ") and line[6:].strip():
            message: dict[str, Any] = json.loads(line[6:])
            return message


def event_id(stream: http.client.HTTPResponse) -> str:
    """The id of the next event, once it is complete."""
    found = ""
    while line := stream.readline().strip():
        if line.startswith(b"id: "):
            found = line[4:].decode()
    return found


def memory(process: int) -> int:
    """The resident memory of a process, in bytes."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")

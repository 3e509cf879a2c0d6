"""Peers of the gateway that would harm others: what one of them does, the others must not notice."""

import json
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from connect_helpers import SERVERS
from gateway_helpers import META, VERSION, Answer, Gateway, eventually, running
from project import Project

TOKENS = ("a-token-of-one-client", "a-token-of-another-one")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("gateway"))
    project.lock("loose", sys.executable, str(SERVERS / "loose.py"))
    project.lock("both", sys.executable, str(SERVERS / "both.py"))
    (project.directory / "tokens").write_text("\n".join(TOKENS), encoding="utf-8")
    return project


@pytest.fixture(scope="module")
def gateway(project: Project) -> Iterator[Gateway]:
    files = ("--token-file", "tokens", "--log", str(project.directory / "events"))
    with running(project, *files) as gateway:
        yield gateway


def call(gateway: Gateway, tool: str, text: str = "", *, token: str = TOKENS[0]) -> Answer:
    headers = {"Authorization": f"Bearer {token}"}
    return gateway.ask("loose", "tools/call", headers=headers, name=tool, arguments={"text": text})


def waiting(gateway: Gateway, token: str) -> tuple[threading.Thread, list[Answer]]:
    """A call that is under way when this returns."""
    answers: list[Answer] = []
    thread = threading.Thread(target=lambda: answers.append(call(gateway, "wait", token=token)))
    thread.start()
    mark = 'avow_gateway_streams{server="loose"} 1'
    assert eventually(lambda: mark in gateway.metrics(Authorization=f"Bearer {TOKENS[0]}"))
    return thread, answers


def test_what_a_server_says_late_reaches_nobody_with_another_token(
    project: Project, gateway: Gateway
) -> None:
    """The call that the words are about is over: only one request is under way, but it is another's."""
    thread, answers = waiting(gateway, TOKENS[1])
    call(gateway, "late", "a secret", token=TOKENS[0])
    thread.join()

    assert b"waited" in answers[0].body
    assert b"a secret" not in answers[0].body
    assert eventually(
        lambda: "notification_dropped" in (project.directory / "events").read_text(encoding="utf-8")
    )


def test_an_answer_that_is_too_deep_is_an_error_and_takes_no_other_along(gateway: Gateway) -> None:
    """Both answers come in one piece."""
    thread, answers = waiting(gateway, TOKENS[1])
    deep = call(gateway, "deep")
    thread.join()

    assert deep.error["message"].startswith("avow: ")
    assert b"waited" in answers[0].body


def test_an_answer_that_is_too_deep_is_an_error_in_a_session(gateway: Gateway) -> None:
    authorization = f"Bearer {TOKENS[0]}"
    session = gateway.shake_hands("loose", Authorization=authorization)
    message = {"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": {"name": "deep"}}
    deep = gateway.post("loose", message, Mcp_Session_Id=session, Authorization=authorization)

    assert deep.json["id"] == "x"
    assert deep.error["message"].startswith("avow: ")


@pytest.mark.parametrize("version", ["2026-07-28", "2025-11-25"])
def test_a_body_that_is_too_deep_is_a_bad_request(gateway: Gateway, version: str) -> None:
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "x", "params": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"
    headers = {"MCP_Protocol_Version": version, "Authorization": f"Bearer {TOKENS[0]}"}

    assert gateway.post("loose", body, **headers).status == 400


TRAILERS = b"".join(b"x-%d: %b\r\n" % (number, b"y" * 1000) for number in range(1000))


@pytest.mark.parametrize("endless", [TRAILERS, b"x: " + b"y" * len(TRAILERS)], ids=["many", "one"])
def test_headers_after_the_body_are_limited_as_well(gateway: Gateway, endless: bytes) -> None:
    """The request waits for the end of its body; nothing of what comes instead may be kept."""
    head = f"POST /loose/mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKENS[0]}\r\n"
    kind = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    with socket.create_connection(("127.0.0.1", gateway.port), 5) as connection:
        connection.sendall((head + kind).encode() + b"2\r\n{}\r\n0\r\n")
        with pytest.raises(ConnectionError):
            connection.sendall(endless * 30)


def test_strangers_get_no_second_request_on_their_connection(gateway: Gateway) -> None:
    strangers: tuple[dict[str, Any], ...] = ({}, {"Host": "evil.example"}, {"Origin": "https://evil.example"})
    for headers in strangers:
        refused = gateway.request("GET", "/loose/mcp", **headers)

        assert refused.status in (401, 403, 421)
        assert refused.headers["connection"] == "close"


IMPATIENT = (
    "import avow.proxy.gateway.app as app; app._ROOM_SECONDS = 0.5;"
    "import avow.cli.main as program; program.main()"
)


def begin(gateway: Gateway, session: str, tool: str, number: int, text: str = "") -> socket.socket:
    """Call a tool, and do not wait for the answer."""
    own = {} if session else {"_meta": META}
    params = {"name": tool, "arguments": {"text": text}, **own}
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode()
    modern = f"MCP-Protocol-Version: {VERSION}\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n"
    head = (
        f"POST /loose/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n" + (f"Mcp-Session-Id: {session}\r\n" if session else modern)
    )
    connection = socket.create_connection(("127.0.0.1", gateway.port), 5)
    connection.sendall(head.encode() + b"\r\n" + body)
    return connection


def is_refused_at_last(gateway: Gateway, session: str) -> bool:
    """Whether a server that does not read has no more sent to it; how much fits before that, pipes decide."""
    for number in range(40, 46):
        with begin(gateway, session, "echo", number, "x" * 3_000_000) as client:
            client.settimeout(2)
            with suppress(TimeoutError):
                if b"does not keep up" in client.recv(1000):
                    return True
    return False


@pytest.mark.parametrize("era", ["session", "stateless"])
def test_a_server_that_stops_reading_holds_nobody_for_ever(project: Project, era: str) -> None:
    with running(project, program=("-c", IMPATIENT)) as gateway:
        session = gateway.shake_hands("loose") if era == "session" else ""
        clients = [begin(gateway, session, "stuck", 1)]
        assert eventually(lambda: 'streams{server="loose"} 1' in gateway.metrics())
        clients += [begin(gateway, session, "echo", number, "x" * 3_000_000) for number in (2, 3)]
        assert eventually(lambda: 'streams{server="loose"} 3' in gateway.metrics())

        assert is_refused_at_last(gateway, session)
        clients += [begin(gateway, session, "echo", number) for number in range(5, 30)]
        for client in clients:
            client.close()

        assert eventually(lambda: "avow_gateway_streams{" not in gateway.metrics())


def test_a_client_that_goes_away_waits_for_no_server(project: Project) -> None:
    with running(project) as gateway:
        session = gateway.shake_hands("loose")
        clients = [begin(gateway, session, "stuck", 1)]
        assert eventually(lambda: 'streams{server="loose"} 1' in gateway.metrics())
        clients += [begin(gateway, session, "echo", number, "x" * 3_000_000) for number in range(2, 6)]
        assert eventually(lambda: 'streams{server="loose"} 5' in gateway.metrics())

        for client in clients:
            client.close()

        assert eventually(lambda: "avow_gateway_streams{" not in gateway.metrics())

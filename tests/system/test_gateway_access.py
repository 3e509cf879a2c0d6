"""Who may use the gateway, and how much of it: hosts, origins, tokens, sizes, numbers and times."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from connect_helpers import SERVERS
from gateway_helpers import INITIALIZE, Gateway, eventually, running
from project import Project

TOKEN = "first-token-of-some-length"
OTHER = "second-token-of-some-length"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    import sys

    project = Project(tmp_path_factory.mktemp("gateway"))
    project.lock("both", sys.executable, str(SERVERS / "both.py"))
    return project


@pytest.fixture(scope="module")
def gateway(project: Project) -> Iterator[Gateway]:
    limits = ("--max-sessions", "3", "--max-body", "1", "--session-idle", "2")
    with running(project, "--log", str(project.directory / "events"), *limits) as gateway:
        yield gateway


# Names and pages.


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1@evil", ""]
)
def test_a_name_that_is_not_ours_is_not_answered(gateway: Gateway, host: str) -> None:
    """A page whose name suddenly means this machine is how a browser gets in."""
    assert gateway.ask("both", "tools/list", headers={"Host": host}).status == 421
    assert gateway.request("GET", "/metrics", Host=host).status == 421


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:8740"])
def test_names_of_this_machine_are_answered(gateway: Gateway, host: str) -> None:
    assert gateway.ask("both", "tools/list", headers={"Host": host}).status == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "file://", "http://localhost.evil.example"]
)
def test_pages_from_elsewhere_are_refused(gateway: Gateway, origin: str) -> None:
    assert gateway.ask("both", "tools/list", headers={"Origin": origin}).status == 403


def test_pages_of_this_machine_are_answered(gateway: Gateway) -> None:
    assert gateway.ask("both", "tools/list", headers={"Origin": "http://localhost:6274"}).status == 200


def test_names_and_pages_can_be_allowed(project: Project) -> None:
    allowed = ("--allow-host", "mcp.example", "--allow-origin", "https://app.example")
    with running(project, *allowed) as gateway:
        headers = {"Host": "mcp.example", "Origin": "https://app.example"}
        assert gateway.ask("both", "tools/list", headers=headers).status == 200
        assert (
            gateway.ask("both", "tools/list", headers={**headers, "Origin": "https://b.example"}).status
            == 403
        )


# Tokens.


@pytest.fixture(scope="module")
def guarded(project: Project) -> Iterator[Gateway]:
    tokens = project.directory / "tokens"
    tokens.write_text(f"# clients\n{TOKEN}\n\n{OTHER}\n", encoding="utf-8")
    with running(project, "--token-file", str(tokens)) as gateway:
        yield gateway


@pytest.mark.parametrize("given", ["", f"Bearer {TOKEN}x", f"Basic {TOKEN}", "Bearer", "Bearer # clients"])
def test_without_a_token_of_the_file_nobody_gets_in(guarded: Gateway, given: str) -> None:
    refused = guarded.ask("both", "tools/list", headers={"Authorization": given})

    assert refused.status == 401
    assert refused.headers["www-authenticate"] == 'Bearer realm="avow"'
    assert guarded.request("GET", "/metrics", Authorization=given).status == 401


@pytest.mark.parametrize("given", [f"Bearer {TOKEN}", f"bearer {OTHER}"])
def test_with_a_token_of_the_file_one_gets_in(guarded: Gateway, given: str) -> None:
    assert guarded.ask("both", "tools/list", headers={"Authorization": given}).status == 200


def test_a_session_belongs_to_the_token_that_began_it(guarded: Gateway) -> None:
    session = guarded.shake_hands("both", Authorization=f"Bearer {TOKEN}")

    own = guarded.post("both", PING, Mcp_Session_Id=session, Authorization=f"Bearer {TOKEN}")
    stolen = guarded.post("both", PING, Mcp_Session_Id=session, Authorization=f"Bearer {OTHER}")

    assert (own.status, stolen.status) == (200, 404)


def test_anybody_may_ask_whether_it_is_well(guarded: Gateway) -> None:
    assert guarded.request("GET", "/healthz").json == {"status": "ok"}


def test_it_does_not_listen_to_strangers_without_tokens(project: Project) -> None:
    ended = project.run("gateway", "--listen", "0.0.0.0:0")

    assert ended.returncode == 2
    assert "--token-file" in ended.stderr


@pytest.mark.parametrize(
    ("text", "reason"), [("", "no token"), ("# only words\n", "no token"), ("short\n", "fewer")]
)
def test_a_token_file_without_good_tokens_is_refused(
    project: Project, tmp_path: Path, text: str, reason: str
) -> None:
    path = tmp_path / "tokens"
    path.write_text(text, encoding="utf-8")

    ended = project.run("gateway", "--token-file", str(path))

    assert ended.returncode == 2
    assert reason in ended.stderr


def test_what_is_not_locked_cannot_be_served(project: Project) -> None:
    assert project.run("gateway", "nobody").returncode == 2
    assert project.run("gateway", "--listen", "nowhere").returncode == 2


# How much.


def test_a_body_beyond_the_limit_is_refused_announced_or_not(gateway: Gateway) -> None:
    announced = gateway.post("both", b"", Content_Length=str(1024 * 1024 + 1))
    with socket.create_connection(("127.0.0.1", gateway.port)) as chunked:
        head = b"POST /both/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        chunked.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(17):
            chunked.sendall(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
        answer = chunked.recv(100)

    assert announced.status == 413
    assert b" 413 " in answer


def test_headers_beyond_the_limit_end_the_connection(gateway: Gateway) -> None:
    with socket.create_connection(("127.0.0.1", gateway.port)) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
        lines = b"".join(b"X-%d: %b\r\n" % (number, b"x" * 1000) for number in range(10_000))
        with pytest.raises(OSError):  # noqa: PT011 - which one depends on who is faster
            connection.sendall(lines)
    assert gateway.request("GET", "/healthz").status == 200


def test_headers_that_trickle_in_end_the_connection(project: Project) -> None:
    """Clients that never finish a request would else take up every connection there is."""
    patched = "import avow.system.http_server as serving; serving._HEADER_SECONDS = 0.3"
    impatient = f"{patched}; import avow.cli.main as program; program.main()"
    with running(project, program=("-c", impatient)) as gateway:
        with socket.create_connection(("127.0.0.1", gateway.port)) as silent:
            silent.settimeout(5)
            assert silent.recv(1) == b""
        with socket.create_connection(("127.0.0.1", gateway.port)) as slow:
            slow.settimeout(5)
            slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: loc")
            assert slow.recv(1) == b""
        assert gateway.request("GET", "/healthz").status == 200


def test_wrong_types_methods_and_paths_get_the_status_that_says_so(gateway: Gateway) -> None:
    assert gateway.post("both", PING, Content_Type="text/plain").status == 415
    assert gateway.post("both", PING, Accept="text/html").status == 406
    assert gateway.request("PUT", "/both/mcp").status == 405
    assert gateway.post("nobody", PING).status == 404
    assert gateway.request("GET", "/").status == 404


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"x"', b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}']
)
def test_what_is_no_message_is_a_bad_request(gateway: Gateway, body: bytes) -> None:
    session = gateway.shake_hands("both")

    assert gateway.post("both", body).status == 400
    answer = gateway.post("both", body, Mcp_Session_Id=session)
    gateway.request("DELETE", "/both/mcp", Mcp_Session_Id=session)

    assert "error" in answer.json
    assert answer.status == 400 or answer.json["id"] is not None


def test_a_flood_of_half_open_sessions_is_bounded_and_gives_way(gateway: Gateway) -> None:
    """Ten clients shake half a hand: three processes at most, and the next whole session gets in."""
    for _ in range(10):
        assert gateway.post("both", INITIALIZE).status == 200
        assert len(gateway.children()) <= 5

    session = gateway.shake_hands("both")

    assert gateway.post("both", PING, Mcp_Session_Id=session).status == 200
    assert eventually(lambda: 'avow_gateway_sessions{server="both"} 3' in gateway.metrics())


def test_no_more_sessions_than_allowed_and_idle_ones_end(project: Project) -> None:
    with running(project, "--max-sessions", "2", "--session-idle", "2") as gateway:
        first, second = gateway.shake_hands("both"), gateway.shake_hands("both")
        full = gateway.post("both", INITIALIZE)

        assert full.status == 503
        assert full.headers["retry-after"]
        assert gateway.post("both", PING, Mcp_Session_Id=first).status == 200
        assert eventually(lambda: not gateway.children(), 8)
        assert gateway.post("both", PING, Mcp_Session_Id=second).status == 404


def test_metrics_count_requests_refusals_and_sessions(project: Project) -> None:
    with running(project, "--log", str(project.directory / "counted")) as gateway:
        gateway.shake_hands("both")
        gateway.ask("both", "tools/call", name="nothing", arguments={})
        text = gateway.metrics()
    log = (project.directory / "counted").read_text(encoding="utf-8")

    assert 'avow_gateway_requests_total{server="both",status="200"} 2' in text
    assert 'avow_gateway_refusals_total{server="both",event="call_refused"} 1' in text
    assert 'avow_gateway_sessions{server="both"} 1' in text
    assert '"call_refused"' in log
    assert all(json.loads(line)["server"] == "both" for line in log.splitlines())


def test_an_audit_forwards_and_says_what_it_would_have_done(project: Project) -> None:
    with running(project, "--audit", "--log", str(project.directory / "audit")) as gateway:
        answer = gateway.ask("both", "tools/call", name="nothing", arguments={})
        assert eventually(
            lambda: "would be withheld" in (project.directory / "audit").read_text(encoding="utf-8")
        )

    assert answer.json["result"]["content"][0]["text"] == "no such tool"

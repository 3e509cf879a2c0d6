"""Requests to a registry: bounded, and every failure named."""

import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from avow.errors import AvowError, PeerProtocolError, RegistryUnavailableError, UsageError
from avow.system.registry_client.address import is_local, read_address
from avow.system.registry_client.transport import MAX_VALUES, RefusedError, Transport

TOKEN = "avow_0123456789"


def over(response: httpx.Response) -> Transport:
    return Transport("https://registry.example", TOKEN, over=httpx.MockTransport(lambda request: response))


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://Registry.Example/", "https://registry.example"),
        ("HTTPS://registry.example:443/a/", "https://registry.example/a"),
        ("http://127.0.0.1:8750", "http://127.0.0.1:8750"),
        (" http://[::1]:80/ ", "http://[::1]"),
    ],
)
def test_an_address_has_one_spelling(text: str, address: str) -> None:
    assert read_address(text) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "registry.example",
        "ftp://a",
        "https://",
        "https://a?b",
        "https://a#b",
        "https://a:b",
        "https://u:p@a",
    ],
)
def test_what_is_not_an_address(text: str) -> None:
    with pytest.raises(UsageError):
        read_address(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("127.0.0.1:8750", "http://127.0.0.1:8750"),
        ("localhost:8750", "http://localhost:8750"),
        ("registry.example", "https://registry.example"),
        ("[::1", "https://[::1"),
        ("http://127.0.0.1:8750/api/v1/", "http://127.0.0.1:8750"),
    ],
)
def test_what_is_almost_an_address_leads_to_one(text: str, meant: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_address(text)

    assert caught.value.hint == f"did you mean {meant}?"


def test_a_registry_without_tls_is_told_as_such() -> None:
    """The program speaks HTTP, and the address says https."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection = listening.accept()[0]
            with connection:
                connection.recv(1000)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        address = f"https://127.0.0.1:{listening.getsockname()[1]}"
        with Transport(address) as transport, pytest.raises(RegistryUnavailableError) as caught:
            transport.get("x", limit=10)
        thread.join()

    assert "does not speak TLS" in caught.value.message
    assert caught.value.hint == f"did you mean {address.replace('https', 'http')}?"


def test_what_is_here_and_what_is_elsewhere() -> None:
    assert is_local("http://127.0.0.1:8750")
    assert is_local("http://[::1]")
    assert is_local("http://localhost:1")
    assert not is_local("http://localhost.example")
    assert not is_local("http://10.0.0.1")


def test_a_token_does_not_travel_in_the_open() -> None:
    with pytest.raises(UsageError, match="for everybody on the way to read"):
        Transport("http://registry.example", TOKEN)
    Transport("http://registry.example")
    Transport("http://127.0.0.1:1", TOKEN)


@pytest.mark.parametrize("token", ["a b", "a\nb", "ä"])
def test_a_token_that_was_copied_badly_is_not_sent(token: str) -> None:
    with pytest.raises(UsageError, match="that no token has") as caught:
        Transport("https://registry.example", token)

    assert token not in str(caught.value)


def test_the_token_is_sent_and_shown_nowhere() -> None:
    seen = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers["authorization"])
        return httpx.Response(401)

    with (
        Transport("https://registry.example", TOKEN, over=httpx.MockTransport(answer)) as transport,
        pytest.raises(RefusedError, match="does not take the token") as caught,
    ):
        transport.get("x", limit=10)

    assert seen == [f"Bearer {TOKEN}"]
    assert TOKEN not in f"{caught.value!r} {caught.value.hint} {transport!r}"


@pytest.mark.parametrize(
    ("response", "error", "message"),
    [
        (httpx.Response(500), RegistryUnavailableError, r"cannot answer now \(500\)"),
        (httpx.Response(429, json={"detail": "too often"}), RegistryUnavailableError, "too often"),
        (httpx.Response(403), RefusedError, "does not allow this"),
        (httpx.Response(404, json={"title": "Not found"}), RefusedError, r"refuses \(404\): Not found"),
        (
            httpx.Response(409, json={"detail": "no\x1b[2J"}),
            RefusedError,
            r"refuses \(409\): no\\u\{1b\}\[2J",
        ),
        (httpx.Response(400, json={"detail": 7}), RefusedError, r"refuses \(400\)"),
        (httpx.Response(400, json=[]), RefusedError, r"refuses \(400\)"),
        (httpx.Response(404, text="<html>"), RefusedError, r"refuses \(404\), and not in the words of a reg"),
        (httpx.Response(302, headers={"location": "http://evil"}), PeerProtocolError, "sends us elsewhere"),
        (httpx.Response(200, content=b"x" * 11), PeerProtocolError, "more than 10 bytes"),
        (httpx.Response(400, content=b"x" * 100_000), PeerProtocolError, "more than 65536 bytes"),
    ],
)
def test_answers_that_are_none(response: httpx.Response, error: type[AvowError], message: str) -> None:
    with over(response) as transport, pytest.raises(error, match=message):
        transport.get("x", limit=10)


def test_a_compressed_answer_is_not_unpacked() -> None:
    """A few bytes could become gigabytes."""
    response = httpx.Response(200, headers={"content-encoding": "gzip"}, stream=httpx.ByteStream(b"bomb"))
    with over(response) as transport, pytest.raises(PeerProtocolError, match="compresses"):
        transport.get("x", limit=10)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"a":1,"a":2}', b"\xff"])
def test_an_answer_that_is_no_object(body: bytes) -> None:
    with over(httpx.Response(200, content=body)) as transport, pytest.raises(PeerProtocolError, match="JSON"):
        transport.get_json("x")


def test_only_what_is_given_is_asked() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={"query": request.url.query.decode()})

    with Transport("https://registry.example/base", over=httpx.MockTransport(answer)) as transport:
        assert transport.get_json("x", {"q": "a b&c", "cursor": None}) == {"query": "q=a+b%26c"}


def test_nobody_there() -> None:
    with (
        Transport("http://127.0.0.1:1") as transport,
        pytest.raises(RegistryUnavailableError, match=r"http://127\.0\.0\.1:1 cannot be reached"),
    ):
        transport.get("x", limit=10)


class Trickle(BaseHTTPRequestHandler):
    """Answers a byte now and then, and never to the end: in the body, or before it begins."""

    def do_GET(self) -> None:
        if self.path == "/header":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        elif self.path == "/quick":
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")
            return
        else:
            self.send_response(200)
            self.end_headers()
        over = threading.Event()
        try:
            while not over.wait(0.0001 if self.path == "/stream" else 0.02):
                self.wfile.write(b"x")
        except OSError:
            over.set()

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def trickle() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Trickle) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("path", ["body", "stream", "header"])
def test_an_answer_without_an_end_ends(trickle: str, path: str) -> None:
    """Each byte comes in time: it is the whole that takes too long."""
    with Transport(trickle, timeout=0.1) as transport:
        began = time.monotonic()
        with pytest.raises(RegistryUnavailableError, match="answers too slowly"):
            transport.get(path, limit=1_000_000)
        assert time.monotonic() - began < 5


def test_several_questions_have_one_end(trickle: str) -> None:
    with Transport(trickle) as transport:
        began = time.monotonic()
        with transport.within(0.3):
            assert transport.get_json("quick") == {}
            for _ in range(2):
                with pytest.raises(RegistryUnavailableError, match="answers too slowly"):
                    transport.get("header", limit=10_000)
        assert time.monotonic() - began < 5
        assert transport.get_json("quick") == {}


def test_a_registry_that_takes_a_connection_and_says_nothing_is_left() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        Transport(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.1) as transport,
        pytest.raises(RegistryUnavailableError, match="did not answer in time"),
    ):
        transport.get("x", limit=10)


def test_silence_ends_too() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("", request=request)

    with (
        Transport("https://registry.example", over=httpx.MockTransport(answer)) as transport,
        pytest.raises(RegistryUnavailableError, match="did not answer in time"),
    ):
        transport.get("x", limit=10)


@pytest.mark.parametrize("value", [b"[]", b"{}", b"0"])
def test_an_answer_of_many_small_values_is_not_taken_apart(value: bytes) -> None:
    """Three megabytes of these would be a hundred in memory."""
    body = b'{"approvals":[' + b",".join([value] * MAX_VALUES) + b"]}"
    with (
        Transport(
            "https://registry.example", over=httpx.MockTransport(lambda _: httpx.Response(200, content=body))
        ) as transport,
        pytest.raises(PeerProtocolError, match="more than 1000000 values"),
    ):
        transport.get_json("x")

"""The HTTP client against servers of a few lines: how answers end, and what is never believed."""

import asyncio
import datetime
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from avow.proxy.gateway.client import HttpClient

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"


class Heard:
    """What a listener was told."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[bytes, bytes] = {}
        self.body = b""
        self.problem: str | None = None
        self.over = asyncio.Event()

    def started(self, status: int, headers: dict[bytes, bytes]) -> None:
        self.status, self.headers = status, headers

    def received(self, data: bytes) -> None:
        self.body += data

    def finished(self, problem: str) -> None:
        assert self.problem is None, "told twice"
        self.problem = problem
        self.over.set()


class Server:
    """Answers each request with the next of its answers, and remembers on which connection."""

    def __init__(self, *answers: bytes, close: bool = False, context: ssl.SSLContext | None = None) -> None:
        self.answers = list(answers)
        self.close = close
        self.context = context
        self.connections = 0
        self.requests: list[tuple[int, bytes]] = []
        self.tasks: list[asyncio.Task[None] | None] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        number = self.connections
        self.tasks.append(asyncio.current_task())
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                if b"content-length: 4" in head:
                    head += await reader.readexactly(4)
                self.requests.append((number, head))
                writer.write(self.answers.pop(0))
                if self.close:
                    break
        except (asyncio.IncompleteReadError, ConnectionError, IndexError):
            pass
        writer.close()
        with suppress(ConnectionError, ssl.SSLError):
            await writer.wait_closed()


def talk(server: Server, story: Callable[[HttpClient], Awaitable[None]], scheme: str = "http") -> None:
    async def run() -> None:
        async with asyncio.timeout(10):
            listening = await asyncio.start_server(server.serve, "127.0.0.1", 0, ssl=server.context)
            port = listening.sockets[0].getsockname()[1]
            client = HttpClient(f"{scheme}://127.0.0.1:{port}/mcp?x=1", [(b"user-agent", b"test")])
            await story(client)
            client.close()
            await asyncio.gather(*filter(None, server.tasks))
            listening.close()
            await listening.wait_closed()

    asyncio.run(run())


async def ask(client: HttpClient) -> Heard:
    heard = Heard()
    client.send(b"POST", [(b"x-one", b"1")], b"body", heard)
    await heard.over.wait()
    return heard


def test_a_connection_is_used_again() -> None:
    server = Server(OK, OK)

    async def story(client: HttpClient) -> None:
        for _ in range(2):
            heard = await ask(client)
            assert (heard.status, heard.body, heard.problem) == (200, b"ok", "")

    talk(server, story)

    assert [number for number, _ in server.requests] == [1, 1]
    head = server.requests[0][1]
    assert head.startswith(b"POST /mcp?x=1 HTTP/1.1\r\nhost: 127.0.0.1:")
    assert b"\r\nuser-agent: test\r\nx-one: 1\r\ncontent-length: 4\r\n\r\nbody" in head


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n1\r\n!\r\n0\r\n\r\n", b"ok!"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + OK, b"ok"),
        (b"HTTP/1.1 200 OK\r\n\r\nuntil the end", b"until the end"),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", b"ok"),
    ],
)
def test_every_way_to_end_an_answer_is_understood(answer: bytes, body: bytes) -> None:
    async def story(client: HttpClient) -> None:
        heard = await ask(client)
        assert (heard.status, heard.body, heard.problem) == (200, body, "")

    talk(Server(answer, close=True), story)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (b"", "broke off"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", "broke off"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", "broke off"),
        (b"SSH-2.0-OpenSSH\r\n", "does not speak HTTP"),
        (b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "protocol"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: " + b"x" * 70_000, "too large"),
        (CHUNKED + b"X: " + b"x" * 700_000, "too large"),
        (CHUNKED + b"X: x\r\n" * 100_000, "too large"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!", "does not speak HTTP"),
    ],
)
def test_an_answer_that_is_none_is_a_problem(answer: bytes, problem: str) -> None:
    async def story(client: HttpClient) -> None:
        heard = await ask(client)
        assert problem in (heard.problem or "")

    talk(Server(answer, close=True), story)


def test_what_follows_an_answer_is_never_taken_for_the_next_one() -> None:
    """A server that answers twice would else decide what another client's request gets."""
    forged = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
    server = Server(OK + forged, OK)

    async def story(client: HttpClient) -> None:
        first, second = Heard(), Heard()
        client.send(b"POST", [], b"body", first)
        await first.over.wait()
        client.send(b"POST", [], b"body", second)
        await second.over.wait()
        assert (first.body, second.body) == (b"ok", b"ok")

    talk(server, story)

    assert server.connections == 2


def test_an_aborted_request_tells_nobody_and_ends_its_connection() -> None:
    server = Server(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", OK)

    async def story(client: HttpClient) -> None:
        heard = Heard()
        request = client.send(b"POST", [], b"body", heard)
        while not heard.body:
            await asyncio.sleep(0.01)
        request.abort()
        assert (await ask(client)).body == b"ok"
        assert heard.problem is None

    talk(server, story)

    assert server.connections == 2


def test_an_answer_that_does_not_begin_in_time_is_given_up() -> None:
    async def story(client: HttpClient) -> None:
        heard = Heard()
        request = client.send(b"POST", [], b"body", heard)
        while request.connection is None:
            await asyncio.sleep(0.01)
        client.sweep((request.deadline or 0) + 1)
        assert "in time" in (heard.problem or "")

    talk(Server(b""), story)


def test_nobody_there_is_a_problem() -> None:
    async def story() -> None:
        heard = await ask(HttpClient("http://127.0.0.1:9/mcp"))
        assert "cannot be reached" in (heard.problem or "")

    asyncio.run(story())


def test_a_certificate_that_nobody_vouches_for_is_not_accepted(tmp_path: Path) -> None:
    async def story(client: HttpClient) -> None:
        heard = await ask(client)
        assert "cannot be trusted" in (heard.problem or "")

    server = Server(OK, context=self_signed(tmp_path))
    talk(server, story, "https")

    assert not server.requests


def self_signed(place: Path) -> ssl.SSLContext:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (place / "both.pem").write_bytes(private + certificate.public_bytes(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(place / "both.pem")
    return context

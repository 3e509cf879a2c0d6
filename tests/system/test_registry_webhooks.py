"""Watch lists and webhooks from the command line, with a receiver that is a real server and often unwell."""

import base64
import hmac
import io
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from typing import Any
from unittest.mock import patch

import httpx
import pytest

from avow.cli.main import run
from registry_postgres import Postgres, running_postgres
from registry_running import DELETE, NAME, READ, Program, envelope, program

# The same program, with less patience: a test cannot wait for minutes.
HURRIED = (
    "import sys; from datetime import timedelta; import avow.registry.webhooks as webhooks; "
    "webhooks._LEASE = timedelta(seconds=1); webhooks._FIRST_WAIT = 0.4; webhooks._POLL_SECONDS = 0.1; "
    "sys.argv[0] = 'avow'; import avow.cli.main as program; program.main()"
)


@dataclass
class Said:
    """What a command prints."""

    stdout: str
    stderr: str


@dataclass
class Heard:
    """One request to the receiver."""

    at: float
    headers: dict[str, str]
    body: bytes

    @property
    def said(self) -> Any:
        return json.loads(self.body)

    def is_signed_with(self, secret: str) -> bool:
        parts = dict(part.split("=", 1) for part in self.headers["avow-signature"].split(","))
        message = parts["t"].encode() + b"." + self.body
        expected = hmac.new(base64.b64decode(secret), message, sha256).hexdigest()
        return abs(time.time() - int(parts["t"])) < 300 and hmac.compare_digest(expected, parts["v1"])


@dataclass
class Receiver:
    """Somebody else's service: what it answers next, 200 when nothing is said, and what it has heard."""

    url: str = ""
    answers: list[Callable[[], int]] = field(default_factory=list)
    heard: "Queue[Heard]" = field(default_factory=Queue)

    def next(self) -> Heard:
        return self.heard.get(timeout=30)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            made.heard.put(Heard(time.monotonic(), headers, body))
            status = made.answers.pop(0)() if made.answers else 200
            try:
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()
            except OSError:
                """Whoever asked has gone."""

        def log_message(self, *arguments: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        made.url = f"http://127.0.0.1:{server.server_port}/hook"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield made
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def options(request: pytest.FixtureRequest) -> tuple[str, ...]:
    if request.param == "sqlite":
        return ()
    server: Postgres = request.getfixturevalue("postgres")
    return ("--database", server.address())


@contextmanager
def hurried(directory: Path, *options: str, token: str = "") -> Iterator[Program]:
    """A registry that lets webhooks be on this machine, and tries them again soon."""
    chosen = ("--webhooks-to-private-addresses", *options)
    with program(directory, *chosen, token=token, start=("-c", HURRIED)) as started:
        yield started


def avow(registry: Program, *arguments: str, code: int = 0) -> Said:
    variables = {"AVOW_REGISTRY": registry.url, "AVOW_REGISTRY_TOKEN": registry.token}
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.dict(os.environ, {**registry.environment, **variables}, clear=True),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        ended = run(["registry", *arguments])
    assert ended == code, (ended, out.getvalue(), err.getvalue())
    return Said(out.getvalue(), err.getvalue())


def publish(registry: Program, version: str, *tools: Any) -> None:
    headers = {"authorization": f"Bearer {registry.token}", "content-type": "application/json"}
    url = f"{registry.url}/api/v1/publish"
    answer = httpx.post(url, content=envelope(version, *tools), headers=headers, timeout=30)
    assert answer.status_code == 201, answer.text


def test_a_webhook_hears_of_drift_at_least_once_whatever_dies(
    tmp_path: Path, options: tuple[str, ...], receiver: Receiver
) -> None:
    """It fails twice, then hears and is killed with the service before it has answered: it hears again."""
    holding = threading.Event()

    def hold() -> int:
        holding.wait(30)
        return 200

    with hurried(tmp_path, *options) as registry:
        publish(registry, "1.0.0", READ)
        made = avow(registry, "webhook", "add", receiver.url, "--target", "io.github.owner/*")
        secret, token = made.stdout.strip(), registry.token
        [listed] = json.loads(avow(registry, "webhook", "list", "--format", "json").stdout)["webhooks"]
        receiver.answers = [lambda: 500, lambda: 503, hold]
        publish(registry, "1.1.0", READ, DELETE)
        attempts = [receiver.next() for _ in range(3)]
        registry.process.kill()
        registry.process.wait(20)
        holding.set()
    logged = (tmp_path / "log").read_text()

    with hurried(tmp_path, *options, token=token) as registry:
        attempts.append(receiver.next())
        publish(registry, "1.2.0", DELETE)
        publish(registry, "1.3.0", READ, DELETE)
        last = receiver.next()
        shown = avow(registry, "webhook", "list").stdout

    assert all(each.is_signed_with(secret) for each in (*attempts, last))
    assert {each.headers["idempotency-key"] for each in attempts} == {attempts[0].said["id"]}
    assert [each.said["version"] for each in (*attempts, last)] == ["1.1.0"] * 4 + ["1.3.0"]
    assert last.headers["idempotency-key"] != attempts[0].headers["idempotency-key"]
    assert attempts[1].at - attempts[0].at >= 0.39
    assert attempts[2].at - attempts[1].at >= 0.79
    assert receiver.heard.empty()
    assert listed["id"] in made.stderr
    assert f"{listed['id']}  critical  io.github.owner/*  {receiver.url}  well" in shown
    told = logged + (tmp_path / "log").read_text() + json.dumps(listed) + shown + made.stderr
    assert secret not in told
    assert '"event": "webhook_failed"' in logged
    assert secret not in "".join(
        path.read_text() for path in (tmp_path / "home").rglob("*") if path.is_file()
    )


def test_webhooks_and_watches_are_tried_listed_and_removed(tmp_path: Path, receiver: Receiver) -> None:
    with hurried(tmp_path) as registry:
        document = json.loads(
            avow(registry, "webhook", "add", receiver.url, "--level", "safe", "--format", "json").stdout
        )
        identifier = document["id"]
        tried = avow(registry, "webhook", "test", identifier).stdout
        receiver.answers = [lambda: 404]
        refused = avow(registry, "webhook", "test", identifier, code=1).stdout
        avow(registry, "webhook", "remove", identifier)
        gone = avow(registry, "webhook", "remove", identifier, code=2).stderr
        empty = avow(registry, "webhook", "list").stdout
        wrong = avow(registry, "webhook", "add", "ftp://x", code=2).stderr
        untold = avow(registry, "watch", "changes").stdout

        added = avow(registry, "watch", "add", NAME, "--level", "critical").stdout
        publish(registry, "1.0.0", READ)
        publish(registry, "1.1.0", READ, DELETE)
        watched = avow(registry, "watch", "list").stdout
        changed = avow(registry, "watch", "changes").stdout
        following = json.loads(avow(registry, "watch", "changes", "--format", "json").stdout)
        seen = avow(registry, "watch", "changes", "--after", str(following["next"])).stdout
        avow(registry, "watch", "remove", added.split()[0])
        missing = avow(registry, "watch", "remove", added.split()[0], code=2).stderr
        nameless = avow(registry, "watch", "add", "../etc", code=2).stderr

    first, second = receiver.next(), receiver.next()
    assert (first.said["event"], first.said["id"]) == ("test", first.headers["idempotency-key"])
    assert first.is_signed_with(document["secret"])
    assert first.said["id"] != second.said["id"]
    assert (tried, refused) == (f"{identifier} took it\n", f"{identifier} did not take it: it answered 404\n")
    assert "`avow registry webhook list` shows them" in gone
    assert "avow registry webhook add URL" in empty
    assert "hint: it looks like https://hook.example/x" in wrong
    assert untold == seen == "nothing changed in what you watch\n"
    assert watched.splitlines()[0].split() == ["ID", "LEVEL", "SINCE", "TARGET"]
    assert watched.splitlines()[1].split()[1::2] == ["critical", NAME]
    assert f"critical  {NAME} 1.1.0, after 1.0.0" in changed
    assert "`avow registry watch list` shows what is" in missing
    assert "hint: names are namespace/server" in nameless

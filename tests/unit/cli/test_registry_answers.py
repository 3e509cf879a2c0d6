"""Commands that ask a registry which answers, but not as a registry does."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from avow.cli.main import run

NONE = "the registry answers something that is none"
SERVER = "io.github.owner/files"
LONG_AGO = {"publishedAt": "2001-01-01T00:00:00Z", "predecessor": None, "logIndex": 1}
NEXT_AGE = {**LONG_AGO, "publishedAt": "2999-01-01T00:00:00Z"}


@contextmanager
def registry(answer: Callable[[int], Any]) -> Iterator[tuple[str, list[int]]]:
    """A registry that answers everything in this way, by the position asked for, and remembers those."""
    asked: list[int] = []

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(int(parse_qs(urlsplit(self.path).query).get("after", ["0"])[0]))
            # More than it ever takes to find a position: whoever asks on would never end.
            data = json.dumps(answer(asked[-1]) if len(asked) < 300 else None).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATA", "STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    monkeypatch.setenv("AVOW_REGISTRY_TOKEN", "avow_0123456789")


@pytest.mark.parametrize(
    "command",
    [
        "changes",
        "watch list",
        "watch changes",
        f"watch add {SERVER}",
        "webhook list",
        "webhook add https://hook.example/x",
        "webhook test 0123456789abcdef",
        "token list",
        "token add Ada --role read",
        f"history {SERVER}",
        "approvals",
        "approvals --environment production",
        f"approve {SERVER} 1 --environment production --reason why",
        "environment",
        "namespace show io.github.owner",
        "search words",
        "search words --servers",
    ],
)
def test_an_answer_without_what_was_asked_for_is_none(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with registry(lambda _: {}) as (url, _):
        ended = run(["registry", *command.split(), "--registry", url])

    said = capsys.readouterr().err
    assert (ended, NONE in said, "unexpected" in said) == (2, True, False), said


@pytest.mark.parametrize(
    ("answer", "most"),
    [
        (lambda after: {"changes": [LONG_AGO], "next": after + 1}, 60),
        (lambda after: {"changes": [LONG_AGO], "next": 1}, 1),
        (
            lambda after: {
                "changes": [{**LONG_AGO, "publishedAt": "2001-01-01T00:00:00"}],
                "next": after + 1,
            },
            1,
        ),
        (lambda after: {"changes": [] if after == 1 else [NEXT_AGE] * 200, "next": 500}, 4),
        (lambda after: {"changes": [{**LONG_AGO, "publishedAt": 5}], "next": after + 1}, 1),
        (lambda after: {"changes": [7], "next": "x"}, 1),
    ],
    ids=["always old", "no progress", "no zone", "pages without an end", "no time", "nothing at all"],
)
def test_changes_end_whatever_a_registry_answers(
    answer: Callable[[int], Any], most: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with registry(answer) as (url, asked):
        ended = run(["registry", "changes", "--registry", url])

    said = capsys.readouterr().err
    assert (ended, NONE in said) == (2, True), said
    assert len(asked) <= most
    assert max(asked) <= 2**53


def _hostile() -> dict[str, Any]:
    """An answer to any question, in which everything that may be text is an order to the terminal."""
    order = "\x1b[2J\x1b]0;owned\x07"
    counts = dict.fromkeys(("high", "medium", "low", "info", "safe", "moderate", "critical"), order)
    words = [
        "id",
        "name",
        "version",
        "level",
        "createdAt",
        "publishedAt",
        "addedAt",
        "at",
        "by",
        "reason",
        "digest",
        "role",
        "person",
        "target",
        "url",
        "state",
        "token",
        "secret",
        "environment",
        "description",
        "title",
        "lastError",
        "highest",
        "namespace",
        "error",
        "kind",
        "key",
    ]
    one: dict[str, Any] = dict.fromkeys(words, order)
    one |= {"counts": counts, "driftCounts": counts, "revokedAt": None, "targets": [order], "needed": order}
    one |= {
        "predecessor": order,
        "drift": [],
        "decisions": [dict(one)],
        "latest": dict(one),
        "logIndex": order,
    }
    one |= {
        "attempts": order,
        "offers": [dict(one)],
        "servers": 9,
        "risk": {"level": order},
        "delivered": False,
    }
    one |= {"standing": {**one}, "environments": [{**one}], "nextAttemptAt": order, "status": order}
    lists = (
        "tokens watches webhooks keys capabilities matches holders versions servers environments approvals"
    )
    return {**one, **{each: [one] for each in lists.split()}, "changes": [NEXT_AGE | one], "next": order}


@pytest.mark.parametrize(
    "command",
    [
        "watch list",
        "watch changes",
        f"watch add {SERVER}",
        "webhook list",
        "webhook add https://hook.example/x",
        "webhook test 0123456789abcdef",
        "token list",
        "token add Ada --role read",
        f"history {SERVER}",
        "approvals",
        "approvals --environment production",
        "environment",
        "namespace show io.github.owner",
        "search words",
        "search words --servers",
        f"search --digest sha256:{'0' * 64}",
    ],
)
def test_nothing_that_a_registry_writes_gives_orders_to_the_terminal(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with registry(lambda _: _hostile()) as (url, _):
        run(["registry", *command.split(), "--registry", url])

    said = capsys.readouterr()
    assert said.out + said.err
    assert [each for each in (said.out, said.err) if "\x1b" in each or "\x07" in each] == []

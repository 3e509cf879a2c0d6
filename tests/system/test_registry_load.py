"""What is large costs whoever asks for it, and nobody beside them."""

import threading
import time
from collections.abc import Iterator

import httpx
import pytest

from avow.core.canonical import JsonObject
from registry_running import NAME, OWNER, Program, envelope, program

TOOLS = 1_500


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """A large server in three versions."""
    with (
        program(tmp_path_factory.mktemp("load")) as registry,
        httpx.Client(base_url=registry.url, timeout=60) as client,
    ):
        client.headers = {"authorization": f"Bearer {registry.token}", "content-type": "application/json"}
        claim = {"namespace": "io.github.owner", "key": OWNER.public.pem.decode()}
        client.post("/api/v1/namespaces", json=claim).raise_for_status()
        for version, kind in (("1", "string"), ("2", "string"), ("3", "integer")):
            sent = envelope(version, *tools(kind))
            client.post("/api/v1/publish", content=sent).raise_for_status()
        yield registry


def tools(kind: str) -> list[JsonObject]:
    return [
        {
            "name": f"tool_{number}",
            "description": f"Does number {number} with many words about files and things.",
            "inputSchema": {
                "type": "object",
                "properties": {f"argument_{place}": {"type": kind} for place in range(6)},
            },
        }
        for number in range(TOOLS)
    ]


class Neighbour:
    """Somebody who asks for something small all the time, and notes how long they waited at most."""

    def __init__(self, url: str) -> None:
        self._client = httpx.Client(base_url=url, timeout=60)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._ask)
        self.waited = 0.0

    def __enter__(self) -> "Neighbour":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self._client.close()

    def _ask(self) -> None:
        while not self._ended.is_set():
            began = time.monotonic()
            self._client.get("/api/v1/log/key").raise_for_status()
            self.waited = max(self.waited, time.monotonic() - began)


@pytest.mark.parametrize("path", [f"/api/v1/servers/{NAME}/drift", f"/servers/{NAME}/compare"])
def test_nobody_waits_while_large_versions_are_compared(registry: Program, path: str) -> None:
    with httpx.Client(base_url=registry.url, timeout=60) as client, Neighbour(registry.url) as neighbour:
        began = time.monotonic()
        answer = client.get(path, params={"from": "1", "to": "3"})
        took = time.monotonic() - began

    assert answer.status_code == 200
    # A machine that compares all of it in less would not let anybody wait, either.
    assert neighbour.waited < max(took / 2, 0.25)


def test_what_neighbours_differ_in_was_computed_when_the_later_was_published(registry: Program) -> None:
    with httpx.Client(base_url=registry.url, timeout=60) as client:
        begun = time.monotonic()
        stored = client.get(f"/api/v1/servers/{NAME}/drift", params={"from": "2", "to": "3"}).json()
        quick = time.monotonic() - begun
        computed = client.get(f"/api/v1/servers/{NAME}/drift", params={"from": "1", "to": "3"}).json()
        slow = time.monotonic() - begun - quick

    assert stored == computed
    assert len(stored["drift"]) >= TOOLS
    assert quick < slow / 2


def test_nobody_waits_while_somebody_asks_for_far_too_much(registry: Program) -> None:
    wanted = {"tools": [{"name": f"tool_{number}", "description": "x" * 40} for number in range(40_000)]}
    with httpx.Client(base_url=registry.url, timeout=60) as client, Neighbour(registry.url) as neighbour:
        answer = client.post("/api/v1/match", json=wanted)
        answered_at_once = neighbour.waited

    assert answer.status_code == 422
    assert "can be looked for" in answer.json()["detail"]
    assert answered_at_once < 1

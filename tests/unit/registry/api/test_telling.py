"""Watch lists, webhooks and the feed: who hears of what, however often somebody does not listen."""

import asyncio
import base64
import hmac
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any
from xml.etree import ElementTree

import httpx
import pytest

from avow.errors import StorageError
from avow.registry.model import Role, Webhook
from avow.registry.settings import Settings
from avow.registry.webhooks import Deliveries, backoff
from registry_running import DELETE, NAME, READ, Running, envelope, running

pytestmark = pytest.mark.anyio
INSIDE = Settings(url="http://registry.example", webhooks_to_private_addresses=True)


@dataclass
class Receiver:
    """Somebody else's service: what it heard, and what it answers."""

    port: int = 0
    answers: list[int] = field(default_factory=list)
    heard: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    async def hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        pairs = (line.split(": ", 1) for line in head.split("\r\n")[1:] if line)
        headers = {name.lower(): value for name, value in pairs}
        body = await reader.readexactly(int(headers["content-length"]))
        status = self.answers.pop(0) if self.answers else 200
        self.heard.append((headers, body))
        location = "location: http://127.0.0.1:1/\r\n" if status == 302 else ""
        writer.write(
            f"HTTP/1.1 {status} x\r\n{location}content-length: 0\r\nconnection: close\r\n\r\n".encode()
        )
        await writer.drain()
        writer.close()


@asynccontextmanager
async def listening(*answers: int) -> AsyncIterator[Receiver]:
    receiver = Receiver(answers=list(answers))
    server = await asyncio.start_server(receiver.hear, "127.0.0.1", 0)
    receiver.port = server.sockets[0].getsockname()[1]
    async with server:
        yield receiver


@pytest.fixture
async def inside(address: str) -> AsyncIterator[Running]:
    async with running(address, INSIDE) as registry:
        await registry.send(envelope("1.0.0"))
        yield registry


def later(hours: int) -> datetime:
    return datetime.now(UTC) + timedelta(hours=hours)


async def hook(registry: Running, receiver: Receiver, **members: Any) -> dict[str, Any]:
    document = {"url": f"http://127.0.0.1:{receiver.port}/hook?a=b", **members}
    answer = await registry.post("/api/v1/webhooks", document, Role.PUBLISH)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def test_a_webhook_hears_of_drift_and_can_check_who_says_so(inside: Running) -> None:
    async with listening() as receiver:
        made = await hook(inside, receiver)
        await inside.send(envelope("1.1.0", READ, DELETE))

        await Deliveries(inside.service).tell_all()

    [(headers, body)] = receiver.heard
    parts = dict(part.split("=") for part in headers["avow-signature"].split(","))
    expected = hmac.new(
        base64.b64decode(made["secret"]), parts["t"].encode() + b"." + body, sha256
    ).hexdigest()
    assert hmac.compare_digest(parts["v1"], expected)
    assert headers["host"] == f"127.0.0.1:{receiver.port}"
    said = json.loads(body)
    assert (said["name"], said["version"], said["highest"]) == (NAME, "1.1.0", "critical")
    assert said["id"] == headers["idempotency-key"]
    assert DELETE["description"] not in body.decode()


async def test_what_was_not_heard_is_told_again_later_in_order_and_under_the_same_name(
    inside: Running,
) -> None:
    async with listening(500, 302) as receiver:
        await hook(inside, receiver, level="info")
        for number in (1, 2):
            await inside.send(envelope(f"1.{number}.0", {**READ, "title": str(number)}))
        for number in range(5):
            await Deliveries(replace(inside.service, clock=partial(later, number))).tell_all()

    names = [headers["idempotency-key"] for headers, _ in receiver.heard]
    versions = [json.loads(body)["version"] for _, body in receiver.heard]
    assert versions == ["1.1.0", "1.1.0", "1.1.0", "1.2.0"]
    assert len(set(names[:3])) == 1
    assert names[3] != names[0]


async def test_somebody_who_does_not_listen_is_left_alone_for_a_while(inside: Running) -> None:
    async with listening(500) as receiver:
        await hook(inside, receiver)
        await inside.send(envelope("1.1.0", READ, DELETE))
        await Deliveries(inside.service).tell_all()
        await Deliveries(inside.service).tell_all()

    [told] = (await inside.get("/api/v1/webhooks", Role.PUBLISH)).json()["webhooks"]
    assert len(receiver.heard) == 1
    assert (told["attempts"], told["lastError"]) == (1, "it answered 500")
    assert told["nextAttemptAt"] is not None
    assert [backoff(number).total_seconds() for number in (1, 2, 3, 50)] == [10, 20, 40, 21600]


async def test_one_that_cannot_be_settled_does_not_stop_the_others(
    inside: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its error is told when all others have been told."""
    told = []

    async def tell(self: Deliveries, client: httpx.AsyncClient, hook: Webhook) -> None:
        if hook.url.endswith("/broken"):
            raise StorageError("away")
        await asyncio.sleep(0.05)
        told.append(client.is_closed)

    monkeypatch.setattr(Deliveries, "_tell", tell)
    for path in ("broken", "good"):
        document = {"url": f"http://127.0.0.1:9/{path}"}
        assert (await inside.post("/api/v1/webhooks", document, Role.PUBLISH)).status_code == 201
    await inside.send(envelope("1.1.0", READ, DELETE))

    with pytest.raises(StorageError):
        await Deliveries(inside.service).tell_all()

    assert told == [False]


async def test_drift_below_the_level_and_other_servers_are_not_told(inside: Running) -> None:
    async with listening() as receiver:
        await hook(inside, receiver, targets=["io.github.owner/other"])
        await hook(inside, receiver, level="critical")
        await inside.send(envelope("1.1.0", {**READ, "title": "Read"}))
        await inside.send(envelope("1.0.0", name="io.github.owner/other"))

        await Deliveries(inside.service).tell_all()

    assert receiver.heard == []


async def test_webhooks_are_their_owners(inside: Running) -> None:
    async with listening() as receiver:
        made = await hook(inside, receiver)
    path = f"/api/v1/webhooks/{made['id']}"

    assert (await inside.get("/api/v1/webhooks", Role.ADMINISTER)).json()["webhooks"] == []
    assert (await inside.ask("DELETE", path, Role.ADMINISTER)).status_code == 404
    assert "secret" not in (await inside.get("/api/v1/webhooks", Role.PUBLISH)).json()["webhooks"][0]
    assert (await inside.ask("DELETE", path, Role.PUBLISH)).status_code == 200
    assert (await inside.get("/api/v1/webhooks", Role.PUBLISH)).json()["webhooks"] == []


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::ffff:192.168.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "http://example.com/",
        "https://user:password@example.com/",
        "https://0/",
        "https://localhost:0/",
    ],
)
async def test_a_webhook_does_not_lead_into_our_own_network(registry: Running, url: str) -> None:
    answer = await registry.post("/api/v1/webhooks", {"url": url}, Role.PUBLISH)

    # Names, and numbers that only a resolver understands, are judged when they are called.
    if url == "https://0/":
        assert answer.status_code == 201
        await registry.send(envelope("1.0.0"))
        await registry.send(envelope("1.1.0", READ, DELETE))
        await Deliveries(registry.service).tell_all()
        [told] = (await registry.get("/api/v1/webhooks", Role.PUBLISH)).json()["webhooks"]
        assert "private network" in told["lastError"]
    else:
        assert answer.status_code == 403


async def test_a_watch_list_tells_what_changed_at_its_own_levels(inside: Running) -> None:
    for target, level in ((NAME, "critical"), ("io.github.owner/*", "info")):
        document = {"target": target, "level": level}
        assert (await inside.post("/api/v1/watches", document, Role.READ)).status_code == 201
    await inside.send(envelope("1.1.0", READ, DELETE))

    answer = (await inside.get("/api/v1/watches/changes", Role.READ)).json()
    [first, second] = (await inside.get("/api/v1/watches", Role.READ)).json()["watches"]

    assert [each["version"] for each in answer["changes"]] == ["1.1.0"]
    for each in (first, second):
        path = f"/api/v1/watches/{each['id']}"
        assert (await inside.ask("DELETE", path, Role.PUBLISH)).status_code == 404
        assert (await inside.ask("DELETE", path, Role.READ)).status_code == 200


async def test_the_feed_is_an_atom_feed_of_changes(inside: Running) -> None:
    await inside.send(envelope("1.1.0", READ, DELETE))
    await inside.send(envelope("1.0.0", name="io.github.owner/other"))
    atom = "{http://www.w3.org/2005/Atom}"

    async def titles(query: str) -> list[str | None]:
        answer = await inside.get(f"/feed.atom{query}")
        assert answer.headers["content-type"] == "application/atom+xml; charset=utf-8"
        return [
            each.findtext(f"{atom}title") for each in ElementTree.fromstring(answer.text).iter(f"{atom}entry")
        ]

    everything = await titles("")
    assert everything == [
        "io.github.owner/other 1.0.0: first version",
        f"{NAME} 1.1.0: critical",
        f"{NAME} 1.0.0: first version",
    ]
    assert await titles("?level=critical") == [f"{NAME} 1.1.0: critical"]
    assert await titles(f"?target={NAME}&level=info") == [f"{NAME} 1.1.0: critical"]
    assert await titles("?target=io.github.owner/*") == everything
    assert await titles("?target=io.github.other/*") == []


async def test_an_entry_of_the_feed_leads_people_to_a_page_and_programs_to_json(inside: Running) -> None:
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ElementTree.fromstring((await inside.get("/feed.atom")).text)
    links = [each.attrib for each in feed.iter(f"{atom}link") if each.get("rel") == "alternate"]

    base, path = inside.service.settings.url, f"/servers/{NAME}/versions/1.0.0"
    assert links == [
        {"rel": "alternate", "type": "text/html", "href": f"{base}{path}"},
        {"rel": "alternate", "type": "application/json", "href": f"{base}/api/v1{path}"},
    ]

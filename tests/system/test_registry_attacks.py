"""What somebody could try against a registry, on both databases: tried, and refused."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from avow.core import dsse
from avow.core.canonical import canonical
from avow.core.publication import PUBLICATION_TYPE, ServerName, publication_payload
from avow.registry.model import Role
from avow.registry.namespaces import KeyChange, sign_change
from avow.registry.settings import Bounds, Settings
from registry_postgres import Postgres, running_postgres
from registry_running import DELETE, NAME, ORIGIN, OWNER, READ, STRANGER, Running, envelope, running
from small_server import snapshot

pytestmark = pytest.mark.anyio
JSON = {"content-type": "application/json"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/registry.sqlite"
    server: Postgres = request.getfixturevalue("postgres")
    return server.address()


@pytest.fixture
async def registry(address: str) -> AsyncIterator[Running]:
    async with running(address) as registry:
        yield registry


async def test_nobody_publishes_into_the_namespace_of_another(registry: Running) -> None:
    """With a token, with a key of another namespace, with the owner's key only named: all refused."""
    await registry.claim("io.github.stranger", STRANGER)
    payload = publication_payload(ServerName.read(NAME), "1.0.0", snapshot([READ]))
    signed = dsse.sign(payload, PUBLICATION_TYPE, [STRANGER])
    [signature] = signed.signatures
    disguised = dsse.Envelope(
        payload,
        PUBLICATION_TYPE,
        (dsse.EnvelopeSignature(signature.signature, OWNER.public.identifier, OWNER.public),),
    )

    for attempt in (signed, disguised):
        for role in (Role.PUBLISH, Role.ADMINISTER):
            assert (await registry.send(dsse.dumps(attempt), role)).status_code == 403
    assert (await registry.get("/api/v1/servers")).json()["servers"] == []


async def test_an_envelope_of_another_kind_is_no_publication(registry: Running) -> None:
    """What was signed as a snapshot, or as a change of keys, does not pass for a publication."""
    payload = publication_payload(ServerName.read(NAME), "1.0.0", snapshot([READ]))
    other = dsse.dumps(dsse.sign(payload, "application/vnd.avow.snapshot+json", [OWNER]))

    assert (await registry.send(other)).status_code == 403


async def test_the_name_that_counts_is_the_one_that_was_signed(registry: Running) -> None:
    """A payload with two names: whoever reads the first and whoever reads the last must not disagree."""
    payload = publication_payload(ServerName.read(NAME), "1.0.0", snapshot([READ]))
    double = b'{"name":"io.github.stranger/x",' + payload[1:]

    answer = await registry.send(dsse.dumps(dsse.sign(double, PUBLICATION_TYPE, [OWNER])))

    assert answer.status_code in (403, 422)


async def test_an_old_envelope_sent_again_changes_nothing(registry: Running) -> None:
    """Neither is the old version the newest again, nor does the key come back that signed it."""
    old = envelope("1.0.0")
    await registry.send(old)
    await registry.send(envelope("1.1.0", READ, DELETE))
    size = (await registry.get("/checkpoint")).text.splitlines()[1]

    replayed = await registry.send(old)

    assert (replayed.status_code, replayed.json()["isNew"]) == (200, False)
    assert (await registry.get(f"/api/v1/servers/{NAME}")).json()["latest"]["version"] == "1.1.0"
    assert (await registry.get("/checkpoint")).text.splitlines()[1] == size


async def test_an_unused_envelope_of_a_revoked_key_is_worth_nothing(registry: Running) -> None:
    kept = envelope("0.9.0")
    change = KeyChange(ORIGIN, "io.github.owner", (STRANGER.public,), (OWNER.public.identifier,))
    rotation = sign_change(change, OWNER)
    path = "/api/v1/namespaces/io.github.owner/keys"
    assert (await registry.ask("POST", path, content=rotation, headers=JSON)).status_code == 200

    assert (await registry.send(kept)).status_code == 403
    # The rotation itself cannot be replayed either, nor turned round.
    assert (await registry.ask("POST", path, content=rotation, headers=JSON)).status_code == 403
    back = sign_change(
        KeyChange(ORIGIN, "io.github.owner", (OWNER.public,), (STRANGER.public.identifier,)), OWNER
    )
    assert (await registry.ask("POST", path, content=back, headers=JSON)).status_code == 403


NAMES = [
    "../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "io.github.owner/..",
    "io.github.owner/%2e%2e",
    "io.github.owner/files%00",
    "io.github.owner/files%0d%0aSet-Cookie:%20a=b",
    "io.github.owner/files'%3bDROP TABLE versions--",
    "-/-",
    "a" * 300 + "/x",
    "io.github.owner/" + "%ff" * 4,
]


async def test_names_are_names_and_no_paths(registry: Running) -> None:
    """In the address and in what is signed; nothing of it comes back as a header."""
    for name in NAMES:
        answer = await registry.get(f"/api/v1/servers/{name}/versions")
        assert answer.status_code in (400, 404)
        assert "set-cookie" not in answer.headers
        document = {"name": name, "version": "1.0.0", "snapshot": {}}
        signed = dsse.dumps(dsse.sign(canonical(document), PUBLICATION_TYPE, [OWNER]))
        assert (await registry.send(signed)).status_code in (403, 422)


VERSIONS = ["latest", "../1", "1\n2", "", "1'--", "a" * 200, "1/2"]


async def test_versions_are_versions(registry: Running) -> None:
    for version in VERSIONS:
        payload = publication_payload(ServerName.read(NAME), "0", snapshot([READ]))
        forged = payload.replace(b'"version":"0"}', canonical({"version": version})[1:])
        assert forged != payload

        answer = await registry.send(dsse.dumps(dsse.sign(forged, PUBLICATION_TYPE, [OWNER])))

        assert answer.status_code == 422


WORDS = [
    "' OR 1=1 --",
    "'; DROP TABLE versions; --",
    '" OR "" = "',
    "read) OR (1=1",
    "NEAR(read file)",
    "*",
    '"',
    "read AND NOT",
    "a:b & !c | <->",
    "\\' OR 1=1",
    "%' OR '1'='1",
    "\x00read",
    "{{7*7}}${7*7}",
]


async def test_words_are_looked_for_and_never_run(registry: Running) -> None:
    """Nothing is found that is not there, nothing breaks, and everything is still there afterwards."""
    await registry.send(envelope("1.0.0"))
    for text in WORDS:
        searches = [
            ("/api/v1/search", {"text": text}),
            ("/api/v1/search", {"tool": text}),
            ("/api/v1/servers", {"q": text}),
            ("/v0.1/servers", {"search": text}),
        ]
        for path, query in searches:
            answer = await registry.get(path, params=query)
            assert answer.status_code in (200, 400), answer.text
            if answer.status_code == 200 and "tool" in query:
                assert answer.json()["capabilities"] == []
        assert len((await registry.get("/api/v1/servers")).json()["servers"]) == 1


PACKINGS = ["gzip", "deflate", "br", "zstd", "gzip, identity"]


async def test_a_packed_body_is_not_unpacked(registry: Running) -> None:
    for header in PACKINGS:
        answer = await registry.ask(
            "POST",
            "/api/v1/publish",
            Role.PUBLISH,
            content=b"x",
            headers={**JSON, "content-encoding": header},
        )

        assert answer.status_code == 415


async def test_a_body_that_says_it_is_too_large_is_not_read(registry: Running) -> None:
    answer = await registry.ask(
        "POST",
        "/api/v1/publish",
        Role.PUBLISH,
        content=b"x",
        headers={**JSON, "content-length": str(2**30)},
    )

    assert (answer.status_code, answer.headers["connection"]) == (413, "close")


async def test_a_body_without_a_length_is_read_up_to_the_limit(registry: Running) -> None:
    """A gigabyte in pieces: the rest is never asked for."""
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        for _ in range(1024):
            sent += 1
            yield bytes(2**20)

    answer = await registry.ask("POST", "/api/v1/publish", Role.PUBLISH, content=endless(), headers=JSON)

    assert answer.status_code == 413
    assert sent < 20


FORMS = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]


async def test_what_a_form_of_another_site_can_send_is_refused(registry: Running) -> None:
    """A page elsewhere can send these without asking; JSON it cannot."""
    for kind in FORMS:
        for path in ("/api/v1/publish", "/api/v1/approvals", "/api/v1/tokens"):
            headers = {"content-type": kind}
            answer = await registry.ask("POST", path, Role.ADMINISTER, content=b"{}", headers=headers)
            assert answer.status_code == 415


async def test_wrong_tokens_of_every_kind_get_the_same_answer(registry: Running) -> None:
    """Unknown, revoked, with another secret, malformed: nobody learns which tokens there are."""
    good = registry.tokens[Role.READ]
    made = (await registry.post("/api/v1/tokens", {"person": "x", "role": "read"}, Role.ADMINISTER)).json()
    await registry.ask("DELETE", f"/api/v1/tokens/{made['id']}", Role.ADMINISTER)
    wrong = [
        good[:-1] + ("A" if good[-1] != "A" else "B"),
        f"avow_{'0' * 16}_{good.rpartition('_')[2]}",
        made["token"],
        "avow_",
        "",
        "x" * 5000,
        "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.",
    ]

    answers = [
        await registry.get("/api/v1/servers", headers={"authorization": f"Bearer {each}"}) for each in wrong
    ]

    assert {(each.status_code, each.text) for each in answers} == {(401, answers[0].text)}
    told = [{name for name in each.headers if name != "date"} for each in answers]
    assert all(each == told[0] for each in told)


async def test_guessing_tokens_is_slowed_down(address: str) -> None:
    settings = Settings(bounds=Bounds(failures=5), limits_loopback=True)
    async with running(address, settings) as registry:
        headers = {"authorization": f"Bearer avow_{'0' * 16}_{'A' * 43}"}
        answers = [(await registry.get("/api/v1/servers", headers=headers)).status_code for _ in range(8)]

    assert answers == [401] * 5 + [429] * 3


async def test_an_address_that_asks_too_often_has_to_wait(address: str) -> None:
    settings = Settings(bounds=Bounds(rate=0.1, burst=3), limits_loopback=True)
    async with running(address, settings) as registry:
        answers = [await registry.get("/api/v1/servers") for _ in range(4)]
        with_token = await registry.get("/api/v1/servers", Role.READ)

    assert [each.status_code for each in answers] == [200, 200, 200, 429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 11
    assert with_token.status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/api/v1/openapi.json"])
async def test_what_everybody_may_always_ask_is_limited_too(address: str, path: str) -> None:
    settings = Settings(private=True, bounds=Bounds(rate=0.1, burst=3), limits_loopback=True)
    async with running(address, settings) as registry:
        answers = [(await registry.get(path)).status_code for _ in range(4)]

    assert answers == [200, 200, 200, 429]


async def test_a_private_registry_tells_strangers_nothing_but_that_it_is_there(address: str) -> None:
    async with running(address, Settings(private=True)) as registry:
        await registry.send(envelope("1.0.0"))
        paths = [
            "/api/v1/servers",
            f"/api/v1/servers/{NAME}/versions/1.0.0",
            f"/api/v1/servers/{NAME}/versions/9.9.9",
            "/api/v1/search?text=read",
            "/checkpoint",
            "/tile/0/000.p/1",
            "/feed.atom",
            "/v0.1/servers",
            "/metrics",
            "/api/v1/log/key",
        ]
        strangers = [(await registry.get(path)).status_code for path in paths]
        members = [(await registry.get(path, Role.READ)).status_code for path in paths]
        health = await registry.get("/healthz")

    assert strangers == [401] * len(paths)
    assert members == [200, 200, 404, *[200] * 7]
    assert health.json() == {"status": "ok"}


async def test_a_page_that_renamed_itself_to_this_machine_is_turned_away(address: str) -> None:
    settings = Settings(hosts=frozenset({"127.0.0.1", "localhost"}))
    async with running(address, settings) as registry:
        codes = {
            host: (await registry.get("/api/v1/servers", headers={"host": host})).status_code
            for host in ("localhost", "127.0.0.1:8750", "evil.example", "127.0.0.1@evil.example", "a b", "")
        }

    assert codes == {
        "localhost": 200,
        "127.0.0.1:8750": 200,
        "evil.example": 421,
        "127.0.0.1@evil.example": 421,
        "a b": 421,
        "": 421,
    }


async def test_many_at_once_publish_one_version_once(registry: Running) -> None:
    """Twenty times the same, and twenty different contents under one version: one of each is there."""
    same = await asyncio.gather(*(registry.send(envelope("1.0.0")) for _ in range(20)))
    other = [envelope("2.0.0", {**READ, "title": str(number)}) for number in range(20)]
    different = await asyncio.gather(*(registry.send(each) for each in other))

    assert sorted(each.status_code for each in same) == [200] * 19 + [201]
    assert sorted(each.status_code for each in different) == [201] + [409] * 19
    versions = (await registry.get(f"/api/v1/servers/{NAME}/versions")).json()["versions"]
    assert [each["version"] for each in versions] == ["2.0.0", "1.0.0"]


async def test_deep_and_strange_json_is_refused_and_not_chewed(registry: Running) -> None:
    bodies = [
        b"[" * 60_000,
        b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
        b'{"person": "a", "person": "b", "role": "read"}',
        b'{"person": NaN, "role": "read"}',
        b'{"person": "\\ud800", "role": "read"}',
        b"\xff\xfe",
        b"9" * 50_000,
    ]
    for body in bodies:
        answer = await registry.ask("POST", "/api/v1/tokens", Role.ADMINISTER, content=body, headers=JSON)
        assert answer.status_code == 422, body[:40]


async def test_answers_are_never_taken_for_pages(registry: Running) -> None:
    hostile = {**READ, "description": "<script>alert(1)</script>"}
    await registry.send(envelope("1.0.0", hostile))

    for path in ("/api/v1/search?tool=read_file", "/feed.atom", f"/api/v1/servers/{NAME}/versions/1.0.0"):
        answer: httpx.Response = await registry.get(path)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert not answer.headers["content-type"].startswith("text/html")

"""Pages over HTTP, without a browser: sessions, refusals and headers."""

import asyncio
import re
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from avow.core.keys import PrivateKey
from avow.registry import tokens
from avow.registry.limits import Limits
from avow.registry.model import Role
from avow.registry.pages.routes import pages, session_key
from avow.registry.settings import Bounds, Settings
from avow.registry.store.opening import open_store
from registry_desk import *  # noqa: F403  fixtures
from registry_desk import NAME, SERVER, Desk, Play
from registry_showcase import END, SIGNER, service_of


def test_a_session_lasts_for_hours_and_holds_no_token(at_a_desk: Play) -> None:
    async def story(desk: Desk) -> None:
        answer = await desk.sign_in()
        cookie = answer.headers["set-cookie"]
        assert (answer.status_code, answer.headers["location"]) == (303, "/approvals")
        assert cookie.endswith("; Path=/; HttpOnly; SameSite=Strict")
        assert desk.tokens[Role.APPROVE].rpartition("_")[2] not in cookie
        page = await desk.client.get("/")
        assert "approve person" in page.text
        assert page.headers["cache-control"] == "no-store"

        desk.clock.now += timedelta(hours=12)
        assert "approve person" not in (await desk.client.get("/")).text

    at_a_desk(story)


def test_a_revoked_token_ends_its_sessions(at_a_desk: Play) -> None:
    async def story(desk: Desk) -> None:
        await desk.sign_in()
        word = await desk.word()
        await tokens.revoke(desk.service.store, desk.identifiers[Role.APPROVE], END)
        assert "approve person" not in (await desk.client.get("/")).text
        refused = await desk.client.post("/approvals", data={"word": word})
        assert refused.status_code == 401
        assert "not signed in any more" in refused.text

    at_a_desk(story)


def test_a_cookie_cannot_be_made_longer_or_somebody_elses(at_a_desk: Play) -> None:
    """Every part of it is sealed, for this registry only."""

    async def story(desk: Desk) -> None:
        await desk.sign_in(Role.READ)
        name, value = next(iter(desk.client.cookies.items()))
        identifier, until, seal = value.split(".")
        forged = [
            f"{identifier}.{int(until) + 1}.{seal}",
            f"{desk.identifiers[Role.APPROVE]}.{until}.{seal}",
            f"{'0' * 16}.{until}.{seal}",
            f"{identifier}.{until}.{'0' * 64}",
            f"{identifier}.{until}",
            "",
        ]
        desk.client.cookies.clear()
        for each in forged:
            page = await desk.client.get("/", headers={"cookie": f"{name}={each}"})
            assert "person" not in page.text
        page = await desk.client.get("/", headers={"cookie": f"{name}={value}"})
        assert "read person" in page.text

    at_a_desk(story)


def test_over_tls_the_cookie_belongs_to_this_host_alone(at_a_desk: Play) -> None:
    async def story(desk: Desk) -> None:
        cookie = (await desk.sign_in()).headers["set-cookie"]
        assert cookie.startswith("__Host-avow-session=")
        assert cookie.endswith("; Secure")

    at_a_desk(story, Settings(url="https://registry.example"))


def test_the_key_of_sessions_is_that_of_the_log_and_not_the_same(at_a_desk: Play) -> None:
    """All processes that sign the log share it; nobody learns one from the other."""
    assert session_key(SIGNER.key) == session_key(SIGNER.key)
    assert session_key(SIGNER.key) not in (SIGNER.key.public.raw, bytes(range(32)))


def test_signing_out_takes_the_cookie_away(at_a_desk: Play) -> None:
    async def story(desk: Desk) -> None:
        await desk.sign_in()
        answer = await desk.client.post("/logout", data={"word": await desk.word()})
        assert answer.headers["set-cookie"].startswith("avow-session=; Max-Age=0")
        assert "approve person" not in (await desk.client.get("/")).text

    at_a_desk(story)


def test_wrong_tokens_are_counted_by_address(at_a_desk: Play) -> None:
    async def story(desk: Desk) -> None:
        statuses = [
            (await desk.client.post("/login", data={"token": "avow_x"})).status_code for _ in range(4)
        ]
        assert statuses == [403, 403, 403, 429]

    at_a_desk(story, address="192.0.2.7", limits=Limits(0, 0, 0, 3))


def test_a_private_registry_shows_nothing_before_one_signs_in(at_a_desk: Play) -> None:
    async def story(desk: Desk) -> None:
        for path in ("/", f"/servers/{NAME}", "/search?q=read", "/log", "/approvals"):
            answer = await desk.client.get(path)
            assert answer.status_code == 303
            assert answer.headers["location"].startswith("/login?next=%2F")
        form = await desk.client.get("/login")
        assert form.status_code == 200
        style = re.search(r'href="(/assets/[0-9a-f]+/style.css)"', form.text)
        assert style is not None
        assert (await desk.client.get(style[1])).headers["content-type"].startswith("text/css")
        await desk.sign_in(Role.READ)
        assert "read_file" in (await desk.client.get(f"/servers/{NAME}")).text

    at_a_desk(story, Settings(private=True))


def test_a_decision_is_recorded_in_the_name_of_who_signed_in(at_a_desk: Play) -> None:
    async def story(desk: Desk) -> None:
        await desk.sign_in()
        answer = await desk.decide()
        assert answer.headers["location"] == "/approvals?environment=production&recorded=2"
        [made] = await desk.service.store.approvals(SERVER)
        assert (made.by, made.reason, made.state) == ("approve person", "Only reads.", "approved")

    at_a_desk(story)


@pytest.mark.parametrize(
    ("changed", "status", "words"),
    [
        ({"word": "0" * 64}, 403, "not from a page of yours"),
        ({"word": "é"}, 403, "not from a page of yours"),
        ({"digest": "sha256:" + "0" * 64}, 409, "not the one decided about"),
        ({"digest": ""}, 409, "not the one decided about"),
        ({"version": "2.0"}, 404, "has not been published here"),
        ({"name": "../etc"}, 422, "is not the name of a server"),
        ({"environment": "<b>"}, 422, "is not the name of an environment"),
        ({"reason": "  "}, 422, "a decision needs a reason"),
        ({"decision": "pending"}, 422, "approved or rejected"),
    ],
)
def test_a_decision_that_is_not_what_was_seen_is_refused(
    at_a_desk: Play, changed: dict[str, str], status: int, words: str
) -> None:
    async def story(desk: Desk) -> None:
        await desk.sign_in()
        answer = await desk.decide(**changed)
        assert answer.status_code == status
        assert words in answer.text
        assert await desk.service.store.approvals(SERVER) == ()

    at_a_desk(story)


def test_a_token_for_something_else_does_not_decide(at_a_desk: Play) -> None:
    """Its own form word is right, and still."""

    async def story(desk: Desk) -> None:
        await desk.sign_in(Role.PUBLISH)
        assert (await desk.decide()).status_code == 403

    at_a_desk(story)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://attacker.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "origin": "http://registry"},
    ],
)
def test_forms_of_other_sites_are_refused(at_a_desk: Play, headers: dict[str, str]) -> None:
    async def story(desk: Desk) -> None:
        answer = await desk.client.post("/login", data={"token": desk.tokens[Role.READ]}, headers=headers)
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers

    at_a_desk(story)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"token=" + b"x" * 2_000, 413),
        (b"&".join(b"a=b" for _ in range(21)), 422),
        (b"token=%ff", 422),
        ("token=é".encode(), 422),
    ],
)
def test_forms_are_bounded(at_a_desk: Play, body: bytes, status: int) -> None:
    async def story(desk: Desk) -> None:
        headers = {"content-type": "application/x-www-form-urlencoded"}
        answer = await desk.client.post("/login", content=body, headers=headers)
        assert answer.status_code == status

    at_a_desk(story, Settings(bounds=Bounds(document_bytes=1_000)))


def test_there_are_pages_for_what_is_not_there(at_a_desk: Play) -> None:
    async def story(desk: Desk) -> None:
        for path, status in (
            ("/servers/dev.example/other", 404),
            (f"/servers/{NAME}/versions/9", 404),
            ("/servers/dev.example/other/versions", 404),
            ("/digests/sha256:" + "0" * 64, 404),
            ("/digests/md5", 422),
            ("/log/2", 404),
            ("/log/x", 404),
            ("/search?cursor=x", 422),
            ("/assets/0/passwd", 404),
        ):
            answer = await desk.client.get(path)
            assert answer.status_code == status, path

    at_a_desk(story)


def test_the_log_tells_of_keys_and_namespaces(at_a_desk: Play) -> None:
    async def story(desk: Desk) -> None:
        other = PrivateKey(b"o" * 32).public
        await desk.service.store.change_keys("dev.example", "administrator", END, add=[other])
        rows = (await desk.client.get("/log")).text
        assert "1 added, 0 revoked, by administrator" in rows
        assert "claimed" in rows
        assert other.identifier in (await desk.client.get("/log/2")).text
        assert (await desk.client.get("/log?before=2")).text.count("with proof") == 2

    at_a_desk(story)


def test_assets_stay_and_pages_do_not(at_a_desk: Play) -> None:
    async def story(desk: Desk) -> None:
        page = await desk.client.get("/search")
        assert page.headers["cache-control"] == "private, no-cache"
        scripts = re.findall(r'<script src="([^"]+)"', page.text)
        assert [path.rpartition("/")[2] for path in scripts] == ["htmx.min.js"]
        answer = await desk.client.get(scripts[0])
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers["content-type"] == "text/javascript; charset=utf-8"

    at_a_desk(story)


def test_an_empty_registry_says_so(tmp_path: Path) -> None:
    async def story() -> None:
        store = await open_store(f"sqlite:///{tmp_path / 'registry.db'}", SIGNER)
        try:
            app = Starlette(routes=pages(await service_of(store)).routes)
            async with httpx.AsyncClient(
                transport=httpx.ASGITransport(app), base_url="http://registry"
            ) as client:
                texts = [
                    (await client.get(path)).text
                    for path in ("/", "/servers", "/log", "/approvals", "/search")
                ]
        finally:
            await store.close()
        words = (
            "Nothing has been published yet",
            "has been published yet",
            "no entries yet",
            "Nothing waits",
        )
        assert all(word in text for word, text in zip(words, texts, strict=False))
        assert "Nothing here has all of that" in texts[-1]

    asyncio.run(story())

"""What was decided is told, and what holds is changed only by who says that they mean it."""

import pytest

from avow.core.publication import ServerName
from avow.registry.approvals import standings
from avow.registry.model import ApprovalState, Role
from registry_desk import *  # noqa: F403  fixtures
from registry_desk import NAME, SERVER, Desk, Play
from registry_showcase import END, Release, add
from small_server import READ, snapshot


async def state_of(desk: Desk) -> ApprovalState:
    version = await desk.service.store.version(SERVER, "1.0")
    assert version is not None
    return (await standings(desk.service.store, version, "production"))[0].state


async def text(desk: Desk, path: str) -> str:
    return (await desk.client.get(path)).text


def test_the_page_says_what_was_decided_about_what(at_a_desk: Play) -> None:
    async def story(desk: Desk) -> None:
        await desk.sign_in()
        shown = await text(desk, (await desk.decide()).headers["location"])
        assert "approve person approved <strong>dev.example/files 1.0</strong> for production" in shown
        assert "It may be used there now." in shown
        shown = await text(desk, (await desk.decide(decision="reject", sure="yes")).headers["location"])
        assert "approve person rejected <strong>dev.example/files 1.0</strong> for production" in shown
        assert "It may not be used there." in shown
        for other in ("0", "1", "99", "x"):
            assert 'role="status"' not in await text(desk, f"/approvals?recorded={other}")

    at_a_desk(story)


@pytest.mark.parametrize("decision", ["reject", "take back"])
def test_what_is_approved_is_changed_with_a_confirmation(at_a_desk: Play, decision: str) -> None:
    async def story(desk: Desk) -> None:
        await desk.sign_in()
        await desk.decide()
        refused = await desk.decide(decision=decision)
        assert refused.status_code == 409
        assert "is approved in production, and to change that has to be confirmed" in refused.text
        assert await state_of(desk) is ApprovalState.APPROVED

        await desk.decide(decision=decision, sure="yes", reason="It was the wrong one.")
        assert await state_of(desk) is not ApprovalState.APPROVED

    at_a_desk(story)


def test_rejected_versions_are_listed_with_who_and_why(at_a_desk: Play) -> None:
    async def story(desk: Desk) -> None:
        assert "Rejected in production" not in await text(desk, "/approvals")
        await desk.sign_in()
        await desk.decide(decision="reject", reason="It sends files elsewhere.")
        rejected = (await text(desk, "/approvals")).partition("Rejected in production")[2]
        assert "approve person</strong> rejected it" in rejected
        assert "It sends files elsewhere." in rejected

    at_a_desk(story)


def test_buttons_are_those_that_would_change_something(at_a_desk: Play) -> None:
    """And nobody who may not decide has any, on either page."""

    async def story(desk: Desk) -> None:
        await desk.sign_in()
        for decision, offered in (
            ("", ["approve", "reject"]),
            ("approve", ["reject", "take back"]),
            ("reject", ["approve", "take back"]),
            ("take back", ["approve", "reject"]),
        ):
            if decision:
                await desk.decide(decision=decision, sure="yes")
            for path in ("/approvals", f"/servers/{NAME}"):
                shown = await text(desk, path)
                there = [each for each in ("approve", "reject", "take back") if f'value="{each}"' in shown]
                assert there == offered, (path, decision)
        await desk.sign_in(Role.PUBLISH)
        for path in ("/approvals", f"/servers/{NAME}"):
            assert 'name="decision"' not in await text(desk, path)

    at_a_desk(story)


def test_a_server_says_which_of_its_versions_is_approved(at_a_desk: Play) -> None:
    async def story(desk: Desk) -> None:
        assert "No version is approved there." in await text(desk, f"/servers/{NAME}")
        await desk.sign_in()
        await desk.decide()
        assert 'approved</span> <span class="quiet">in production' in await text(desk, "/servers")
        await add(desk.service.store, NAME, Release("2.0", snapshot([READ, {**READ, "name": "more"}])), END)
        newest = await text(desk, f"/servers/{NAME}")
        assert f'Approved there: <a href="/servers/{NAME}/versions/1.0">1.0</a>' in newest
        assert "Approved there" not in await text(desk, f"/servers/{NAME}/versions/1.0")
        assert "in production" not in await text(desk, "/servers")

    at_a_desk(story)


def test_the_most_severe_drift_of_a_day_comes_first(at_a_desk: Play) -> None:
    async def story(desk: Desk) -> None:
        store = desk.service.store
        calm, worse = {**READ, "title": "Read"}, {**READ, "name": "delete_everything"}
        for name, later in (("dev.example/worse", [READ, worse]), ("dev.example/calm", [calm])):
            for version, tools in (("1", [READ]), ("2", later)):
                await add(store, name, Release(version, snapshot(tools)), END)
        found = [await store.version(ServerName.read(f"dev.example/{each}")) for each in ("worse", "calm")]
        severities = [each.highest for each in found if each is not None and each.highest is not None]
        assert severities[0] > severities[1]
        shown = await text(desk, "/")
        assert shown.index("/worse/versions/2") < shown.index("/calm/versions/2")
        assert shown.index("/calm/versions/2") < shown.index("/calm/versions/1")

    at_a_desk(story)


def test_a_namespace_that_is_not_there_is_told(at_a_desk: Play) -> None:
    async def story(desk: Desk) -> None:
        answer = await desk.client.get("/servers?namespace=dev.exampel")
        assert answer.status_code == 404
        assert "There is no namespace dev.exampel here." in answer.text
        assert (await desk.client.get("/servers?namespace=dev.example")).status_code == 200
        answer = await desk.client.get("/servers?namespace=dev.example&q=nothing")
        assert (answer.status_code, "has all these words" in answer.text) == (200, True)

    at_a_desk(story)


@pytest.mark.parametrize("words", ["dev.example/files", "example/fil", "DEV.example/FILES", "files"])
def test_a_search_finds_servers_by_their_names(at_a_desk: Play, words: str) -> None:
    async def story(desk: Desk) -> None:
        shown = (await desk.client.get("/search", params={"q": words})).text
        assert f'<a href="/servers/{NAME}">' in shown.partition('id="matching"')[2]
        assert 'id="matching"' not in await text(desk, "/search?q=elsewhere")
        assert 'id="matching"' not in await text(desk, "/search")

    at_a_desk(story)


def test_a_digest_that_was_cut_is_found(at_a_desk: Play) -> None:
    """As pages and commands show it, or with any number of digits that is not a word."""

    async def story(desk: Desk) -> None:
        version = await desk.service.store.version(SERVER)
        assert version is not None
        digits = version.digest.removeprefix("sha256:")
        for written in (f"{digits[:12]}…", digits[:12], f"sha256:{digits[:12]}…", digits[:8].upper(), digits):
            answer = await desk.client.get("/search", params={"q": written})
            assert answer.headers.get("location") == f"/digests/{version.digest}", written
        assert (await desk.client.get("/search", params={"q": "0" * 12})).status_code == 200
        assert f">{version.digest}</code>" in await text(desk, f"/servers/{NAME}")

    at_a_desk(story)

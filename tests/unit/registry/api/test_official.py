"""What clients of the official MCP registry read here."""

import pytest

from registry_running import DELETE, NAME, READ, Running, envelope

pytestmark = pytest.mark.anyio


@pytest.fixture
async def filled(registry: Running) -> Running:
    await registry.send(envelope("1.0.0"))
    await registry.send(envelope("1.1.0", READ, DELETE))
    await registry.send(envelope("0.1.0", name="io.github.owner/other"))
    return registry


async def test_all_versions_are_listed_with_our_data_beside_them(filled: Running) -> None:
    answer = (await filled.get("/v0.1/servers")).json()

    listed = [(each["server"]["name"], each["server"]["version"]) for each in answer["servers"]]
    assert listed == [("io.github.owner/other", "0.1.0"), (NAME, "1.1.0"), (NAME, "1.0.0")]
    assert answer["metadata"] == {"count": 3}
    meta = [each["_meta"]["io.modelcontextprotocol.registry/official"] for each in answer["servers"]]
    assert [each["isLatest"] for each in meta] == [True, True, False]
    assert all(each["status"] == "active" for each in meta)
    ours = answer["servers"][1]["server"]["_meta"]["dev.avow/registry"]
    assert (ours["highest"], ours["counts"]["tools"]) == ("critical", 2)


async def test_the_newest_of_each_server_can_be_asked_for_and_searched(filled: Running) -> None:
    latest = (await filled.get("/v0.1/servers", params={"version": "latest"})).json()
    found = (await filled.get("/v0.1/servers", params={"search": "R/oth", "limit": "5"})).json()

    assert [each["server"]["version"] for each in latest["servers"]] == ["0.1.0", "1.1.0"]
    assert [each["server"]["name"] for each in found["servers"]] == ["io.github.owner/other"]


async def test_pages_follow_their_cursor(filled: Running) -> None:
    first = (await filled.get("/v0.1/servers", params={"limit": 2})).json()
    cursor = first["metadata"]["nextCursor"]
    second = (await filled.get("/v0.1/servers", params={"limit": 2, "cursor": cursor})).json()

    assert (first["metadata"]["count"], second["metadata"]) == (2, {"count": 1})


async def test_versions_of_a_server_and_one_of_them(filled: Running) -> None:
    encoded = NAME.replace("/", "%2F")

    versions = (await filled.get(f"/v0.1/servers/{encoded}/versions")).json()
    latest = (await filled.get(f"/v0.1/servers/{encoded}/versions/latest")).json()
    missing = await filled.get("/v0.1/servers/io.github.owner%2Fnothing/versions")

    assert [each["server"]["version"] for each in versions["servers"]] == ["1.1.0", "1.0.0"]
    assert latest == versions["servers"][0]
    assert missing.status_code == 404
    assert missing.json()["error"] == "Server not found"
    assert missing.headers["cache-control"] == "no-store"


async def test_all_versions_come_at_once_since_nobody_asks_for_a_second_page(registry: Running) -> None:
    for number in range(35):
        await registry.send(envelope(f"1.{number}.0"))

    versions = (await registry.get(f"/v0.1/servers/{NAME.replace('/', '%2F')}/versions")).json()

    assert versions["metadata"] == {"count": 35}
    assert versions["servers"][-1]["server"]["version"] == "1.0.0"


async def test_an_exact_version_is_found_whether_or_not_it_is_the_newest(filled: Running) -> None:
    for asked in ({"version": "1.0.0"}, {"version": "1.0.0", "search": "files"}):
        found = (await filled.get("/v0.1/servers", params=asked)).json()["servers"]
        assert [(each["server"]["name"], each["server"]["version"]) for each in found] == [(NAME, "1.0.0")]


async def test_what_changed_since_a_moment(filled: Running) -> None:
    since = {"updated_since": "2999-01-01T00:00:00Z"}

    assert (await filled.get("/v0.1/servers", params=since)).json()["servers"] == []
    assert (await filled.get("/v0.1/servers", params={"updated_since": "yesterday"})).status_code == 400


async def test_parameters_of_later_versions_are_ignored(filled: Running) -> None:
    assert (await filled.get("/v0.1/servers", params={"from_the_future": "1"})).status_code == 200

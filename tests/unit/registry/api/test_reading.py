"""What a registry answers about servers and versions."""

from datetime import datetime

import pytest

from avow.core import dsse
from avow.core.publication import PUBLICATION_TYPE, read_publication
from avow.registry.model import Role
from registry_running import DELETE, NAME, OWNER, READ, Running, envelope

pytestmark = pytest.mark.anyio
SERVER = f"/api/v1/servers/{NAME}"


async def test_a_server_that_was_published_is_listed_with_its_newest_version(registry: Running) -> None:
    await registry.send(envelope("1.0.0"))
    await registry.send(envelope("1.1.0", READ, DELETE))

    [server] = (await registry.get("/api/v1/servers")).json()["servers"]

    assert (server["name"], server["versions"]) == (NAME, 2)
    assert server["latest"]["version"] == "1.1.0"
    assert server["latest"]["counts"]["tools"] == 2
    assert server == (await registry.get(SERVER)).json()


async def test_the_history_tells_how_each_version_differs_from_the_one_before(registry: Running) -> None:
    await registry.send(envelope("1.0.0"))
    await registry.send(envelope("1.1.0", READ, DELETE))

    answer = (await registry.get(f"{SERVER}/versions")).json()

    newest, first = answer["versions"]
    assert answer["next"] is None
    assert [each["type"] for each in newest["drift"]] == ["tool_added"]
    assert (newest["highest"], newest["predecessor"]) == ("critical", "1.0.0")
    assert (first["drift"], first["predecessor"]) == ([], None)


async def test_a_version_carries_the_snapshot_that_was_signed(registry: Running) -> None:
    data = envelope("1.0.0")
    await registry.send(data)

    answer = (await registry.get(f"{SERVER}/versions/latest")).json()
    signed = (await registry.get(f"{SERVER}/versions/1.0.0/envelope")).content

    assert answer["snapshot"]["tools"][0]["definition"] == READ
    verified = dsse.verify(dsse.loads(signed), PUBLICATION_TYPE, [OWNER.public])
    assert verified.payload == dsse.loads(data).payload
    assert read_publication(verified.payload).content == answer["content"]


async def test_a_name_may_be_written_with_its_slash_escaped(registry: Running) -> None:
    await registry.send(envelope("1.0.0"))

    escaped = await registry.get(f"/api/v1/servers/{NAME.replace('/', '%2F')}/versions")

    assert escaped.json() == (await registry.get(f"{SERVER}/versions")).json()


async def test_any_two_versions_can_be_compared_in_both_directions(registry: Running) -> None:
    await registry.send(envelope("1.0.0"))
    await registry.send(envelope("1.1.0", READ, DELETE))

    there = (await registry.get(f"{SERVER}/drift", params={"from": "1.0.0", "to": "latest"})).json()
    back = (await registry.get(f"{SERVER}/drift", params={"from": "1.1.0", "to": "1.0.0"})).json()

    assert ([each["type"] for each in there["drift"]], there["highest"]) == (["tool_added"], "critical")
    assert [each["type"] for each in back["drift"]] == ["tool_removed"]
    assert there["digest"] == {"approved": back["digest"]["observed"], "observed": back["digest"]["approved"]}


async def test_pages_follow_each_other_without_a_gap(registry: Running) -> None:
    for number in range(5):
        await registry.send(envelope(f"1.{number}.0", {**READ, "description": f"Number {number}."}))

    seen, cursor = [], None
    while True:
        query = {"limit": 2, **({"cursor": cursor} if cursor else {})}
        answer = (await registry.get(f"{SERVER}/versions", params=query)).json()
        seen += [each["version"] for each in answer["versions"]]
        cursor = answer["next"]
        if cursor is None:
            break

    assert seen == ["1.4.0", "1.3.0", "1.2.0", "1.1.0", "1.0.0"]


async def test_changes_are_followed_by_asking_for_what_came_after(registry: Running) -> None:
    await registry.send(envelope("1.0.0"))
    before = (await registry.get("/api/v1/changes")).json()
    await registry.send(envelope("1.1.0", READ, DELETE))

    after = (await registry.get("/api/v1/changes", params={"after": before["next"]})).json()
    quiet = (await registry.get("/api/v1/changes", params={"after": after["next"]})).json()

    assert [each["version"] for each in after["changes"]] == ["1.1.0"]
    assert (quiet["changes"], quiet["next"]) == ([], after["next"])


async def test_what_is_not_there_is_told_as_a_problem_with_a_next_step(registry: Running) -> None:
    answer = await registry.get("/api/v1/servers/io.github.owner/nothing/versions/1.0.0")

    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json() == {
        "type": "urn:avow:problem:not-found",
        "title": "There is no such thing here",
        "status": 404,
        "detail": "io.github.owner/nothing 1.0.0 has not been published here",
        "hint": "`avow registry search --servers WORDS` finds servers",
    }


@pytest.mark.parametrize(
    "query", [{"limit": "0"}, {"limit": "ten"}, {"limit": "201"}, {"nonsense": "1"}, {"cursor": ""}]
)
async def test_a_parameter_that_makes_no_sense_is_refused(registry: Running, query: dict[str, str]) -> None:
    answer = await registry.get("/api/v1/servers", params=query)

    assert (answer.status_code, answer.json()["type"]) == (400, "urn:avow:problem:malformed-request")


async def test_a_parameter_may_not_be_there_twice(registry: Running) -> None:
    assert (await registry.get("/api/v1/servers?q=a&q=b")).status_code == 400


async def test_what_has_not_changed_is_not_sent_again(registry: Running) -> None:
    await registry.send(envelope("1.0.0"))
    first = await registry.get(f"{SERVER}/versions/1.0.0")

    tag = first.headers["etag"]
    again = await registry.get(f"{SERVER}/versions/1.0.0", headers={"if-none-match": f'"x", W/{tag}'})
    other = await registry.get(f"{SERVER}/versions/1.0.0", headers={"if-none-match": '"x"'})

    assert tag == f'"{first.json()["content"]}"'
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert other.status_code == 200


async def test_a_path_says_which_methods_it_takes(registry: Running) -> None:
    answer = await registry.ask("DELETE", "/api/v1/namespaces", Role.ADMINISTER)

    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD, POST")


async def test_times_are_of_the_moment_and_in_utc(registry: Running) -> None:
    receipt = (await registry.send(envelope("1.0.0"))).json()

    assert datetime.fromisoformat(receipt["published"]["publishedAt"]).utcoffset() is not None
    assert receipt["published"]["publishedAt"].endswith("Z")


async def test_whoever_follows_a_quiet_target_does_not_begin_anew_each_time(registry: Running) -> None:
    await registry.send(envelope("1.0.0"))
    await registry.send(envelope("1.1.0", READ, DELETE))
    asked = {"target": "io.github.owner/nothing"}

    nothing = (await registry.get("/api/v1/changes", params=asked)).json()
    full = (await registry.get("/api/v1/changes", params={"limit": "1"})).json()

    assert nothing == {"changes": [], "next": 2}
    assert full["next"] == 1

"""Namespaces, tokens and decisions."""

import pytest

from avow.registry.model import Role
from avow.registry.namespaces import KeyChange, sign_change
from registry_running import DELETE, NAME, ORIGIN, OWNER, READ, STRANGER, Running, envelope

pytestmark = pytest.mark.anyio
KEYS = "/api/v1/namespaces/io.github.owner/keys"


async def test_a_namespace_is_given_once(registry: Running) -> None:
    document = {"namespace": "io.github.owner", "key": STRANGER.public.pem.decode()}

    assert (await registry.post("/api/v1/namespaces", document, Role.ADMINISTER)).status_code == 409
    assert (await registry.post("/api/v1/namespaces", document, Role.PUBLISH)).status_code == 403


async def test_a_key_replaces_itself_without_anybody_else(registry: Running) -> None:
    """A rotation signed by the old key needs no token; afterwards only the new key publishes."""
    change = KeyChange(ORIGIN, "io.github.owner", (STRANGER.public,), (OWNER.public.identifier,))
    body = sign_change(change, OWNER)

    answer = await registry.ask("POST", KEYS, content=body, headers={"content-type": "application/json"})

    assert answer.status_code == 200
    assert [each["revokedAt"] is None for each in answer.json()["keys"]] == [False, True]
    assert (await registry.send(envelope("1.0.0"))).status_code == 403
    assert (await registry.send(envelope("1.0.0", key=STRANGER))).status_code == 201


@pytest.mark.parametrize(
    "change",
    [
        KeyChange("another.example/log", "io.github.owner", (STRANGER.public,)),
        KeyChange(ORIGIN, "io.github.other", (STRANGER.public,)),
    ],
)
async def test_a_change_that_was_signed_for_something_else_is_refused(
    registry: Running, change: KeyChange
) -> None:
    headers = {"content-type": "application/json"}

    answer = await registry.ask("POST", KEYS, content=sign_change(change, OWNER), headers=headers)

    assert answer.status_code == 403


async def test_a_change_that_a_stranger_signed_is_refused(registry: Running) -> None:
    body = sign_change(KeyChange(ORIGIN, "io.github.owner", (STRANGER.public,)), STRANGER)

    answer = await registry.ask("POST", KEYS, content=body, headers={"content-type": "application/json"})

    assert answer.status_code == 403


async def test_a_revoked_key_stays_revoked(registry: Running) -> None:
    await registry.post(KEYS, {"add": [STRANGER.public.pem.decode()]}, Role.ADMINISTER)
    await registry.post(KEYS, {"revoke": [STRANGER.public.identifier]}, Role.ADMINISTER)

    again = await registry.post(KEYS, {"add": [STRANGER.public.pem.decode()]}, Role.ADMINISTER)
    last = await registry.post(KEYS, {"revoke": [OWNER.public.identifier]}, Role.ADMINISTER)

    assert (again.status_code, last.status_code) == (409, 409)


async def test_without_a_token_or_a_signature_no_key_changes(registry: Running) -> None:
    document = {"add": [STRANGER.public.pem.decode()]}

    assert (await registry.post(KEYS, document)).status_code == 401
    assert (await registry.post(KEYS, document, Role.PUBLISH)).status_code == 403


async def test_a_token_is_shown_once_and_works_until_it_is_revoked(registry: Running) -> None:
    made = (await registry.post("/api/v1/tokens", {"person": "Ada", "role": "read"}, Role.ADMINISTER)).json()
    headers = {"authorization": f"Bearer {made['token']}"}

    before = await registry.get("/api/v1/watches", headers=headers)
    listed = (await registry.get("/api/v1/tokens", Role.ADMINISTER)).text
    await registry.ask("DELETE", f"/api/v1/tokens/{made['id']}", Role.ADMINISTER)
    after = await registry.get("/api/v1/watches", headers=headers)

    assert (before.status_code, after.status_code) == (200, 401)
    assert made["id"] in listed
    assert made["token"].rpartition("_")[2] not in listed


async def test_only_administrators_see_tokens(registry: Running) -> None:
    answers = [(await registry.get("/api/v1/tokens", role)).status_code for role in (None, *Role)]

    assert answers == [401, 403, 403, 403, 200]


async def test_a_decision_is_a_persons_with_a_reason_and_in_the_log(registry: Running) -> None:
    await registry.send(envelope("1.0.0"))

    made = await registry.post("/api/v1/approvals", decision("approved"), Role.APPROVE)
    listed = (await registry.get("/api/v1/approvals", params={"environment": "production"})).json()

    [taken] = made.json()["decisions"]
    assert (made.status_code, made.json()["state"]) == (201, "approved")
    assert (taken["by"], taken["reason"]) == ("the approve", "because")
    [version] = listed["versions"]
    assert (version["version"], version["standing"]["decisions"]) == ("1.0.0", [taken])
    proof = await registry.get("/api/v1/log/inclusion", params={"index": taken["logIndex"]})
    assert '"state":"approved"' in proof.json()["entry"]


async def test_where_two_have_to_agree_one_is_not_enough_and_one_no_is(registry: Running) -> None:
    await registry.send(envelope("1.0.0"))
    await registry.ask("PUT", "/api/v1/environments/production", Role.ADMINISTER, json={"needed": 2})

    first = await registry.post("/api/v1/approvals", decision("approved"), Role.APPROVE)
    again = await registry.post("/api/v1/approvals", decision("approved"), Role.APPROVE)
    second = await registry.post("/api/v1/approvals", decision("approved"), Role.ADMINISTER)
    refused = await registry.post("/api/v1/approvals", decision("rejected"), Role.ADMINISTER)

    states = [each.json()["state"] for each in (first, again, second, refused)]
    assert states == ["pending", "pending", "approved", "rejected"]


async def test_a_decision_about_something_else_than_is_there_is_refused(registry: Running) -> None:
    await registry.send(envelope("1.0.0"))

    other = {**decision("approved"), "digest": f"sha256:{'0' * 64}"}
    unknown = {**decision("approved"), "version": "9.9.9"}
    silent = {**decision("approved"), "reason": "  "}

    assert (await registry.post("/api/v1/approvals", other, Role.APPROVE)).status_code == 409
    assert (await registry.post("/api/v1/approvals", unknown, Role.APPROVE)).status_code == 404
    assert (await registry.post("/api/v1/approvals", silent, Role.APPROVE)).status_code == 422
    assert (await registry.post("/api/v1/approvals", decision("approved"), Role.PUBLISH)).status_code == 403


async def test_what_is_to_be_decided_is_listed(registry: Running) -> None:
    await registry.send(envelope("1.0.0"))
    query = {"environment": "production", "state": "pending"}

    before = (await registry.get("/api/v1/approvals", params=query)).json()
    await registry.post("/api/v1/approvals", decision("approved"), Role.APPROVE)
    after = (await registry.get("/api/v1/approvals", params=query)).json()
    await registry.send(envelope("1.1.0", READ, DELETE))
    again = (await registry.get("/api/v1/approvals", params=query)).json()

    assert [each["version"] for each in before["versions"]] == ["1.0.0"]
    assert before["versions"][0]["standing"]["decisions"] == []
    assert after["versions"] == []
    assert [each["version"] for each in again["versions"]] == ["1.1.0"]


async def test_a_state_means_how_versions_stand_now(registry: Running) -> None:
    """Who asks what may be used is not told of an approval that somebody rejected later."""
    await registry.send(envelope("1.0.0"))
    states = ("approved", "pending", "rejected")

    async def standing() -> list[int]:
        listed = [(await registry.get("/api/v1/approvals", params={"state": each})).json() for each in states]
        return [len(each["versions"]) for each in listed]

    assert await standing() == [0, 1, 0]
    await registry.post("/api/v1/approvals", decision("approved"), Role.APPROVE)
    assert await standing() == [1, 0, 0]
    await registry.post("/api/v1/approvals", decision("rejected"), Role.APPROVE)
    assert await standing() == [0, 0, 1]
    await registry.post("/api/v1/approvals", decision("pending"), Role.APPROVE)
    assert await standing() == [0, 1, 0]
    for query in ({"name": NAME, "state": "approved"}, {"version": "1.0.0"}):
        assert (await registry.get("/api/v1/approvals", params=query)).status_code == 404


async def test_the_same_said_twice_is_said_once(registry: Running) -> None:
    """Also that nothing was decided; another reason, or another number of people, is something new."""
    await registry.send(envelope("1.0.0"))

    async def decided(state: str, **others: str) -> tuple[int, int]:
        sent = {**decision(state), **others}
        made = await registry.post("/api/v1/approvals", sent, Role.APPROVE)
        assert made.json()["isNew"] == (made.status_code == 201)
        return made.status_code, len(made.json()["decisions"])

    assert await decided("pending") == (200, 0)
    assert await decided("approved") == (201, 1)
    assert await decided("approved") == (200, 1)
    assert await decided("approved", reason="read it again") == (201, 2)
    await registry.ask("PUT", "/api/v1/environments/production", Role.ADMINISTER, json={"needed": 2})
    assert await decided("approved", reason="read it again") == (201, 3)
    assert await decided("pending") == (201, 4)
    assert await decided("pending") == (200, 4)


async def test_a_version_tells_how_it_stands_everywhere(registry: Running) -> None:
    await registry.send(envelope("1.0.0"))
    await registry.ask("PUT", "/api/v1/environments/staging", Role.ADMINISTER, json={"needed": 1})
    await registry.post("/api/v1/approvals", decision("rejected"), Role.APPROVE)

    answer = (await registry.get(f"/api/v1/servers/{NAME}/versions/1.0.0/approvals")).json()

    states = {each["environment"]: each["state"] for each in answer["environments"]}
    assert states == {"production": "rejected", "staging": "pending"}


def decision(state: str) -> dict[str, str]:
    return {
        "name": NAME,
        "version": "1.0.0",
        "environment": "production",
        "state": state,
        "reason": "because",
    }

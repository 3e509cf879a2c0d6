"""How versions stand, and what may be used in an environment: asked of both databases."""

import asyncio
from datetime import timedelta

import pytest

from avow.core.canonical import digest
from avow.core.publication import ServerName
from avow.registry.approvals import decide
from avow.registry.model import ApprovalState, Environment, PublishedVersion
from avow.registry.publishing import publish
from avow.registry.store.interface import Store
from avow.registry.store.standing import Usable
from registry_samples import FILES, NOW, READ, WRITE, envelope, snapshot
from registry_stores import *  # noqa: F403  fixtures

pytestmark = pytest.mark.anyio
YES, NO = ApprovalState.APPROVED, ApprovalState.REJECTED


async def published(store: Store, version: str) -> PublishedVersion:
    tools = (READ, {**WRITE, "description": f"Write, since {version}."})
    return (await publish(store, envelope(snapshot(*tools), version), NOW)).version


async def say(store: Store, version: str, state: ApprovalState, by: str, where: str = "production") -> None:
    at = NOW + timedelta(minutes=1)
    await decide(store, FILES, version, environment=where, state=state, by=by, reason=f"{by}: why", at=at)


async def test_a_version_may_be_used_when_enough_people_agreed(store: Store) -> None:
    """One of two is not enough; a rejection takes it back; each environment is its own."""
    await store.set_environment(Environment("production", 2))
    one, two = [await published(store, version) for version in ("1", "2")]
    assert await store.decided([one.id, two.id]) == {}
    assert await store.decided([]) == {}

    await say(store, "1", YES, "Ada")
    assert (await store.usable("production")).items == ()
    await say(store, "1", YES, "Grace")
    await say(store, "2", YES, "Ada", "staging")
    assert [each.version for each in await store.usable("production")] == [one]
    assert (await store.usable("staging")).items == (Usable(two, "2"),)

    await say(store, "1", NO, "Eve")
    assert (await store.usable("production")).items == ()
    found = await store.decided([one.id, two.id, 999])
    assert [(each.environment, each.state, each.people) for each in found[one.id]] == [
        ("production", NO, ("Eve",))
    ]
    assert [each.reason for each in found[one.id][0].decisions] == ["Ada: why", "Grace: why", "Eve: why"]
    assert [(each.environment, each.people) for each in found[two.id]] == [("staging", ("Ada",))]


async def test_who_changed_their_mind_counts_once(store: Store) -> None:
    version = await published(store, "1")
    await say(store, "1", NO, "Ada")
    await say(store, "1", YES, "Ada")

    [found] = (await store.decided([version.id]))[version.id]

    assert (found.state, found.people) == (YES, ("Ada",))
    assert [each.state for each in found.decisions] == [NO, YES]


async def test_two_spellings_of_a_name_are_one_person(store: Store) -> None:
    """As for everybody who reads the log: ada takes back what Ada approved, and agrees with nobody else."""
    await store.set_environment(Environment("production", 2))
    version = await published(store, "1")
    await say(store, "1", YES, "Ada")
    await say(store, "1", YES, "ada")
    [both] = (await store.decided([version.id]))[version.id]
    await say(store, "1", ApprovalState.PENDING, "ADA")
    [none] = (await store.decided([version.id]))[version.id]

    assert (both.state, both.people, len(both.decisions)) == (ApprovalState.PENDING, ("ada",), 2)
    assert (none.people, [each.by for each in none.decisions]) == ((), ["Ada", "ada", "ADA"])


async def test_who_says_the_same_many_times_at_once_has_said_it_once(store: Store) -> None:
    await published(store, "1")
    words = {"environment": "production", "by": "Ada", "reason": "Read it."}

    for state in (YES, ApprovalState.PENDING, NO):
        same = [decide(store, FILES, "1", state=state, at=NOW, **words) for _ in range(8)]
        assert sorted(is_new for _, is_new in await asyncio.gather(*same)) == [False] * 7 + [True]

    made = await store.approvals(FILES, "1")
    assert [each.state for each in made] == [YES, ApprovalState.PENDING, NO]
    await store.set_environment(Environment("production", 2))
    _, is_new = await decide(store, FILES, "1", state=NO, at=NOW, **words)
    assert is_new


async def test_what_may_be_used_comes_in_pages(store: Store) -> None:
    versions = [await published(store, version) for version in ("1", "2", "3")]
    for each in versions:
        await say(store, each.version, YES, "Ada")

    first = await store.usable("production", limit=2)
    second = await store.usable("production", limit=2, cursor=first.next)

    assert [each.version for each in (*first, *second)] == versions[::-1]
    assert {each.newest for each in first} == {"3"}
    assert second.next is None


async def test_drift_is_found_by_the_numbers_of_versions(store: Store) -> None:
    one, two = [await published(store, version) for version in ("1", "2")]

    found = await store.drifts_of([one.id, two.id, 999])

    assert found == {one.id: (), two.id: (await store.drifts(FILES, ["2"]))["2"]}
    assert [each["name"] for each in found[two.id]] == ["write_file"]
    assert await store.drifts_of([]) == {}


async def test_the_versions_that_are_approved_are_told_by_environment(store: Store) -> None:
    """However old they are, a few of each, and none that was rejected or waits."""
    for version in ("1", "2", "3", "4", "5"):
        await published(store, version)
        await say(store, version, YES, "Ada")
    await say(store, "4", NO, "Eve")
    await say(store, "1", YES, "Ada", "staging")

    assert await store.approved(FILES) == {"production": ("5", "3", "2"), "staging": ("1",)}
    assert await store.approved(ServerName.read("io.github.nobody/files")) == {}


async def test_digests_are_found_by_how_they_begin(store: Store) -> None:
    """Those of signatures and of capabilities, each once, with as many digits as somebody has."""
    version, again = [await published(store, each) for each in ("1", "2")]
    tool, whole = digest(READ), version.digest

    for wanted in (tool, whole, again.digest):
        digits = wanted.removeprefix("sha256:")
        assert await store.digests(digits[:12]) == (wanted,)
        assert await store.digests(digits[:13]) == (wanted,)
        assert await store.digests(digits) == (wanted,)
    every = await store.digests("")
    assert {tool, whole, again.digest} < {*every}
    assert list(every) == sorted({*every})
    assert await store.digests("", limit=2) == every[:2]

"""Namespaces, decisions, tokens, watches and webhooks: the same in both stores."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from avow.core.canonical import Digest
from avow.core.keys import PrivateKey
from avow.core.publication import ServerName
from avow.core.severity import Severity
from avow.core.tlog.entry import ApprovalEntry, KeyEntry, NamespaceEntry, loads
from avow.errors import MalformedInputError
from avow.registry.approvals import set_needed, standings
from avow.registry.model import (
    Approval,
    ApprovalState,
    ConflictError,
    Environment,
    NotFoundError,
    PublishedVersion,
    Role,
    Token,
    Watch,
    Webhook,
)
from avow.registry.publishing import publish
from avow.registry.store.interface import Store
from avow.system.registry_proofs import Proved
from registry_samples import FILES, KEY, NAMESPACE, NOW, OTHER_KEY, READ, WRITE, envelope, snapshot
from registry_stores import *  # noqa: F403  fixtures

pytestmark = pytest.mark.anyio
LATER = NOW + timedelta(minutes=1)


async def decided(store: Store, version: str, state: ApprovalState, by: str = "ann") -> Approval:
    found = await store.version(FILES, version)
    assert found is not None
    wish = Approval(FILES, version, found.digest, "production", state, by, "looked at it", LATER)
    return await store.decide(wish)


async def test_a_namespace_belongs_to_whoever_came_first(store: Store) -> None:
    """The log says so, and nobody else can have it."""
    entry = loads((await store.entries(0, 1))[0])
    assert entry == NamespaceEntry(
        time="2026-11-15T12:00:00.123Z", namespace=NAMESPACE, key=KEY.public.identifier, by="admin"
    )
    with pytest.raises(ConflictError, match="has been claimed"):
        await store.claim(NAMESPACE, OTHER_KEY.public, "admin", NOW)
    with pytest.raises(MalformedInputError, match="not a namespace"):
        await store.claim("io..github/x", OTHER_KEY.public, "admin", NOW)
    assert (await store.totals())["entries"] == 1


async def test_keys_are_changed_all_at_once_or_not_at_all(store: Store) -> None:
    """A namespace always has a key, a revoked one never comes back, and the log records each change."""
    mine, other = KEY.public.identifier, OTHER_KEY.public.identifier
    with pytest.raises(ConflictError, match="without a key"):
        await store.change_keys(NAMESPACE, "admin", NOW, revoke=[mine])
    with pytest.raises(NotFoundError, match="no active key"):
        await store.change_keys(NAMESPACE, "admin", NOW, revoke=[other], add=[OTHER_KEY.public])
    with pytest.raises(NotFoundError, match="nobody has claimed"):
        await store.change_keys("io.nobody", "admin", NOW, add=[OTHER_KEY.public])

    changed = await store.change_keys(NAMESPACE, mine, LATER, add=[OTHER_KEY.public], revoke=[mine])

    assert changed.active == (OTHER_KEY.public,)
    assert changed.keys[0].revoked_at == LATER
    assert await store.namespace(NAMESPACE) == changed
    with pytest.raises(ConflictError, match="before"):
        await store.change_keys(NAMESPACE, other, LATER, add=[KEY.public])
    entry = loads((await store.entries(1, 2))[0])
    assert entry == KeyEntry(
        time="2026-11-15T12:01:00.123Z", namespace=NAMESPACE, added=(other,), revoked=(mine,), by=mine
    )


async def test_the_word_of_a_key_counts_while_the_key_does(store: Store) -> None:
    """Verified a moment ago, revoked since: a change is looked at again when it is written."""
    mine, third = KEY.public.identifier, PrivateKey(b"t" * 32).public
    await store.change_keys(NAMESPACE, "admin", NOW, add=[OTHER_KEY.public], revoke=[mine])

    with pytest.raises(ConflictError, match="revoked meanwhile"):
        await store.change_keys(NAMESPACE, mine, LATER, add=[third])
    assert (await store.totals())["entries"] == 2


async def test_a_namespace_has_a_bounded_number_of_keys(store: Store) -> None:
    """One more is added when one is revoked with it."""
    more = [PrivateKey(bytes([number] * 32)).public for number in range(20)]
    await store.change_keys(NAMESPACE, "admin", NOW, add=more[:19])

    with pytest.raises(ConflictError, match="more than 20 keys"):
        await store.change_keys(NAMESPACE, "admin", NOW, add=more[19:])
    changed = await store.change_keys(NAMESPACE, "admin", NOW, add=more[19:], revoke=[KEY.public.identifier])
    assert {*changed.active} == {*more}


async def test_namespaces_are_listed_in_pages(store: Store) -> None:
    """In the order in which they were claimed."""
    for name in ("io.b", "io.a"):
        await store.claim(name, OTHER_KEY.public, "admin", NOW)
    first = await store.namespaces(limit=2)
    second = await store.namespaces(limit=2, cursor=first.next)
    assert [each.name for each in (*first, *second)] == [NAMESPACE, "io.b", "io.a"]
    assert await store.namespace("io.c") is None


async def test_decisions_are_in_the_log_with_their_reasons(store: Store) -> None:
    """Who decided what about which digest, and how many people have to agree there."""
    await publish(store, envelope(snapshot(READ), "1"), NOW)
    await store.set_environment(Environment("production", 2))

    made = await decided(store, "1", ApprovalState.APPROVED)

    entry = loads((await store.entries(made.log_index, made.log_index + 1))[0])
    assert isinstance(entry, ApprovalEntry)
    assert (entry.state, entry.by, entry.needed, entry.digest) == ("approved", "ann", 2, made.digest)
    assert (
        await store.approvals(FILES) == await store.approvals(FILES, "1", environment="production") == (made,)
    )
    assert await store.approvals(FILES, environment="staging") == await store.approvals(FILES, "2") == ()
    assert await store.environments() == (Environment("production", 2),)


async def test_a_decision_is_about_a_digest_that_is_there(store: Store) -> None:
    """Somebody who looked at something else has decided nothing."""
    await publish(store, envelope(snapshot(READ), "1"), NOW)
    wrong = Digest("sha256:" + "0" * 64)
    state = ApprovalState.APPROVED
    with pytest.raises(ConflictError, match="has the digest"):
        await store.decide(Approval(FILES, "1", wrong, "production", state, "ann", "", NOW))
    with pytest.raises(NotFoundError, match="has not been published"):
        await store.decide(Approval(FILES, "2", wrong, "production", state, "ann", "", NOW))
    with pytest.raises(MalformedInputError, match=r"U\+0000"):
        await store.decide(Approval(FILES, "1", wrong, "production", state, "ann\0", "", NOW))
    assert await store.approvals(FILES) == ()
    assert (await store.totals())["entries"] == 2


async def test_registry_and_log_agree_on_what_is_approved_whatever_number_is_needed(store: Store) -> None:
    """Another number holds from the next decision on; whoever reads the log comes to the same."""
    await publish(store, envelope(snapshot(READ), "1"), NOW)
    found = await store.version(FILES)
    assert found is not None
    states = []
    for needed, state, by in (
        (1, ApprovalState.APPROVED, "ann"),
        (2, ApprovalState.APPROVED, "ann"),
        (2, ApprovalState.APPROVED, "ben"),
        (3, ApprovalState.PENDING, "eve"),
        (1, ApprovalState.REJECTED, "eve"),
    ):
        await set_needed(store, "production", needed)
        states.append(await _standing_in_both(store, found))
        await decided(store, "1", state, by)
        states.append(await _standing_in_both(store, found))

    pending, approved, rejected = "pending", "approved", "rejected"
    assert states == [
        *(pending, approved),
        *(approved, pending),
        *(pending, approved),
        *(approved, pending),
        *(pending, rejected),
    ]


async def _standing_in_both(store: Store, version: PublishedVersion) -> str:
    """How a version stands: as the registry says, and as its log does."""
    [shown] = await standings(store, version, "production")
    read = [loads(each) for each in await store.entries(0, 99)]
    proved = Proved(tuple(each for each in read if isinstance(each, ApprovalEntry)), (), {})
    assert shown.state == proved.state(version.version, version.digest)
    assert all(
        each.needed == entry.needed for each, entry in zip(shown.decisions, proved.decisions, strict=True)
    )
    return str(shown.state)


async def test_what_is_to_be_decided_and_what_was_approved(store: Store) -> None:
    """The newest version of a server waits until somebody decides about it."""
    other = ServerName(NAMESPACE, "other")
    await publish(store, envelope(snapshot(READ), "1"), NOW)
    await publish(store, envelope(snapshot(READ), "1", other), NOW)
    first = await decided(store, "1", ApprovalState.REJECTED)
    second = await decided(store, "1", ApprovalState.APPROVED, by="ben")

    assert [each.name for each in await store.undecided("production")] == [other]
    assert [each.name for each in await store.undecided("staging")] == [other, FILES]
    page = await store.undecided("staging", limit=1)
    assert [each.name for each in await store.undecided("staging", cursor=page.next)] == [FILES]
    assert not (await store.usable("production")).items
    [rejected] = await store.usable("production", state=ApprovalState.REJECTED)
    assert rejected.version.name == FILES
    assert await store.approvals(FILES) == (first, second)
    await publish(store, envelope(snapshot(READ, WRITE), "2"), NOW)
    assert [each.name for each in await store.undecided("production")] == [FILES, other]


async def test_what_not_enough_people_have_decided_about_stays_to_be_decided(store: Store) -> None:
    """Half approved, or taken back, and whatever is published later; until it is approved or rejected."""
    await set_needed(store, "production", 2)
    for version in ("1", "2", "3", "4"):
        await publish(store, envelope(snapshot(READ), version), NOW)
    await decided(store, "1", ApprovalState.APPROVED)
    await decided(store, "3", ApprovalState.REJECTED)
    await decided(store, "3", ApprovalState.PENDING)

    async def due(**options: Any) -> list[str]:
        return [each.version for each in await store.undecided("production", **options)]

    assert await due() == ["4", "3", "1"]
    assert await due(begun=True) == ["3", "1"]
    assert await due(begun=False) == ["4"]
    listed, cursor = [], None
    while page := await store.undecided("production", cursor=cursor, limit=1):
        listed += [each.version for each in page]
        if (cursor := page.next) is None:
            break
    assert listed == ["4", "3", "1"]
    assert [each.version for each in await store.undecided("staging")] == ["4"]

    await decided(store, "1", ApprovalState.APPROVED, by="ben")
    await decided(store, "3", ApprovalState.REJECTED, by="ben")
    assert await due() == ["4"]
    await decided(store, "1", ApprovalState.PENDING, by="ben")
    assert await due() == ["4", "1"]


async def test_tokens_are_remembered_and_ended(store: Store) -> None:
    """One that has ended keeps the time when it did."""
    token = Token("abc", Role.PUBLISH, "ann", b"hash", NOW)
    await store.add_token(token)
    with pytest.raises(ConflictError):
        await store.add_token(token)

    assert await store.token("abc") == token
    assert await store.token("' OR 1=1 --") is None
    assert await store.revoke_token("abc", LATER)
    assert await store.revoke_token("abc", LATER + timedelta(days=1))
    assert not await store.revoke_token("nobody", LATER)
    (ended,) = await store.tokens()
    assert ended.revoked_at == LATER
    assert b"hash" not in repr(ended).encode()


async def test_of_many_first_tokens_one_is_the_first(store: Store) -> None:
    """Whoever else tries at once, and whatever becomes of it later."""
    made = [Token(f"t{number}", Role.ADMINISTER, "ann", b"hash", NOW) for number in range(8)]

    added = await asyncio.gather(*(store.add_first_token(each) for each in made))

    assert sorted(added) == [False] * 7 + [True]
    assert await store.tokens() == (made[added.index(True)],)
    await store.revoke_token(made[added.index(True)].id, LATER)
    assert not await store.add_first_token(Token("t9", Role.ADMINISTER, "ann", b"hash", NOW))


async def test_wishes_are_kept_for_each_person(store: Store) -> None:
    """Nobody sees another's."""
    watch = Watch("w1", "ann", f"{NAMESPACE}/*", Severity.MODERATE, NOW)
    await store.add_watch(watch)
    assert await store.watches("ann") == await store.watches() == (watch,)
    assert await store.watches("ben") == ()
    assert await store.remove_watch("w1")
    assert not await store.remove_watch("w1")


async def test_a_webhook_is_leased_to_one_teller_until_it_is_settled(store: Store) -> None:
    """At least once, in order, and again after a failure."""
    hook = Webhook("h1", "ann", "https://x.example/", b"secret", (str(FILES),), Severity.SAFE, NOW)
    await store.add_webhook(hook)
    assert await store.webhooks("ann") == await store.webhooks() == (hook,)
    assert await store.webhooks("ben") == ()
    assert await store.lease_webhooks(NOW, LATER) == ()
    await publish(store, envelope(snapshot(READ)), NOW)

    assert await store.lease_webhooks(NOW, LATER) == (hook,)
    assert await store.lease_webhooks(NOW, LATER) == ()
    assert [each.id for each in await store.lease_webhooks(LATER, LATER)] == ["h1"]
    await store.settle_webhook("h1", position=0, attempts=1, next_attempt_at=LATER, error="no answer" * 200)
    assert await store.lease_webhooks(NOW, LATER) == ()
    (again,) = await store.lease_webhooks(LATER, LATER)
    assert (again.attempts, again.next_attempt_at, len(again.last_error)) == (1, LATER, 500)
    await store.settle_webhook("h1", position=1, attempts=0, next_attempt_at=None)
    assert await store.lease_webhooks(LATER, LATER) == ()
    assert "secret" not in repr(again)
    assert await store.remove_webhook("h1")
    assert not await store.remove_webhook("h1")

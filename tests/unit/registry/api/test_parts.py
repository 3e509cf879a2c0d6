"""The small parts behind the API: tokens, rates, addresses, metrics."""

from datetime import UTC, datetime
from ipaddress import ip_address

import pytest

from avow.errors import MalformedInputError
from avow.registry import tokens
from avow.registry.addresses import is_public, resolve
from avow.registry.limits import Rate
from avow.registry.metrics import Metrics
from avow.registry.model import Role
from registry_running import Running

NOW = datetime.now(UTC)


@pytest.mark.anyio
async def test_a_token_is_stored_hashed(registry: Running) -> None:
    issued = await tokens.issue(registry.service.store, "Ada", Role.READ, NOW)

    stored = await registry.service.store.token(issued.token.id)

    assert stored is not None
    secret = issued.text.rpartition(f"{issued.token.id}_")[2]
    assert secret.encode() not in stored.hashed
    assert secret not in repr(stored)
    assert await tokens.recognise(registry.service.store, issued.text) == stored


@pytest.mark.anyio
@pytest.mark.parametrize("person", ["", " ", "a\nb", "x" * 201, "\x1b[31m"])
async def test_a_person_has_a_name_that_can_be_shown(registry: Running, person: str) -> None:
    with pytest.raises(MalformedInputError):
        await tokens.issue(registry.service.store, person, Role.READ, NOW)


def test_to_approve_is_not_to_publish() -> None:
    allowed = {role: {each for each in Role if tokens.may(role, each)} for role in Role}

    assert allowed == {
        Role.READ: {Role.READ},
        Role.PUBLISH: {Role.READ, Role.PUBLISH},
        Role.APPROVE: {Role.READ, Role.APPROVE},
        Role.ADMINISTER: set(Role),
    }


def test_a_bucket_is_emptied_and_fills_again() -> None:
    rate = Rate(rate=2, burst=2)

    assert [rate.wait("a", 0), rate.wait("a", 0)] == [0, 0]
    assert rate.wait("a", 0) == 0.5
    assert rate.wait("b", 0) == 0
    assert rate.wait("a", 0.5) == 0
    assert rate.wait("a", 0.4) > 0
    assert Rate(0, 0).wait("a", 0) == 0


def test_many_strangers_take_no_more_memory() -> None:
    rate = Rate(rate=1, burst=1)

    for number in range(30_000):
        rate.wait(str(number), 0)

    assert len(rate._buckets) == 20_000


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("100.64.0.1", False),
        ("169.254.169.254", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1", False),
        ("fd00::1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::a00:1", False),
        ("64:ff9b:1::a9fe:a9fe", False),
        ("2002:a00:1::", False),
        ("fec0::1", False),
        ("::127.0.0.1", False),
        ("3fff::1", False),
        ("192.0.0.8", False),
        ("192.88.99.1", False),
    ],
)
def test_which_addresses_belong_to_everybody(address: str, public: bool) -> None:
    assert is_public(ip_address(address)) is public


@pytest.mark.anyio
async def test_a_name_that_leads_inside_is_noticed_when_it_is_resolved() -> None:
    with pytest.raises(MalformedInputError, match="private network"):
        await resolve("https://localhost/hook", private=False)
    place = await resolve("http://localhost:81/hook?x=1", private=True)
    assert place.url in ("http://127.0.0.1:81/hook?x=1", "http://[::1]:81/hook?x=1")
    assert (place.name, place.host) == ("localhost", "localhost:81")


def test_metrics_are_counts_in_the_format_of_prometheus() -> None:
    metrics = Metrics()
    metrics.count("publications", outcome="new")
    metrics.answered(0.02)

    text = metrics.text({"servers": 3})

    assert 'avow_registry_publications_total{outcome="new"} 1' in text
    assert 'avow_registry_request_seconds_bucket{le="0.01"} 0' in text
    assert 'avow_registry_request_seconds_bucket{le="0.025"} 1' in text
    assert 'avow_registry_stored{what="servers"} 3' in text

"""What the store vouched for is read as if it had been checked again."""

import pytest

from avow.core.publication import ServerName, publication_payload, read_publication
from avow.core.snapshot import Snapshot
from avow.registry.snapshots import stored_pair, stored_snapshot
from registry_hostile import releases as hostile_releases
from registry_showcase import NEEDS, SHOWN, releases
from small_server import READ, snapshot

CONFIGURED = snapshot([READ], configuration_schema=NEEDS, instructions="Be careful.", complete=False)
ALL = [
    CONFIGURED,
    snapshot([]),
    *(release.snapshot for release in hostile_releases()),
    *(releases(package)[-1].snapshot for _, package in SHOWN),
]


@pytest.mark.parametrize("shown", ALL)
def test_it_is_the_snapshot_that_was_published(shown: Snapshot) -> None:
    payload = publication_payload(ServerName("dev.example", "server"), "1.0", shown)

    found, checked = stored_snapshot(payload), read_publication(payload).snapshot

    assert found == checked
    assert [one.digest for one in found.signature] == [one.digest for one in checked.signature]


def test_two_are_read_as_each_alone() -> None:
    """Of a server whose releases share most of what they offer."""
    first, *_, last = [
        publication_payload(ServerName("dev.example", "server"), "1.0", release.snapshot)
        for release in releases(SHOWN[0][1])
    ]

    assert stored_pair(first, last) == (stored_snapshot(first), stored_snapshot(last))
    old, new = stored_pair(last, last)
    assert all(one is other for one, other in zip(old.signature, new.signature, strict=True))

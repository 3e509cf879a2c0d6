"""The drift between any two versions, from what was signed and how it was rated when it was published."""

from collections.abc import Callable
from typing import TypeAlias, TypeVar, TypeVarTuple

from avow.core.canonical import Digest
from avow.core.capability import Kind
from avow.core.drift.compare import diff
from avow.core.drift.model import Drift
from avow.core.risk import Level
from avow.core.snapshot import Snapshot
from avow.registry.computing import compute
from avow.registry.model import NotFoundError, PublishedVersion
from avow.registry.service import Service
from avow.registry.store.contents import Contents
from avow.registry.store.interface import Store

Levels: TypeAlias = dict[tuple[Kind, Digest], Level]

_Given = TypeVarTuple("_Given")
_Result = TypeVar("_Result")


async def with_both(
    service: Service,
    versions: tuple[PublishedVersion, PublishedVersion],
    function: Callable[[bytes, bytes, Levels, *_Given], _Result],
    *given: *_Given,
) -> tuple[_Result, int]:
    """What a function answers for the payloads of two versions and their ratings; and how large they are.

    Raises:
        NotFoundError: what was signed is not there.
    """
    old, new = [await contents(service.store, each) for each in versions]
    size = len(old.payload) + len(new.payload)
    levels = {key: stored.risk for each in (old, new) for key, stored in each.capabilities.items()}
    return await compute(service, size, function, old.payload, new.payload, levels, *given), size


def drift_of(before: Snapshot, after: Snapshot, levels: Levels) -> tuple[Drift, ...]:
    """Compare; nothing is rated a second time."""
    return diff(before, after, lambda one: levels[one.kind, one.digest])


async def contents(store: Store, version: PublishedVersion) -> Contents:
    """The bytes that were signed, with how their capabilities were rated here.

    Raises:
        NotFoundError: they are not there.
    """
    found = await store.contents(version.name, version.version)
    if found is None:
        raise NotFoundError(f"the snapshot of {version.name} {version.version} is not here")
    return found

"""What every part of a running registry works with: the store, the settings, the clock and the log's key."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from datetime import UTC, datetime

from avow.registry.health import Health
from avow.registry.limits import Limits
from avow.registry.metrics import Metrics
from avow.registry.oidc import Identities
from avow.registry.settings import Settings
from avow.registry.store.interface import Store


def now() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Service:
    """One running registry.

    `log_key` is `origin+identifier+key`, as readers of the log want it. What takes long runs in `executor`,
    in threads unless given; `large` is held by who reads a large document there. `identities` recognises
    tokens of other issuers, where there are any.
    """

    store: Store
    settings: Settings
    origin: str
    log_key: str
    metrics: Metrics
    limits: Limits
    clock: Callable[[], datetime] = now
    executor: Executor | None = None
    identities: Identities | None = None
    health: Health = field(default_factory=Health)
    large: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))

"""Tells other services of changes: signed, in order, again and again until they have heard.

Each delivery has an identifier that stays the same however often it is tried, so that a receiver can tell
what it knows already. How far a webhook has been told is in the store: a restart loses nothing.
"""

import asyncio
import hmac
import json
import logging
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from avow.core.canonical import JsonObject, canonical
from avow.core.severity import Severity
from avow.errors import AvowError, MalformedInputError
from avow.registry.addresses import Place, read_url, resolve
from avow.registry.model import Change, NotFoundError, Webhook
from avow.registry.service import Service
from avow.registry.store.interface import Store
from avow.registry.times import rfc3339

if TYPE_CHECKING:
    import httpx

LOG: Final = logging.getLogger("avow.registry")
MOST: Final = 50

_POLL_SECONDS: Final = 2.0
# Nobody else tells a webhook while it is leased: that is longer than telling it can take.
_LEASE: Final = timedelta(minutes=1)
_TELLING_SECONDS: Final = 30.0
_ATTEMPT_SECONDS: Final = 20.0
_TIMEOUT: Final = 10.0
_BATCH: Final = 20
_FIRST_WAIT: Final = 10.0
_LONGEST_WAIT: Final = 6 * 3600.0


def signature(secret: bytes, at: int, body: bytes) -> str:
    """What stands in `Avow-Signature`: the time in seconds, and the HMAC over time and body."""
    mac = hmac.new(secret, b"%d." % at + body, sha256).hexdigest()
    return f"t={at},v1={mac}"


def backoff(attempts: int) -> timedelta:
    """How long to wait after so many failures."""
    return timedelta(seconds=min(_FIRST_WAIT * 2 ** min(attempts - 1, 20), _LONGEST_WAIT))


async def add(service: Service, person: str, url: str, targets: Sequence[str], level: Severity) -> Webhook:
    """Remember a webhook that is told of what is published from now on.

    Raises:
        MalformedInputError: the address is none that may be told, or there are too many webhooks.
    """
    store = service.store
    read_url(url, private=service.settings.webhooks_to_private_addresses)
    if len(await store.webhooks(person)) >= MOST:
        raise MalformedInputError(f"{person} has {MOST} webhooks already", hint="remove one first")
    webhook = Webhook(
        id=secrets.token_hex(8),
        person=person,
        url=url,
        secret=secrets.token_bytes(32),
        targets=tuple(targets),
        level=level,
        created_at=service.clock(),
        position=await newest(store),
    )
    await store.add_webhook(webhook)
    return webhook


async def remove(store: Store, person: str, identifier: str) -> None:
    """Forget a webhook of this person.

    Raises:
        NotFoundError: they have no such webhook.
    """
    owned = any(each.id == identifier for each in await store.webhooks(person))
    if not owned or not await store.remove_webhook(identifier):
        raise _unknown()


async def attempt(service: Service, person: str, identifier: str) -> str:
    """Tell a webhook of this person that it is tried; the answer is empty, or says what went wrong.

    Raises:
        NotFoundError: they have no such webhook.
    """
    import httpx

    hook = next((each for each in await service.store.webhooks(person) if each.id == identifier), None)
    if hook is None:
        raise _unknown()
    name = f"{hook.id}-test-{secrets.token_hex(4)}"
    body = canonical({"event": "test", "id": name, "registry": service.origin})
    async with httpx.AsyncClient(timeout=_TIMEOUT, trust_env=False) as client:
        return await _sent(service, client, hook, body, name)


def _unknown() -> NotFoundError:
    return NotFoundError("there is no such webhook of yours", hint="`avow registry webhook list` shows them")


async def newest(store: Store) -> int:
    """The position of the newest publication."""
    page = await store.recent(limit=1)
    return page.items[0].version.id if page.items else 0


def message(origin: str, hook: Webhook, change: Change, drift: Sequence[JsonObject]) -> bytes:
    """What is sent about one change."""
    version = change.version
    return canonical(
        {
            "event": "drift",
            "id": delivery(hook, change),
            "registry": origin,
            "name": str(version.name),
            "version": version.version,
            "predecessor": version.predecessor,
            "digest": version.digest,
            "highest": None if version.highest is None else str(version.highest),
            "publishedAt": rfc3339(version.published_at),
            "logIndex": version.log_index,
            "drift": [
                {key: each[key] for key in ("type", "kind", "name", "severity")} for each in drift[:100]
            ],
        }
    )


def delivery(hook: Webhook, change: Change) -> str:
    """The identifier of a delivery, which stays the same in every attempt."""
    return f"{hook.id}-{change.version.id}"


class Deliveries:
    """Tells all webhooks, for as long as it runs."""

    def __init__(self, service: Service) -> None:
        """Nothing is told yet."""
        self._service = service

    async def run(self) -> None:
        """Look for something to tell, again and again."""
        while True:
            try:
                await self.tell_all()
            except Exception as error:  # noqa: BLE001  whatever it was, the next ones want to be told
                what = error.message if isinstance(error, AvowError) else type(error).__name__
                LOG.warning(json.dumps({"event": "webhooks_failed", "error": what}))
            await asyncio.sleep(_POLL_SECONDS)

    async def tell_all(self) -> None:
        """Tell every webhook whose time has come."""
        store = self._service.store
        if not await store.webhooks():
            return
        now = self._service.clock()
        hooks = await store.lease_webhooks(now, now + _LEASE)
        if hooks:
            # Late: only a registry with webhooks asks others for anything.
            import httpx

            async with httpx.AsyncClient(timeout=_TIMEOUT, trust_env=False) as client:
                told = (self._tell(client, hook) for hook in hooks)
                # One that fails does not close the client under the others.
                outcomes = await asyncio.gather(*told, return_exceptions=True)
            for error in filter(None, outcomes):
                raise error

    async def _tell(self, client: "httpx.AsyncClient", hook: Webhook) -> None:
        store = self._service.store
        last = await newest(store)
        level = hook.level
        changes = await store.changes(after=hook.position, limit=_BATCH, targets=hook.targets, level=level)
        position, is_all = hook.position, len(changes) < _BATCH
        until = asyncio.get_running_loop().time() + _TELLING_SECONDS
        for change in changes:
            if asyncio.get_running_loop().time() > until:
                is_all = False
                break
            error = await self._deliver(client, hook, change)
            if error:
                await self._failed(hook, position, error)
                return
            position = change.version.id
        if is_all:
            # What came before and was not among the changes does not concern this webhook.
            position = max(position, last)
        await store.settle_webhook(hook.id, position=position, attempts=0, next_attempt_at=None)

    async def _failed(self, hook: Webhook, position: int, error: str) -> None:
        attempts = (hook.attempts if position == hook.position else 0) + 1
        again: datetime = self._service.clock() + backoff(attempts)
        # Without the address and what came from there: neither is for everybody who reads the log.
        LOG.warning(json.dumps({"event": "webhook_failed", "webhook": hook.id, "attempts": attempts}))
        await self._service.store.settle_webhook(
            hook.id, position=position, attempts=attempts, next_attempt_at=again, error=error
        )

    async def _deliver(self, client: "httpx.AsyncClient", hook: Webhook, change: Change) -> str:
        """Try once; the answer says what went wrong, and is empty when nothing did."""
        version = change.version
        drifts = await self._service.store.drifts(version.name, [version.version])
        body = message(self._service.origin, hook, change, drifts.get(version.version, ()))
        error = await _sent(self._service, client, hook, body, delivery(hook, change))
        self._service.metrics.count("webhooks", outcome="failed" if error else "delivered")
        return error


async def _sent(
    service: Service, client: "httpx.AsyncClient", hook: Webhook, body: bytes, identifier: str
) -> str:
    try:
        async with asyncio.timeout(_ATTEMPT_SECONDS):
            place = await resolve(hook.url, private=service.settings.webhooks_to_private_addresses)
            error = await _post(client, place, hook, body, identifier, service.clock())
    except TimeoutError:
        error = "it did not answer in time"
    except MalformedInputError as refused:
        error = refused.message
    return error[:200]


async def _post(
    client: "httpx.AsyncClient", place: Place, hook: Webhook, body: bytes, identifier: str, at: datetime
) -> str:
    import httpx

    headers = {
        "Host": place.host,
        "Content-Type": "application/json",
        "User-Agent": "avow-registry",
        "Idempotency-Key": identifier,
        "Avow-Signature": signature(hook.secret, int(at.timestamp()), body),
    }
    try:
        async with client.stream(
            "POST",
            place.url,
            content=body,
            headers=headers,
            follow_redirects=False,
            extensions={"sni_hostname": place.name},
        ) as response:
            status = response.status_code
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        return f"it did not answer: {type(error).__name__}"
    return "" if 200 <= status < 300 else f"it answered {status}"

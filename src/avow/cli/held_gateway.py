"""What a gateway does while it serves servers that a registry approved: it asks whether that still holds."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from avow.cli.approvals import RegistryOptions
from avow.core.canonical import Digest
from avow.core.publication import ServerName
from avow.errors import AvowError
from avow.proxy.gateway.app import Gateway
from avow.system.registry_approvals import ask, judge


@dataclass(frozen=True, slots=True)
class Served:
    """A server behind a gateway: its name here, in the registry, and the signature it is held to."""

    name: str
    registered: ServerName
    digest: Digest


async def keep_asking(
    held: RegistryOptions, servers: Sequence[Served], seconds: float, gateway: Gateway
) -> None:
    """Ask about every server again and again, and withdraw those that are not approved any more.

    A registry that does not answer changes nothing: what was verified last counts. One whose log was changed
    approves nothing. What was withdrawn comes back when the gateway is started again.
    """
    left = list(servers)
    while left:
        await asyncio.sleep(seconds)
        for each in list(left):
            error = await asyncio.to_thread(_refusal, held, each)
            if error is not None:
                left.remove(each)
                await gateway.withdraw(each.name, error)


def _refusal(held: RegistryOptions, server: Served) -> AvowError | None:
    try:
        with held.asking() as asking:
            standing = judge(asking, ask(asking, server.registered), server.digest)
            return None if standing.is_approved else standing.error
    except AvowError as error:
        return error

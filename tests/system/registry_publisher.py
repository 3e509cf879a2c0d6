"""Publishes many versions at once and says on stdout which were acknowledged: a process to be killed.

Arguments: the address of a store, a word for the names, how many servers, how many versions of each, and
optionally how large a file may become.
"""

import asyncio
import resource
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from avow.core.publication import ServerName
from avow.errors import AvowError
from avow.registry.publishing import publish
from avow.registry.store.interface import Store
from avow.registry.store.opening import open_store
from registry_samples import NAMESPACE, READ, SIGNER, envelope, snapshot, tool


async def publish_one(store: Store, name: ServerName, version: str) -> None:
    shown = snapshot(READ, tool(f"tool_{version.replace('.', '_')}", f"Of {name}", path="string"))
    try:
        receipt = await publish(store, envelope(shown, version, name), datetime.now(UTC))
    except AvowError as error:
        sys.stdout.write(f"refused {name} {version}: {error.message} ({error.hint})\n")
    else:
        place = receipt.version
        sys.stdout.write(f"acknowledged {name} {version} {place.log_index} {place.content}\n")
    sys.stdout.flush()


async def main(address: str, word: str, servers: int, versions: int) -> None:
    store = await open_store(address, SIGNER)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    names = [ServerName(NAMESPACE, f"{word}-{number}") for number in range(servers)]
    try:
        await asyncio.gather(
            *(publish_one(store, name, f"1.{number}") for number in range(versions) for name in names)
        )
    finally:
        await store.close()


if __name__ == "__main__":
    if len(sys.argv) > 5:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[5]), resource.RLIM_INFINITY))
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))

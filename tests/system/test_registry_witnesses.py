"""Witnesses of a real registry's log: what they sign is kept, and shown for as long as it says something."""

import asyncio

import pytest

from avow.core.keys import PrivateKey
from avow.core.tlog import notes
from avow.core.tlog.checkpoint import open_checkpoint
from avow.core.tlog.notes import SignatureType, Signer
from avow.registry.auditing import audit
from avow.registry.settings import Settings
from avow.registry.store.base import SqlStore
from registry_running import SIGNER, Running, envelope, running
from registry_stores import *  # noqa: F403  fixtures

pytestmark = pytest.mark.anyio
WITNESSES = [Signer(f"w{number}.example", PrivateKey(bytes([number]) * 32)) for number in range(6)]
KEYS = tuple(each.verifier(SignatureType.WITNESS) for each in WITNESSES)
SETTINGS = Settings(witnesses=KEYS)


async def cosign(registry: Running, text: str, witness: Signer) -> int:
    signed = notes.dumps(text, [notes.cosign(text, witness, at=1_800_000_000)]).decode()
    return (await registry.post("/api/v1/log/cosignatures", {"note": signed})).status_code


async def shown(registry: Running, path: str = "/checkpoint") -> tuple[int, set[str]]:
    """The size of a checkpoint and who has cosigned it, all of it verified."""
    opened = open_checkpoint((await registry.get(path)).content, SIGNER.verifier(), KEYS)
    return opened.checkpoint.size, {each.key.name for each in opened.witnessed}


async def text_of(registry: Running) -> str:
    return notes.loads((await registry.get("/checkpoint")).content).text


async def problems(registry: Running) -> list[str]:
    assert isinstance(registry.service.store, SqlStore)
    return [each async for each in audit(registry.service.store, SIGNER.verifier(), KEYS)]


async def test_what_witnesses_sign_at_once_is_all_kept(address: str) -> None:
    """Whoever was told that its signature is kept finds it below the checkpoint."""
    async with running(address, SETTINGS) as registry:
        text = await text_of(registry)

        codes = await asyncio.gather(*(cosign(registry, text, each) for each in WITNESSES))

        assert codes == [200] * len(WITNESSES)
        assert await shown(registry) == (1, {each.name for each in WITNESSES})
        assert await problems(registry) == []


async def test_a_cosigned_checkpoint_stays_to_be_had_while_the_log_grows(address: str) -> None:
    """Each witness has a newest checkpoint of its own; one that signs an old one late takes nothing back."""
    first, second, third = WITNESSES[:3]
    async with running(address, SETTINGS) as registry:
        assert (await registry.get("/api/v1/log/cosigned")).status_code == 404
        old = await text_of(registry)
        await cosign(registry, old, first)
        await registry.send(envelope("1.0.0"))
        await cosign(registry, await text_of(registry), second)
        await cosign(registry, old, second)
        await registry.send(envelope("1.1.0"))

        assert await shown(registry) == (3, set())
        assert await shown(registry, "/api/v1/log/cosigned") == (2, {second.name})
        by = {
            each.name: f"/api/v1/log/cosigned?witness={key.author.replace('+', '%2B')}"
            for each, key in zip(WITNESSES, KEYS, strict=True)
        }
        assert await shown(registry, by[first.name]) == (1, {first.name, second.name})
        assert await shown(registry, by[second.name]) == (2, {second.name})
        assert (await registry.get(by[third.name])).status_code == 404
        assert await problems(registry) == []

"""Witnesses of a real registry's log: what they sign is kept, and shown for as long as it says something."""

import asyncio
import json
from pathlib import Path

import httpx
import pytest

from avow.core.keys import PrivateKey
from avow.core.tlog import notes
from avow.core.tlog.checkpoint import open_checkpoint
from avow.core.tlog.notes import SignatureType, Signer
from avow.registry.auditing import audit
from avow.registry.settings import Settings
from avow.registry.store.base import SqlStore
from registry_running import OWNER, SIGNER, Running, envelope, program, running
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


def test_a_person_asks_for_witnesses_from_the_command_line(tmp_path: Path) -> None:
    """Exit 0 when enough have signed how the log begins, 1 when not."""
    first, second = (str(key) for key in KEYS[:2])
    with program(tmp_path, "--witness", first, "--witness", second) as registry:
        pem = tmp_path / "owner.pub"
        pem.write_bytes(OWNER.public.pem)
        registry.avow("registry", "namespace", "claim", "io.github.owner", "--key", pem)
        none = registry.avow("registry", "verify", "--witness", first, code=1)
        text = notes.loads(httpx.get(f"{registry.url}/checkpoint").content).text
        signed = notes.dumps(text, [notes.cosign(text, WITNESSES[0], at=1_700_000_000)]).decode()
        httpx.post(f"{registry.url}/api/v1/log/cosignatures", json={"note": signed}).raise_for_status()
        registry.avow("registry", "namespace", "claim", "io.github.other", "--key", pem)

        one = registry.avow("registry", "verify", "--witness", first)
        told = json.loads(registry.avow("registry", "verify", "--witness", first, "--format", "json"))
        both = registry.avow("registry", "verify", "--witness", first, "--witness", second, code=1)
        enough = registry.avow("registry", "verify", "--witness", first, "--witness", second, "--quorum", "1")
        wrong = registry.avow("registry", "verify", "--witness", first, "--quorum", "2", code=2)

    assert "0 of the 1 witnesses needed" in none
    assert "w0.example has signed the first 1 entries, " in one
    assert "has 2 entries and only grew" in one
    assert told["log"]["witnesses"] == [{"name": "w0.example", "size": 1, "at": "2023-11-14T22:13:20Z"}]
    assert "1 of the 2 witnesses needed" in both
    assert "w0.example has signed" in enough
    assert "2 of 1 witnesses cannot have signed" in wrong

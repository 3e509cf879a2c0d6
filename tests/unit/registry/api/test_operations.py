"""Backups and exports."""

import tarfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from avow.core.keys import PrivateKey
from avow.core.publication import ServerName
from avow.errors import AvowError, MalformedInputError, StorageError, UsageError
from avow.registry.model import Role
from avow.registry.opening import Place, log_signer
from avow.registry.operations import backup, export, import_lines, restore
from avow.registry.store.opening import open_store
from registry_running import DELETE, NAME, OWNER, READ, SIGNER, Running, envelope

pytestmark = pytest.mark.anyio
NOW = datetime.now(UTC)
NEXT = PrivateKey(b"n" * 32)
KEYS = "/api/v1/namespaces/io.github.owner/keys"


@pytest.fixture
async def filled(registry: Running) -> Running:
    """A history in which the key changed between two versions."""
    await registry.send(envelope("1.0.0"))
    change = {"add": [NEXT.public.pem.decode()], "revoke": [OWNER.public.identifier]}
    assert (await registry.post(KEYS, change, Role.ADMINISTER)).status_code == 200
    await registry.send(envelope("1.1.0", READ, DELETE, key=NEXT))
    decision = {"name": NAME, "version": "1.1.0", "environment": "production", "state": "approved"}
    await registry.post("/api/v1/approvals", {**decision, "reason": "read it"}, Role.APPROVE)
    return registry


async def exported(registry: Running) -> list[bytes]:
    return [line async for line in export(registry.service.store)]


async def test_another_registry_does_again_what_this_one_did(filled: Running, tmp_path: Path) -> None:
    """Also what a key signed that has been revoked since; and doing it twice changes nothing."""
    lines = await exported(filled)
    other = await open_store(f"sqlite:///{tmp_path}/other.sqlite", SIGNER)
    try:
        first, second = [await import_lines(other, lines, NOW) for _ in range(2)]
        name = ServerName.read(NAME)
        versions = [(each.version, each.key) for each in await other.versions(name)]
        [approval] = await other.approvals(name)
    finally:
        await other.close()

    assert (first.new, second.new) == (5, 0)
    assert versions == [("1.1.0", NEXT.public.identifier), ("1.0.0", OWNER.public.identifier)]
    assert (approval.by, approval.reason) == ("the approve", "read it")


async def test_an_export_that_somebody_changed_is_not_believed(filled: Running, tmp_path: Path) -> None:
    lines = await exported(filled)
    forged = [line.replace(b'"payload":"', b'"payload":"eyJ9', 1) for line in lines]
    strange = [b"[]", b'{"type":"else"}', b"nonsense", b'{"avow":2,"type":"export"}']
    other = await open_store(f"sqlite:///{tmp_path}/other.sqlite", SIGNER)
    try:
        with pytest.raises(AvowError):
            await import_lines(other, forged, NOW)
        for each in strange:
            with pytest.raises(MalformedInputError, match="line 1"):
                await import_lines(other, [each], NOW)
        assert (await other.servers()).items == ()
    finally:
        await other.close()


async def test_a_backup_is_a_registry_again(tmp_path: Path) -> None:
    place = Place(tmp_path / "here")
    signer = log_signer(place, "log.example")
    store = await open_store(place.address, signer)
    await store.claim("io.github.owner", OWNER.public, "somebody", NOW)
    await store.close()

    backup(place, tmp_path / "copy.tar")
    restore(tmp_path / "copy.tar", tmp_path / "there")

    again = log_signer(Place(tmp_path / "there"))
    assert again == signer
    store = await open_store(Place(tmp_path / "there").address, again)
    assert await store.namespace("io.github.owner") is not None
    await store.close()
    assert (tmp_path / "there" / "log.key").stat().st_mode & 0o777 == 0o600


def test_nothing_is_overwritten_and_what_is_no_backup_refused(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "registry.sqlite").touch()
    evil = tmp_path / "evil.tar"
    with tarfile.open(evil, "w") as archive:
        archive.add(__file__, "../escaped")
    damaged = tmp_path / "damaged.tar"
    (tmp_path / "registry.sqlite").write_bytes(b"no database" * 1000)
    with tarfile.open(damaged, "w") as archive:
        archive.add(tmp_path / "registry.sqlite", "registry.sqlite")

    with pytest.raises(StorageError, match="already"):
        restore(evil, tmp_path / "taken")
    with pytest.raises(MalformedInputError, match="not a backup"):
        restore(evil, tmp_path / "one")
    with pytest.raises(StorageError):
        restore(damaged, tmp_path / "two")
    with pytest.raises(StorageError, match="no registry"):
        backup(Place(tmp_path / "nowhere"), tmp_path / "copy.tar")
    with pytest.raises(UsageError, match="pg_dump"):
        backup(Place(tmp_path, "postgresql://somewhere"), tmp_path / "copy.tar")
    assert not (tmp_path / "escaped").exists()


def test_a_log_keeps_its_name(tmp_path: Path) -> None:
    assert log_signer(Place(tmp_path), "log.example") == log_signer(Place(tmp_path))
    with pytest.raises(UsageError, match=r"log\.example"):
        log_signer(Place(tmp_path), "other.example")
    (tmp_path / "log.key").unlink()
    assert log_signer(Place(tmp_path)) is None

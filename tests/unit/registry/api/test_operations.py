"""Backups and exports."""

import json
import os
import tarfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from avow.core.keys import PrivateKey
from avow.core.severity import Severity
from avow.core.tlog.notes import Signer, VerifierKey
from avow.errors import AvowError, MalformedInputError, StorageError, UsageError
from avow.registry.exporting import export
from avow.registry.importing import import_file
from avow.registry.model import Role, Token, Watch, Webhook
from avow.registry.opening import Place, log_signer
from avow.registry.operations import backup, restore
from avow.registry.store.interface import Store
from avow.registry.store.opening import open_store
from registry_running import DELETE, NAME, OWNER, READ, SIGNER, Running, envelope

pytestmark = pytest.mark.anyio
NOW = datetime.now(UTC)
NEXT = PrivateKey(b"n" * 32)
OTHER = Signer("other.example/log", PrivateKey(b"x" * 32))
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


@pytest.fixture
async def lines(filled: Running) -> list[bytes]:
    """What the registry exports."""
    return [line async for line in export(filled.service.store)]


async def imported(lines: list[bytes], tmp_path: Path, key: VerifierKey | None = None) -> Store:
    """Another registry that has read these lines, or as many as it believed."""
    (tmp_path / "export.jsonl").write_bytes(b"".join(lines))
    other = await open_store(f"sqlite:///{tmp_path}/other.sqlite", OTHER)
    try:
        await import_file(other, tmp_path / "export.jsonl", NOW, own=OTHER.verifier(), key=key)
    finally:
        await other.close()
    return other


async def refused(lines: list[bytes], tmp_path: Path, key: VerifierKey | None = None) -> str:
    """Why they are not believed; nothing of them is there then."""
    with pytest.raises(AvowError) as caught:
        await imported(lines, tmp_path, key)
    other = await open_store(f"sqlite:///{tmp_path}/other.sqlite", OTHER)
    assert await other.checkpoint() is None
    await other.close()
    return caught.value.message


async def test_an_export_is_believed_whole_or_not_at_all(lines: list[bytes], tmp_path: Path) -> None:
    """Whatever somebody changes, leaves out, repeats or puts elsewhere: nothing of it is done."""
    head, first, *others = lines
    entry = json.loads(others[-1])
    entry["entry"]["reason"] = "read it well"
    for changed in (
        [head, *others],
        [head, first, *others[:-1]],
        [head, first, first, *others],
        [head, first, *reversed(others)],
        [head, first, *others[:-1], json.dumps(entry).encode()],
    ):
        said = await refused(changed, tmp_path)
        assert "are not those of the checkpoint" in said
    assert "too long" in await refused([head, first, b"x" * (16 * 1024 * 1024 + 1)], tmp_path)


async def test_what_an_entry_only_names_has_to_be_what_it_names(lines: list[bytes], tmp_path: Path) -> None:
    """The root says nothing about envelopes and keys; their digests in the entries do."""
    documents = [json.loads(line) for line in lines]
    envelopes = [each for each in documents if "envelope" in each]
    envelopes[0]["envelope"] = envelopes[1]["envelope"]

    with pytest.raises(MalformedInputError, match="line 3 of the export: the envelope is not that of"):
        await imported([json.dumps(each).encode() + b"\n" for each in documents], tmp_path)

    (tmp_path / "again").mkdir()
    documents[1]["keys"] = [OTHER.key.public.pem.decode()]
    said = await refused([json.dumps(each).encode() + b"\n" for each in documents], tmp_path / "again")
    assert "line 2 of the export: the keys are not those that the entry names" in said


async def test_the_key_of_the_other_log_can_be_asked_for(lines: list[bytes], tmp_path: Path) -> None:
    """Somebody else can make an export that is right in itself; the signature they cannot make."""
    assert "no key that is trusted here" in await refused(lines, tmp_path, OTHER.verifier())
    head = json.loads(lines[0])
    unsigned = json.dumps({**head, "checkpoint": None}).encode() + b"\n"
    assert "no checkpoint" in await refused([unsigned], tmp_path, SIGNER.verifier())
    assert "no checkpoint" in await refused([unsigned, *lines[1:]], tmp_path)

    await imported(lines, tmp_path, SIGNER.verifier())


@pytest.mark.parametrize(
    "line", [b"", b"[]", b'{"type":"else"}', b"nonsense", b'{"avow":2,"type":"export"}', b'{"avow":1}']
)
async def test_what_is_no_export_is_refused_at_its_first_line(line: bytes, tmp_path: Path) -> None:
    assert "line 1" in await refused([line], tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        b'{"watch":{"person":"ann"}}',
        b'{"else":1}',
        b'{"watch":{"person":"a","target":"../x","level":"safe"}}',
        b'{"watch":{"person":"a","target":"a.b/*","level":"worst"}}',
    ],
)
async def test_a_strange_line_is_named(lines: list[bytes], line: bytes, tmp_path: Path) -> None:
    with pytest.raises(MalformedInputError, match=f"line {len(lines) + 1} of the export"):
        await imported([*lines, line], tmp_path)


async def test_a_backup_is_a_registry_again(tmp_path: Path) -> None:
    place = Place(tmp_path / "here")
    signer = log_signer(place, "log.example")
    store = await open_store(place.address, signer)
    await store.claim("io.github.owner", OWNER.public, "somebody", NOW)
    await store.add_watch(Watch("w1", "ann", "io.github.owner/*", Severity.SAFE, NOW))
    await store.add_token(Token("t1", Role.READ, "ann", b"hashed", NOW))
    hook = Webhook("h1", "ann", "https://hook.example/", b"secret", (), Severity.SAFE, NOW)
    await store.add_webhook(hook)
    kept = [await store.watches(), await store.tokens(), await store.webhooks(), await store.entries(0, 9)]
    await store.close()

    backup(place, tmp_path / "copy.tar")
    restore(tmp_path / "copy.tar", tmp_path / "there")

    again = log_signer(Place(tmp_path / "there"))
    assert again == signer
    store = await open_store(Place(tmp_path / "there").address, again)
    assert await store.namespace("io.github.owner") is not None
    there = [await store.watches(), await store.tokens(), await store.webhooks(), await store.entries(0, 9)]
    await store.close()
    assert there == kept
    assert (tmp_path / "there" / "log.key").stat().st_mode & 0o777 == 0o600


async def test_a_file_with_a_blank_in_its_name_is_copied_too(tmp_path: Path) -> None:
    (tmp_path / "p q").mkdir()
    place = Place(tmp_path / "here", f"sqlite:///{tmp_path}/p%20q/registry.db")
    await (await open_store(place.address, log_signer(place, "log.example"))).close()

    backup(place, tmp_path / "copy.tar")

    with tarfile.open(tmp_path / "copy.tar") as archive:
        assert "registry.sqlite" in archive.getnames()


def test_a_restore_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    """The next attempt, with a better file, is not refused for what the first one left."""
    place = Place(tmp_path / "here")
    log_signer(place, "log.example")
    (tmp_path / "registry.sqlite").write_bytes(b"no database" * 1000)
    with tarfile.open(tmp_path / "damaged.tar", "w") as archive:
        for path in (
            *(place.data / name for name in ("log.key", "log.origin")),
            tmp_path / "registry.sqlite",
        ):
            archive.add(path, path.name)

    with pytest.raises(StorageError):
        restore(tmp_path / "damaged.tar", tmp_path / "there")

    assert list((tmp_path / "there").iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_a_directory_that_everybody_may_write_is_refused(tmp_path: Path) -> None:
    place = Place(tmp_path / "open")
    log_signer(place, "log.example")
    place.data.chmod(0o777)

    with pytest.raises(StorageError, match="written by everybody"):
        log_signer(place)


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

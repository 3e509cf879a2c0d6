"""The log over HTTP, read by our own verifier as any other would read it."""

import pytest

from avow.core.keys import PrivateKey
from avow.core.tlog import notes
from avow.core.tlog.auditing import verify_tiles
from avow.core.tlog.checkpoint import open_checkpoint
from avow.core.tlog.encoding import from_base64
from avow.core.tlog.hashing import leaf_hash
from avow.core.tlog.notes import SignatureType, Signer, read_verifier_key
from avow.core.tlog.proofs import verify_consistency, verify_inclusion
from avow.registry.model import Role
from avow.registry.settings import Settings
from registry_running import NAME, ORIGIN, READ, SIGNER, Running, envelope, running
from small_log import served_at

pytestmark = pytest.mark.anyio


@pytest.fixture
async def filled(registry: Running) -> Running:
    for number in range(6):
        await registry.send(envelope(f"1.{number}.0", {**READ, "title": str(number)}))
    return registry


async def test_the_whole_log_is_served_in_tiles_that_lead_to_the_signed_root(filled: Running) -> None:
    key = read_verifier_key((await filled.get("/api/v1/log/key")).json()["key"])
    note = (await filled.get("/checkpoint")).content
    known = open_checkpoint(note, key).checkpoint

    tiles = {each: (await filled.get(f"/{each.path}")).content for each in served_at(known.size)}

    assert (known.origin, known.size) == (ORIGIN, 7)
    verify_tiles(known.size, known.root, tiles.__getitem__)


async def test_tiles_never_change_and_may_be_kept(filled: Running) -> None:
    answer = await filled.get("/tile/0/000.p/7")

    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"] == "application/octet-stream"


@pytest.mark.parametrize(
    "path",
    ["0/000", "0/000.p/8", "0/000.p/256", "0/0", "entries/000.p/8", "9/000.p/1", "../../etc/passwd", "x"],
)
async def test_tiles_that_are_not_there_are_not_found(filled: Running, path: str) -> None:
    assert (await filled.get(f"/tile/{path}")).status_code == 404


async def test_every_entry_can_be_proved_at_every_size(filled: Running) -> None:
    for size in range(1, 8):
        for index in range(size):
            query = {"index": index, "size": size}
            proof = (await filled.get("/api/v1/log/inclusion", params=query)).json()
            hashes = [from_base64(each) or b"" for each in proof["hashes"]]
            root = from_base64(proof["root"]) or b""
            verify_inclusion(leaf_hash(proof["entry"].encode()), index, size, hashes, root)


async def test_the_log_proves_that_it_only_grew(filled: Running) -> None:
    roots = [
        (await filled.get("/api/v1/log/inclusion", params={"index": 0, "size": size})).json()["root"]
        for size in (3, 7)
    ]

    proof = (await filled.get("/api/v1/log/consistency", params={"from": 3})).json()

    hashes = [from_base64(each) or b"" for each in proof["hashes"]]
    verify_consistency(3, 7, hashes, from_base64(roots[0]) or b"", from_base64(roots[1]) or b"")
    assert (proof["from"], proof["to"]) == (3, 7)


@pytest.mark.parametrize(
    "path", ["inclusion?index=7", "inclusion?index=0&size=8", "consistency?from=8", "consistency?from=5&to=4"]
)
async def test_there_is_no_proof_of_what_is_not_in_the_log(filled: Running, path: str) -> None:
    assert (await filled.get(f"/api/v1/log/{path}")).status_code == 404


async def test_a_version_is_proved_by_name(filled: Running) -> None:
    version = (await filled.get(f"/api/v1/servers/{NAME}/versions/1.3.0")).json()

    proof = (await filled.get(f"/api/v1/servers/{NAME}/versions/1.3.0/proof")).json()

    assert (proof["index"], proof["size"]) == (version["logIndex"], 7)
    assert proof["checkpoint"].startswith(f"{ORIGIN}\n7\n")


async def test_claims_keys_and_decisions_are_in_the_log_too(filled: Running) -> None:
    await filled.post("/api/v1/approvals", _decision(), Role.APPROVE)

    entries = [
        (await filled.get("/api/v1/log/inclusion", params={"index": index})).json()["entry"]
        for index in (0, 7)
    ]

    assert '"type":"namespace"' in entries[0]
    assert '"type":"approval"' in entries[1]


async def test_a_witness_cosigns_a_checkpoint_and_nobody_else_does(address: str) -> None:
    witness, stranger = (Signer(name, PrivateKey(name[:1].encode() * 32)) for name in ("witness", "other"))
    settings = Settings(witnesses=(witness.verifier(SignatureType.WITNESS),))
    async with running(address, settings) as registry:
        note = (await registry.get("/checkpoint")).content
        text = notes.loads(note).text

        async def send(text: str, signer: Signer) -> int:
            signed = notes.dumps(text, [notes.cosign(text, signer, at=1_800_000_000)]).decode()
            return (await registry.post("/api/v1/log/cosignatures", {"note": signed})).status_code

        codes = [
            await send(text, stranger),
            await send(text.replace("\n1\n", "\n2\n"), witness),
            await send(text, witness),
            await send(text, witness),
        ]
        cosigned = (await registry.get("/checkpoint")).content
        garbage = await registry.post("/api/v1/log/cosignatures", {"note": "nonsense"})

    assert codes == [403, 409, 200, 200]
    assert garbage.status_code == 422
    opened = open_checkpoint(cosigned, SIGNER.verifier(), settings.witnesses)
    assert [each.key.name for each in opened.witnessed] == ["witness"]


def _decision() -> dict[str, str]:
    return {"name": NAME, "version": "1.0.0", "environment": "x", "state": "approved", "reason": "y"}

"""Sending publications, and what comes back."""

import json

import pytest

from avow.core import dsse
from avow.core.publication import PUBLICATION_TYPE
from avow.core.tlog.checkpoint import open_checkpoint
from avow.core.tlog.encoding import from_base64
from avow.core.tlog.hashing import leaf_hash
from avow.core.tlog.proofs import verify_inclusion
from avow.registry.model import Role
from registry_running import DELETE, NAME, OWNER, READ, SIGNER, STRANGER, Running, envelope

pytestmark = pytest.mark.anyio


async def test_a_receipt_proves_that_the_entry_is_in_the_signed_log(registry: Running) -> None:
    answer = await registry.send(envelope("1.0.0"))

    receipt = answer.json()
    proof = receipt["proof"]
    checkpoint = open_checkpoint(proof["checkpoint"].encode(), SIGNER.verifier()).checkpoint
    hashes = [from_base64(each) or b"" for each in proof["hashes"]]
    verify_inclusion(
        leaf_hash(proof["entry"].encode()), proof["index"], proof["size"], hashes, checkpoint.root
    )
    assert answer.status_code == 201
    assert (receipt["isNew"], receipt["name"], receipt["version"]) == (True, NAME, "1.0.0")
    entry = json.loads(proof["entry"])
    assert (entry["digest"], entry["key"]) == (receipt["digest"], OWNER.public.identifier)


async def test_the_same_again_changes_nothing(registry: Running) -> None:
    first = await registry.send(envelope("1.0.0"))
    second = await registry.send(envelope("1.0.0"))

    assert (second.status_code, second.json()["isNew"]) == (200, False)
    assert second.json()["logIndex"] == first.json()["logIndex"]
    assert len((await registry.get(f"/api/v1/servers/{NAME}/versions")).json()["versions"]) == 1


async def test_a_version_keeps_its_content_for_good(registry: Running) -> None:
    await registry.send(envelope("1.0.0"))

    assert (await registry.send(envelope("1.0.0", READ, DELETE))).status_code == 409


async def test_publishing_needs_a_token_that_is_good_for_it(registry: Running) -> None:
    data = envelope("1.0.0")

    answers = {role: (await registry.send(data, role)).status_code for role in (None, *Role)}

    assert answers == {
        None: 401,
        Role.READ: 403,
        Role.PUBLISH: 201,
        Role.APPROVE: 403,
        Role.ADMINISTER: 200,
    }


async def test_an_administrator_who_publishes_first_gives_the_namespace_to_the_key(registry: Running) -> None:
    data = envelope("1.0.0", name="io.github.other/tool", key=STRANGER)

    refused = await registry.send(data, Role.PUBLISH)
    published = await registry.send(data, Role.ADMINISTER)
    owner = (await registry.get("/api/v1/namespaces/io.github.other")).json()

    assert (refused.status_code, published.status_code) == (403, 201)
    assert [each["id"] for each in owner["keys"]] == [STRANGER.public.identifier]


async def test_a_publication_that_is_refused_gives_nothing_away(registry: Running) -> None:
    """An administrator forwards somebody's broken envelope: nobody has the namespace afterwards."""
    good = json.loads(dsse.loads(envelope("1.0.0", name="io.github.other/tool")).payload)
    good["snapshot"]["digest"] = "sha256:" + "0" * 64
    broken = dsse.dumps(dsse.sign(json.dumps(good).encode(), PUBLICATION_TYPE, [STRANGER]))

    assert (await registry.send(broken, Role.ADMINISTER)).status_code == 422
    assert (await registry.get("/api/v1/namespaces/io.github.other")).status_code == 404


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"nonsense", b'{"payload": "", "payload": ""}'])
async def test_what_is_no_envelope_is_malformed(registry: Running, data: bytes) -> None:
    answer = await registry.send(data)

    assert (answer.status_code, answer.json()["type"]) == (422, "urn:avow:problem:malformed-content")


async def test_a_digest_that_does_not_fit_is_refused_although_it_is_signed(registry: Running) -> None:
    from avow.core import dsse
    from avow.core.canonical import canonical
    from avow.core.publication import PUBLICATION_TYPE

    document = json.loads(dsse.loads(envelope("1.0.0")).payload)
    document["snapshot"]["tools"][0]["definition"]["description"] = "Something else."
    forged = dsse.dumps(dsse.sign(canonical(document), PUBLICATION_TYPE, [OWNER]))

    answer = await registry.send(forged)

    assert answer.status_code == 422
    assert "does not fit" in answer.json()["detail"]

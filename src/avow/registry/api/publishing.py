"""Publishing over HTTP: who may send, and the receipt."""

from typing import Final

from avow.core import dsse
from avow.core.keys import PublicKey
from avow.core.publication import PUBLICATION_TYPE
from avow.registry import namespaces
from avow.registry.api import documents, schemas
from avow.registry.api.endpoints import Answer, Body, Call, Endpoint
from avow.registry.api.problems import RefusedError
from avow.registry.model import Role
from avow.registry.publishing import announced, publish

_ENVELOPE: Final = schemas.objects(
    {
        "payload": {"type": "string", "contentEncoding": "base64"},
        "payloadType": {"const": PUBLICATION_TYPE},
        "signatures": {
            "type": "array",
            "minItems": 1,
            "maxItems": dsse.MAX_SIGNATURES,
            "items": schemas.objects(
                {"sig": {"type": "string", "contentEncoding": "base64"}},
                {"keyid": schemas.TEXT, "publicKey": {"type": "string", "contentEncoding": "base64"}},
            ),
        },
    }
)


async def add(call: Call) -> Answer:
    """Publish what an envelope holds."""
    service, caller = call.service, call.caller
    if caller.namespaces is not None and (space := announced(call.body).namespace) not in caller.namespaces:
        raise RefusedError(403, f"{caller.person} may not publish to {space}")
    if caller.may(Role.ADMINISTER):
        await _claim_if_free(call)
    try:
        receipt = await publish(service.store, call.body, service.clock(), service.executor)
    except Exception:
        service.metrics.count("publications", outcome="refused")
        raise
    service.metrics.count("publications", outcome="new" if receipt.is_new else "known")
    return Answer(documents.receipt(receipt), 201 if receipt.is_new else 200)


async def _claim_if_free(call: Call) -> None:
    """An administrator who publishes to a namespace that nobody has gives it to the key that signed."""
    store = call.service.store
    namespace = announced(call.body).namespace
    if await store.namespace(namespace) is None:
        envelope = dsse.loads(call.body)
        keys = [each.key for each in envelope.signatures if isinstance(each.key, PublicKey)]
        if keys:
            key = dsse.verify(envelope, PUBLICATION_TYPE, keys).key
            await namespaces.claim(store, namespace, key, call.caller.person, call.service.clock())


ENDPOINTS: Final = (
    Endpoint(
        "POST",
        "/api/v1/publish",
        "Publish a version: a DSSE envelope around name, version and snapshot, signed by the namespace's key",
        add,
        schemas.reference("Receipt"),
        role=Role.PUBLISH,
        body=Body(_ENVELOPE, is_envelope=True),
        statuses=(200, 201),
    ),
)

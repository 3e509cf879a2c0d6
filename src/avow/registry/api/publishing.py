"""Publishing over HTTP: who may send, and the receipt."""

from contextlib import suppress
from typing import Final

from avow.core import dsse
from avow.core.keys import PublicKey
from avow.core.publication import PUBLICATION_TYPE
from avow.errors import AvowError, MalformedInputError
from avow.registry import namespaces
from avow.registry.api import documents, schemas
from avow.registry.api.endpoints import Answer, Body, Call, Endpoint
from avow.registry.api.problems import RefusedError
from avow.registry.model import ConflictError, Role
from avow.registry.publishing import announced, publish


async def add(call: Call) -> Answer:
    """Publish what an envelope holds."""
    service, caller = call.service, call.caller
    try:
        if (
            caller.namespaces is not None
            and (space := announced(call.body).namespace) not in caller.namespaces
        ):
            raise RefusedError(403, f"{caller.person} may not publish to {space}")
        if caller.may(Role.ADMINISTER):
            await _claim_if_free(call, announced(call.body).namespace)
        receipt = await publish(service.store, call.body, service.clock(), service.executor)
    except AvowError as error:
        service.metrics.count("publications", outcome="refused")
        raise _explained(call.body, error) from error
    service.metrics.count("publications", outcome="new" if receipt.is_new else "known")
    return Answer(documents.receipt(receipt), 201 if receipt.is_new else 200)


def _explained(data: bytes, error: AvowError) -> AvowError:
    """Why it was refused: an envelope that names no namespace can have been signed by nobody's key."""
    if type(error) is not MalformedInputError:
        return error
    try:
        dsse.loads(data)
    except MalformedInputError as malformed:
        return malformed
    try:
        announced(data)
    except MalformedInputError as nameless:
        return RefusedError(403, nameless.message, nameless.hint)
    return error


async def _claim_if_free(call: Call, namespace: str) -> None:
    """An administrator who publishes to a namespace that nobody has gives it to the key that signed."""
    store = call.service.store
    if await store.namespace(namespace) is None:
        envelope = dsse.loads(call.body)
        keys = [each.key for each in envelope.signatures if isinstance(each.key, PublicKey)]
        if keys:
            key = dsse.verify(envelope, PUBLICATION_TYPE, keys).key
            # Somebody else may have been first; then the keys decide who may.
            with suppress(ConflictError):
                await namespaces.claim(store, namespace, key, call.caller.person, call.service.clock())


ENDPOINTS: Final = (
    Endpoint(
        "POST",
        "/api/v1/publish",
        "Publish a version: a DSSE envelope around name, version and snapshot, signed by the namespace's key",
        add,
        schemas.reference("Receipt"),
        role=Role.PUBLISH,
        body=Body(schemas.envelope({"const": PUBLICATION_TYPE}), limit="envelope_bytes", is_raw=True),
        statuses=(200, 201),
    ),
)

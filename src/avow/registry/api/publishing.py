"""Publishing over HTTP: who may send, and the receipt."""

from contextlib import suppress
from datetime import datetime
from typing import Final

from avow.core import dsse
from avow.core.keys import PublicKey
from avow.core.publication import PUBLICATION_TYPE
from avow.errors import AvowError, MalformedInputError
from avow.registry import namespaces
from avow.registry.api import documents, schemas
from avow.registry.api.endpoints import Answer, Body, Call, Endpoint
from avow.registry.api.problems import RefusedError
from avow.registry.computing import compute
from avow.registry.model import ConflictError, Role
from avow.registry.preparing import prepare, read_envelope
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
    """An administrator who publishes to a namespace that nobody has gives it to the key that signed.

    A claim is for good: the publication has to be one that would be taken.
    """
    service = call.service
    if await service.store.namespace(namespace) is None:
        key = await compute(service, len(call.body), _signer, call.body, service.clock())
        if key is not None:
            # Somebody else may have been first; then the keys decide who may.
            with suppress(ConflictError):
                await namespaces.claim(service.store, namespace, key, call.caller.person, service.clock())


def _signer(data: bytes, at: datetime) -> PublicKey | None:
    """The key that signed a good publication; None where it is only named."""
    envelope = read_envelope(data)
    keys = [each.key for each in envelope.signatures if each.key is not None]
    if not keys:
        return None
    key = dsse.verify(envelope, PUBLICATION_TYPE, keys).key
    prepare(data, announced(data), [key], None, at)
    return key


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

"""A registry in which a little of everything has happened: every kind of entry, and rows in every table."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from avow.core import dsse
from avow.core.canonical import JsonObject
from avow.core.keys import PrivateKey
from avow.core.publication import PUBLICATION_TYPE, ServerName, publication_payload
from avow.core.tlog import notes
from avow.core.tlog.notes import SignatureType, Signer
from avow.registry.model import Role
from avow.registry.namespaces import KeyChange, sign_change
from avow.registry.settings import Settings
from registry_running import DELETE, NAME, ORIGIN, OWNER, READ, SIGNER, Running, running
from small_server import snapshot

NEXT_KEY = PrivateKey(b"n" * 32)
LAST_KEY = PrivateKey(b"m" * 32)
WITNESS = Signer("witness.example/w", PrivateKey(b"w" * 32))
WITNESS_KEY = WITNESS.verifier(SignatureType.WITNESS)
LOG_KEY = SIGNER.verifier()
OTHER = "io.github.owner/mail"
SEND: JsonObject = {
    "name": "send_mail",
    "title": "Send",
    "description": "Send a mail to somebody.",
    "inputSchema": {
        "type": "object",
        "properties": {"to": {"type": "string"}, "urgent": {"type": "boolean"}},
        "required": ["to"],
    },
    "annotations": {"readOnlyHint": False, "openWorldHint": True},
}
NEEDS: JsonObject = {
    "type": "object",
    "properties": {"API_KEY": {"type": "string", "writeOnly": True}, "region": {"type": "string"}},
    "required": ["API_KEY"],
}
SETTINGS = Settings(
    url="http://registry.example", witnesses=(WITNESS_KEY,), webhooks_to_private_addresses=True
)


def signed(name: str, version: str, key: PrivateKey, tools: list[JsonObject], **members: object) -> bytes:
    """A publication, as it is sent."""
    payload = publication_payload(ServerName.read(name), version, snapshot(tools, **members))  # type: ignore[arg-type]
    return dsse.dumps(dsse.sign(payload, PUBLICATION_TYPE, [key]))


@asynccontextmanager
async def told_story(address: str) -> AsyncIterator[tuple[Running, list[bytes]]]:
    """The registry with all of it behind it, and what it answered to each publication."""
    async with running(address, SETTINGS) as registry:
        yield registry, await tell(registry)


async def tell(registry: Running) -> list[bytes]:
    """Publications, an approval, a rejection, a recall, a claim, a rotation, a revocation, a cosignature."""
    receipts = [
        await _publish(registry, signed(NAME, "1.0.0", OWNER, [READ])),
        await _publish(registry, signed(NAME, "1.1.0", OWNER, [READ, DELETE])),
        await _publish(
            registry,
            signed(
                OTHER,
                "0.1.0",
                OWNER,
                [SEND],
                prompts=[{"name": "ask", "description": "Ask.", "arguments": [{"name": "who"}]}],
                resources=[{"name": "inbox", "uri": "mail://inbox"}],
                templates=[{"name": "letter", "uriTemplate": "mail://{id}"}],
                server={"name": "mail", "version": "0.1.0", "title": "Mail", "description": "Mails."},
                configuration_schema=NEEDS,
            ),
        ),
    ]
    await _do(registry, "PUT", "/api/v1/environments/production", {"needed": 1})
    await _do(registry, "PUT", "/api/v1/environments/staging", {"needed": 2})
    await _decide(registry, "1.0.0", "approved", "read every word")
    await _decide(registry, "1.1.0", "rejected", "deletes too much")
    await registry.claim("io.example.second", NEXT_KEY)
    await _cosign(registry)
    rotation = sign_change(
        KeyChange(ORIGIN, "io.github.owner", (NEXT_KEY.public,), (OWNER.public.identifier,)), OWNER
    )
    await _do(registry, "POST", "/api/v1/namespaces/io.github.owner/keys", rotation)
    receipts.append(await _publish(registry, signed(NAME, "1.2.0", NEXT_KEY, [{**READ, "title": "Read"}])))
    await _decide(registry, "1.2.0", "approved", "fine")
    await _decide(registry, "1.0.0", "pending", "there is a newer one")
    await _decide(registry, "1.1.0", "approved", "for trials", environment="staging")
    keys = {"add": [LAST_KEY.public.pem.decode()], "revoke": [NEXT_KEY.public.identifier]}
    await _do(registry, "POST", "/api/v1/namespaces/io.example.second/keys", keys)
    receipts.append(await _publish(registry, signed(OTHER, "0.2.0", NEXT_KEY, [SEND, READ])))
    await _do(registry, "POST", "/api/v1/watches", {"target": NAME, "level": "moderate"})
    hook = {"url": "http://127.0.0.1:9/hook", "targets": [NAME], "level": "safe"}
    await _do(registry, "POST", "/api/v1/webhooks", hook)
    made = await _do(registry, "POST", "/api/v1/tokens", {"person": "Bea", "role": "read"})
    await _do(registry, "DELETE", f"/api/v1/tokens/{made['id']}")
    await _cosign(registry)
    return receipts


async def _publish(registry: Running, data: bytes) -> bytes:
    answer = await registry.send(data)
    assert answer.status_code == 201, answer.text
    return answer.content


async def _decide(
    registry: Running, version: str, state: str, reason: str, environment: str = "production"
) -> None:
    decision = {"name": NAME, "version": version, "environment": environment, "state": state}
    answer = await registry.post("/api/v1/approvals", {**decision, "reason": reason}, Role.APPROVE)
    assert answer.status_code in (200, 201), answer.text


async def _do(
    registry: Running, method: str, path: str, sent: JsonObject | bytes | None = None
) -> JsonObject:
    headers = {"content-type": "application/json"}
    body = (
        {"content": sent, "headers": headers} if isinstance(sent, bytes) else {"json": sent} if sent else {}
    )
    answer = await registry.ask(method, path, Role.ADMINISTER, **body)
    assert answer.is_success, answer.text
    document: JsonObject = answer.json() if answer.content else {}
    return document


async def _cosign(registry: Running) -> None:
    text = notes.loads((await registry.get("/checkpoint")).content).text
    note = notes.dumps(text, [notes.cosign(text, WITNESS, at=1_800_000_000)]).decode()
    await _do(registry, "POST", "/api/v1/log/cosignatures", {"note": note})

"""The facts of a registry as the JSON that its API answers; nothing else decides how one is spelled."""

from collections.abc import Iterable

from avow.core.canonical import JsonObject, JsonValue
from avow.core.severity import Severity
from avow.core.tlog.encoding import to_base64
from avow.registry.approvals import Standing
from avow.registry.model import (
    Approval,
    CapabilityHit,
    Checkpoint,
    Environment,
    Facets,
    Holder,
    Namespace,
    Proof,
    PublishedVersion,
    Receipt,
    Server,
    Token,
    Watch,
    Webhook,
)
from avow.registry.times import rfc3339


def version(found: PublishedVersion) -> JsonObject:
    """One version, without its snapshot."""
    counts, needs = found.counts, found.needs
    return {
        "name": str(found.name),
        "version": found.version,
        "sequence": found.sequence,
        "digest": found.digest,
        "content": found.content,
        "publishedAt": rfc3339(found.published_at),
        "logIndex": found.log_index,
        "key": found.key,
        "counts": {
            "tools": counts.tools,
            "prompts": counts.prompts,
            "resources": counts.resources,
            "resourceTemplates": counts.templates,
            "low": counts.low,
            "medium": counts.medium,
            "high": counts.high,
        },
        "configuration": {
            "declared": needs.declared,
            "parameters": needs.parameters,
            "required": needs.required,
            "secrets": needs.secrets,
            "requiredSecrets": needs.required_secrets,
        },
        "predecessor": found.predecessor,
        "highest": None if found.highest is None else str(found.highest),
        "driftCounts": {str(Severity(level)): count for level, count in found.drift.items()},
    }


def server(found: Server) -> JsonObject:
    """One server with its newest version."""
    return {
        "name": str(found.name),
        "title": found.title,
        "description": found.description,
        "versions": found.versions,
        "firstPublishedAt": rfc3339(found.first_published_at),
        "latest": version(found.latest),
    }


def hit(found: CapabilityHit) -> JsonObject:
    """A capability that a search found."""
    return {
        "digest": found.digest,
        "kind": str(found.kind),
        "name": found.name,
        "title": found.title,
        "description": found.description,
        "risk": {"level": str(found.risk), "reasons": list(found.reasons)},
        "servers": found.servers,
        "offers": [{"name": str(offer.name), "version": offer.version} for offer in found.offers],
    }


def facets(found: Facets) -> JsonObject:
    """How the hits of a search are distributed."""
    return {
        "kinds": {str(kind): count for kind, count in found.kinds.items()},
        "risks": {str(level): count for level, count in found.risks.items()},
        "isExact": found.is_exact,
    }


def holder(found: Holder) -> JsonObject:
    """Who has published a digest."""
    return {
        "name": str(found.name),
        "first": found.first,
        "last": found.last,
        "versions": found.versions,
        "isCurrent": found.is_current,
        "kind": None if found.kind is None else str(found.kind),
    }


def decision(found: Approval) -> JsonObject:
    """What one person decided."""
    return {
        "name": str(found.name),
        "version": found.version,
        "digest": found.digest,
        "environment": found.environment,
        "state": str(found.state),
        "needed": found.needed,
        "by": found.by,
        "reason": found.reason,
        "at": rfc3339(found.at),
        "logIndex": found.log_index,
    }


def standing(found: Standing) -> JsonObject:
    """What all decisions in one environment come to."""
    return {
        "environment": found.environment,
        "state": str(found.state),
        "needed": found.needed,
        "decisions": [decision(each) for each in found.decisions],
    }


def environment(found: Environment) -> JsonObject:
    """Where versions are approved for."""
    return {"name": found.name, "needed": found.needed}


def namespace(found: Namespace) -> JsonObject:
    """A namespace with every key it ever had."""
    return {
        "namespace": found.name,
        "claimedAt": rfc3339(found.claimed_at),
        "keys": [
            {
                "id": each.key.identifier,
                "key": each.key.pem.decode("ascii"),
                "addedAt": rfc3339(each.added_at),
                "revokedAt": None if each.revoked_at is None else rfc3339(each.revoked_at),
            }
            for each in found.keys
        ],
    }


def token(found: Token) -> JsonObject:
    """A token without its secret."""
    return {
        "id": found.id,
        "role": str(found.role),
        "person": found.person,
        "createdAt": rfc3339(found.created_at),
        "revokedAt": None if found.revoked_at is None else rfc3339(found.revoked_at),
    }


def watch(found: Watch) -> JsonObject:
    """A wish to hear of drift."""
    return {
        "id": found.id,
        "target": found.target,
        "level": str(found.level),
        "createdAt": rfc3339(found.created_at),
    }


def webhook(found: Webhook) -> JsonObject:
    """A webhook without its secret."""
    return {
        "id": found.id,
        "url": found.url,
        "targets": list(found.targets),
        "level": str(found.level),
        "createdAt": rfc3339(found.created_at),
        "attempts": found.attempts,
        "nextAttemptAt": None if found.next_attempt_at is None else rfc3339(found.next_attempt_at),
        "lastError": found.last_error,
    }


def proof(found: Proof, root: bytes, entry: bytes, checkpoint: Checkpoint | None) -> JsonObject:
    """What shows that an entry is in the log."""
    return {
        "index": found.index,
        "size": found.size,
        "hashes": hashes(found.hashes),
        "root": to_base64(root),
        "entry": entry.decode(),
        "checkpoint": None if checkpoint is None else checkpoint.note.decode(),
    }


def receipt(found: Receipt) -> JsonObject:
    """The answer to a publication."""
    published = found.version
    return {
        "name": str(published.name),
        "version": published.version,
        "digest": published.digest,
        "logIndex": published.log_index,
        "isNew": found.is_new,
        "published": version(published),
        "proof": proof(found.proof, found.checkpoint.root, found.entry, found.checkpoint),
    }


def hashes(values: Iterable[bytes]) -> JsonValue:
    """Hashes of a proof, in their order."""
    return [to_base64(value) for value in values]

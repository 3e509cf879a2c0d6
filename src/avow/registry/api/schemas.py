"""JSON Schemas of what the API takes and answers, each told once and named in the OpenAPI document."""

from typing import Final

from avow.core.canonical import DIGEST_PATTERN, JsonObject
from avow.core.capability import Kind
from avow.core.dsse import MAX_SIGNATURES
from avow.core.publication import (
    MAX_NAME,
    MAX_VERSION,
    NAMESPACE_PATTERN,
    SERVER_PATTERN,
    VERSION_PATTERN,
)
from avow.core.risk import Level
from avow.core.severity import Severity
from avow.core.tlog.entry import MAX_PEOPLE, MAX_REASON
from avow.registry.approvals import ENVIRONMENT_PATTERN
from avow.registry.model import ApprovalState, Role
from avow.registry.tokens import MAX_PERSON, ON_A_LINE

_VISIBLE: Final = ON_A_LINE.replace("[^", r"[^\s", 1)

TEXT: Final[JsonObject] = {"type": "string"}
COUNT: Final[JsonObject] = {"type": "integer", "minimum": 0}
TIME: Final[JsonObject] = {"type": "string", "format": "date-time"}
DIGEST: Final[JsonObject] = {"type": "string", "pattern": f"^{DIGEST_PATTERN}$"}
NAME: Final[JsonObject] = {
    "type": "string",
    "pattern": f"^{NAMESPACE_PATTERN}/{SERVER_PATTERN}$",
    "maxLength": MAX_NAME,
}
NAMESPACE: Final[JsonObject] = {
    "type": "string",
    "pattern": f"^{NAMESPACE_PATTERN}$",
    "maxLength": MAX_NAME - 2,
}
SERVER: Final[JsonObject] = {"type": "string", "pattern": f"^{SERVER_PATTERN}$", "maxLength": MAX_NAME - 2}
VERSION: Final[JsonObject] = {"type": "string", "pattern": f"^{VERSION_PATTERN}$", "maxLength": MAX_VERSION}
ENVIRONMENT: Final[JsonObject] = {"type": "string", "pattern": f"^{ENVIRONMENT_PATTERN}$"}
IDENTIFIER: Final[JsonObject] = {"type": "string", "pattern": "^[0-9a-f]{16}$"}
PERSON: Final[JsonObject] = {
    "type": "string",
    "pattern": f"^{_VISIBLE}(({ON_A_LINE})*{_VISIBLE})?$",
    "maxLength": MAX_PERSON,
}
TARGET: Final[JsonObject] = {
    "type": "string",
    "pattern": f"^{NAMESPACE_PATTERN}/({SERVER_PATTERN}|\\*)$",
    "maxLength": MAX_NAME,
}
SEVERITY: Final[JsonObject] = {"type": "string", "enum": [str(each) for each in Severity]}
STATE: Final[JsonObject] = {"type": "string", "enum": [str(each) for each in ApprovalState]}
ROLE: Final[JsonObject] = {"type": "string", "enum": [str(each) for each in Role]}
KIND: Final[JsonObject] = {"type": "string", "enum": [str(each) for each in Kind]}
LEVEL: Final[JsonObject] = {"type": "string", "enum": [str(each) for each in Level]}
CURSOR: Final[JsonObject] = {"type": "string", "minLength": 1, "maxLength": 1000}
LIMIT: Final[JsonObject] = {"type": "integer", "minimum": 1, "maximum": 200}
WORDS: Final[JsonObject] = {"type": "string", "maxLength": 500}
ARGUMENT: Final[JsonObject] = {
    "type": "string",
    "pattern": "^[^:\\x00-\\x1f]{1,200}(:(string|number|integer|boolean|object|array|null))?$",
}
ANNOTATION: Final[JsonObject] = {"type": "string", "pattern": "^[A-Za-z]{1,100}:(true|false)$"}
_KEY: Final = "MCowBQYDK2VwAyEA[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]="
PEM: Final[JsonObject] = {
    "type": "string",
    "pattern": f"^-----BEGIN PUBLIC KEY-----\\n{_KEY}\\n-----END PUBLIC KEY-----\\n?$",
}
BASE64: Final[JsonObject] = {
    "type": "string",
    "pattern": "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
}
NEEDED: Final[JsonObject] = {"type": "integer", "minimum": 1, "maximum": MAX_PEOPLE}
REASON: Final[JsonObject] = {"type": "string", "minLength": 1, "maxLength": MAX_REASON, "pattern": "\\S"}
URL: Final[JsonObject] = {"type": "string", "pattern": "^https?://[!-~]{1,1900}$"}
HASHES: Final[JsonObject] = {"type": "array", "items": {"type": "string", "contentEncoding": "base64"}}
NEXT: Final[JsonObject] = {
    "type": ["string", "null"],
    "description": "Hand it back as `cursor` for the rest.",
}


def objects(required: JsonObject, optional: JsonObject | None = None, *, closed: bool = False) -> JsonObject:
    """An object with these members."""
    schema: JsonObject = {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": sorted(required),
    }
    return {**schema, "additionalProperties": False} if closed else schema


def envelope(payload_type: JsonObject) -> JsonObject:
    """A DSSE envelope; the public key may stand beside a signature."""
    signed = objects(
        {"sig": BASE64}, {"keyid": TEXT, "publicKey": {"type": "string", "pattern": f"^{_KEY}$"}}
    )
    return objects(
        {
            "payload": BASE64,
            "payloadType": payload_type,
            "signatures": {"type": "array", "minItems": 1, "maxItems": MAX_SIGNATURES, "items": signed},
        }
    )


def lists(items: JsonObject) -> JsonObject:
    """An array of these."""
    return {"type": "array", "items": items}


def nullable(schema: JsonObject) -> JsonObject:
    """This, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def paged(member: str, items: JsonObject, **others: JsonObject) -> JsonObject:
    """Some of many things, and where the rest begins."""
    return objects({member: lists(items), "next": NEXT, **others})


def reference(name: str) -> JsonObject:
    """A schema by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


_COUNTS: Final = ("tools", "prompts", "resources", "resourceTemplates", "low", "medium", "high")
_NEEDS: Final = ("parameters", "required", "secrets", "requiredSecrets")
_DRIFT: Final = objects(
    {"type": TEXT, "kind": TEXT, "name": TEXT, "severity": SEVERITY, "summary": TEXT, "changes": lists({})}
)
_VERSION_MEMBERS: Final[JsonObject] = {
    "name": NAME,
    "version": VERSION,
    "sequence": COUNT,
    "digest": DIGEST,
    "content": DIGEST,
    "publishedAt": TIME,
    "logIndex": COUNT,
    "key": DIGEST,
    "counts": objects(dict.fromkeys(_COUNTS, COUNT)),
    "configuration": objects({"declared": {"type": "boolean"}, **dict.fromkeys(_NEEDS, COUNT)}),
    "predecessor": nullable(VERSION),
    "highest": nullable(SEVERITY),
    "driftCounts": {"type": "object", "additionalProperties": COUNT},
}
_DECISION: Final = objects(
    {
        "name": NAME,
        "version": VERSION,
        "digest": DIGEST,
        "environment": ENVIRONMENT,
        "state": STATE,
        "needed": NEEDED,
        "by": TEXT,
        "reason": TEXT,
        "at": TIME,
        "logIndex": COUNT,
    }
)
_STANDING_MEMBERS: Final[JsonObject] = {
    "environment": ENVIRONMENT,
    "state": STATE,
    "needed": NEEDED,
    "decisions": lists(reference("Decision")),
}

COMPONENTS: Final[JsonObject] = {
    "Problem": objects(
        {"type": TEXT, "title": TEXT, "status": {"type": "integer"}, "detail": TEXT}, {"hint": TEXT}
    ),
    "Drift": _DRIFT,
    "Version": objects(_VERSION_MEMBERS),
    "HistoricVersion": objects({**_VERSION_MEMBERS, "drift": lists(reference("Drift"))}),
    "WholeVersion": objects(
        {**_VERSION_MEMBERS, "drift": lists(reference("Drift")), "snapshot": {"type": "object"}}
    ),
    "Server": objects(
        {
            "name": NAME,
            "title": TEXT,
            "description": TEXT,
            "versions": COUNT,
            "firstPublishedAt": TIME,
            "latest": reference("Version"),
        }
    ),
    "Hit": objects(
        {
            "digest": DIGEST,
            "kind": KIND,
            "name": TEXT,
            "title": TEXT,
            "description": TEXT,
            "risk": objects({"level": LEVEL, "reasons": lists(TEXT)}),
            "servers": COUNT,
            "offers": lists(objects({"name": NAME, "version": VERSION})),
        }
    ),
    "Holder": objects(
        {
            "name": NAME,
            "first": VERSION,
            "last": VERSION,
            "versions": COUNT,
            "isCurrent": {"type": "boolean"},
            "kind": {"enum": [*KIND["enum"], None]},
        }
    ),
    "Proof": objects(
        {
            "index": COUNT,
            "size": COUNT,
            "hashes": HASHES,
            "root": TEXT,
            "entry": TEXT,
            "checkpoint": nullable(TEXT),
        }
    ),
    "Receipt": objects(
        {
            "name": NAME,
            "version": VERSION,
            "digest": DIGEST,
            "logIndex": COUNT,
            "isNew": {"type": "boolean"},
            "published": reference("Version"),
            "proof": reference("Proof"),
        }
    ),
    "Decision": _DECISION,
    "Standing": objects(_STANDING_MEMBERS),
    "Decided": objects({**_STANDING_MEMBERS, "isNew": {"type": "boolean"}}),
    "StandingVersion": objects({**_VERSION_MEMBERS, "standing": reference("Standing")}),
    "Environment": objects({"name": ENVIRONMENT, "needed": NEEDED}),
    "Namespace": objects(
        {
            "namespace": NAMESPACE,
            "claimedAt": TIME,
            "keys": lists(objects({"id": DIGEST, "key": PEM, "addedAt": TIME, "revokedAt": nullable(TIME)})),
        }
    ),
    "Token": objects(
        {"id": IDENTIFIER, "role": ROLE, "person": TEXT, "createdAt": TIME, "revokedAt": nullable(TIME)},
        {"token": TEXT},
    ),
    "Watch": objects({"id": IDENTIFIER, "target": TARGET, "level": SEVERITY, "createdAt": TIME}),
    "Webhook": objects(
        {
            "id": IDENTIFIER,
            "url": TEXT,
            "targets": lists(TARGET),
            "level": SEVERITY,
            "createdAt": TIME,
            "attempts": COUNT,
            "nextAttemptAt": nullable(TIME),
            "lastError": TEXT,
        },
        {"secret": TEXT},
    ),
}

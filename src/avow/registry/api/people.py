"""What people with tokens do: give namespaces and tokens, and decide about versions."""

from typing import Final

from avow.core import dsse
from avow.core.keys import KeyId, read_public_key
from avow.core.publication import ServerName
from avow.registry import namespaces, tokens
from avow.registry.api import documents, schemas
from avow.registry.api.access import NOBODY
from avow.registry.api.endpoints import Answer, Body, Call, Endpoint, Parameter, path_parameter
from avow.registry.api.keeping import Deed, Kept
from avow.registry.api.problems import RefusedError
from avow.registry.api.reading import CURSOR, ENVIRONMENT, LIMIT
from avow.registry.approvals import decide, set_needed
from avow.registry.model import ApprovalState, NotFoundError, Role
from avow.registry.store.interface import PAGE

_NAMESPACE: Final = path_parameter("namespace", schemas.NAMESPACE, "A namespace.")
_ENVELOPE_MEMBER: Final = "payloadType"
_USUAL: Final = "production"


async def list_namespaces(call: Call) -> Answer:
    """All namespaces with their keys."""
    asked = call.arguments
    page = await call.service.store.namespaces(cursor=asked.get("cursor"), limit=asked.get("limit", PAGE))
    return Answer({"namespaces": [documents.namespace(each) for each in page.items], "next": page.next})


async def one_namespace(call: Call) -> Answer:
    """One namespace with its keys."""
    found = await namespaces.found(call.service.store, call.arguments["namespace"])
    return Answer(documents.namespace(found))


async def claim_namespace(call: Call) -> Answer:
    """Give a namespace to a key."""
    service, sent = call.service, call.document
    key = read_public_key(sent["key"].encode())
    made = await namespaces.claim(service.store, sent["namespace"], key, call.caller.person, service.clock())
    return Answer(documents.namespace(made), 201)


async def change_keys(call: Call) -> Answer:
    """Add and revoke keys: an administrator by saying so, others by a signature of a key that is there."""
    service, sent, name = call.service, call.document, call.arguments["namespace"]
    if _ENVELOPE_MEMBER in sent:
        envelope = dsse.loads(call.body)
        made = await namespaces.change_signed(service.store, name, service.origin, envelope, service.clock())
        return Answer(documents.namespace(made))
    if not call.caller.may(Role.ADMINISTER):
        raise RefusedError(
            401 if call.caller is NOBODY else 403,
            "keys are changed by an administrator, or by a change that a key of the namespace signed",
            headers={"www-authenticate": 'Bearer realm="avow"'} if call.caller is NOBODY else {},
        )
    keys = [read_public_key(each.encode()) for each in sent.get("add", [])]
    revoked = [KeyId(each) for each in sent.get("revoke", [])]
    made = await namespaces.change(
        service.store, name, call.caller.person, service.clock(), add=keys, revoke=revoked
    )
    return Answer(documents.namespace(made))


async def list_tokens(call: Call) -> Answer:
    """All tokens, without their secrets."""
    found = await call.service.store.tokens()
    return Answer({"tokens": [documents.token(each) for each in found]})


async def add_token(call: Call) -> Answer:
    """Make a token; its text is in this answer and nowhere else."""
    service, sent = call.service, call.document
    made = await tokens.issue(service.store, sent["person"], Role(sent["role"]), service.clock())
    return Answer(
        {**documents.token(made.token), "token": made.text}, 201, headers={"cache-control": "no-store"}
    )


async def revoke_token(call: Call) -> Answer:
    """End a token."""
    await tokens.revoke(call.service.store, call.arguments["id"], call.service.clock())
    return Answer({})


async def list_approvals(call: Call) -> Answer:
    """Decisions: about a server or a version, or those of one environment that approve or are still due."""
    asked, store = call.arguments, call.service.store
    environment, state, wanted = asked.get("environment"), asked.get("state"), asked.get("version")
    if "name" in asked:
        if "cursor" in asked:
            raise NotFoundError("all decisions about a server are on one page")
        made = await store.approvals(ServerName.read(asked["name"]), wanted, environment=environment)
        listed = [documents.decision(each) for each in made if state in (None, each.state)]
        return Answer({"approvals": listed, "next": None})
    environment, cursor = environment or _USUAL, asked.get("cursor")
    limit = asked.get("limit", PAGE)
    match state or "approved":
        case "approved":
            approved = await store.approved(environment, cursor=cursor, limit=limit)
            found = [documents.decision(each) for each in approved.items if wanted in (None, each.version)]
            return Answer({"approvals": found, "next": approved.next})
        case "pending":
            undecided = await store.undecided(environment, cursor=cursor, limit=limit)
            due = [documents.version(each) for each in undecided.items if wanted in (None, each.version)]
            return Answer({"pending": due, "next": undecided.next})
        case _:
            raise NotFoundError("what was rejected is listed by name", hint="add name=…")


async def add_approval(call: Call) -> Answer:
    """Decide about a version, as the person whose token it is."""
    service, sent = call.service, call.document
    made = await decide(
        service.store,
        ServerName.read(sent["name"]),
        sent["version"],
        environment=sent["environment"],
        state=ApprovalState(sent["state"]),
        by=call.caller.person,
        reason=sent["reason"],
        at=service.clock(),
        digest=sent.get("digest"),
    )
    return Answer(documents.standing(made), 201)


async def list_environments(call: Call) -> Answer:
    """All environments."""
    found = await call.service.store.environments()
    return Answer({"environments": [documents.environment(each) for each in found]})


async def put_environment(call: Call) -> Answer:
    """Say how many people have to agree."""
    made = await set_needed(call.service.store, call.arguments["environment"], call.document["needed"])
    return Answer(documents.environment(made))


_CHANGE: Final = schemas.objects(
    {},
    {
        "add": {"type": "array", "items": schemas.PEM, "minItems": 1, "maxItems": 10},
        "revoke": {"type": "array", "items": schemas.DIGEST, "minItems": 1, "maxItems": 10},
    },
    closed=True,
)

_TOKENS: Final = Kept(
    "tokens",
    "Token",
    Role.ADMINISTER,
    shows=Deed("All tokens, without their secrets", list_tokens),
    adds=Deed("Make a token; its text is in this answer and nowhere else", add_token),
    takes=Deed("End a token", revoke_token),
    body=Body(schemas.objects({"person": schemas.PERSON, "role": schemas.ROLE}, closed=True)),
    identifier=path_parameter("id", schemas.IDENTIFIER, "The public identifier of a token."),
)

ENDPOINTS: Final = (
    Endpoint(
        "GET",
        "/api/v1/namespaces",
        "All namespaces with their keys, in the order in which they were claimed",
        list_namespaces,
        schemas.paged("namespaces", schemas.reference("Namespace")),
        parameters=(CURSOR, LIMIT),
    ),
    Endpoint(
        "POST",
        "/api/v1/namespaces",
        "Give a namespace that nobody has to a key",
        claim_namespace,
        schemas.reference("Namespace"),
        role=Role.ADMINISTER,
        body=Body(schemas.objects({"namespace": schemas.NAMESPACE, "key": schemas.PEM}, closed=True)),
        statuses=(201,),
    ),
    Endpoint(
        "GET",
        "/api/v1/namespaces/{namespace}",
        "One namespace with its keys",
        one_namespace,
        schemas.reference("Namespace"),
        parameters=(_NAMESPACE,),
    ),
    Endpoint(
        "POST",
        "/api/v1/namespaces/{namespace}/keys",
        "Add and revoke keys, as an administrator or with a DSSE envelope signed by a key of the namespace",
        change_keys,
        schemas.reference("Namespace"),
        parameters=(_NAMESPACE,),
        body=Body(
            {
                "anyOf": [
                    {**_CHANGE, "required": ["add"]},
                    {**_CHANGE, "required": ["revoke"]},
                    schemas.envelope({"const": namespaces.KEYS_TYPE}),
                ]
            }
        ),
    ),
    *_TOKENS.endpoints,
    Endpoint(
        "GET",
        "/api/v1/approvals",
        "Decisions about a server, or in an environment",
        list_approvals,
        schemas.objects(
            {"next": schemas.NEXT},
            {
                "approvals": schemas.lists(schemas.reference("Decision")),
                "pending": schemas.lists(schemas.reference("Version")),
            },
        ),
        parameters=(
            Parameter("name", schemas.NAME, "A server."),
            Parameter("version", schemas.VERSION, "One of its versions."),
            ENVIRONMENT,
            Parameter(
                "state", schemas.STATE, "Without a name `approved`, or `pending`: what is to be decided."
            ),
            CURSOR,
            LIMIT,
        ),
    ),
    Endpoint(
        "POST",
        "/api/v1/approvals",
        "Decide about a version, as the person whose token it is",
        add_approval,
        schemas.reference("Standing"),
        role=Role.APPROVE,
        body=Body(
            schemas.objects(
                {
                    "name": schemas.NAME,
                    "version": schemas.VERSION,
                    "environment": schemas.ENVIRONMENT,
                    "state": schemas.STATE,
                    "reason": schemas.REASON,
                },
                {"digest": schemas.DIGEST},
                closed=True,
            )
        ),
        statuses=(201,),
    ),
    Endpoint(
        "GET",
        "/api/v1/environments",
        "All environments, and how many people have to agree in each",
        list_environments,
        schemas.objects({"environments": schemas.lists(schemas.reference("Environment"))}),
    ),
    Endpoint(
        "PUT",
        "/api/v1/environments/{environment}",
        "Set up an environment, or say how many people have to agree",
        put_environment,
        schemas.reference("Environment"),
        role=Role.ADMINISTER,
        parameters=(path_parameter("environment", schemas.ENVIRONMENT, "Its name."),),
        body=Body(schemas.objects({"needed": schemas.NEEDED}, closed=True)),
    ),
)

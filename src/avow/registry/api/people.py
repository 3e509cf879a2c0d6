"""What people with tokens do: give namespaces and tokens, and decide about versions."""

from collections.abc import Sequence
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
from avow.registry.approvals import USUAL_ENVIRONMENT, Standing, decide, set_needed
from avow.registry.model import Approval, ApprovalState, NotFoundError, PublishedVersion, Role
from avow.registry.store.interface import PAGE
from avow.registry.store.standing import Decided

_NAMESPACE: Final = path_parameter("namespace", schemas.NAMESPACE, "A namespace.")
_ENVELOPE_MEMBER: Final = "payloadType"


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
    """With a name every decision about a server; without one the versions that stand so in an environment."""
    asked, store = call.arguments, call.service.store
    environment, state = asked.get("environment"), asked.get("state")
    if "name" not in asked:
        return await _standing_so(call, environment or USUAL_ENVIRONMENT, ApprovalState(state or "approved"))
    if "cursor" in asked:
        raise NotFoundError("all decisions about a server are on one page")
    if state is not None:
        raise NotFoundError(
            "decisions about a server are listed whatever they say",
            hint="leave out `state`; without a name it says how versions stand",
        )
    name, version = ServerName.read(asked["name"]), asked.get("version")
    made = await store.approvals(name, version, environment=environment)
    return Answer({"approvals": [documents.decision(each) for each in made], "next": None})


async def _standing_so(call: Call, environment: str, state: ApprovalState) -> Answer:
    """The versions that stand so now, whatever was said about them before."""
    asked, store = call.arguments, call.service.store
    if "version" in asked:
        raise NotFoundError("a version is one of a server", hint="add name=…")
    cursor, limit = asked.get("cursor"), asked.get("limit", PAGE)
    if state is ApprovalState.PENDING:
        due = await store.undecided(environment, cursor=cursor, limit=limit)
        found, rest = due.items, due.next
    else:
        decided = await store.usable(environment, cursor=cursor, limit=limit, state=state)
        found, rest = tuple(each.version for each in decided.items), decided.next
    standing = await store.decided([each.id for each in found])
    needed = {each.name: each.needed for each in await store.environments()}.get(environment, 1)
    listed = [
        {
            **documents.version(each),
            "standing": documents.standing(_standing(each, environment, standing.get(each.id, ()), needed)),
        }
        for each in found
    ]
    return Answer({"versions": listed, "next": rest})


def _standing(
    version: PublishedVersion, environment: str, decided: Sequence[Decided], needed: int
) -> Standing:
    about = (version.name, version.version, version.digest, environment)
    for found in decided:
        if found.environment == environment:
            made = tuple(
                Approval(*about, each.state, each.by, each.reason, each.at, each.log_index, each.needed)
                for each in found.decisions
            )
            return Standing(environment, found.state, made[-1].needed, made)
    return Standing(environment, ApprovalState.PENDING, needed)


async def add_approval(call: Call) -> Answer:
    """Decide about a version, as the person whose token it is."""
    service, sent = call.service, call.document
    made, is_new = await decide(
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
    return Answer({**documents.standing(made), "isNew": is_new}, 201 if is_new else 200)


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
        "Decisions about a server, or without a name the versions that stand so in an environment now",
        list_approvals,
        schemas.objects(
            {"next": schemas.NEXT},
            {
                "approvals": schemas.lists(schemas.reference("Decision")),
                "versions": schemas.lists(schemas.reference("StandingVersion")),
            },
        ),
        parameters=(
            Parameter("name", schemas.NAME, "A server."),
            Parameter("version", schemas.VERSION, "One of its versions."),
            ENVIRONMENT,
            Parameter("state", schemas.STATE, "Without a name: how versions stand, `approved` unless given."),
            CURSOR,
            LIMIT,
        ),
    ),
    Endpoint(
        "POST",
        "/api/v1/approvals",
        "Decide about a version, as the person whose token it is",
        add_approval,
        schemas.reference("Decided"),
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
        statuses=(200, 201),
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

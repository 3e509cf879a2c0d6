"""What people and services want to hear of: watch lists, webhooks, and a feed."""

import secrets
from typing import Final

from avow.core.severity import Severity
from avow.core.tlog.encoding import to_base64
from avow.errors import MalformedInputError
from avow.registry import feeds, webhooks
from avow.registry.api import documents, schemas
from avow.registry.api.endpoints import Answer, Body, Call, Endpoint, Parameter, path_parameter
from avow.registry.api.keeping import Deed, Kept
from avow.registry.api.problems import RefusedError
from avow.registry.api.reading import LEVEL, LIMIT
from avow.registry.model import NotFoundError, PublishedVersion, Role, Watch
from avow.registry.store.interface import PAGE

_MOST: Final = 500
_ID: Final = path_parameter("id", schemas.IDENTIFIER, "Its identifier.")
_AFTER: Final = Parameter(
    "after", {"type": "integer", "minimum": 0, "maximum": 2**53}, "`next` of the last answer."
)


async def list_watches(call: Call) -> Answer:
    """The watch list of the person whose token it is."""
    found = await call.service.store.watches(call.caller.person)
    return Answer({"watches": [documents.watch(each) for each in found]})


async def add_watch(call: Call) -> Answer:
    """Put a server or a namespace on the list."""
    service, sent, person = call.service, call.document, call.caller.person
    if len(await service.store.watches(person)) >= _MOST:
        raise MalformedInputError(f"a watch list has at most {_MOST} places", hint="remove one first")
    watch = Watch(secrets.token_hex(8), person, sent["target"], Severity(sent["level"]), service.clock())
    await service.store.add_watch(watch)
    return Answer(documents.watch(watch), 201)


async def remove_watch(call: Call) -> Answer:
    """Take one off the list."""
    store, identifier = call.service.store, call.arguments["id"]
    owned = any(each.id == identifier for each in await store.watches(call.caller.person))
    if not owned or not await store.remove_watch(identifier):
        raise NotFoundError(
            "there is no such watch on your list", hint="`avow registry watch list` shows what is"
        )
    return Answer({})


async def watched_changes(call: Call) -> Answer:
    """What has changed in everything on the list, each at its own level, oldest first."""
    store, after, limit = (
        call.service.store,
        call.arguments.get("after", 0),
        call.arguments.get("limit", PAGE),
    )
    by_level: dict[Severity, list[str]] = {}
    for watch in await store.watches(call.caller.person):
        by_level.setdefault(watch.level, []).append(watch.target)
    found: dict[int, PublishedVersion] = {}
    for level, targets in by_level.items():
        for change in await store.changes(after=after, limit=limit, targets=targets, level=level):
            found[change.version.id] = change.version
    listed = [found[number] for number in sorted(found)[:limit]]
    return Answer(
        {
            "changes": [documents.version(each) for each in listed],
            "next": listed[-1].id if listed else after,
        }
    )


async def list_webhooks(call: Call) -> Answer:
    """The webhooks of the person whose token it is."""
    found = await call.service.store.webhooks(call.caller.person)
    return Answer({"webhooks": [documents.webhook(each) for each in found]})


async def add_webhook(call: Call) -> Answer:
    """Have an address told of changes; the secret that signs is in this answer and nowhere else."""
    sent = call.document
    level = Severity(sent.get("level", Severity.CRITICAL))
    try:
        made = await webhooks.add(
            call.service, call.caller.person, sent["url"], sent.get("targets", []), level
        )
    except MalformedInputError as error:
        raise RefusedError(403, error.message, error.hint) from error
    document = {**documents.webhook(made), "secret": to_base64(made.secret)}
    return Answer(document, 201, headers={"cache-control": "no-store"})


async def remove_webhook(call: Call) -> Answer:
    """Tell it no more."""
    await webhooks.remove(call.service.store, call.caller.person, call.arguments["id"])
    return Answer({})


async def test_webhook(call: Call) -> Answer:
    """Tell it that it is tried, now; what it answers changes nothing about what else it is told."""
    error = await webhooks.attempt(call.service, call.caller.person, call.arguments["id"])
    return Answer({"delivered": not error, "error": error}, headers={"cache-control": "no-store"})


async def feed(call: Call) -> Answer:
    """Changes as an Atom feed."""
    asked = call.arguments
    level = Severity(asked["level"]) if "level" in asked else None
    found = await feeds.changes_for(call.service.store, asked.get("target"), level)
    question = "&".join(f"{name}={asked[name]}" for name in ("target", "level") if name in asked)
    itself = "/feed.atom" + (f"?{question}" if question else "")
    service = call.service
    text = feeds.atom(found, origin=service.origin, url=service.settings.url, itself=itself)
    return Answer(text.encode(), content_type=feeds.CONTENT_TYPE)


_WATCHES: Final = Kept(
    "watches",
    "Watch",
    Role.READ,
    shows=Deed("Your watch list", list_watches),
    adds=Deed("Watch a server, or a namespace as `namespace/*`", add_watch),
    takes=Deed("Watch it no more", remove_watch),
    body=Body(schemas.objects({"target": schemas.TARGET, "level": schemas.SEVERITY}, closed=True)),
    identifier=_ID,
)
_WEBHOOKS: Final = Kept(
    "webhooks",
    "Webhook",
    Role.PUBLISH,
    shows=Deed("Your webhooks", list_webhooks),
    adds=Deed("Have an address told of drift at or above a level", add_webhook),
    takes=Deed("Tell it no more", remove_webhook),
    body=Body(
        schemas.objects(
            {"url": schemas.URL},
            {
                "targets": {"type": "array", "items": schemas.TARGET, "maxItems": 100},
                "level": schemas.SEVERITY,
            },
            closed=True,
        )
    ),
    identifier=_ID,
)

ENDPOINTS: Final = (
    # Before what takes any identifier in this place.
    Endpoint(
        "GET",
        "/api/v1/watches/changes",
        "What has changed in everything you watch, oldest first",
        watched_changes,
        schemas.objects({"changes": schemas.lists(schemas.reference("Version")), "next": schemas.COUNT}),
        role=Role.READ,
        parameters=(_AFTER, LIMIT),
    ),
    *_WATCHES.endpoints,
    *_WEBHOOKS.endpoints,
    Endpoint(
        "POST",
        "/api/v1/webhooks/{id}/test",
        "Send a webhook a signed message that says no more than that it is tried",
        test_webhook,
        schemas.objects({"delivered": {"type": "boolean"}, "error": schemas.TEXT}),
        role=Role.PUBLISH,
        parameters=(_ID,),
    ),
)

FEED: Final = Endpoint(
    "GET",
    "/feed.atom",
    "Changes as an Atom feed",
    feed,
    {"type": "string"},
    parameters=(Parameter("target", schemas.TARGET, "A server, or `namespace/*`."), LEVEL),
    answer_type="application/atom+xml",
)

"""Questions about servers and their versions."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar, TypeVarTuple

import msgspec

from avow.core.canonical import JsonObject
from avow.core.drift.compare import diff
from avow.core.drift.model import drift_document
from avow.core.publication import Publication, ServerName, read_publication
from avow.core.severity import Severity
from avow.registry.api import documents, schemas
from avow.registry.api.endpoints import Answer, Call, Endpoint, Parameter, path_parameter
from avow.registry.approvals import FINDING, found_version, standings
from avow.registry.computing import compute
from avow.registry.model import NotFoundError, PublishedVersion
from avow.registry.service import Service
from avow.registry.snapshots import stored_pair
from avow.registry.store.contents import Contents
from avow.registry.store.interface import PAGE, Store

NAME_IN_PATH: Final = (
    path_parameter("namespace", schemas.NAMESPACE, "The part of the name before the slash."),
    path_parameter("server", schemas.SERVER, "The part of the name behind it."),
)
VERSION_IN_PATH: Final = path_parameter("version", schemas.VERSION, "A version, or `latest`.")
CURSOR: Final = Parameter("cursor", schemas.CURSOR, "Where to go on: `next` of the page before.")
LIMIT: Final = Parameter("limit", schemas.LIMIT, f"How many, {PAGE} unless said.")
ENVIRONMENT: Final = Parameter("environment", schemas.ENVIRONMENT, "Where versions are approved for.")
LEVEL: Final = Parameter("level", schemas.SEVERITY, "The lowest severity of drift to tell of.")

_SERVER: Final = "/api/v1/servers/{namespace}/{server}"
_Given = TypeVarTuple("_Given")
_Result = TypeVar("_Result")


class _Payload(msgspec.Struct):
    """A publication whose snapshot stays the bytes that were signed."""

    snapshot: msgspec.Raw


def name_of(call: Call) -> ServerName:
    """The server that the path names."""
    return ServerName.read(f"{call.arguments['namespace']}/{call.arguments['server']}")


async def list_servers(call: Call) -> Answer:
    """Servers, the one that changed last first."""
    asked = call.arguments
    page = await call.service.store.servers(
        asked.get("q", ""),
        namespace=asked.get("namespace"),
        cursor=asked.get("cursor"),
        limit=asked.get("limit", PAGE),
    )
    return Answer({"servers": [documents.server(each) for each in page.items], "next": page.next})


async def one_server(call: Call) -> Answer:
    """One server."""
    name = name_of(call)
    found = await call.service.store.server(name)
    if found is None:
        raise NotFoundError(f"{name} has not been published here", hint=FINDING)
    return Answer(documents.server(found))


async def list_versions(call: Call) -> Answer:
    """The history of a server, newest first, with the drift of each version to the one before."""
    name, store, asked = name_of(call), call.service.store, call.arguments
    page = await store.versions(name, cursor=asked.get("cursor"), limit=asked.get("limit", PAGE))
    if not page.items and "cursor" not in asked:
        raise NotFoundError(f"{name} has not been published here", hint=FINDING)
    return Answer(
        {"name": str(name), "versions": await _with_drift(store, name, page.items), "next": page.next}
    )


async def one_version(call: Call) -> Answer:
    """One version with its snapshot."""
    name, store = name_of(call), call.service.store
    found = await found_version(store, name, call.arguments["version"])
    [document] = await _with_drift(store, name, [found])
    snapshot = msgspec.json.decode(await payload(store, found), type=_Payload).snapshot
    # A version never changes: its content stands for it, and for its drift.
    return Answer({**document, "snapshot": snapshot}, tag=found.content)


async def one_envelope(call: Call) -> Answer:
    """The envelope of a version, as it was signed."""
    store = call.service.store
    found = await found_version(store, name_of(call), call.arguments["version"])
    data = await store.envelope(found.name, found.version)
    if data is None:
        raise NotFoundError(f"the envelope of {found.name} {found.version} is not here")
    return Answer(data)


async def approvals_of(call: Call) -> Answer:
    """How a version stands, in one environment or in all."""
    store = call.service.store
    found = await found_version(store, name_of(call), call.arguments["version"])
    stand = await standings(store, found, call.arguments.get("environment"))
    return Answer(
        {
            "name": str(found.name),
            "version": found.version,
            "digest": found.digest,
            "environments": [documents.standing(each) for each in stand],
        }
    )


async def drift_between(call: Call) -> Answer:
    """The drift between any two versions."""
    name, store = name_of(call), call.service.store
    before, after = [await found_version(store, name, call.arguments[each]) for each in ("from", "to")]
    return Answer(await compare(call.service, before, after))


async def compare(service: Service, before: PublishedVersion, after: PublishedVersion) -> JsonObject:
    """The drift document of two versions, of one server or of two.

    Neighbours were compared when the later one was published.
    """
    store = service.store
    if before.name == after.name and after.predecessor == before.version:
        drift = list((await store.drifts(after.name, [after.version])).get(after.version, ()))
    else:
        drift, _ = await with_both(service, before, after, _drift)
    return {
        "digest": {"approved": before.digest, "observed": after.digest},
        "drift": drift,
        "highest": max((each["severity"] for each in drift), key=Severity, default=None),
    }


async def with_both(
    service: Service,
    before: PublishedVersion,
    after: PublishedVersion,
    function: Callable[[bytes, bytes, *_Given], _Result],
    *given: *_Given,
) -> tuple[_Result, int]:
    """What a function answers for the bytes that were signed of two versions; and how many these are.

    Raises:
        NotFoundError: they are not there.
    """
    old, new = [await payload(service.store, each) for each in (before, after)]
    size = len(old) + len(new)
    return await compute(service, size, function, old, new, *given), size


def _drift(before: bytes, after: bytes) -> list[JsonObject]:
    # Rated anew, both by the same rules: those that were stored may be older on one side.
    return [drift_document(each) for each in diff(*stored_pair(before, after))]


async def changes(call: Call) -> Answer:
    """All publications after a position, oldest first: to be followed by asking again and again."""
    asked, store = call.arguments, call.service.store
    after, limit = asked.get("after", 0), asked.get("limit", PAGE)
    # Asked first: whoever follows a quiet target need not look at all this again.
    newest = (await store.totals())["versions"]
    found = await store.changes(
        after=after,
        limit=limit,
        targets=[asked["target"]] if "target" in asked else [],
        level=Severity(asked["level"]) if "level" in asked else None,
    )
    last = found[-1].version.id if found else after
    if len(found) < limit:
        last = max(last, newest)
    return Answer({"changes": [documents.version(each.version) for each in found], "next": last})


async def publication(store: Store, version: PublishedVersion) -> Publication:
    """What was published, read from the bytes that were signed."""
    return read_publication(await payload(store, version))


async def contents(store: Store, version: PublishedVersion) -> Contents:
    """The bytes that were signed, with how their capabilities were rated here.

    Raises:
        NotFoundError: they are not there.
    """
    found = await store.contents(version.name, version.version)
    if found is None:
        raise NotFoundError(f"the snapshot of {version.name} {version.version} is not here")
    return found


async def payload(store: Store, version: PublishedVersion) -> bytes:
    """The bytes that were signed.

    Raises:
        NotFoundError: they are not there.
    """
    data = await store.payload(version.name, version.version)
    if data is None:
        raise NotFoundError(f"the snapshot of {version.name} {version.version} is not here")
    return data


async def _with_drift(
    store: Store, name: ServerName, versions: Sequence[PublishedVersion]
) -> list[JsonObject]:
    drifts = await store.drifts(name, [each.version for each in versions])
    return [{**documents.version(each), "drift": list(drifts.get(each.version, ()))} for each in versions]


ENDPOINTS: Final = (
    Endpoint(
        "GET",
        "/api/v1/servers",
        "Servers, the one that changed last first",
        list_servers,
        schemas.paged("servers", schemas.reference("Server")),
        parameters=(
            Parameter("q", schemas.WORDS, "Words that all have to occur in the name or the description."),
            Parameter("namespace", schemas.NAMESPACE, "Only those in this namespace."),
            CURSOR,
            LIMIT,
        ),
    ),
    Endpoint("GET", _SERVER, "One server", one_server, schemas.reference("Server"), parameters=NAME_IN_PATH),
    Endpoint(
        "GET",
        f"{_SERVER}/versions",
        "The history of a server, newest first, with the drift of each version to its predecessor",
        list_versions,
        schemas.paged("versions", schemas.reference("HistoricVersion"), name=schemas.NAME),
        parameters=(*NAME_IN_PATH, CURSOR, LIMIT),
    ),
    Endpoint(
        "GET",
        f"{_SERVER}/versions/{{version}}",
        "One version with its snapshot",
        one_version,
        schemas.reference("WholeVersion"),
        parameters=(*NAME_IN_PATH, VERSION_IN_PATH),
    ),
    Endpoint(
        "GET",
        f"{_SERVER}/versions/{{version}}/envelope",
        "The DSSE envelope of a version, as it was signed",
        one_envelope,
        schemas.objects(
            {"payload": schemas.TEXT, "payloadType": schemas.TEXT, "signatures": schemas.lists({})}
        ),
        parameters=(*NAME_IN_PATH, VERSION_IN_PATH),
    ),
    Endpoint(
        "GET",
        f"{_SERVER}/versions/{{version}}/approvals",
        "How a version stands in the environments",
        approvals_of,
        schemas.objects(
            {
                "name": schemas.NAME,
                "version": schemas.VERSION,
                "digest": schemas.DIGEST,
                "environments": schemas.lists(schemas.reference("Standing")),
            }
        ),
        parameters=(*NAME_IN_PATH, VERSION_IN_PATH, ENVIRONMENT),
    ),
    Endpoint(
        "GET",
        f"{_SERVER}/drift",
        "The drift between two versions of a server",
        drift_between,
        schemas.objects(
            {
                "digest": schemas.objects({"approved": schemas.DIGEST, "observed": schemas.DIGEST}),
                "drift": schemas.lists(schemas.reference("Drift")),
                "highest": schemas.nullable(schemas.SEVERITY),
            }
        ),
        parameters=(
            *NAME_IN_PATH,
            Parameter("from", schemas.VERSION, "The version before.", required=True),
            Parameter("to", schemas.VERSION, "The version after.", required=True),
        ),
    ),
    Endpoint(
        "GET",
        "/api/v1/changes",
        "All publications after a position, oldest first",
        changes,
        schemas.objects({"changes": schemas.lists(schemas.reference("Version")), "next": schemas.COUNT}),
        parameters=(
            Parameter(
                "after", {"type": "integer", "minimum": 0, "maximum": 2**53}, "`next` of the last answer."
            ),
            Parameter("target", schemas.TARGET, "A server, or `namespace/*`."),
            LEVEL,
            LIMIT,
        ),
    ),
)

"""Finding capabilities and servers: by words, by shape, by digest, by what could replace what."""

from typing import Final

from avow.core.canonical import MAX_FILE_DEPTH, Digest, JsonObject, parse_json
from avow.core.capability import Capability, Kind, Signature
from avow.core.documents import read_snapshot_document
from avow.core.risk import Level
from avow.errors import MalformedInputError
from avow.registry.api import documents, schemas
from avow.registry.api.endpoints import Answer, Body, Call, Endpoint, Parameter, path_parameter
from avow.registry.api.reading import CURSOR, LIMIT
from avow.registry.computing import compute
from avow.registry.matching import MAX_WANTED, match
from avow.registry.model import NotFoundError, Search
from avow.registry.store.interface import PAGE

_COLLECTIONS: Final = {kind.collection: kind for kind in Kind}


def read_search(asked: JsonObject) -> Search:
    """What is searched for; `argument` is `name` or `name:type`, `annotation` is `name:value`."""
    argument, _, argument_type = asked.get("argument", "").partition(":")
    annotation, _, value = asked.get("annotation", "").partition(":")
    return Search(
        tool=asked.get("tool"),
        text=asked.get("text"),
        argument=argument or None,
        argument_type=argument_type or None,
        annotation=(annotation, value) if annotation else None,
        risk=Level(asked["risk"]) if "risk" in asked else None,
        kind=Kind(asked["kind"]) if "kind" in asked else None,
        needs_no_secret=asked.get("secrets") == "none",
        namespace=asked.get("namespace"),
    )


def read_signature(document: object) -> Signature | None:
    """The signature in a snapshot, or one given as lists of definitions, as on the wire.

    None when two capabilities share a name: nobody can offer that.

    Raises:
        MalformedInputError: it is neither, or empty.
    """
    if not isinstance(document, dict):
        raise MalformedInputError("a signature is an object with lists of capabilities")
    if "avow" in document:
        signature = read_snapshot_document(document).signature
    else:
        lists = {kind: document.get(collection, []) for collection, kind in _COLLECTIONS.items()}
        if not all(isinstance(each, list) for each in lists.values()):
            raise MalformedInputError("the capabilities of a signature are in lists")
        count = sum(map(len, lists.values()))
        if count > MAX_WANTED:
            raise MalformedInputError(f"{count} capabilities are wanted; 1 to {MAX_WANTED} can be looked for")
        capabilities = [Capability.read(kind, each) for kind, found in lists.items() for each in found]
        if len({(each.kind, each.name) for each in capabilities}) < len(capabilities):
            return None
        signature = Signature.of(capabilities)
    if not any(signature.of_kind(kind) for kind in Kind):
        raise MalformedInputError("the signature has no capabilities, and every server offers at least that")
    return signature


async def search(call: Call) -> Answer:
    """Capabilities that some server offers today."""
    asked, wanted = call.arguments, read_search(dict(call.arguments))
    store = call.service.store
    page = await store.search(wanted, cursor=asked.get("cursor"), limit=asked.get("limit", PAGE))
    document: JsonObject = {
        "capabilities": [documents.hit(each) for each in page.items],
        "next": page.next,
    }
    if asked.get("facets"):
        document["facets"] = documents.facets(await store.facets(wanted))
    return Answer(document)


async def find_matches(call: Call) -> Answer:
    """Servers that offer at least what a signature offers."""
    asked = call.arguments
    wanted = await compute(call.service, len(call.body), _wanted, call.body)
    if wanted is None:
        return Answer({"matches": [], "next": None})
    cursor, limit = asked.get("cursor"), asked.get("limit", PAGE)
    page = await match(call.service, wanted, len(call.body), cursor=cursor, limit=limit)
    found = [{"name": str(each.name), "version": each.version, "digest": each.digest} for each in page.items]
    return Answer({"matches": found, "next": page.next})


def _wanted(body: bytes) -> Signature | None:
    return read_signature(parse_json(body, max_depth=MAX_FILE_DEPTH))


async def holders(call: Call) -> Answer:
    """Who has published exactly this signature or capability."""
    digest, asked, store = Digest(call.arguments["digest"]), call.arguments, call.service.store
    page = await store.holders(digest, cursor=asked.get("cursor"), limit=asked.get("limit", PAGE))
    if not page.items and "cursor" not in asked:
        raise NotFoundError(f"nobody has published {digest}")
    found = await store.capability(digest)
    return Answer(
        {
            "digest": digest,
            "capability": None if found is None else documents.hit(found[0]),
            "holders": [documents.holder(each) for each in page.items],
            "next": page.next,
        }
    )


_LISTS: Final = {
    kind.collection: {
        "type": "array",
        "minItems": 1,
        # So many of each are always taken: a schema cannot count them together.
        "maxItems": MAX_WANTED // len(Kind),
        "items": schemas.objects({kind.identifier: {"type": "string", "minLength": 1}}),
    }
    for kind in Kind
}
_SIGNATURE: Final[JsonObject] = {
    "description": "Definitions by kind, as servers list them; a whole snapshot is understood, too. "
    f"{MAX_WANTED} are the most in all, however many of each kind.",
    "anyOf": [{**schemas.objects({}, _LISTS), "required": [each]} for each in _LISTS],
}

ENDPOINTS: Final = (
    Endpoint(
        "GET",
        "/api/v1/search",
        "Capabilities that some server offers today; a page may be short or empty and still have `next`",
        search,
        schemas.paged("capabilities", schemas.reference("Hit")),
        parameters=(
            Parameter(
                "tool",
                {"type": "string", "minLength": 1, "maxLength": 500},
                "The exact name of a capability.",
            ),
            Parameter("text", schemas.WORDS, "Words that all have to occur."),
            Parameter("argument", schemas.ARGUMENT, "The name of an argument, and its type: `path:string`."),
            Parameter("annotation", schemas.ANNOTATION, "An annotation: `readOnlyHint:true`."),
            Parameter("risk", schemas.LEVEL, "The risk level."),
            Parameter("kind", schemas.KIND, "The kind of capability."),
            Parameter(
                "secrets", {"type": "string", "enum": ["none"]}, "Only of servers that need no secret."
            ),
            Parameter("namespace", schemas.NAMESPACE, "Only of servers in this namespace."),
            Parameter("facets", {"type": "boolean"}, "Count the hits by kind and risk."),
            CURSOR,
            LIMIT,
        ),
    ),
    Endpoint(
        "POST",
        "/api/v1/match",
        "Servers that offer at least what a signature offers; a page may be short or empty and have `next`",
        find_matches,
        schemas.paged(
            "matches",
            schemas.objects({"name": schemas.NAME, "version": schemas.VERSION, "digest": schemas.DIGEST}),
        ),
        parameters=(CURSOR, LIMIT),
        body=Body(_SIGNATURE, limit="signature_bytes", is_raw=True),
    ),
    Endpoint(
        "GET",
        "/api/v1/digests/{digest}",
        "Who has published exactly this signature or capability",
        holders,
        schemas.paged(
            "holders",
            schemas.reference("Holder"),
            digest=schemas.DIGEST,
            capability=schemas.nullable(schemas.reference("Hit")),
        ),
        parameters=(
            path_parameter("digest", schemas.DIGEST, "Of a signature or a capability."),
            CURSOR,
            LIMIT,
        ),
    ),
)
